"""What a torture found."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Report:
    """How often something was tried, and a sentence for each time it went wrong."""

    name: str
    tried: int = 0
    failures: list[str] = field(default_factory=list)
    seconds: float = 0.0
