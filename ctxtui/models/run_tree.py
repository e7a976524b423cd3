"""Lanes as a tree: runs, their conversations, the agents these called, and what was asked aside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple
from zlib import crc32

from ctxtui.models.flights import Flight
from ctxtui.models.tool_links import links_of
from ctxtui.models.watching import Lane, State
from ctxtui.words import plural

SIDE_WORDS = {"sideCalls": "side call", "counts": "token count", "attempts": "attempt"}
"""What a call of each kind of side lane is called."""
OTHERS = "other sessions"
DEEPEST = 4
"""How far agents of agents are indented."""


class RunHead(NamedTuple):
    """The line above what was recorded at once."""

    key: int
    name: str
    lanes: int
    began: int | None = None


class LaneNode(NamedTuple):
    """A lane by how deep it stands below its conversation; the last one below ends the branch."""

    lane: Lane
    depth: int = 0
    is_last: bool = False
    is_answered: bool = False
    """Whether it is an agent whose caller has its result."""

    @property
    def key(self) -> int:
        """Return the number of its session."""
        return self.lane.key

    def state(self, now: int) -> State:
        """Return how it is with it: an agent is done when its caller has what it found."""
        return "done" if self.is_answered else self.lane.state(now)


class SideNode(NamedTuple):
    """All that was asked beside a conversation, in one line."""

    key: int
    lanes: tuple[Lane, ...]
    depth: int
    calls: int
    about: str
    is_open: bool

    @property
    def lane(self) -> Lane:
        """Return the lane of the newest call."""
        return max(self.lanes, key=lambda lane: lane.figures.changed)


class FlightNode(NamedTuple):
    """A call in flight of a conversation that there is no session of yet."""

    flight: Flight

    @property
    def key(self) -> int:
        """Return the number of the call."""
        return self.flight.key


LaneTree = RunHead | LaneNode | SideNode
Node = LaneTree | FlightNode


class Totals(NamedTuple):
    """What all lanes are together."""

    conversations: int
    lanes: int
    requests: int
    broken: int
    refused: int
    flying: int = 0
    """Calls in flight."""


def totals_of(lanes: Sequence[Lane], flights: Sequence[Flight] = ()) -> Totals:
    """Return how many there are of everything."""
    mains = sum(lane.place is None or lane.place.role == "main" for lane in lanes)
    return Totals(
        mains,
        len(lanes),
        sum(lane.figures.calls for lane in lanes),
        sum(lane.story.broken for lane in lanes),
        sum(lane.story.refused for lane in lanes),
        len(flights),
    )


def unlisted(flights: Sequence[Flight], lanes: Sequence[Lane]) -> list[FlightNode]:
    """Return a line for each call in flight that is of none of the lanes."""
    here = {lane.session.id for lane in lanes}
    return [FlightNode(one) for one in flights if one.session not in here]


def run_tree(lanes: Sequence[Lane], opened: Collection[int] = ()) -> list[LaneTree]:
    """Return the lines of all runs, the one begun last first, and then of all other sessions.

    ``opened`` are the keys of side lines whose lanes are shown one by one. Within a run lanes stand
    in the order they began, so that none moves as they grow.
    """
    runs: dict[str, list[Lane]] = {}
    others: list[Lane] = []
    for lane in sorted(lanes, key=_begun):
        if lane.place is None:
            others.append(lane)
        else:
            runs.setdefault(lane.place.run, []).append(lane)
    made: list[LaneTree] = []
    for run in sorted(runs.values(), key=lambda run: min(map(_created, run)), reverse=True):
        made += _Run(run, opened).nodes()
    if made and others:
        made.append(RunHead(-1, OTHERS, len(others)))
    return [*made, *(LaneNode(lane) for lane in others)]


def _created(lane: Lane) -> int:
    return lane.session.details.created


def _begun(lane: Lane) -> tuple[int, int, str]:
    """Return what lanes are ordered by: the number in their run, or else the newest first."""
    place = lane.place
    return (0, place.thread, lane.session.id) if place else (1, -_created(lane), lane.session.id)


class _Run:
    """The lanes of one run, and who stands below whom."""

    def __init__(self, lanes: Sequence[Lane], opened: Collection[int]) -> None:
        self._lanes, self._opened = lanes, opened
        self._by_number = {
            number: lane for lane in lanes if lane.place for number in lane.place.threads
        }
        self._below: dict[int | None, list[Lane]] = {}
        for lane in lanes:
            parent = self._parent(lane)
            self._below.setdefault(None if parent is None else parent.key, []).append(lane)

    def nodes(self) -> list[LaneTree]:
        """Return the head of the run and all its lines."""
        first = self._lanes[0].place
        assert first is not None
        key = -2 * (1 + crc32(first.run.encode()))
        began = min(map(_created, self._lanes))
        return [RunHead(key, first.program, len(self._lanes), began), *self._nodes(None, 0)]

    def _parent(self, lane: Lane) -> Lane | None:
        """Return the lane that one stands below; none where that leads back to itself."""
        seen = {lane.key}
        above = self._above(lane)
        parent = above
        while above is not None:
            if above.key in seen:
                return None
            seen.add(above.key)
            above = self._above(above)
        return parent

    def _above(self, lane: Lane) -> Lane | None:
        place = lane.place
        if place is None or place.parent is None:
            return None
        return self._by_number.get(place.parent)

    def _nodes(self, parent: Lane | None, depth: int) -> Iterator[LaneTree]:
        below = self._below.get(None if parent is None else parent.key, [])
        sides = [lane for lane in below if lane.place and lane.place.is_side]
        rest = [lane for lane in below if lane not in sides]
        for at, lane in enumerate(rest):
            is_last = depth > 0 and at == len(rest) - 1 and not sides
            yield LaneNode(lane, min(depth, DEEPEST), is_last, _is_answered(lane, parent))
            yield from self._nodes(lane, depth + 1)
        if sides:
            yield from self._side(sides, parent, min(depth, DEEPEST))

    def _side(self, sides: list[Lane], parent: Lane | None, depth: int) -> Iterator[LaneTree]:
        # Even numbers below zero are runs, odd ones what stands beside a lane.
        key = -2 * (sides[0].key if parent is None else parent.key) - 1
        is_open = key in self._opened
        calls = sum(lane.figures.calls for lane in sides)
        yield SideNode(key, tuple(sides), depth, calls, _side_words(sides), is_open)
        for at, lane in enumerate(sides if is_open else ()):
            yield LaneNode(lane, min(depth + 1, DEEPEST), at == len(sides) - 1)


def _side_words(sides: Sequence[Lane]) -> str:
    """Return what was asked beside a conversation, by kind."""
    counts: Counter[str] = Counter()
    for lane in sides:
        if lane.place is not None:
            counts[lane.place.role] += lane.figures.calls
    told = ((counts[role], word) for role, word in SIDE_WORDS.items())
    return ", ".join(plural(count, word) for count, word in told if count)


def _is_answered(lane: Lane, parent: Lane | None) -> bool:
    """Tell whether whoever called an agent has its result."""
    call = lane.place and lane.place.call
    if parent is None or call is None:
        return False
    return bool(links_of(parent.session.conversation).results([call], -1))
