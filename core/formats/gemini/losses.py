"""What Gemini's contents can't hold of a message, or only as something else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.formats.gemini.parts import NOTES, UNKNOWN, holds
from core.messages.message import Message
from core.messages.parts import Part, TextPart, ToolResultPart, ToolUsePart


def losses(message: Message, names: Mapping[str, str]) -> Iterator[str]:
    """Yield a sentence for each thing that is left out or changed; ``names`` are those of calls."""
    if message.id is not None:
        yield "ids are left out"
    if message.timestamp is not None:
        yield "timestamps are left out"
    if NOTES.has_others(message.metadata):
        yield "metadata are left out"
    for part in message.parts:
        yield from _of_part(part, names)


def _of_part(part: Part, names: Mapping[str, str]) -> Iterator[str]:
    if NOTES.has_others(part.metadata):
        yield "metadata are left out"
    match part:
        case ToolUsePart():
            if not isinstance(part.input, Mapping):
                yield "inputs of tool calls that are no objects are put into one, as input"
        case ToolResultPart():
            is_named = NOTES.is_in(part.metadata) or part.tool_use_id in names
            if not is_named:
                yield f"results of calls that are not there have the name {UNKNOWN}"
            for inside in part.content if not isinstance(part.content, str) else ():
                if inside.metadata:
                    yield "metadata are left out"
                if not isinstance(inside, TextPart):
                    yield f"{inside.type} parts of results are left out"
        case _ if not holds(part):
            yield f"{part.type} parts are left out"
