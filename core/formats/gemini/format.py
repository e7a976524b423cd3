"""Gemini's requests: contents beside a system instruction and tools, or the contents alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...conversation.conversation import Conversation
from ...errors import not_a
from ...messages.message import Message
from ...messages.parts import TextPart, ToolResultPart, ToolUsePart, part_dict
from ...values.roles import Role
from ..base import Loaded, Sureness, Written
from ..each import OneEach
from ..notes import inner, merged, without
from ..objects import is_object
from ..pairing import Waiting
from ..recognising import GEMINI
from ..rows import read_rows
from ..tools import META_KEY, left_out
from ..warnings import WarningCollector, beside_messages
from .functions import read_functions, write_functions
from .losses import losses
from .parts import (
    CAMEL,
    NOTES,
    SNAKE,
    SNAKE_WORDS,
    Spelling,
    holds,
    read_parts,
    write_part,
)

Row = dict[str, Any]
ROWS, SYSTEM, BARE = "contents", "system_instruction", "bare"
ROLES: dict[object, Role] = {"model": "assistant", "function": "tool", "tool": "tool"}


class Gemini(OneEach):
    """Contents with parts, in the spelling they came in; keys beside them are other fields."""

    name = "gemini"
    about = "a Gemini conversation: contents with parts"
    suffixes = (".gemini.json", ".gemini.jsonl")
    kinds = (GEMINI,)
    lines_of_items = True

    def sure_of(self, value: object) -> Sureness:
        """Tell whether there are contents with parts, or none beside an instruction."""
        if is_object(value) and value.get(ROWS) == []:
            is_own = any(spelled(SYSTEM) in value for spelled in (SNAKE, CAMEL))
            return Sureness.LOOKS_LIKE if is_own else Sureness.NO
        rows = value.get(ROWS) if is_object(value) else value
        rows = [row for row in rows if is_object(row)] if isinstance(rows, list) else []
        is_own = any(isinstance(row.get("parts"), list) and "content" not in row for row in rows)
        return Sureness.LOOKS_LIKE if is_own else Sureness.NO

    def read_one(self, value: Any) -> Loaded:
        """Return a conversation whose batch 0 holds the instruction and the contents."""
        is_bare = isinstance(value, list)
        data = {ROWS: value} if is_bare else value
        rows = data.get(ROWS) if is_object(data) else None
        if not isinstance(rows, list):
            raise not_a(ROWS, rows, "a list of contents with parts")
        spelled = SNAKE if _is_snake(data, rows) else CAMEL
        fields = without(data, ROWS, "tools")
        notes: Row = {}
        if is_bare:
            notes[ROWS] = BARE
        if spelled.is_snake:
            notes["spelling"] = "snake"
        meta: Row = {}
        if "tools" in data:
            meta, notes["tools"] = read_functions(data["tools"], spelled)
        reader = ContentReader(spelled)
        first = reader.system(fields.get(spelled(SYSTEM)))
        if first:
            del fields[spelled(SYSTEM)]
        messages = [*first, *read_rows(rows, reader.read, reader.warnings, ROWS)]
        made = Conversation(messages, meta={**meta, **NOTES.beside(notes, fields)})
        return Loaded(made, self.name, reader.warnings.found())

    def write(self, conversation: Conversation) -> Written:
        """Return the visible messages; leading system messages are the instruction."""
        meta = conversation.meta
        notes = NOTES.of(meta)
        spelled = SNAKE if notes.get("spelling") == "snake" else CAMEL
        writer = ContentWriter(spelled, _names(conversation))
        for raw, message in zip(conversation.view, conversation.visible, strict=True):
            writer.write(raw, message)
        tools, lost = write_functions(meta, inner(notes, "tools"), spelled)
        data: Any = {ROWS: writer.rows, **writer.system, **tools}
        data = merged(data, NOTES.fields_of(meta))
        if notes.get(ROWS) == BARE and len(data) == 1:
            data = writer.rows
        told = beside_messages(conversation, *NOTES.held(meta), META_KEY)
        return Written(data, (*told, *left_out(lost), *writer.warnings.found()))


def _names(conversation: Conversation) -> dict[str, str]:
    """Return the names of all calls by id, also of those that no longer are visible."""
    parts = (part for message in conversation.log for part in message.parts)
    return {part.id: part.name for part in parts if isinstance(part, ToolUsePart)}


def _is_snake(data: Mapping[str, Any], rows: list[Any]) -> bool:
    """Tell whether keys of two words are in snake_case."""
    contents = [row.get("parts") for row in rows if is_object(row)]
    parts = [part for each in contents if isinstance(each, list) for part in each]
    return any(SNAKE_WORDS & set(one) for one in (data, *parts) if is_object(one))


class ContentReader:
    """Reads content after content, and remembers which calls wait for a response."""

    def __init__(self, spelled: Spelling) -> None:
        self.warnings = WarningCollector()
        self._spelled = spelled
        self._waiting = Waiting()

    def system(self, given: object) -> list[Message]:
        """Return the instruction as a message, if it is one."""
        if isinstance(given, str) and given:
            return [_message("system", given, {"system": {"is": "text"}})]
        parts = given.get("parts") if is_object(given) else None
        if not is_object(given) or not isinstance(parts, list) or not parts:
            return []
        content = read_parts(parts, self._spelled, Waiting(), 0)
        if not all(isinstance(part, TextPart) for part in content):
            return []
        rest = without(given, "parts")
        return [_message("system", _plain(content), {"system": rest} if rest else {})]

    def read(self, row: object, place: int) -> Message:
        """Return one content as a message; one of nothing but responses is a tool's."""
        if not is_object(row):
            raise not_a("content", row, "an object with parts")
        parts, given = row.get("parts"), row.get("role")
        if parts is not None and not isinstance(parts, list):
            raise not_a("parts", parts, "a list of parts")
        notes = without(row, "parts", "role")
        content = read_parts(parts or [], self._spelled, self._waiting, place + 1)
        role = ROLES.get(given if isinstance(given, str) else None, "user")
        is_answer = bool(content) and all(isinstance(part, ToolResultPart) for part in content)
        role = "tool" if is_answer and role == "user" else role
        if given != ("model" if role == "assistant" else "user"):
            notes["role"] = [given] if "role" in row else []
            if given not in (None, *ROLES):
                self.warnings.add("role-unknown", place)
        if not parts:
            notes["parts"] = [parts] if "parts" in row else []
        if role != "tool" and not any(isinstance(part, ToolUsePart) for part in content):
            self._waiting.forget()
        return _message(role, _plain(content), notes, marked=role == "tool")


