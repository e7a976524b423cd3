"""What is said of a session: title, tags, verdict, notes, its source, and its thread in a run."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import Field

from ..errors import Refused, format_value, wrong_type
from ..formats.warnings import FormatWarning, read_warnings
from ..requests.threads import SIDES, Thread, ThreadRole, read_role
from ..values.models import read_as, read_choice, read_label
from ..values.times import read_time
from .checksummed import digest_all

ThreadId = Annotated[int, Field(ge=0, strict=True)]


class ThreadPlace(NamedTuple):
    """A thread of a run; ``parent`` is the thread that it accompanies or was called from.

    ``run`` tells apart what was recorded at once, ``program`` is what a user calls it. ``call`` is
    the id of the tool call that began it. ``also`` are the threads that were merged into this one:
    what accompanied one of them now accompanies it.
    """

    run: str
    program: str
    thread: ThreadId
    role: ThreadRole = "main"
    parent: ThreadId | None = None
    call: str | None = None
    also: tuple[ThreadId, ...] = ()

    @classmethod
    def of(cls, thread: Thread, run: str, program: str) -> ThreadPlace:
        return cls(run, program, thread.id, thread.role, thread.parent, thread.call)

    @classmethod
    def stated_in(cls, meta: Mapping[str, Any], run: str, program: str) -> ThreadPlace | None:
        """Return the place that a conversation of recorded requests states, if it does."""
        noted = meta.get("requests")
        if not isinstance(noted, Mapping) or "id" not in noted:
            return None
        names = {"run": run, "program": program, "thread": noted["id"]}
        kept = {key: noted.get(key) for key in ("role", "parent", "call")}
        try:
            return cls.from_dict({**kept, **names})
        except Refused:
            return None

    @property
    def is_side(self) -> bool:
        return self.role in SIDES

    @property
    def threads(self) -> tuple[int, ...]:
        return (self.thread, *self.also)

    def to_dict(self) -> dict[str, Any]:
        data = self._asdict() | {"also": list(self.also)}
        return {key: value for key, value in data.items() if value not in (None, [])}

    @classmethod
    def from_dict(cls, data: object) -> ThreadPlace:
        found = None
        if isinstance(data, Mapping):
            # "lane" is the key of version 0.1.
            given = {"thread": data.get("lane"), **data, "role": read_role(data.get("role"))}
            found = read_as(cls, {key: given[key] for key in cls._fields if key in given})
        if found is None:
            raise wrong_type("thread", data, "an object with run, program, thread and role")
        return found


STATUSES = ("new", "in review", "needs work", "accepted", "rejected")
IN_REVIEW, ACCEPTED = STATUSES[1], STATUSES[3]
VERDICTS = STATUSES[2:]
"""The statuses that are a decision: needs work, accepted, rejected."""
LONGEST_TITLE = 200


class ImportSource(NamedTuple):
    """The file a session was made from: its place, its content, and which conversation of it."""

    path: str
    content: str
    part: int = 0
    format: str = ""
    """The name of the format it was read in; older sessions don't say it."""

    @classmethod
    def of(cls, path: str | Path, content: bytes, part: int = 0) -> ImportSource:
        return cls.of_blocks(path, (content,), part)

    @classmethod
    def of_blocks(cls, path: str | Path, blocks: Iterable[bytes], part: int = 0) -> ImportSource:
        content = digest_all(blocks)
        return cls(os.path.abspath(path), content, part)  # noqa: PTH100 - links are kept

    def to_dict(self) -> dict[str, Any]:
        noted = {"path": self.path, "content": self.content, "part": self.part}
        return {**noted, "format": self.format} if self.format else noted

    @classmethod
    def from_dict(cls, data: object) -> ImportSource:
        match data:
            case {"path": str(path), "content": str(content), "part": int(part), **rest}:
                format = rest.get("format")
                return cls(path, content, part, format if isinstance(format, str) else "")
        raise wrong_type("source", data, "an object with path, content and part")


