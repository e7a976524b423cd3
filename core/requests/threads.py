"""Lanes: one conversation each; which there are, which exchange went where, and mending that.

A *side* lane holds what was asked beside a conversation: attempts that came to nothing, counts of
tokens, titles and summaries. An *agent* has a lane of its own, linked to the call that began it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

from ..errors import Refused, format_value, out_of_range
from ..values.models import Told, read_number
from .exchange import Kind

Role = Literal["main", "agent", "attempts", "counts", "asides"]
"""What a lane is: a conversation, one within another, or what is folded away beside one."""
ROLES: tuple[Role, ...] = get_args(Role)
SIDES: dict[Role, str] = {
    "attempts": "attempts that came to nothing",
    "counts": "token counts",
    "asides": "side calls",
}
"""The names of lanes beside another."""
LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class Lane(Told):
    """A conversation among those that were recorded.

    ``parent`` is the lane it stands beside or was called from, ``call`` the id of that tool call.
    """

    id: int
    name: str
    kind: Kind
    role: Role = "main"
    parent: int | None = None
    call: str | None = None

    @property
    def is_side(self) -> bool:
        """Tell whether it is folded away beside another."""
        return self.role in SIDES


@dataclass(frozen=True, slots=True)
class LaneTable:
    """All lanes by id, and for each exchange, in the order they were recorded, its lane."""

    lanes: tuple[Lane, ...] = ()
    placed: tuple[int, ...] = ()

    def lane(self, id: int) -> Lane:
        """Return a lane, or refuse an id that none has."""
        if not 0 <= read_number(id, "lane") < len(self.lanes):
            raise out_of_range(
                "lane", id, f"0…{len(self.lanes) - 1}" if self.lanes else "no lane yet"
            )
        return self.lanes[id]


def short_name(text: str) -> str:
    """Return the first words of a text as a name."""
    words = " ".join(text.split())
    return words if len(words) <= LONGEST_NAME else words[: LONGEST_NAME - 1].rstrip() + "…"


def renamed(table: LaneTable, lane: int, name: str) -> LaneTable:
    """Return the table with another name for a lane."""
    if not name.strip() or not name.isprintable():
        raise Refused(
            f"name {format_value(name)} is no line of text",
            field="name",
            value=name,
            legal="one line",
        )
    return _with(table, replace(table.lane(lane), name=name.strip()))


def merged(table: LaneTable, into: int, lane: int) -> LaneTable:
    """Return the table with all exchanges of a lane in another; the empty one stays by its id."""
    target, gone = table.lane(into), table.lane(lane)
    if into == lane:
        raise Refused(f"lane {lane} can't be merged into itself", field="lane", value=lane)
    if target.kind != gone.kind:
        raise Refused(
            f"lane {lane} is of the kind {gone.kind}, lane {into} of {target.kind}; "
            "only lanes of one kind are merged",
            field="lane",
            value=lane,
            legal=f"a lane of the kind {target.kind}",
        )
    placed = tuple(into if one == lane else one for one in table.placed)
    lanes = tuple(
        replace(one, parent=into) if one.parent == lane and one.id != into else one
        for one in table.lanes
    )
    table = LaneTable(lanes, placed)
    return _with(table, replace(target, parent=None if target.parent == lane else target.parent))


def split(table: LaneTable, lane: int, call: int, name: str | None = None) -> LaneTable:
    """Return the table with the calls of a lane from one on, the first being 0, in a new lane."""
    origin = table.lane(lane)
    places = [place for place, one in enumerate(table.placed) if one == lane]
    if not 0 < read_number(call, "call") < len(places):
        raise out_of_range(
            "call", call, f"1…{len(places) - 1}" if len(places) > 1 else "no such call"
        )
    new = replace(origin, id=len(table.lanes), name=name or f"{origin.name} from call {call + 1}")
    moved = set(places[call:])
    placed = (new.id if place in moved else one for place, one in enumerate(table.placed))
    return LaneTable((*table.lanes, new), tuple(placed))


def _with(table: LaneTable, lane: Lane) -> LaneTable:
    lanes = list(table.lanes)
    lanes[lane.id] = lane
    return replace(table, lanes=tuple(lanes))
