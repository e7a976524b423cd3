"""Where the log uses the id of a tool call, so that an exchange is found without reading the log.

The index is built when it is first asked for, and then grows with the log it belongs to.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Sequence
from itertools import islice
from threading import Lock

from core.messages.facts import Links

BLOCKS = (64**3, 64**2, 64)
"""How many linked messages one figure of each level stands for, the coarsest level first."""


class Uses:
    """The messages that call or answer under each id, and which ids are used on both sides."""

    __slots__ = ("_base", "_known", "_linked", "_lock", "_lowest", "_reach", "_uses")

    def __init__(self, base: Uses | None = None) -> None:
        self._base = base
        self._known = 0
        self._uses: dict[str, array[int]] = {}
        self._linked = array("I")
        self._reach = array("I")
        self._lowest = [(size, array("I")) for size in BLOCKS]
        self._lock = Lock()

    def catch_up(self, links: dict[int, Links]) -> Uses:
        """Take in the links, in order of raw index, that were added since the last time."""
        if self._known < len(links):
            with self._lock:
                fresh = islice(reversed(links.items()), len(links) - self._known)
                for raw, link in reversed(list(fresh)):
                    self._add(raw, link)
                self._known = len(links)
        return self

    def of(self, id: str) -> Sequence[int]:
        """Return the messages that use an id, each once, by raw index."""
        own = self._uses.get(id, NONE)
        before = self._base.of(id) if self._base is not None else NONE
        return [*before, *own] if before and own else own or before

    def across(self, raw: int) -> list[int]:
        """Return messages from a raw index on that use an id which is used before it too.

        Of each such id, the first use from there on is among them.
        """
        found = self._base.across(raw) if self._base is not None else []
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
                reach = min(reach, before[-1])
        at = len(self._linked)
        self._linked.append(raw)
        self._reach.append(reach)
        for size, lowest in self._lowest:
            if at % size == 0:
                lowest.append(reach)
            elif reach < lowest[-1]:
                lowest[-1] = reach


NONE: Sequence[int] = array("I")
