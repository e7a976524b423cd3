"""Watching long work: how far it is, and whether anybody still wants it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

ITEMS_BETWEEN_LOOKS = 1_024
"""How many items are read between two looks up."""


class Cancelled(BaseException):
    """The work was cancelled; no `except Exception` stops that."""


class TaskProgress:
    """Takes how far some work is, and stops it on request."""

    def __init__(
        self,
        report: Callable[[float], None] = lambda _: None,
        is_stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self._report = report
        self._is_stopped = is_stopped
        self._done = 0.0

    def is_wanted(self) -> bool:
        return not self._is_stopped()

    def step(self, done: float) -> None:
        """Say which share of the work is done; it never goes back."""
        if not self.is_wanted():
            raise Cancelled
        if done > self._done:
            self._done = min(1.0, done)
            self._report(self._done)


class TrackedList(list[Any]):
    """A list that says how far it was read, from one share of the work to another.

    Reading it again goes on from there, half of what is left each time.
    """

    def __init__(self, items: Iterable[Any], watch: TaskProgress, start: float, end: float) -> None:
        super().__init__(items)
        self._watch, self._start, self._end = watch, start, end

    def __iter__(self) -> Iterator[Any]:
        start, size = self._start, max(1, len(self))
        end = self._start = (start + self._end) / 2
        for i, item in enumerate(super().__iter__()):
            if i % ITEMS_BETWEEN_LOOKS == 0:
                self._watch.step(start + (end - start) * i / size)
            yield item


def tracked(data: object, watch: TaskProgress) -> object:
    """Return parsed JSON whose long lists report how far they are read."""
    if isinstance(data, list):
        return TrackedList(data, watch, 0.4, 1.0)
    if isinstance(data, dict):
        shares = {"messages": (0.4, 0.8), "journal": (0.8, 1.0)}
        for name, (start, end) in shares.items():
            if isinstance(data.get(name), list):
                data[name] = TrackedList(data[name], watch, start, end)
    return data
