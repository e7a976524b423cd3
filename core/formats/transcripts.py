"""Transcripts: files of lines of which some are messages and others only have to be given back.

A message notes the number of its line, the others are a field of the conversation, each with its
number (``meta.fields.lines``). So the lines can be put together again as they lay there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..conversation.conversation import Conversation
from ..errors import Refused
from ..queries.fields import LINES
from ..values.frozen import freeze
from .notes import Notes
from .warnings import WarningCollector, without_values

Row = dict[str, Any]
Place = tuple[int, int]
"""The number of a line in its file, and how many new ones stand between the two."""
Placed = tuple[Place, Row]


def kept_others(
    lines: Iterable[tuple[int, Mapping[str, Any]]], warnings: WarningCollector, field: str = LINES
) -> Row:
    """Return the field of a conversation with the lines that are no messages."""
    found = [[number, data] for number, data in lines if _fits(number, data, warnings)]
    return {field: sorted(found, key=lambda other: other[0])} if found else {}


def others_of(own: Notes, conversation: Conversation, field: str = LINES) -> list[Placed]:
    """Return the lines that are no messages."""
    found = own.fields_of(conversation.meta).get(field)
    return [
        ((other[0], 0), other[1])
        for other in (found if isinstance(found, list) else ())
        if isinstance(other, list) and len(other) == 2 and is_line(*other)  # noqa: PLR2004
    ]


def is_line(at: object, line: object) -> bool:
    """Tell whether what was noted is the number of a line and the line itself."""
    return isinstance(at, int) and isinstance(line, Mapping)


def in_order(placed: Iterable[Placed]) -> list[Row]:
    """Return lines as they lay in their file."""
    return [row for _, row in sorted(placed, key=lambda one: one[0])]


def what_is_said(conversation: Conversation) -> list[Any]:
    """Return what is visible, to compare it with what reading a file again shows."""
    return [(message.role, message.content) for message in conversation.visible]


def _fits(number: int, data: Mapping[str, Any], warnings: WarningCollector) -> bool:
    """Tell whether a line can be kept; what is nested too deeply can't."""
    try:
        freeze([[[[data]]]], "line")
    except Refused as refusal:
        warnings.add("line-not-stored", number, without_values(refusal))
        return False
    return True
