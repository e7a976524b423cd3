"""Following a file that another program is writing: its session grows as the file does."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from time import monotonic
from typing import Any

from ctxtui.core import Conversation, Refused
from ctxtui.core.engine.messages import Message
from ctxtui.core.formats.bodies import BodyReader
from ctxtui.core.formats.follow_file import FileGrowth, LineFollower
from ctxtui.core.formats.requests import LEFT_OUT
from ctxtui.core.formats.warnings import FormatWarning
from ctxtui.core.requests.exchange import Exchange
from ctxtui.core.requests.recording import Recorder
from ctxtui.core.storage import ImportSource, Library, NotSaved, Session
from ctxtui.files.opening import Opened
from ctxtui.files.preferences import load_preferences
from ctxtui.files.reading import check_readable, read_bytes, spelled
from ctxtui.files.sandbox import Unreadable
from ctxtui.files.sessions import new_session, open_session

# The session of a growing file: what is added to the file is added to it, once.

LATER = "what was said later"
"""How a batch is described in which the file went on in another way."""


class FileFollower:
    """Adds what comes into a file to its session, once; what a user hides in it stays hidden.

    It has the two halves of a follower of sessions: ``read`` for a thread, ``apply`` for the
    screen. What was applied still has to be saved.
    """

    def __init__(self, session: Session, tail: LineFollower, placed: Sequence[int]) -> None:
        self.session = session
        self._tail = tail
        self._placed = list(placed)
        """The raw index of each message that the file shows."""
        self._waiting: deque[FileGrowth] = deque()
        self._refused: str | None = None

    @property
    def name(self) -> str:
        return self._tail.path.name

    @property
    def problem(self) -> str | None:
        """Return why nothing new is read, for now or for good."""
        return self._refused or self._tail.problem

    @property
    def is_over(self) -> bool:
        return self._refused is not None or self._tail.is_over

    @property
    def is_written(self) -> bool:
        """Return whether more may come: who writes a file is not known."""
        return not self.is_over

    def read(self) -> int:
        """Read what has come into the file; return how many pieces of it wait to be applied."""
        growth = None if self.is_over else self._tail.look()
        if growth is not None:
            self._waiting.append(growth)
        return len(self._waiting)

    def apply(self, most: int | None = None) -> int:
        """Do to the session what was read; return how many changes that took."""
        done = 0
        while self._waiting and (most is None or done < most):
            done += self._apply(self._waiting.popleft())
        return done

    def close(self) -> None:
        self.session.close()

    def look(self) -> int:
        self.read()
        return self.apply()

    def _refuse(self, why: str) -> None:
        """Follow no longer, for a reason that is not the file's."""
        self._refused = f"{self._tail.path} is no longer followed: {why}"

    def _apply(self, growth: FileGrowth) -> int:
        if growth.exchanges:
            self._refuse("its lines turned out to be requests; follow it again")
            return 0
        shown = self._placed[: growth.kept]
        gone = self._placed[growth.kept :]
        done, fresh = self._change(gone, growth.messages, has_summary=growth.has_summary)
        self._placed = [*shown, *fresh]
        return done

    def rejoin(self, fresh: Conversation) -> int:
        """Bring a session that was made from the file before up to what the file says by now.

        What the session has of the file is known by what it says, in the order it was said.
        """
        conversation, shown = self.session.conversation, set(fresh.view)
        known = found_in(conversation, fresh.log)
        gone = [at for raw, at in known.items() if raw not in shown]
        gone += beginnings_in(conversation, fresh.log, known)
        news = [raw for raw in fresh.view if raw not in known]
        has_summary = fresh.batch.number > 0 and news[:1] == [fresh.batch.boundary]
        messages = [fresh.log[raw] for raw in news]
        done, made = self._change(gone, messages, has_summary=has_summary)
        places = {**known, **dict(zip(news, made, strict=True))} if made or not news else known
        self._placed = [places[raw] for raw in fresh.view if raw in places]
        return done

    def _change(
        self, gone: Sequence[int], messages: Sequence[Message], *, has_summary: bool
    ) -> tuple[int, range]:
        """Hide some messages and add others; return how many changes, and which raw indices."""
        conversation = self.session.conversation
        before, start = len(conversation.journal), len(conversation.log)
        visible = [raw for raw in gone if raw in conversation.view]
        steps = self._steps(visible, messages, has_summary)
        try:
            if steps:
                self.session.change(steps if len(steps) > 1 else steps[0])
        except Refused as problem:
            self._refuse(str(problem))
        return len(conversation.journal) - before, range(start, len(conversation.log))

    def _steps(
        self, gone: Sequence[int], messages: Sequence[Message], has_summary: bool
    ) -> list[dict[str, Any]]:
        """Return the operations after which the session shows what the file does.

        An answer that went on takes the place of its beginning, and a summary that of everything
        before it; other messages that the file no longer shows are hidden.
        """
        news = [message.to_dict() for message in messages]
        steps: list[dict[str, Any]] = []
        if gone and news and has_summary:
            steps.append({"operation": "COMPRESS", "indices": gone, "summary": news.pop(0)})
        elif gone and news and self._goes_on(gone, messages[0]):
            steps.append({"operation": "REPLACE", "indices": gone, "messages": [news.pop(0)]})
        elif gone:
            steps.append({"operation": "DELETE", "indices": gone, "description": LATER})
        if news:
            steps.append({"operation": "APPEND", "messages": news})
        return steps

    def _goes_on(self, gone: Sequence[int], first: Message) -> bool:
        """Return whether a message continues the one it replaces."""
        log = self.session.conversation.log
        return len(gone) == 1 and log[gone[0]].role == first.role


