"""Growing: values that come in pieces, of which most are put behind each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

FIXED = frozenset(("id", "index", "type", "role", "object", "created", "model", "format"))
"""Keys whose value is said whole, and may be said again in every piece."""
WHOLE = frozenset((*FIXED, "name"))


def grow(value: dict[str, Any], piece: Mapping[str, Any]) -> None:
    """Put a piece behind what is there: texts join, lists go on, objects grow by their keys.

    Items of lists that have an ``index`` are pieces of the item with that index, since pieces of
    several may take turns. What is null says nothing.
    """
    for key, new in piece.items():
        old = value.get(key)
        if new is None:
            value.setdefault(key, None)
        elif isinstance(old, str) and isinstance(new, str):
            value[key] = _said(key, old, new)
        elif isinstance(old, dict) and isinstance(new, Mapping):
            grow(old, new)
        elif isinstance(new, list):
            value[key] = list(old) if isinstance(old, list) else []
            _extend(value[key], new)
        else:
            value[key] = dict(new) if isinstance(new, Mapping) else new


def _said(key: str, old: str, new: str) -> str:
    if key in FIXED:
        return new or old
    # Some servers say the name of a tool in every piece, others spread it over several.
    return old if key in WHOLE and old == new else old + new


def _extend(items: list[Any], pieces: list[Any]) -> None:
    for piece in pieces:
        place = place_of(piece)
        known = None if place is None else next((i for i in items if place_of(i) == place), None)
        if known is None:
            items.append(dict(piece) if isinstance(piece, Mapping) else piece)
        else:
            grow(known, piece)


def place_of(item: object) -> int | None:
    """Return the index that an item says it has, or None."""
    found = item.get("index") if isinstance(item, Mapping) else None
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def text_of(value: object) -> str:
    """Return a text, and nothing for what is none."""
    return value if isinstance(value, str) else ""


def objects_in(value: object) -> list[dict[str, Any]]:
    """Return the objects of a list, and none where there is no list."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
