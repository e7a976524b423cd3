"""What Gemini's contents can't hold of a message, or only as something else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...messages.message import Message
from ...messages.parts import Part, TextPart, ToolResultPart, ToolUsePart
from .parts import NOTES, holds


def losses(message: Message, names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield a code and a name, or none, for all that is lost; ``names`` are those of calls."""
    if message.id is not None:
        yield "id-left-out", ""
    if message.timestamp is not None:
        yield "timestamp-left-out", ""
    if NOTES.has_others(message.metadata):
        yield "metadata-left-out", ""
    for part in message.parts:
        yield from _of_part(part, names)


def _of_part(part: Part, names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    if NOTES.has_others(part.metadata):
        yield "metadata-left-out", ""
    match part:
        case ToolUsePart():
            if not isinstance(part.input, Mapping):
                yield "input-wrapped", ""
        case ToolResultPart():
            is_named = NOTES.is_in(part.metadata) or part.tool_use_id in names
            if not is_named:
                yield "result-name-unknown", ""
            for inside in part.content if not isinstance(part.content, str) else ():
                if inside.metadata:
                    yield "metadata-left-out", ""
                if not isinstance(inside, TextPart):
                    yield "result-part-left-out", inside.type
        case _ if not holds(part):
            yield "part-left-out", part.type
