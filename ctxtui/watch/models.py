"""Watching: the sessions that other programs are writing, each followed as it grows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cached_property, partial
from typing import Any, Literal, NamedTuple, Protocol
from zlib import crc32

from ctxtui.calls.models.call import RecordedCall, RecordedCalls
from ctxtui.calls.models.seen import SeenLook, seen_looks
from ctxtui.calls.models.sheet import CallSheet
from ctxtui.core import Conversation, Finding, Revision
from ctxtui.core.engine.messages import Message
from ctxtui.core.errors import Refused, format_value, out_of_range
from ctxtui.core.formats.bodies import BodyReader
from ctxtui.core.formats.json_text import read_json
from ctxtui.core.formats.merge_threads import (
    ChangedExplanation,
    RejudgedThread,
    explain_again,
    merge_threads,
    split_thread,
    threads_again,
)
from ctxtui.core.lint.linting import ErrorCount
from ctxtui.core.requests.bodies import ParsedRequest
from ctxtui.core.requests.exchange import KINDS, Exchange
from ctxtui.core.storage import (
    Entry,
    Follower,
    Library,
    Session,
    SpoolEntry,
    StorageError,
    ThreadPlace,
)
from ctxtui.core.storage.details import Details, tidy_title
from ctxtui.core.values.models import read_number
from ctxtui.core.values.times import read_time
from ctxtui.inspector.models.links import links_of
from ctxtui.inspector.models.look import Look, is_on_path
from ctxtui.inspector.models.search import Spot
from ctxtui.text.plurals import plural

# The calls of a thread, each explained once, when it is recorded.


class WatchedCall(RecordedCall):
    """A call of a thread with the number of lint errors in what was sent."""

    def __init__(self, path: RecordedCalls, number: int, errors: int) -> None:
        super().__init__(path, number)
        self.errors = errors

    @cached_property
    def look(self) -> CallLook:
        return CallLook(self)

    @cached_property
    def done(self) -> str:
        if self.before is not None and self.call.revision == self.before.revision:
            return "the same messages as before"
        operation = self.path.conversation.revisions[self.call.revision].operation
        return "START" if operation is None else operation.sentence()


class ThreadCalls:
    """All calls of a conversation in the order they were recorded, whatever branch they are on."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._profile = conversation.settings.profile
        self._begin()

    def _begin(self) -> None:
        self.calls: list[WatchedCall] = []
        self.by_batch: dict[int, list[WatchedCall]] = {}
        self.broken = 0
        """Calls that broke the prompt cache."""
        self.refused = 0
        """Calls that sent something with a lint error."""
        self.measured = 0
        """Calls of which the provider said what a cache served of the call before."""
        self.again = 0
        """Those of them that read most of that uncached."""
        self._errors = ErrorCount(self._profile)

    def catch_up(self) -> None:
        """Add the calls that were recorded since; another profile judges all of them again."""
        conversation = self._conversation
        if conversation.settings.profile != self._profile:
            self._profile = conversation.settings.profile
            self._begin()
        path = RecordedCalls(conversation)
        for number in range(len(self.calls) + 1, len(path) + 1):
            self._add(path, number)

    def _add(self, path: RecordedCalls, number: int) -> None:
        sent = self._conversation.at(path.calls[number - 1].revision).moment
        one = WatchedCall(path, number, self._errors.errors(sent))
        self.calls.append(one)
        self.by_batch.setdefault(one.batch, []).append(one)
        self.broken += one.cause is not None
        self.refused += bool(one.errors)
        self.measured += one.is_resent is not None
        self.again += bool(one.is_resent)

    @property
    def model(self) -> str:
        return next((one.call.model for one in reversed(self.calls) if one.call.model), "")


# Unfinished calls: asked through a proxy that still runs, and not answered to the end yet.

MOST_COMPARED = 2_000
"""Messages at the end of a thread that a request is compared with."""
BEYOND = 36**12
"""More than the number of any session."""
UNREADABLE = (Refused, OSError, ValueError, TypeError, LookupError, RecursionError)


