"""Markdown: a conversation as a text for people, which nothing can be read back from."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import Any

from ..conversation.conversation import Conversation
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
from ..values.frozen import thaw
from .base import Layout, WriteOnly, Written
from .losses import conversation_losses
from .tools import META_KEY
from .warnings import WarningCollector

FENCE = "`"
SHORTEST_FENCE = 3
RUNS = re.compile(r"`+")
UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that a reader would not see, or that would turn the text around."""
WILD = re.compile(
    r"[<&\\]|```|~~~|!\[|^\s*\[[^\]]*\]:|^(?: {4}|\t)|^\s*(?:=+|-+)\s*$", re.MULTILINE
)
"""What is not shown as it is: markup, pictures, definitions, code by indentation, rules."""
MARKUP = re.compile(r"([\\`*_{}\[\]<>#!|&~])")
TITLES = {"system": "System", "user": "User", "assistant": "Assistant", "tool": "Tool"}


class Markdown(WriteOnly):
    """Roles as headings, texts quoted, calls and results in fences that no content can close."""

    name = "markdown"
    about = "a text for people, with roles as headings"
    suffixes = (".md", ".markdown")

    def write(self, conversation: Conversation) -> Written:
        """Return the visible messages as text, after the title and the names of the tools."""
        title = conversation.meta.get("title")
        tools = conversation.meta.get(META_KEY)
        warnings = WarningCollector()
        blocks = (
            [f"# {_escaped(one_line(title))}"] if isinstance(title, str) and title.strip() else []
        )
        if isinstance(tools, tuple) and tools:
            blocks += ["## Tools", *(_fenced(_json(tool), "json") for tool in tools)]
        for raw, message in zip(conversation.view, conversation.visible, strict=True):
            blocks += _message(raw, message)
            if message.metadata is not None or any(part.metadata for part in message.parts):
                warnings.add("metadata-left-out", raw)
        held = [key for key in ("title", META_KEY) if key in conversation.meta]
        adapted = (*conversation_losses(conversation, *held), *warnings.found())
        return Written("\n\n".join(blocks) + "\n", adapted, Layout.TEXT)


def _message(raw: int, message: Message) -> list[str]:
    said = [f"## {raw} · {TITLES[message.role]}"]
    facts = []
    if message.timestamp is not None:
        moment = datetime.fromtimestamp(message.timestamp / 1_000, UTC)
        facts.append(moment.strftime("%Y-%m-%d %H:%M:%S UTC"))
    if message.id is not None:
        facts.append(f"id {_code(message.id)}")
    return [*said, *([" · ".join(facts)] if facts else []), *map(_part, message.parts)]


def _part(part: Part) -> str:
    match part:
        case TextPart():
            return _text(part.text)
        case ThinkingPart():
            signed = "" if part.signature is None else f"\n\nSignature: {_code(part.signature)}"
            return f"**Thinking**\n\n{_text(part.text)}{signed}"
        case ImagePart():
            return f"**Image** {_code(part.url)}"
        case ToolUsePart():
            call = f"**Call** of {_code(part.name)}, id {_code(part.id)}"
            return f"{call}\n\n{_fenced(_json(part.input), 'json')}"
        case ToolResultPart():
            failed = ", an error" if part.is_error else ""
            inside = part.content
            body = [_result_text(inside)] if isinstance(inside, str) else [_part(p) for p in inside]
            return "\n\n".join([f"**Result** of {_code(part.tool_use_id)}{failed}", *body])
        case DataPart():
            return f"**Data**\n\n{_fenced(_json(part.data), 'json')}"


def _text(text: str) -> str:
    """Return the text of a message, so that it can't look like a part of this document.

    It is quoted; what Markdown would hide, fetch or change goes into a fence.
    """
    if not text.strip():
        return "*(empty)*"
    text = text.replace("\r\n", "\n")
    if WILD.search(text) or UNSAFE.search(text):
        return _fenced(text, "text")
    # Two spaces keep a line break, which Markdown would else take for a space.
    return "\n".join(f"> {line}  " if line.strip() else ">" for line in text.splitlines())


def _result_text(text: str) -> str:
    """Return what a tool answered, as JSON where it is an object or a list of such."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return _text(text)
    return _fenced(text, "json") if isinstance(value, dict | list) else _text(text)


def _fenced(text: str, language: str) -> str:
    """Return a block whose fence is longer than any within it."""
    longest = max((len(run) for run in RUNS.findall(text)), default=0)
    fence = FENCE * max(SHORTEST_FENCE, longest + 1)
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    return f"{fence}{language}\n{_visible(plain)}\n{fence}"


def _code(text: str) -> str:
    """Return a word between backticks, more of them than it has itself, on one line."""
    word = one_line(text) or " "
    longest = max((len(run) for run in RUNS.findall(word)), default=0)
    marks, space = FENCE * (longest + 1), " " if longest else ""
    return f"{marks}{space}{word}{space}{marks}"


def one_line(text: str) -> str:
    """Return a text without line breaks."""
    return _visible(" ".join(text.split()))


def _escaped(text: str) -> str:
    return MARKUP.sub(r"\\\1", text)


def _visible(text: str) -> str:
    """Return a text with an escape for each character that can't be seen."""
    return UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _json(value: Any) -> str:
    return json.dumps(thaw(value), ensure_ascii=False, indent=2)
