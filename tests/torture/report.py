"""What came of a torture."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Report:
    """How often something was tried, and a sentence for each time it went wrong."""

    name: str
    tried: int
    failures: list[str]
    seconds: float
