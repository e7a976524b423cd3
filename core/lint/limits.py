"""The rules about what the settings allow, whatever the messages are."""

from __future__ import annotations

from collections.abc import Iterator

from .projection import Projection
from .rule import Breach, Rule


def over_limit(p: Projection) -> Iterator[Breach]:
    """More tokens than the model takes."""
    if p.limit is not None and p.tokens > p.limit:
        yield Breach(None, f"{p.tokens:,} tokens are above the limit of {p.limit:,}.")


RULES = (
    Rule(
        "G9",
        "warning",
        "over the limit",
        over_limit,
        leads=True,
        why="More than the model takes is refused, or cut off without a word.",
    ),
)
