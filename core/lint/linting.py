"""Runs the rules over a state, and counts the errors of many similar states quickly."""

from __future__ import annotations

from bisect import bisect_left
from typing import NamedTuple

from ..engine.log import ROLE_CODES
from ..engine.messages import NO_LINKS
from ..engine.pairing import Pairing
from ..engine.state import State
from ..engine.views import EMPTY, View, shared_start
from .projection import Finding, Placed, Projection, Units
from .rules import PARALLEL, profile_rules


def lint_state(state: State, profile: str | None = None) -> list[Finding]:
    """Return the findings of a profile about what is visible, from top to bottom."""
    rules = profile_rules(state.head.settings.profile if profile is None else profile)
    if not state.current.log_size:
        rules = tuple(rule for rule in rules if rule.of_empty)
    projection = Projection(state)
    found: list[Finding] = []
    for rule in sorted(rules, key=lambda rule: not rule.sort_first):
        found += rule.findings(projection)
    return sorted(found, key=lambda one: -1 if one.position is None else one.position)


PAIRED = ("G1", "G2", "G3", "G4")
COUNTED = (*PAIRED, "G6")
"""The rules whose errors are counted here; all others are run."""
SYSTEM = ROLE_CODES["system"]


class SettledExchange(NamedTuple):
    """A complete exchange: its first and last position, and the ids of its calls."""

    first: int
    last: int
    ids: frozenset[str]


class ErrorCount:
    """Counts the errors of states that share one growing log, by the rules of a profile.

    It makes the cost of a simulated call independent of the length of the projection.
    """

    def __init__(self, profile: str) -> None:
        rules = profile_rules(profile)
        self._profile = profile
        self._own = [one for one in rules if one.severity == "error" and one.id not in COUNTED]
        self._units = Units()
        self._before: View = EMPTY
        self._loose: list[Placed] = []
        self._settled: list[SettledExchange] = []
        self._ids: set[str] = set()

    @property
    def is_local(self) -> bool:
        """Return whether all errors are about calls and results, and so about neighbours only."""
        return not self._own

    def errors(self, state: State) -> int:
        """Return how many errors lint would find in a state."""
        if not state.current.log_size:
            return self._by_lint(state)
        self._units.learn(state.log)
        self._look(state.view)
        found = self._paired(state.view)
        if found is None:
            return self._by_lint(state)
        log = state.log
        found += all(log.roles(raw, raw + 1)[0] == SYSTEM for raw in reversed(state.view))
        if self._own:
            projection = Projection(state)
            for rule in self._own:
                found += sum(one.severity == "error" for one in rule.findings(projection))
        return found

    def _by_lint(self, state: State) -> int:
        return sum(one.severity == "error" for one in lint_state(state, self._profile))

    def _look(self, view: View) -> None:
        """Find what has to be paired in a view, from where it differs from the one before."""
        start = self._go_back(view, shared_start(view, self._before))
        self._before = view
        news = self._units.loose_of(view[start:].runs(), start)
        self._loose += news
        if len(news) >= PARALLEL:
            gone: set[int] = set()
            for first, last, ids in self._units.together(self._loose):
                self._settled.append(SettledExchange(first, last, ids))
                self._ids |= ids
                gone.update(range(first, last + 1))
            if gone:
                self._loose = [one for one in self._loose if one[0] not in gone]

    def _go_back(self, view: View, shared: int) -> int:
        """Forget what was found from a place on; return the place, which is in no exchange.

        The last message in common may only begin an exchange, or wait for what follows.
        """
        start = max(0, shared - 1)
        if start:
            raw = view[start]
            start = max(0, start - (raw - self._units.start_of(raw)))
        while self._settled and self._settled[-1].last >= start:
            first, _, ids = self._settled.pop()
            self._ids -= ids
            start = min(start, first)
        del self._loose[bisect_left(self._loose, (start,)) :]
        return start

    def _paired(self, view: View) -> int | None:
        """Return the errors of calls and results, or None if the quick way can't find out."""
        units, loose = self._units, self._loose
        if not loose:
            return 0
        results = {id for _, raw in loose for id in units.links(raw).results}
        names_no_call = any(units.links(raw) is NO_LINKS for _, raw in loose)
        if names_no_call or not self._ids.isdisjoint(results):
            return None
        raws = {raw for _, raw in loose}
        for id in results:
            home = units.home(id)
            if home is not None and home not in raws and home in view:
                return None  # A stray result of a call that has its own: which one is displaced?
        return _errors(units.paired(loose), len(view))


def _errors(pairing: Pairing, size: int) -> int:
    """Return how many errors of calls and results there are in a projection of some size."""
    found = len(pairing.orphans)
    for site in pairing.unsound:
        found += len(site.displaced)
        if not site.waits(size):
            found += len(site.missing())
            found += len(site.calls) >= PARALLEL and not site.is_complete()
    return found
