"""Writes core messages as chat messages, and tells what those can't hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from ...messages.message import Message
from ...messages.parts import Part, TextPart, ThinkingPart, ToolResultPart, ToolUsePart
from ..notes import Notes, merged, without
from ..roles import core_role
from ..together import NOTE as TOGETHER
from ..together import write_together
from ..warnings import FormatWarning, WarningCollector
from .calls import LEGACY, MADE_ID, is_legacy, write_call, write_legacy
from .content import ABSENT, LIST, NULL, TEXT, holds, usual_form, write_content
from .dialect import thinking_keys

ChatRow = dict[str, Any]


def write_chat(
    messages: Iterable[tuple[int, Message]], own: str | Notes = "openai"
) -> tuple[list[ChatRow], tuple[FormatWarning, ...]]:
    """Return chat messages for messages with their raw indices, and what was left out."""
    writer = _Writer(Notes(own) if isinstance(own, str) else own)
    rows = [row for raw, message in messages for row in writer.write(raw, message)]
    return rows, writer.warnings.found()


class _Writer:
    """Writes message after message; one of core may be several of chat."""

    def __init__(self, own: Notes) -> None:
        self._own = own
        self.warnings = WarningCollector()
        self._legacy: dict[str, str] = {}

    def write(self, raw: int, message: Message) -> list[ChatRow]:
        """Return the chat messages for one message: its results, and whatever else it says."""
        self._tell_left_out(raw, message)
        notes = self._own.of(message.metadata)
        every = message.parts
        results = [part for part in every if isinstance(part, ToolResultPart)]
        calls = [part for part in every if isinstance(part, ToolUsePart)]
        calls = calls if message.role == "assistant" else []
        parts = [part for part in every if holds(self._own, part)]
        rest = without(notes, "role", "content")
        if results and not parts and not calls and not self._thoughts(message):
            together = write_together(self._own, results)
            if together is None:
                rows = [self._result(raw, message, part, notes) for part in results]
            else:
                rows = [{"role": _role(message, notes), "content": together}]
            rows[0] = merged(rows[0], rest)
            self._tell_split(raw, rows)
            return rows
        own = merged(self._row(message, parts, calls, notes), rest)
        answers = [self._result(raw, message, part, {}) for part in results]
        # Results must follow their calls at once, which stand here or in the message before.
        calls_first = message.role == "assistant"
        rows = [own, *answers] if calls_first else [*answers, own]
        self._tell_split(raw, rows)
        told: list[Part] = [*parts, *calls, *results] if calls_first else [*results, *parts]
        place = {id(part): i for i, part in enumerate(every)}
        if any(place[id(one)] > place[id(next)] for one, next in pairwise(told)):
            self.warnings.add("parts-reordered", raw)
        return rows

    def _row(
        self, message: Message, parts: Sequence[Part], calls: list[ToolUsePart], notes: ChatRow
    ) -> ChatRow:
        """Return a chat message with content and calls."""
        usual = usual_form(self._own, parts, beside_calls=bool(calls))
        content = write_content(self._own, parts, notes.get("content"), usual)
        row = {"role": _role(message, notes), **content, **self._thoughts(message)}
        legacy = next((call for call in calls if is_legacy(self._own, call)), None)
        rows = [write_call(self._own, call) for call in calls if call is not legacy]
        if rows:
            row["tool_calls"] = rows
        if legacy is not None:
            self._legacy[legacy.id] = legacy.name
            row[LEGACY] = write_legacy(self._own, legacy)
        return row

    def _thoughts(self, message: Message) -> ChatRow:
        """Return the reasoning under the key that a dialect has for it."""
        keys = thinking_keys(self._own) if message.role == "assistant" else ()
        thoughts = [part for part in message.parts if isinstance(part, ThinkingPart)]
        if not keys or not thoughts:
            return {}
        noted = self._own.of(thoughts[0].metadata).get("key")
        key = noted if noted in keys else keys[0]
        return {key: "\n\n".join(part.text for part in thoughts)}

    def _result(
        self, raw: int, message: Message, result: ToolResultPart, notes: ChatRow
    ) -> ChatRow:
        """Return a chat message with the result of a call."""
        if message.role != "tool":
            self.warnings.add("result-becomes-tool", raw)
        content = result.content
        parts = (TextPart(content),) if isinstance(content, str) else content
        usual = TEXT if isinstance(content, str) else LIST
        noted = notes.get("content") if content == "" else None
        held = [part for part in parts if holds(self._own, part)]
        form = noted if noted in (ABSENT, NULL) else usual
        entry = write_content(self._own, held, form, usual)
        role = _role(message, notes)
        if role == "function":
            return {"role": role, **entry}
        if result.tool_use_id in self._legacy:
            return {"role": "function", "name": self._legacy[result.tool_use_id], **entry}
        if {MADE_ID, TOGETHER} & set(self._own.of(result.metadata)):
            return {"role": role, **entry}
        return {"role": "tool", "tool_call_id": result.tool_use_id, **entry}

    def _tell_split(self, raw: int, rows: list[ChatRow]) -> None:
        if len(rows) > 1:
            self.warnings.add("message-split", raw)

    def _tell_left_out(self, raw: int, message: Message) -> None:
        """Note everything about a message that no chat message of it will hold."""
        beside = {
            "id-left-out": message.id is not None,
            "timestamp-left-out": message.timestamp is not None,
            "metadata-left-out": self._own.has_others(message.metadata),
        }
        for code, true in beside.items():
            if true:
                self.warnings.add(code, raw)
        for part in message.parts:
            self._tell_part(raw, message, part)

    def _tell_part(self, raw: int, message: Message, part: Part) -> None:
        if self._own.has_others(part.metadata):
            self.warnings.add("metadata-left-out", raw)
        match part:
            case ToolUsePart():
                if message.role != "assistant":
                    self.warnings.add("call-left-out", raw)
            case ToolResultPart():
                if part.is_error:
                    self.warnings.add("error-flag-left-out", raw)
                for inside in part.content if isinstance(part.content, tuple) else ():
                    self._tell_part(raw, message, inside)
            case ThinkingPart() if message.role == "assistant" and thinking_keys(self._own):
                if part.signature is not None:
                    self.warnings.add("signature-left-out", raw)
            case _ if not holds(self._own, part):
                self.warnings.add("part-left-out", raw, part.type)


def _role(message: Message, notes: ChatRow) -> str:
    """Return the name that a role was read by, as long as it is that of the role."""
    noted = notes.get("role")
    return noted if isinstance(noted, str) and core_role(noted) == message.role else message.role
