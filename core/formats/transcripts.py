"""Transcripts: files of lines of which some are messages and others only have to be given back.

A message notes the number of its line, the others stay with the conversation, each with its number
(``meta.NAME.others``). So the lines can be put together again as they lay there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from core.conversation.conversation import Conversation
from core.errors import Refused
from core.formats.notes import Notes
from core.formats.remarks import Remarks
from core.values.frozen import freeze

Row = dict[str, Any]
Place = tuple[int, int]
"""The number of a line in its file, and how many new ones stand between the two."""
Placed = tuple[Place, Row]

OTHERS = "others"


def kept_others(lines: Iterable[tuple[int, Mapping[str, Any]]], remarks: Remarks) -> Row:
    """Return the notes of a conversation about lines that are no messages."""
    found = [[number, data] for number, data in lines if _fits(number, data, remarks)]
    return {OTHERS: sorted(found, key=lambda other: other[0])} if found else {}


def others_of(own: Notes, conversation: Conversation) -> list[Placed]:
    """Return the lines that are no messages."""
    found = own.of(conversation.meta).get(OTHERS)
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


def _fits(number: int, data: Mapping[str, Any], remarks: Remarks) -> bool:
    """Tell whether a line can be kept; what is nested too deeply can't."""
    try:
        freeze([[[[data]]]], "line")
    except Refused as refusal:
        remarks.add("lines that can't be kept are left out", number, refusal.sentence)
        return False
    return True
