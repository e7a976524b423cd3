"""Reads LangChain messages as core messages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from ...errors import Refused
from ...messages.message import Message
from ...messages.parts import read_part
from ...values.roles import Role
from ..chat.content import ABSENT, NULL, form_of, usual_form
from ..notes import without
from ..rows import read_rows as read_each
from ..warnings import FormatWarning, WarningCollector, as_role, bare, kept_keys
from .blocks import KEPT_AS_DATA, NOTES, as_data, read_blocks
from .calls import take_calls, with_blocks
from .envelopes import (
    TO_DICT,
    TYPES,
    Opened,
    open_row,
    role_of,
    says,
    usual_outer,
)

Data = dict[str, Any]
STATUS = {"error": True, "success": False}
"""What a tool's message says of how it went."""
IN_RESULTS = ("text", "image", "data")
"""Parts that a result can hold."""


def read_rows(rows: Sequence[object]) -> tuple[tuple[Message, ...], str, tuple[FormatWarning, ...]]:
    """Return core messages, the shape that most came in, and what was adapted.

    A bad message is left out and told; if all are bad, the first is refused by its index.
    """
    warnings = WarningCollector()
    usual = _usual_shape(rows)
    messages = read_each(
        rows, lambda row, place: _read(open_row(row), usual, place, warnings), warnings
    )
    return tuple(messages), usual, warnings.found()


def _usual_shape(rows: Sequence[object]) -> str:
    """Return the shape of most messages."""
    shapes: Counter[str] = Counter()
    for row in rows:
        with suppress(Refused):
            shapes[open_row(row).shape] += 1
    return max(shapes, key=lambda shape: shapes[shape], default=TO_DICT)


def _read(one: Opened, usual_shape: str, place: int, warnings: WarningCollector) -> Message:
    """Return one message; what core has no place for is noted by where it stood."""
    role = role_of(one.outer, one.body)
    rest = without(one.body, "content")
    fields: Data = {"role": role}
    if isinstance(rest.get("id"), str):
        fields["id"] = rest.pop("id")
    is_result = role == "tool" and isinstance(rest.get("tool_call_id"), str)
    read = _read_result if is_result else _read_content
    fields["content"], form = read(one.body, rest, role, place, warnings)
    _tell(one, role, rest, place, warnings)
    if form is not None:
        rest["content"] = form
    notes: Data = {"body": rest} if rest else {}
    if one.shape != usual_shape:
        notes["shape"] = one.shape
    if one.outer != usual_outer(one.shape, role, one.body) or not says(rest, role):
        notes["outer"] = one.outer
    return Message.from_dict({**fields, **NOTES.kept(notes)})


def _read_content(
    body: Data, rest: Data, role: Role, place: int, warnings: WarningCollector
) -> tuple[Any, str | None]:
    """Return the content of a message, and the form it came in where that is not the usual one."""
    form = form_of(body)
    seen = WarningCollector()
    parts = read_blocks(body.get("content"), place, seen)
    if role == "assistant":
        calls = take_calls(rest, place, warnings)
        every = with_blocks(parts, calls) if calls else parts
    else:
        calls, every = [], parts
    content = [part for part in every if not _is_call_only(part)]
    # Blocks that became calls are no data any more, so only those that stayed are told.
    for part in content:
        if part["type"] == "data":
            warnings.add(KEPT_AS_DATA, place, bare(part["data"].get("type")))
    usual = usual_form(NOTES, [read_part(part, "content") for part in content], beside_calls=False)
    noted = None if form == usual else form
    return every or [{"type": "text", "text": ""}], noted


def _is_call_only(part: Data) -> bool:
    """Tell whether a part is a call that the content has no block for."""
    notes = part.get("metadata", {}).get(NOTES.key, {})
    return part["type"] == "tool_use" and "block" not in notes


def _read_result(
    body: Data, rest: Data, _role: Role, place: int, warnings: WarningCollector
) -> tuple[Any, str | None]:
    """Return the result of a call, and the form of its content where that is not told by it."""
    form, content = form_of(body), body.get("content")
    result: Data = {"tool_use_id": rest.pop("tool_call_id"), "content": content}
    if isinstance(content, list):
        parts = read_blocks(content, place, warnings)
        result["content"] = [
            part if part["type"] in IN_RESULTS else as_data(block)
            for part, block in zip(parts, content, strict=True)
        ]
    elif content is None:
        result["content"] = ""
    if isinstance(rest.get("status"), str) and rest["status"] in STATUS:
        result["is_error"] = STATUS[rest.pop("status")]
    noted = form if form in (ABSENT, NULL) else None
    return [{"type": "tool_result", "tool_result": result}], noted


def _tell(one: Opened, role: Role, rest: Data, place: int, warnings: WarningCollector) -> None:
    """Tell which keys are only kept, and which role nobody knows."""
    unplaced = [key for key, value in rest.items() if key != "type" and value not in (None, [], {})]
    if unplaced:
        warnings.add("keys-kept", place, *kept_keys(NOTES.key, unplaced))
    if one.kind != TYPES[role]:
        warnings.add("role-read-as", place, as_role(one.kind, role))
