"""Where text is in a message and outside of messages, and how it is replaced.

A path leads to a text: ``(0, "text")`` is that of the first part, ``(1, "input", "to")`` one of the
arguments of a call, ``("metadata", "from")`` one of the message's metadata. Where a text is JSON
itself, the number of a string or number in it follows, as in ``(0, "content", 3)``; ``-1`` behind
the name of a field is that name itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal, NamedTuple

from ..conversation.readable import Readable
from ..engine.messages import (
    ENGINE_KEYS,
    FORMAT_KEYS,
    DataPart,
    ImagePart,
    Message,
    Part,
    TextPart,
    ThinkingPart,
    ToolResultPart,
    ToolUsePart,
)
from ..values.frozen import FrozenDict
from .patterns import JsonString, json_strings, with_strings

TextPath = tuple[str | int, ...]
Kind = Literal["text", "tool name", "field name", "number", "id", "type", "sealed"]
TEXT: Kind = "text"
TOOL: Kind = "tool name"
NAME: Kind = "field name"
NUMBER: Kind = "number"
ID: Kind = "id"
TYPE: Kind = "type"
SEALED: Kind = "sealed"
"""Encrypted or encoded: what is in it can't be searched, only counted."""
REACHED: frozenset[Kind] = frozenset((TEXT, TOOL))
"""What is replaced unless more is asked for; the others hold a conversation together."""
OF_FIELD = -1
"""The last step of a path to the name of a field."""

TYPE_KEYS = frozenset(
    (
        *("type", "kind", "object", "role", "status", "is", "encoding"),
        *("media_type", "mediaType", "mime_type", "mimeType", "content_type", "contentType"),
    )
)
"""Fields of provider data that say what something is."""
_ID_KEY = re.compile(r"(?:^|_)(?:uu)?ids?$|[a-z0-9](?:Id|ID|Uuid|UUID)s?$")
SEALED_KEYS = frozenset(
    (
        *("signature", "thoughtSignature", "thought_signature", "encrypted_content"),
        *("encryptedContent", "encrypted_index", "encrypted", "redacted_data"),
    )
)
_MEDIA_KEYS = frozenset(("data", "base64", "b64_json", "file_data", "fileData", "bytes"))
_ENCODED = re.compile(r"[A-Za-z0-9+/_.=\r\n-]{16,}")
"""What is encoded has no spaces; a text that has is searched, whatever it claims to be."""
_DATA_URL = re.compile(
    r"data:[\w.+/-]{0,100}(?:;charset=[\w.-]{1,40})?;base64,[A-Za-z0-9+/_.=%\r\n-]*", re.IGNORECASE
)
"""One that also says something else, such as the name of its file, is searched as a text."""
_SCHEMA_NAMES = frozenset(
    ("properties", "patternProperties", "$defs", "definitions", "dependentRequired")
)
_SCHEMA_VALUES = frozenset(("default", "const", "enum", "examples", "example"))
_SCHEMA_WORDS = (
    _SCHEMA_NAMES
    | _SCHEMA_VALUES
    | frozenset(
        (
            *("type", "format", "title", "description", "required", "items", "prefixItems"),
            *("additionalProperties", "unevaluatedProperties", "propertyNames", "contains"),
            *("anyOf", "allOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"),
            *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
            *("minLength", "maxLength", "pattern", "minItems", "maxItems", "uniqueItems"),
            *("minProperties", "maxProperties", "minContains", "maxContains", "nullable"),
            *("$ref", "$schema", "$id", "$anchor", "$comment", "deprecated", "readOnly"),
            *("writeOnly", "contentEncoding", "contentMediaType", "strict", "parameters"),
        )
    )
)
"""The words of a schema; any other name in it was chosen by someone."""
META_KEYS = FORMAT_KEYS | {"title", "tools", "fields", "origin", "source", "model"}
"""Keys of ``meta`` that the program gives; no text of a user."""

TOOL_KEYS = frozenset(("name", "description", "parameters", "data", "metadata"))
"""Keys of a tool definition that the program gives."""


class TextPlace(NamedTuple):
    """A text, where it is, and whether it says something or holds the conversation together."""

    path: TextPath
    text: str
    kind: Kind = TEXT


Places = Iterator[TextPlace]


