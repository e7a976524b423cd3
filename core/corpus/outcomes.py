"""What is told of a run: how far it is, what came of it, and what it took."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple


class Progress(NamedTuple):
    """How far a run is: which phase, how many of how many shards, and how many conversations."""

    phase: str
    done: int
    of: int
    records: int
    bytes: int
    all_bytes: int
    seconds: float
    """Since the phase began; what was done before that does not count."""
    fresh_records: int
    fresh_bytes: int

    @property
    def rate(self) -> float:
        """Return conversations a second."""
        return self.fresh_records / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """Return how long this phase will take at this rate, once that can be told."""
        if not self.fresh_bytes or self.seconds <= 0:
            return None
        return (self.all_bytes - self.bytes) * self.seconds / self.fresh_bytes


class Costs(NamedTuple):
    """What a run took; it differs from run to run, so that no report says it."""

    engine: str
    workers: int
    records: int
    """Worked on this time; those of a run that went on are not among them."""
    seconds: float
    """Working on shards, by the clock."""
    processor_seconds: float
    peak_memory: int
    """Of the worker that took the most, in bytes."""
    all_seconds: float


class Ran(NamedTuple):
    """What came of a run."""

    out: Path
    report: dict[str, Any]
    was_done: bool
    """Whether all of it was done before."""
    resumed: int
    """Shards that were done before."""
    costs: Costs
    """What it took, this time."""
