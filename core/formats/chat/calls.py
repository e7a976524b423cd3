"""Tool calls of chat messages: ``tool_calls`` of two types, and the older ``function_call``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ...errors import Refused, not_a
from ...messages.parts import ToolUsePart
from ...values.frozen import freeze, thaw
from ..json_text import read_json
from ..notes import Notes, inner, merged, without
from ..objects import is_object
from ..warnings import WarningCollector
from .dialect import Dialect

FUNCTION = "function"
CUSTOM = "custom"
LEGACY = "function_call"
GIVEN_VALUE = {"given": "value"}
GIVEN_NOT = {"given": "absent"}
MADE_ID = "made_id"
"""The note that a call had no id, and whether it had null instead."""
NO_ID = "call-id-made"
BROKEN = "arguments-not-json"


def read_calls(
    own: Notes, calls: object, message: int, warnings: WarningCollector
) -> list[dict[str, Any]]:
    """Return the calls of ``tool_calls`` as core data."""
    if not isinstance(calls, list):
        raise not_a("tool_calls", calls, "a list of tool calls")
    return [
        _read_call(own, _with_id(call, message, i, warnings), f"tool_calls[{i}]", message, warnings)
        for i, call in enumerate(calls)
    ]


def _with_id(call: object, message: int, place: int, warnings: WarningCollector) -> object:
    """Return a call that has an id; what it had instead is noted beside it."""
    if not is_object(call) or call.get("id") is not None:
        return call
    warnings.add(NO_ID, message)
    given = None if "id" in call else GIVEN_NOT
    return {**call, "id": f"call_{message}_{place}", MADE_ID: given}


def _read_call(
    own: Notes, call: object, where: str, message: int, warnings: WarningCollector
) -> dict[str, Any]:
    if not is_object(call):
        raise not_a(where, call, "an object with id and function")
    if not isinstance(call.get("id"), str):
        raise not_a(f"{where}.id", call.get("id"), "text")
    kind = call.get("type")
    if "type" in call and kind not in (FUNCTION, CUSTOM):
        raise not_a(f"{where}.type", kind, f"{FUNCTION} or {CUSTOM}")
    key = CUSTOM if kind == CUSTOM else FUNCTION
    notes = without(call, "id", "type", key)
    if kind != FUNCTION:
        notes["type"] = kind
    name, value, rest = read_body(own, call.get(key), key, f"{where}.{key}", message, warnings)
    if rest:
        notes[key] = rest
    use = {"id": call["id"], "name": name, "input": value}
    return {"type": "tool_use", "tool_use": use, **own.kept(notes)}


def read_legacy(
    own: Notes, body: Mapping[str, Any], id: str, message: int, warnings: WarningCollector
) -> dict[str, Any]:
    """Return a ``function_call`` as core data; it has no id of its own."""
    name, value, rest = read_body(own, body, FUNCTION, LEGACY, message, warnings)
    warnings.add(NO_ID, message)
    use = {"id": id, "name": name, "input": value}
    return {"type": "tool_use", "tool_use": use, **own.kept({"type": LEGACY, FUNCTION: rest})}


def read_body(
    own: Notes, body: object, key: str, where: str, message: int, warnings: WarningCollector
) -> tuple[str, Any, dict[str, Any]]:
    """Return the name, the input and what is to be noted of a call's inner object."""
    if not is_object(body):
        raise not_a(where, body, "an object with a name")
    if not isinstance(body.get("name"), str):
        raise not_a(f"{where}.name", body.get("name"), "text")
    given = "input" if key == CUSTOM else "arguments"
    rest = without(body, "name", given)
    text, value = body.get(given), body.get(given)
    if given not in body:
        value, rest[given] = {}, GIVEN_NOT
    elif not isinstance(text, str):
        if not _is_object(own, key):
            rest[given] = GIVEN_VALUE
    elif key != CUSTOM:
        is_json, value = parsed(text)
        if not is_json:
            warnings.add(BROKEN, message)
        if _is_object(own, key) or arguments_text(value) != text:
            rest[given] = text
    return body["name"], value, rest


def write_call(own: Notes, part: ToolUsePart) -> dict[str, Any]:
    """Return a call as an entry of ``tool_calls``."""
    notes = own.of(part.metadata)
    kind = notes.get("type", FUNCTION)
    key = CUSTOM if kind == CUSTOM else FUNCTION
    row: dict[str, Any] = {"id": part.id, "type": key}
    if MADE_ID in notes and is_made(part.id):
        row = {**({} if notes[MADE_ID] else {"id": None}), "type": key}
    if kind is None:
        del row["type"]
    row[key] = write_body(own, part, key, inner(notes, key))
    return merged(row, without(notes, "type", MADE_ID))


def is_made(id: str) -> bool:
    """Tell whether an id may be one that was made here."""
    return id.startswith("call_")


def is_legacy(own: Notes, part: ToolUsePart) -> bool:
    """Tell whether a call came as a ``function_call``."""
    return bool(own.of(part.metadata).get("type") == LEGACY)


def write_legacy(own: Notes, part: ToolUsePart) -> dict[str, Any]:
    """Return a call as the value of ``function_call``."""
    return write_body(own, part, FUNCTION, inner(own.of(part.metadata), FUNCTION))


def write_body(own: Notes, part: ToolUsePart, key: str, notes: dict[str, Any]) -> dict[str, Any]:
    """Return the inner object of a call, with what was noted of it."""
    given = "input" if key == CUSTOM else "arguments"
    noted = notes.pop(given, None)
    value: Any = thaw(part.input)
    row: dict[str, Any] = {"name": part.name}
    if noted == GIVEN_VALUE:
        row[given] = value
    elif noted != GIVEN_NOT or value != {}:
        if key == CUSTOM and isinstance(value, str):
            row[given] = value
        elif isinstance(noted, str) and _dumped(parsed(noted)[1]) == _dumped(value):
            row[given] = noted
        else:
            row[given] = value if _is_object(own, key) else arguments_text(value)
    return merged(row, notes)


def _is_object(own: Notes, key: str) -> bool:
    """Tell whether what a call is given stands there as it is, not as JSON text."""
    return isinstance(own, Dialect) and own.object_arguments and key != CUSTOM


def arguments_text(value: object) -> str:
    """Return an input as ``arguments``; a broken text stays as it came."""
    if isinstance(value, str) and not parsed(value)[0]:
        return value
    return _dumped(value)


ENCODER = json.JSONEncoder(ensure_ascii=False)
"""Made once, since calls come by the thousand and ``json.dumps`` would make one for each."""


def _dumped(value: object) -> str:
    return ENCODER.encode(value)


def parsed(text: str) -> tuple[bool, Any]:
    """Return whether a text is JSON that a message can hold, and its value or the text itself."""
    try:
        value = read_json(text)
        freeze(value, "arguments")
    except Refused:
        return False, text
    return True, value
