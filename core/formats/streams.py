"""Assembling: the answer of a body, whether it came in one piece or was streamed."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..errors import Refused
from ..requests.exchange import Kind, Outcome
from .anthropic import MessagesStream
from .fields import is_object
from .gemini import GeminiStream
from .openai import ChatStream, OllamaStream
from .responses import ResponsesStream
from .stream_assembly import Assembler, Note, read_value, whole

ASSEMBLERS: dict[Kind, type[Assembler]] = {
    "chat": ChatStream,
    "responses": ResponsesStream,
    "messages": MessagesStream,
    "gemini": GeminiStream,
    "ollama": OllamaStream,
}


class Assembled(NamedTuple):
    """An answer, None where there is none, and how it ended."""

    answer: dict[str, Any] | None
    outcome: Outcome


def assembled(kind: Kind, content: bytes, note: Note = lambda _: None) -> Assembled:
    """Return the answer that a body holds; what is left out of it is noted.

    It is complete by what it says itself, as one whole object or with the last event of a stream:
    clients hang up as soon as they have that, before the connection ends.
    """
    found = _whole(content)
    if found is not None and (kind != "ollama" or "done" not in found):
        return Assembled(found, "complete")
    parts = ASSEMBLERS[kind]()
    for event in parts.events(content, note):
        parts.take(event)
    parts.end()
    whole(parts.answer)
    return Assembled(parts.answer or None, parts.outcome)


def _whole(content: bytes) -> dict[str, Any] | None:
    """Return the object that a body is; none where it is a stream, or no JSON at all."""
    if content.lstrip()[:1] != b"{":
        return None
    try:
        value = read_value(content)
    except Refused:
        return None
    return dict(value) if is_object(value) else None
