"""Pydantic AI's model messages as JSON data, to and from core messages.

A response is one message. Each part of a request is a message of its own: a prompt, a question of
the user and tool results are in one request, and a policy may separate them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..engine.messages import (
    DataPart,
    ImagePart,
    Message,
    Part,
    TextPart,
    ThinkingPart,
    ToolResultPart,
    ToolUsePart,
)
from ..formats.format_metadata import FormatMetadata, merged, without
from ..formats.json_text import arguments_text, dump_json
from ..values.frozen import thaw
from .message_map import read_arguments

NOTES = FormatMetadata("pydantic_ai")
Row = dict[str, Any]
ERRORS = ("failed", "retried")
"""Outcomes of a tool that failed."""
NO_NAME = "tool"
"""The name of a tool that a result does not name."""
BLANK = [{"type": "text", "text": ""}]


def read_row(row: Mapping[str, Any]) -> list[Message]:
    """Return the messages of a request or a response, one at least."""
    parts = row["parts"]
    if row["kind"] == "response":
        content = [_read_response_part(part) for part in parts] or BLANK
        notes = NOTES.entry(without(row, "parts"))
        return [Message.from_dict({"role": "assistant", "content": content, **notes})]
    messages = [_read_request_part(part) for part in parts]
    return messages or [Message.from_dict({"role": "user", "content": BLANK})]


def _read_request_part(part: Row) -> Message:
    match part:
        case {"part_kind": "system-prompt", "content": str(text)}:
            role, content = "system", _text(text)
        case {"part_kind": "user-prompt", "content": str(text)}:
            role, content = "user", _text(text)
        case {"part_kind": "user-prompt", "content": [*items]}:
            role, content = "user", [_read_item(item) for item in items] or BLANK
        case {"tool_call_id": str(id), "tool_name": str(), "content": given}:
            role, content = "tool", [_read_result(part, id, given)]
        case _:
            role, content = "user", [{"type": "data", "data": part}]
    notes = NOTES.entry(without(part, "content", "tool_call_id"))
    return Message.from_dict({"role": role, "content": content, **notes})


def _text(text: str) -> Any:
    return text or BLANK


def _read_item(item: Any) -> Row:
    match item:
        case str(text):
            return {"type": "text", "text": text}
        case {"kind": "image-url", "url": str(url)}:
            notes = NOTES.entry(without(item, "url"))
            return {"type": "image", "image_url": {"url": url}, **notes}
    return {"type": "data", "data": item if isinstance(item, dict) else {"content": item}}


def _read_result(part: Row, id: str, given: Any) -> Row:
    is_text = isinstance(given, str)
    result = {"tool_use_id": id, "content": given if is_text else dump_json(given)}
    if part.get("outcome") in ERRORS or part.get("part_kind") == "retry-prompt":
        result["is_error"] = True
    notes = {} if is_text else NOTES.entry({"content": given})
    return {"type": "tool_result", "tool_result": result, **notes}


def _read_response_part(part: Row) -> Row:
    match part:
        case {"part_kind": "text", "content": str(text)}:
            return {"type": "text", "text": text, **NOTES.entry(without(part, "content"))}
        case {"part_kind": "thinking", "content": str(text)}:
            signature = part.get("signature")
            signed = {"signature": signature} if isinstance(signature, str) else {}
            notes = NOTES.entry(without(part, "content", *signed))
            return {"type": "thinking", "thinking": {"text": text, **signed}, **notes}
        case {"part_kind": "tool-call", "tool_name": str(name), "tool_call_id": str(id)}:
            value = read_arguments(part.get("args"))
            notes = NOTES.entry(without(part, "tool_name", "tool_call_id"))
            use = {"id": id, "name": name, "input": value}
            return {"type": "tool_use", "tool_use": use, **notes}
    return {"type": "data", "data": part}


def write_row(message: Message) -> Row:
    """Return the request or the response that a message is."""
    if message.role == "assistant":
        notes = without(NOTES.of(message.metadata), "parts")
        parts = [row for part in message.parts for row in _response_rows(part)]
        return {**notes, "kind": "response", "parts": parts}
    return {"kind": "request", "parts": _request_rows(message)}


def _response_rows(part: Part) -> list[Row]:
    notes = NOTES.of(part.metadata)
    match part:
        case TextPart():
            return [merged({"part_kind": "text", "content": part.text}, notes)]
        case ThinkingPart():
            row: Row = {"part_kind": "thinking", "content": part.text, "signature": part.signature}
            return [merged(row, notes)]
        case ToolUsePart():
            return [_call_row(part, notes)]
        case DataPart() if "part_kind" in part.data:
            return [thaw(part.data)]
    return []


def _call_row(part: ToolUsePart, notes: Row) -> Row:
    value, noted = thaw(part.input), notes.get("args")
    is_same = "args" in notes and read_arguments(noted) == value
    args = value if isinstance(value, dict) else arguments_text(value)
    row = {"part_kind": "tool-call", "tool_name": part.name, "tool_call_id": part.id}
    return merged({**row, "args": noted if is_same else args}, notes)


def _request_rows(message: Message) -> list[Row]:
    """Return the parts of a request: one for the text, one for each result."""
    rows: list[Row] = []
    said: list[Part] = []
    notes = NOTES.of(message.metadata)
    for part in message.parts:
        match part:
            case ToolResultPart():
                rows.append(_result_row(part, notes))
            case DataPart() if "part_kind" in part.data:
                rows.append(thaw(part.data))
            case _:
                said.append(part)
    if not said:
        return rows
    if message.role == "system":
        return [merged({"part_kind": "system-prompt", "content": message.text}, notes), *rows]
    kept = notes if notes.get("part_kind") == "user-prompt" else {}
    return [*rows, merged({"part_kind": "user-prompt", "content": _items(said)}, kept)]


def _items(parts: Sequence[Part]) -> Any:
    items: list[Any] = []
    for part in parts:
        match part:
            case TextPart():
                items.append(part.text)
            case ImagePart():
                url = {"kind": "image-url", "url": part.url}
                items.append(merged(url, NOTES.of(part.metadata)))
            case DataPart():
                items.append(thaw(part.data))
    return items[0] if len(items) == 1 and isinstance(items[0], str) else items


def _result_row(part: ToolResultPart, notes: Row) -> Row:
    inner = (part,) if isinstance(part.content, str) else part.content
    text = "\n".join(one.text for one in inner if isinstance(one, TextPart))
    given: Any = part.content if isinstance(part.content, str) else text
    noted = NOTES.of(part.metadata).get("content")
    row = {
        "part_kind": "tool-return",
        "tool_name": notes.get("tool_name", NO_NAME),
        "tool_call_id": part.tool_use_id,
        "content": noted if noted is not None and dump_json(noted) == given else given,
        "outcome": notes.get("outcome", "retried" if part.is_error else "success"),
    }
    return merged(row, notes if notes.get("part_kind") == "tool-return" else {})
