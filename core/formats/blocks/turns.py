"""Messages of blocks: their role, and the content that may be text, blocks or nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import Refused, not_a
from ...messages.message import Message
from ...messages.parts import Part, TextPart, ToolResultPart
from ...values.roles import Role
from ..chat.content import ABSENT, EMPTY_LIST, LIST, NULL, TEXT, form_of
from ..roles import core_role
from ..warnings import WarningCollector
from .parts import NOTES, holds, read_blocks, write_blocks

EMPTY: dict[str, dict[str, Any]] = {
    ABSENT: {},
    NULL: {"content": None},
    TEXT: {"content": ""},
    EMPTY_LIST: {"content": []},
}
"""What an empty message may have been, by the name of its form."""
BLANK = [{"type": "text", "text": ""}]


def read_turn(
    row: Mapping[str, Any], place: int, warnings: WarningCollector
) -> tuple[Role, str | list[dict[str, Any]], str | None]:
    """Return the role and the content of a message, and the form of an empty one.

    A user's message of results alone is a tool's: that is what tells them apart in every other
    format.
    """
    role = row.get("role")
    if not isinstance(role, str):
        raise _no_role(row)
    form = form_of(row)
    content = row.get("content")
    if form not in (TEXT, LIST) or not content:
        return core_role(role), BLANK, form
    if isinstance(content, str):
        return core_role(role), content, None
    parts = read_blocks(content, place, warnings)
    if role == "user" and all(part["type"] == "tool_result" for part in parts):
        return "tool", parts, None
    return core_role(role), parts, None


def _no_role(row: Mapping[str, Any]) -> Refused:
    if "role" not in row:
        return Refused("the message has no role", field="role", legal="user, assistant")
    return not_a("role", row["role"], "user or assistant")


def write_content(message: Message, form: object) -> dict[str, Any]:
    """Return the content entry of a message; an empty one in the form it had."""
    if isinstance(message.content, str):
        return {"content": message.content}
    if is_blank(message.content) and isinstance(form, str) and form in EMPTY:
        return EMPTY[form]
    return {"content": write_blocks(message.content) or ""}


def is_blank(parts: tuple[Part, ...]) -> bool:
    """Tell whether parts are what an empty message is read as."""
    return len(parts) == 1 and parts[0] == TextPart("")


def left_out_of(message: Message, raw: int, warnings: WarningCollector) -> None:
    """Note the parts of a message that there are no blocks for, and what is noted of them."""
    is_mixed = not all(isinstance(part, ToolResultPart) for part in message.parts)
    if message.role == "tool" and is_mixed and "role" not in NOTES.of(message.metadata):
        warnings.add("tool-becomes-user", raw)
    for part in message.parts:
        _tell(part, raw, warnings)


def _tell(part: Part, raw: int, warnings: WarningCollector) -> None:
    if NOTES.has_others(part.metadata):
        warnings.add("metadata-left-out", raw)
    if not holds(part):
        warnings.add("part-left-out", raw, part.type)
    if isinstance(part, ToolResultPart) and isinstance(part.content, tuple):
        for inside in part.content:
            _tell(inside, raw, warnings)
