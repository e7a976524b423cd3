"""Calls as text: the JSON of ``{name, arguments}``, or a list of such, as training data has it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..messages.parts import ToolUsePart
from .chat.calls import (
    ENCODER,
    FUNCTION,
    MADE_ID,
    NO_ID,
    parsed,
    read_body,
    write_body,
)
from .json_text import same_json
from .notes import Notes, inner
from .objects import is_object
from .warnings import WarningCollector

NO_CALL = "call-text-unreadable"


def read_call_text(
    own: Notes, text: str, place: int, warnings: WarningCollector, first: int = 0
) -> list[dict[str, Any]]:
    """Return the calls of a text as core data; none where it is no such text.

    Calls without an id get one made of the place and their number, from ``first`` on.
    """
    is_json, value = parsed(text)
    bodies = value if isinstance(value, list) else [value]
    if not is_json or not bodies or not all(map(_is_call, bodies)):
        warnings.add(NO_CALL, place)
        return []
    return [_read_one(own, body, place, first + i, warnings) for i, body in enumerate(bodies)]


def write_call_text(own: Notes, calls: Sequence[ToolUsePart], noted: object) -> str:
    """Return calls as text: the noted one, as long as that says the same."""
    bodies = [_write_one(own, call) for call in calls]
    value: Any = bodies[0] if len(bodies) == 1 else bodies
    if isinstance(noted, str):
        before = parsed(noted)[1]
        if same_json(before, value) or same_json(before, bodies):
            return noted
    return ENCODER.encode(value)


def _is_call(body: object) -> bool:
    return is_object(body) and isinstance(body.get("name"), str)


def _read_one(
    own: Notes, body: Mapping[str, Any], place: int, number: int, warnings: WarningCollector
) -> dict[str, Any]:
    name, value, rest = read_body(own, body, FUNCTION, FUNCTION, place, warnings)
    notes: dict[str, Any] = {}
    id = rest.get("id")
    if isinstance(id, str):
        notes["id"] = rest.pop("id")
    else:
        warnings.add(NO_ID, place)
        id, notes[MADE_ID] = f"call_{place}_{number}", True
    if rest:
        notes[FUNCTION] = rest
    use = {"id": id, "name": name, "input": value}
    return {"type": "tool_use", "tool_use": use, **own.kept(notes)}


def _write_one(own: Notes, call: ToolUsePart) -> dict[str, Any]:
    notes = own.of(call.metadata)
    body = write_body(own, call, FUNCTION, inner(notes, FUNCTION))
    return {**body, "id": call.id} if "id" in notes else body


def loses_id(own: Notes, call: ToolUsePart) -> bool:
    """Tell whether the text of a call has no place for its id."""
    notes = own.of(call.metadata)
    return "id" not in notes and MADE_ID not in notes
