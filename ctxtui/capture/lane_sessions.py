"""Sessions of lanes: what is recorded, and where each conversation of it is saved."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from ctxtui.capture.resuming import earlier, is_same
from ctxtui.core.conversation.conversation import Conversation
from ctxtui.core.formats.bodies import BodyReader
from ctxtui.core.requests.bodies import Asked
from ctxtui.core.requests.exchange import Exchange
from ctxtui.core.requests.recording import Past, Recorded, Recorder
from ctxtui.core.requests.threads import Lane
from ctxtui.core.storage import LanePlace, Library, NotSaved, Session, StorageError
from ctxtui.core.storage.disk import new_id
from ctxtui.core.values.times import milliseconds

CAPTURE = "capture"
"""What a run is called that no program was started for."""


class LaneSessions:
    """A recorder whose lanes are sessions of a library, also those of earlier runs."""

    def __init__(self, library: Library, program: str = CAPTURE) -> None:
        self._library, self._program = library, program
        self._recorder, self._run = Recorder(BodyReader(), earlier=self._earlier), new_id()
        self._began = milliseconds()
        self._placed: dict[int, LanePlace] = {}
        """Where lanes of earlier runs stand."""
        self._sessions: dict[int, Session] = {}
        self._woken: dict[int, Session] = {}
        """Sessions that were opened to go on, by which object their conversation is."""
        self._known: set[str] = set()

    def begin_anew(self) -> None:
        """Forget all lanes; those that go on are taken up from the library again."""
        self._recorder, self._run = Recorder(BodyReader(), earlier=self._earlier), new_id()
        self._known.clear()
        self._placed.clear()

    def record(self, exchange: Exchange) -> Recorded:
        """Take in an exchange; what it makes of its lane is in memory only."""
        return self._recorder.record(exchange)

    def save(self, lane: Lane) -> str:
        """Make a lane safe on disk and return the id of its session."""
        session = self._sessions.get(lane.id)
        if session is None:
            session = self._sessions[lane.id] = self._session(lane)
            self._known.add(session.id)
        session.sync()
        self._place_others()
        return session.id

    def _session(self, lane: Lane) -> Session:
        """Return the session that a lane goes on with, or a new one."""
        conversation = self._recorder.conversation(lane.id)
        assert conversation is not None
        woken = self._woken.pop(id(conversation), None)
        if woken is None:
            title, place = self._title(lane), self._place(lane)
            return self._library.create(conversation, title=title, lane=place)
        if woken.details.lane is not None:
            self._placed[lane.id] = woken.details.lane
        return woken

    def _place(self, lane: Lane) -> LanePlace:
        """Return where a lane stands; beside one of an earlier run it stands in that run."""
        above = None if lane.parent is None else self._placed.get(lane.parent)
        if lane.id in self._placed:
            return self._placed[lane.id]
        place = LanePlace.of(lane, self._run, self._program)
        if above is None:
            return place
        # No lane of that run has a number as high as the time at which this one began.
        number = self._began + lane.id
        return place._replace(run=above.run, program=above.program, lane=number, parent=above.lane)

    def _place_others(self) -> None:
        """Say it of lanes that were found out only now to stand beside another."""
        for lane in self._recorder.lanes:
            session, place = self._sessions.get(lane.id), self._place(lane)
            if session is not None and session.details.lane != place:
                session.place(place)
                with suppress(NotSaved):  # It is tried again with the next call of that lane.
                    session.sync()

    def _title(self, lane: Lane) -> str:
        """Return what a session is called; one beside another says beside which."""
        if not lane.is_side or lane.parent is None:
            return lane.name
        return f"{lane.name}: {self._recorder.lanes[lane.parent].name}"

    def _earlier(self, asked: Asked) -> Iterator[Past]:
        """Yield lanes of earlier runs that a request may belong to, each session once."""
        try:
            yield from earlier(self._library, asked, self._known, self._wake)
        except StorageError:
            return  # Without a look at the library, conversations go on in new sessions.

    def _wake(self, id_: str, looked_at: Conversation) -> Conversation | None:
        """Open a session to go on with it; None where it is no longer what was looked at."""
        try:
            session = self._library.open(id_)
        except StorageError:
            return None
        if session.id != id_ or not is_same(session.conversation, looked_at):
            session.abandon()
            return None
        self._woken[id(session.conversation)] = session
        return session.conversation

    def close(self) -> Iterator[int]:
        """Close all sessions, and yield the lanes that are safe."""
        for session in self._woken.values():
            session.abandon()
        sessions, self._sessions = self._sessions, {}
        self._woken.clear()
        for lane, session in sessions.items():
            with suppress(StorageError):
                session.close()
            if session.is_open:
                session.abandon()
            else:
                yield lane
