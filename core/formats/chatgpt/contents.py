"""What messages of ChatGPT's export say: contents of many types, to and from parts of core."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...messages.parts import DataPart, ImagePart, Part, TextPart, ThinkingPart
from ...values.frozen import thaw
from ..notes import Notes, merged, without

NOTES = Notes("chatgpt")
Row = dict[str, Any]
PARTS, THOUGHTS, DATA, NONE = "parts", "thoughts", "data", "none"
TEXT_KEYS = ("text", "content", "result")
"""The keys under which contents of one text have it."""
IMAGE = "image_asset_pointer"
WITHIN = "within"
"""The key of the notes that says where in a content the parts were."""


def read_content(row: Mapping[str, Any]) -> tuple[list[Row], Row]:
    """Return the parts of a message's content as core data, and what is to be noted of it."""
    content: Any = row.get("content")
    match content:
        case {"parts": list(items)}:
            return [_read_item(item) for item in items], _noted(content, PARTS)
        case {"thoughts": [_, *_] as thoughts} if all(map(_is_thought, thoughts)):
            return [_read_thought(thought) for thought in thoughts], _noted(content, THOUGHTS)
        case Mapping():
            key = next((key for key in TEXT_KEYS if isinstance(content.get(key), str)), None)
            if key is not None:
                return [{"type": "text", "text": content[key]}], _noted(content, key)
            return [_data(content)], {WITHIN: DATA}
    given = {"given": content} if "content" in row else {}
    return [], {WITHIN: NONE, **given}


def write_content(parts: Sequence[Part], noted: Row) -> Row | None:
    """Return the content entry of a message, or None where the parts don't fit what was noted."""
    where, rest = noted.get(WITHIN), without(noted, WITHIN)
    is_blank = not parts or list(parts) == [TextPart("")]
    match where:
        case "parts" if all(map(is_item, parts)):
            is_empty = noted.get("empty") and is_blank
            items = [] if is_empty else [_write_item(part) for part in parts]
            return {"content": merged({PARTS: items}, without(rest, "empty"))}
        case "thoughts" if parts and all(isinstance(part, ThinkingPart) for part in parts):
            return {"content": merged({THOUGHTS: list(map(_write_thought, parts))}, rest)}
        case "data" if len(parts) == 1 and isinstance(parts[0], DataPart):
            return {"content": thaw(parts[0].data)}
        case "none" if is_blank:
            return {"content": rest["given"]} if "given" in rest else {}
        case "text" | "content" | "result":
            if len(parts) == 1 and isinstance(parts[0], TextPart):
                return {"content": merged({where: parts[0].text}, rest)}
    return None


def usual_content(parts: Sequence[Part]) -> Row:
    """Return the content of parts that came from elsewhere: text and images, or thinking."""
    if parts and isinstance(parts[0], ThinkingPart):
        noted = {WITHIN: THOUGHTS, "content_type": THOUGHTS}
    else:
        plain = all(isinstance(part, TextPart) for part in parts)
        noted = {WITHIN: PARTS, "content_type": "text" if plain else "multimodal_text"}
    return write_content(parts, noted) or {}


def is_item(part: Part) -> bool:
    """Tell whether a part is one of those that stand in a list of parts."""
    if isinstance(part, DataPart):
        return NOTES.is_in(part.metadata)
    return isinstance(part, TextPart | ImagePart)


def _noted(content: Mapping[str, Any], key: str) -> Row:
    empty = {"empty": True} if content[key] == [] else {}
    return {WITHIN: key, **empty, **without(content, key, WITHIN, "empty")}


def _read_item(item: Any) -> Row:
    match item:
        case str():
            return {"type": "text", "text": item}
        case {"content_type": "image_asset_pointer", "asset_pointer": str(url)}:
            rest = without(item, "content_type", "asset_pointer")
            return {"type": "image", "image_url": {"url": url}, **NOTES.kept(rest)}
        case Mapping():
            return _data(item)
    return {"type": "data", "data": {"item": item}, "metadata": {NOTES.key: {"is": "item"}}}


def _write_item(part: Part) -> Any:
    notes = NOTES.of(part.metadata)
    match part:
        case TextPart():
            return part.text
        case ImagePart():
            return merged({"content_type": IMAGE, "asset_pointer": part.url}, notes)
        case DataPart():
            data = thaw(part.data)
            return data.get("item") if notes.get("is") == "item" else data
    raise AssertionError("only parts that stand in a list are written")


def _data(content: Mapping[str, Any]) -> Row:
    return {"type": "data", "data": content, "metadata": {NOTES.key: {}}}


def _is_thought(thought: object) -> bool:
    return isinstance(thought, Mapping) and isinstance(thought.get("content"), str)


def _read_thought(thought: Mapping[str, Any]) -> Row:
    metadata = {NOTES.key: without(thought, "content")}
    return {"type": "thinking", "thinking": {"text": thought["content"]}, "metadata": metadata}


def _write_thought(part: Part) -> Row:
    text = part.text if isinstance(part, ThinkingPart) else ""
    is_own = NOTES.is_in(part.metadata)
    return merged({"content": text}, NOTES.of(part.metadata) if is_own else {"summary": ""})
