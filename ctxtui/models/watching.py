"""Watching: the sessions that other programs are writing, each followed as it grows."""

from __future__ import annotations

from core.errors import Refused
from core.history.call import Call
from core.storage import Entry, Follower, Library, Session
from ctxtui.models.look import Look

LAST_CALLS = 10
"""How many calls the cache hit of a session is told of."""
MOST_AT_ONCE = 200
"""Records of a session that are put in place before the next one has its turn."""


class Lane:
    """A session that is or was being written while somebody watches."""

    def __init__(self, session: Session, holder: str) -> None:
        self.session = session
        self.holder: str | None = holder
        """Who writes it; nobody once that program has closed it or is gone."""
        self.follower = Follower(session)
        self._look: Look | None = None
        self._records = 0

    @property
    def key(self) -> int:
        """Return a number that is the session's own: its id, read as one."""
        return int(self.session.id, 36)

    @property
    def look(self) -> Look:
        """Return a look at the session as it is by now."""
        records = len(self.session.conversation.journal)
        if self._look is None or records != self._records:
            self._look, self._records = Look(self.session.conversation), records
        return self._look

    @property
    def changed(self) -> int:
        """Return when it was changed last."""
        return self.session.conversation.journal[-1].time

    @property
    def last_calls(self) -> list[Call]:
        """Return the newest calls of its path."""
        return list(self.look.calls[-LAST_CALLS:])

    @property
    def hit(self) -> tuple[int, int] | None:
        """Return how many of the tokens of the last calls a cache served, and of how many."""
        usages = [call.usage for call in self.last_calls if call.usage is not None]
        told = [one for one in usages if one.cached is not None and one.input]
        if not told:
            return None
        return sum(one.cached or 0 for one in told), sum(one.input or 0 for one in told)

    @property
    def model(self) -> str:
        """Return which model is called, if that is known."""
        models = (call.model for call in reversed(self.last_calls))
        return next((model for model in models if model), "")

    @property
    def entry(self) -> Entry:
        """Return what it is opened by."""
        return Entry(self.session.id, self.session.title)


class Watching:
    """Finds out who writes what; ``read`` may run in a thread, ``take`` shows what it found.

    The one that was begun last comes first, so that no row moves as sessions grow; what is no
    longer written stays to be seen.
    """

    def __init__(self, library: Library) -> None:
        self._library = library
        self.lanes: list[Lane] = []
        self.problem: str | None = None
        self._holders: dict[str, str] = {}
        self._found: list[Lane] = []
        self._refused: set[str] = set()

    def read(self) -> None:
        """Look who writes what, and read what has come into each."""
        try:
            self._holders = self._library.writers()
            self.problem = None
        except Refused as refusal:
            self._holders, self.problem = {}, str(refusal)
        known = {lane.session.id for lane in self.lanes}
        self._found = [lane for id in self._holders if id not in known for lane in self._opened(id)]
        for lane in (*self.lanes, *self._found):
            lane.follower.read()

    def _opened(self, id: str) -> list[Lane]:
        """Return a session that somebody writes; what can't be read is not tried again."""
        if id in self._refused:
            return []
        try:
            session = self._library.open(id, read_only=True)
        except Refused:
            self._refused.add(id)
            return []
        return [Lane(session, self._holders[id])]

    def take(self) -> bool:
        """Put what was read in place, and tell whether there is more of it."""
        self.lanes += self._found
        self._found = []
        self.lanes.sort(key=lambda lane: (-lane.session.details.created, lane.session.id))
        is_more = False
        for lane in self.lanes:
            lane.holder = self._holders.get(lane.session.id)
            is_more |= lane.follower.apply(MOST_AT_ONCE) == MOST_AT_ONCE
        return is_more

    @property
    def written(self) -> int:
        """Return how many sessions are being written."""
        return sum(lane.holder is not None for lane in self.lanes)
