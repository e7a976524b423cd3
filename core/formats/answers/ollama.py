"""Ollama's answers: one object in each line, the last of which is done."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .assembler import Assembler
from .events import Event, Note, json_lines
from .growing import add_text, text_of

JOINED = ("content", "thinking")


class Ollama(Assembler):
    """The answer that its lines make."""

    def events(self, content: bytes, note: Note) -> Iterator[Event]:
        """Yield the lines."""
        return json_lines(content, note)

    def take(self, event: Event) -> None:
        """Take in a line."""
        line = event.data or {}
        if "error" in line:
            self.fail(line["error"])
            return
        piece = line.pop("message", None)
        self.answer.update(line)
        if isinstance(piece, dict):
            self._grow(piece)
        self.is_over = self.is_over or line.get("done") is True

    def _grow(self, piece: dict[str, Any]) -> None:
        message = self.answer.setdefault("message", {})
        for key, new in piece.items():
            old = message.get(key)
            if key in JOINED:
                add_text(message, key, text_of(new))
            elif isinstance(old, list) and isinstance(new, list):
                old.extend(new)
            elif new is not None:
                message[key] = new
