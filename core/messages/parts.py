"""The parts a message's content can be made of, each read and frozen at the border."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ..errors import Refused, not_a, shown
from ..values.frozen import FrozenDict, freeze, freeze_object, thaw

Json = Any
Object = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TextPart:
    """Plain text; may be empty, since real data has empty messages."""

    type: ClassVar[str] = "text"
    text: str
    metadata: FrozenDict | None = None

    def body(self) -> dict[str, Json]:
        """Return the keys of this part beside ``type`` and ``metadata``."""
        return {"text": self.text}


@dataclass(frozen=True, slots=True)
class ImagePart:
    """A picture, by address."""

    type: ClassVar[str] = "image"
    url: str
    metadata: FrozenDict | None = None

    def body(self) -> dict[str, Json]:
        """Return the keys of this part beside ``type`` and ``metadata``."""
        return {"image_url": {"url": self.url}}


@dataclass(frozen=True, slots=True)
class ToolUsePart:
    """A call of a tool; ``input`` is any JSON value, because models do send broken ones."""

    type: ClassVar[str] = "tool_use"
    id: str
    name: str
    input: Json
    metadata: FrozenDict | None = None

    def body(self) -> dict[str, Json]:
        """Return the keys of this part beside ``type`` and ``metadata``."""
        return {"tool_use": {"id": self.id, "name": self.name, "input": thaw(self.input)}}


@dataclass(frozen=True, slots=True)
class ToolResultPart:
    """What a tool answered: text, or a list of text, image and data parts."""

    type: ClassVar[str] = "tool_result"
    tool_use_id: str
    content: str | tuple[Part, ...]
    is_error: bool | None = None
    metadata: FrozenDict | None = None

    def body(self) -> dict[str, Json]:
        """Return the keys of this part beside ``type`` and ``metadata``."""
        content = self.content
        result: dict[str, Json] = {
            "tool_use_id": self.tool_use_id,
            "content": content if isinstance(content, str) else [part_dict(p) for p in content],
        }
        if self.is_error is not None:
            result["is_error"] = self.is_error
        return {"tool_result": result}


@dataclass(frozen=True, slots=True)
class ThinkingPart:
    """A model's reasoning, with the provider's signature where there is one."""

    type: ClassVar[str] = "thinking"
    text: str
    signature: str | None = None
    metadata: FrozenDict | None = None

    def body(self) -> dict[str, Json]:
        """Return the keys of this part beside ``type`` and ``metadata``."""
        signed = {} if self.signature is None else {"signature": self.signature}
        return {"thinking": {"text": self.text, **signed}}


@dataclass(frozen=True, slots=True)
class DataPart:
    """Whatever a provider sends that no other part can hold, kept as it came."""

    type: ClassVar[str] = "data"
    data: FrozenDict
    metadata: FrozenDict | None = None

    def body(self) -> dict[str, Json]:
        """Return the keys of this part beside ``type`` and ``metadata``."""
        return {"data": thaw(self.data)}


Part = TextPart | ImagePart | ToolUsePart | ToolResultPart | ThinkingPart | DataPart
PART_CLASSES = (TextPart, ImagePart, ToolUsePart, ToolResultPart, ThinkingPart, DataPart)


CALL_KEYS = {"id", "name", "input"}
RESULT_KEYS = {"tool_use_id", "content"}


def part_dict(part: Part) -> dict[str, Json]:
    """Return a part as JSON-ready data in the source documents' spelling."""
    extra = {} if part.metadata is None else {"metadata": thaw(part.metadata)}
    return {"type": part.type, **part.body(), **extra}


def usual_part(data: object) -> Part | None:
    """Return a text, a call or a result from data that nothing is odd about, else None.

    Nearly all parts are such, and ``read_part``, which can say what is wrong with the others, takes
    several times as long.
    """
    if type(data) is not dict:
        return None
    metadata = data.get("metadata")
    if len(data) != (2 if metadata is None else 3):
        return None
    kind = data.get("type")
    try:
        if metadata is not None:
            metadata = freeze_object(metadata, "metadata")
        if kind == "text":
            text = data.get("text")
            return TextPart(text, metadata) if type(text) is str else None
        if kind == "tool_use":
            return _usual_call(data.get("tool_use"), metadata)
        if kind == "tool_result":
            return _usual_result(data.get("tool_result"), metadata)
    except Refused:
        pass  # Read again, it is refused by the name of its field.
    return None


def _usual_call(call: object, metadata: FrozenDict | None) -> Part | None:
    if type(call) is not dict or call.keys() != CALL_KEYS:
        return None
    id, name = call["id"], call["name"]
    if type(id) is not str or type(name) is not str:
        return None
    return ToolUsePart(id, name, freeze(call["input"], "input"), metadata)


