"""Reads chat messages as core messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...errors import Refused, not_a
from ...messages.message import Message
from ...messages.parts import read_part, usual_part
from ...values.collecting import uncollected
from ...values.roles import Role
from ..notes import Notes, without
from ..objects import is_object
from ..pairing import Waiting, in_a_row
from ..roles import ROLES, core_role
from ..rows import read_rows
from ..together import read_together
from ..warnings import FormatWarning, WarningCollector, as_role, kept_keys
from .calls import LEGACY, MADE_ID, read_calls, read_legacy
from .content import TEXT, form_of, read_parts, usual_form
from .dialect import Dialect, thinking_keys
from .usual import usual_calls, usual_result

ChatRow = Mapping[str, Any]
ChatContent = tuple[Any, str | None]
"""A core content, and the form it came in where that is not the usual one."""


PLAIN_KEYS = 2
PLAIN_ROLES = ("system", "user", "assistant")
"""A message of just role and content, which is the same in core."""


def read_chat(
    rows: Sequence[object], own: str | Notes = "openai", taken: tuple[str, ...] = ()
) -> tuple[tuple[Message, ...], tuple[FormatWarning, ...]]:
    """Return core messages and what was adapted.

    A bad message is left out and told; if all are bad, the first is refused by its index. What
    core has no place for is noted under a key, or as a dialect has it; keys that the caller takes
    out of the notes are not told.
    """
    reader = _Reader(Notes(own) if isinstance(own, str) else own, taken)
    reader.look_ahead(rows)
    with uncollected():
        messages = read_rows(rows, reader.read, reader.warnings)
    return tuple(messages), reader.warnings.found()


class _Reader:
    """Reads message after message, since an old function result has no id to name its call by."""

    def __init__(self, own: Notes, taken: tuple[str, ...]) -> None:
        self._own, self._taken = own, taken
        self.warnings = WarningCollector()
        self._unanswered: str | None = None
        self._waiting = Waiting()
        self._in_a_row: list[int] = []

    def look_ahead(self, rows: Sequence[object]) -> None:
        """Find out how many results follow calls, where these do not name them."""
        if isinstance(self._own, Dialect) and self._own.pairs:
            self._in_a_row = in_a_row(
                isinstance(row, Mapping) and row.get("role") == "tool" for row in rows
            )

    def read(self, row: object, place: int) -> Message:
        """Return one chat message as a core message."""
        if not is_object(row):
            raise not_a("message", row, "an object with a role")
        role = _role(row)
        if _is_plain(row, role):
            self._waiting.forget()
            return Message(role, row["content"])
        usual = self._usual(row, role)
        if usual is not None:
            return usual
        notes = without(row, "role", "content")
        if role != "tool":
            self._waiting.forget()
        read = self._tool_content if role == "tool" else self._content
        content, form = read(row, notes, place)
        said = without(notes, *self._taken)
        unplaced = [key for key, value in said.items() if value not in (None, [])]
        if unplaced:
            self.warnings.add("keys-kept", place, *kept_keys(self._own.key, unplaced))
        if row["role"] != role:
            notes["role"] = row["role"]
            self.warnings.add("role-read-as", place, as_role(row["role"], role))
        if form is not None:
            notes["content"] = form
        return Message.from_dict({"role": role, "content": content, **self._own.kept(notes)})

    def _usual(self, row: ChatRow, role: Role) -> Message | None:
        """Return a message of usual calls or of one usual result, else None."""
        if role == "tool":
            result = usual_result(row)
            if result is not None:
                self._waiting.answered(row["tool_call_id"])
            return result
        calls = usual_calls(self._own, row)
        if calls is not None:
            self._waiting.forget()
        return calls

    def _content(self, row: ChatRow, notes: dict[str, Any], place: int) -> ChatContent:
        """Return the content of a message, and take the calls out of its notes."""
        form = form_of(row)
        parts = read_parts(self._own, row.get("content"), place, self.warnings)
        is_assistant = row["role"] == "assistant"
        thoughts = self._thoughts(notes) if is_assistant else []
        calls = self._calls(notes, place) if is_assistant else []
        read = [usual_part(part) or read_part(part, "content") for part in parts]
        usual = usual_form(self._own, read, beside_calls=bool(calls))
        noted = None if form == usual else form
        if form == TEXT and parts and not calls and not thoughts:
            return row["content"], noted
        return [*thoughts, *parts, *calls] or [{"type": "text", "text": ""}], noted

    def _thoughts(self, notes: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the reasoning that stands beside the content, and take it out of the notes."""
        keys = thinking_keys(self._own)
        key = next((key for key in keys if isinstance(notes.get(key), str) and notes[key]), None)
        if key is None:
            return []
        noted = {} if key == keys[0] else {"key": key}
        thought = {"type": "thinking", "thinking": {"text": notes.pop(key)}}
        return [{**thought, **self._own.kept(noted)}]

    def _calls(self, notes: dict[str, Any], place: int) -> list[dict[str, Any]]:
        calls = []
        if notes.get("tool_calls"):
            calls = read_calls(self._own, notes.pop("tool_calls"), place, self.warnings)
            if isinstance(self._own, Dialect) and self._own.pairs:
                for call in calls:
                    self._waiting.call(call["tool_use"]["id"], call["tool_use"]["name"])
        if is_object(notes.get(LEGACY)):
            self._unanswered = f"{LEGACY}_{place}"
            body = notes.pop(LEGACY)
            calls.append(read_legacy(self._own, body, self._unanswered, place, self.warnings))
        return calls

    def _tool_content(self, row: ChatRow, notes: dict[str, Any], place: int) -> ChatContent:
        """Return the content of a tool's message: the result, if it says of which call."""
        id, made = row.get("tool_call_id"), {}
        if row["role"] == "function":
            id, self._unanswered = self._unanswered or f"{LEGACY}_{place}", None
        elif isinstance(id, str):
            del notes["tool_call_id"]
            self._waiting.answered(id)
        else:
            together = self._together(row, place)
            if together:
                return together, None
            id = self._waiting.answer(row.get("name"))
            if id is None:
                return self._content(row, notes, place)
            made = {MADE_ID: True}
        form, content = form_of(row), row.get("content")
        if isinstance(content, list):
            content = read_parts(self._own, content, place, self.warnings)
        result = {"tool_use_id": id, "content": "" if content is None else content}
        noted = form if content is None else None
        part = {"type": "tool_result", "tool_result": result, **self._own.kept(made)}
        return [part], noted

    def _together(self, row: ChatRow, place: int) -> list[dict[str, Any]]:
        """Return the results of several calls that one message without a name answers."""
        text = row.get("content")
        if not isinstance(text, str) or isinstance(row.get("name"), str) or not self._waiting:
            return []
        results = self._in_a_row[place]
        return read_together(self._own, text, self._waiting, results, place, self.warnings)


def _is_plain(row: ChatRow, role: Role) -> bool:
    """Tell whether a message is the same in core: most are, and there may be millions of them."""
    content = row.get("content")
    is_text = len(row) == PLAIN_KEYS and isinstance(content, str) and bool(content)
    return is_text and role in PLAIN_ROLES and role == row["role"]


def _role(row: ChatRow) -> Role:
    role = row.get("role")
    if "role" not in row:
        raise Refused("the message has no role", field="role", legal=", ".join(ROLES))
    if not isinstance(role, str):
        raise not_a("role", role, f"one of {', '.join(ROLES)}")
    return core_role(role)
