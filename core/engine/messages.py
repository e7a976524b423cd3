"""Messages and their parts: read and frozen once, and the facts that the log stores about each."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, NamedTuple

from ..errors import Refused, format_value, not_one_of, refusals_at, unknown_key, wrong_type
from ..values.frozen import FrozenDict, freeze, freeze_object, thaw
from ..values.models import Checked, Role, read_role
from ..values.times import read_time

Json = Any
Object = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TextPart:
    """Plain text; may be empty, since real data has empty messages."""

    type: ClassVar[str] = "text"
    text: str
    metadata: FrozenDict | None = None

    def body(self) -> dict[str, Json]:
        return {"text": self.text}


@dataclass(frozen=True, slots=True)
class ImagePart:
    """A picture, by address."""

    type: ClassVar[str] = "image"
    url: str
    metadata: FrozenDict | None = None

    def body(self) -> dict[str, Json]:
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
    """A model's reasoning, with the provider's signature, if any."""

    type: ClassVar[str] = "thinking"
    text: str
    signature: str | None = None
    metadata: FrozenDict | None = None

    def body(self) -> dict[str, Json]:
        signed = {} if self.signature is None else {"signature": self.signature}
        return {"thinking": {"text": self.text, **signed}}


@dataclass(frozen=True, slots=True)
class DataPart:
    """Whatever a provider sends that no other part can hold, unchanged."""

    type: ClassVar[str] = "data"
    data: FrozenDict
    metadata: FrozenDict | None = None

    def body(self) -> dict[str, Json]:
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
        raise wrong_type(field, data, "an object with a type")
    kind = data.get("type")
    legal = allowed or tuple(READERS)
    if not isinstance(kind, str) or kind not in legal:
        raise not_one_of(f"{field}.type", kind, legal)
    body = "image_url" if kind == "image" else kind
    return READERS[kind](keyed(data, field, ("type", body), ("metadata",)), field)


def keyed(data: object, field: str, needed: tuple[str, ...], optional: tuple[str, ...]) -> Object:
    """Return an object with known keys only, in snake_case; both spellings are read."""
    if type(data) is not dict and not isinstance(data, Mapping):
        raise wrong_type(field, data, "an object")
    legal = needed + optional
    read: dict[str, Any] = {}
    for key, value in data.items():
        name = key if key in legal else snake(key)
        if name not in legal or name in read:
            reason = "given twice" if name in read else f"not one of {', '.join(legal)}"
            raise Refused(
                f"{field} has the key {format_value(key)}, which is {reason}; "
                "import a provider's file instead of pasting its messages",
                field=field,
                value=key,
                legal=", ".join(legal),
            )
        read[name] = value
    for name in needed:
        if name not in read:
            raise Refused(f"{field} has no {name}", f"{field}.{name}", legal=", ".join(needed))
    return read


def snake(key: object) -> str:
    """Return a camelCase key in snake_case."""
    text = key if isinstance(key, str) else ""
    return "".join("_" + c.lower() if c.isupper() else c for c in text)


def _text(value: object, field: str) -> str:
    if not isinstance(value, str):
        raise wrong_type(field, value, "text")
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
            raise wrong_type(f"{where}.content", content, "text or a list of parts")
        content = tuple(
            read_part(p, f"{where}.content[{i}]", ("text", "image", "data"))
            for i, p in enumerate(content)
        )
    if is_error is not None and not isinstance(is_error, bool):
        raise wrong_type(f"{where}.is_error", is_error, "true or false")
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

LITERALS = {True: "true", False: "false", None: "null"}


def searchable(part: Part) -> Sequence[str]:
    """Return the texts of a part that search, filters and token counts use."""
    if isinstance(part, ToolUsePart):
        return (part.name, *leaves(part.input))
    if isinstance(part, ToolResultPart):
        if isinstance(part.content, str):
            return (part.content,)
        return [text for inner in part.content for text in searchable(inner)]
    if isinstance(part, (TextPart, ThinkingPart)):
        return (part.text,)
    if isinstance(part, DataPart):
        return [text for text in readable_leaves(part.data) if text is not None]
    return ()


ENCODED_KEYS = frozenset(
    (
        *("signature", "thought_signature", "thoughtSignature", "thinkingSignature"),
        *("encrypted_content", "encryptedContent", "encrypted_index", "reasoningOpaque"),
    )
)
"""The keys of data that only a provider can read."""
BASE64 = re.compile(r"(?:data:[^,\s]{0,200};base64,)?[A-Za-z0-9+/_-]{100,}={0,2}")
"""Bytes written as text; no word is as long as that."""


def readable_leaves(value: Json, key: str = "") -> Iterator[str | None]:
    """Yield the text of every leaf of some data; None for one that is encoded or encrypted."""
    if isinstance(value, str):
        is_encoded = key in ENCODED_KEYS or (len(value) > 99 and BASE64.fullmatch(value))  # noqa: PLR2004
        yield None if is_encoded and value else value
    elif isinstance(value, FrozenDict):
        for name, item in value.items():
            yield from readable_leaves(item, name)
    elif isinstance(value, tuple):
        for item in value:
            yield from readable_leaves(item, key)
    else:
        yield from leaves(value)


def _is_uncounted(part: object) -> bool:
    """Return whether a part has something that no token counter can see."""
    if isinstance(part, DataPart):
        return None in readable_leaves(part.data)
    return isinstance(part, ImagePart)


def leaves(value: Json) -> list[str]:
    """Return every leaf of a frozen JSON value: text as it is, anything else as JSON."""
    found: list[str] = []
    _add_leaves(value, found)
    return found


def _add_leaves(value: Json, found: list[str]) -> None:
    kind = type(value)
    if kind is str:
        found.append(value)
    elif kind is FrozenDict:
        for item in value.values():
            _add_leaves(item, found)
    elif kind is tuple:
        for item in value:
            _add_leaves(item, found)
    elif kind is int:
        found.append(repr(value))
    elif kind is bool or value is None:
        found.append(LITERALS[value])
    else:
        found.append(value if isinstance(value, str) else json.dumps(value))


KEYS = ("role", "content", "id", "timestamp", "metadata")
KNOWN, NEEDED = frozenset(KEYS), frozenset(KEYS[:2])
IMPORT_HINT = "import the file if it comes from a provider"
METADATA_HINT = "what else is known of a message goes into its metadata"
"""What helps with an unknown key, outside a file of ours and inside one."""


FORMAT_KEYS = frozenset(
    (
        *("agent_framework", "alpaca", "anthropic", "chatgpt", "claude-code", "codex", "gemini"),
        *("hf", "inspect", "langchain", "langgraph", "ollama", "openai", "otel", "pydantic_ai"),
        *("requests", "responses", "sharegpt", "swe-agent", "tau-bench", "tau2-bench"),
        *("rows", "trl", "trl-implicit", "llamafactory", "llamafactory-kto", "openai-dpo"),
        *("openai-evals", "ultrafeedback", "prompt-completion", "dolly", "oasst"),
        *("ai-sdk", "letta", "pydantic-ai", "smolagents", "bedrock", "bedrock-log"),
        *("claude-tap", "http-recording", "langfuse", "langsmith"),
        *("lhar", "litellm", "openai-batch", "stored-completions"),
        *("rollout", "verifiers", "verifiers-traces", "art"),
        *("aider", "atif", "cline", "copilot", "cursor", "gemini-cli", "goose", "opencode"),
        *("openhands", "pi", "qwen-code", "strands"),
    )
)
"""The metadata keys under which formats keep what core has no place for."""
LABEL_KEYS = frozenset(("loss", "loss_mask", "rating", "score", "train", "weight"))
"""Numbers and flags that data sets give messages, for training; they repeat no text."""
AT_LEAST = "tokensAtLeast"
"""The metadata key of a message that stands for a longer one: as how many tokens it counts."""
MOST_AT_LEAST = 1_000_000_000
ENGINE_KEYS = frozenset(("copiedFrom", "squashedFrom", AT_LEAST))
"""The metadata keys of the engine: numbers of messages, and of tokens."""
IDENTITY_KEYS = frozenset(
    (
        *("beside", "key", "made_id", "name", "node", "parent"),
        *("role", "together", "tool_name", "type"),
    )
)
"""What formats keep there that is no content: who said it, and where it belongs."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation; frozen to the bottom, so it can be shared freely."""

    role: Role
    content: str | tuple[Part, ...]
    id: str | None = None
    timestamp: int | None = None
    metadata: FrozenDict | None = None

    def __post_init__(self) -> None:
        read_role(self.role)
        content: object = self.content
        if isinstance(content, str):
            if not content:
                raise Refused(
                    "content '' is empty; an empty message is [{type: 'text', text: ''}]",
                    field="content",
                    value="",
                    legal="a non-empty text or list of parts",
                )
        else:
            object.__setattr__(self, "content", read_content(content))
        if self.id is not None and not isinstance(self.id, str):
            raise wrong_type("id", self.id, "text")
        if self.timestamp is not None:
            read_time(self.timestamp, "timestamp")
        if self.metadata is not None:
            object.__setattr__(self, "metadata", freeze_object(self.metadata, "metadata"))

    @property
    def parts(self) -> tuple[Part, ...]:
        """Return the content as parts, even if it is a plain text."""
        return (TextPart(self.content),) if isinstance(self.content, str) else self.content

    @property
    def text(self) -> str:
        """Return the text parts, joined by line breaks."""
        if isinstance(self.content, str):
            return self.content
        return "\n".join(part.text for part in self.content if isinstance(part, TextPart))

    @property
    def search_text(self) -> str:
        """Return all words of the message: text, thinking, tool names, inputs and results."""
        if isinstance(self.content, str):
            return self.content
        if len(self.content) == 1:
            return "\n".join(searchable(self.content[0]))
        return "\n".join([word for part in self.content for word in searchable(part)])

    @property
    def calls(self) -> tuple[str, ...]:
        if self.role != "assistant" or isinstance(self.content, str):
            return ()
        return tuple([part.id for part in self.content if isinstance(part, ToolUsePart)])

    @property
    def results(self) -> tuple[str, ...]:
        """Return the ids of the calls whose results this message holds."""
        if isinstance(self.content, str):
            return ()
        return tuple([p.tool_use_id for p in self.content if isinstance(p, ToolResultPart)])

    @property
    def uncounted(self) -> int:
        """Return how many parts (images, encoded data) no token counter can see."""
        if isinstance(self.content, str):
            return 0
        count = 0
        for part in self.content:
            if isinstance(part, ToolResultPart) and isinstance(part.content, tuple):
                count += sum(map(_is_uncounted, part.content))
            else:
                count += _is_uncounted(part)
        return count

    def edited(self, content: str | tuple[Part, ...]) -> Message:
        """Return a copy with other content, without what formats kept about the old one.

        A format's entry in the metadata repeats or describes the content it was read with, so it
        is dropped if the content changes: that of the message, and that of each changed part.
        Who said it and how it is linked is kept, and so is metadata that is no format's.
        """
        if content == self.content:
            return self
        if not isinstance(content, str):
            old = self.parts
            content = tuple(
                part
                if part.metadata is None or part in old
                else replace(part, metadata=without_formats(part.metadata))
                for part in content
            )
        metadata = None if self.metadata is None else without_formats(self.metadata)
        return replace(self, content=content, metadata=metadata)

    def redacted(self, text: str) -> Message:
        """Return a copy with the same role, ids and calls whose texts and results are ``text``.

        Of the metadata only the author and the links stay: anything else may repeat the text,
        even in a message of calls only; calls keep their own metadata.
        """
        metadata = _only_identity(self.metadata)
        if isinstance(self.content, str):
            return replace(self, content=text, metadata=metadata)
        kept: list[Part] = []
        for part in self.content:
            known = _only_identity(part.metadata)
            match part:
                case TextPart():
                    kept.append(replace(part, text=text, metadata=known))
                case ThinkingPart():
                    kept.append(replace(part, text=text, signature=None, metadata=known))
                case ToolResultPart():
                    kept.append(replace(part, content=text, metadata=known))
                case ToolUsePart():
                    kept.append(part)
        return replace(self, content=tuple(kept) or text, metadata=metadata)

    def is_but_for_metadata(self, other: Message) -> bool:
        bare = [
            replace(one, content=tuple(replace(part, metadata=None) for part in one.parts))
            for one in (self, other)
        ]
        return replace(bare[0], metadata=None) == replace(bare[1], metadata=None)

    @property
    def tokens_at_least(self) -> int:
        """Return as how many tokens it counts at least: it may stand for a longer summary."""
        least = None if self.metadata is None else self.metadata.get(AT_LEAST)
        return least if type(least) is int and 0 < least <= MOST_AT_LEAST else 0

    def noted(self, **notes: Json) -> Message:
        return replace(self, metadata=FrozenDict({**(self.metadata or {}), **notes}))

    def to_dict(self) -> dict[str, Json]:
        content = self.content
        plain: dict[str, Json] = {
            "role": self.role,
            "content": content if isinstance(content, str) else [part_dict(p) for p in content],
        }
        if self.id is not None:
            plain["id"] = self.id
        if self.timestamp is not None:
            plain["timestamp"] = self.timestamp
        if self.metadata is not None:
            plain["metadata"] = thaw(self.metadata)
        return plain

    @classmethod
    def from_dict(cls, data: Mapping[str, Any] | Message) -> Message:
        if isinstance(data, Message):
            return data
        if type(data) is not dict and not isinstance(data, Mapping):
            raise wrong_type("message", data, "an object with role and content")
        if not (data.keys() <= KNOWN and data.keys() >= NEEDED):
            raise _misshapen(data)
        return cls(**data)


