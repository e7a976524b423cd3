"""Reads items as core messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ...errors import Refused, not_a
from ...messages.message import Message
from ...messages.parts import read_part
from ..blocks.turns import BLANK
from ..chat.calls import BROKEN, GIVEN_NOT, GIVEN_VALUE, arguments_text, parsed
from ..chat.content import ABSENT, LIST, NULL, TEXT, form_of
from ..notes import without
from ..roles import core_role
from ..warnings import WarningCollector, as_role, bare, without_values
from .shapes import (
    CALLS,
    FUNCTION,
    KEPT_AS_DATA,
    NAMED,
    NOTES,
    OUTPUT,
    RESULTS,
    PartData,
    read_content,
    thought,
)

ITEM = {"item": True}
"""The note of a part that is an item of its own."""


class Given(NamedTuple):
    """An item, its place, and what else is to be kept with it, by the key of its format."""

    item: object
    place: int
    beside: Mapping[str, Any] = {}


def read_items(
    given: Iterable[Given], warnings: WarningCollector
) -> tuple[list[Message], list[Given]]:
    """Return core messages, and the items that can't be read, which are told."""
    reader = _Reader(warnings)
    bad = []
    for one in given:
        try:
            reader.read(one)
        except Refused as refusal:
            warnings.add("item-unreadable", one.place, without_values(refusal))
            bad.append(one)
    reader.close()
    return reader.messages, bad


class _Reader:
    """Gathers what the assistant says in a row, until somebody else says something."""

    def __init__(self, warnings: WarningCollector) -> None:
        self.messages: list[Message] = []
        self._warnings = warnings
        self._parts: list[PartData] = []
        self._metadata: dict[str, Any] = {}
        self._is_text = False
        self._has_message = False

    def read(self, given: Given) -> None:
        """Take the next item."""
        item = given.item
        if not isinstance(item, Mapping):
            raise not_a("item", item, "an object with a type or a role")
        if isinstance(item.get("role"), str) and item.get("type", "message") == "message":
            self._read_message(item, given)
        elif item.get("type") in RESULTS and isinstance(item.get("call_id"), str):
            part = self._read_result(item, given.place)
            if part is None:
                self._add(self._as_data(item, given), given)
            else:
                message = {"role": "tool", "content": [_with(part, given.beside)]}
                self._emit(message)
        else:
            self._add(self._read_part(item, given), given)

    def close(self) -> None:
        """Finish the message of what the assistant said last."""
        if not self._parts:
            return
        content: Any = self._parts
        notes = dict(self._metadata)
        if self._is_text and len(content) == 1:
            content = content[0]["text"]
        elif self._is_text:
            notes[NOTES.key] = {**notes.get(NOTES.key, {}), "content": TEXT}
        self._parts, self._metadata = [], {}
        self._is_text = self._has_message = False
        more = {"metadata": notes} if notes else {}
        self.messages.append(Message.from_dict({"role": "assistant", "content": content, **more}))

    def _emit(self, message: dict[str, Any]) -> None:
        made = Message.from_dict(message)
        self.close()
        self.messages.append(made)

    def _add(self, part: PartData, given: Given) -> None:
        part = _with(part, given.beside)
        read_part(part, "item")
        self._parts.append(part)

    def _read_message(self, item: Mapping[str, Any], given: Given) -> None:
        role = core_role(item["role"])
        notes = without(item, "role", "content", "type")
        if "type" not in item:
            notes["type"] = ABSENT
        if item["role"] != role or role == "tool":
            notes["role"] = item["role"]
            if item["role"] != "developer":
                self._warnings.add("role-read-as", given.place, as_role(item["role"], role))
        form, content = form_of(item), item.get("content")
        if not content:
            notes["content"] = form
            content = BLANK
        elif isinstance(content, list):
            content = read_content(content, role, given.place, self._warnings)
            if role == "assistant" and len(content) == 1:
                notes["content"] = LIST
        metadata = {**({NOTES.key: notes} if notes else {}), **given.beside}
        more = {"metadata": metadata} if metadata else {}
        message = {"role": role, "content": content, **more}
        if role != "assistant" or content is BLANK:
            self._emit(message)
            return
        Message.from_dict(message)
        if self._has_message:
            self.close()
        self._has_message, self._is_text = True, isinstance(content, str)
        self._metadata = metadata
        self._parts += [{"type": "text", "text": content}] if self._is_text else content

    def _read_part(self, item: Mapping[str, Any], given: Given) -> PartData:
        type = item.get("type")
        if type == "reasoning":
            kept = {NOTES.key: without(item, "type")}
            return {"type": "thinking", "thinking": {"text": thought(item)}, "metadata": kept}
        is_call = isinstance(type, str) and type in CALLS and isinstance(item.get("call_id"), str)
        if is_call and (type not in NAMED or isinstance(item.get("name"), str)):
            return self._read_call(item, given.place)
        return self._as_data(item, given)

    def _as_data(self, item: Mapping[str, Any], given: Given) -> PartData:
        self._warnings.add(KEPT_AS_DATA, given.place, bare(item.get("type")))
        return {"type": "data", "data": item, "metadata": {NOTES.key: ITEM}}

    def _read_call(self, item: Mapping[str, Any], place: int) -> PartData:
        type: str = item["type"]
        key = CALLS[type]
        is_named = type in NAMED
        notes = without(item, "type", "call_id", key, *(("name",) if is_named else ()))
        value = item.get(key, {})
        if key not in item:
            notes[key] = GIVEN_NOT
        elif type == FUNCTION and not isinstance(value, str):
            notes[key] = GIVEN_VALUE
        elif type == FUNCTION:
            is_json, value = parsed(item[key])
            if not is_json:
                self._warnings.add(BROKEN, place)
            if arguments_text(value) != item[key]:
                notes[key] = item[key]
        if type != FUNCTION:
            notes["type"] = type
        name = item["name"] if is_named else type.removesuffix("_call")
        use = {"id": item["call_id"], "name": name, "input": value}
        return {"type": "tool_use", "tool_use": use, **NOTES.kept(notes)}

    def _read_result(self, item: Mapping[str, Any], place: int) -> PartData | None:
        notes = without(item, "type", "call_id", "output")
        output = item.get("output")
        if item["type"] != FUNCTION + OUTPUT:
            notes["type"] = item["type"]
        if output is None:
            notes["output"] = NULL if "output" in item else ABSENT
            output = ""
        elif isinstance(output, Mapping):
            notes["output"] = GIVEN_VALUE
            output = [{"type": "data", "data": output}]
        elif isinstance(output, list):
            output = read_content(output, "tool", place, self._warnings)
        elif not isinstance(output, str):
            return None
        result = {"tool_use_id": item["call_id"], "content": output}
        return {"type": "tool_result", "tool_result": result, **NOTES.kept(notes)}


def _with(part: PartData, beside: Mapping[str, Any]) -> PartData:
    """Return a part with what is to be kept beside it."""
    return {**part, "metadata": {**part.get("metadata", {}), **beside}} if beside else part
