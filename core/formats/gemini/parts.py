"""Parts of Gemini's contents, to and from parts of core, in either spelling.

A part is only read as what it seems to be if it can be written again as it was; else it is data.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from mimetypes import guess_type
from typing import Any

from ...messages.parts import (
    DataPart,
    ImagePart,
    Part,
    TextPart,
    ThinkingPart,
    ToolResultPart,
    ToolUsePart,
    read_part,
)
from ...values.frozen import thaw
from ..chat.calls import MADE_ID, parsed
from ..json_text import same_json
from ..notes import Notes, inner, merged, without
from ..pairing import Waiting

NOTES = Notes("gemini")
Row = dict[str, Any]
KINDS = ("function_call", "function_response", "inline_data", "file_data")
WORDS = (*KINDS, "thought_signature", "system_instruction", "mime_type", "file_uri")
SPELLING = "spelling"
BASE64 = ";base64,"
ANSWERS = ("result", "output", "error")
"""Keys under which a response of one text has it; the last says that something went wrong."""

UNKNOWN = "unknown"
"""The name of a response whose call is nowhere."""


class Spelling:
    """How keys of two words are written."""

    def __init__(self, *, snake: bool) -> None:
        self.is_snake = snake

    def __call__(self, name: str) -> str:
        """Return a key as it is spelled."""
        first, *others = name.split("_")
        return name if self.is_snake else first + "".join(word.title() for word in others)


SNAKE, CAMEL = Spelling(snake=True), Spelling(snake=False)
SNAKE_WORDS = frozenset(WORDS)


def read_parts(parts: Sequence[Any], spelled: Spelling, waiting: Waiting, place: int) -> list[Part]:
    """Return the parts of a content; those that core has no part for are data."""
    return [_read_one(part, spelled, waiting, f"{place}_{i}") for i, part in enumerate(parts)]


def _read_one(part: Any, spelled: Spelling, waiting: Waiting, where: str) -> Part:
    other = CAMEL if spelled.is_snake else SNAKE
    for way in (spelled, other):
        data = _read_as(part, way, waiting, where) if isinstance(part, Mapping) else None
        if data is None:
            continue
        notes = {**data.pop("notes"), **({} if way is spelled else {SPELLING: way.is_snake})}
        found = read_part({**data, "metadata": {NOTES.key: notes}} if notes else data, "part")
        if same_json(write_part(found, spelled, {}), part):
            if isinstance(found, ToolUsePart):
                waiting.call(found.id, found.name)
            if isinstance(found, ToolResultPart):
                waiting.answered(found.tool_use_id)
            return found
    return read_part({"type": "data", "data": {"part": part}, "metadata": {NOTES.key: {}}}, "part")


def _read_as(part: Mapping[str, Any], way: Spelling, waiting: Waiting, where: str) -> Row | None:
    kinds = [name for name in KINDS if way(name) in part]
    if not kinds and isinstance(part.get("text"), str):
        return _read_text(part, way)
    if len(kinds) != 1 or not isinstance(part[way(kinds[0])], Mapping):
        return None
    body, rest = part[way(kinds[0])], without(part, way(kinds[0]))
    match kinds[0]:
        case "function_call":
            return _read_call(body, rest, where)
        case "function_response":
            return _read_response(body, rest, waiting, where)
    return _read_image(body, rest, way)


def _read_text(part: Mapping[str, Any], way: Spelling) -> Row:
    signature = part.get(way("thought_signature"))
    if part.get("thought") is not True:
        return {"type": "text", "text": part["text"], "notes": without(part, "text")}
    thought, rest = {"text": part["text"]}, without(part, "text", "thought")
    if isinstance(signature, str):
        thought["signature"] = rest.pop(way("thought_signature"))
    return {"type": "thinking", "thinking": thought, "notes": rest}


def _read_call(body: Mapping[str, Any], rest: Row, where: str) -> Row | None:
    if not isinstance(body.get("name"), str):
        return None
    id, inside = body.get("id"), without(body, "name", "args")
    notes = dict(rest)
    if isinstance(id, str):
        del inside["id"]
    else:
        id, notes[MADE_ID] = f"call_{where}", True
    if not isinstance(body.get("args"), Mapping):
        notes["args"] = [body["args"]] if "args" in body else []
    if inside:
        notes["call"] = inside
    use = {"id": id, "name": body["name"], "input": body.get("args") or {}}
    return {"type": "tool_use", "tool_use": use, "notes": notes}


def _read_response(body: Mapping[str, Any], rest: Row, waiting: Waiting, where: str) -> Row | None:
    if not isinstance(body.get("name"), str):
        return None
    id, inside = body.get("id"), without(body, "response")
    notes = dict(rest)
    if isinstance(id, str):
        del inside["id"]
    else:
        id = waiting.answer(body["name"]) or f"call_{where}"
        notes[MADE_ID] = True
    response: Any = body.get("response")
    result: Row = {"tool_use_id": id, "content": ""}
    key = next(iter(response), "") if isinstance(response, Mapping) and len(response) == 1 else ""
    if "response" not in body:
        notes["form"] = "absent"
    elif key in ANSWERS and isinstance(response[key], str):
        result["content"] = response[key]
        if key == "error":
            result["is_error"] = True
        elif key != ANSWERS[0]:
            notes["form"] = key
    else:
        result["content"], notes["form"] = json.dumps(response, ensure_ascii=False), "json"
    notes["response"] = inside
    return {"type": "tool_result", "tool_result": result, "notes": notes}


def _read_image(body: Mapping[str, Any], rest: Row, way: Spelling) -> Row | None:
    kind = body.get(way("mime_type"))
    if not isinstance(kind, str) or not kind.startswith("image/"):
        return None
    data, uri = body.get("data"), body.get(way("file_uri"))
    url = f"data:{kind}{BASE64}{data}" if isinstance(data, str) else uri
    inside = without(body, "data", way("file_uri"), *([way("mime_type")] if data else []))
    notes = {**rest, **({"image": inside} if inside else {})}
    return {"type": "image", "image_url": {"url": url}, "notes": notes} if url else None


def holds(part: Part) -> bool:
    """Tell whether a content can hold a part."""
    return not isinstance(part, DataPart) or NOTES.is_in(part.metadata)


def write_part(part: Part, spelled: Spelling, names: Mapping[str, str]) -> Any:
    """Return a part that ``holds`` lets through; ``names`` are those of the calls, by id."""
    notes = NOTES.of(part.metadata)
    if SPELLING in notes:
        spelled = SNAKE if notes.pop(SPELLING) else CAMEL
    match part:
        case TextPart():
            return merged({"text": part.text}, notes)
        case ThinkingPart():
            row: Row = {"text": part.text, "thought": True}
            if part.signature is not None:
                row[spelled("thought_signature")] = part.signature
            return merged(row, notes)
        case ToolUsePart():
            return _write_call(part, notes, spelled)
        case ToolResultPart():
            return _write_response(part, notes, spelled, names)
        case ImagePart():
            return _write_image(part, notes, spelled)
    return thaw(part.data).get("part")


def _write_call(part: ToolUsePart, notes: Row, spelled: Spelling) -> Row:
    value = thaw(part.input)
    body: Row = {"name": part.name}
    if MADE_ID not in notes:
        body["id"] = part.id
    if "args" not in notes or value:
        body["args"] = value if isinstance(value, Mapping) else {"input": value}
    elif notes["args"]:
        (body["args"],) = notes["args"]
    row = {spelled("function_call"): merged(body, inner(notes, "call"))}
    return merged(row, without(notes, MADE_ID, "args", "call"))


def _write_response(
    part: ToolResultPart, notes: Row, spelled: Spelling, names: Mapping[str, str]
) -> Row:
    said = part.content
    texts = [one.text for one in said if isinstance(one, TextPart)] if said else []
    text = said if isinstance(said, str) else "\n\n".join(texts)
    form = notes.get("form")
    body: Row = {} if MADE_ID in notes else {"id": part.tool_use_id}
    is_json, value = parsed(text) if form == "json" else (False, None)
    if is_json:
        body["response"] = value
    elif part.is_error or form != "absent" or text:
        key = "error" if part.is_error else form if form in ANSWERS else ANSWERS[0]
        body["response"] = {key: text}
    inside = inner(notes, "response") or {"name": names.get(part.tool_use_id, UNKNOWN)}
    row = {spelled("function_response"): merged(body, inside)}
    return merged(row, without(notes, MADE_ID, "form", "response"))


def _write_image(part: ImagePart, notes: Row, spelled: Spelling) -> Row:
    kind, sign, data = part.url.removeprefix("data:").partition(BASE64)
    inside = inner(notes, "image")
    if sign and part.url.startswith("data:"):
        body = merged({spelled("mime_type"): kind, "data": data}, inside)
        return merged({spelled("inline_data"): body}, without(notes, "image"))
    body = merged({spelled("file_uri"): part.url}, inside)
    kind = guess_type(part.url)[0] or "image/*"
    body.setdefault(spelled("mime_type"), kind)
    return merged({spelled("file_data"): body}, without(notes, "image"))