def _misshapen(data: Mapping[str, Any]) -> Refused:
    """Return why an object is not a message: an unknown key, or a missing one."""
    for key in data:
        if key not in KEYS:
            return unknown_key(key, data[key], "a message", KEYS, hint=IMPORT_HINT)
    missing = next(key for key in ("role", "content") if key not in data)
    return Refused(f"the message has no {missing}", missing, legal="role and content")


def _only_identity(metadata: Mapping[str, Json] | None) -> FrozenDict | None:
    return None if metadata is None else _sift(metadata, keeps_others=False)


def without_formats(metadata: Mapping[str, Json]) -> FrozenDict | None:
    """Return the identity that formats noted, and the entries that belong to no format."""
    return _sift(metadata, keeps_others=True)


def _sift(metadata: Mapping[str, Json], *, keeps_others: bool) -> FrozenDict | None:
    kept: dict[str, Json] = {}
    for key, value in metadata.items():
        if key == AT_LEAST:
            continue  # What is rewritten no longer stands for something longer.
        if key not in FORMAT_KEYS:
            if keeps_others or (key in ENGINE_KEYS and isinstance(value, int)):
                kept[key] = value
        elif isinstance(value, Mapping):
            # An empty entry still says which format the message was read from.
            kept[key] = _identity(value)
    return FrozenDict(kept) if kept else None


