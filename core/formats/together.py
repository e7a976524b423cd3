"""Results that came together: one text with a JSON list, an item for each call that waits."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ..errors import Refused
from ..messages.parts import ToolResultPart
from .json_text import read_json
from .notes import Notes
from .pairing import TOO_FEW, Waiting
from .warnings import WarningCollector

NOTE = "together"
"""The note of each such result: how the list was written, and whether its item was a text."""
STYLES: dict[str, dict[str, Any]] = {
    "plain": {"ensure_ascii": False},
    "escaped": {},
    "narrow": {"ensure_ascii": False, "separators": (",", ":")},
    "narrow escaped": {"separators": (",", ":")},
}
"""The ways in which programs write JSON. The text itself is no note: it would outlive a REDACT."""
Row = dict[str, Any]


def read_together(
    own: Notes, text: str, waiting: Waiting, results: int, place: int, warnings: WarningCollector
) -> list[Row]:
    """Return the results that a text is, which is one of so many ``results`` in a row.

    Only if it is the only one can it answer several calls, in their order. None come back where
    it answers one or no call; if calls will be left over that is told.
    """
    items: Any = _value(text) if results == 1 and len(waiting) > 1 else None
    style = None
    if isinstance(items, list) and len(items) == len(waiting):
        style = next((name for name in STYLES if _dumped(items, name) == text), None)
    if style is not None:
        return [_part(own, item, waiting, style) for item in items]
    if results < len(waiting):
        warnings.add(TOO_FEW, place)
    return []


def write_together(own: Notes, results: Sequence[ToolResultPart]) -> str | None:
    """Return results that came together as one text again; None for any others."""
    items: list[Any] = []
    style = "plain"
    for result in results:
        match own.of(result.metadata).get(NOTE), result.content:
            case [[str(name), bool(is_text)], str(text)] if name in STYLES:
                items.append(text if is_text else _value(text))
                style = name
            case _:
                return None
    return _dumped(items, style) if len(items) > 1 else None


def _part(own: Notes, item: Any, waiting: Waiting, style: str) -> Row:
    is_text = isinstance(item, str)
    text = item if is_text else json.dumps(item, ensure_ascii=False)
    result = {"tool_use_id": waiting.answer(), "content": text}
    return {"type": "tool_result", "tool_result": result, **own.kept({NOTE: [style, is_text]})}


def _value(text: str) -> Any:
    """Return the value of a JSON text, or the text where it is none."""
    try:
        return read_json(text)
    except Refused:
        return text


def _dumped(items: list[Any], style: str) -> str:
    return json.dumps(items, **STYLES[style])
