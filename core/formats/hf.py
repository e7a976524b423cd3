"""Messages with parts of type and value: text, reasoning, calls as JSON text, in their order."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    read_part,
)
from ..errors import Refused, wrong_type
from ..values.frozen import thaw
from .base import Loaded, Sureness, Written, read_rows
from .chat import ABSENT, EMPTY_LIST, LIST, NULL, TEXT, Dialect, form_of, read_chat, write_chat
from .detection import HUGGING_FACE, recognise
from .each import OneEach
from .fields import ROLES, core_role, is_object
from .notes import Notes, merged, without
from .pairing import OUT_OF_ORDER, Waiting, in_a_row, read_together, write_together
from .tools import META_KEY, ToolList, left_out, loses_id, read_call_text, write_call_text
from .warnings import FormatWarning, WarningCollector, as_role, bare, beside_messages, kept_keys

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
            raise wrong_type("message", row, "an object with a role")
        name = row.get("role")
        if not isinstance(name, str):
            raise wrong_type("role", name, f"one of {', '.join(ROLES)}")
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
            raise wrong_type(f"content[{number}]", part, "an object with type and value")
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


NOTES = Dialect(
    "hf", object_arguments=True, pairs=True, thinking=("reasoning_content", "reasoning", "thinking")
)
TOOLS = ToolList("hf", wrapped=True, as_text=False)
ROWS = "messages"
BARE, VALUED = "bare", "valued"
"""Notes of the form that the messages came in: in no object, or with parts of type and value."""


class HuggingFace(OneEach):
    """An object with messages, and tools as a list or as JSON text; or just the messages.

    Keys beside the messages are other fields, tools are kept in ``meta.tools``.
    """

    name = "hf"
    about = "Hugging Face messages: chat with arguments as objects, or with parts of type and value"
    suffixes = (".hf.json", ".hf.jsonl")
    kinds = (HUGGING_FACE,)
    lines_of_items = True

    def sure_of(self, value: object) -> Sureness:
        """Tell whether there are messages with what chat of providers has not."""
        rows = value.get(ROWS) if is_object(value) else value
        if not isinstance(rows, list):
            return Sureness.NO
        has_rows = any(is_object(row) and "role" in row for row in rows)
        kind = recognise(value)
        if kind is None and has_rows:
            is_text = is_object(value) and isinstance(value.get("tools"), str)
            is_own = is_text or any(is_object(given) for given in _arguments(rows))
            return Sureness.LOOKS_LIKE if is_own else Sureness.NO
        return Sureness.LOOKS_LIKE if kind == HUGGING_FACE and has_rows else Sureness.NO

    def read_one(self, value: Any) -> Loaded:
        """Return a conversation whose batch 0 holds the messages."""
        is_bare = isinstance(value, list)
        data = {ROWS: value} if is_bare else value
        rows = data.get(ROWS) if is_object(data) else None
        if not isinstance(rows, list):
            raise wrong_type(ROWS, rows, "a list of messages")
        form = {BARE: is_bare, VALUED: has_values(rows)}
        meta, layout, fields = TOOLS.read(without(data, ROWS))
        if any(form.values()):
            layout[ROWS] = [name for name, true in form.items() if true]
        meta |= NOTES.beside(layout, fields)
        messages, adapted = (read_valued if form[VALUED] else read_chat)(rows, NOTES)
        return Loaded(Conversation(messages, meta=meta), self.name, adapted)

    def write(self, conversation: Conversation) -> Written:
        """Return the visible messages, in an object unless they came without."""
        meta = conversation.meta
        notes = NOTES.of(meta)
        form = notes.get(ROWS) or ()
        tools, lost = TOOLS.write(meta)
        visible = zip(conversation.view, conversation.visible, strict=True)
        rows, adapted = (write_valued if VALUED in form else write_chat)(visible, NOTES)
        data: Any = merged({ROWS: rows, **tools}, NOTES.fields_of(meta))
        if BARE in form and len(data) == 1:
            data = rows
        held = beside_messages(conversation, *NOTES.held(meta), META_KEY)
        return Written(data, (*held, *left_out(lost), *adapted))


def _arguments(rows: list[Any]) -> Iterator[object]:
    """Yield the arguments of all calls, in whatever form they are."""
    for row in rows:
        calls = row.get("tool_calls") if is_object(row) else None
        for call in calls if isinstance(calls, list) else ():
            body = call.get("function") if is_object(call) else None
            if is_object(body):
                yield body.get("arguments")