def _usual_result(result: object, metadata: FrozenDict | None) -> Part | None:
    if type(result) is not dict or result.keys() != RESULT_KEYS:
        return None
    id, content = result["tool_use_id"], result["content"]
    if type(id) is not str or type(content) is not str:
        return None
    return ToolResultPart(id, content, None, metadata)


def read_part(data: object, field: str, allowed: tuple[str, ...] = ()) -> Part:
    """Return a part from JSON data, or refuse it; ``allowed`` limits its types."""
    if isinstance(data, PART_CLASSES):
        data = part_dict(data)
    if type(data) is not dict and not isinstance(data, Mapping):
        raise not_a(field, data, "an object with a type")
    kind = data.get("type")
    legal = allowed or tuple(READERS)
    if not isinstance(kind, str) or kind not in legal:
        raise Refused(
            f"{field}.type {shown(kind)} is not one of {', '.join(legal)}",
            field=f"{field}.type",
            value=kind,
            legal=", ".join(legal),
        )
    return READERS[kind](keyed(data, field, ("type", kind_key(kind)), ("metadata",)), field)


def kind_key(kind: str) -> str:
    """Return the key that holds a part's body: its type, except for images."""
    return "image_url" if kind == "image" else kind


def keyed(data: object, field: str, needed: tuple[str, ...], optional: tuple[str, ...]) -> Object:
    """Return an object with known keys only, in snake_case; both spellings are read."""
    if type(data) is not dict and not isinstance(data, Mapping):
        raise not_a(field, data, "an object")
    legal = needed + optional
    read: dict[str, Any] = {}
    for key, value in data.items():
        name = key if key in legal else snake(key)
        if name not in legal or name in read:
            reason = "given twice" if name in read else f"not one of {', '.join(legal)}"
            raise Refused(
                f"{field} has the key {shown(key)}, which is {reason}; "
                "import a provider's file instead of pasting its messages",
                field=field,
                value=key,
                legal=", ".join(legal),
            )
        read[name] = value
    for name in needed:
        if name not in read:
            raise Refused(
                f"{field} has no {name}", field=f"{field}.{name}", legal=", ".join(needed)
            )
    return read


def snake(key: object) -> str:
    """Return a camelCase key in snake_case."""
    text = key if isinstance(key, str) else ""
    return "".join("_" + c.lower() if c.isupper() else c for c in text)


def _text(value: object, field: str) -> str:
    if not isinstance(value, str):
        raise not_a(field, value, "text")
    return value


def _metadata(part: Object, field: str) -> FrozenDict | None:
    value = part.get("metadata")
    return None if value is None else freeze_object(value, f"{field}.metadata")


def _read_text(part: Object, field: str) -> Part:
    return TextPart(_text(part["text"], f"{field}.text"), _metadata(part, field))


def _read_image(part: Object, field: str) -> Part:
    where = f"{field}.image_url"
    image = keyed(part["image_url"], where, ("url",), ())
    return ImagePart(_text(image["url"], f"{where}.url"), _metadata(part, field))


def _read_tool_use(part: Object, field: str) -> Part:
    where = f"{field}.tool_use"
    call = keyed(part["tool_use"], where, ("id", "name", "input"), ())
    return ToolUsePart(
        _text(call["id"], f"{where}.id"),
        _text(call["name"], f"{where}.name"),
        freeze(call["input"], f"{where}.input"),
        _metadata(part, field),
    )


def _read_tool_result(part: Object, field: str) -> Part:
    where = f"{field}.tool_result"
    result = keyed(part["tool_result"], where, ("tool_use_id", "content"), ("is_error",))
    content, is_error = result["content"], result.get("is_error")
    if not isinstance(content, str):
        if not isinstance(content, list | tuple):
            raise not_a(f"{where}.content", content, "text or a list of parts")
        content = tuple(
            read_part(p, f"{where}.content[{i}]", ("text", "image", "data"))
            for i, p in enumerate(content)
        )
    if is_error is not None and not isinstance(is_error, bool):
        raise not_a(f"{where}.is_error", is_error, "true or false")
    call_id = _text(result["tool_use_id"], f"{where}.tool_use_id")
    return ToolResultPart(call_id, content, is_error, _metadata(part, field))


def _read_thinking(part: Object, field: str) -> Part:
    where = f"{field}.thinking"
    thought = keyed(part["thinking"], where, ("text",), ("signature",))
    signature = thought.get("signature")
    if signature is not None:
        signature = _text(signature, f"{where}.signature")
    return ThinkingPart(_text(thought["text"], f"{where}.text"), signature, _metadata(part, field))


def _read_data(part: Object, field: str) -> Part:
    return DataPart(freeze_object(part["data"], f"{field}.data"), _metadata(part, field))


READERS: dict[str, Callable[[Object, str], Part]] = {
    "text": _read_text,
    "image": _read_image,
    "tool_use": _read_tool_use,
    "tool_result": _read_tool_result,
    "thinking": _read_thinking,
    "data": _read_data,
}
