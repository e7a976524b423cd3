"""Keeping: finished calls are recorded one after the other, and each lane is saved as a session.

A call is told as recorded only after its session is safe on disk; whoever kills this program
afterwards loses nothing that was told.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from threading import Condition, Thread

from core.errors import Refused
from core.formats.bodies import BodyReader
from core.requests.exchange import Exchange
from core.requests.lanes import Lane
from core.requests.recorded import Recorded
from core.requests.recording import Recorder
from core.storage import LanePlace, Library, NotSaved, Session, StorageError
from core.storage.names import new_id
from ctxtui.capture.reading import read_call
from ctxtui.capture.tape import MIB, Call

MOST_WAITING = 2_000
MOST_BYTES = 512 * MIB
"""Calls, and bytes of them, that may wait to be recorded; more are only passed on."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A call that is safe: what the recorder says of it, and the session it is in."""

    exchange: Exchange
    recorded: Recorded
    session: str


@dataclass(frozen=True, slots=True)
class NotKept:
    """A call that was passed on and not recorded, and why; or one that is not on disk yet."""

    path: str
    reason: str


Told = Kept | NotKept
Tell = Callable[[Told], None]


class Keeper:
    """Takes finished calls and keeps them, on a thread of its own, in the order they finished.

    Nothing it meets is raised to whoever hands over a call; it is told instead.
    """

    def __init__(
        self, library: Library, tell: Tell, most: int = MOST_WAITING, program: str = "capture"
    ) -> None:
        self._library, self._tell, self._most = library, tell, most
        self._program = program
        self._begin()
        self._sessions: dict[int, Session] = {}
        self._waiting: deque[Call] = deque()
        self._bytes = 0
        self._change = Condition()
        self._is_closing = False
        self._thread = Thread(target=self._work, name="ctxtui-capture", daemon=True)
        self._thread.start()

    def take(self, call: Call) -> None:
        """Take over a finished call; this neither waits nor fails."""
        with self._change:
            is_full = len(self._waiting) >= self._most or self._bytes + call.size > MOST_BYTES
            if not is_full:
                self._waiting.append(call)
                self._bytes += call.size
                self._change.notify_all()
        if is_full:
            self._say(NotKept(call.path, "more calls come than can be recorded"))

    def close(self) -> None:
        """Record what is waiting, then close all sessions."""
        with self._change:
            self._is_closing = True
            self._change.notify_all()
        self._thread.join()

    def _begin(self) -> None:
        """Begin a run: lanes are numbered anew, and nothing is known of any before."""
        self._recorder, self._run = Recorder(BodyReader()), new_id()
        self._placed: dict[int, Lane] = {}

    def _work(self) -> None:
        while (call := self._next()) is not None:
            self._say(self._kept(call))
        self._leave()

    def _next(self) -> Call | None:
        with self._change:
            while not self._waiting and not self._is_closing:
                self._change.wait()
            if not self._waiting:
                return None
            call = self._waiting.popleft()
            self._bytes -= call.size
            return call

    def _kept(self, call: Call) -> Told:
        try:
            exchange = read_call(call)
            recorded = self._recorder.record(exchange)
            return Kept(exchange, recorded, self._saved(recorded.lane))
        except NotSaved as problem:
            return NotKept(call.path, f"{problem}; it is tried again with the next call")
        except Refused as refusal:
            return NotKept(call.path, str(refusal))
        except Exception as error:
            # Whatever state it was left in, no later call may be recorded on top of it.
            self._leave()
            self._begin()
            return NotKept(call.path, f"the recorder failed with {type(error).__name__}")

    def _saved(self, lane: Lane) -> str:
        """Make a lane safe on disk and return the id of its session."""
        session = self._sessions.get(lane.id)
        if session is None:
            conversation = self._recorder.conversation(lane.id)
            assert conversation is not None
            session = self._library.create(
                conversation, title=self._title(lane), lane=self._place(lane)
            )
            self._sessions[lane.id] = session
        session.sync()
        self._place_others()
        return session.id

    def _place(self, lane: Lane) -> LanePlace:
        return LanePlace.of(lane, self._run, self._program)

    def _place_others(self) -> None:
        """Say it of lanes that were found out only now to stand beside another."""
        for lane in self._recorder.lanes:
            session = self._sessions.get(lane.id)
            if session is not None and self._placed.get(lane.id) is not lane:
                self._placed[lane.id] = lane
                session.place(self._place(lane))
                with suppress(NotSaved):  # It is tried again with the next call of that lane.
                    session.sync()

    def _title(self, lane: Lane) -> str:
        """Return what a session is called; one beside another says beside which."""
        if not lane.is_side or lane.parent is None:
            return lane.name
        return f"{lane.name}: {self._recorder.lanes[lane.parent].name}"

    def _leave(self) -> None:
        """Close all sessions; what the disk does not take was told when it was recorded."""
        for session in self._sessions.values():
            with suppress(StorageError):
                session.close()
            if session.is_open:
                session.abandon()
        self._sessions.clear()

    def _say(self, told: Told) -> None:
        """Tell; that nobody can be told any more is no reason to stop recording."""
        with suppress(Exception):
            self._tell(told)
