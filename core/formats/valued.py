"""Messages with parts of type and value: text, reasoning, calls as JSON text, in their order."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..errors import Refused, not_a
from ..messages.message import Message
from ..messages.parts import (
    DataPart,
    ImagePart,
    Part,
    TextPart,
    ThinkingPart,
    ToolResultPart,
    ToolUsePart,
    read_part,
)
from ..values.frozen import thaw
from .call_texts import loses_id, read_call_text, write_call_text
from .chat.content import ABSENT, EMPTY_LIST, LIST, NULL, TEXT, form_of
from .notes import Notes, merged, without
from .pairing import OUT_OF_ORDER, Waiting, in_a_row
from .roles import ROLES, core_role
from .rows import read_rows
from .together import read_together, write_together
from .warnings import FormatWarning, WarningCollector, as_role, bare, kept_keys

Row = dict[str, Any]
CALL = "tool_call"


def has_values(rows: Sequence[object]) -> bool:
    """Tell whether messages have parts of type and value."""
    contents = [row.get("content") for row in rows if isinstance(row, Mapping)]
    parts = [part for content in contents if isinstance(content, list) for part in content]
    return any(isinstance(part, Mapping) and {"type", "value"} <= set(part) for part in parts)


def read_valued(
    rows: Sequence[object], own: Notes
) -> tuple[tuple[Message, ...], tuple[FormatWarning, ...]]:
    """Return core messages and what was adapted."""
    results = in_a_row(isinstance(row, Mapping) and row.get("role") == "tool" for row in rows)
    reader = _Reader(own, results)
    messages = read_rows(rows, reader.read, reader.warnings)
    return tuple(messages), reader.warnings.found()


def write_valued(
    messages: Iterable[tuple[int, Message]], own: Notes
) -> tuple[list[Row], tuple[FormatWarning, ...]]:
    """Return such messages for messages with their raw indices, and what was left out."""
    writer = _Writer(own)
    rows = [row for raw, message in messages for row in writer.write(raw, message)]
    return rows, writer.warnings.found()


class _Reader:
    """Reads message after message, and remembers which calls wait for a result."""

    def __init__(self, own: Notes, in_a_row: Sequence[int]) -> None:
        self.warnings = WarningCollector()
        self._own = own
        self._waiting = Waiting()
        self._in_a_row = in_a_row

    def read(self, row: object, place: int) -> Message:
        """Return one such message as a core message."""
        if not isinstance(row, Mapping):
            raise not_a("message", row, "an object with a role")
        name = row.get("role")
        if not isinstance(name, str):
            raise not_a("role", name, f"one of {', '.join(ROLES)}")
        role, form = core_role(name), form_of(row)
        notes = without(row, "role", "content")
        if notes:
            self.warnings.add("keys-kept", place, *kept_keys(self._own.key, notes))
        if role != name:
            notes["role"] = name
            self.warnings.add("role-read-as", place, as_role(name, role))
        if form != LIST:
            notes["content"] = form
        content = row.get("content") or ""
        if not isinstance(content, str):
            content = [self._part(part, role, place, i) for i, part in enumerate(content)]
        if role == "tool":
            content = self._result(content, place)
        elif not any(part["type"] == "tool_use" for part in content if not isinstance(part, str)):
            self._waiting.forget()
        content = content or [{"type": "text", "text": ""}]
        return Message.from_dict({"role": role, "content": content, **self._own.kept(notes)})

    def _result(self, content: Any, place: int) -> Any:
        """Return the content of a tool's message as the result of the call that waits."""
        if not isinstance(content, str) and any(part["type"] == "thinking" for part in content):
            return content
        is_one = not isinstance(content, str) and len(content) == 1
        text = content
        if is_one and content[0].keys() == {"type", "text"}:
            text = content[0]["text"]
        results = self._in_a_row[place]
        if isinstance(text, str):
            parts = read_together(self._own, text, self._waiting, results, place, self.warnings)
            if parts:
                return parts
        id = self._waiting.answer()
        if id is None:
            return content
        content = text
        return [{"type": "tool_result", "tool_result": {"tool_use_id": id, "content": content}}]

    def _part(self, part: object, role: str, place: int, number: int) -> Row:
        if not isinstance(part, Mapping):
            raise not_a(f"content[{number}]", part, "an object with type and value")
        notes = without(part, "type", "value")
        match part:
            case {"type": "text", "value": str(text)}:
                return {"type": "text", "text": text, **self._own.kept(notes)}
            case {"type": "reasoning", "value": str(text)}:
                return {"type": "thinking", "thinking": {"text": text}, **self._own.kept(notes)}
            case {"type": "image_url", "value": str(url)}:
                return {"type": "image", "image_url": {"url": url}, **self._own.kept(notes)}
            case {"type": "tool_call", "value": str() | dict() as value} if role == "assistant":
                call = self._call(value, notes, place, number)
                if call is not None:
                    return call
        told = "part-kept-as-data"
        self.warnings.add(told, place, bare(part.get("type")))
        return {"type": "data", "data": part, "metadata": {self._own.key: {}}}

    def _call(self, value: Any, notes: Row, place: int, number: int) -> Row | None:
        text = value if isinstance(value, str) else json.dumps(value)
        calls = read_call_text(self._own, text, place, self.warnings, number)
        if len(calls) != 1:
            return None
        (call,) = calls
        part = read_part(call, "content")
        if isinstance(part, ToolUsePart):
            self._waiting.call(part.id, part.name)
            if value is not text:
                notes["value"] = None
            elif write_call_text(self._own, [part], None) != text:
                notes["value"] = text
        known = call.get("metadata", {}).get(self._own.key, {})
        return {**call, **self._own.kept({**known, "part": notes} if notes else known)}


