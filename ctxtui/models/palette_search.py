"""What the palette finds: how well what was typed fits what an entry is called."""

from __future__ import annotations

from typing import NamedTuple

STARTS, WORD_STARTS, HOLDS, SCATTERED, ABOUT = 5.0, 4.0, 3.0, 2.0, 1.0
"""From a title that starts with what was typed down to words that only tell about it."""


class Entry(NamedTuple):
    """A line of the palette: what it is called, what it does, and its keys."""

    title: str
    about: str
    keys: str = ""


def fit_of(typed: str, entry: Entry) -> float:
    """Return how well an entry fits, 0 for not at all; titles always come before descriptions."""
    wanted, title = typed.casefold().strip(), entry.title.casefold()
    if not wanted:
        return 0.0
    # Of two titles that fit equally well the shorter one is more likely meant.
    nearness = len(wanted) / (len(title) + len(wanted))
    if title.startswith(wanted):
        return STARTS + nearness
    if f" {wanted}" in f" {title}".replace("-", " "):
        return WORD_STARTS + nearness
    if wanted in title:
        return HOLDS + nearness
    if _is_scattered(wanted, title):
        return SCATTERED + nearness
    if f" {wanted}" in f" {entry.about.casefold()}":
        return ABOUT + nearness
    return 0.0


def _is_scattered(wanted: str, title: str) -> bool:
    """Tell whether a title has the letters in their order, the first at the start of a word."""
    if not any(word.startswith(wanted[0]) for word in title.split()):
        return False
    letters = iter(title)
    return all(letter in letters for letter in wanted.replace(" ", ""))
