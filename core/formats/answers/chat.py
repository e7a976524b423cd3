"""Chat completions: choices by index, calls of tools in them by index too."""

from __future__ import annotations

from typing import Any

from .assembler import Assembler
from .events import Event
from .growing import grow, objects_in, place_of

COMPLETION = "chat.completion"


class Chat(Assembler):
    """The completion that its chunks make."""

    def __init__(self) -> None:
        super().__init__()
        self._choices: dict[int, dict[str, Any]] = {}

    def take(self, event: Event) -> None:
        """Take in a chunk; usage comes in one without choices, and ``[DONE]`` is the end."""
        chunk = event.data
        if chunk is None:
            self.is_over = True
            return
        if chunk.get("error"):
            self.fail(chunk["error"])
            return
        choices = objects_in(chunk.pop("choices", None))
        self.answer.update({key: value for key, value in chunk.items() if value is not None})
        for choice in choices:
            self._grow(choice)

    def end(self) -> None:
        """Put the choices in order; calls need no index any more."""
        if not self.answer and not self._choices:
            return
        self.answer["object"] = COMPLETION
        self.answer["choices"] = [self._choices[place] for place in sorted(self._choices)]
        reasons = [choice.get("finish_reason") for choice in self._choices.values()]
        self.is_over = self.is_over or (bool(reasons) and all(reasons))
        for choice in self._choices.values():
            calls = objects_in(choice["message"].get("tool_calls"))
            for call in calls:
                call.pop("index", None)

    def _grow(self, piece: dict[str, Any]) -> None:
        place = place_of(piece) or 0
        choice = self._choices.setdefault(
            place, {"index": place, "message": {"role": "assistant"}, "finish_reason": None}
        )
        delta = piece.pop("delta", None)
        if isinstance(delta, dict):
            grow(choice["message"], delta)
        message = piece.pop("message", None)
        if isinstance(message, dict):  # Some gateways send one whole message as a stream.
            choice["message"].update(message)
        grow(choice, piece)
