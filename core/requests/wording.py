"""Words for what happened: which messages, how many, and one sentence about it."""

from __future__ import annotations

from collections.abc import Iterable

from ..views.spans import runs_of

MOST_RUNS = 4


def raws(indices: Iterable[int]) -> str:
    """Return raw indices as a sentence names them: ``raw 1–3 and 5``."""
    runs = list(runs_of(sorted(indices)))
    named = [str(start) if size == 1 else f"{start}–{start + size - 1}" for start, size in runs]
    if len(named) > MOST_RUNS:
        left = sum(size for _, size in runs[MOST_RUNS:])
        named = [*named[:MOST_RUNS], f"{left} more"]
    return "raw " + listed(named)


def listed(names: list[str]) -> str:
    """Return names with commas and an ``and``."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def counted(number: int, noun: str = "message") -> str:
    """Return a number with its noun: ``1 message``, ``3 messages``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
