"""Where the log uses the id of a tool call, so that an exchange is found without reading the log.

The index is built when it is first asked for, and then grows with the log it belongs to.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from threading import Lock

from ..messages.facts import Links

BLOCKS = (64**3, 64**2, 64)
"""How many linked messages one figure of each level stands for, the coarsest level first."""


class Uses:
    """The messages that call or answer under each id, and which ids are used on both sides.

    One may stand on another: on its messages before ``start``, however many it has by now.
    """

    __slots__ = ("_base", "_known", "_linked", "_lock", "_lowest", "_reach", "_start", "_uses")

    def __init__(self, base: Uses | None = None, start: int = 0) -> None:
        self._base = base
        self._start = start
        self._known = 0
        self._uses: dict[str, array[int]] = {}
        self._linked = array("I")
        self._reach = array("I")
        self._lowest = [(size, array("I")) for size in BLOCKS]
        self._lock = Lock()

    def catch_up(self, linked: Sequence[int], links: Mapping[int, Links]) -> Uses:
        """Take in the linked messages, by raw index, that were added since the last time."""
        if self._known < (count := len(linked)):
            with self._lock:
                for place in range(self._known, count):
                    self._add(linked[place], links[linked[place]])
                self._known = max(self._known, count)
        return self

    def of(self, id: str) -> Sequence[int]:
        """Return the messages that use an id, each once, by raw index."""
        own = self._uses.get(id, NONE)
        if self._base is None:
            return own
        before = self._base.of(id)
        if before and before[-1] >= self._start:
            before = before[: bisect_left(before, self._start)]
        return [*before, *own] if before and own else own or before

    def across(self, raw: int) -> list[int]:
        """Return messages from a raw index on that use an id which is used before it too.

        Of each such id, the first use from there on is among them.
        """
        found = []
        if self._base is not None:
            found = [one for one in self._base.across(raw) if one < self._start]
        with self._lock:
            return found + self._own_across(raw)

    def _own_across(self, raw: int) -> list[int]:
        found = []
        at, count = bisect_left(self._linked, raw), len(self._linked)
        while at < count:
            for size, lowest in self._lowest:
                if at % size == 0 and lowest[at // size] >= raw:
                    at += size
                    break
            else:
                if self._reach[at] < raw:
                    found.append(self._linked[at])
                at += 1
        return found

    def _add(self, raw: int, links: Links) -> None:
        """Note a message under its ids, and how far back the latest use of one of them lies."""
        reach = raw
        for id in {*links.calls, *links.results}:
            own = self._uses.get(id)
            if own is not None:
                reach = min(reach, own[-1])
                own.append(raw)
                continue
            self._uses[id] = array("I", (raw,))
            if self._base is not None and (before := self._base.of(id)):
                end = bisect_left(before, self._start)
                reach = min(reach, before[end - 1]) if end else reach
        at = len(self._linked)
        self._linked.append(raw)
        self._reach.append(reach)
        for size, lowest in self._lowest:
            if at % size == 0:
                lowest.append(reach)
            elif reach < lowest[-1]:
                lowest[-1] = reach


NONE: Sequence[int] = array("I")
