"""Bodies of OpenAI's Responses: items, of which several may be one message."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import Refused, not_a
from ...messages.message import Message
from ...requests.asked import PROMPT
from ..items import NOTES, read_items, write_items
from ..items import Given as Item
from ..items.grouping import grouped
from ..notes import without
from ..responses import TOOLS
from ..warnings import WarningCollector
from .wire import Body, Given, Row, Split, Wire, number, prompt_of, rows_of

LIST, SYSTEM = "input", "instructions"
TEXT = {LIST: "text"}
"""The form of a body whose input is a text."""


class Responses(Wire):
    """What the Responses API takes: instructions, and items or a text."""

    kind = "responses"

    def split(self, body: Body) -> Split:
        """Return the instructions, if there are any, and a message for each group of items."""
        items, form = body.get(LIST, []), {}
        if isinstance(items, str):
            items, form = [{"role": "user", "content": items}], TEXT
        if not isinstance(items, list):
            raise not_a(LIST, items, "a text or a list of items")
        beside, prompt = without(body, LIST), body.get(SYSTEM)
        given = [Given(group) for group in grouped(items)]
        if isinstance(prompt, str) and prompt:
            del beside[SYSTEM]
            given.insert(0, Given([prompt], PROMPT))
        if LIST not in body:
            form = {LIST: "absent"}
        return Split(given, form, beside)

    def joined(self, given: Sequence[Given], form: Body) -> Row:
        """Return instructions and items."""
        prompt, rows = prompt_of(given), rows_of(given)
        body: Row = {} if prompt is None else {SYSTEM: prompt}
        match form.get(LIST), rows:
            case "absent", []:
                return body
            case "text", [{"content": str(text)}]:
                return {**body, LIST: text}
        return {**body, LIST: rows}

    def read(self, given: Given) -> Message:
        """Return the message of a group of items, or of the instructions."""
        if given.place == PROMPT:
            note = NOTES.kept({"place": SYSTEM})
            return Message.from_dict({"role": "system", "content": given.rows[0], **note})
        messages, bad = read_items([Item(item, 0) for item in given.rows], WarningCollector())
        if bad or len(messages) != 1:
            raise Refused("these items are not one message", field=LIST)
        return messages[0]

    def write(self, message: Message, place: str) -> list[Any]:
        """Return the items of a message, or the instructions."""
        if place == PROMPT:
            return [message.text]
        return [made.item for made in write_items(message, 0)]

    def answer(self, response: Body) -> list[Given]:
        """Return the messages that came back, which is one as a rule."""
        items = response.get("output")
        return [Given(group) for group in grouped(items)] if isinstance(items, list) else []

    def described(self, tools: list[Any]) -> list[Row]:
        """Return tools in the shape that all formats share."""
        return TOOLS.read(tools)

    def usage(self, response: Body) -> dict[str, Any]:
        """Return what was counted; what was cached is part of the input."""
        details = ("usage", "input_tokens_details")
        return {
            "input": number(response, "usage", "input_tokens"),
            "cached": number(response, *details, "cached_tokens"),
            "written": number(response, *details, "cache_write_tokens"),
            "output": number(response, "usage", "output_tokens"),
        }
