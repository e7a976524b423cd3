"""The native format: a conversation with all its history, each message written once.

``messages`` is the raw log. ``journal`` holds the records; where an operation brought messages, it
has ``{"raw": [[start, length], …]}`` in their place. Reading does everything again, and what comes
out must be that log: messages an operation makes by itself are checked in this way too.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from typing import Any

from core.conversation import Conversation
from core.errors import Refused, not_a, outside, shown
from core.formats.base import Loaded, Written
from core.journal import Create, Record
from core.messages import Message, read_messages
from core.operations import Operation
from core.spans import Run, indices_of

FORMAT, VERSION = "ctxtui", 1
KEYS = ("format", "version", "messages", "journal")
BODIES = ("messages", "message", "summary")
"""The fields of operations that hold messages."""


class Native:
    """Everything there is: log, tree, journal, marks, settings, undo and redo."""

    name = "native"
    shape = "a saved ctxtui conversation, or a list of messages"

    def detects(self, data: object) -> bool:
        """Tell whether this is a saved conversation, or a list of valid messages."""
        if isinstance(data, Mapping):
            return data.get("format") == FORMAT
        if not isinstance(data, list):
            return False
        try:
            read_messages(data)
        except Refused:
            return False
        return True

    def read(self, data: object) -> Loaded:
        """Return the conversation, exactly as it was; or a new one of a list of messages."""
        if isinstance(data, list):
            return Loaded(Conversation(read_messages(data)), self.name)
        if not isinstance(data, Mapping):
            raise not_a("conversation", data, self.shape)
        return Loaded(_read(data), self.name)

    def write(self, conversation: Conversation) -> Written:
        """Return all of a conversation; there is nothing it can't hold."""
        origins = _Origins(conversation)
        return Written(
            {
                "format": FORMAT,
                "version": VERSION,
                "messages": [message.to_dict() for message in conversation.log],
                "journal": [_written(record, origins) for record in conversation.journal],
            }
        )


class _Origins:
    """Knows which raw messages an operation brought.

    A revision holds the very operation that made it. One that was done twice made two stretches of
    messages; one that TOGGLE did again made no second one.
    """

    def __init__(self, conversation: Conversation) -> None:
        self._log = conversation.log
        self._runs: dict[int, deque[tuple[Run, ...]]] = defaultdict(deque)
        seen = set()
        for revision in conversation.revisions:
            made = (id(revision.operation), revision.fresh)
            if revision.fresh and made not in seen:
                seen.add(made)
                self._runs[made[0]].append(revision.fresh)

    def runs(self, operation: Operation, bodies: Sequence[Message]) -> tuple[Run, ...] | None:
        """Return where the messages of an operation are in the log; None if they never got in."""
        if isinstance(operation, Create):
            return ((0, len(bodies)),) if bodies else None
        found = self._runs.get(id(operation))
        if not found or [self._log[raw] for raw in indices_of(found[0])] != list(bodies):
            return None
        return found.popleft()


def _written(record: Record, origins: _Origins) -> dict[str, Any]:
    """Return a record whose operations refer to their messages."""
    data = record.to_dict()
    given = data["list"] if record.listed else [data["operation"]]
    for operation, fields in zip(record.operations, given, strict=True):
        for name in BODIES:
            bodies = getattr(operation, name, None)
            if bodies is not None:
                bodies = (bodies,) if isinstance(bodies, Message) else bodies
                runs = origins.runs(operation, bodies)
                if runs is not None:
                    fields[name] = {"raw": [list(run) for run in runs]}
    return data


def _read(data: Mapping[str, Any]) -> Conversation:
    """Return the conversation a file tells of."""
    if data.get("format") != FORMAT:
        raise not_a("format", data.get("format"), repr(FORMAT))
    version = data.get("version")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise not_a("version", version, f"a version of the file format (1…{VERSION})")
    if version > VERSION:
        raise Refused(
            f"version {shown(version)} of the file format is newer than {VERSION}, the newest "
            "that can be read here; update ctxtui to open it",
            field="version",
            value=version,
            legal=f"1…{VERSION}",
        )
    for key in data:
        if key not in KEYS:
            legal = ", ".join(KEYS)
            raise Refused(f"{shown(key)} is not one of {legal}", field=str(key), legal=legal)
    for key in ("messages", "journal"):
        if not isinstance(data.get(key), list):
            raise not_a(key, data.get(key), "a list")
    messages = read_messages(data["messages"])
    bodies = _Bodies(messages)
    journal = [bodies.put_into(record, f"journal[{i}]") for i, record in enumerate(data["journal"])]
    conversation = Conversation.replay(journal)
    _same_log(messages, conversation.log)
    return conversation


def _same_log(messages: Sequence[Message], log: Sequence[Message]) -> None:
    """Refuse a file whose journal led to another log than the one that was written."""
    for raw, (told, made) in enumerate(zip(messages, log, strict=False)):
        if told != made:
            raise Refused(
                f"messages[{raw}] is not the message that the journal makes there",
                field=f"messages[{raw}]",
            )
    if len(messages) != len(log):
        raise Refused(
            f"the file has {len(messages)} messages, but its journal makes {len(log)}",
            field="messages",
        )


class _Bodies:
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
                found = self._taken(reference["raw"], f"{where}.{name}.raw")
                filled[name] = found[0] if name == "message" and len(found) == 1 else found
        return filled

    def _taken(self, runs: object, where: str) -> list[Message]:
        """Return the messages of some runs, which no other operation may bring too."""
        if not isinstance(runs, list):
            raise not_a(where, runs, "a list of [start, length]")
        found: list[Message] = []
        for run in runs:
            match run:
                case [int(start), int(length)] if not {type(start), type(length)} - {int}:
                    pass
                case _:
                    raise not_a(where, run, "two whole numbers, start and length")
            stop = start + length
            if start < 0 or length < 1 or stop > len(self._messages):
                size = len(self._messages)
                raise outside(where, f"{start}+{length}", f"the {size} messages of the file")
            if any(self._given[start:stop]):
                raise Refused(f"{where} {start}+{length} names a message twice", field=where)
            self._given[start:stop] = b"\1" * length
            found += self._messages[start:stop]
        return found