class PendingCall(NamedTuple):
    """An unfinished call: since when, what it asks, and the session of its thread if any."""

    slip: str
    time: int
    model: str = ""
    messages: int = 0
    role: str = ""
    text: str = ""
    """The message that is to be answered."""
    session: str | None = None

    @property
    def key(self) -> int:
        """Return a number that is its own, and no session's."""
        run, _, number = self.slip.partition("-")
        return BEYOND * (1 + int(number)) + int(run, 36)


class WrittenThread(Protocol):
    """A thread that a call may go on with."""

    @property
    def id(self) -> str: ...

    @property
    def conversation(self) -> Conversation: ...


class PendingCalls:
    """Finds unfinished calls; each spool entry is read once, and again when it changes."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._known: dict[str, tuple[int, PendingCall | None]] = {}

    def look(self, threads: Sequence[WrittenThread]) -> list[PendingCall]:
        """Return the unfinished calls, the oldest first; ``threads`` are those being written."""
        try:
            slips = self._library.spool.running()
        except OSError:
            slips = []
        known, self._known = self._known, {}
        for slip in slips:
            changed, before = slip.changed(), known.get(slip.name)
            is_same = before is not None and before[0] == changed
            pending = before[1] if before is not None and is_same else _read(slip, threads)
            self._known[slip.name] = (changed, pending)
        found = (pending for _, pending in self._known.values())
        return sorted((one for one in found if one is not None), key=lambda one: one.time)


def _read(entry: SpoolEntry, threads: Sequence[WrittenThread]) -> PendingCall | None:
    """Return the call that an entry of the spool holds; None if it was answered."""
    try:
        lines = entry.lines()
        if len(lines) != 1:
            return None
        head = read_json(lines[0].decode("utf-8"))
        return _pending(entry.name, head, threads)
    except UNREADABLE:
        return None


def _pending(name: str, head: Any, threads: Sequence[WrittenThread]) -> PendingCall | None:
    match head:
        case {"kind": kind, "path": str(path), "time": time, "request": Mapping() as request} if (
            kind in KINDS
        ):
            known = PendingCall(name, read_time(time, "time"))
        case _:
            return None
    try:
        asked = BodyReader().parse_request(Exchange(request, kind=kind, path=path))
    except UNREADABLE:
        return known  # It is passed on all the same, and so it is running.
    said = [one.message for one in asked.sent]
    last = said[-1] if said else None
    return known._replace(
        model=asked.model or "",
        messages=len(said),
        role="" if last is None else last.role,
        text="" if last is None else last.text[:300],
        session=_goes_on_with(asked, said, threads),
    )


def _goes_on_with(
    asked: ParsedRequest, said: Sequence[Message], threads: Sequence[WrittenThread]
) -> str | None:
    """Return the session of the thread that a request has most in common with.

    This is only for show: the recorder finds the thread by more than that once the call has ended.
    """
    best, most = None, 0
    for thread in threads:
        calls = thread.conversation.calls.all
        if asked.previous is not None and calls and calls[-1].request == asked.previous:
            return thread.id
        common = _common(said, thread.conversation)
        if common > most:
            best, most = thread.id, common
    return best


def _common(said: Iterable[Message], conversation: Conversation) -> int:
    """Return how many messages of a request a thread holds; what a system says is in many."""
    log = conversation.log
    start = max(0, len(log) - MOST_COMPARED)
    held = {(one.role, one.text) for one in (log[raw] for raw in range(start, len(log)))}
    return sum(one.role != "system" and (one.role, one.text) in held for one in said)


MOST_AT_ONCE = 200
"""Records of a session that are put in place before the next one has its turn."""
QUIET_AFTER = 5_000
"""Milliseconds without anything new after which a thread is waiting."""
LAST_RUNS, ENDED_AT_ONCE = 3, 8
"""How many ended runs are shown, and how many of their threads are read at once."""

State = Literal["running", "waiting", "done"]


class ThreadFigures(NamedTuple):
    """What the list says of a thread, found when something has come and not when it is drawn."""

    messages: int
    tokens: int
    calls: int
    hit: tuple[int, int] | None
    """How many of the tokens of the last calls a cache served, and of how many."""
    changed: int


class WatchedThread:
    """A session that is or was being written during the watch."""

    def __init__(self, session: Session, holder: str | None) -> None:
        self.session = session
        self.holder = holder
        """The program that writes it; None once that has closed it or is gone."""
        self.follower = Follower(session)
        self.story = ThreadCalls(session.conversation)
        self._records = -1
        self.pending: tuple[PendingCall, ...] = ()
        """Its unfinished calls, the oldest first."""
        self.settle()

    def settle(self) -> None:
        """Note what was added; while nothing has, that costs nothing."""
        conversation = self.session.conversation
        records = len(conversation.journal)
        if records == self._records:
            return
        self._records = records
        self.story.catch_up()
        self.look = Look(conversation)
        self.figures = ThreadFigures(
            self.look.log_size,
            self.look.total,
            len(self.story.calls),
            self._hit(),
            conversation.journal[-1].time,
        )

    def _hit(self) -> tuple[int, int] | None:
        usages = [one.call.usage for one in self.story.calls[-10:]]
        measured = [
            one for one in usages if one is not None and one.cached is not None and one.input
        ]
        if not measured:
            return None
        return sum(one.cached or 0 for one in measured), sum(one.input or 0 for one in measured)

    @property
    def key(self) -> int:
        """Return a number that is the session's own: its id, read as one."""
        return int(self.session.id, 36)

    @property
    def title(self) -> str:
        return self.session.name

    @property
    def place(self) -> ThreadPlace | None:
        return self.session.details.thread

    def state(self, now: int) -> State:
        """Return whether it is being written at a moment, waits, or has ended."""
        if self.holder is None:
            return "done"
        if self.pending:
            return "running"
        return "running" if now - self.figures.changed < QUIET_AFTER else "waiting"

    @property
    def entry(self) -> Entry:
        return Entry(self.session.id, self.session.title)