class TextWalk:
    """Finds the places of texts; ``ids`` are those of messages and calls, which refer to others."""

    def __init__(self, ids: Collection[str] = ()) -> None:
        self._ids = {id for id in ids if not json_strings(id)}

    def message(self, message: Message) -> Places:
        if message.id is not None:
            yield TextPlace(("id",), message.id, ID)
        for number, part in enumerate(message.parts):
            yield from self._part(part, (number,))
        yield from self._metadata(message.metadata, ("metadata",))

    def _part(self, part: Part, path: TextPath) -> Places:
        match part:
            case TextPart():
                yield TextPlace((*path, "text"), part.text)
            case ImagePart():
                kind = SEALED if _DATA_URL.fullmatch(part.url) else TEXT
                yield TextPlace((*path, "url"), part.url, kind)
            case ThinkingPart():
                yield TextPlace((*path, "thinking"), part.text)
                if part.signature:
                    kind = SEALED if _ENCODED.fullmatch(part.signature) else TEXT
                    yield TextPlace((*path, "signature"), part.signature, kind)
            case ToolUsePart():
                yield TextPlace((*path, "name"), part.name, TOOL)
                yield TextPlace((*path, "id"), part.id, ID)
                yield from self.values(part.input, (*path, "input"))
            case ToolResultPart():
                yield TextPlace((*path, "tool_use_id"), part.tool_use_id, ID)
                yield from self._result(part, (*path, "content"))
            case DataPart():
                yield from self.provided(part.data, (*path, "data"))
        yield from self._metadata(part.metadata, (*path, "metadata"))

    def _result(self, part: ToolResultPart, path: TextPath) -> Places:
        if isinstance(part.content, str):
            yield from self.values(part.content, path)
            return
        for number, inner in enumerate(part.content):
            if isinstance(inner, TextPart):
                yield from self.values(inner.text, (*path, number, "text"))
                yield from self._metadata(inner.metadata, (*path, number, "metadata"))
            else:
                yield from self._part(inner, (*path, number))

    def _metadata(self, metadata: FrozenDict | None, path: TextPath) -> Places:
        """Yield the texts of metadata: what formats keep there, and what users do."""
        for key, item in (metadata or {}).items():
            if key in FORMAT_KEYS:
                yield from self.provided(item, (*path, key))
            elif key not in ENGINE_KEYS or not isinstance(item, int):
                yield TextPlace((*path, key, OF_FIELD), key, NAME)
                yield from self.values(item, (*path, key), are_ids_known=True)

    def values(self, value: Any, path: TextPath, *, are_ids_known: bool = False) -> Places:
        """Yield the texts of a JSON value in which every string is a value."""

        def kind(_: str, text: str) -> Kind:
            return ID if are_ids_known and text in self._ids else TEXT

        return _walk(value, path, kind)

    def provided(self, value: Any, path: TextPath) -> Places:
        """Yield the texts of a JSON value of a provider, which has types and ids among them."""
        return _walk(value, path, self._provided_kind, seals=True)

    def _provided_kind(self, key: str, text: str) -> Kind:
        if key in TYPE_KEYS:
            return TYPE
        return ID if text in self._ids or _ID_KEY.search(key) else TEXT

    def meta(self, meta: Mapping[str, Any]) -> Places:
        for key, item in meta.items():
            path: TextPath = ("meta", key)
            if key not in META_KEYS:
                yield TextPlace((*path, OF_FIELD), key, NAME)
            if key == "tools" and isinstance(item, tuple | list):
                for number, tool in enumerate(item):
                    yield from self._tool(tool, (*path, number))
            elif key in FORMAT_KEYS:
                yield from self.provided(item, path)
            else:
                yield from self.values(item, path, are_ids_known=True)

    def _tool(self, tool: Any, path: TextPath) -> Places:
        if not isinstance(tool, Mapping):
            yield from self.values(tool, path)
            return
        for key, item in tool.items():
            if key not in TOOL_KEYS:
                yield TextPlace((*path, key, OF_FIELD), key, NAME)
            if key == "name" and isinstance(item, str):
                yield TextPlace((*path, key), item, TOOL)
            elif key in ("data", "metadata"):
                yield from self.provided(item, (*path, key))
            else:
                yield from _schema(item, (*path, key))


