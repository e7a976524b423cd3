"""Anthropic's messages: blocks by index, each with deltas of its own kind."""

from __future__ import annotations

from typing import Any

from ...errors import Refused
from .assembler import Assembler
from .events import Event, read_value
from .growing import add_text, place_of, text_of

JOINED = {"text_delta": "text", "thinking_delta": "thinking"}
REPLACED = {"signature_delta": "signature", "compaction_delta": "content"}
"""Deltas by the key they are about: the first go on, the second are said whole."""
ARGUMENTS = "input_json_delta"


class Messages(Assembler):
    """The message that its events make."""

    def __init__(self) -> None:
        super().__init__()
        self._blocks: dict[int, dict[str, Any]] = {}
        self._arguments: dict[int, list[str]] = {}
        self._newest = 0

    def take(self, event: Event) -> None:
        """Take in an event, by its type."""
        match event.data or {}:
            case {"type": "message_start", "message": dict(message)}:
                self.answer.update(message)
            case {"type": "content_block_start", "content_block": dict(block)} as told:
                self._blocks[self._place(told)] = block
            case {"type": "content_block_delta", "delta": dict(delta)} as told:
                self._grow(self._place(told), delta)
            case {"type": "content_block_stop"} as told:
                self._stop(self._place(told))
            case {"type": "message_delta"} as told:
                self._tell(told)
            case {"type": "message_stop"}:
                self.is_over = True
            case {"type": "error", "error": error}:
                self.fail(error)

    def end(self) -> None:
        """Put the blocks in order; arguments that were cut off stay the text they are."""
        for place in list(self._arguments):
            self._stop(place)
        if self.answer or self._blocks:
            self.answer["content"] = [self._blocks[place] for place in sorted(self._blocks)]

    def _place(self, told: dict[str, Any]) -> int:
        """Return the block that an event is about: if it does not say, the last one."""
        place = place_of(told)
        place = self._newest if place is None else place
        self._newest = max(self._newest, place)
        return place

    def _grow(self, place: int, delta: dict[str, Any]) -> None:
        block = self._blocks.setdefault(place, {"type": "text", "text": ""})
        kind = text_of(delta.get("type"))
        if kind == ARGUMENTS:
            self._arguments.setdefault(place, []).append(text_of(delta.get("partial_json")))
        elif kind in JOINED:
            key = JOINED[kind]
            add_text(block, key, text_of(delta.get(key)))
        elif kind in REPLACED:
            block.update({key: value for key, value in delta.items() if key != "type"})
        elif kind == "citations_delta":
            known = block.get("citations")
            if not isinstance(known, list):
                known = block["citations"] = []
            known.append(delta.get("citation"))

    def _stop(self, place: int) -> None:
        """Read the arguments of a call, which came as pieces of JSON; none at all are none."""
        text = "".join(self._arguments.pop(place, ()))
        if not text:
            return
        try:
            self._blocks[place]["input"] = read_value(text.encode("utf-8", "surrogatepass"))
        except Refused:
            self._blocks[place]["input"] = text

    def _tell(self, told: dict[str, Any]) -> None:
        """Take in how it ended, and what it cost so far, which is counted from the start."""
        delta, usage = told.get("delta"), told.get("usage")
        if isinstance(delta, dict):
            self.answer.update(delta)
        if isinstance(usage, dict):
            known = self.answer.get("usage")
            said = {key: value for key, value in usage.items() if value is not None}
            self.answer["usage"] = {**(known if isinstance(known, dict) else {}), **said}
        rest = ("type", "delta", "usage")
        self.answer.update({key: value for key, value in told.items() if key not in rest})
