"""What is about a person or opens a door: how much of it the messages of a conversation hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ..queries.text_search import TooSlow
from .patterns import PATTERNS, find_all

_EVERY = tuple(PATTERNS.values())


def personal_in(texts: Iterable[str]) -> dict[str, int]:
    """Return how often each built-in pattern is found; those that are not are left out."""
    found: Counter[str] = Counter()
    for text in texts:
        try:
            found.update(one.pattern for one in find_all(text, _EVERY) if not one.doubt)
        except TooSlow:
            continue  # Only a list is poorer for it: replacing would say so.
    return dict(sorted(found.items()))