def found_in(conversation: Conversation, messages: Sequence[Message]) -> dict[int, int]:
    """Return where messages are in a log that has some of them in the same order, by their place.

    A message that is there twice is found at two places.
    """
    places: dict[tuple[str, str], deque[int]] = {}
    for raw, message in enumerate(conversation.log):
        places.setdefault((message.role, message.text), deque()).append(raw)
    found: dict[int, int] = {}
    for place, message in enumerate(messages):
        alike = places.get((message.role, message.text), ())
        for raw in alike:
            if conversation.log[raw] == message:
                found[place] = raw
                places[message.role, message.text].remove(raw)
                break
    return found


def beginnings_in(
    conversation: Conversation, messages: Sequence[Message], known: Mapping[int, int]
) -> list[int]:
    """Return what is visible of messages that were not whole yet when they were read."""
    taken = set(known.values())
    fresh = [message for place, message in enumerate(messages) if place not in known]
    return [
        raw
        for raw in conversation.view
        if raw not in taken and any(_is_beginning(conversation.log[raw], one) for one in fresh)
    ]


def _is_beginning(one: Message, other: Message) -> bool:
    size = len(one.parts)
    return one.role == other.role and size < len(other.parts) and one.parts == other.parts[:size]


# Following a file of requests: each that comes is recorded, as it is when the file is opened.

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

    def __init__(self, session: Session, tail: LineFollower, recorder: Recorder) -> None:
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
        conversation = self.session.conversation
        return conversation.current.id, len(conversation.log)


def follow_requests(
    growth: FileGrowth | None, tail: LineFollower, session: Session | None, make: Make
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


def follow_file(
    library: Library, name: str, clock: Callable[[], float] = monotonic
) -> FileFollower | Session:
    """Return what adds to the session of a growing file as the file grows.

    It is the session that was made from the file before, whatever that said then, or a new one. If
    another program is adding to it already, it comes back alone and read-only, to be followed.
    """
    check_readable(name)
    path = os.path.abspath(name)  # noqa: PTH100 - links are kept
    tail = LineFollower(path, clock=clock)
    growth = tail.look()
    if tail.problem is not None:
        raise Unreadable(tail.problem)
    session = _made_before(library, spelled(path))
    if session is not None and session.read_only:
        return session

    def make(opened: Opened) -> Session:
        return new_session(
            library, opened, ImportSource.of(spelled(path), read_bytes(str(tail.path)))
        )

    if tail.holds_requests:
        return _saved(follow_requests(growth, tail, session, make))
    loaded = tail.loaded
    if session is None:
        empty = Opened(Conversation(), "native")
        session = make(
            empty
            if loaded is None
            else Opened(loaded.conversation, loaded.format, warnings=loaded.warnings)
        )
        return FileFollower(session, tail, session.conversation.view)
    follower = FileFollower(session, tail, ())
    if loaded is not None:
        follower.rejoin(loaded.conversation)
    return _saved(follower)


def _saved(follower: FileFollower) -> FileFollower:
    """Save what was added to a file while it was not followed; the session reports failures."""
    with suppress(NotSaved):
        follower.session.sync()
    return follower


def _made_before(library: Library, path: str) -> Session | None:
    """Return the newest session of the first conversation of a file, if there is one."""
    entries = (one for one in library.list() if one.source == path and one.problem is None)
    made = next((one for one in entries if one.part == 0), None)
    return None if made is None else open_session(library, made.id)
