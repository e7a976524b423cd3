"""From what was entered to an operation's JSON; the engine judges it, in its own sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ctxtui.core.engine.operations import Operation
from ctxtui.forms.fields import NONE, FormField

DIGITS = 18
"""More digits than any number in a conversation has; longer ones stay text and are refused."""
_RUN = re.compile(r"(\d{1,9})–(\d{1,9})", re.ASCII)
_DASH = re.compile(r"(?<=\d)\s*(?:-|–|…|\.\.+)\s*(?=\d)", re.ASCII)
MOST = 1_000_000


def read_number(text: str) -> Any:
    """Return a whole number; anything else stays the text it is."""
    short = text.strip()
    if re.fullmatch(rf"[-−]?\d{{1,{DIGITS}}}", short, re.ASCII):
        return int(short.replace("−", "-"))
    return short


def read_indices(text: str) -> list[Any]:
    """Return raw indices from ``3, 5-9``; what is no number stays text."""
    found: list[Any] = []
    for part in re.split(r"[,;\s]+", _DASH.sub("–", text).strip()):
        run = _RUN.fullmatch(part)
        if run and int(run[1]) <= int(run[2]) < int(run[1]) + MOST:
            found += range(int(run[1]), int(run[2]) + 1)
        elif part:
            found.append(read_number(part))
    return found


def read_words(text: str) -> list[str]:
    """Return what stands between commas."""
    return [word.strip() for word in text.split(",") if word.strip()]


def read_value(field: FormField, entered: Any) -> Any:
    """Return a field's value as JSON, or None where nothing was entered."""
    match field.kind:
        case "number":
            return read_number(entered) if str(entered).strip() else None
        case "indices":
            return read_indices(entered) or None
        case "words":
            return read_words(entered) or None
        case "roles" | "labels":
            return list(entered) or None
        case "flag":
            return bool(entered) if bool(entered) != bool(field.default) else None
        case "choice":
            chosen = None if entered == NONE else entered
            return None if chosen == field.default and field.default is not None else chosen
        case "text":
            return entered if entered else None
        case _:
            return entered or None


def assembled(
    operation: type[Operation],
    fields: Iterable[FormField],
    entered: Mapping[str, Any],
    initial: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the operation as JSON, with only the fields that say something.

    Where empty is a value too, as in CONFIGURE, those are the fields that were changed.
    """
    made: dict[str, Any] = {"operation": operation.title}
    for field in fields:
        given = entered.get(field.id)
        value = read_value(field, given)
        if operation.null_counts:
            if given == initial.get(field.id):
                continue
            if value is None and field.kind in ("flag", "choice"):
                value = given
        elif value is None:
            continue
        inside = made
        for name in field.path[:-1]:
            inside = inside.setdefault(name, {})
        inside[field.path[-1]] = value
    return made
