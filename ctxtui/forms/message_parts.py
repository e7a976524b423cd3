"""The parts of a message as the user edits them: a name, an id and a text each.

Only what is JSON by nature is written as JSON: the input of a call, and content that is a list.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ctxtui.core import Refused
from ctxtui.core.engine.messages import without_formats
from ctxtui.core.formats import read_json
from ctxtui.core.values.frozen import thaw
from ctxtui.text.symbols import escaped, printable

PartKind = Literal["text", "tool_use", "tool_result", "thinking", "image", "data"]
WORDS: dict[str, str] = {
    "text": "text",
    "tool_use": "call",
    "tool_result": "result",
    "thinking": "thinking",
    "image": "image",
    "data": "data",
}
"""What a part is called."""
TAKES: dict[str, str] = {
    "text": "text",
    "tool_use": "what it is given, as JSON",
    "tool_result": "what it answered",
    "thinking": "thinking",
    "image": "the address of the picture",
    "data": "JSON",
}
"""What is written into the large field."""
NO_INPUT = "{}"
"""What a call without arguments is given."""
NEW_PARTS: dict[str, PartKind] = {"assistant": "tool_use", "tool": "tool_result"}
"""What a role has in addition to text: the part that is added when another one is wanted."""


@dataclass(frozen=True)
class PartDraft:
    """A part while it is edited; ``rest`` is what no field shows, and is kept."""

    kind: PartKind = "text"
    text: str = ""
    name: str = ""
    id: str = ""
    is_json: bool = False
    rest: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        text = "" if self.kind == "tool_use" and self.text.strip() == NO_INPUT else self.text
        return not (text.strip() or self.name.strip() or self.id.strip())

    @property
    def is_showable(self) -> bool:
        """Return whether an editor can show all of it as it is."""
        texts = (self.name, self.id) if self.is_json else (self.name, self.id, self.text)
        return all(is_plain(text) for text in texts)

    @property
    def problem(self) -> str | None:
        if not self.is_json:
            return None
        try:
            read_json(self.text)
        except Refused as refusal:
            return str(refusal)
        return None

    def written(self, text: str, name: str, id: str) -> PartDraft:
        """Return the part with what its fields hold now.

        A signature and what a format kept about the part belong to the content it had before.
        """
        if (text, name, id) == (self.text, self.name, self.id):
            return self
        rest = {key: value for key, value in self.rest.items() if key != "signature"}
        metadata = without_formats(rest.pop("metadata", None) or {})
        if metadata:
            rest["metadata"] = thaw(metadata)
        return replace(self, text=text, name=name, id=id, rest=rest)

    def to_dict(self) -> dict[str, Any]:
        """Return the part as JSON data; what can't be read is left as text for the engine."""
        body: Any = self.text
        if self.is_json and self.problem is None:
            body = read_json(self.text)
        made: dict[str, Any] = {"type": self.kind}
        outer = {k: v for k, v in self.rest.items() if k == "metadata"}
        inner = {k: v for k, v in self.rest.items() if k != "metadata"}
        match self.kind:
            case "text":
                made["text"] = body
            case "tool_use":
                made["tool_use"] = {"id": self.id, "name": self.name, "input": body}
            case "tool_result":
                made["tool_result"] = {"tool_use_id": self.id, "content": body, **inner}
            case "thinking":
                made["thinking"] = {"text": body, **inner}
            case "image":
                made["image_url"] = {"url": body}
            case "data":
                made["data"] = body
        return {**made, **outer}


def new_part(role: str) -> PartDraft:
    """Return an empty part of the kind that a role has in addition to text."""
    kind = NEW_PARTS.get(role, "text")
    is_call = kind == "tool_use"
    return PartDraft(kind, NO_INPUT if is_call else "", is_json=is_call)


def parts_of(content: Any) -> list[PartDraft]:
    """Return the parts of a message's content, each ready to be edited."""
    if isinstance(content, str):
        return [PartDraft(text=content)]
    return [_draft(part) for part in content]


def _draft(part: Mapping[str, Any]) -> PartDraft:
    rest = {"metadata": part["metadata"]} if part.get("metadata") is not None else {}
    match part["type"]:
        case "tool_use":
            call = part["tool_use"]
            text = pretty(call["input"])
            return PartDraft("tool_use", text, call["name"], call["id"], is_json=True, rest=rest)
        case "tool_result":
            result = part["tool_result"]
            more = {k: v for k, v in result.items() if k not in ("tool_use_id", "content")}
            content = result["content"]
            is_json = not isinstance(content, str)
            text = pretty(content) if is_json else content
            id = result["tool_use_id"]
            return PartDraft("tool_result", text, "", id, is_json=is_json, rest={**more, **rest})
        case "thinking":
            thought = part["thinking"]
            more = {k: v for k, v in thought.items() if k != "text"}
            return PartDraft("thinking", thought["text"], rest={**more, **rest})
        case "image":
            return PartDraft("image", part["image_url"]["url"], rest=rest)
        case "data":
            return PartDraft("data", pretty(part["data"]), is_json=True, rest=rest)
        case _:
            return PartDraft("text", part["text"], rest=rest)


def content_of(parts: list[PartDraft], *, as_list: bool) -> Any:
    """Return the content of a message; parts that hold nothing are left out.

    One text is a plain text, unless the content was a list or something hangs on the part.
    """
    full = [part for part in parts if not part.is_empty]
    is_text = len(full) <= 1 and all(part.kind == "text" and not part.rest for part in full)
    if is_text and not as_list:
        return full[0].text if full else ""
    return [part.to_dict() for part in full]


def read_parts(message: Any) -> list[PartDraft] | None:
    """Return the parts of a message given as JSON data, or None if it can't be edited so."""
    content = message.get("content") if isinstance(message, Mapping) else None
    if not isinstance(content, str | list) or not content:
        return None
    try:
        parts = parts_of(content)
    except (KeyError, TypeError, AttributeError):
        return None
    return parts if all(part.is_showable for part in parts) else None


def is_plain(content: Any) -> bool:
    """Return whether a content is text that an editor can show as it is.

    Control characters and the like are shown as JSON writes them: a terminal would act on them.
    """
    if not isinstance(content, str):
        return False
    return all(printable(line) == line for line in content.expandtabs(1).split("\n"))


def pretty(value: Any) -> str:
    """Return data as JSON to be edited: text as itself, but for what a terminal would act on."""
    return escaped(json.dumps(value, ensure_ascii=False, indent=1))
