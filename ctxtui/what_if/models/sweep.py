"""A sweep in the app: the settings of compared policies over one run, worked out one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ctxtui.core import Refused
from ctxtui.core.policies import Policy, Prices
from ctxtui.core.policies.policy import Sweep
from ctxtui.core.policies.simulation import (
    SimulationCancelled,
    StillWanted,
    SweepResult,
    SweepSetting,
    run_policy,
)
from ctxtui.text.plots import round_steps
from ctxtui.what_if.models.comparison import Strategy, StrategyComparison

PARTS = 6

Key = tuple[int, int]
"""A setting: the id of its strategy, and the value."""


class Swept(NamedTuple):
    """Something that was found out: a setting, or when all are known the whole family."""

    asked: int
    keys: tuple[Key, ...]
    setting: SweepSetting | None = None
    family: SweepResult | None = None


class Asked(NamedTuple):
    """What a sweep takes from its comparison: what must stay, at what prices, of whom."""

    must: tuple[str, ...] | None
    prices: Prices | None
    strategies: tuple[int, ...]


class PolicySweep:
    """The settings of a sweep, as far as they are known.

    It follows a comparison: what is compared, what must stay and prices are asked of that.
    """

    def __init__(self, comparison: StrategyComparison) -> None:
        self.comparison = comparison
        self.sweep: Sweep | None = None
        self.family: SweepResult | None = None
        self._settings: dict[Key, SweepSetting] = {}
        self._asked = 0
        self._followed: Asked | None = None
        self._known_swept: tuple[list[object], list[Strategy]] = ([], [])

    # What is asked

    def ask(self, text: str) -> bool:
        """Sweep another range, or refuse one that no policy knows; return whether it is another."""
        sweep = Sweep.read(text.replace(" ", ""))
        policies = self._policies
        if policies and not any(takes(policy, sweep) for policy in policies):
            policies[0].with_value(sweep.name, sweep.start)  # Refuses, with the names there are.
            policies[0].with_value(sweep.name, sweep.stop)
        if str(sweep) == str(self.sweep):
            return False
        self.sweep = sweep
        self._settings = {}
        self._ask_anew()
        return True

    def follow(self) -> bool:
        """Forget what the comparison has made untrue; return whether there is more to find out.

        Other prices need no walk, and what is taken out takes only its own settings along.
        """
        comparison, before = self.comparison, self._followed
        if self.sweep is None and self._policies:
            self.sweep = usual_sweep(self._policies)
        question = comparison.question
        ids = tuple(one.id for one in comparison.strategies)
        now = Asked(None if question is None else question.required_labels, comparison.prices, ids)
        if now == before:
            return False
        self._followed = now
        if before is not None and now.must != before.must:
            self._settings = {}
        self._settings = {
            key: SweepSetting(one.policy, one.value, one.run.priced(comparison.prices))
            for key, one in self._settings.items()
            if key[0] in ids
        }
        self._ask_anew()
        return True

    def _ask_anew(self) -> None:
        self.family = None
        self._asked += 1

    @property
    def _policies(self) -> list[Policy]:
        return [one.policy for one in self.comparison.strategies if one.policy is not None]

    # Finding out

    def answers(self, wanted: StillWanted) -> Iterator[Swept]:
        """Find out each setting that is not known yet, then what they give together."""
        asked, sweep, question = self._asked, self.sweep, self.comparison.question
        if sweep is None or question is None or not question.run.calls or self.family is not None:
            return
        known: dict[Key, SweepSetting] = {}
        for key, policy in self._plan(sweep):
            found = self._settings.get(key)
            if found is None:
                try:
                    run = run_policy(question, policy, wanted).without_states()
                except SimulationCancelled:
                    return
                if not wanted():
                    return
                found = SweepSetting(policy, key[1], run)
                yield Swept(asked, (key,), setting=found)
            known[key] = found
        if known:
            family = SweepResult(sweep, tuple(known.values()))
            _ = family.recommended  # Here, in the thread.
            yield Swept(asked, tuple(known), family=family)

    def take(self, swept: Swept) -> None:
        """Take what was found out, unless something else has been asked meanwhile."""
        if swept.asked != self._asked:
            return
        if swept.setting is not None:
            self._settings[swept.keys[0]] = swept.setting
        if swept.family is not None:
            self.family = swept.family
            self._settings = dict(zip(swept.keys, swept.family.settings, strict=True))

    def _plan(self, sweep: Sweep) -> list[tuple[Key, Policy]]:
        return [
            ((one.id, value), one.policy.with_value(sweep.name, value))
            for one in self.swept
            for value in sweep
            if one.policy is not None
        ]

    # What is known

    @property
    def swept(self) -> list[Strategy]:
        sweep = self.sweep
        read = [one for one in self.comparison.strategies if one.policy is not None]
        key: list[object] = [sweep, *(one.id for one in read)]
        if self._known_swept[0] != key:  # A policy is made for each answer.
            found = [one for one in read if sweep and one.policy and takes(one.policy, sweep)]
            self._known_swept = (key, found)
        return self._known_swept[1]

    @property
    def values(self) -> Sequence[int]:
        return [] if self.sweep is None else list(self.sweep)

    @property
    def progress(self) -> tuple[int, int]:
        return len(self._settings), len(self.swept) * len(self.values)

    @property
    def is_pending(self) -> bool:
        """Return whether settings are still to come, so that what would ship is not known yet."""
        if self.comparison.question is None:
            return True
        if not self.comparison.calls:
            return False
        unread = any(one.is_pending and one.policy is None for one in self.comparison.strategies)
        known, count = self.progress
        return unread or known < count or (count > 0 and self.family is None)

    @property
    def keys(self) -> list[Key]:
        """Return the settings that are known, policy after policy."""
        order = [(one.id, value) for one in self.swept for value in self.values]
        return [key for key in order if key in self._settings]

    def setting(self, key: Key) -> SweepSetting | None:
        return self._settings.get(key)

    def settings(self, strategy: Strategy) -> list[SweepSetting]:
        return [self._settings[key] for key in self.keys if key[0] == strategy.id]

    def is_front(self, setting: SweepSetting | None) -> bool:
        return self.family is not None and any(one is setting for one in self.family.front)

    @property
    def recommended(self) -> Key | None:
        chosen = None if self.family is None else self.family.recommended
        found = (key for key, one in self._settings.items() if one is chosen)
        return next(found, None)

    def named(self, setting: SweepSetting) -> Policy:
        name = "" if self.sweep is None else self.sweep.name
        return setting.policy.named(f"{setting.policy.name}, {name} {setting.value}")


def takes(policy: Policy, sweep: Sweep) -> bool:
    """Return whether a policy knows the name of a sweep, and can have each of its values."""
    try:
        policy.with_value(sweep.name, sweep.start)
        policy.with_value(sweep.name, sweep.stop)
    except Refused:
        return False
    return True


def usual_sweep(policies: Sequence[Policy]) -> Sweep | None:
    """Return a sweep of what most policies have in common, around the value of the first."""
    names = [name for policy in policies for name in policy.numbers]
    if not names:
        return None
    name = max(names, key=lambda one: (names.count(one), -names.index(one)))
    value = next(policy.numbers[name] for policy in policies if name in policy.numbers)
    step = next(one for one in round_steps() if one * PARTS >= abs(value))
    return Sweep(name, step, 20 * step, step)


class SweepCursor:
    """A setting of a sweep: until one is chosen the one to ship, else the first."""

    def __init__(self, sweep: PolicySweep) -> None:
        self.sweep = sweep
        self._chosen: Key | None = None
        self._shipped: Key | None = None

    @property
    def key(self) -> Key | None:
        """Return the setting it is on, which may not be known yet."""
        swept, values = self.sweep.swept, self.sweep.values
        # While all are asked again, it stays on the setting that was to ship before.
        self._shipped = self.sweep.recommended or self._shipped
        known = {one.id for one in swept}
        for key in (self._chosen, self._shipped):
            if key is not None and key[0] in known and key[1] in values:
                return key
        return (swept[0].id, values[0]) if swept else None

    @property
    def setting(self) -> SweepSetting | None:
        return None if self.key is None else self.sweep.setting(self.key)

    @property
    def is_shipped(self) -> bool:
        return self.key is not None and self.key == self.sweep.recommended

    @property
    def strategy(self) -> Strategy | None:
        here = self.key
        return next((one for one in self.sweep.swept if here and one.id == here[0]), None)

    @property
    def rival(self) -> Strategy | None:
        """Return the policy next to it: of the others the one with most failing calls.

        That is what the setting saves one from, or what it is like to do without it.
        """
        here = self.strategy
        others = [one for one in self.sweep.swept if here is not None and one.id != here.id]

        def failing(strategy: Strategy) -> int:
            return sum(one.figures.failing for one in self.sweep.settings(strategy))

        return max(others, key=failing, default=None)

    @property
    def rival_setting(self) -> SweepSetting | None:
        rival, here = self.rival, self.key
        return None if rival is None or here is None else self.sweep.setting((rival.id, here[1]))

    def neighbours(self) -> list[SweepSetting]:
        here, values = self.key, list(self.sweep.values)
        if here is None:
            return []
        at = values.index(here[1])
        near = [values[one] for one in (at - 1, at + 1) if 0 <= one < len(values)]
        found = (self.sweep.setting((here[0], value)) for value in near)
        return [one for one in found if one is not None]

    # Moving

    def move(self, by: int) -> None:
        here, values = self.key, list(self.sweep.values)
        if here is not None:
            at = max(0, min(values.index(here[1]) + by, len(values) - 1))
            self._chosen = (here[0], values[at])

    def go_to(self, key: Key) -> None:
        self._chosen = key

    def go_to_value(self, value: int) -> None:
        if self.key is not None and value in self.sweep.values:
            self._chosen = (self.key[0], value)

    def choose(self, by: int) -> None:
        """Go to the same value of the next policy, or of the one before."""
        here, ids = self.key, [one.id for one in self.sweep.swept]
        if here is not None:
            at = max(0, min(ids.index(here[0]) + by, len(ids) - 1))
            self._chosen = (ids[at], here[1])

    def next_on_front(self, by: int) -> bool:
        """Go to the next setting of the front, or the one before; return whether there is one."""
        keys, here = self.sweep.keys, self.key
        start = keys.index(here) if here in keys else -1
        way = keys[start + 1 :] if by > 0 else list(reversed(keys[: max(0, start)]))
        found = (key for key in way if self.sweep.is_front(self.sweep.setting(key)))
        chosen = next(found, None)
        self._chosen = chosen or self._chosen
        return chosen is not None

    def to_shipped(self) -> bool:
        """Go to the setting that is offered to ship; return whether there is one."""
        if self.sweep.recommended is None:
            return False
        self._chosen = None
        return True