def _identity(notes: Mapping[str, Json]) -> FrozenDict:
    return FrozenDict(
        {
            key: _identity(value) if isinstance(value, Mapping) else value
            for key, value in notes.items()
            if key in IDENTITY_KEYS or (key in LABEL_KEYS and not _has_text(value))
        }
    )


def _has_text(value: Json) -> bool:
    return isinstance(value, str) or (isinstance(value, tuple) and any(map(_has_text, value)))


def of_parts(
    role: Role,
    parts: tuple[Part, ...],
    id: str | None = None,
    timestamp: int | None = None,
    metadata: FrozenDict | None = None,
) -> Message:
    """Return a message of parts that are known to be read and frozen already, at least one."""
    message = object.__new__(Message)
    put = object.__setattr__
    put(message, "role", role)
    put(message, "content", parts)
    put(message, "id", id)
    put(message, "timestamp", timestamp)
    put(message, "metadata", metadata)
    return message


def read_content(value: object) -> tuple[Part, ...]:
    """Return the parts of a content list, or refuse it."""
    if not isinstance(value, list | tuple):
        raise wrong_type("content", value, "text or a list of parts")
    if not value:
        raise Refused(
            "content [] is empty; an empty message is [{type: 'text', text: ''}]",
            field="content",
            value=[],
            legal="a non-empty text or list of parts",
        )
    return tuple(
        [usual_part(part) or read_part(part, f"content[{i}]") for i, part in enumerate(value)]
    )


