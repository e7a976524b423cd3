"""Hits: where a text was found, with a little of what stands around it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, islice
from typing import NamedTuple

from .store import Place, fold

AROUND = 60
"""Characters that are shown before and after a match."""
MOST_TERMS = 24


class Hit(NamedTuple):
    """One place where a text was found: a message, another field, or else the title."""

    id: str
    raw: int | None
    before: str
    match: str
    after: str
    field: str | None = None
    """The name of the other field that it was found in."""


def trigrams(folded: str) -> list[str]:
    """Return three letters each of a text that is looked for; none where it is too short."""
    found = list(dict.fromkeys(folded[i : i + 3] for i in range(len(folded) - 2)))
    return found[:: len(found) // MOST_TERMS + 1]


def hit_in(id: str, place: Place | None, text: str, folded: str) -> Hit | None:
    """Return the first place of a text where something stands, whatever its capitals."""
    within = fold(text)
    start = within.find(folded)
    if start < 0:
        return None
    end = start + len(folded)
    if len(within) != len(text):
        start, end = _places(text, start, end)
    before, after = text[max(0, start - AROUND) : start], text[end : end + AROUND]
    raw, field = (None, place) if isinstance(place, str) else (place, None)
    return Hit(id, raw, before, text[start:end], after, field)


def hits_among(
    id: str, title: str, texts: Iterable[tuple[Place, str]], folded: str, most: int
) -> list[Hit]:
    """Return the first hits of a session: in its title, in other fields, then in its messages."""
    places: Iterable[tuple[Place | None, str]] = chain([(None, title)], texts)
    hits = (hit_in(id, place, text, folded) for place, text in places)
    return list(islice((hit for hit in hits if hit is not None), most))


def _places(text: str, start: int, end: int) -> tuple[int, int]:
    """Return where a stretch of the folded text is in the text: some letters become several."""
    first, last, at = 0, len(text), 0
    for place, letter in enumerate(text):
        size = len(fold(letter))
        if at <= start < at + size:
            first = place
        if at < end <= at + size:
            last = place + 1
            break
        at += size
    return first, last
