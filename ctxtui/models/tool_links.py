"""Where the calls and results of each id stand in the raw log, kept as long as its conversation."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from threading import Lock
from weakref import ref

from ctxtui.core import Conversation
from ctxtui.core.engine.log import LogReader
from ctxtui.core.engine.messages import LINKED
from ctxtui.core.engine.views import View

MOST_NEAR = 50
"""How many messages of one id are looked at on either side; nearly all ids are used once."""


class ToolLinks:
    """Raw indices by call id; they grow with the log and are never looked up anew.

    Without this, the other half of a broken pair would be looked for through the log each time.
    """

    def __init__(self) -> None:
        self._size = 0
        self._lock = Lock()  # Lint and drawing may both be the first to ask.
        self._calls: dict[str, list[int]] = {}
        self._results: dict[str, list[int]] = {}

    def catch_up(self, log: LogReader) -> None:
        """Take in what was added to the log since the last time."""
        with self._lock:
            size = len(log)
            fresh = View.of_runs([(self._size, size - self._size)] if self._size < size else [])
            for raw in log.with_flag(fresh, LINKED):
                links = log.links(raw)
                for call in links.calls:
                    self._calls.setdefault(call, []).append(raw)
                for result in links.results:
                    self._results.setdefault(result, []).append(raw)
            self._size = max(self._size, size)

    def calls(self, ids: Iterable[str], near: int) -> list[int]:
        """Return the messages around a raw index that make any of these calls, nearest first."""
        return _around(self._calls, ids, near)

    def results(self, ids: Iterable[str], near: int) -> list[int]:
        """Return the messages around a raw index with a result of any of these, nearest first."""
        return _around(self._results, ids, near)


def _around(known: dict[str, list[int]], ids: Iterable[str], near: int) -> list[int]:
    found: set[int] = set()
    for id in dict.fromkeys(ids):
        raws: Sequence[int] = known.get(id, ())
        at = bisect_left(raws, near)
        found.update(raws[max(0, at - MOST_NEAR) : at + MOST_NEAR])
    return sorted(found - {near}, key=lambda raw: abs(raw - near))


_LINKS: dict[int, tuple[ref[Conversation], ToolLinks]] = {}


def links_of(conversation: Conversation) -> ToolLinks:
    """Return the links of a conversation, up to date; they are kept as long as it is."""
    key = id(conversation)  # A conversation can't be a key itself: it changes and has no hash.
    kept = _LINKS.get(key)
    if kept is None:
        gone = ref(conversation, lambda _: _LINKS.pop(key, None))
        kept = _LINKS[key] = (gone, ToolLinks())
    kept[1].catch_up(conversation.log)
    return kept[1]
