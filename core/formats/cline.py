"""Cline, Roo Code and Kilo Code: Anthropic messages with times, summaries and truncations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..engine.messages import Message, Part, TextPart, ThinkingPart
from ..errors import Refused
from .agents import TranscriptBuilder, message, texts_in
from .anthropic import read_turn
from .base import JsonFormat, Loaded, ReadOnly, rows_in
from .detection import each
from .fields import is_object, read_timestamp
from .format_metadata import FormatMetadata, without
from .transcripts import Act, Row, compaction, hiding
from .usage import UsageKeys, call_of
from .warnings import WarningCollector

NOTES = FormatMetadata("cline")
USAGE = UsageKeys(("inputTokens",), ("outputTokens",), "cacheReadTokens", "cacheWriteTokens")
SUMMARY = "summary"
"""The label of a message that stands for others, which are not in the file."""


class Cline(ReadOnly, JsonFormat):
    """The history of a task, with what it hides, or a session with its prompt."""

    name = NOTES.key
    about = "a task of Cline, Roo Code or Kilo Code"
    kinds = ("a Cline or Roo Code task",)
    takes_lists = True
    sure_signs = (
        each({"ts": int, "role": str, "content": object}),
        {"condenseParent": str},
        {"truncationParent": str},
        {"isTruncationMarker": True},
        {"sessionId": str, "agent": object, "version": object, "messages": list},
    )

    def read_one(self, value: Any) -> Loaded:
        warnings = WarningCollector()
        rows = rows_in(value, "messages") or []
        reader = _TaskReader(rows, warnings)
        fields = without(value, "messages", "system_prompt") if is_object(value) else {}
        prompt = value.get("system_prompt") if is_object(value) else None
        if isinstance(prompt, str) and prompt:
            reader.add_prompt(prompt)
        reader.builder.fields = fields
        for place, row in enumerate(rows):
            if is_object(row):
                reader.add(place, row)
        if not reader.builder.has_messages:
            raise Refused("there is no message in it", field="messages")
        return Loaded(reader.builder.conversation(), self.name, warnings.found())


class _TaskReader:
    def __init__(self, rows: Sequence[Any], warnings: WarningCollector) -> None:
        self.builder = TranscriptBuilder(NOTES, warnings)
        self._prompt: list[str] = []
        """The node of the system prompt, which is sent after a summary, too."""
        self._truncated: dict[str, list[str]] = {}
        """What a truncation hides, by its id."""

    def add_prompt(self, text: str) -> None:
        """Begin with the system prompt of a session."""
        self._prompt = [self.builder.add([Message("system", text)])]

    def add(self, place: int, row: Mapping[str, Any]) -> None:
        found = self.builder.read(place, row, lambda: self._messages(place, row))
        act: Act | None = None
        if row.get("isSummary") is True and found:
            act = compaction("condense", self._prompt)
        elif row.get("isTruncationMarker") is True:
            id = row.get("truncationId")
            act = hiding("truncation", self._truncated.get(id, ()) if isinstance(id, str) else ())
        is_answer = row.get("role") == "assistant"
        said_by = row.get("modelInfo")
        time, model = (
            read_timestamp(row.get("ts")),
            said_by.get("id") if is_object(said_by) else None,
        )
        calls = call_of(row.get("metrics"), USAGE, time, model=model) if is_answer else []
        name = self.builder.add(found, line=place, act=act, calls=calls)
        parent = row.get("truncationParent")
        if isinstance(parent, str):
            self._truncated.setdefault(parent, []).append(name)
        about = row.get("metadata")
        kind = about.get("kind") if is_object(about) else None
        if found and found[0].id and kind in ("compaction", "compaction_summary"):
            self.builder.labels.append((found[0].id, SUMMARY))

    def _messages(self, place: int, row: Mapping[str, Any]) -> list[Message]:
        notes: Row = {"row": without(row, "content", "reasoning_content")}
        time, id = row.get("ts"), row.get("id")
        if row.get("type") == "reasoning" and "role" not in row:
            thought = ThinkingPart(texts_in(row.get("summary")), None)
            return [message(NOTES, "assistant", [thought], {"row": row}, time, id)]
        role, content, _ = read_turn(
            {"role": row.get("role"), "content": _texts(row.get("content"))},
            place,
            self.builder.warnings,
        )
        thought_of = row.get("reasoning_content")
        if isinstance(thought_of, str) and thought_of:
            said: Sequence[Part] = [TextPart(content)] if isinstance(content, str) else content
            content = [ThinkingPart(thought_of), *said]
        return [message(NOTES, role, content, notes, time, id)]


def _texts(content: object) -> object:
    """Return a content whose files are texts, as they are sent."""
    if not isinstance(content, list):
        return content
    return [
        {"type": "text", "text": one["content"], **without(one, "type", "content")}
        if is_object(one) and one.get("type") == "file" and isinstance(one.get("content"), str)
        else one
        for one in content
    ]