class Details(NamedTuple):
    """Everything about a session that is not its conversation; none of it is undone."""

    title: str
    tags: tuple[str, ...] = ()
    status: str = STATUSES[0]
    note: str = ""
    created: int = 0
    updated: int = 0
    source: ImportSource | None = None
    remarks: tuple[tuple[int, str], ...] = ()
    """Notes about messages, each with the raw index of its message."""
    origin: str | None = None
    """The checksum of the damaged or changed file that this session was recovered from."""
    thread: ThreadPlace | None = None
    """Its place among the sessions that were recorded with it."""
    warnings: tuple[FormatWarning, ...] = ()
    """What was adapted or left out when its file was read."""

    def changed(self, news: Mapping[str, Any], moment: int) -> Details:
        """Return these details with some changed by the user, or refuse a bad value."""
        for key in news:
            if key not in READERS:
                legal = ", ".join(READERS)
                raise Refused(f"{format_value(key)} is not one of {legal}", field=key, legal=legal)
        read = {key: READERS[key](value, key) for key, value in news.items()}
        return self._replace(**read, updated=moment)

    def to_dict(self) -> dict[str, Any]:
        data = self._asdict() | {"tags": list(self.tags)}
        data["source"] = self.source and self.source.to_dict()
        data["remarks"] = [list(remark) for remark in self.remarks] or None
        data["thread"] = self.thread and self.thread.to_dict()
        data["warnings"] = [one.to_dict() for one in self.warnings] or None
        return {key: value for key, value in data.items() if value is not None}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Details:
        source, origin = data.get("source"), data.get("origin")
        thread = data.get("thread", data.get("lane"))  # The key of version 0.1.
        if origin is not None and not isinstance(origin, str):
            raise wrong_type("origin", origin, "a checksum")
        read = {key: reader(data.get(key), key) for key, reader in READERS.items()}
        return cls(
            **read,
            created=read_time(data.get("created"), "created"),
            updated=read_time(data.get("updated"), "updated"),
            source=None if source is None else ImportSource.from_dict(source),
            origin=origin,
            thread=None if thread is None else ThreadPlace.from_dict(thread),
            warnings=read_warnings(data.get("warnings") or ()),
        )


def read_title(value: object, field: str) -> str:
    """Return a title: one line, not empty, not too long."""
    if not isinstance(value, str):
        raise wrong_type(field, value, "text")
    if not 1 <= len(value) <= LONGEST_TITLE:
        raise Refused(
            f"{field} {format_value(value)} has {len(value)} characters; 1 to {LONGEST_TITLE} are "
            "legal",
            field=field,
            value=value,
            legal=f"1 to {LONGEST_TITLE} characters",
        )
    return value


def tidy_title(value: object) -> str:
    """Return a legal title made of anything a file or a conversation calls itself."""
    text = value if isinstance(value, str) else ""
    signs = (" " if unicodedata.category(c) in ("Cc", "Zl", "Zp") else c for c in text)
    return " ".join("".join(signs).split())[:LONGEST_TITLE] or "untitled"


def _tags(value: object, field: str) -> tuple[str, ...]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise wrong_type(field, value, "a list of tags")
    return tuple(dict.fromkeys(read_label(tag, field) for tag in value))


def _status(value: object, field: str) -> str:
    return str(read_choice(value, field, STATUSES))


def _note(value: object, field: str) -> str:
    if not isinstance(value, str):
        raise wrong_type(field, value, "text")
    return value


def _remarks(value: object, field: str) -> tuple[tuple[int, str], ...]:
    """Return notes about messages by raw index; sessions without any don't have the field."""
    if value is None:
        return ()
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise wrong_type(field, value, "a list of raw indices with a note each")
    read: dict[int, str] = {}
    for one in value:
        match one:
            case [int(raw), str(text)] if type(raw) is int and raw >= 0 and text:
                read[raw] = text
            case _:
                raise wrong_type(field, one, "a raw index with a note")
    return tuple(sorted(read.items()))


READERS: dict[str, Callable[[object, str], Any]] = {
    "title": read_title,
    "tags": _tags,
    "status": _status,
    "note": _note,
    "remarks": _remarks,
}
"""What people can change, and how each is read."""
