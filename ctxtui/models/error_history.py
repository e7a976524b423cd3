"""How many errors the newest batches of a path had, for whoever asks when something broke."""

from __future__ import annotations

from typing import NamedTuple

from ctxtui.models.error_counts import ErrorCounts
from ctxtui.models.look import Look

MOST_BATCHES = 24


class BatchErrors(NamedTuple):
    """A batch of the path by its number, and its errors if they were counted already."""

    number: int
    errors: int | None


def error_history(look: Look, counts: ErrorCounts) -> list[BatchErrors]:
    """Return the batches up to the one that is shown; those not counted yet are wanted now."""
    state, last = look.state, look.batch.number
    return [
        BatchErrors(number, counts.of(state.on_path(number)))
        for number in range(max(0, last - MOST_BATCHES + 1), last + 1)
    ]
