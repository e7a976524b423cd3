"""Agent Framework's messages as JSON data, to and from core messages, one for one."""

from __future__ import annotations

from collections.abc import Mapping
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
from ..formats.fields import core_role
from ..formats.format_metadata import FormatMetadata, merged, without
from ..formats.json_text import arguments_text
from ..values.frozen import thaw
from .message_map import read_arguments

NOTES = FormatMetadata("agent_framework")
Row = dict[str, Any]
PROPERTIES = "additional_properties"


def read_row(row: Mapping[str, Any]) -> Message:
    """Return the message of a row, without the framework's own annotations."""
    content = [_read_content(one) for one in row["contents"]] or [{"type": "text", "text": ""}]
    notes = _noted(without(row, "type", "role", "contents"))
    role = core_role(row["role"])
    if role != row["role"]:
        notes["role"] = row["role"]
    return Message.from_dict({"role": role, "content": content, **NOTES.entry(notes)})


def _noted(row: Row) -> Row:
    """Return metadata without the annotations of a compaction, which change from call to call."""
    given = row.get(PROPERTIES) or {}
    kept = {key: value for key, value in given.items() if not key.startswith("_")}
    return {**without(row, PROPERTIES), **({PROPERTIES: kept} if kept else {})}


def _read_content(content: Row) -> Row:
    notes = _noted(content)
    match content:
        case {"type": "text", "text": str(text)}:
            return {"type": "text", "text": text, **_kept(notes, "type", "text")}
        case {"type": "text_reasoning"}:
            thought = {"text": content.get("text") or ""}
            return {"type": "thinking", "thinking": thought, **_kept(notes, "type", "text")}
        case {"type": "uri" | "data", "uri": str(uri), "media_type": str(media)} if (
            media.startswith("image/")
        ):
            return {"type": "image", "image_url": {"url": uri}, **_kept(notes, "uri")}
        case {"type": "function_call", "call_id": str(id), "name": str(name)}:
            use = {"id": id, "name": name, "input": read_arguments(content.get("arguments"))}
            return {"type": "tool_use", "tool_use": use, **_kept(notes, "type", "call_id", "name")}
        case {"type": "function_result", "call_id": str(id)}:
            kept = _kept(notes, "type", "call_id", "result", "items")
            return {"type": "tool_result", "tool_result": _read_result(content, id), **kept}
    return {"type": "data", "data": content}


def _kept(notes: Row, *known: str) -> Row:
    return NOTES.entry(without(notes, *known))


def _read_result(content: Row, id: str) -> Row:
    result: Row = {"tool_use_id": id, "content": content.get("result") or ""}
    items = content.get("items") or []
    if len(items) > 1 or any(item.get("type") != "text" for item in items):
        parts = [_read_content(item) for item in items]
        result["content"] = [
            part if part["type"] in ("text", "image", "data") else {"type": "data", "data": item}
            for part, item in zip(parts, items, strict=True)
        ]
    if content.get("exception") is not None:
        result["is_error"] = True
    return result


def write_row(message: Message) -> Row:
    """Return the row of a message."""
    notes = NOTES.of(message.metadata)
    contents = [_write_content(part) for part in message.parts]
    return merged({"role": notes.get("role", message.role), "contents": contents}, notes)


def _write_content(part: Part) -> Row:
    notes = NOTES.of(part.metadata)
    match part:
        case TextPart():
            return merged({"type": "text", "text": part.text}, notes)
        case ThinkingPart():
            return merged({"type": "text_reasoning", "text": part.text}, notes)
        case ImagePart():
            type = "data" if part.url.startswith("data:") else "uri"
            return {"type": type, "media_type": "image/*", **notes, "uri": part.url}
        case ToolUsePart():
            value, noted = thaw(part.input), notes.get("arguments")
            is_same = "arguments" in notes and read_arguments(noted) == value
            row = {"type": "function_call", "call_id": part.id, "name": part.name}
            return merged({**row, "arguments": noted if is_same else arguments_text(value)}, notes)
        case ToolResultPart():
            return merged(_write_result(part), notes)
        case DataPart():
            data: Row = thaw(part.data)
            return data


def _write_result(part: ToolResultPart) -> Row:
    inner = (TextPart(part.content),) if isinstance(part.content, str) else part.content
    text = "\n".join(one.text for one in inner if isinstance(one, TextPart) and one.text)
    items = [_write_content(one) for one in inner]
    failed = {"exception": "FunctionInvocationError"} if part.is_error else {}
    row = {"type": "function_result", "call_id": part.tool_use_id, "result": text}
    return {**row, "items": items, **failed}
