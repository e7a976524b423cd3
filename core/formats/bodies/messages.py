"""Bodies of Anthropic's Messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import not_a
from ...messages.message import Message
from ...requests.asked import MESSAGES, PROMPT
from ..anthropic import (
    TOOLS,
    read_message,
    read_prompt,
    write_messages,
    write_prompt,
)
from ..notes import without
from ..warnings import WarningCollector
from .wire import Body, Given, Row, Split, Wire, number, prompt_of, rows_of

LIST, SYSTEM = "messages", "system"


class Messages(Wire):
    """What the Messages API takes: the prompt, a text or blocks, stands beside the list."""

    kind = "messages"

    def split(self, body: Body) -> Split:
        """Return the prompt, if there is one, and a message for each row."""
        rows = body.get(LIST)
        if not isinstance(rows, list):
            raise not_a(LIST, rows, "a list of messages")
        beside, prompt = without(body, LIST), body.get(SYSTEM)
        given = [Given([row]) for row in rows]
        if isinstance(prompt, str | list) and prompt:
            del beside[SYSTEM]
            given.insert(0, Given([prompt], PROMPT))
        return Split(given, {}, beside)

    def joined(self, given: Sequence[Given], form: Body) -> Row:
        """Return prompt and list."""
        prompt = prompt_of(given)
        return {**({} if prompt is None else {SYSTEM: prompt}), LIST: rows_of(given)}

    def read(self, given: Given) -> Message:
        """Return the message of a row or of the prompt."""
        (row,) = given.rows
        if given.place == PROMPT:
            return Message.from_dict(read_prompt({SYSTEM: row}, WarningCollector())[0])
        return read_message(row, 0, (), WarningCollector())

    def write(self, message: Message, place: str) -> list[Any]:
        """Return the row of a message, or the prompt."""
        if place == MESSAGES:
            return list(write_messages([(0, message)], WarningCollector()))
        return [write_prompt([message])]

    def answer(self, response: Body) -> list[Given]:
        """Return the one message, which is the answer itself."""
        content = response.get("content")
        return [Given([{"role": "assistant", "content": content}])] if content else []

    def described(self, tools: list[Any]) -> list[Row]:
        """Return tools in the shape that all formats share."""
        return TOOLS.read(tools)

    def usage(self, response: Body) -> dict[str, Any]:
        """Return what was counted; here what was cached is no part of what is called input."""
        parts = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
        new, cached, written = (number(response, "usage", part) for part in parts)
        return {
            "input": None if new is None else new + (cached or 0) + (written or 0),
            "cached": cached,
            "written": written,
            "output": number(response, "usage", "output_tokens"),
        }
