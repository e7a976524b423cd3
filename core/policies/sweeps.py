"""Sweeps: a family of settings over the same run, which of them nothing beats, and which to ship.

Both rules are written out here, so that whoever shows the outcome can show them too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .figures import PolicyFigures
from .parameters import Sweep
from .policy import Policy
from .questions import Question
from .simulation import PolicyRun, Wanted, walk

ROOM = 0.8
"""The part of the limit that the largest call of a setting to ship may take."""
FRONT_RULE = "the front: nothing keeps as much for as little with as few failing calls"
SHIP_RULE = (
    "to ship: the widest on the front without a failing call, peak at most 80 % of the limit"
)
SHIP_RULE_WITHOUT_LIMIT = "to ship: the widest on the front without a failing call; no limit is set"
STAND_IN_RULE = "nothing on the front has that room: the widest clean setting that has it ships"


@dataclass(frozen=True, eq=False)
class Setting:
    """A policy with one value of the sweep, and what it gives."""

    policy: Policy
    value: int
    run: PolicyRun

    @property
    def figures(self) -> PolicyFigures:
        """Return its figures."""
        return self.run.figures

    @property
    def price(self) -> float:
        """Return what it costs, or where there are no prices the tokens no cache can serve."""
        cost = self.figures.cost
        return self.figures.tokens_outside_prefix if cost is None else cost

    @property
    def has_room(self) -> bool:
        """Tell whether its largest call leaves room below the limit; without one there is room."""
        limit = self.figures.limit
        return limit is None or self.figures.peak <= ROOM * limit

    def beats(self, other: Setting) -> bool:
        """Tell whether it is at least as good in all three figures, and better in one."""
        mine, theirs = self._score, other._score
        return mine != theirs and all(one <= two for one, two in zip(mine, theirs, strict=True))

    @cached_property
    def _score(self) -> tuple[float, float, float]:
        figures = self.figures
        return figures.failing, self.price, -figures.messages_kept


@dataclass(frozen=True)
class Family:
    """Every setting of a sweep, policy after policy."""

    sweep: Sweep
    settings: tuple[Setting, ...]

    @cached_property
    def front(self) -> tuple[Setting, ...]:
        """Return the settings that no other beats."""
        return tuple(
            one for one in self.settings if not any(other.beats(one) for other in self.settings)
        )

    @cached_property
    def shipped(self) -> Setting | None:
        """Return the setting that is offered to ship, if one is fit for it.

        What has no room may beat all that have: then the widest of those is offered all the same.
        """
        fit = [one for one in self.settings if not one.figures.failing and one.has_room]
        on_front = [one for one in fit if one in self.front]
        widest = sorted(on_front or fit, key=lambda one: (one.figures.messages_kept, -one.price))
        return widest[-1] if widest else None

    @property
    def rules(self) -> tuple[str, ...]:
        """Return the rules of the front and of what ships, as they were applied here."""
        has_limit = any(one.figures.limit is not None for one in self.settings)
        ship = SHIP_RULE if has_limit else SHIP_RULE_WITHOUT_LIMIT
        stands_in = self.shipped is not None and self.shipped not in self.front
        return (FRONT_RULE, ship, *((STAND_IN_RULE,) if stands_in else ()))

    def of(self, policy: str) -> tuple[Setting, ...]:
        """Return the settings of one policy, by its name."""
        return tuple(one for one in self.settings if one.policy.name == policy)

    def to_dict(self) -> dict[str, Any]:
        """Return every setting with its sums as JSON-ready data."""
        front = {id(one) for one in self.front}
        return {
            "sweep": str(self.sweep),
            "settings": [
                {
                    "value": one.value,
                    "messagesKept": round(one.figures.messages_kept, 1),
                    "failing": one.figures.failing,
                    "front": id(one) in front,
                    "ship": one is self.shipped,
                    **one.figures.sums(),
                }
                for one in self.settings
            ],
            "ship": None
            if self.shipped is None
            else {
                "name": self.shipped.policy.name,
                "value": self.shipped.value,
                "policy": self.shipped.policy.to_dict(),
            },
            "rules": list(self.rules),
        }


def settings(
    question: Question, policies: Sequence[Policy], sweep: Sweep, wanted: Wanted | None = None
) -> Iterator[Setting]:
    """Yield each policy with each value of a sweep, walked; refuse a name that one lacks."""
    family = [
        (policy.with_value(sweep.name, value), value) for policy in policies for value in sweep
    ]
    for policy, value in family:
        yield Setting(policy, value, walk(question, policy, wanted))


def swept(
    question: Question, policies: Sequence[Policy], sweep: Sweep, wanted: Wanted | None = None
) -> Family:
    """Return the whole family of a sweep."""
    return Family(sweep, tuple(settings(question, policies, sweep, wanted)))
