"""Likeness: in which ways a message may have become another that stands in its place."""

from __future__ import annotations

from enum import Enum

from .asked import Sent
from .identity import shapes_of

ALIKE_SHARE = 0.6
"""The share of words that two messages have in common where one was made of the other."""


class How(Enum):
    """How a message that is sent now belongs to one that was there before."""

    SAME = "same"
    """It is that message, perhaps written differently."""
    BY_ID = "by id"
    """It is of the same calls, with another content."""
    VOLATILE = "volatile"
    """Only times, ids and numbers differ."""
    GREW = "grew"
    """Something was added behind it."""
    SHRANK = "shrank"
    """Some of its parts went."""
    ALIKE = "alike"
    """It has most of its words."""


def is_volatile(old: Sent, new: Sent) -> bool:
    """Tell whether only times, ids and numbers differ."""
    return old.masked == new.masked


def has_grown(old: Sent, new: Sent) -> bool:
    """Tell whether text or parts were added behind what was there."""
    before, after = shapes_of(old.message), shapes_of(new.message)
    if not before or len(after) < len(before) or before[:-1] != after[: len(before) - 1]:
        return False
    last, its = before[-1], after[len(before) - 1]
    if last == its:
        return len(after) > len(before)
    return isinstance(last, str) and isinstance(its, str) and its.startswith(last)


def has_shrunk(old: Sent, new: Sent) -> bool:
    """Tell whether parts went, while the others stayed in their order."""
    before, after = shapes_of(old.message), shapes_of(new.message)
    if not after or len(after) >= len(before):
        return False
    rest = iter(before)
    return all(shape in rest for shape in after)


def is_alike(old: Sent, new: Sent) -> bool:
    """Tell whether most words of both are the same."""
    larger = max(len(old.words), len(new.words))
    return larger > 0 and len(old.words & new.words) >= ALIKE_SHARE * larger


WAYS = (
    (How.VOLATILE, is_volatile),
    (How.GREW, has_grown),
    (How.SHRANK, has_shrunk),
    (How.ALIKE, is_alike),
)
"""The ways from the surest to the least sure."""
