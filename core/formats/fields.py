"""Objects: telling JSON objects from other values, which readers ask several times a message."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from math import isfinite
from typing import Any, TypeGuard

from ..values.models import Role
from ..values.numbers import decimal_in
from ..values.times import LATEST


def is_object(value: object) -> TypeGuard[Mapping[str, Any]]:
    """Return whether a value is an object; asking for a parser's own type first is far quicker."""
    return type(value) is dict or isinstance(value, Mapping)


ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
    "ipython": "tool",
}
"""The roles that chat messages are known to have."""


def core_role(name: str) -> Role:
    """Return core's role for the name of a role; an unknown one is a user's."""
    return ROLES.get(name, "user")


EARLIEST_MILLISECONDS = 100_000_000_000
"""Numbers from here on are milliseconds: as such they are of 1973 and later, as seconds of 5138."""
SCALES = (1, 1_000, 1_000_000)
"""How many parts of a millisecond a larger number may count: milli-, micro- and nanoseconds."""


def read_timestamp(value: object) -> int | None:
    """Return a time in milliseconds since 1970, or None where a value is none.

    A format stores the value itself in its metadata if it has to write it again.
    """
    match value:
        case bool():
            return None
        case int() | float():
            return _of_number(value)
        case str():
            return _of_text(value.strip())
    return None


def write_timestamp(moment: int) -> str:
    """Return a time in milliseconds as ISO text."""
    found = datetime.fromtimestamp(moment // 1_000, UTC).replace(microsecond=moment % 1_000 * 1_000)
    return found.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _of_number(value: float) -> int | None:
    try:
        is_time = isfinite(value) and value >= 0
    except OverflowError:  # Integers may be larger than any float.
        return None
    if not is_time:
        return None
    if value < EARLIEST_MILLISECONDS:
        return round(value * 1_000)
    return next((int(value // scale) for scale in SCALES if value // scale <= LATEST), None)


def _of_text(text: str) -> int | None:
    if (number := decimal_in(text)) is not None:
        return _of_number(number)
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    if found.tzinfo is None:
        found = found.replace(tzinfo=UTC)
    try:
        moment = round(found.timestamp() * 1_000)
    except (OverflowError, ValueError):
        return None
    return moment if 0 <= moment <= LATEST else None
