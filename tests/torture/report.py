"""What a torture found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

SHOWN = 5


@dataclass
class Report:
    """How often something was tried, and a sentence for each time it went wrong."""

    name: str
    tried: int = 0
    failures: list[str] = field(default_factory=list)
    seconds: float = 0.0
    detail: str = ""
    """What else was counted, in a few words."""

    def __str__(self) -> str:
        """Return the report as it is printed, with the first few failures."""
        more = f" ({self.detail})" if self.detail else ""
        head = (
            f"{self.name}: {self.tried:,} tried, {len(self.failures):,} failed, "
            f"{self.seconds:,.1f} s{more}"
        )
        rest = len(self.failures) - SHOWN
        told = [f"  ✖ {failure}" for failure in self.failures[:SHOWN]]
        return "\n".join([head, *told, *([f"  … and {rest:,} more"] if rest > 0 else [])])


def in_rounds(
    report: Report, count: int, most: int, round_of: Callable[[Path, int, Report], int]
) -> Report:
    """Run a torture in rounds, each on a library of its own, and count what was confirmed."""
    confirmed = 0
    while report.tried < count:
        with TemporaryDirectory() as folder:
            many = min(most, count - report.tried)
            confirmed += round_of(Path(folder) / "library", many, report)
    report.detail = f"{confirmed:,} changes confirmed"
    return report
