"""Cursor: transcripts of its agent, whose calls have no ids and whose results may be missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..engine.messages import Message
from .agents import TranscriptBuilder, message
from .anthropic import read_turn
from .base import Format, Layout, Loaded, ReadOnly
from .detection import MISSING, among
from .fields import is_object
from .format_metadata import FormatMetadata, without
from .source import Source

NOTES = FormatMetadata("cursor")


class Cursor(ReadOnly, Format):
    """The messages of the lines, each with its blocks."""

    name = NOTES.key
    about = "a transcript of Cursor's agent"
    kinds = ("a Cursor transcript",)
    sure_signs = (
        {
            "message": {"content": list},
            "role": among("user", "assistant"),
            "uuid": MISSING,
            "type": MISSING,
        },
        {"type": "turn_ended", "status": str},
    )
    many = False

    def read(self, source: Source) -> Iterator[Loaded]:
        builder = TranscriptBuilder(NOTES, source.collector)
        calls = _CallNames()
        for number, row in source.rows():
            said = row.get("message")
            if not is_object(said) or not isinstance(row.get("role"), str):
                builder.other(number, row)
                continue
            made = builder.read(number, row, lambda: [_message(number, row, calls, builder)])  # noqa: B023
            builder.add(made, line=number)
        if builder.has_messages:
            yield Loaded(builder.conversation(), self.name, layout=Layout.ITEMS)


class _CallNames:
    """Gives ids to calls that have none; results that name none answer them in order."""

    def __init__(self) -> None:
        self._waiting: list[str] = []
        self._count = 0

    def named(self, block: Any) -> Any:
        match block:
            case {"type": "tool_use"}:
                self._count += 1
                id = block.get("id")
                made = id if isinstance(id, str) and id else f"call_{self._count}"
                self._waiting.append(made)
                return {"input": {}, **block, "id": made}
            case {"type": "tool_result"}:
                id = block.get("tool_use_id")
                if isinstance(id, str) and id:
                    self._waiting = [one for one in self._waiting if one != id]
                    return block
                first = self._waiting.pop(0) if self._waiting else "call_unknown"
                return {**block, "tool_use_id": first}
        return block


def _message(
    number: int, row: Mapping[str, Any], calls: _CallNames, builder: TranscriptBuilder
) -> Message:
    said = row["message"]
    content = said.get("content")
    blocks = [calls.named(one) for one in content] if isinstance(content, list) else content
    role, parts, _ = read_turn({"role": row["role"], "content": blocks}, number, builder.warnings)
    notes = {"line": {**row, "message": without(said, "content")}}
    return message(NOTES, role, parts, notes, row.get("timestamp"))
