"""Figures about tokens that plots ask for again and again, kept as long as their conversation."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from heapq import nlargest
from itertools import accumulate, islice, repeat
from operator import add, mul, sub
from weakref import ref

from ctxtui.core import Conversation
from ctxtui.core.engine.log import LogReader, role_table
from ctxtui.core.engine.queries import token_total
from ctxtui.core.engine.revisions import Revision
from ctxtui.core.engine.state import State
from ctxtui.core.engine.views import Chunk, View
from ctxtui.core.values.models import ROLES

MOST_LARGEST = 8
"""How many of the largest messages are remembered."""


class Figures:
    """Running sums over the raw log for each role; they grow with it and are never made anew.

    The sums of a chunk of a view are kept as well: views share nearly all of their chunks, so that
    one more batch costs what it changed.
    """

    def __init__(self, counter: str) -> None:
        self.counter = counter
        self.tokens = array("Q")
        self._sums = [array("Q", [0]) for _ in ROLES]
        self._chunks: dict[int, tuple[Chunk, tuple[int, ...]]] = {}
        self._peak = self._seen = 0

    def catch_up(self, log: LogReader, skipped: int = 0) -> None:
        """Take in what was added to the log since the last time; some at its start may be left."""
        first, size = skipped + len(self.tokens), len(log)
        if first >= size:
            return
        ends = list(map(log.tokens_before, range(first, size + 1), repeat(self.counter)))
        fresh = array("Q", map(sub, islice(ends, 1, None), ends))
        self.tokens += fresh
        codes = log.roles(first, size)
        for sums, role in zip(self._sums, ROLES, strict=True):
            of_role = map(mul, fresh, codes.translate(role_table((role,))))
            sums.extend(islice(accumulate(of_role, initial=sums[-1]), 1, None))

    def by_role(self, view: View) -> tuple[int, ...]:
        """Return the tokens of a view for each role, in the order of the roles."""
        totals = (0,) * len(ROLES)
        for chunk in view.chunks:
            totals = tuple(map(add, totals, self._chunk(chunk)))
        return totals

    def within(self, starts: Sequence[int], stops: Sequence[int]) -> tuple[int, ...]:
        """Return the tokens of each role in some stretches of the log, each from and up to."""
        return tuple(
            sum(map(sums.__getitem__, stops)) - sum(map(sums.__getitem__, starts))
            for sums in self._sums
        )

    def peak(self, revisions: Sequence[Revision]) -> int:
        """Return the most tokens that ever were visible, by this counter whatever was used then."""
        for revision in islice(revisions, self._seen, None):
            same = revision.counter == self.counter
            count = revision.tokens if same else sum(self.by_role(revision.view))
            self._peak = max(self._peak, count)
        self._seen = len(revisions)
        return self._peak

    def raw_by_role(self, size: int) -> tuple[int, ...]:
        """Return the tokens of the first messages of the log for each role, hidden ones too."""
        return tuple(sums[size] for sums in self._sums)

    def column(self, view: View) -> array[int]:
        """Return the tokens of each visible message, in visible order."""
        found = array("Q")
        for start, length in view.runs():
            found += self.tokens[start : start + length]
        return found

    def _chunk(self, chunk: Chunk) -> tuple[int, ...]:
        # The chunk is kept beside its sums, so that no other one can get its id.
        kept = self._chunks.get(id(chunk))
        if kept is None:
            made = self.within(chunk.starts, list(map(add, chunk.starts, chunk.lengths)))
            kept = self._chunks[id(chunk)] = (chunk, made)
        return kept[1]


class StagedFigures:
    """Figures of a log that goes on behind another one: a draft that nobody may ever commit.

    ``counter`` is the draft's own, which may be about to change.
    """

    def __init__(self, figures: Figures, log: LogReader, counter: str) -> None:
        self._figures = figures
        self._known = len(figures.tokens)
        self._more = Figures(counter)
        self._more.catch_up(log, self._known)

    def within(self, starts: Sequence[int], stops: Sequence[int]) -> tuple[int, ...]:
        """Return the tokens of each role in some stretches of the log, each from and up to."""
        known = self._known
        old = self._figures.within(*([min(at, known) for at in ends] for ends in (starts, stops)))
        new = self._more.within(*([max(0, at - known) for at in ends] for ends in (starts, stops)))
        return tuple(map(add, old, new))


class Sizes:
    """The visible messages of one state by their size."""

    def __init__(self, figures: Figures, state: State) -> None:
        self.column = figures.column(state.view)
        self.largest = nlargest(MOST_LARGEST, range(len(self.column)), key=self.column.__getitem__)
        self.roles = state.view.column(state.log.roles)
        self.not_counted = token_total(state).not_counted


_FIGURES: dict[tuple[int, str], tuple[ref[Conversation], Figures]] = {}


def figures_of(conversation: Conversation, state: State) -> Figures:
    """Return the figures of a conversation, up to date; they are kept as long as it is.

    Each counter that is in use has its own: the past may have been counted by another one.
    """
    # A conversation can't be a key itself: it changes and has no hash.
    key = (id(conversation), state.counter)
    kept = _FIGURES.get(key)
    if kept is None:
        gone = ref(conversation, lambda _: _FIGURES.pop(key, None))
        kept = _FIGURES[key] = (gone, Figures(state.counter))
    kept[1].catch_up(state.log)
    return kept[1]
