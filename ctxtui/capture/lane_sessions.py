"""Sessions of lanes: what is recorded, and where each conversation of it is saved."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from core.formats.bodies import BodyReader
from core.requests.exchange import Exchange
from core.requests.lanes import Lane
from core.requests.recorded import Recorded
from core.requests.recording import Recorder
from core.storage import Library, Session, StorageError


class LaneSessions:
    """A recorder whose lanes are sessions of a library."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._recorder = Recorder(BodyReader())
        self._sessions: dict[int, Session] = {}

    def resume(self) -> None:
        """Begin anew."""
        self._recorder = Recorder(BodyReader())

    def record(self, exchange: Exchange) -> Recorded:
        """Take in an exchange; what it makes of its lane is in memory only."""
        return self._recorder.record(exchange)

    def save(self, lane: Lane) -> str:
        """Make a lane safe on disk and return the id of its session."""
        session = self._sessions.get(lane.id)
        if session is None:
            conversation = self._recorder.conversation(lane.id)
            assert conversation is not None
            session = self._library.create(conversation, title=self._title(lane))
            self._sessions[lane.id] = session
        session.sync()
        return session.id

    def _title(self, lane: Lane) -> str:
        """Return what a session is called; one beside another says beside which."""
        if not lane.is_side or lane.parent is None:
            return lane.name
        return f"{lane.name}: {self._recorder.lanes[lane.parent].name}"

    def close(self) -> Iterator[int]:
        """Close all sessions, and yield the lanes that are safe."""
        sessions, self._sessions = self._sessions, {}
        for lane, session in sessions.items():
            with suppress(StorageError):
                session.close()
            if session.is_open:
                session.abandon()
            else:
                yield lane
