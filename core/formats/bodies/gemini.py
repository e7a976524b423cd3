"""Bodies of Gemini: contents, beside an instruction in either spelling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...errors import Refused, not_a
from ...messages.message import Message
from ...requests.asked import PROMPT
from ..gemini.format import ContentReader, ContentWriter
from ..gemini.functions import read_functions
from ..gemini.parts import CAMEL
from ..notes import without
from ..objects import is_object
from ..tools import META_KEY
from .wire import Body, Given, Row, Split, Wire, number, prompt_of, rows_of

LIST = "contents"
SYSTEMS = ("systemInstruction", "system_instruction")
NAMELESS = ("functionCall", "function_call", "functionResponse", "function_response")


class Gemini(Wire):
    """What generateContent takes."""

    kind = "gemini"

    def split(self, body: Body) -> Split:
        """Return the instruction, if it is one of texts, and a message for each content."""
        rows = body.get(LIST)
        if not isinstance(rows, list):
            raise not_a(LIST, rows, "a list of contents with parts")
        beside, form = without(body, LIST), {}
        given = [Given([row]) for row in rows]
        for key in SYSTEMS:
            if body.get(key) and ContentReader(CAMEL).system(body[key]):
                given.insert(0, Given([beside.pop(key)], PROMPT))
                form = {PROMPT: key}
                break
        return Split(given, form, beside)

    def joined(self, given: Sequence[Given], form: Body) -> Row:
        """Return instruction and contents."""
        prompt, key = prompt_of(given), form.get(PROMPT)
        name = key if isinstance(key, str) else SYSTEMS[0]
        return {**({} if prompt is None else {name: prompt}), LIST: rows_of(given)}

    def read(self, given: Given) -> Message:
        """Return the message of a content or of the instruction."""
        reader = ContentReader(CAMEL)
        if given.place == PROMPT:
            return reader.system(given.rows[0])[0]
        return reader.read(given.rows[0], 0)

    def write(self, message: Message, place: str) -> list[Any]:
        """Return the content of a message, or the instruction."""
        writer = ContentWriter(CAMEL, {})
        writer.write(0, message)
        return list(writer.system.values()) if place == PROMPT else list(writer.rows)

    def needs_others(self, given: Given) -> bool:
        """Tell whether a call or a response has no id."""
        row = given.rows[0]
        parts = row.get("parts") if is_object(row) else None
        bodies = (
            part[key]
            for part in (parts if isinstance(parts, list) else ())
            if is_object(part)
            for key in NAMELESS
            if key in part
        )
        return any(is_object(body) and not isinstance(body.get("id"), str) for body in bodies)

    def read_all(self, given: Sequence[Given]) -> list[Message]:
        """Return the messages of all contents, or none where one is bad."""
        reader = ContentReader(CAMEL)
        try:
            return [reader.read(one.rows[0], place) for place, one in enumerate(given)]
        except Refused:
            return []

    def answer(self, response: Body) -> list[Given]:
        """Return the content of the first candidate."""
        match response:
            case {"candidates": [{"content": Mapping() as content}, *_]}:
                return [Given([content])]
        return []

    def name(self, response: Body) -> object:
        """Return the id of an answer."""
        return response.get("responseId", response.get("response_id"))

    def described(self, tools: list[Any]) -> list[Row]:
        """Return tools in the shape that all formats share."""
        found: list[Row] = read_functions(tools, CAMEL)[0].get(META_KEY, [])
        return found

    def usage(self, response: Body) -> dict[str, Any]:
        """Return what was counted; what was cached is part of the input."""
        told = response.get("usageMetadata", response.get("usage_metadata"))
        counts = told if is_object(told) else {}
        said, thought = (
            number(counts, "candidatesTokenCount"),
            number(counts, "thoughtsTokenCount"),
        )
        return {
            "input": number(counts, "promptTokenCount"),
            "cached": number(counts, "cachedContentTokenCount"),
            "output": None if said is None and thought is None else (said or 0) + (thought or 0),
        }
