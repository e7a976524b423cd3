"""Following a file of requests: each that comes is recorded, as it is when the file is opened."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from ctxtui.core import Conversation, Refused
from ctxtui.core.formats.bodies import BodyReader
from ctxtui.core.formats.follow_file import Growth, Tail
from ctxtui.core.formats.requests import LEFT_OUT
from ctxtui.core.formats.warnings import FormatWarning
from ctxtui.core.requests.exchange import Exchange
from ctxtui.core.requests.recording import Recorder
from ctxtui.core.storage import Session
from ctxtui.files.fences import Unreadable
from ctxtui.files.growing import FileFollower
from ctxtui.files.opening import Opened
from ctxtui.files.preferences import load_preferences

CHANGED = "it holds requests, and its session was changed here; follow it again for a new one"
MORE = "this is the first of several conversations in the file, and the only one that is followed"
NOTHING_YET = "there is no request in it yet"
Make = Callable[[Opened], Session]
"""Makes a session of a conversation that there is none of yet."""


class RequestsFollower(FileFollower):
    """Adds what the first conversation of a file asks next to its session, call by call.

    What a request does can be told only from the one before. So a session that its user has changed
    stays as it is, and is no longer followed.
    """

    def __init__(self, session: Session, tail: Tail, recorder: Recorder) -> None:
        super().__init__(session, tail, ())
        self._recorder = recorder
        self._left_out: str | None = None
        self._asked: deque[Exchange | Refused] = deque()
        self._left = self._state()

    @property
    def problem(self) -> str | None:
        """Return why nothing new is read, for now or for good, or what was left out last."""
        return super().problem or self._left_out

    def read(self) -> int:
        """Read what has come into the file; return how many requests wait to be recorded."""
        growth = None if self.is_over else self._tail.look()
        self._asked += () if growth is None else growth.exchanges
        return len(self._asked)

    def apply(self, most: int | None = None) -> int:
        """Record what was read; return how many changes that took, at most those asked for."""
        done = 0
        while self._asked and self._refused is None and (most is None or done < most):
            if self._state() != self._left:
                self._refuse(CHANGED)
                break
            before = len(self.session.conversation.journal)
            self._record(self._asked.popleft())
            done += len(self.session.conversation.journal) - before
            self._left = self._state()
        return done if most is None else min(done, most)

    def _record(self, exchange: Exchange | Refused) -> None:
        try:
            if isinstance(exchange, Refused):
                raise exchange
            self._recorder.record(exchange)
        except Refused as refusal:
            self._left_out = f"{self._tail.path}: a request was left out: {refusal}"

    def _state(self) -> tuple[int, int]:
        """Return what only differs from before if somebody else has done something."""
        conversation = self.session.conversation
        return conversation.current.id, len(conversation.log)


def follow_requests(
    growth: Growth | None, tail: Tail, session: Session | None, make: Make
) -> RequestsFollower:
    """Return what records the requests of a file in a session: the given one if it goes on there.

    A session that is not what its requests made of it is closed, and stays as it is.
    """
    recorder = Recorder(BodyReader(), settings=load_preferences().settings)
    left_out: list[str] = []
    is_going_on = False
    for exchange in () if growth is None else growth.exchanges:
        try:
            if isinstance(exchange, Refused):
                raise exchange
            recorder.record(exchange)
        except Refused as refusal:
            left_out.append(refusal.sentence)
        if session is not None and not is_going_on:
            is_going_on = _goes_on(recorder, session.conversation)
    if session is not None and not is_going_on:
        session.close()
        session = None
    if session is None:
        first = _first(recorder)
        if first is None:
            why = f"a request was left out: {left_out[0]}" if left_out else NOTHING_YET
            raise Unreadable(f"{tail.path}: {why}")
        warnings = (FormatWarning.of(LEFT_OUT, left_out),) if left_out else ()
        session = make(Opened(first[1], "requests", warnings=warnings))
        several = (MORE,) if len(_all(recorder)) > 1 else ()
        session.notes = (*several, *session.notes)
        recorder.continue_in(first[0], session.conversation)
    return RequestsFollower(session, tail, recorder)


def _goes_on(recorder: Recorder, conversation: Conversation) -> bool:
    """Let a recorder go on in a conversation that is what it has recorded so far."""
    first = _first(recorder)
    is_due = first is not None and len(first[1].calls.all) == len(conversation.calls.all)
    return is_due and first is not None and recorder.continue_in(first[0], conversation)


def _first(recorder: Recorder) -> tuple[int, Conversation] | None:
    return next(iter(_all(recorder)), None)


def _all(recorder: Recorder) -> list[tuple[int, Conversation]]:
    """Return the conversations that were recorded, each with its thread."""
    talks = ((thread.id, recorder.conversation(thread.id)) for thread in recorder.threads)
    return [(thread, talk) for thread, talk in talks if talk is not None]
