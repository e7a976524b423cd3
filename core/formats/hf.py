"""Hugging Face: chat with arguments as objects, or messages with parts of type and value."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
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
from ..errors import wrong_type
from ..values.models import Role
from .base import Confidence, JsonFormat, Loaded, Written, read_rows, rows_in, split_rows
from .detection import HUGGING_FACE, detect_kind
from .fields import ROLES, core_role, is_object
from .format_metadata import (
    LIST,
    ContentBlocks,
    PartField,
    Shape,
    content_entry,
    form_of,
    merged,
    plain_text,
    without,
    written_role,
)
from .losses import Holds, conversation_losses
from .openai import ChatDialect, read_chat, write_chat
from .tools import (
    META_KEY,
    ToolList,
    UnansweredCalls,
    has_id,
    in_a_row,
    read_call_text,
    read_grouped,
    write_call_text,
    write_unnamed,
)
from .warnings import WarningCollector, as_role, kept_keys

Row = dict[str, Any]
CALL = "tool_call"
NOTES = ChatDialect(
    "hf", object_arguments=True, pairs=True, thinking=("reasoning_content", "reasoning", "thinking")
)
SHAPES = {
    "text": Shape(TextPart, {"type": "text", "value": PartField("text")}),
    "reasoning": Shape(ThinkingPart, {"type": "reasoning", "value": PartField("text")}),
    "image_url": Shape(ImagePart, {"type": "image_url", "value": PartField("url")}),
}
BLOCKS = ContentBlocks(NOTES, SHAPES)


def _holds(part: Part, role: Role) -> bool:
    if isinstance(part, ToolUsePart):
        return role == "assistant"
    return not isinstance(part, DataPart) or NOTES.is_in(part.metadata)


LOSSES = Holds(NOTES, _holds, foreign_call="", named=partial(has_id, NOTES))


class ValuedReader:
    """Reads message after message, and remembers which calls wait for a result."""

    def __init__(self, in_a_row: Sequence[int]) -> None:
        self.warnings = WarningCollector()
        self._pending = UnansweredCalls()
        self._in_a_row = in_a_row

    def read(self, row: object, place: int) -> Message:
        if not is_object(row):
            raise wrong_type("message", row, "an object with a role")
        name = row.get("role")
        if not isinstance(name, str):
            raise wrong_type("role", name, f"one of {', '.join(ROLES)}")
        role, form = core_role(name), form_of(row)
        notes = without(row, "role", "content")
        if notes:
            self.warnings.add("keys-kept", place, *kept_keys(NOTES.key, notes))
        if role != name:
            notes["role"] = name
            self.warnings.add("role-read-as", place, as_role(name, role))
        if form != LIST:
            notes["content"] = form
        content: Any = row.get("content") or ""
        if not isinstance(content, str):
            content = [self._part(part, role, place, i) for i, part in enumerate(content)]
        if role == "tool":
            content = self._result(content, place)
        elif not any(isinstance(part, ToolUsePart) for part in content):
            self._pending.forget()
        return NOTES.message(role, content, notes)

    def _result(self, content: Any, place: int) -> Any:
        """Return the content of a tool's message as the result of the call that waits."""
        if any(isinstance(part, ThinkingPart) for part in content):
            return content
        text = content if isinstance(content, str) else plain_text(NOTES, content)
        if text is not None:
            results = self._in_a_row[place]
            parts = read_grouped(NOTES, text, self._pending, results, place, self.warnings)
            if parts:
                return parts
        id = self._pending.answer()
        if id is None:
            return content
        return [ToolResultPart(id, tuple(content) if text is None else text)]

    def _part(self, part: object, role: Role, place: int, number: int) -> Part:
        if role == "assistant" and is_object(part) and part.get("type") == CALL:
            is_given = isinstance(part.get("value"), str | dict)
            call = self._call(part, place, number) if is_given else None
            if call is not None:
                return call
        return BLOCKS.read_one(part, number, place, self.warnings)

    def _call(self, part: Mapping[str, Any], place: int, number: int) -> ToolUsePart | None:
        value = part["value"]
        text = value if isinstance(value, str) else json.dumps(value)
        calls = read_call_text(NOTES, text, place, self.warnings, number)
        if len(calls) != 1:
            return None
        (call,) = calls
        self._pending.call(call.id, call.name)
        notes = without(part, "type", "value")
        if value is not text:
            notes["value"] = None
        elif write_call_text(NOTES, calls, None) != text:
            notes["value"] = text
        if not notes:
            return call
        return replace(call, metadata=NOTES.frozen({**NOTES.of(call.metadata), "part": notes}))


