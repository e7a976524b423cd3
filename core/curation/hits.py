"""Hits: where a text was found, with a little of what stands around it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from core.curation.store import fold

AROUND = 60
"""Characters that are shown before and after a match."""
MOST_TERMS = 24


class Hit(NamedTuple):
    """One place where a text was found; without a raw index it is the title of the session."""

    id: str
    raw: int | None
    before: str
    match: str
    after: str


def trigrams(folded: str) -> list[str]:
    """Return three letters each of a text that is looked for; none where it is too short."""
    all_of = [folded[i : i + 3] for i in range(len(folded) - 2)]
    whole = [one for one in dict.fromkeys(all_of) if "\0" not in one]
    step = -(-len(whole) // MOST_TERMS) or 1
    return whole[::step]


def hits_in(id: str, raw: int | None, text: str, folded: str) -> Iterator[Hit]:
    """Yield the first place of a text where something stands, whatever its capitals."""
    within = fold(text)
    at = within.find(folded)
    if at < 0:
        return
    start, end = at, at + len(folded)
    if len(within) != len(text):
        start, end = _places(text, start, end)
    yield Hit(
        id, raw, text[max(0, start - AROUND) : start], text[start:end], text[end : end + AROUND]
    )


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
