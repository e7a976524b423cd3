"""Content of chat messages: text, parts, null or nothing at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...errors import not_a
from ...messages.parts import DataPart, ImagePart, Part, TextPart
from ...values.frozen import thaw
from ..notes import Notes, inner, merged, without
from ..objects import is_object
from ..warnings import WarningCollector, bare

CHAT_TYPES = ("input_audio", "file", "refusal")
"""Parts that chat has and core has not; they are held as data."""

ABSENT = "absent"
NULL = "null"
TEXT = "text"
LIST = "list"
EMPTY_LIST = "empty list"


def form_of(row: Mapping[str, Any]) -> str:
    """Return in which form a chat message has its content, or refuse it."""
    if "content" not in row:
        return ABSENT
    match row["content"]:
        case None:
            return NULL
        case str():
            return TEXT
        case []:
            return EMPTY_LIST
        case list():
            return LIST
    raise not_a("content", row["content"], "text, a list of parts or null")


def usual_form(own: Notes, parts: Sequence[Part], *, beside_calls: bool) -> str:
    """Return the form that parts are written in where nothing else was noted."""
    if not parts:
        return NULL if beside_calls else TEXT
    return TEXT if _is_plain(own, parts) else LIST


def read_parts(
    own: Notes, content: object, message: int, warnings: WarningCollector
) -> list[dict[str, Any]]:
    """Return the parts of a content as core data; none for an empty one."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    if not isinstance(content, list):
        return []
    return [_read_part(own, part, i, message, warnings) for i, part in enumerate(content)]


def _read_part(
    own: Notes, part: object, place: int, message: int, warnings: WarningCollector
) -> dict[str, Any]:
    if not is_object(part):
        raise not_a(f"content[{place}]", part, "an object with a type")
    match part:
        case {"type": "text", "text": str(text)}:
            return {"type": "text", "text": text, **own.kept(without(part, "type", "text"))}
        case {"type": "image_url", "image_url": {"url": str(url)}}:
            notes = without(part, "type", "image_url")
            if len(part["image_url"]) > 1:
                notes["image_url"] = without(part["image_url"], "url")
            return {"type": "image", "image_url": {"url": url}, **own.kept(notes)}
    warnings.add("part-kept-as-data", message, bare(part.get("type")))
    return {"type": "data", "data": part, "metadata": {own.key: {}}}


def write_content(
    own: Notes,
    parts: Sequence[Part],
    noted: object,
    usual: str,
    write: Callable[[Notes, Part], Any] | None = None,
) -> dict[str, Any]:
    """Return the content entry of a chat message, in the noted form where that is still possible.

    The parts are those that ``holds`` lets through, or those that ``write`` has a form for.
    """
    blank = not parts or (_is_plain(own, parts) and parts[0] == TextPart("", parts[0].metadata))
    possible = {
        ABSENT: blank,
        NULL: blank,
        EMPTY_LIST: blank,
        TEXT: not parts or _is_plain(own, parts),
        LIST: True,
    }
    form = noted if isinstance(noted, str) and possible.get(noted) else usual
    match form:
        case "absent":
            return {}
        case "null":
            return {"content": None}
        case "text":
            return {"content": "".join(part.text for part in parts if isinstance(part, TextPart))}
        case "empty list":
            return {"content": []}
    return {"content": [(write or write_part)(own, part) for part in parts]}


def _is_plain(own: Notes, parts: Sequence[Part]) -> bool:
    """Tell whether parts are one text that a string can stand for."""
    return len(parts) == 1 and isinstance(parts[0], TextPart) and not own.of(parts[0].metadata)


def holds(own: Notes, part: Part) -> bool:
    """Tell whether a chat message's content can hold a part."""
    if isinstance(part, DataPart):
        return own.is_in(part.metadata) or part.data.get("type") in CHAT_TYPES
    return isinstance(part, TextPart | ImagePart)


def write_part(own: Notes, part: Part) -> dict[str, Any]:
    """Return a part as chat data."""
    notes = own.of(part.metadata)
    match part:
        case TextPart():
            return merged({"type": "text", "text": part.text}, notes)
        case ImagePart():
            image = merged({"url": part.url}, inner(notes, "image_url"))
            return merged({"type": "image_url", "image_url": image}, notes)
        case DataPart():
            data: dict[str, Any] = thaw(part.data)
            return data
    raise AssertionError("only parts that chat can hold are written")
