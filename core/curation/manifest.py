"""The manifest of a data set: for every record where it comes from and what was done to it."""

from __future__ import annotations

from typing import Any

from ..conversation.conversation import Conversation
from ..conversation.references import BODIES
from ..formats.json_text import dump_json
from ..history.journal import Noted, Record
from ..messages.message import Message
from ..operations import Operation
from ..queries.fields import other_fields
from ..storage.details import Details
from ..values.frozen import thaw
from .file_set import Growing

KIND = "ctxtui data set"
VERSION = 1


def operations_of(conversation: Conversation) -> list[dict[str, Any]]:
    """Return every change of a conversation; the messages it brought are only counted."""
    return [
        {"time": record.time, **_change(record)}
        for record in conversation.journal
        if not isinstance(record.operations[0], Noted)
    ]


def _change(record: Record) -> dict[str, Any]:
    told = [_told(operation) for operation in record.operations]
    return {"list": told} if record.listed else told[0]


def _told(operation: Operation) -> dict[str, Any]:
    counts = {}
    for name in BODIES:
        bodies = getattr(operation, name, None)
        if bodies is not None:
            counts[name] = 1 if isinstance(bodies, Message) else len(bodies)
    bare = operation.model_copy(update=dict.fromkeys(counts)) if counts else operation
    fields = bare.to_dict()
    fields.pop("meta", None)  # What a conversation says of itself is none of its changes.
    return {**fields, **counts}


def row_of(conversation: Conversation, details: Details) -> dict[str, Any]:
    """Return what a manifest says of the session a record was made of."""
    source = details.source
    return {
        "title": details.title,
        "status": details.status,
        "tags": list(details.tags),
        "note": details.note,
        "remarks": [{"message": raw, "note": text} for raw, text in details.remarks],
        "source": source and source.to_dict(),
        "origin": thaw(conversation.meta.get("origin")),
        "fields": list(other_fields(conversation.meta)),
        "messages": len(conversation.view),
        "rawMessages": len(conversation.log),
        "tokens": conversation.tokens.total,
        "counter": conversation.tokens.counter,
        "operations": operations_of(conversation),
    }


class ManifestText:
    """A manifest while it is written: a record in each line, never all of them in memory."""

    def __init__(self, file: Growing, head: dict[str, Any]) -> None:
        self._file = file
        self._between = "\n"
        file.write(dump_json({"kind": KIND, "version": VERSION, **head})[:-1] + ',\n"records": [')

    def add(self, row: dict[str, Any]) -> None:
        """Add a record."""
        self._file.write(self._between + dump_json(row))
        self._between = ",\n"

    def end(self, tail: dict[str, Any]) -> None:
        """Add what is known only now, and finish the file."""
        self._file.write("\n],\n" + dump_json(tail)[1:] + "\n")
        self._file.finish()
