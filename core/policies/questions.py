"""What is asked about a run, and what the answers for all policies have in common."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise

from ..history.columns import ROLE_CODES
from ..history.log import Tally
from ..lint import profile_rules
from ..lint.units import Units
from ..messages.facts import is_unnamed_result
from ..messages.message import Message
from ..tokens.counters import counter_named
from .figures import CallFigures, PolicyFigures, Prices, RefusedCall
from .runs import Run


@dataclass(frozen=True)
class Question:
    """What is to be judged: by whose rules, which labels must stay, at what price."""

    run: Run
    profile: str
    must: tuple[str, ...]
    prices: Prices | None = None

    @classmethod
    def about(
        cls,
        run: Run,
        *,
        profile: str | None = None,
        must: Sequence[str] | None = None,
        prices: Prices | None = None,
    ) -> Question:
        """Return the question about a run; by default the run's own profile and all its labels."""
        named = run.state.head.settings.profile if profile is None else profile
        profile_rules(named)
        return cls(run, named, run.labels(None if must is None else tuple(must)), prices)

    @cached_property
    def sums(self) -> Sequence[int]:
        """Return the tokens of the messages of the run before each place."""
        return [0, *accumulate(self.run.counts)]

    @cached_property
    def quiet(self) -> Sequence[bool]:
        """Tell of each call whether what came since the one before adds no error and mends none.

        That is so where nothing but whole exchanges, and messages without ties, has come, and
        nothing before it may still wait for a result.
        """
        units, log = Units(), self.run.state.log
        places = [0, *(point.at for point in self.run.calls)]
        for raw, message in zip(self.run.raws, self.run.messages, strict=True):
            if is_unnamed_result(message):
                return [False] * len(self.run.calls)  # Any later call makes it worse.
            units.take(ROLE_CODES[message.role], log.links(raw))
        return [
            units.is_whole(start, stop) and not units.is_loose(start - 1)
            for start, stop in pairwise(places)
        ]

    @cached_property
    def _marked(self) -> Sequence[tuple[int, tuple[str, ...]]]:
        found: dict[int, list[str]] = {}
        for label, places in self.run.marks.items():
            for place in places:
                found.setdefault(place, []).append(label)
        return [(place, tuple(labels)) for place, labels in sorted(found.items())]

    def labels_between(self, start: int, stop: int) -> Sequence[tuple[int, tuple[str, ...]]]:
        """Return the marked messages of a stretch of the run, by place, with their labels."""
        marked = self._marked
        return marked[bisect_left(marked, (start,)) : bisect_left(marked, (stop,))]

    @cached_property
    def _counts(self) -> Mapping[int, int]:
        return dict(zip(map(id, self.run.messages), self.run.counts, strict=True))

    def tally(self, counter: str) -> Tally:
        """Return how a counter counts here: messages of the run are counted already."""
        live = counter_named(counter).count
        if counter != self.run.state.counter:
            return live
        counts = self._counts

        def count(message: Message) -> int:
            known = counts.get(id(message))
            return live(message) if known is None else known

        return count

    def figures(
        self, name: str, calls: Sequence[CallFigures], refused: Sequence[RefusedCall] = ()
    ) -> PolicyFigures:
        """Return the figures of a policy."""
        limit = self.run.state.head.settings.token_limit
        output = sum(point.output for point in self.run.calls)
        return PolicyFigures(name, tuple(calls), tuple(refused), limit, output, self.prices)
