"""Pairing: which call a result answers, in formats whose results do not name one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from ..engine.messages import ToolResultPart
from ..errors import Refused
from .json_text import read_json
from .notes import Notes
from .warnings import WarningCollector

OUT_OF_ORDER = "results-out-of-order"
TOO_FEW = "results-missing"


class Waiting:
    """The calls that wait for a result, in their order."""

    def __init__(self) -> None:
        self._calls: list[tuple[str, str]] = []

    def call(self, id: str, name: str) -> None:
        """Take note of a call."""
        self._calls.append((id, name))

    def answer(self, name: object = None) -> str | None:
        """Return the id of the first call that waits, of that name if there is such a one."""
        named = (call for call in self._calls if call[1] == name)
        found = next(named, self._calls[0] if self._calls else None)
        if found is None:
            return None
        self._calls.remove(found)
        return found[0]

    def __len__(self) -> int:
        """Return how many calls wait."""
        return len(self._calls)

    def answered(self, id: str) -> None:
        """Take note of a result that does name its call."""
        self._calls = [call for call in self._calls if call[0] != id]

    def forget(self) -> None:
        """Let no later result answer what nothing has answered until now."""
        self._calls.clear()


def in_a_row(are_results: Iterable[bool]) -> list[int]:
    """Return for each row how many results stand in a row there, itself among them."""
    found: list[int] = []
    for is_result, run in groupby(are_results):
        length = len(list(run))
        found += [length if is_result else 0] * length
    return found


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
