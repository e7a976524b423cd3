"""Counting errors again and again: how many a projection has, without looking at all of it.

A simulation asks this before every call. An exchange that stands together, a calling message with
exactly its results right behind it, is sound whatever is around it. In the log such exchanges are
*units*, and a run of a view holds them whole but for what it cuts off at its ends. So only that is
paired, and what is odd in itself; what stands together within a chunk of runs needs no second look
for as long as views share that chunk.

The rules of single profiles are asked as lint asks them.
"""

from __future__ import annotations

from core.history.state import State
from core.lint.linting import lint_state
from core.lint.pairing import Pairing
from core.lint.projection import Projection
from core.lint.registry import profile_rules
from core.lint.units import Placed, Units
from core.values.roles import ROLES
from core.views.chunks import Chunk
from core.views.view import View

PAIRED = ("G1", "G2", "G3", "G4")
COUNTED = (*PAIRED, "G6")
"""The rules whose errors are counted here; all others are asked."""
PARALLEL = 2
SYSTEM = ROLES.index("system")

Rest = tuple[list[Placed], frozenset[str]]
"""What of a chunk is still to be paired, and the ids of the exchanges that stand together in it."""


class ErrorCount:
    """Counts the errors of states that share one growing log, by the rules of a profile."""

    def __init__(self, profile: str) -> None:
        rules = profile_rules(profile)
        self._profile = profile
        self._own = [one for one in rules if one.severity == "error" and one.id not in COUNTED]
        self._units = Units()
        self._rests: dict[int, tuple[Chunk, Rest]] = {}

    @property
    def is_local(self) -> bool:
        """Tell whether all errors are about calls and results, and so about neighbours only."""
        return not self._own

    def errors(self, state: State) -> int:
        """Return how many errors lint would find in a state."""
        if not state.current.log_size:
            return 0
        self._units.learn(state.log)
        found = self._paired(state)
        if found is None:
            return sum(one.severity == "error" for one in lint_state(state, self._profile))
        found += not _is_sendable(state)
        if self._own:
            projection = Projection(state)
            for rule in self._own:
                found += sum(one.severity == "error" for one in rule.findings(projection))
        return found

    def _paired(self, state: State) -> int | None:
        """Return the errors of calls and results, or None where the quick way can't tell."""
        view, units = state.view, self._units
        rest, together = self._rest(view)
        if not rest:
            return 0
        results = {id for _, raw in rest for id in units.links(raw).results}
        if not together.isdisjoint(results) or units.has_unnamed(rest):
            return None
        loose = {raw for _, raw in rest}
        for id in results:
            home = units.home(id)
            if home is not None and home not in loose and home in view:
                return None  # A stray result of a call that has its own: which one is displaced?
        return _errors(units.paired(rest), len(view))

    def _rest(self, view: View) -> Rest:
        """Return what of a view has to be paired, and the ids of what needn't be."""
        rests, passed = {}, 0
        placed: list[Placed] = []
        together: frozenset[str] = frozenset()
        for chunk in view.chunks:
            known = self._rests.get(id(chunk))
            rest = self._units.rest(chunk) if known is None else known[1]
            rests[id(chunk)] = chunk, rest
            if rest[0]:
                placed += [(passed + at, raw) for at, raw in rest[0]] if passed else rest[0]
            if rest[1]:
                together |= rest[1]
            passed += chunk.size
        self._rests = rests
        return placed, together


def _is_sendable(state: State) -> bool:
    log = state.log
    return any(log.roles(raw, raw + 1)[0] != SYSTEM for raw in reversed(state.view))


def _errors(pairing: Pairing, size: int) -> int:
    """Return how many errors of calls and results there are in a projection of some size."""
    found = len(pairing.orphans)
    for site in pairing.unsound():
        found += len(site.displaced)
        if not site.waits(size):
            found += len(site.missing())
            found += len(site.calls) >= PARALLEL and not site.is_complete()
    return found
