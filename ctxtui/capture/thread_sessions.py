"""Sessions of threads: what is recorded, and where each conversation of it is stored.

A conversation that was captured before may continue. Sessions are looked for when a request begins
no thread: by ids, names and words in it that a session must hold in which it continues. Those that
do are only read. A session is opened for writing when its conversation does continue, and left
alone if it was changed meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

import orjson

from ctxtui.core.conversation.conversation import Conversation
from ctxtui.core.formats.bodies import BodyReader, exchanges_of
from ctxtui.core.requests.bodies import ParsedRequest
from ctxtui.core.requests.exchange import KINDS, Exchange
from ctxtui.core.requests.recording import EarlierThread, Recorded, Recorder
from ctxtui.core.requests.threads import Thread, ThreadRole, has_same_groups
from ctxtui.core.storage import Library, NotSaved, Session, StorageError, ThreadPlace
from ctxtui.core.storage.details import tidy_title
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
        """The places of threads of earlier runs."""
        self._sessions: dict[int, Session] = {}
        self._reopened: dict[int, Session] = {}
        """Sessions that were opened to be continued, by the id of their conversation object."""
        self._known: set[str] = set()

    def restart(self) -> None:
        """Forget all threads; those that continue are found in the library again."""
        self._recorder, self._run = Recorder(BodyReader(), earlier=self._earlier), new_id()
        self._known.clear()
        self._placed.clear()

    def record(self, exchange: Exchange) -> Recorded:
        """Record an exchange, in memory only."""
        return self._recorder.record(exchange)

    def save(self, thread: Thread) -> str:
        """Save a thread and return the id of its session."""
        session = self._sessions.get(thread.id)
        if session is None:
            session = self._sessions[thread.id] = self._session(thread)
            self._known.add(session.id)
        session.sync()
        self._place_others()
        return session.id

    def _session(self, thread: Thread) -> Session:
        conversation = self._recorder.conversation(thread.id)
        assert conversation is not None
        reopened = self._reopened.pop(id(conversation), None)
        if reopened is None:
            title, place = self._title(thread), self._place(thread)
            return self._library.create(conversation, title=title, thread=place)
        if reopened.details.thread is not None:
            self._placed[thread.id] = reopened.details.thread
        return reopened

    def _place(self, thread: Thread) -> ThreadPlace:
        """Return the place of a thread; a side thread of an earlier run belongs to that run."""
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
        """Update the places of threads whose role or parent has become known."""
        for thread in self._recorder.threads:
            session, place = self._sessions.get(thread.id), self._place(thread)
            if session is not None and session.details.thread != place:
                known = session.details.thread
                session.place(place)
                if known is not None and known.is_side != place.is_side:
                    session.describe(title=tidy_title(self._title(thread)))
                with suppress(NotSaved):  # It is tried again with the next call of that thread.
                    session.sync()

    def _title(self, thread: Thread) -> str:
        if not thread.is_side or thread.parent is None:
            return thread.name
        return f"{thread.name}: {self._recorder.threads[thread.parent].name}"

    def _earlier(self, request: ParsedRequest) -> Iterator[EarlierThread]:
        try:
            yield from earlier(self._library, request, self._known, self._reopen)
        except StorageError:
            return  # Without the library, conversations continue in new sessions.

    def _reopen(self, id_: str, read: Conversation) -> Conversation | None:
        """Open a session to continue it; None if it has changed since it was read."""
        try:
            session = self._library.open(id_)
        except StorageError:
            return None
        if session.id != id_ or not is_unchanged(session.conversation, read):
            session.abandon()
            return None
        self._reopened[id(session.conversation)] = session
        return session.conversation

    def rejudged(self) -> tuple[str, int] | None:
        """Return how many threads there are with all calls known, and a session of the run.

        None where they are as they were recorded, each call when it came.
        """
        table, revised = self._recorder.table, self._recorder.revised
        session = next(iter(self._sessions.values()), None)
        if session is None or has_same_groups(table, revised):
            return None
        return session.id, len(set(revised.placed))

    def close(self) -> Iterator[int]:
        """Close all sessions, and yield the threads that are safe."""
        for session in self._reopened.values():
            session.abandon()
        sessions, self._sessions = self._sessions, {}
        self._reopened.clear()
        for thread, session in sessions.items():
            with suppress(StorageError):
                session.close()
            if session.is_open:
                session.abandon()
            else:
                yield thread


# Threads of earlier runs

MAX_SEARCHED = 200
MAX_READ = 8
"""Sessions that are searched, the newest first, and sessions that are read for a request."""
MAX_CALLS = 2_000
"""Calls of a session that can be continued; a longer one continues in a new session."""
MAX_MARKS = 8
SHORTEST, LONGEST = 12, 60
"""Characters of an answer that are searched for: fewer would be found anywhere."""
ReopenSession = Callable[[str, Conversation], Conversation | None]
"""Opens a session for writing, and returns its conversation if it is still the given one."""


class CapturedSession(NamedTuple):
    """A session that was captured: its place and its thread."""

    place: ThreadPlace
    earlier_thread: EarlierThread


def earlier(
    library: Library, request: ParsedRequest, known: set[str], reopen: ReopenSession
) -> Iterator[EarlierThread]:
    """Yield the threads of sessions that a request may continue, without those known."""
    marks = marks_of(request)
    if not marks:
        return
    entries = [one for one in library.list()[:MAX_SEARCHED] if one.run and not one.problem]
    runs = {one.id: one.run for one in entries if one.id not in known}
    for id in islice(library.byte_search.of(marks, runs), MAX_READ):
        main = _captured_session(library, id, reopen)
        if main is None or main.place.is_side:
            continue
        known.add(id)
        fellows = (one for one, run in runs.items() if run == main.place.run and one not in known)
        beside = []
        for other in fellows:
            side = _captured_session(library, other, reopen)
            if side is not None and side.place.is_side and side.place.parent in main.place.threads:
                known.add(other)
                beside.append(side.earlier_thread)
        yield main.earlier_thread._replace(beside=tuple(beside))


def marks_of(request: ParsedRequest) -> list[bytes]:
    """Return what a session that the request continues must hold; nothing for a first request."""
    hints = request.hints
    ids = [request.previous, request.after, hints.session]
    marks = [f'"tag":{_json(hints.tag)}'] if hints.tag else []
    said = [one for one in reversed(request.sent) if one.message.role == "assistant"][:MAX_MARKS]
    ids += [id for one in said for id in one.message.calls][:MAX_MARKS]
    texts = (one.message.text[:LONGEST] for one in said)
    marks += [_json(text)[1:-1] for text in texts if len(text) >= SHORTEST]
    return [mark.encode() for mark in (*(_json(id)[1:-1] for id in ids if id), *marks)]


def _json(text: str) -> str:
    """Return a text as it is in a file; lone surrogates never are."""
    try:
        return orjson.dumps(text).decode()
    except TypeError:
        return '""'


def _captured_session(library: Library, id: str, reopen: ReopenSession) -> CapturedSession | None:
    """Return a session that can be continued, or None."""
    try:
        with library.open(id, read_only=True) as session:
            conversation, place = session.conversation, session.details.thread
            is_held = session.holder is not None
    except StorageError:
        return None
    thread = None if place is None else _thread(conversation.meta.get("requests"), place.role)
    is_long = len(conversation.calls.all) > MAX_CALLS
    if place is None or thread is None or is_held or is_long:
        return None
    exchanges = list(exchanges_of(conversation))
    opens = partial(reopen, id, conversation)
    return CapturedSession(place, EarlierThread(thread, conversation, exchanges, opens))


def is_unchanged(one: Conversation, other: Conversation) -> bool:
    """Return whether a conversation is as it was read."""
    return len(one.journal) == len(other.journal) and one.journal[-1] == other.journal[-1]


def _thread(data: Any, role: ThreadRole) -> Thread | None:
    """Return the thread of a conversation, with the role that was found out later."""
    match data:
        case {"name": str(name), "kind": kind} if kind in KINDS:
            return Thread(0, name, kind, role)
    return None