class Watching:
    """Finds out who writes what; ``read`` may run in a thread, ``take`` shows what it found.

    What is no longer written stays to be seen, and so do the last runs that have ended before.
    """

    def __init__(self, library: Library) -> None:
        self._library = library
        self.threads: list[WatchedThread] = []
        self.problem: str | None = None
        self.pending: list[PendingCall] = []
        """Unfinished calls, also those of conversations that have no session yet."""
        self.is_filling = False
        """Whether there are sessions that were not opened yet: the next look opens some."""
        self._holders: dict[str, str] = {}
        self._found: list[WatchedThread] = []
        self._pending, self._flying = PendingCalls(library), list[PendingCall]()
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
        known = {thread.session.id for thread in self.threads}
        known |= self._refused
        rest = [id for id in self._wanted or () if id not in known and id not in self._holders]
        self.is_filling = len(rest) > ENDED_AT_ONCE
        wanted = [id for id in self._holders if id not in known] + rest[:ENDED_AT_ONCE]
        self._found = [thread for id in wanted for thread in self._opened(id)]
        every = (*self.threads, *self._found)
        for thread in every:
            thread.follower.read()
        written = [thread.session for thread in every if thread.session.id in self._holders]
        self._flying = self._pending.look(written)

    def _opened(self, id: str) -> list[WatchedThread]:
        """Return a session to be followed; what can't be read is not tried again."""
        try:
            session = self._library.open(id, read_only=True)
        except Refused:
            self._refused.add(id)
            return []
        return [WatchedThread(session, self._holders.get(id))]

    def take(self) -> bool:
        """Put what was read in place, and return whether there is more of it."""
        known = {thread.session.id for thread in self.threads}
        self.threads += [thread for thread in self._found if thread.session.id not in known]
        self._found = []
        is_more = False
        self.pending = self._flying
        for thread in self.threads:
            id = thread.session.id
            thread.pending = tuple(one for one in self.pending if one.session == id)
            thread.holder = self._holders.get(id)
            is_more |= thread.follower.apply(MOST_AT_ONCE) == MOST_AT_ONCE
            thread.settle()
        return is_more

    def replace(self, gone: Iterable[str], made: Iterable[str]) -> None:
        """Watch other sessions instead of some, from the next look on."""
        away = set(gone)
        self.threads = [thread for thread in self.threads if thread.session.id not in away]
        self._found = [thread for thread in self._found if thread.session.id not in away]
        news = list(made)
        self._wanted = [*news, *(id for id in self._wanted or () if id not in away)]
        self._refused -= set(news)

    @property
    def written(self) -> int:
        return sum(thread.holder is not None for thread in self.threads)