class _Writer:
    """Writes message after message; a message with several results becomes several."""

    def __init__(self, own: Notes) -> None:
        self.warnings = WarningCollector()
        self._own = own
        self._waiting = Waiting()

    def write(self, raw: int, message: Message) -> list[Row]:
        """Return such messages for one message: its results, and whatever else it says."""
        self._tell_left_out(raw, message)
        notes = self._own.of(message.metadata)
        results = [part for part in message.parts if isinstance(part, ToolResultPart)]
        rest = [part for part in message.parts if not isinstance(part, ToolResultPart)]
        answers = [self._answer(raw, part) for part in results]
        together = write_together(self._own, results)
        answers = answers if together is None else [(TextPart(together),)]
        rows = [self._row("tool", answer, notes) for answer in answers]
        if rest or not rows:
            if not any(isinstance(part, ToolUsePart) for part in rest):
                self._waiting.forget()
            rows.append(self._row(message.role, rest, notes))
        if len(rows) > 1:
            self.warnings.add("message-split", raw)
        noted = notes.get("role")
        if isinstance(noted, str) and core_role(noted) == rows[0]["role"]:
            rows[0]["role"] = noted
        rows[0] = merged(rows[0], without(notes, "role", "content"))
        return rows

    def _answer(self, raw: int, result: ToolResultPart) -> Sequence[Part]:
        if self._waiting.answer() != result.tool_use_id:
            self.warnings.add(OUT_OF_ORDER, raw)
        content = result.content
        return (TextPart(content),) if isinstance(content, str) else content

    def _row(self, role: str, parts: Sequence[Part], notes: Row) -> Row:
        form = notes.get("content")
        held = [part for part in parts if self._holds(role, part)]
        is_text = len(held) == 1 and isinstance(held[0], TextPart)
        text = held[0].text if held and isinstance(held[0], TextPart) else ""
        if form in (ABSENT, NULL, EMPTY_LIST) and not text and len(held) == is_text:
            row: Row = {"role": role}
            return row if form == ABSENT else {**row, "content": None if form == NULL else []}
        if form == TEXT and is_text and not self._own.of(held[0].metadata):
            return {"role": role, "content": text}
        return {"role": role, "content": [self._part(part) for part in held]}

    def _holds(self, role: str, part: Part) -> bool:
        match part:
            case ToolUsePart():
                return role == "assistant"
            case DataPart():
                return self._own.is_in(part.metadata)
        return not isinstance(part, ToolResultPart)

    def _part(self, part: Part) -> Row:
        notes = self._own.of(part.metadata)
        match part:
            case TextPart():
                return merged({"type": "text", "value": part.text}, notes)
            case ThinkingPart():
                return merged({"type": "reasoning", "value": part.text}, notes)
            case ImagePart():
                return merged({"type": "image_url", "value": part.url}, notes)
            case ToolUsePart():
                about = notes.get("part") or {}
                self._waiting.call(part.id, part.name)
                text = write_call_text(self._own, [part], about.get("value"))
                is_object = "value" in about and about["value"] is None
                value = json.loads(text) if is_object else text
                return merged({"type": CALL, "value": value}, about)
            case DataPart():
                data: Row = thaw(part.data)
                return data
        raise Refused(f"{part.type} parts have no place there", field="content")

    def _tell_left_out(self, raw: int, message: Message) -> None:
        """Note everything about a message that none of these will hold."""
        beside = {
            "id-left-out": message.id is not None,
            "timestamp-left-out": message.timestamp is not None,
            "metadata-left-out": self._own.has_others(message.metadata),
        }
        for code in (code for code, true in beside.items() if true):
            self.warnings.add(code, raw)
        for part in message.parts:
            if self._own.has_others(part.metadata):
                self.warnings.add("metadata-left-out", raw)
            match part:
                case ToolUsePart() if message.role == "assistant" and loses_id(self._own, part):
                    self.warnings.add("call-id-left-out", raw)
                case ToolResultPart() if part.is_error:
                    self.warnings.add("error-flag-left-out", raw)
                case ThinkingPart() if part.signature is not None:
                    self.warnings.add("signature-left-out", raw)
                case _ if not isinstance(part, ToolResultPart) and not self._holds(
                    message.role, part
                ):
                    self.warnings.add("part-left-out", raw, part.type)
