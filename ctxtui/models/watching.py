"""Watching: the sessions that other programs are writing, each followed as it grows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from ctxtui.core.errors import Refused
from ctxtui.core.storage import Entry, Follower, Library, Session, ThreadPlace
from ctxtui.models.flights import Flight, Flights
from ctxtui.models.lane_story import LaneStory
from ctxtui.models.look import Look

LAST_CALLS = 10
"""How many calls the cache hit of a session is told of."""
MOST_AT_ONCE = 200
"""Records of a session that are put in place before the next one has its turn."""
QUIET_AFTER = 5_000
"""Milliseconds without anything new after which whoever writes is waiting for something."""
LAST_RUNS, MOST_ENDED, ENDED_AT_ONCE = 3, 60, 8
"""How many of the runs that have ended are shown, lanes of them at the most, and in one look."""

State = Literal["running", "waiting", "done"]


class LaneFigures(NamedTuple):
    """What the list says of a lane, found when something has come and not when it is drawn."""

    messages: int
    tokens: int
    calls: int
    hit: tuple[int, int] | None
    """How many of the tokens of the last calls a cache served, and of how many."""
    changed: int


class Lane:
    """A session that is or was being written while somebody watches."""

    def __init__(self, session: Session, holder: str | None) -> None:
        self.session = session
        self.holder = holder
        """Who writes it; nobody once that program has closed it or is gone."""
        self.follower = Follower(session)
        self.story = LaneStory(session.conversation)
        self._records = -1
        self.flights: tuple[Flight, ...] = ()
        """Its calls in flight, the oldest first."""
        self.settle()

    def settle(self) -> None:
        """Take note of what has come; while nothing has, that costs nothing."""
        conversation = self.session.conversation
        records = len(conversation.journal)
        if records == self._records:
            return
        self._records = records
        self.story.catch_up()
        self.look = Look(conversation)
        self.figures = LaneFigures(
            self.look.log_size,
            self.look.total,
            len(self.story.calls),
            self._hit(),
            conversation.journal[-1].time,
        )

    def _hit(self) -> tuple[int, int] | None:
        usages = [one.call.usage for one in self.story.calls[-LAST_CALLS:]]
        told = [one for one in usages if one is not None and one.cached is not None and one.input]
        if not told:
            return None
        return sum(one.cached or 0 for one in told), sum(one.input or 0 for one in told)

    @property
    def key(self) -> int:
        """Return a number that is the session's own: its id, read as one."""
        return int(self.session.id, 36)

    @property
    def title(self) -> str:
        """Return what it is called."""
        return self.session.title

    @property
    def place(self) -> ThreadPlace | None:
        """Return where it stands among what was recorded with it, if it was."""
        return self.session.details.thread

    def state(self, now: int) -> State:
        """Return how it is with it at a moment: somebody writes it, or waits, or has ended."""
        if self.holder is None:
            return "done"
        if self.flights:
            return "running"
        return "running" if now - self.figures.changed < QUIET_AFTER else "waiting"

    @property
    def entry(self) -> Entry:
        """Return what it is opened by."""
        return Entry(self.session.id, self.session.title)


class Watching:
    """Finds out who writes what; ``read`` may run in a thread, ``take`` shows what it found.

    What is no longer written stays to be seen, and so do the last runs that have ended before.
    """

    def __init__(self, library: Library) -> None:
        self._library = library
        self.lanes: list[Lane] = []
        self.problem: str | None = None
        self.flights: list[Flight] = []
        """Calls in flight, also those of conversations that have no session yet."""
        self.is_filling = False
        """Whether there are sessions that were not opened yet: the next look opens some."""
        self._holders: dict[str, str] = {}
        self._found: list[Lane] = []
        self._flights, self._flying = Flights(library), list[Flight]()
        self._refused: set[str] = set()
        self._wanted: list[str] | None = None

    def read(self) -> None:
        """Look who writes what, and read what has come into each; of the rest, some at a time."""
        try:
            self._holders = self._library.writers()
            self.problem = None
            if self._wanted is None:
                self._wanted = _last_runs(self._library.list())
        except Refused as refusal:
            self._holders, self.problem = {}, str(refusal)
        known = {lane.session.id for lane in self.lanes}
        known |= self._refused
        rest = [id for id in self._wanted or () if id not in known and id not in self._holders]
        self.is_filling = len(rest) > ENDED_AT_ONCE
        wanted = [id for id in self._holders if id not in known] + rest[:ENDED_AT_ONCE]
        self._found = [lane for id in wanted for lane in self._opened(id)]
        every = (*self.lanes, *self._found)
        for lane in every:
            lane.follower.read()
        written = [lane.session for lane in every if lane.session.id in self._holders]
        self._flying = self._flights.look(written)

    def _opened(self, id: str) -> list[Lane]:
        """Return a session to be followed; what can't be read is not tried again."""
        try:
            session = self._library.open(id, read_only=True)
        except Refused:
            self._refused.add(id)
            return []
        return [Lane(session, self._holders.get(id))]

    def take(self) -> bool:
        """Put what was read in place, and tell whether there is more of it."""
        known = {lane.session.id for lane in self.lanes}
        self.lanes += [lane for lane in self._found if lane.session.id not in known]
        self._found = []
        is_more = False
        self.flights = self._flying
        for lane in self.lanes:
            id = lane.session.id
            lane.flights = tuple(one for one in self.flights if one.session == id)
            lane.holder = self._holders.get(id)
            is_more |= lane.follower.apply(MOST_AT_ONCE) == MOST_AT_ONCE
            lane.settle()
        return is_more

    def replace(self, gone: Iterable[str], made: Iterable[str]) -> None:
        """Watch other sessions instead of some, from the next look on."""
        away = set(gone)
        self.lanes = [lane for lane in self.lanes if lane.session.id not in away]
        self._found = [lane for lane in self._found if lane.session.id not in away]
        news = list(made)
        self._wanted = [*news, *(id for id in self._wanted or () if id not in away)]
        self._refused -= set(news)

    @property
    def written(self) -> int:
        """Return how many sessions are being written."""
        return sum(lane.holder is not None for lane in self.lanes)


def _last_runs(entries: Iterable[Entry]) -> list[str]:
    """Return the sessions of the last runs that were recorded here, the newest run first."""
    runs: dict[str, list[str]] = {}
    recorded = (entry for entry in entries if entry.source is None)
    for entry in sorted(recorded, key=lambda entry: -entry.created):
        if entry.run is not None and (entry.run in runs or len(runs) < LAST_RUNS):
            runs.setdefault(entry.run, []).append(entry.id)
    return [id for run in runs.values() for id in run][:MOST_ENDED]
