"""Writes core messages as LangChain messages, and tells what those can't hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ...messages.message import Message
from ...messages.parts import Part, TextPart, ToolResultPart, ToolUsePart
from ...values.roles import Role
from ..chat.content import ABSENT, LIST, NULL, TEXT, usual_form, write_content
from ..notes import Notes, inner, merged, without
from ..warnings import FormatWarning, WarningCollector
from .blocks import NOTES, holds, write_block
from .calls import (
    becomes_text,
    in_lists,
    is_valid,
    put_calls,
    was_block,
    write_call_block,
)
from .envelopes import (
    CHAT,
    DUMPD,
    FLAT,
    TO_DICT,
    close_row,
    kind_of,
    role_of,
    says,
    usual_outer,
)

Row = dict[str, Any]
STATUS = {True: "error", False: "success"}
ROLE_KEYS = ("type", "role")
"""Keys of a body that say its role, and count no more when that has changed."""


def write_rows(
    messages: Iterable[tuple[int, Message]], shape: str
) -> tuple[list[Row], tuple[FormatWarning, ...]]:
    """Return LangChain messages for messages with their raw indices, and what was left out."""
    writer = _Writer(shape)
    rows = [row for raw, message in messages for row in writer.write(raw, message)]
    return rows, writer.warnings.found()


class _Writer:
    """Writes message after message; one of core may be several of LangChain."""

    def __init__(self, shape: str) -> None:
        self._shape = shape
        self.warnings = WarningCollector()

    def write(self, raw: int, message: Message) -> list[Row]:
        """Return the messages for one: its results, and whatever else it says."""
        self._tell_left_out(raw, message)
        results = [part for part in message.parts if isinstance(part, ToolResultPart)]
        others = [part for part in message.parts if _is_own(message, part)]
        if results and not others:
            first, *more = results
            bodies = [self._result(first, message.id, self._notes(message))]
            bodies += [self._result(part, None, {}) for part in more]
            rows = [self._closed(message, "tool", bodies[0])]
            rows += [_new(self._shape, "tool", body) for body in bodies[1:]]
        else:
            own = self._closed(message, message.role, self._body(raw, message, others))
            answers = [_new(self._shape, "tool", self._result(part, None, {})) for part in results]
            # Results must follow their calls at once, which stand here or in the message before.
            rows = [own, *answers] if message.role == "assistant" else [*answers, own]
        if results and message.role != "tool":
            self.warnings.add("result-becomes-tool", raw)
        if len(rows) > 1:
            self.warnings.add("message-split", raw)
        return rows

    def _notes(self, message: Message) -> Row:
        """Return what was noted of the body, without what a changed role makes untrue."""
        notes = NOTES.of(message.metadata)
        body = inner(notes, "body")
        outer = inner(notes, "outer")
        fits = role_of(outer, body) == message.role if outer else says(body, message.role)
        return body if fits else without(body, *ROLE_KEYS)

    def _closed(self, message: Message, role: Role, body: Row) -> Row:
        """Return a body in the envelope that it came in, as long as that fits its role."""
        notes = NOTES.of(message.metadata)
        shape = notes.get("shape")
        shape = shape if shape in (TO_DICT, DUMPD, FLAT) else self._shape
        outer = inner(notes, "outer")
        if not outer or role_of(outer, body) != role:
            return _new(shape, role, body)
        return close_row(shape, outer, body)

    def _body(self, raw: int, message: Message, parts: Sequence[Part]) -> Row:
        """Return the body of a message that is no result."""
        notes = self._notes(message)
        last = max((i for i, part in enumerate(parts) if _in_content(part)), default=-1)
        content = [part for part in parts[: last + 1] if not _is_invalid(part)]
        calls = [part for part in parts if isinstance(part, ToolUsePart)]
        usual = usual_form(NOTES, content, beside_calls=False)
        entry = write_content(NOTES, content, notes.get("content"), usual, _write_part)
        body = merged({**entry, **_with_id(message.id)}, without(notes, "content"))
        put_calls(body, calls)
        after = [part for part in parts if isinstance(part, ToolUsePart) and part not in content]
        told: list[Part] = [*content, *in_lists(after)]
        if any(one is not other for one, other in zip(parts, told, strict=True)):
            self.warnings.add("parts-reordered", raw)
        if any(map(becomes_text, calls)):
            self.warnings.add("input-becomes-text", raw)
        return body

    def _result(self, part: ToolResultPart, id: str | None, notes: Row) -> Row:
        """Return the body of a message with the result of a call."""
        parts = (TextPart(part.content),) if isinstance(part.content, str) else part.content
        usual = TEXT if isinstance(part.content, str) else LIST
        noted = notes.get("content") if part.content == "" else None
        form = noted if noted in (ABSENT, NULL) else usual
        held = [one for one in parts if holds(one)]
        entry = write_content(NOTES, held, form, usual, _write_part)
        status = {} if part.is_error is None else {"status": STATUS[part.is_error]}
        row = {**entry, "tool_call_id": part.tool_use_id, **status, **_with_id(id)}
        return merged(row, without(notes, "content"))

    def _tell_left_out(self, raw: int, message: Message) -> None:
        """Note everything about a message that no message of LangChain will hold."""
        if message.timestamp is not None:
            self.warnings.add("timestamp-left-out", raw)
        if NOTES.has_others(message.metadata):
            self.warnings.add("metadata-left-out", raw)
        for part in message.parts:
            self._tell_part(raw, message, part)

    def _tell_part(self, raw: int, message: Message, part: Part) -> None:
        if NOTES.has_others(part.metadata):
            self.warnings.add("metadata-left-out", raw)
        match part:
            case ToolUsePart():
                if message.role != "assistant":
                    self.warnings.add("call-left-out", raw)
            case ToolResultPart():
                for inside in part.content if isinstance(part.content, tuple) else ():
                    self._tell_part(raw, message, inside)
            case _ if not holds(part):
                self.warnings.add("part-left-out", raw, part.type)


def _new(shape: str, role: Role, body: Row) -> Row:
    """Return a body in the envelope for its role."""
    outer = usual_outer(shape, role, body)
    if kind_of(outer) == CHAT:
        body = {"role": role, **body}
    return close_row(shape, outer, body)


def _is_own(message: Message, part: Part) -> bool:
    """Tell whether a part stands in the message itself, as results don't."""
    return holds(part) or (isinstance(part, ToolUsePart) and message.role == "assistant")


def _in_content(part: Part) -> bool:
    """Tell whether the content goes as far as a part: calls after it are only listed."""
    return not isinstance(part, ToolUsePart) or was_block(part)


def _is_invalid(part: Part) -> bool:
    """Tell whether a part is a call that no block can stand for."""
    return isinstance(part, ToolUsePart) and not is_valid(part) and not was_block(part)


def _write_part(own: Notes, part: Part) -> Any:
    return write_call_block(part) if isinstance(part, ToolUsePart) else write_block(own, part)


def _with_id(id: str | None) -> Row:
    return {} if id is None else {"id": id}