def _schema(value: Any, path: TextPath, *, are_names: bool = False) -> Places:
    """Yield the texts of a JSON schema; the words of the standard itself are none."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            is_word = not are_names and key in _SCHEMA_WORDS
            if not is_word:
                yield TextPlace((*path, key, OF_FIELD), key, NAME)
            if are_names or (is_word and key not in _SCHEMA_VALUES):
                names = not are_names and key in _SCHEMA_NAMES
                yield from _schema(item, (*path, key), are_names=names)
            else:
                # Examples, and what only one program understands, are data with names of its own.
                yield from _walk(item, (*path, key), lambda *_: TEXT)
    elif isinstance(value, tuple | list):
        for number, item in enumerate(value):
            yield from _schema(item, (*path, number))
    else:
        keys = [step for step in path if isinstance(step, str)]
        kind = NAME if keys[-1] in ("required", "$ref") or "dependentRequired" in keys else TEXT
        kind = TYPE if keys[-1] in ("type", "format", "$schema") else kind
        yield from _walk(value, path, lambda *_: kind)


def _walk(
    value: Any,
    path: TextPath,
    kind_of: Callable[[str, str], Kind],
    key: str = "",
    around: Mapping[str, Any] | None = None,
    *,
    seals: bool = False,
) -> Places:
    """Yield the texts of a JSON value; of one that is JSON as text, those in it."""
    if isinstance(value, str):
        kind = SEALED if seals and _is_sealed(key, value, around or {}) else kind_of(key, value)
        strings = json_strings(value) if kind == TEXT else []
        for number, one in enumerate(strings):
            yield from _within(one, (*path, number), kind_of)
        if not strings:
            yield TextPlace(path, value, kind)
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield TextPlace((*path, name, OF_FIELD), name, NAME)
            yield from _walk(item, (*path, name), kind_of, name, value, seals=seals)
    elif isinstance(value, tuple | list):
        for number, item in enumerate(value):
            yield from _walk(item, (*path, number), kind_of, key, around, seals=seals)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield TextPlace(path, json.dumps(value), NUMBER)


def _within(one: JsonString, path: TextPath, kind_of: Callable[[str, str], Kind]) -> Places:
    if one.is_name or one.is_number:
        yield TextPlace(path, one.text, NAME if one.is_name else NUMBER)
    else:
        yield from _walk(one.text, path, kind_of)


def _is_sealed(key: str, text: str, around: Mapping[str, Any]) -> bool:
    if _DATA_URL.fullmatch(text):
        return True
    # A document that says it is text is not encoded, also where it is a single word or a key.
    is_media = key in _MEDIA_KEYS and around.get("type") != "text"
    is_media = is_media and any(
        name in around for name in ("type", "media_type", "mime_type", "mimeType", "format")
    )
    return (key in SEALED_KEYS or is_media) and _ENCODED.fullmatch(text) is not None


def ids_of(conversation: Readable) -> set[str]:
    """Return the ids of all messages and calls of a conversation."""
    ids: set[str] = set()
    for message in conversation.log:
        ids.update(message.calls, message.results, () if message.id is None else (message.id,))
    return ids


PLACE_WORDS = {
    "signature": "thinking",
    "url": "address of a picture",
    "name": "tool name",
    "id": "tool call",
    "tool_use_id": "tool call",
    "content": "tool result",
}


def place_words(message: Message, path: TextPath) -> str:
    """Return where in a message a path leads, in words that hold none of its texts but a name."""
    if isinstance(path[0], str):
        return "message id" if path[0] == "id" else "metadata"
    part, step = message.parts[path[0]], str(path[1])
    if step == "input" and isinstance(part, ToolUsePart):
        return f"arguments of {part.name}"
    return PLACE_WORDS.get(step, step)


class Surroundings:
    """What is written around the texts of a message that are strings of JSON."""

    def __init__(self, message: Message, most: int) -> None:
        self._message, self._most = message, most
        self._strings: dict[str, list[JsonString]] = {}

    def of(self, path: TextPath) -> tuple[str, str]:
        """Return what is before and after a text, ``most`` characters each."""
        value, rest = self._start(path)
        before = after = ""
        for step in rest:
            if step == OF_FIELD:
                break
            if not isinstance(value, str):
                value = value[step]
                continue
            if value not in self._strings:  # Reading a large text again for each hit takes long.
                self._strings[value] = json_strings(value)
            one = self._strings[value][int(step)]
            before = (before + value[max(0, one.start - self._most) : one.start])[-self._most :]
            after = (value[one.end : one.end + self._most] + after)[: self._most]
            value = one.text
        return before, after

    def _start(self, path: TextPath) -> tuple[Any, TextPath]:
        if isinstance(path[0], str):
            return (self._message.metadata, path[1:]) if path[0] == "metadata" else ("", ())
        part = self._message.parts[path[0]]
        if isinstance(part, ToolResultPart) and isinstance(part.content, tuple):
            if path[1] != "content":
                return self._in_part(part, path[1:])
            part, path = part.content[int(path[2])], path[2:]
            if isinstance(part, TextPart) and path[1] == "text":
                return part.text, path[2:]
        return self._in_part(part, path[1:])

    def _in_part(self, part: Part, path: TextPath) -> tuple[Any, TextPath]:
        match part, path[0]:
            case _, "metadata":
                return part.metadata, path[1:]
            case ToolUsePart(), "input":
                return part.input, path[1:]
            case DataPart(), "data":
                return part.data, path[1:]
            case ToolResultPart(content=str(content)), "content":
                return content, path[1:]
        return "", ()


def with_texts(message: Message, texts: Mapping[TextPath, str]) -> Message:
    """Return a copy with other texts at some paths.

    What formats keep of a message and of each part goes where its content changes: it would repeat
    the old text, or not fit any more. So does the signature of a thought.
    """
    groups = _grouped(texts)
    own = groups.pop("metadata", {})
    id = groups.pop("id", {}).get(())
    if own or id is not None:
        metadata = put(message.metadata, own) if own else message.metadata
        message = replace(message, metadata=metadata, id=message.id if id is None else id)
    by_part = {int(number): _grouped(inside) for number, inside in groups.items()}
    noted = [
        _noted(part, by_part[number]["metadata"]) if "metadata" in by_part.get(number, {}) else part
        for number, part in enumerate(message.parts)
    ]
    if any("metadata" in inside for inside in by_part.values()):
        message = replace(message, content=tuple(noted))
    parts = [
        _changed(part, by_part[number]) if number in by_part else part
        for number, part in enumerate(noted)
    ]
    if isinstance(message.content, str):
        (part,) = parts
        assert isinstance(part, TextPart)
        return message.edited(part.text or (part,))
    return message.edited(tuple(parts))


def _noted(part: Part, texts: Mapping[TextPath, str]) -> Part:
    return replace(part, metadata=put(part.metadata, texts))


def _changed(part: Part, texts: Mapping[str | int, Mapping[TextPath, str]]) -> Part:
    """Return a part with other texts in its content."""
    new = {key: inside[()] for key, inside in texts.items() if () in inside and key != "metadata"}
    match part:
        case TextPart() if "text" in texts:
            return replace(part, text=put(part.text, texts["text"]))
        case ImagePart() if "url" in new:
            return replace(part, url=new["url"])
        case ThinkingPart() if new.keys() & {"thinking", "signature"}:
            # A signature fits the text it came with, and no other.
            text = new.get("thinking", part.text)
            return replace(part, text=text, signature=new.get("signature") or None)
        case ToolUsePart():
            given = put(part.input, texts["input"]) if "input" in texts else part.input
            return replace(
                part, id=new.get("id", part.id), name=new.get("name", part.name), input=given
            )
        case ToolResultPart():
            content = _answer(part.content, texts["content"]) if "content" in texts else None
            return replace(
                part,
                tool_use_id=new.get("tool_use_id", part.tool_use_id),
                content=part.content if content is None else content,
            )
        case DataPart() if "data" in texts:
            return replace(part, data=put(part.data, texts["data"]))
    return part


def _answer(
    content: str | tuple[Part, ...], texts: Mapping[TextPath, str]
) -> str | tuple[Part, ...]:
    if isinstance(content, str):
        return str(put(content, texts))
    inside = _grouped(texts)
    return tuple(
        _inner(part, _grouped(inside[number])) if number in inside else part
        for number, part in enumerate(content)
    )


def _inner(part: Part, texts: Mapping[str | int, Mapping[TextPath, str]]) -> Part:
    """Return a part of a result with other texts; its notes go where its content changes."""
    noted = _noted(part, texts["metadata"]) if "metadata" in texts else part
    changed = _changed(noted, texts)
    if changed == noted:
        return noted
    holder = Message("tool", (noted,)).edited((changed,))
    return holder.parts[0]


def put(value: Any, texts: Mapping[TextPath, str]) -> Any:
    """Return a JSON value with other texts at some paths; one that is JSON as text stays so."""
    if () in texts:
        return texts[()]
    inside = _grouped(texts)
    if isinstance(value, str):
        strings = json_strings(value)
        news = {
            int(number): changes[()] if () in changes else put(strings[int(number)].text, changes)
            for number, changes in inside.items()
        }
        return with_strings(value, news)
    if isinstance(value, Mapping):
        return _with_names(value, inside)
    return [put(item, inside[i]) if i in inside else item for i, item in enumerate(value)]


def _with_names(
    value: Mapping[str, Any], inside: Mapping[Any, Mapping[TextPath, str]]
) -> dict[str, Any]:
    """Return an object with other fields or names; no field takes the place of another."""
    news = {key: changes.get((OF_FIELD,), key) for key, changes in inside.items()}
    taken = {key for key in value if news.get(key, key) == key}
    made: dict[str, Any] = {}
    for key, item in value.items():
        name = key
        if news.get(key, key) != key:
            name = unlike(news[key], taken)
            taken.add(name)
        rest = {path: text for path, text in inside.get(key, {}).items() if path != (OF_FIELD,)}
        made[name] = put(item, rest) if rest else item
    return made


def unlike(name: str, taken: Collection[str]) -> str:
    """Return a name that is not taken: with a number behind it where it would be."""
    new, number = name, 2
    while new in taken:
        new, number = f"{name}-{number}", number + 1
    return new


def _grouped(texts: Mapping[TextPath, str]) -> dict[str | int, dict[TextPath, str]]:
    """Return texts by the first step of their paths, each with the rest of its path."""
    groups: dict[str | int, dict[TextPath, str]] = {}
    for path, text in texts.items():
        groups.setdefault(path[0], {})[path[1:]] = text
    return groups
