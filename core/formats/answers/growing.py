"""Growing: values that come in pieces, of which most are put behind each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

FIXED = frozenset(("id", "index", "type", "role", "object", "created", "model", "format"))
"""Keys whose value is said whole, and may be said again in every piece."""
WHOLE = frozenset((*FIXED, "name"))


class Pieces(list[str]):
    """A text that is still coming: its pieces, which are joined when all of them are there.

    Adding each to what is there already would copy all of it each time.
    """

    def joined(self) -> str:
        """Return the text so far, as the one piece that there is from now on."""
        if len(self) != 1:
            self[:] = ["".join(self)]
        return self[0]


class Items(list[Any]):
    """A list that is still coming, with its items by the index that they say they have."""

    def __init__(self, items: Iterable[Any] = ()) -> None:
        super().__init__(items)
        self.places = {place_of(one): one for one in reversed(self)}

    def take(self, piece: Any) -> None:
        """Add an item, or let the one with the same index grow."""
        place = place_of(piece)
        known = None if place is None else self.places.get(place)
        if known is None:
            self.append(dict(piece) if isinstance(piece, Mapping) else piece)
            self.places[place] = self[-1]
        else:
            grow(known, piece)


def grow(value: dict[str, Any], piece: Mapping[str, Any]) -> None:
    """Put a piece behind what is there: texts join, lists go on, objects grow by their keys.

    Items of lists that have an ``index`` are pieces of the item with that index, since pieces of
    several may take turns. What is null says nothing. ``whole`` makes plain values of it.
    """
    for key, new in piece.items():
        old = value.get(key)
        if new is None:
            value.setdefault(key, None)
        elif isinstance(old, str | Pieces) and isinstance(new, str):
            _say(value, key, old, new)
        elif isinstance(old, dict) and isinstance(new, Mapping):
            grow(old, new)
        elif isinstance(new, list):
            items = old
            if not isinstance(items, Items):
                items = value[key] = Items(old if isinstance(old, list) else ())
            for one in new:
                items.take(one)
        else:
            value[key] = dict(new) if isinstance(new, Mapping) else new


def _say(value: dict[str, Any], key: str, old: str | Pieces, new: str) -> None:
    if key in FIXED:
        value[key] = new or old
    # Some servers say the name of a tool in every piece, others spread it over several.
    elif not (key in WHOLE and old == new):
        add_text(value, key, new)


def add_text(value: dict[str, Any], key: str, piece: str) -> None:
    """Put a piece of a text behind what is there; what is no text is replaced."""
    old = value.get(key)
    if isinstance(old, Pieces):
        old.append(piece)
    elif isinstance(old, str) and old:
        value[key] = Pieces((old, piece))
    else:
        value[key] = piece


def whole(answer: dict[str, Any]) -> None:
    """Make plain texts and lists of all in an answer that was still coming."""
    waiting: list[Any] = [answer]
    while waiting:
        holder = waiting.pop()
        for key, value in holder.items() if isinstance(holder, dict) else enumerate(holder):
            if isinstance(value, Pieces):
                holder[key] = value.joined()
            elif isinstance(value, Items):
                holder[key] = list(value)
                waiting.append(holder[key])
            elif isinstance(value, dict | list):
                waiting.append(value)


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
