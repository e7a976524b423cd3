"""Messages of an Inspect sample as core messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...errors import not_a
from ...messages.message import Message
from ..notes import Notes, without
from ..roles import ROLES, core_role
from ..rows import read_rows
from ..warnings import WarningCollector, as_role, bare, kept_keys

NOTES = Notes("inspect")
IN_RESULTS = ("text", "image", "data")
Data = dict[str, Any]


def read_sample_messages(rows: Sequence[object], warnings: WarningCollector) -> list[Message]:
    """Return core messages; a bad one is left out and told, and refused if there is no other."""
    return read_rows(rows, lambda row, place: _read(row, place, warnings), warnings)


def _read(row: object, place: int, warnings: WarningCollector) -> Message:
    if not isinstance(row, Mapping) or not isinstance(row.get("role"), str):
        raise not_a("message", row, "an object with a role")
    role = core_role(row["role"])
    if row["role"] not in ROLES:
        warnings.add("role-read-as", place, as_role(row["role"], role))
    notes = without(row, "role", "content")
    fields: Data = {"role": role}
    if isinstance(notes.get("id"), str):
        fields["id"] = notes.pop("id")
    parts = _read_parts(row.get("content"), place, warnings)
    if role == "tool" and isinstance(notes.get("tool_call_id"), str):
        parts = [_result(notes, row.get("content"), parts)]
    elif role == "assistant":
        parts += _calls(notes, place, warnings)
    notes = {key: value for key, value in notes.items() if value not in (None, [], {})}
    if notes:
        warnings.add("keys-kept", place, *kept_keys(NOTES.key, notes))
    fields["content"] = parts or [{"type": "text", "text": ""}]
    return Message.from_dict({**fields, **NOTES.kept(notes)})


def _read_parts(content: object, place: int, warnings: WarningCollector) -> list[Data]:
    match content:
        case None | "":
            return []
        case str():
            return [{"type": "text", "text": content}]
        case list():
            return [_read_part(part, i, place, warnings) for i, part in enumerate(content)]
    raise not_a("content", content, "text or a list of parts")


def _read_part(part: Any, index: int, place: int, warnings: WarningCollector) -> Data:
    match part:
        case {"type": "text", "text": str(text)}:
            return {"type": "text", "text": text, **NOTES.kept(without(part, "type", "text"))}
        case {"type": "image", "image": str(url)}:
            rest = NOTES.kept(without(part, "type", "image"))
            return {"type": "image", "image_url": {"url": url}, **rest}
        case {"type": "reasoning", "reasoning": str(text)}:
            signature = part.get("signature")
            signed = {"signature": signature} if isinstance(signature, str) else {}
            rest = NOTES.kept(without(part, "type", "reasoning", "signature"))
            return {"type": "thinking", "thinking": {"text": text, **signed}, **rest}
        case Mapping():
            told = bare(part.get("type"))
            warnings.add("part-kept-as-data", place, told)
            return {"type": "data", "data": part, "metadata": {NOTES.key: {}}}
    raise not_a(f"content[{index}]", part, "an object with a type")


def _calls(notes: Data, place: int, warnings: WarningCollector) -> list[Data]:
    """Return the calls of a message, if each has an id and a function; they leave its notes."""
    calls = notes.get("tool_calls")
    if not isinstance(calls, list):
        return []
    found = [call for call in calls if _is_call(call)]
    if len(found) < len(calls):
        warnings.add("call-unreadable", place)
        return []
    del notes["tool_calls"]
    return [
        {
            "type": "tool_use",
            "tool_use": {
                "id": call["id"],
                "name": call["function"],
                "input": call.get("arguments", {}),
            },
            **NOTES.kept(without(call, "id", "function", "arguments", "type")),
        }
        for call in found
    ]


def _is_call(call: object) -> bool:
    match call:
        case {"id": str(), "function": str()}:
            return True
    return False


def _result(notes: Data, content: object, parts: list[Data]) -> Data:
    """Return the result of a call; where the tool failed, it says why if it says nothing else."""
    result: Data = {"tool_use_id": notes.pop("tool_call_id"), "content": content or ""}
    if isinstance(content, list):
        result["content"] = [
            part if part["type"] in IN_RESULTS else _as_data(given)
            for part, given in zip(parts, content, strict=True)
        ]
    error = notes.get("error")
    if isinstance(error, Mapping):
        result["is_error"] = True
        if not result["content"] and isinstance(error.get("message"), str):
            result["content"] = error["message"]
    return {"type": "tool_result", "tool_result": result}


def _as_data(part: Data) -> Data:
    return {"type": "data", "data": part, "metadata": {NOTES.key: {}}}
