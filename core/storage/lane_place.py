"""Where a session stands among those that were recorded with it: its run, and its lane there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..errors import Refused, not_a
from ..requests.lanes import ROLES, SIDES, Lane, Role


class LanePlace(NamedTuple):
    """A lane of a run; ``parent`` is the lane it stands beside or was called from.

    ``run`` tells apart what was recorded at once, ``program`` is what a user calls it. ``call`` is
    the id of the tool call that began it. ``also`` are the lanes that were merged into this one:
    whoever stands beside one of them now stands beside it.
    """

    run: str
    program: str
    lane: int
    role: Role = "main"
    parent: int | None = None
    call: str | None = None
    also: tuple[int, ...] = ()

    @classmethod
    def of(cls, lane: Lane, run: str, program: str) -> LanePlace:
        """Return the place of a lane within a run."""
        return cls(run, program, lane.id, lane.role, lane.parent, lane.call)

    @classmethod
    def told_in(cls, meta: Mapping[str, Any], run: str, program: str) -> LanePlace | None:
        """Return the place that a conversation of recorded requests tells of itself, if it does."""
        told = meta.get("requests")
        if not isinstance(told, Mapping) or "id" not in told:
            return None
        names = {"run": run, "program": program, "lane": told["id"]}
        kept = {key: told.get(key) for key in ("role", "parent", "call")}
        try:
            return cls.from_dict({**kept, **names})
        except Refused:
            return None

    @property
    def is_side(self) -> bool:
        """Tell whether it is folded away beside another."""
        return self.role in SIDES

    @property
    def lanes(self) -> tuple[int, ...]:
        """Return every lane of the run that this one stands for."""
        return (self.lane, *self.also)

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-ready data, without what is missing."""
        data = self._asdict() | {"also": list(self.also)}
        return {key: value for key, value in data.items() if value not in (None, [])}

    @classmethod
    def from_dict(cls, data: object) -> LanePlace:
        """Return a place from JSON data, or refuse it."""
        if isinstance(data, Mapping):
            given = {"parent": None, "call": None, "also": [], **data}
            match given:
                case {"run": str(run), "program": str(program), "role": role} if role in ROLES:
                    numbers, call = _numbers(given), given["call"]
                    if numbers is not None and (call is None or isinstance(call, str)):
                        lane, parent, *also = numbers
                        held = None if parent < 0 else parent
                        return cls(run, program, lane, role, held, call, tuple(also))
        raise not_a("lane", data, "an object with run, program, lane and role")


def _numbers(data: Mapping[str, Any]) -> list[int] | None:
    """Return the lane, its parent (-1 for none) and what was merged into it, if all are lanes."""
    also = data["also"]
    if not isinstance(also, list | tuple):
        return None
    parent = -1 if data["parent"] is None else data["parent"]
    found = [data.get("lane"), *also]
    if any(type(one) is not int or one < 0 for one in found) or type(parent) is not int:
        return None
    lane, *rest = found
    return [lane, parent, *rest]
