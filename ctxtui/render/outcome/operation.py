"""An operation as JSON, with the value that was changed last in the colour of keys."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ctxtui.render.markdown.flow import flow
from ctxtui.render.text.lines import Line, Piece
from ctxtui.symbols import visible

MOST_LINES = 4
MOST_CHARACTERS = 400
MOST_ITEMS = 50
"""Messages may be huge, and so may lists; what nobody could read is not even written out."""


def operation_lines(asked: Mapping[str, Any], changed: str, width: int) -> list[Line]:
    """Return an operation as JSON in a few lines; text of any language stands as itself."""
    pieces = [Piece("{", "muted")]
    for at, (name, value) in enumerate(asked.items()):
        pieces.append(Piece(f'{", " if at else ""}"{name}": ', "muted"))
        told = visible(json.dumps(_shortened(value), ensure_ascii=False), MOST_CHARACTERS)
        pieces.append(Piece(told, "key" if name == changed else "text"))
    lines = flow([*pieces, Piece("}", "muted")], max(8, width))
    if len(lines) <= MOST_LINES:
        return lines
    return [*lines[: MOST_LINES - 1], [*lines[MOST_LINES - 1][:-1], Piece("…", "muted")]]


def _shortened(value: Any) -> Any:
    match value:
        case str():
            return value[:MOST_CHARACTERS]
        case dict():
            return {key: _shortened(one) for key, one in list(value.items())[:MOST_ITEMS]}
        case list():
            return [_shortened(one) for one in value[:MOST_ITEMS]]
        case _:
            return value
