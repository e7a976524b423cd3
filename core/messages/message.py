"""Messages: validated and frozen once at the border, then shared by everything."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..errors import Refused, key_name, not_a, shown
from ..values.frozen import FrozenDict, freeze_object, thaw
from ..values.roles import Role, read_role
from ..values.times import read_time
from .parts import (
    DataPart,
    ImagePart,
    Json,
    Part,
    TextPart,
    ThinkingPart,
    ToolResultPart,
    ToolUsePart,
    part_dict,
    read_part,
    usual_part,
)
from .searchable import searchable

KEYS = ("role", "content", "id", "timestamp", "metadata")
KNOWN, NEEDED = frozenset(KEYS), frozenset(KEYS[:2])
UNCOUNTED_PARTS = (ImagePart, DataPart)
IMPORT_HINT = "import the file if it comes from a provider"
METADATA_HINT = "what else is known of a message goes into its metadata"
"""What helps with an unknown key, outside a file of ours and inside one."""


FORMAT_KEYS = frozenset(
    (
        *("agent_framework", "alpaca", "anthropic", "chatgpt", "claude-code", "codex", "gemini"),
        *("hf", "inspect", "langchain", "langgraph", "ollama", "openai", "otel", "pydantic_ai"),
        *("requests", "responses", "sharegpt", "swe-agent", "tau-bench"),
    )
)
"""The metadata keys under which formats keep what core has no place for."""
LABEL_KEYS = frozenset(("loss", "loss_mask", "rating", "score", "train", "weight"))
"""Numbers and flags that data sets give messages, for training; they repeat no text."""
ENGINE_KEYS = frozenset(("copiedFrom", "squashedFrom"))
"""The metadata keys of the engine: numbers of messages."""
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
        """Validate and freeze what the caller gave."""
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
            raise not_a("id", self.id, "text")
        if self.timestamp is not None:
            read_time(self.timestamp, "timestamp")
        if self.metadata is not None:
            object.__setattr__(self, "metadata", freeze_object(self.metadata, "metadata"))

    @property
    def parts(self) -> tuple[Part, ...]:
        """Return the content as parts, also where it is a plain text."""
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
        """Return the ids of the tool calls in an assistant message."""
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
        """Return how many parts (images, provider data) no token counter can see."""
        if isinstance(self.content, str):
            return 0
        count = 0
        for part in self.content:
            if isinstance(part, UNCOUNTED_PARTS):
                count += 1
            elif isinstance(part, ToolResultPart) and isinstance(part.content, tuple):
                count += sum(isinstance(inner, UNCOUNTED_PARTS) for inner in part.content)
        return count

    def edited(self, content: str | tuple[Part, ...]) -> Message:
        """Return a copy with other content, without what formats kept about the old one.

        A format's entry in the metadata repeats or describes the content it was read with, so it
        is dropped where the content changes: that of the message, and that of each changed part.
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

        All metadata goes but for who said it and how it is linked: any of it may repeat the text,
        also where nothing but calls is said, which stay with their own.
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
        """Return whether two messages differ in metadata at most."""
        return _bare(self) == _bare(other)

    def noted(self, **notes: Json) -> Message:
        """Return a copy with more metadata."""
        return replace(self, metadata=FrozenDict({**(self.metadata or {}), **notes}))

    def to_dict(self) -> dict[str, Json]:
        """Return the message as JSON-ready data."""
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
        """Return a message from JSON data, or refuse it in one sentence."""
        if isinstance(data, Message):
            return data
        if type(data) is not dict and not isinstance(data, Mapping):
            raise not_a("message", data, "an object with role and content")
        if not (data.keys() <= KNOWN and data.keys() >= NEEDED):
            raise _misshapen(data)
        return cls(**data)


def _misshapen(data: Mapping[str, Any]) -> Refused:
    """Return why an object is no message: a key nobody knows, or one that is missing."""
    for key in data:
        if key not in KEYS:
            return Refused(
                f"{shown(key)} is not a key of a message ({', '.join(KEYS)})",
                field=key_name(key),
                value=data[key],
                legal=", ".join(KEYS),
                hint=IMPORT_HINT,
            )
    missing = next(key for key in ("role", "content") if key not in data)
    return Refused(f"the message has no {missing}", field=missing, legal="role and content")


def _bare(message: Message) -> Message:
    parts = tuple(replace(part, metadata=None) for part in message.parts)
    return replace(message, content=parts, metadata=None)


def _only_identity(metadata: Mapping[str, Json] | None) -> FrozenDict | None:
    """Return the identity that formats noted, and nothing else."""
    return None if metadata is None else _sift(metadata, keeps_others=False)


def without_formats(metadata: Mapping[str, Json]) -> FrozenDict | None:
    """Return the identity that formats noted, and the entries that belong to no format."""
    return _sift(metadata, keeps_others=True)


def _sift(metadata: Mapping[str, Json], *, keeps_others: bool) -> FrozenDict | None:
    kept: dict[str, Json] = {}
    for key, value in metadata.items():
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


def of_parts(role: Role, parts: tuple[Part, ...]) -> Message:
    """Return a message of parts that are known to be read and frozen already, at least one."""
    message = object.__new__(Message)
    put = object.__setattr__
    put(message, "role", role)
    put(message, "content", parts)
    put(message, "id", None)
    put(message, "timestamp", None)
    put(message, "metadata", None)
    return message


def read_content(value: object) -> tuple[Part, ...]:
    """Return the parts of a content list, or refuse it."""
    if not isinstance(value, list | tuple):
        raise not_a("content", value, "text or a list of parts")
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
        raise not_a(field, value, "a list of messages")
    read = []
    for i, data in enumerate(value):
        try:
            read.append(Message.from_dict(data))
        except Refused as refusal:
            raise refusal.inside(f"{field}[{i}]") from None
    return tuple(read)