def read_messages(value: object, field: str = "messages") -> tuple[Message, ...]:
    """Return messages from a list of messages or of JSON data, or refuse the first bad one."""
    if isinstance(value, str | Mapping | Message) or not isinstance(value, Iterable):
        raise wrong_type(field, value, "a list of messages")
    read = []
    for i, data in enumerate(value):
        try:
            read.append(Message.from_dict(data))
        except Refused as refusal:
            raise refusal.prefixed(f"{field}[{i}]") from None
    return tuple(read)


CALLS = 1
RESULTS = 2
UNCOUNTED = 4
EMPTY_TEXT = 8
NON_OBJECT_INPUT = 16
EMPTY_MESSAGE = 32
THINKING = 64
LATE_RESULT = 128
LINKED = CALLS | RESULTS


class Links(NamedTuple):
    """The ids of the tool calls a message makes and of those it holds results of."""

    calls: tuple[str, ...]
    results: tuple[str, ...]


NO_LINKS = Links((), ())


Facts = tuple[int, Links]
"""What is known of a message without opening it: its flags as one byte, and its links."""
PLAIN: Facts = (0, NO_LINKS)
BLANK: Facts = (EMPTY_TEXT | EMPTY_MESSAGE, NO_LINKS)


def links_of(message: Message) -> Links:
    """Return what ties a message to others."""
    return facts_of(message)[1]


