"""The native file: all messages, and a journal that names them by raw index.

Where an operation added messages, a written record has ``{"raw": [[start, length], …]}`` instead.
``MessageRefWriter`` finds those runs, ``MessageRefReader`` puts the messages back.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..engine.journal import Create, Record
from ..engine.messages import Message, read_messages
from ..engine.operation import Operation
from ..engine.views import Run, indices_of
from ..errors import Refused, check_keys, format_value, out_of_range, wrong_type
from .readable import Readable

BODIES = ("messages", "message", "summary")
"""The fields of operations that hold messages."""


class MessageRefWriter:
    """Knows which raw messages an operation brought.

    A revision holds the very operation that made it. One that was done twice made two sets of
    messages; one that TOGGLE did again made no second one. Ask in the order of the journal.
    """

    def __init__(self, conversation: Readable) -> None:
        self._log = conversation.log
        self._runs: dict[int, deque[tuple[Run, ...]]] = defaultdict(deque)
        seen = set()
        for revision in conversation.revisions:
            made = (id(revision.operation), revision.fresh)
            if revision.fresh and made not in seen:
                seen.add(made)
                self._runs[made[0]].append(revision.fresh)

    def runs(
        self, operation: Operation, bodies: Sequence[Message], *, take: bool = True
    ) -> tuple[Run, ...] | None:
        """Return where the messages of an operation are in the log; None if they never got in.

        Each result is found once, since the same operation may have been done twice.
        """
        if isinstance(operation, Create):
            return ((0, len(bodies)),) if bodies else None
        found = self._runs.get(id(operation))
        if not found or [self._log[raw] for raw in indices_of(found[0])] != list(bodies):
            return None
        return found.popleft() if take else found[0]

    def written(self, record: Record) -> dict[str, Any]:
        """Return a record as JSON-ready data whose operations refer to their messages."""
        return record.written([dict(self._fields(operation)) for operation in record.operations])

    def _fields(self, operation: Operation) -> Iterator[tuple[str, Any]]:
        """Yield the fields of an operation; its messages are not even turned into data."""
        references = {}
        for name in BODIES:
            bodies = getattr(operation, name, None)
            if bodies is not None:
                bodies = (bodies,) if isinstance(bodies, Message) else bodies
                runs = self.runs(operation, bodies)
                if runs is not None:
                    references[name] = {"raw": [list(run) for run in runs]}
        bare = operation.model_copy(update=dict.fromkeys(references)) if references else operation
        yield from bare.to_dict().items()
        yield from references.items()


class MessageRefReader:
    """Gives operations their messages back, each of them once."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._messages = messages
        self._given = bytearray(len(messages))

    def put_into(self, record: object, where: str) -> Any:
        """Return a record with messages in place of references; anything odd is left as it is."""
        if not isinstance(record, Mapping):
            return record
        filled = dict(record)
        if isinstance(record.get("list"), list):
            filled["list"] = [self._fill(one, where) for one in record["list"]]
        elif "operation" in record:
            filled["operation"] = self._fill(record["operation"], where)
        return filled

    def _fill(self, operation: object, where: str) -> Any:
        if not isinstance(operation, Mapping):
            return operation
        filled = dict(operation)
        for name in BODIES:
            reference = operation.get(name)
            if isinstance(reference, Mapping) and "raw" in reference:
                found = self.taken(reference["raw"], f"{where}.{name}.raw")
                filled[name] = found[0] if name == "message" and len(found) == 1 else found
        return filled

    def taken(self, runs: object, where: str) -> list[Message]:
        """Return the messages of some runs, which no other operation may bring too."""
        if not isinstance(runs, list):
            raise wrong_type(where, runs, "a list of [start, length]")
        found: list[Message] = []
        for run in runs:
            match run:
                case [int(start), int(length)] if not {type(start), type(length)} - {int}:
                    pass
                case _:
                    raise wrong_type(where, run, "two whole numbers, start and length")
            stop = start + length
            if start < 0 or length < 1 or stop > len(self._messages):
                size = len(self._messages)
                raise out_of_range(
                    where,
                    f"{format_value(start)}+{format_value(length)}",
                    f"the {size} messages of the file",
                )
            if any(self._given[start:stop]):
                raise Refused(f"{where} {start}+{length} names a message twice", where)
            self._given[start:stop] = b"\1" * length
            found += self._messages[start:stop]
        return found


def same_log(messages: Sequence[Message], log: Sequence[Message]) -> None:
    """Refuse a file whose journal led to another log than the one that was written.

    Metadata may differ: older versions kept in redacted copies what formats had noted about the
    text that was removed, and it is dropped on reading.
    """
    for raw, (given, made) in enumerate(zip(messages, log, strict=False)):
        if given is not made and given != made and not given.is_but_for_metadata(made):
            raise Refused(
                f"messages[{raw}] is not the message that the journal makes there",
                f"messages[{raw}]",
            )
    if len(messages) != len(log):
        raise Refused(
            f"the file has {len(messages)} messages, but its journal makes {len(log)}", "messages"
        )


FORMAT = "ctxtui"
VERSION = 1
KEYS = ("format", "version", "messages", "journal")


def write_native(conversation: Readable, journal: Sequence[Record]) -> dict[str, Any]:
    """Return all of a conversation as JSON-ready data."""
    origins = MessageRefWriter(conversation)
    return {
        "format": FORMAT,
        "version": VERSION,
        "messages": [message.to_dict() for message in conversation.log],
        "journal": [origins.written(record) for record in journal],
    }


def read_native(data: object) -> tuple[tuple[Message, ...], list[Any]]:
    """Return the messages and the journal of a file; replaying it must lead to these messages."""
    if not isinstance(data, Mapping):
        raise wrong_type("conversation", data, "a saved ctxtui conversation")
    if data.get("format") != FORMAT:
        raise wrong_type("format", data.get("format"), repr(FORMAT))
    version = data.get("version")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise wrong_type("version", version, f"a version of the file format (1…{VERSION})")
    if version > VERSION:
        raise Refused(
            f"version {format_value(version)} of the file format is newer than {VERSION}, "
            "the newest that can be read here; update ctxtui to open it",
            field="version",
            value=version,
            legal=f"1…{VERSION}",
        )
    check_keys(data, "a saved conversation", KEYS)
    for key in ("messages", "journal"):
        if not isinstance(data.get(key), list):
            raise wrong_type(key, data.get(key), "a list")
    messages = read_messages(data["messages"])
    bodies = MessageRefReader(messages)
    journal = [bodies.put_into(record, f"journal[{i}]") for i, record in enumerate(data["journal"])]
    return messages, journal