def _last_runs(entries: Iterable[Entry]) -> list[str]:
    """Return the sessions of the last runs that were recorded here, the newest run first."""
    runs: dict[str, list[str]] = {}
    recorded = (entry for entry in entries if entry.source is None)
    for entry in sorted(recorded, key=lambda entry: -entry.created):
        if entry.run is not None and (entry.run in runs or len(runs) < LAST_RUNS):
            runs.setdefault(entry.run, []).append(entry.id)
    return [id for run in runs.values() for id in run][:60]


# Threads as a tree: runs, their conversations, the agents these called, and what was asked aside.

SIDE_WORDS = {"sideCalls": "side call", "counts": "token count", "attempts": "attempt"}
"""What a call of each kind of side thread is called."""
DEEPEST = 4
"""How far agents of agents are indented."""


class RunHead(NamedTuple):
    """The line above what was recorded at once."""

    key: int
    name: str
    threads: int
    began: int | None = None


class ThreadNode(NamedTuple):
    """A thread with its depth below its conversation; the last one below ends the branch."""

    thread: WatchedThread
    depth: int = 0
    is_last: bool = False
    is_answered: bool = False
    """Whether it is an agent whose caller has its result."""

    @property
    def key(self) -> int:
        return self.thread.key

    def state(self, now: int) -> State:
        """Return how it is with it: an agent is done when its caller has what it found."""
        return "done" if self.is_answered else self.thread.state(now)


class SideNode(NamedTuple):
    """All side calls of a conversation, in one line."""

    key: int
    threads: tuple[WatchedThread, ...]
    depth: int
    calls: int
    about: str
    is_open: bool

    @property
    def thread(self) -> WatchedThread:
        return max(self.threads, key=lambda thread: thread.figures.changed)


class PendingNode(NamedTuple):
    """An unfinished call of a conversation without a session so far."""

    pending: PendingCall

    @property
    def key(self) -> int:
        return self.pending.key


TreeNode = RunHead | ThreadNode | SideNode
Node = TreeNode | PendingNode


class Totals(NamedTuple):
    """What all threads are together."""

    conversations: int
    threads: int
    requests: int
    broken: int
    refused: int
    flying: int = 0
    """Unfinished calls."""


def totals_of(threads: Sequence[WatchedThread], pending: Sequence[PendingCall] = ()) -> Totals:
    """Return how many there are of everything."""
    mains = sum(thread.place is None or thread.place.role == "main" for thread in threads)
    return Totals(
        mains,
        len(threads),
        sum(thread.figures.calls for thread in threads),
        sum(thread.story.broken for thread in threads),
        sum(thread.story.refused for thread in threads),
        len(pending),
    )


def unlisted(pending: Sequence[PendingCall], threads: Sequence[WatchedThread]) -> list[PendingNode]:
    """Return a line for each unfinished call that is in none of the threads."""
    here = {thread.session.id for thread in threads}
    return [PendingNode(one) for one in pending if one.session not in here]


