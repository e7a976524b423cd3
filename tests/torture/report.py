"""What a torture found."""

from __future__ import annotations

from dataclasses import dataclass, field

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
