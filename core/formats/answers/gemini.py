"""Gemini's answers: parts of candidates, of which texts of the same kind are one text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .assembler import Assembler
from .events import Event, Note, listed, server_events
from .growing import Pieces, add_text, objects_in, place_of

TEXT_KEYS = frozenset(("text", "thought"))
"""The keys of a text that goes on; one with a signature stands for itself."""


class Gemini(Assembler):
    """The answer that its chunks make."""

    def __init__(self) -> None:
        super().__init__()
        self._candidates: dict[int, dict[str, Any]] = {}

    def events(self, content: bytes, note: Note) -> Iterator[Event]:
        """Yield the chunks: events, or the items of one list."""
        return listed(content) if content.lstrip()[:1] == b"[" else server_events(content, note)

    def take(self, event: Event) -> None:
        """Take in a chunk."""
        chunk = event.data or {}
        if "error" in chunk:
            self.fail(chunk["error"])
            return
        candidates = objects_in(chunk.pop("candidates", None))
        self.answer.update(chunk)
        for piece in candidates:
            candidate = self._candidates.setdefault(place_of(piece) or 0, {})
            content = piece.pop("content", None)
            candidate.update(piece)
            if isinstance(content, dict):
                _grow(candidate.setdefault("content", {"parts": []}), content)

    def end(self) -> None:
        """Put the candidates in order; a prompt that is blocked has none."""
        if not self.answer and not self._candidates:
            return
        found = [self._candidates[place] for place in sorted(self._candidates)]
        if found:
            self.answer["candidates"] = found
        reasons = [one.get("finishReason", one.get("finish_reason")) for one in found]
        feedback = self.answer.get("promptFeedback")
        is_blocked = isinstance(feedback, dict) and "blockReason" in feedback
        self.is_over = all(reasons) if reasons else is_blocked


def _grow(content: dict[str, Any], piece: dict[str, Any]) -> None:
    parts = content["parts"]
    for part in objects_in(piece.pop("parts", None)):
        last = parts[-1] if parts else {}
        if _goes_on(last) and _goes_on(part) and last.get("thought") == part.get("thought"):
            add_text(last, "text", part["text"])
        else:
            parts.append(part)
    content.update(piece)


def _goes_on(part: dict[str, Any]) -> bool:
    return isinstance(part.get("text"), str | Pieces) and part.keys() <= TEXT_KEYS
