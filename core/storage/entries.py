"""Entries of the list of sessions, also of those that have grown since their file was written.

The last line of each write to the journal file has the figures that lists show. So a list is true
while a session is being edited, and costs two lines of that file instead of a replay.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple

from ..conversation.readable import Readable
from ..errors import Refused
from ..formats.warnings import FormatWarning, read_warnings
from ..values.models import ROLES, read_count, read_text
from ..values.times import LATEST, read_time
from .checksummed import TableRow, check_version, meta_of, read_checksummed
from .details import STATUSES, Details
from .disk import MOST_BYTES, Disk, FileVersion, too_large
from .errors import reason
from .folder import SessionPaths
from .journal_file import CHAIN, JournalLine, read_line
from .rows import LISTED, listed

FIGURES = "figures"
DETAILS = b' {"details":'
LEAD = 2 * CHAIN + len(" q")
"""Where the JSON of a line begins: behind its chain and its flag."""


class JournalSummary(NamedTuple):
    """What a journal file says last of its session."""

    details: Details | None
    """None where they are as the session file has them."""
    figures: TableRow


def with_figures(
    lines: Sequence[JournalLine], conversation: Readable, updated: int
) -> list[JournalLine]:
    """Return the lines of one write, of which the last says what a list should show by then."""
    if not lines:
        return []
    *most, last = lines
    return [*most, {**last, FIGURES: {**listed(conversation), "updated": updated}}]


def version_of(main: FileVersion, journal: FileVersion | None) -> FileVersion:
    """Return the version of a session: that of its file and of its journal file."""
    if journal is None:
        return main
    return FileVersion(main.file, main.size + journal.size, max(main.changed, journal.changed))


def journal_summary(
    disk: Disk, place: SessionPaths, meta: Mapping[str, Any]
) -> JournalSummary | None:
    """Return what the journal file says beyond a session file, if it continues that.

    What can't be read is reported when the session is opened.
    """
    try:
        return _read(disk.read(place.journal), meta.get("checksum"))
    except (OSError, Refused, LookupError, TypeError, ValueError, AttributeError):
        return None


def _read(data: bytes, base: object) -> JournalSummary | None:
    first, _ = read_line("", data[: data.index(b"\n")])
    check_version(first, "journal file")
    end = data.rfind(b"\n")
    last = data.rfind(b"\n", 0, end) + 1
    if first.get("base") != base or last == 0:
        return None
    figures = _line(data, last)[FIGURES]
    read_time(figures["updated"], "updated")
    at = _last_details(data, end)
    details = None if at is None else Details.from_dict(_line(data, at)["details"])
    return JournalSummary(details, figures)


def _line(data: bytes, start: int) -> JournalLine:
    """Return the line that starts at a byte, checked against the chain of the one before."""
    before = data.rfind(b"\n", 0, start - 1) + 1
    chain = data[before : before + 2 * CHAIN].decode("ascii")
    return read_line(chain, data[start : data.index(b"\n", start)])[0]


def _last_details(data: bytes, end: int) -> int | None:
    """Return where the last line of details begins; messages may hold what looks like one."""
    while (found := data.rfind(DETAILS, 0, end)) >= 0:
        start = data.rfind(b"\n", 0, found) + 1
        if found == start + LEAD:
            return start
        end = found
    return None


# The name of a session: its title, or its first words where the title is only that of its file.

CUTS = ("TRUNCATE", "CLEAR", "FILTER", "COMPRESS")
"""Operations that hide a message and not what it says: the others may have done it for that."""
LONGEST_WORDS = 200


def first_words(conversation: Readable) -> str:
    """Return the first words of the user, also where a cut has hidden them."""
    log, user = conversation.log, ROLES.index("user")
    raw = log.roles(0, len(log)).find(user)
    hidden = None if raw < 0 else conversation.blame(raw)
    if hidden is not None and (hidden.operation is None or hidden.operation.title not in CUTS):
        runs = conversation.view.runs()
        found = ((start, log.roles(start, start + size).find(user)) for start, size in runs)
        raw = next((start + at for start, at in found if at >= 0), -1)
    if raw < 0:
        return ""
    words = log[raw].text.strip() or log[raw].search_text.strip()
    return " ".join(words[: 2 * LONGEST_WORDS].split())[:LONGEST_WORDS]


def number_in_file(title: str, source: str | None) -> str | None:
    """Return the number behind the name of a file, if a title is just these; it may be empty."""
    name = PurePath(source).name if source else ""
    if not name or not title.startswith(name):
        return None
    number = title.removeprefix(name)
    return number.strip() if re.fullmatch(r"( #\d+)?", number) else None


class Entry(NamedTuple):
    """One line of the list of sessions; ``problem`` says why the rest could not be read."""

    id: str
    title: str
    messages: int = 0
    visible: int = 0
    batches: int = 0
    tokens: int = 0
    counter: str = ""
    tags: tuple[str, ...] = ()
    status: str = STATUSES[0]
    note: str = ""
    created: int = 0
    updated: int = 0
    source: str | None = None
    content: str | None = None
    part: int = 0
    origin: str | None = None
    run: str | None = None
    """The recorded run that the session is part of."""
    remarks: tuple[str, ...] = ()
    """The notes about its messages."""
    warnings: tuple[FormatWarning, ...] = ()
    """What was adapted or left out when its file was read."""
    problem: str | None = None
    words: str = ""
    """The first words of its user, where they are known: no file holds them."""

    @property
    def name(self) -> str:
        """Return what it is called: its first words where its title is only that of its file."""
        is_file = self.words and number_in_file(self.title, self.source) is not None
        return self.words if is_file else self.title

    def to_dict(self) -> dict[str, Any]:
        lists = {"tags": list(self.tags), "remarks": list(self.remarks)}
        fields = self._asdict()
        del fields["words"]
        return fields | lists | {"warnings": [one.to_dict() for one in self.warnings]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Entry:
        """Return an entry that the index kept; it is checked only for what would break a list.

        An older index, which does not know of all this, is made again.
        """
        lists = {key: tuple(data[key]) for key in ("tags", "remarks")}
        lists["warnings"] = read_warnings(data["warnings"])
        entry = cls(**{key: data[key] for key in cls._fields if key != "words"} | lists)
        numbers = (*entry[2:6], entry.created, entry.updated, entry.part)
        texts = (entry.id, entry.title, entry.counter, entry.status, entry.note)
        if not all(type(one) is int for one in numbers):
            raise Refused("its figures are no numbers", field="index")
        if max(entry.created, entry.updated) > LATEST:
            raise Refused("its times are in no calendar", field="index")
        words = (*texts, *entry.tags, *entry.remarks, entry.run or "")
        if not all(isinstance(one, str) for one in words):
            raise Refused("its words are no text", field="index")
        return entry


def entry_of(id: str, details: Details, figures: Mapping[str, Any]) -> Entry:
    """Return the entry of a session; any program may have written its figures."""
    source = details.source
    counts: dict[str, Any] = {
        key: read_count(figures[key], key) for key in LISTED if key != "counter"
    }
    return Entry(
        id,
        details.title,
        counter=read_text(figures["counter"], "counter"),
        **counts,
        tags=details.tags,
        status=details.status,
        note=details.note,
        created=details.created,
        updated=details.updated,
        source=source and source.path,
        content=source and source.content,
        part=source.part if source else 0,
        origin=details.origin,
        run=details.thread and details.thread.run,
        remarks=tuple(text for _, text in details.remarks),
        warnings=details.warnings,
    )


def read_entry(disk: Disk, place: SessionPaths) -> Entry:
    """Return the entry of a session, without reading more of its file than needed."""
    try:
        found = disk.version(place.main)
        if found is not None and found.size > MOST_BYTES:
            raise too_large(place.main, found.size)
        try:
            meta = meta_of(disk, place.main)
        except Refused:
            meta = read_checksummed(disk.read(place.main)).tables["meta"]["1"]
        check_version(meta, "session file")
        details, figures = Details.from_dict(meta), meta
        since = journal_summary(disk, place, meta)
        if since is not None:
            details, figures = since.details or details, since.figures
            details = details._replace(updated=max(details.updated, figures["updated"]))
        # As a list would read it again, so that a changed file can't put anything into it.
        return Entry.from_dict(entry_of(place.id, details, figures).to_dict())
    except Refused as refusal:
        return Entry(place.id, "?", problem=str(refusal))
    except OSError as error:
        return Entry(place.id, "?", problem=f"it can't be read: {reason(error)}")
    except (LookupError, TypeError, AttributeError):
        return Entry(place.id, "?", problem="the file is not one of a session")
