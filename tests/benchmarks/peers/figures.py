"""Figures: what one run has found, as data that the page is written from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Point:
    """One way at one size: the median of its runs, in seconds, and the bytes that files grew.

    ``seconds`` is None where a run was given up because it took too long.
    """

    seconds: float | None
    runs: int = 1
    bytes: int | None = None


@dataclass(frozen=True)
class Cuts:
    """What became of a conversation after each cut: how many are broken, by both judges."""

    broken: int
    lint: int
    empty: int
    of: int


@dataclass
class Line:
    """One way of a library to do a task, with its points by size or its cuts."""

    library: str
    call: str
    syncs: bool | None = None
    points: dict[int, Point] = field(default_factory=dict)
    paused: Point | None = None
    """The largest size again, while the garbage collector was off."""
    cuts: Cuts | None = None


@dataclass
class Figures:
    """All lines of a run by task, why some libraries have none, and where it was."""

    versions: Mapping[str, str]
    machine: Sequence[str]
    lines: dict[str, list[Line]] = field(default_factory=dict)
    missing: dict[str, dict[str, str]] = field(default_factory=dict)
    """By task and library: why it has no such thing."""
    sync: float | None = None
    """Seconds that the disk takes to keep a small piece, without any library."""
