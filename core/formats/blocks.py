"""Content blocks: text, thinking, pictures, calls and results; all others are kept as data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
from ..errors import Refused, wrong_type
from ..values.frozen import thaw
from ..values.models import Role
from .chat import EMPTY_LIST, LIST, TEXT, form_of
from .fields import core_role, is_object
from .notes import Notes, inner, merged, without
from .warnings import WarningCollector, bare

NOTES = Notes("anthropic")
ABSENT = "absent"
NULL = "null"
OWN_TYPES = (
    *("redacted_thinking", "document", "search_result", "container_upload", "tool_reference"),
    *("server_tool_use", "mcp_tool_use", "mcp_tool_result", "web_search_tool_result"),
    *("web_fetch_tool_result", "code_execution_tool_result", "bash_code_execution_tool_result"),
    *("text_editor_code_execution_tool_result", "tool_search_tool_result", "compaction"),
)
"""Blocks that core has no part for; they are held as data."""
KEPT_AS_DATA = "part-kept-as-data"
INSIDE_RESULTS = ("text", "image", "data")
BASE64 = ";base64,"

Block = Mapping[str, Any]
PartData = dict[str, Any]


def read_blocks(blocks: Sequence[object], place: int, warnings: WarningCollector) -> list[PartData]:
    """Return content blocks as the data of core parts; refuse what is no block at all."""
    return [_read_block(block, i, place, warnings) for i, block in enumerate(blocks)]


def _read_block(block: object, index: int, place: int, warnings: WarningCollector) -> PartData:
    if not is_object(block):
        raise wrong_type(f"content[{index}]", block, "an object with a type")
    match block:
        case {"type": "text", "text": str(text)}:
            return {"type": "text", "text": text, **NOTES.kept(without(block, "type", "text"))}
        case {"type": "thinking", "thinking": str(text)}:
            return _read_thinking(block, text)
        case {"type": "tool_use", "id": str(id), "name": str(name)}:
            notes = without(block, "type", "id", "name", "input")
            if "input" not in block:
                notes["input"] = ABSENT
            use = {"id": id, "name": name, "input": block.get("input", {})}
            return {"type": "tool_use", "tool_use": use, **NOTES.kept(notes)}
    found = None
    match block:
        case {"type": "tool_result", "tool_use_id": str()}:
            found = _read_result(block, place, warnings)
        case {"type": "image", "source": {"type": str()}}:
            found = _read_image(block)
    if found is not None:
        return found
    warnings.add(KEPT_AS_DATA, place, bare(block.get("type")))
    return {"type": "data", "data": block, "metadata": {NOTES.key: {}}}


def _read_thinking(block: Block, text: str) -> PartData:
    notes = without(block, "type", "thinking")
    thought = {"text": text}
    if isinstance(block.get("signature"), str):
        thought["signature"] = notes.pop("signature")
    return {"type": "thinking", "thinking": thought, **NOTES.kept(notes)}


def _read_result(block: Block, place: int, warnings: WarningCollector) -> PartData | None:
    notes = without(block, "type", "tool_use_id", "content")
    content = block.get("content")
    if content is None:
        notes["content"] = NULL if "content" in block else ABSENT
        content = ""
    elif isinstance(content, list):
        content = read_blocks(content, place, warnings)
        if any(part["type"] not in INSIDE_RESULTS for part in content):
            return None
    elif not isinstance(content, str):
        return None
    result = {"tool_use_id": block["tool_use_id"], "content": content}
    if isinstance(block.get("is_error"), bool):
        result["is_error"] = notes.pop("is_error")
    return {"type": "tool_result", "tool_result": result, **NOTES.kept(notes)}


def _read_image(block: Block) -> PartData | None:
    """Return a picture that has an address; one that lies at the provider has none."""
    source = block["source"]
    match source:
        case {"type": "base64", "media_type": str(kind), "data": str(data)}:
            url = f"data:{kind}{BASE64}{data}"
        case {"type": "url", "url": str(url)}:
            pass
        case _:
            return None
    usual = _source(url)
    if any(source.get(key) != value for key, value in usual.items()):
        return None
    notes = without(block, "type", "source")
    if len(source) > len(usual):
        notes["source"] = without(source, *usual)
    return {"type": "image", "image_url": {"url": url}, **NOTES.kept(notes)}


def _source(url: str) -> dict[str, str]:
    """Return the source of a picture: what is in the address itself, or the address."""
    if url.startswith("data:"):
        kind, sign, data = url.removeprefix("data:").partition(BASE64)
        if sign:
            return {"type": "base64", "media_type": kind, "data": data}
    return {"type": "url", "url": url}


def holds(part: Part) -> bool:
    """Tell whether there is a block for a part."""
    if isinstance(part, DataPart):
        return NOTES.is_in(part.metadata) or part.data.get("type") in OWN_TYPES
    return True


def write_blocks(parts: Iterable[Part]) -> list[dict[str, Any]]:
    """Return the blocks of all parts that there are blocks for."""
    return [_write_block(part) for part in parts if holds(part)]


def _write_block(part: Part) -> dict[str, Any]:
    notes = NOTES.of(part.metadata)
    match part:
        case TextPart():
            return merged({"type": "text", "text": part.text}, notes)
        case ThinkingPart():
            row = {"type": "thinking", "thinking": part.text}
            if part.signature is not None:
                row["signature"] = part.signature
            return merged(row, notes)
        case ImagePart():
            source = merged(_source(part.url), inner(notes, "source"))
            return merged({"type": "image", "source": source}, notes)
        case ToolUsePart():
            return _write_use(part, notes)
        case ToolResultPart():
            return _write_result(part, notes)
    data: dict[str, Any] = thaw(part.data)
    return data


def _write_use(part: ToolUsePart, notes: dict[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = {"type": "tool_use", "id": part.id, "name": part.name}
    if notes.pop("input", None) != ABSENT or part.input != {}:
        row["input"] = thaw(part.input)
    return merged(row, notes)


def _write_result(part: ToolResultPart, notes: dict[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = {"type": "tool_result", "tool_use_id": part.tool_use_id}
    form = notes.pop("content", None)
    if isinstance(part.content, tuple):
        row["content"] = write_blocks(part.content)
    elif part.content or form not in (ABSENT, NULL):
        row["content"] = part.content
    elif form == NULL:
        row["content"] = None
    if part.is_error is not None:
        row["is_error"] = part.is_error
    return merged(row, notes)


EMPTY: dict[str, dict[str, Any]] = {
    ABSENT: {},
    NULL: {"content": None},
    TEXT: {"content": ""},
    EMPTY_LIST: {"content": []},
}
"""What an empty message may have been, by the name of its form."""
BLANK = [{"type": "text", "text": ""}]


def read_turn(
    row: Mapping[str, Any], place: int, warnings: WarningCollector
) -> tuple[Role, str | list[dict[str, Any]], str | None]:
    """Return the role and the content of a message, and the form of an empty one.

    A user's message of results alone is a tool's: that is what tells them apart in every other
    format.
    """
    role = row.get("role")
    if not isinstance(role, str):
        raise _no_role(row)
    form = form_of(row)
    content = row.get("content")
    if form not in (TEXT, LIST) or not content:
        return core_role(role), BLANK, form
    if isinstance(content, str):
        return core_role(role), content, None
    parts = read_blocks(content, place, warnings)
    if role == "user" and all(part["type"] == "tool_result" for part in parts):
        return "tool", parts, None
    return core_role(role), parts, None


def _no_role(row: Mapping[str, Any]) -> Refused:
    if "role" not in row:
        return Refused("the message has no role", field="role", legal="user, assistant")
    return wrong_type("role", row["role"], "user or assistant")


def write_content(message: Message, form: object) -> dict[str, Any]:
    """Return the content entry of a message; an empty one in the form it had."""
    if isinstance(message.content, str):
        return {"content": message.content}
    if is_blank(message.content) and isinstance(form, str) and form in EMPTY:
        return EMPTY[form]
    return {"content": write_blocks(message.content) or ""}


def is_blank(parts: tuple[Part, ...]) -> bool:
    """Tell whether parts are what an empty message is read as."""
    return len(parts) == 1 and parts[0] == TextPart("")


def left_out_of(message: Message, raw: int, warnings: WarningCollector) -> None:
    """Note the parts of a message that there are no blocks for, and what is noted of them."""
    is_mixed = not all(isinstance(part, ToolResultPart) for part in message.parts)
    if message.role == "tool" and is_mixed and "role" not in NOTES.of(message.metadata):
        warnings.add("tool-becomes-user", raw)
    for part in message.parts:
        _tell(part, raw, warnings)


def _tell(part: Part, raw: int, warnings: WarningCollector) -> None:
    if NOTES.has_others(part.metadata):
        warnings.add("metadata-left-out", raw)
    if not holds(part):
        warnings.add("part-left-out", raw, part.type)
    if isinstance(part, ToolResultPart) and isinstance(part.content, tuple):
        for inside in part.content:
            _tell(inside, raw, warnings)
