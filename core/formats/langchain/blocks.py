"""Blocks of a LangChain message's content: those of its own, and whatever a provider has."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ...errors import not_a
from ...messages.parts import DataPart, ImagePart, Part, TextPart, ThinkingPart
from ...values.frozen import thaw
from ..notes import Notes, inner, merged, without
from ..warnings import WarningCollector, bare

NOTES = Notes("langchain")
KEPT_AS_DATA = "part-kept-as-data"
BARE = "bare"
"""The noted type of a text that stands in the list without a block around it."""
BARE_URL = "bare image_url"
BY_URL = "image"
BY_DATA = {"image base64": "base64", "image data": "data"}
"""Pictures within the message, by the noted type: the key that has the bytes."""
MIME = r"[\w.+-]+/[\w.+-]+"
DATA_URL = re.compile(rf"data:({MIME});base64,(.*)", re.DOTALL)


def read_blocks(content: object, message: int, warnings: WarningCollector) -> list[dict[str, Any]]:
    """Return the parts of a content as core data; none for an empty one."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    if not isinstance(content, list):
        return []
    return [_read_block(block, i, message, warnings) for i, block in enumerate(content)]


def _read_block(block: Any, place: int, message: int, warnings: WarningCollector) -> dict[str, Any]:
    match block:
        case str():
            return {"type": "text", "text": block, **NOTES.kept({"type": BARE})}
        case {"type": "text", "text": str(text)}:
            return {"type": "text", "text": text, **NOTES.kept(without(block, "type", "text"))}
        case {"type": "thinking", "thinking": str(text)}:
            return _thinking(block, text, {})
        case {"type": "reasoning", "reasoning": str(text)}:
            return _thinking(block, text, {"type": "reasoning"})
        case {"type": "image_url" | "image"} if found := _read_image(block):
            return found
        case Mapping():
            warnings.add(KEPT_AS_DATA, message, bare(block.get("type")))
            return as_data(block)
    raise not_a(f"content[{place}]", block, "text or an object with a type")


def as_data(block: Mapping[str, Any]) -> dict[str, Any]:
    """Return a block as core data that is given back as it is."""
    return {"type": "data", "data": block, "metadata": {NOTES.key: {}}}


def _thinking(block: Mapping[str, Any], text: str, notes: dict[str, Any]) -> dict[str, Any]:
    """Return a block of reasoning; a signature that is no text is only noted."""
    signed = {"signature": block["signature"]} if isinstance(block.get("signature"), str) else {}
    notes = {**without(block, "type", block["type"], *signed), **notes}
    return {"type": "thinking", "thinking": {"text": text, **signed}, **NOTES.kept(notes)}


def _read_image(block: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return a picture, or None where its address is in no known place."""
    match block:
        case {"type": "image_url", "image_url": {"url": str(url)}}:
            notes = without(block, "type", "image_url")
            if len(block["image_url"]) > 1:
                notes["image_url"] = without(block["image_url"], "url")
        case {"type": "image_url", "image_url": str(url)}:
            notes = {**without(block, "image_url"), "type": BARE_URL}
        case {"type": "image", "url": str(url)}:
            notes = {**without(block, "url"), "type": BY_URL}
        case {"type": "image", "mime_type": str(mime)} if re.fullmatch(MIME, mime):
            forms = [form for form, key in BY_DATA.items() if isinstance(block.get(key), str)]
            if len(forms) != 1:
                return None
            form, key = forms[0], BY_DATA[forms[0]]
            url = f"data:{mime};base64,{block[key]}"
            notes = {**without(block, key, "mime_type"), "type": form}
        case _:
            return None
    return {"type": "image", "image_url": {"url": url}, **NOTES.kept(notes)}


def write_block(own: Notes, part: Part) -> Any:
    """Return a part as a block."""
    notes = own.of(part.metadata)
    match part:
        case TextPart():
            if notes.get("type") == BARE:
                return part.text
            return merged({"type": "text", "text": part.text}, notes)
        case ThinkingPart():
            type = "reasoning" if notes.get("type") == "reasoning" else "thinking"
            signed = {} if part.signature is None else {"signature": part.signature}
            return merged({"type": type, type: part.text, **signed}, notes)
        case ImagePart():
            return _write_image(part, notes)
        case DataPart():
            return thaw(part.data)
    raise AssertionError("only parts that a content can hold are written")


def _write_image(part: ImagePart, notes: dict[str, Any]) -> dict[str, Any]:
    form, rest = notes.get("type"), without(notes, "type")
    data = DATA_URL.fullmatch(part.url)
    if form == BARE_URL:
        return merged({"type": "image_url", "image_url": part.url}, rest)
    if form in BY_DATA and data is not None:
        row = {"type": "image", BY_DATA[form]: data[2], "mime_type": data[1]}
        return merged(row, rest)
    if form is not None:
        return merged({"type": "image", "url": part.url}, rest)
    image = merged({"url": part.url}, inner(notes, "image_url"))
    return merged({"type": "image_url", "image_url": image}, rest)


def holds(part: Part) -> bool:
    """Tell whether a content can hold a part; LangChain hands on the blocks of any provider."""
    if isinstance(part, DataPart):
        return NOTES.is_in(part.metadata) or isinstance(part.data.get("type"), str)
    return isinstance(part, TextPart | ImagePart | ThinkingPart)