def facts_of(message: Message) -> Facts:
    """Return the facts about a message, found in one pass over its parts."""
    content = message.content
    if isinstance(content, str):
        return BLANK if content.isspace() else PLAIN
    flags, is_silent, seen_others = 0, True, False
    calls: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    for part in content:
        if isinstance(part, ToolResultPart):
            flags |= RESULTS | LATE_RESULT if seen_others else RESULTS
            if not isinstance(part.content, str) and any(map(_is_uncounted, part.content)):
                flags |= UNCOUNTED
            results += (part.tool_use_id,)
            is_silent = False
            continue
        seen_others = True
        if isinstance(part, TextPart):
            if is_blank(part):
                flags |= EMPTY_TEXT
            else:
                is_silent = False
        elif isinstance(part, ThinkingPart):
            flags |= THINKING
        else:
            is_silent = False
            if not isinstance(part, ToolUsePart):
                flags |= UNCOUNTED if _is_uncounted(part) else 0
            elif message.role == "assistant":
                flags |= CALLS | (0 if isinstance(part.input, dict) else NON_OBJECT_INPUT)
                calls += (part.id,)
    links = Links(calls, results) if flags & LINKED else NO_LINKS
    return flags | EMPTY_MESSAGE if is_silent else flags, links


def is_unnamed_result(message: Message) -> bool:
    """Return whether a message is a tool's and names no call."""
    return message.role == "tool" and not message.results


def is_blank(part: Part) -> bool:
    """Return whether a part is an empty text."""
    return isinstance(part, TextPart) and (not part.text or part.text.isspace())


def read_some_messages(value: object, field: str) -> tuple[Message, ...]:
    """Return one message or more from a list."""
    messages = read_messages(value, field)
    if not messages:
        raise Refused(f"{field} [] is empty", field, [], "one message or more")
    return messages


def read_one_message(value: object, field: str) -> Message:
    """Return a message."""
    with refusals_at(field):
        return Message.from_dict(value)  # type: ignore[arg-type]


def read_message_or_messages(value: object, field: str) -> tuple[Message, ...]:
    """Return one message or more, given alone or in a list."""
    if isinstance(value, Message | Mapping):
        return (read_one_message(value, field),)
    return read_some_messages(value, field)


OneMessage = Annotated[Message, Checked(read_one_message)]
SomeMessages = Annotated[tuple[Message, ...], Checked(read_some_messages)]
MessageOrMessages = Annotated[tuple[Message, ...], Checked(read_message_or_messages)]
