"""Where somebody stands among the settings of a sweep."""

from __future__ import annotations

from ctxtui.core.policies.simulation import Setting
from ctxtui.models.contenders import Contender
from ctxtui.models.policy_sweep import Key, PolicySweep


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
        # While all are asked anew, it stays on the one that was to ship before.
        self._shipped = self.sweep.shipped or self._shipped
        known = {one.id for one in swept}
        for key in (self._chosen, self._shipped):
            if key is not None and key[0] in known and key[1] in values:
                return key
        return (swept[0].id, values[0]) if swept else None

    @property
    def setting(self) -> Setting | None:
        """Return the setting it is on, as soon as that is known."""
        return None if self.key is None else self.sweep.setting(self.key)

    @property
    def is_shipped(self) -> bool:
        """Tell whether it is on the setting that is offered to ship."""
        return self.key is not None and self.key == self.sweep.shipped

    @property
    def contender(self) -> Contender | None:
        """Return the policy it is on."""
        here = self.key
        return next((one for one in self.sweep.swept if here and one.id == here[0]), None)

    @property
    def rival(self) -> Contender | None:
        """Return the policy beside it: of the others the one with most failing calls.

        That is what the setting saves one from, or what it is like to do without it.
        """
        here = self.contender
        others = [one for one in self.sweep.swept if here is not None and one.id != here.id]
        return max(others, key=self._failing, default=None)

    def _failing(self, contender: Contender) -> int:
        return sum(one.figures.failing for one in self.sweep.settings(contender))

    @property
    def rival_setting(self) -> Setting | None:
        """Return the setting of the policy beside it that has the same value."""
        rival, here = self.rival, self.key
        return None if rival is None or here is None else self.sweep.setting((rival.id, here[1]))

    def neighbours(self) -> list[Setting]:
        """Return the settings of the same policy with the values before and after."""
        here, values = self.key, list(self.sweep.values)
        if here is None:
            return []
        at = values.index(here[1])
        near = [values[one] for one in (at - 1, at + 1) if 0 <= one < len(values)]
        found = (self.sweep.setting((here[0], value)) for value in near)
        return [one for one in found if one is not None]

    # Moving

    def move(self, by: int) -> None:
        """Go to another value of the same policy."""
        here, values = self.key, list(self.sweep.values)
        if here is not None:
            at = max(0, min(values.index(here[1]) + by, len(values) - 1))
            self._chosen = (here[0], values[at])

    def go_to(self, key: Key) -> None:
        """Go to a setting."""
        self._chosen = key

    def go_to_value(self, value: int) -> None:
        """Go to a value of the same policy."""
        if self.key is not None and value in self.sweep.values:
            self._chosen = (self.key[0], value)

    def choose(self, by: int) -> None:
        """Go to the same value of the next policy, or of the one before."""
        here, ids = self.key, [one.id for one in self.sweep.swept]
        if here is not None:
            at = max(0, min(ids.index(here[0]) + by, len(ids) - 1))
            self._chosen = (ids[at], here[1])

    def next_on_front(self, by: int) -> bool:
        """Go to the next setting of the front, or the one before; tell whether there is one."""
        keys, here = self.sweep.keys, self.key
        start = keys.index(here) if here in keys else -1
        way = keys[start + 1 :] if by > 0 else list(reversed(keys[: max(0, start)]))
        found = (key for key in way if self.sweep.is_front(self._known(key)))
        chosen = next(found, None)
        self._chosen = chosen or self._chosen
        return chosen is not None

    def _known(self, key: Key) -> Setting:
        found = self.sweep.setting(key)
        assert found is not None
        return found

    def to_shipped(self) -> bool:
        """Go to the setting that is offered to ship; tell whether there is one."""
        if self.sweep.shipped is None:
            return False
        self._chosen = None
        return True