def run_tree(threads: Sequence[WatchedThread], opened: Collection[int] = ()) -> list[TreeNode]:
    """Return the lines of all runs, the one begun last first, and then of all other sessions.

    ``opened`` are the keys of side lines whose threads are shown one by one. Threads of a run are
    in the order they began, so that none moves as they grow.
    """
    runs: dict[str, list[WatchedThread]] = {}
    others: list[WatchedThread] = []
    for thread in sorted(threads, key=_begun):
        if thread.place is None:
            others.append(thread)
        else:
            runs.setdefault(thread.place.run, []).append(thread)
    made: list[TreeNode] = []
    for run in sorted(runs.values(), key=lambda run: min(map(_created, run)), reverse=True):
        made += _Run(run, opened).nodes()
    if made and others:
        made.append(RunHead(-1, "other sessions", len(others)))
    return [*made, *(ThreadNode(thread) for thread in others)]


def _created(thread: WatchedThread) -> int:
    return thread.session.details.created


def _begun(thread: WatchedThread) -> tuple[int, int, str]:
    """Return what threads are ordered by: the number in their run, or else the newest first."""
    place = thread.place
    return (
        (0, place.thread, thread.session.id) if place else (1, -_created(thread), thread.session.id)
    )


class _Run:
    """The threads of one run, as a tree."""

    def __init__(self, threads: Sequence[WatchedThread], opened: Collection[int]) -> None:
        self._threads, self._opened = threads, opened
        self._by_number = {
            number: thread for thread in threads if thread.place for number in thread.place.threads
        }
        self._below: dict[int | None, list[WatchedThread]] = {}
        for thread in threads:
            parent = self._parent(thread)
            self._below.setdefault(None if parent is None else parent.key, []).append(thread)

    def nodes(self) -> list[TreeNode]:
        first = self._threads[0].place
        assert first is not None
        key = -2 * (1 + crc32(first.run.encode()))
        began = min(map(_created, self._threads))
        return [RunHead(key, first.program, len(self._threads), began), *self._nodes(None, 0)]

    def _parent(self, thread: WatchedThread) -> WatchedThread | None:
        """Return the thread that one is below; none where that leads back to itself."""
        seen = {thread.key}
        above = self._above(thread)
        parent = above
        while above is not None:
            if above.key in seen:
                return None
            seen.add(above.key)
            above = self._above(above)
        return parent

    def _above(self, thread: WatchedThread) -> WatchedThread | None:
        place = thread.place
        if place is None or place.parent is None:
            return None
        return self._by_number.get(place.parent)

    def _nodes(self, parent: WatchedThread | None, depth: int) -> Iterator[TreeNode]:
        below = self._below.get(None if parent is None else parent.key, [])
        sides = [thread for thread in below if thread.place and thread.place.is_side]
        rest = [thread for thread in below if thread not in sides]
        for at, thread in enumerate(rest):
            is_last = depth > 0 and at == len(rest) - 1 and not sides
            yield ThreadNode(thread, min(depth, DEEPEST), is_last, _is_answered(thread, parent))
            yield from self._nodes(thread, depth + 1)
        if sides:
            yield from self._side(sides, parent, min(depth, DEEPEST))

    def _side(
        self, sides: list[WatchedThread], parent: WatchedThread | None, depth: int
    ) -> Iterator[TreeNode]:
        # Even numbers below zero are runs, odd ones side calls.
        key = -2 * (sides[0].key if parent is None else parent.key) - 1
        is_open = key in self._opened
        calls = sum(thread.figures.calls for thread in sides)
        yield SideNode(key, tuple(sides), depth, calls, _side_words(sides), is_open)
        for at, thread in enumerate(sides if is_open else ()):
            yield ThreadNode(thread, min(depth + 1, DEEPEST), at == len(sides) - 1)


def _side_words(sides: Sequence[WatchedThread]) -> str:
    counts: Counter[str] = Counter()
    for thread in sides:
        if thread.place is not None:
            counts[thread.place.role] += thread.figures.calls
    text = ((counts[role], word) for role, word in SIDE_WORDS.items())
    return ", ".join(plural(count, word) for count, word in text if count)