def _message(role: Role, content: Any, notes: Row, *, marked: bool = False) -> Message:
    kept = {"metadata": {NOTES.key: notes}} if notes or marked else {}
    return Message.from_dict({"role": role, "content": content, **kept})


def _put(row: Row, key: str, given: list[Any]) -> None:
    """Put back what a key had, which is nothing where there was no such key."""
    del row[key]
    if given:
        row[key] = given[0]


def _fits(given: list[Any], role: Role) -> bool:
    """Tell whether the name of a role still is one of the message's; results may be a user's."""
    name = given[0] if given and isinstance(given[0], str) else None
    own = ROLES.get(name, "user")
    return own == role or {own, role} == {"user", "tool"}


def _plain(parts: list[Any]) -> Any:
    match parts:
        case [TextPart(text=text, metadata=None)] if text:
            return text
    return [part_dict(part) for part in parts] or [{"type": "text", "text": ""}]


class ContentWriter:
    """Writes message after message; results of one turn from elsewhere become one content."""

    def __init__(self, spelled: Spelling, names: Mapping[str, str]) -> None:
        self.warnings = WarningCollector()
        self.rows: list[Row] = []
        self.system: Row = {}
        self._spelled = spelled
        self._names = names
        self._answers = False

    def write(self, raw: int, message: Message) -> None:
        """Write one message."""
        for code, name in losses(message, self._names):
            self.warnings.add(code, raw, *([name] if name else []))
        notes = NOTES.of(message.metadata)
        parts = [
            write_part(part, self._spelled, self._names) for part in message.parts if holds(part)
        ]
        if message.role == "system" and not self.rows:
            self._instruct(parts, inner(notes, "system"))
            return
        if message.role == "system":
            self.warnings.add("system-becomes-user", raw)
        is_answer = message.role == "tool" and not NOTES.is_in(message.metadata)
        if is_answer and self._answers:
            self.rows[-1]["parts"] += parts
            return
        self._answers = is_answer
        row: Row = {"role": "model" if message.role == "assistant" else "user", "parts": parts}
        if "parts" in notes and parts == [{"text": ""}]:
            _put(row, "parts", notes["parts"])
        if "role" in notes and _fits(notes["role"], message.role):
            _put(row, "role", notes["role"])
        self.rows.append(merged(row, without(notes, "role", "parts", "system")))

    def _instruct(self, parts: list[Any], noted: Row) -> None:
        key = self._spelled(SYSTEM)
        if key in self.system:
            before = self.system[key]
            before = {"parts": [{"text": before}]} if isinstance(before, str) else before
            self.system[key] = {**before, "parts": [*before["parts"], *parts]}
        elif noted.get("is") == "text" and len(parts) == 1:
            self.system[key] = parts[0].get("text", "")
        else:
            self.system[key] = merged({"parts": parts}, without(noted, "is"))
