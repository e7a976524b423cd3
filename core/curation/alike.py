"""Likeness: which sessions are the same, or nearly, for training."""

from __future__ import annotations

from typing import NamedTuple


class Alike(NamedTuple):
    """A group of sessions that are alike: its number, its size, and how alike this one is."""

    group: int
    size: int
    likeness: float
