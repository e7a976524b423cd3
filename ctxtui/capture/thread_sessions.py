"""Sessions of threads: what is recorded, and where each conversation of it is saved."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from ctxtui.capture.resuming import earlier, is_same
from ctxtui.core.conversation.conversation import Conversation
from ctxtui.core.formats.bodies import BodyReader
from ctxtui.core.requests.bodies import ParsedRequest
from ctxtui.core.requests.exchange import Exchange
from ctxtui.core.requests.recording import EarlierThread, Recorded, Recorder
from ctxtui.core.requests.threads import Thread
from ctxtui.core.storage import Library, NotSaved, Session, StorageError, ThreadPlace
from ctxtui.core.storage.folder import new_id
from ctxtui.core.values.times import milliseconds

CAPTURE = "capture"
"""What a run is called that no program was started for."""


class ThreadSessions:
    """A recorder whose threads are sessions of a library, also those of earlier runs."""

    def __init__(self, library: Library, program: str = CAPTURE) -> None:
        self._library, self._program = library, program
        self._recorder, self._run = Recorder(BodyReader(), earlier=self._earlier), new_id()
        self._began = milliseconds()
        self._placed: dict[int, ThreadPlace] = {}
        """Where threads of earlier runs stand."""
        self._sessions: dict[int, Session] = {}
        self._woken: dict[int, Session] = {}
        """Sessions that were opened to go on, by which object their conversation is."""
        self._known: set[str] = set()

    def begin_anew(self) -> None:
        """Forget all threads; those that go on are taken up from the library again."""
        self._recorder, self._run = Recorder(BodyReader(), earlier=self._earlier), new_id()
        self._known.clear()
        self._placed.clear()

    def record(self, exchange: Exchange) -> Recorded:
        """Take in an exchange; what it makes of its thread is in memory only."""
        return self._recorder.record(exchange)

    def save(self, thread: Thread) -> str:
        """Make a thread safe on disk and return the id of its session."""
        session = self._sessions.get(thread.id)
        if session is None:
            session = self._sessions[thread.id] = self._session(thread)
            self._known.add(session.id)
        session.sync()
        self._place_others()
        return session.id

    def _session(self, thread: Thread) -> Session:
        """Return the session that a thread goes on with, or a new one."""
        conversation = self._recorder.conversation(thread.id)
        assert conversation is not None
        woken = self._woken.pop(id(conversation), None)
        if woken is None:
            title, place = self._title(thread), self._place(thread)
            return self._library.create(conversation, title=title, thread=place)
        if woken.details.thread is not None:
            self._placed[thread.id] = woken.details.thread
        return woken

    def _place(self, thread: Thread) -> ThreadPlace:
        """Return where a thread stands; beside one of an earlier run it stands in that run."""
        above = None if thread.parent is None else self._placed.get(thread.parent)
        if thread.id in self._placed:
            return self._placed[thread.id]
        place = ThreadPlace.of(thread, self._run, self._program)
        if above is None:
            return place
        # No thread of that run has a number as high as the time at which this one began.
        number = self._began + thread.id
        return place._replace(
            run=above.run, program=above.program, thread=number, parent=above.thread
        )

    def _place_others(self) -> None:
        """Say it of threads that were found out only now to stand beside another."""
        for thread in self._recorder.threads:
            session, place = self._sessions.get(thread.id), self._place(thread)
            if session is not None and session.details.thread != place:
                session.place(place)
                with suppress(NotSaved):  # It is tried again with the next call of that thread.
                    session.sync()

    def _title(self, thread: Thread) -> str:
        """Return what a session is called; one beside another says beside which."""
        if not thread.is_side or thread.parent is None:
            return thread.name
        return f"{thread.name}: {self._recorder.threads[thread.parent].name}"

    def _earlier(self, asked: ParsedRequest) -> Iterator[EarlierThread]:
        """Yield threads of earlier runs that a request may belong to, each session once."""
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
        """Close all sessions, and yield the threads that are safe."""
        for session in self._woken.values():
            session.abandon()
        sessions, self._sessions = self._sessions, {}
        self._woken.clear()
        for thread, session in sessions.items():
            with suppress(StorageError):
                session.close()
            if session.is_open:
                session.abandon()
            else:
                yield thread