def _is_answered(thread: WatchedThread, parent: WatchedThread | None) -> bool:
    call = thread.place and thread.place.call
    if parent is None or call is None:
        return False
    return bool(links_of(parent.session.conversation).results([call], -1))


# What is done to recorded threads: merging, splitting; what was there goes to the trash.


class Made(NamedTuple):
    """A session that was made: its id, its title, and how many calls it has."""

    id: str
    title: str
    calls: int


class ThreadEdit(NamedTuple):
    """What became of threads: the sessions made, those that are in the trash, and the way back."""

    made: tuple[Made, ...]
    gone: tuple[str, ...]
    take_back: Callable[[], None]


class NewExplanations(NamedTuple):
    """Which calls of a session are explained in another way now, and how to store that.

    ``threads`` is how many the sessions of its run would be, where calls belong to others now.
    """

    changes: list[ChangedExplanation]
    save: Callable[[], ThreadEdit]
    threads: int | None = None


class _Part(NamedTuple):
    """A conversation that is about to be a session."""

    conversation: Conversation
    details: Details


def merge(library: Library, into: str, others: Sequence[str], *, wait: float = 0.0) -> ThreadEdit:
    """Make one session of the calls of several, named after the first."""
    if into in others:
        name = format_value(_title(library, into))
        raise Refused(f"{name} can't be merged into itself", field="session", value=into)
    ids = (into, *dict.fromkeys(others))
    with _held(library, ids, wait) as (target, *rest):
        beside = _beside(library, target, ids)
        talks = [one.conversation for one in rest]
        made = merge_threads(target.conversation, talks, [one.conversation for one in beside])
        place = _merged_place([one.details.thread for one in (target, *rest)])
        parts = [_Part(made, target.details._replace(thread=place))]
    return _replaced(library, ids, parts)


def split(library: Library, id: str, call: int, *, wait: float = 0.0) -> ThreadEdit:
    """Make two sessions of one: its calls before one, the first being 1, and those from it on."""
    with _held(library, (id,), wait) as (session,):
        size = len(session.conversation.calls.all)
        if not 1 < read_number(call, "call") <= size:
            raise out_of_range("call", call, f"2…{size}" if size > 1 else f"what has {size} calls")
        beside = _beside(library, session, (id,))
        talks = [one.conversation for one in beside]
        first, second = split_thread(session.conversation, call - 1, talks)
        details, place = session.details, session.details.thread
        new = None
        if place is not None:
            known = [one.details.thread for one in beside]
            used = [number for one in (place, *known) if one is not None for number in one.threads]
            new = place._replace(thread=max(used) + 1, also=())
        title = tidy_title(f"{details.title} from call {call}")
        parts = [_Part(first, details), _Part(second, details._replace(title=title, thread=new))]
    return _replaced(library, (id,), parts)


def explain(library: Library, id: str, *, wait: float = 0.0) -> NewExplanations:
    """Explain the calls of a session again; ``save`` replaces the session by the result."""
    with _held(library, (id,), wait) as (session,):
        sessions = [session, *_beside(library, session, (id,))]
        talks = [one.conversation for one in sessions]
        judged = threads_again(talks)
        if judged is None:
            made, changes = explain_again(session.conversation, talks[1:])
            parts = [_Part(made, session.details)]
            return NewExplanations(changes, lambda: _replaced(library, (id,), parts))
        found, changes = judged
        parts = list(_rejudged(found, [one.details for one in sessions]))
        ids = tuple(one.id for one in sessions)

    def save() -> ThreadEdit:
        with _held(library, ids, wait):
            pass  # No other program writes one of them.
        return _replaced(library, ids, parts)

    return NewExplanations(changes, save, len(found))


def _rejudged(found: Sequence[RejudgedThread], details: Sequence[Details]) -> Iterator[_Part]:
    """Yield the sessions of threads; each keeps what was said of the one its first call was in."""
    names = {one.thread.id: one.thread.name for one in found}
    used = set[int]()
    for thread, conversation, origin in found:
        known = details[origin]
        place = known.thread and ThreadPlace.of(thread, known.thread.run, known.thread.program)
        title = thread.name
        if thread.is_side and thread.parent in names:
            title = f"{thread.name}: {names[thread.parent]}"
        if origin not in used and known.thread is not None and known.thread.role == thread.role:
            title = known.title
        used.add(origin)
        yield _Part(conversation, known._replace(title=tidy_title(title), thread=place))


