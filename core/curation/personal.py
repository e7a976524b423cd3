"""What is about a person or opens a door: how much of it the messages of a conversation hold."""

from __future__ import annotations

from collections.abc import Iterable


def personal_in(texts: Iterable[str]) -> dict[str, int]:
    """Return how often each built-in pattern is found; those that are not are left out."""
    del texts
    return {}
