"""Figures as text: tables, ratios, and how a target was met."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from unicodedata import east_asian_width


@dataclass(frozen=True)
class Target:
    """A figure with the bound the engine promises for it."""

    figure: str
    value: float
    unit: str
    bound: float
    at_most: bool = True

    @property
    def met(self) -> bool:
        """Tell whether the figure keeps the promise."""
        return self.value <= self.bound if self.at_most else self.value >= self.bound

    def row(self) -> list[str]:
        """Return the target as cells of a table."""
        sign = "≤" if self.at_most else "≥"
        bound = f"{sign} {self.bound:g}{self.unit}"
        return [self.figure, f"{self.value:.3g}{self.unit}", bound, verdict(self.met)]


@dataclass
class Report:
    """What a run has found so far: the targets of all sections."""

    targets: list[Target] = field(default_factory=list)

    def judge(self, target: Target) -> str:
        """Note a target and return its verdict."""
        self.targets.append(target)
        return verdict(target.met)


def verdict(met: bool) -> str:
    """Return a sign and a word, for those who can't see the one or search for the other."""
    return "✓ ok" if met else "✗ miss"


def short(value: float) -> str:
    """Return a number with as many digits as it deserves."""
    if value >= 1000:
        return f"{value:,.0f}"
    if value >= 20:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 1 else f"{value:.2g}"


def micro(seconds: float) -> str:
    """Return a time in microseconds."""
    return short(seconds * 1e6)


def times(ratio: float) -> str:
    """Return a ratio."""
    return f"{short(ratio)}×"


def size_name(size: int) -> str:
    """Return a log's size in few characters."""
    return f"{size // 1_000_000}M" if size >= 1_000_000 else f"{size // 1000}k"


def show(title: str, notes: Sequence[str], head: Sequence[str], rows: Sequence[list[str]]) -> None:
    """Print a table; the first column is text, the others are figures."""
    print(f"\n{title}")
    for note in notes:
        print(f"  {note}")
    widths = [max(_width(row[i]) for row in [list(head), *rows]) for i in range(len(head))]
    for row in [list(head), ["─" * width for width in widths], *rows]:
        first = row[0] + " " * (widths[0] - _width(row[0]))
        rest = [
            " " * (width - _width(cell)) + cell
            for cell, width in zip(row[1:], widths[1:], strict=True)
        ]
        print("  " + "  ".join([first, *rest]).rstrip(), flush=True)


def _width(text: str) -> int:
    return sum(2 if east_asian_width(sign) in "WF" else 1 for sign in text)
