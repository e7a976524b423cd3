"""The other fields of a conversation at length: each with its name, and a line for each value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ctxtui.core.engine.meta_fields import leaves, value_text
from ctxtui.render.text.lines import Line, Piece
from ctxtui.render.text.long_text import Joined, LongText
from ctxtui.render.text.sections import cropped, head
from ctxtui.render.text.wrap import CAREFUL, wrap
from ctxtui.symbols import visible
from ctxtui.words import plural

LONGEST_NAME = 200
NOTHING = "This conversation has no other fields."


def field_lines(fields: Mapping[str, Any], width: int) -> Sequence[Line]:
    """Return the fields below each other; long values are cut into lines when they are in sight."""
    if not fields:
        return [[Piece(NOTHING, "muted")]]
    parts: list[Sequence[Line]] = []
    for name, value in fields.items():
        gap: list[Line] = [[]] if parts else []
        about = [Piece(_about(value), "faint")]
        parts += [
            [*gap, *cropped([head(visible(name, LONGEST_NAME), about, width)], width)],
            _value(value_text(value), width),
        ]
    return Joined(parts)


def _about(value: Any) -> str:
    is_text = isinstance(value, str)
    if isinstance(value, Mapping | tuple | list):
        return plural(sum(1 for _ in leaves(value)), "value")
    return plural(len(value), "character") if is_text and len(value) > CAREFUL else ""


def _value(text: str, width: int) -> Sequence[Line]:
    if not text:
        return [[Piece("(empty)", "faint")]]
    if len(text) > CAREFUL:
        return LongText(text, width)
    return [[Piece(row)] for line in text.split("\n") for row in wrap(visible(line), width)]