@contextmanager
def _held(library: Library, ids: Sequence[str], wait: float) -> Iterator[list[Session]]:
    """Open some sessions for writing; refuse if another program writes one."""
    with ExitStack() as stack:
        held = [stack.enter_context(library.open(id, wait=wait)) for id in ids]
        for id, session in zip(ids, held, strict=True):
            if session.id != id:
                raise StorageError(session.notes[0], field="session", value=id)
        yield held


def _beside(library: Library, session: Session, ids: Sequence[str]) -> list[Session]:
    """Return the sessions that were recorded with one, as far as they can be read."""
    found, details = [], session.details
    run, source = details.thread and details.thread.run, details.source
    for entry in library.list():
        is_of_run = run is not None and entry.run == run
        is_of_file = source is not None and (entry.source, entry.content) == source[:2]
        if (is_of_run or is_of_file) and entry.id not in ids:
            with suppress(Refused):
                found.append(library.open(entry.id, read_only=True))
    return found


def _merged_place(places: Sequence[ThreadPlace | None]) -> ThreadPlace | None:
    """Return the place of the first of some threads when the others are part of it."""
    place = places[0]
    if place is None:
        return None
    same = [one for one in places[1:] if one is not None and one.run == place.run]
    also = [thread for one in (place, *same) for thread in one.threads if thread != place.thread]
    if place.parent in also:
        place = place._replace(role="main", parent=None, call=None)
    return place._replace(also=tuple(dict.fromkeys(also)))


def _replaced(library: Library, ids: Sequence[str], parts: Sequence[_Part]) -> ThreadEdit:
    """Put new sessions in the place of others; either all of it is done, or nothing."""
    made: list[Made] = []
    gone: list[str] = []
    try:
        for part in parts:
            made.append(_kept(library, part))
        for id in ids:
            library.delete(id)
            gone.append(id)
    except Exception:
        for id in gone:
            library.restore(id)
        for one in made:
            library.delete(one.id)
            library.purge(one.id)
        raise
    new = tuple(one.id for one in made)
    return ThreadEdit(tuple(made), tuple(gone), partial(_swap, library, new, tuple(gone)))


def _swap(library: Library, away: Sequence[str], back: Sequence[str]) -> None:
    """Put some sessions into the trash and take others out of it, or leave all as it is."""
    moved: list[str] = []
    try:
        for id in away:
            library.delete(id)
            moved.append(id)
        for id in back:
            library.restore(id)
    except Exception:
        for id in moved:
            library.restore(id)
        raise


def _kept(library: Library, part: _Part) -> Made:
    """Make a session and close it; one that the disk does not take is no session."""
    details = part.details
    session = library.create(
        part.conversation,
        title=details.title,
        source=details.source,
        thread=details.thread,
        warnings=details.warnings,
    )
    if not session.is_saved:
        session.abandon()
        raise StorageError(session.problem or "it can't be saved", field="session")
    with session:
        about = {"tags": details.tags, "status": details.status, "note": details.note}
        session.describe(**about)
        return Made(session.id, session.title, len(part.conversation.calls.all))


def _title(library: Library, id: str) -> str:
    return next((entry.title for entry in library.list() if entry.id == id), id)


# The cursor: which call of each thread is selected, and how many calls were added meanwhile.


class _Past(NamedTuple):
    """A call that is selected by its number, and how many there were when that began."""

    number: int
    known: int


