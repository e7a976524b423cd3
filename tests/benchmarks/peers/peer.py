"""A peer: a library, and its own ways to do what is measured."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.benchmarks.peers.rows import Row


@dataclass(frozen=True)
class Work:
    """Something that is ready to be done and timed.

    ``run`` may be a coroutine function. ``count`` tells how many messages came out, so that
    nobody is timed who did something else. Work that leaves traces in its messages has ``renew``,
    which is called, untimed, before each further run.
    """

    run: Callable[[], Any | Awaitable[Any]]
    count: Callable[[Any], int] = len
    renew: Callable[[], object] | None = None


@dataclass(frozen=True)
class Place:
    """A conversation in a folder, open: ``change`` adds a message and returns when it is kept."""

    change: Callable[[int], Any | Awaitable[Any]]
    close: Callable[[], Any | Awaitable[Any]]


@dataclass(frozen=True)
class Way:
    """One way to do a task; ``call`` is what its users write, as the page shows it."""

    call: str
    prepare: Callable[[Sequence[Row]], Work]


@dataclass(frozen=True)
class DiskWay:
    """A way to keep a conversation on disk: made once, then opened and changed.

    ``syncs`` tells whether a change is pushed through to the disk before the call returns.
    """

    call: str
    make: Callable[[Sequence[Row], Path], Any | Awaitable[Any]]
    open: Callable[[Path], Place]
    syncs: bool


@dataclass(frozen=True)
class CutWay:
    """A way to keep the last k messages; ``cut`` gives them as OpenAI chat rows again."""

    call: str
    cut: Callable[[Sequence[Row], int], Sequence[Row] | Awaitable[Sequence[Row]]]


AnyWay = Way | DiskWay | CutWay


@dataclass(frozen=True)
class Peer:
    """A library: the package whose version is told, and for each task its ways or why not."""

    package: str
    ways: Mapping[str, Sequence[AnyWay] | str]
