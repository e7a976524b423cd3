"""OpenAI's responses: the last event has the whole; items are followed in case it never comes."""

from __future__ import annotations

from typing import Any

from .assembler import Assembler
from .events import Event
from .growing import add_text, text_of

ENDS = ("response.completed", "response.incomplete", "response.failed", "response.cancelled")
FAILED = "response.failed"
TEXTS = {
    "response.output_text.delta": ("content", "content_index", "text", "output_text"),
    "response.refusal.delta": ("content", "content_index", "refusal", "refusal"),
    "response.reasoning_text.delta": ("content", "content_index", "text", "reasoning_text"),
    "response.reasoning_summary_text.delta": (
        *("summary", "summary_index", "text", "summary_text"),
    ),
}
"""Deltas: the list of an item they belong to, their place in it, their key and the part's type."""
ARGUMENTS = {
    "response.function_call_arguments.delta": "arguments",
    "response.mcp_call_arguments.delta": "arguments",
    "response.custom_tool_call_input.delta": "input",
    "response.code_interpreter_call_code.delta": "code",
}
"""Deltas of what stands in the item itself."""


class Responses(Assembler):
    """The response that its events make."""

    def __init__(self) -> None:
        super().__init__()
        self._items: dict[int, dict[str, Any]] = {}

    def take(self, event: Event) -> None:
        """Take in an event, by its type; the item in ``added`` may be incomplete."""
        told = event.data or {}
        kind = text_of(told.get("type"))
        match told:
            case {"response": dict(response)}:
                self.answer = response
                self.is_over = self.is_over or kind in ENDS
                self.is_failed = self.is_failed or kind == FAILED
            case {"item": dict(item)} if kind.startswith("response.output_item."):
                self._items[_number(told, "output_index")] = item
            case {"delta": str(delta)}:
                self._grow(kind, told, delta)
            case {"type": "error"}:
                self.fail({key: value for key, value in told.items() if key != "type"})

    def end(self) -> None:
        """Put in the items, where the provider has not done so itself."""
        if self._items and not self.answer.get("output"):
            self.answer["output"] = [self._items[place] for place in sorted(self._items)]

    def _grow(self, kind: str, told: dict[str, Any], delta: str) -> None:
        item = self._items.get(_number(told, "output_index"))
        if item is None:
            return
        if kind in ARGUMENTS:
            key = ARGUMENTS[kind]
            add_text(item, key, delta)
        elif kind in TEXTS:
            holder, index, key, name = TEXTS[kind]
            parts = item.get(holder)
            parts = item[holder] = parts if isinstance(parts, list) else []
            place = _number(told, index)
            if place == len(parts):
                parts.append({"type": name, key: ""})
            if place < len(parts) and isinstance(parts[place], dict):
                add_text(parts[place], key, delta)


def _number(told: dict[str, Any], key: str) -> int:
    found = told.get(key)
    return found if isinstance(found, int) and found >= 0 else 0