class CallCursor:
    """Follows the newest call of a thread, or stays at an earlier one."""

    def __init__(self) -> None:
        self._past: dict[int, _Past] = {}

    def call(self, thread: WatchedThread) -> WatchedCall | None:
        calls = thread.story.calls
        past = self._past.get(thread.key)
        if past is not None and past.number <= len(calls):
            return calls[past.number - 1]
        return calls[-1] if calls else None

    def is_past(self, thread: WatchedThread) -> bool:
        return thread.key in self._past

    def news(self, thread: WatchedThread) -> int:
        """Return how many calls were added since an earlier one was selected."""
        past = self._past.get(thread.key)
        return 0 if past is None else max(0, len(thread.story.calls) - past.known)

    def look_at(self, thread: WatchedThread, number: int) -> None:
        """Look at a call by its number from 1; at the newest one, what comes is followed."""
        size, number = len(thread.story.calls), max(1, number)
        if number >= size:
            self.follow(thread)
            return
        before = self._past.get(thread.key)
        self._past[thread.key] = _Past(number, size if before is None else before.known)

    def hold(self, thread: WatchedThread, number: int) -> None:
        """Stay at a call that was the newest when others arrived: the user is reading it."""
        if not self.is_past(thread) and number < len(thread.story.calls):
            self._past[thread.key] = _Past(number, number)

    def step(self, thread: WatchedThread, by: int) -> None:
        call = self.call(thread)
        if call is not None:
            self.look_at(thread, call.number + by)

    def follow(self, thread: WatchedThread) -> None:
        self._past.pop(thread.key, None)

    def spot(
        self, thread: WatchedThread, raw: int | None = None, *, is_whole: bool = False
    ) -> Spot | None:
        """Return where a thread is opened: at the call or a message it sent, or at its end.

        The newest call is the thread's end, unless the whole call is wanted.
        """
        recorded = self.call(thread)
        if recorded is None or not (is_whole or self.is_past(thread)):
            return None
        conversation = thread.session.conversation
        batch = conversation.batches[recorded.batch]
        if not is_on_path(conversation, batch):
            return None
        is_newest = not self.is_past(thread)
        at = None if is_newest else batch.number
        return Spot(raw=raw, batch=at, call=recorded.number - 1 if raw is None else None)


# What one call of a thread sent, compared with what the call before sent.


class CallLook(Look):
    """What was sent in a call; what came and went is since the call before."""

    def __init__(self, one: WatchedCall) -> None:
        super().__init__(one.path.conversation, one.call.revision)
        self._errors, self._before = one.errors, one.before

    @property
    def is_live(self) -> bool:
        """Return False: a call never is the latest state, which may go on from it."""
        return False

    @cached_property
    def before(self) -> Revision | None:
        return None if self._before is None else self.state.revisions[self._before.revision]

    def lint(self) -> list[Finding]:
        """Return what a provider may refuse of it; nothing is linted where no error was counted."""
        if not self._errors:
            return []
        return [one for one in super().lint() if one.severity == "error"]

    @property
    def is_linted(self) -> bool:
        return not self._errors or super().is_linted


class WatchedSheet(CallSheet):
    """One call of a thread with everything that explains it."""

    one: WatchedCall
    reads_seen = False
    """Whether what was sent is shown as its model saw it."""

    def __init__(self, one: WatchedCall) -> None:
        super().__init__(one)

    @cached_property
    def shown_look(self) -> CallLook | SeenLook:
        if not self.reads_seen:
            return self.look
        return seen_looks(self.one.path.conversation, [self.one.call])[0]

    @property
    def look(self) -> CallLook:
        return self.one.look

    @cached_property
    def errors(self) -> list[tuple[Finding, str]]:
        return [(one, self.look.cause(one)) for one in self.look.findings]

    @cached_property
    def given(self) -> Mapping[str, str]:
        """Return the arguments of the newest operations that led to the call, by their names."""
        done = self.one.operations[-20:]
        return {one.title: one.arguments_text() for one in done}

    @property
    def first_change(self) -> int | None:
        """Return the first raw index that was hidden or added since the call before."""
        if self.cache.broke.was is not None:
            return self.cache.broke.was
        change = self.look.change
        return change.added[0] if change is not None and len(change.added) else None