class ValuedWriter:
    """Writes message after message; a message with several results becomes several."""

    def __init__(self) -> None:
        self.warnings = WarningCollector()
        self._pending = UnansweredCalls()

    def write(self, raw: int, message: Message) -> list[Row]:
        """Return the rows of one message: its results, and whatever else it says."""
        LOSSES.report(message, raw, self.warnings)
        notes = NOTES.of(message.metadata)
        results = [part for part in message.parts if isinstance(part, ToolResultPart)]
        rest = [part for part in message.parts if not isinstance(part, ToolResultPart)]
        answers = write_unnamed(NOTES, results, self._pending, raw, self.warnings)
        rows = [self._row("tool", answer, notes) for answer in answers]
        if rest or not rows:
            if not any(isinstance(part, ToolUsePart) for part in rest):
                self._pending.forget()
            rows.append(self._row(message.role, rest, notes))
        if len(rows) > 1:
            self.warnings.add("message-split", raw)
        rows[0]["role"] = written_role(rows[0]["role"], notes)
        rows[0] = merged(rows[0], without(notes, "role", "content"))
        return rows

    def _row(self, role: Role, parts: Sequence[Part], notes: Row) -> Row:
        parts = [part for part in parts if _holds(part, role)]
        text = plain_text(NOTES, parts) if parts else ""
        items = [self._part(part) for part in parts]
        return {"role": role, **content_entry(items, text, notes.get("content"))}

    def _part(self, part: Part) -> Row:
        if not isinstance(part, ToolUsePart):
            row: Row = BLOCKS.write(part)
            return row
        about = NOTES.of(part.metadata).get("part") or {}
        self._pending.call(part.id, part.name)
        text = write_call_text(NOTES, [part], about.get("value"))
        is_object = "value" in about and about["value"] is None
        return merged({"type": CALL, "value": json.loads(text) if is_object else text}, about)


TOOLS = ToolList("hf", wrapped=True, as_text=False)
ROWS = "messages"
BARE, VALUED = "bare", "valued"
"""The stored form of the messages: a bare list, or with parts of type and value."""


class HuggingFace(JsonFormat):
    """An object with messages, and tools as a list or as JSON text; or just the messages.

    Keys next to the messages are other fields, tools are kept in ``meta.tools``.
    """

    name = "hf"
    about = "Hugging Face messages: chat with arguments as objects, or with parts of type and value"
    suffixes = (".hf.json", ".hf.jsonl")
    kinds = (HUGGING_FACE,)
    lines_of_items = True

    def confidence_of(self, value: object) -> Confidence:
        rows = rows_in(value, ROWS)
        if rows is None:
            return Confidence.NO
        has_rows = any(is_object(row) and "role" in row for row in rows)
        kind = detect_kind(value)
        if kind is None and has_rows:
            is_text = is_object(value) and isinstance(value.get("tools"), str)
            is_own = is_text or any(is_object(given) for given in _arguments(rows))
            return Confidence.LIKELY if is_own else Confidence.NO
        return Confidence.LIKELY if kind == HUGGING_FACE and has_rows else Confidence.NO

    def read_one(self, value: Any) -> Loaded:
        rows, others = split_rows(value, ROWS, "a list of messages")
        contents = [row.get("content") for row in rows if is_object(row)]
        parts = [part for content in contents if isinstance(content, list) for part in content]
        is_valued = any(is_object(part) and {"type", "value"} <= part.keys() for part in parts)
        form = {BARE: rows is value, VALUED: is_valued}
        meta, layout, fields = TOOLS.read(others)
        if any(form.values()):
            layout[ROWS] = [name for name, true in form.items() if true]
        meta |= NOTES.meta(layout, fields)
        if not is_valued:
            messages, adapted = read_chat(rows, NOTES)
        else:
            reader = ValuedReader(in_a_row(rows))
            messages = tuple(read_rows(rows, reader.read, reader.warnings))
            adapted = reader.warnings.found()
        return Loaded(Conversation(messages, meta=meta), self.name, adapted)

    def write(self, conversation: Conversation) -> Written:
        meta = conversation.meta
        notes = NOTES.of(meta)
        form = notes.get(ROWS) or ()
        tools, lost = TOOLS.write(meta)
        visible = zip(conversation.view, conversation.visible, strict=True)
        if VALUED not in form:
            rows, adapted = write_chat(visible, NOTES)
        else:
            writer = ValuedWriter()
            rows = [row for raw, message in visible for row in writer.write(raw, message)]
            adapted = writer.warnings.found()
        data: Any = merged({ROWS: rows, **tools}, NOTES.fields_of(meta))
        if BARE in form and len(data) == 1:
            data = rows
        held = conversation_losses(conversation, *NOTES.held(meta), META_KEY)
        return Written(data, (*held, *lost, *adapted))


def _arguments(rows: list[Any]) -> Iterator[object]:
    """Yield the arguments of all calls, in whatever form they are."""
    for row in rows:
        calls = row.get("tool_calls") if is_object(row) else None
        for call in calls if isinstance(calls, list) else ():
            body = call.get("function") if is_object(call) else None
            if is_object(body):
                yield body.get("arguments")
