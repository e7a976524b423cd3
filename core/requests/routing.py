"""Routing: which thread a request belongs to, and which requests are only side calls of one."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import islice
from operator import is_
from typing import Literal, NamedTuple

from ..conversation.conversation import Conversation
from ..engine.diff import common_start
from ..engine.messages import DataPart, Message, TextPart, ToolResultPart, ToolUsePart, leaves
from .bodies import NO_HINTS, Hints, ParsedRequest, ParsedResponse, SentMessage, digest, tools_in
from .cache import PrefixCache
from .exchange import Exchange, Kind
from .memory import ThreadMemory
from .similarity import is_similar
from .threads import SIDES, Thread, ThreadRole, short_name

MIN_QUOTE = 20
"""Characters below which a text may occur in another by chance."""
MIN_LINE = 12
QUOTED_SHARE = 0.5
"""The share of an answer's lines that another text must hold to quote it."""
LONG_QUOTE = 40
"""Characters of an answer that identifies the thread of whatever quotes it: a summary."""
MAX_ANSWERS = 256
"""Unclaimed answers that are remembered, the newest."""
MAX_QUOTABLE = 100
"""Messages of a thread, the newest, that are looked for in a request that may quote them."""
MAX_THREADS = 200
"""Threads, the newest first, that are compared message by message."""
MIN_SHARED = 2

Evidence = Literal[
    "response", "attempt", "tool ids", "answer", "quoted answer", "messages", "name", "none"
]


# Threads that are being recorded


class OpenToolCall(NamedTuple):
    """A tool call without a result yet; ``texts`` are the long texts of its input."""

    id: str
    texts: tuple[str, ...]


@dataclass(slots=True)
class LiveThread:
    """A thread that is being recorded."""

    thread: Thread
    hints: Hints
    memory: ThreadMemory
    prefix_cache: PrefixCache = field(default_factory=PrefixCache)
    calls: int = 0
    newest: int = -1
    """The number of its last exchange."""
    request: ParsedRequest | None = None
    answer: tuple[SentMessage, ...] = ()
    pending: tuple[OpenToolCall, ...] = ()
    reopen: Callable[[], Conversation | None] | None = None
    """Returns the conversation of a thread of an earlier run; called once."""
    is_gone: bool = False

    def is_open(self) -> bool:
        """Return whether a call can be recorded here; a thread of an earlier run may be gone."""
        reopen, self.reopen = self.reopen, None
        if reopen is not None:
            reopened = reopen()
            self.is_gone = reopened is None
            self.memory.conversation = reopened or self.memory.conversation
        return not self.is_gone

    def add_call(
        self, request: ParsedRequest, response: ParsedResponse | None, number: int
    ) -> None:
        """Note a finished call."""
        self.request, self.newest = request, number
        self.calls += 1
        self.answer = () if response is None else response.sent
        self.pending = tuple(
            OpenToolCall(part.id, tuple(filter(_is_long, leaves(part.input))))
            for one in self.answer
            for part in one.message.parts
            if isinstance(part, ToolUsePart)
        )

    @property
    def prompt(self) -> tuple[bytes, ...]:
        """Return the keys of the system messages of its last call."""
        return () if self.request is None else self.request.prompt

    @property
    def tools(self) -> tuple[str, ...]:
        """Return the names of the tools of its last call."""
        return () if self.request is None else tools_in(self.request.tools)

    @property
    def said(self) -> Iterator[SentMessage]:
        """Yield the visible messages but the system's."""
        return (one for one in self.memory.visible if one.message.role != "system")

    @property
    def is_lone_question(self) -> bool:
        """Return whether it is one question without tools, as for a title or a plan."""
        request = self.request
        return (
            request is not None and self.calls == 1 and not request.tools and len(request.said) == 1
        )


def _is_long(text: str) -> bool:
    return len(text) >= MIN_QUOTE


def _texts(message: Message) -> Iterator[str]:
    """Yield the long texts of a message, those of tool results included."""
    if message.text:
        yield message.text
    for part in message.parts:
        if isinstance(part, ToolResultPart):
            inside = part.content
            yield from (
                (inside,)
                if isinstance(inside, str)
                else (one.text for one in inside if isinstance(one, TextPart))
            )


# Answers that were not sent back, and the messages that quote them


class QuotedAnswer(NamedTuple):
    """An answer that was never sent back as a message, with the call that it came from."""

    key: bytes
    thread: int
    call: int
    text: str
    request: tuple[SentMessage, ...]


class SummaryProof(NamedTuple):
    """Why a message must be a summary; ``read`` is what the summarising call read, if known."""

    reason: str
    read: tuple[SentMessage, ...] | None = None

    def covers(self, messages: Iterable[Message]) -> bool:
        """Return whether the summarising call read some of the messages, as far as is known."""
        if self.read is None:
            return True
        keys = {one.key for one in self.read}
        sources = [one.message.text for one in self.read]
        some = [text for message in messages for text in _texts(message) if _is_long(text)]
        return not some or (bool(keys) and any(text in one for text in some for one in sources))


class UnclaimedAnswers:
    """Answers that have not come back as messages: summaries, titles, and the newest ones."""

    def __init__(self) -> None:
        self._answers: OrderedDict[bytes, QuotedAnswer] = OrderedDict()

    def add(self, request: ParsedRequest, response: ParsedResponse, thread: int, call: int) -> None:
        """Remember an answer until it comes back."""
        text = response.text
        if _is_long(text):
            key = response.sent[0].key
            self._answers[key] = QuotedAnswer(key, thread, call, text, request.sent)
            while len(self._answers) > MAX_ANSWERS:
                self._answers.popitem(last=False)

    def claim(self, key: bytes) -> None:
        """Forget an answer that came back as a message."""
        self._answers.pop(key, None)

    def quoted_in(self, text: str) -> Iterator[QuotedAnswer]:
        """Yield the answers that a text quotes, the newest first."""
        if _is_long(text):
            yield from (one for one in reversed(self._answers.values()) if quotes(text, one.text))


def quotes(text: str, answer: str) -> bool:
    """Return whether a text holds an answer, as it is or most of its lines."""
    if len(answer) > len(text) / QUOTED_SHARE:
        return False
    if answer in text:
        return True
    lines = [line for line in map(str.strip, answer.splitlines()) if len(line) >= MIN_LINE]
    whole = sum(map(len, lines))
    if len(lines) < 2 or whole < MIN_QUOTE:  # noqa: PLR2004 - one line was looked for already
        return False
    return sum(len(line) for line in lines if line in text) >= QUOTED_SHARE * whole


COMPACTIONS = ("compaction", "compaction_summary")
"""Types of data that a provider puts in the place of messages."""


def summary_proofs(
    live: LiveThread,
    sent: Sequence[SentMessage],
    unclaimed: UnclaimedAnswers,
    threads: Sequence[Thread],
) -> dict[int, SummaryProof]:
    """Return for each new message that must be a summary what proves it, by its position."""
    start, keys = live.memory.shared(sent), {one.key for one in sent}
    proofs = {
        place: _proof(live.thread.id, one.message, unclaimed, threads, keys)
        for place, one in enumerate(sent[start:], start)
        if not live.memory.holds(one.key)
    }
    return {place: proof for place, proof in proofs.items() if proof is not None}


def _proof(
    here: int,
    message: Message,
    unclaimed: UnclaimedAnswers,
    threads: Sequence[Thread],
    keys: Set[bytes],
) -> SummaryProof | None:
    """Return the proof that a message is a summary, in a request of messages with some keys.

    An answer that is one of the messages, as itself, is only quoted. One of another thread is what
    another agent said. So the answer of a side call, or of a call whose answer is nowhere else, is
    a summary.
    """
    if any(_is_compaction(part) for part in message.parts):
        return SummaryProof("which the provider made of them")
    if message.role == "tool" or message.calls or message.results:
        return None
    for quoted in unclaimed.quoted_in(message.text):
        source, call = threads[quoted.thread], f"call {quoted.call + 1}"
        if quoted.thread == here:
            if message.role != "assistant" and quoted.key not in keys:
                return SummaryProof(f"which holds the answer of {call}", quoted.request)
        elif source.is_side and source.parent in (here, None):
            reason = f"which holds the answer of {call} of its {source.name}"
            return SummaryProof(reason, quoted.request)
    return None


def _is_compaction(part: object) -> bool:
    return isinstance(part, DataPart) and part.data.get("type") in COMPACTIONS


# How well a request fits a thread


class FitScore(NamedTuple):
    """How well a request fits a thread; the first fields count most."""

    has_tools: bool
    goes_on: bool
    has_prompt: bool
    prefix: int
    same_objects: int
    shared: int
    newest: int

    @property
    def rest(self) -> tuple[bool, bool, int]:
        """Return how well all but the newest answer fits."""
        return self.has_tools, self.has_prompt, self.shared


def fit_score(request: ParsedRequest, live: LiveThread) -> FitScore:
    """Return how well a request continues a thread, and what both have in common."""
    expected = [*live.memory.visible, *live.answer]
    prefix = common_start([one.key for one in expected], [one.key for one in request.sent])
    tools = None if live.request is None else live.request.tools
    return FitScore(
        has_tools=not tools or not request.tools or tools == request.tools,
        goes_on=prefix == len(expected) < len(request.sent),
        has_prompt=request.prompt == live.prompt,
        prefix=prefix,
        same_objects=sum(map(is_, expected, request.sent)),
        shared=sum(live.memory.holds(one.key) for one in request.said),
        newest=live.newest,
    )


def extends(request: ParsedRequest, live: LiveThread) -> bool:
    """Return whether a request has all that is visible in a thread, the same tools, and more."""
    size = len(live.memory.raws)
    has_tools = live.request is not None and live.request.tools == request.tools
    return has_tools and size < len(request.sent) and live.memory.shared(request.sent) == size


def is_distinctive(sent: SentMessage) -> bool:
    """Return whether no other conversation is likely to say the same: a long text, a call, data."""
    has_data = any(isinstance(part, DataPart) for part in sent.message.parts)
    return bool(sent.ids) or has_data or _is_long(sent.message.text)


def was_last(sent: SentMessage, request: ParsedRequest, live: LiveThread | None) -> bool:
    """Return whether a short answer was the newest of a thread with the same prompt."""
    if live is None or not live.answer or live.answer[0].key != sent.key:
        return False
    return request.prompt == live.prompt


def has_in_common(request: ParsedRequest, live: LiveThread) -> bool:
    """Return whether a request has more than its first message from a thread."""
    shared = [one for one in request.said if live.memory.holds(one.key)]
    if len(shared) < MIN_SHARED:
        return False
    return any(map(is_distinctive, shared)) or request.prompt == live.prompt


def continues(request: ParsedRequest, live: LiveThread) -> bool:
    """Return whether a request follows the last one of a thread, with an unrecorded answer."""
    visible = live.memory.visible
    if not visible:
        return False
    places = [place for place, one in enumerate(request.sent) if one.key == visible[-1].key]
    follows: SentMessage | None = next(
        (request.sent[at + 1] for at in places if at + 1 < len(request.sent)), None
    )
    if follows is None or follows.message.role != "assistant":
        return False
    return not live.answer or is_similar(live.answer[0], follows)


def looks_on(request: ParsedRequest, live: LiveThread) -> bool:
    """Return whether a request only looks at a conversation: without its tools and prompt."""
    has_lost = bool(live.tools) and not request.tools
    return has_lost and request.prompt != live.prompt


def has_other_prompt(request: ParsedRequest, live: LiveThread) -> bool:
    """Return whether a request has another system prompt than a thread, or only one of them any."""
    if live.request is None or request.prompt == live.prompt:
        return False
    before, now = live.request.system, request.system
    if not before or not now:
        return True
    return not is_similar(before[0], now[0])


def is_told(request: ParsedRequest, live: LiveThread) -> bool:
    """Return whether a request has messages of a thread, but not its answer as one."""
    if not live.answer or not has_in_common(request, live):
        return False
    return all(one.key != live.answer[0].key for one in request.sent)


def quotes_thread(request: ParsedRequest, live: LiveThread) -> bool:
    """Return whether a message of a request has one of a thread strictly inside it."""
    texts = [one.message.text for one in request.sent]
    said = [*live.said][-MAX_QUOTABLE:]
    known = {text for one in (*said, *live.answer) for text in _texts(one.message)}
    return any(_is_long(one) and one in text and one != text for one in known for text in texts)


# Finding the thread of a request

ThreadsById = OrderedDict[int, LiveThread]
"""Threads of one kind and name; the one that was used last is at the end."""


class FoundThread(NamedTuple):
    """The thread that a request belongs to, the evidence, and whether it is a side call."""

    thread: int | None
    by: Evidence
    is_side_call: bool = False


NOT_FOUND = FoundThread(None, "none")


class ThreadRouter:
    """Finds the thread of each request, begins threads, and says which are side calls."""

    def __init__(self, unclaimed: UnclaimedAnswers, remember: Callable[[], ThreadMemory]) -> None:
        self.live_threads: list[LiveThread] = []
        self._unclaimed = unclaimed
        self._remember = remember
        self._responses: dict[str, int] = {}
        self._attempts: dict[bytes, int] = {}
        self._named: dict[tuple[Kind, Hints], ThreadsById] = {}
        self._ids: dict[str, dict[int, None]] = {}
        self._answers: dict[bytes, dict[int, None]] = {}

    def route(self, exchange: Exchange, request: ParsedRequest) -> tuple[LiveThread, Evidence]:
        """Return the thread of an exchange, which may be a new one, and the evidence."""
        found = self.find(request)
        if found.thread is None and _is_repeated(exchange, request):
            found = self._duplicate(request)
        if found.thread is not None and self._is_earlier_title(found, request):
            found = NOT_FOUND
        if found.thread is not None:
            found = self._promoted(found, request)
        main = self._begin(request) if found.thread is None else self.live_threads[found.thread]
        role = self._role(exchange, request, found)
        if role == "main":
            return main, found.by
        if role != "sideCalls":
            self._attempts[_messages_digest(request)] = main.thread.id
        return self._side_thread(main, role, request), found.by

    def open(self, thread: Thread, hints: Hints = NO_HINTS) -> LiveThread:
        """Return a new live thread."""
        live = LiveThread(thread, hints, self._remember())
        self.live_threads.append(live)
        self._touch(live)
        return live

    def note(
        self, request: ParsedRequest, response: ParsedResponse | None, live: LiveThread
    ) -> None:
        """Remember by what later requests of a thread can be known."""
        self._touch(live)
        is_compaction = request.purpose == "compact"
        thread = self._main(live.thread.id) if is_compaction else live.thread.id
        if request.previous is not None:
            self._responses.setdefault(request.previous, thread)
        if response is None:
            return
        if response.id is not None:
            self._responses[response.id] = thread
        for one in response.sent:
            self._answers.setdefault(one.key, {})[thread] = None
            for id in one.ids:
                self._ids.setdefault(id, {})[thread] = None

    def forget(self, live: LiveThread) -> None:
        """Route nothing more to a thread."""
        live.is_gone, live.pending = True, ()
        self._drop(live)
        thread = live.thread.id
        self._responses = {id: one for id, one in self._responses.items() if one != thread}
        self._attempts = {key: one for key, one in self._attempts.items() if one != thread}
        for threads in (*self._ids.values(), *self._answers.values()):
            threads.pop(thread, None)

    def link(self, live: LiveThread, news: Sequence[SentMessage]) -> None:
        """Link threads whose answers the new messages of another hold.

        One whose answer is in a tool result is an agent. A lone question whose answer is inside
        another message, such as a plan, was a side call.
        """
        for one in news:
            is_result = one.message.role == "tool"
            text = one.message.search_text if is_result else one.message.text
            for quoted in self._unclaimed.quoted_in(text):
                other = self.live_threads[quoted.thread]
                is_free = other.thread.role == "main" and other.thread.parent is None
                if not is_free or other is live or self._is_below(live, other):
                    continue
                if is_result:
                    call = next(iter(one.message.results), None)
                    parent = live.thread.id
                    other.thread = replace(other.thread, role="agent", parent=parent, call=call)
                elif text != quoted.text and self._may_be_side_call(other, live):
                    self._make_side_call(other, live)

    def find(self, request: ParsedRequest) -> FoundThread:
        """Return the thread of a request, by the surest evidence there is."""
        for id in (request.previous, request.after):
            if id is not None and id in self._responses:
                return FoundThread(self._main(self._responses[id]), "response")
        threads = self._of_name(request)
        attempted = self._attempts.get(_messages_digest(request)) if self._attempts else None
        if attempted in threads:
            return FoundThread(attempted, "attempt")
        for by, thread in (
            ("tool ids", self._by_ids(request, threads)),
            ("answer", self._by_answer(request, threads)),
        ):
            if thread is not None:
                side = looks_on(request, self.live_threads[thread])
                return FoundThread(thread, by, side)  # type: ignore[arg-type]
        if self._caller(request) is None:
            quoted = self._by_quoted_messages(request, threads)
            if quoted is not None:
                return FoundThread(quoted, "messages", is_side_call=True)
        quoting = self._by_quoted_answer(request, threads)
        if quoting is not None:
            return FoundThread(quoting, "quoted answer")
        shared = self._by_messages(request, threads)
        if shared is not None:
            return FoundThread(shared, "messages", looks_on(request, threads[shared]))
        return self._by_name(request, threads)

    def _by_ids(self, request: ParsedRequest, threads: ThreadsById) -> int | None:
        for one in reversed(request.sent if self._ids else ()):
            for id in one.ids:
                known = self._ids.get(id)
                found = None if known is None else self._nearest(request, known, threads)
                if found is not None:
                    return found
        return None

    def _by_answer(self, request: ParsedRequest, threads: ThreadsById) -> int | None:
        for one in reversed(request.sent):
            if one.message.role != "assistant" or one.key not in self._answers:
                continue
            known: Iterable[int] = self._answers[one.key]
            if not is_distinctive(one):
                known = [id for id in known if was_last(one, request, threads.get(id))]
            found = self._nearest(request, known, threads)
            if found is not None:
                return found
        return None

    def _nearest(
        self, request: ParsedRequest, known: Iterable[int], threads: ThreadsById
    ) -> int | None:
        """Return the thread, of some, that a request continues for the longest.

        What a side call answered decides nothing, unless its own prompt carries it on.
        """
        own = [id for id in known if self._carries_on(request, id)]
        mains = [id for id in known if self.live_threads[id].thread.role != "sideCalls"]
        known = own or [id for id in dict.fromkeys(map(self._main, mains)) if id in threads]
        if not known:
            return None
        if len(known) == 1 and (own or extends(request, threads[known[0]])):
            return known[0]
        best, thread = max((fit_score(request, self.live_threads[id]), id) for id in known)
        if best.has_tools and (best.goes_on or 2 * best.shared >= len(request.said)):
            return thread
        # Two may have the same answer; the one that shares more of the rest is meant.
        other = self._by_messages(request, threads)
        if other is not None and fit_score(request, threads[other]).rest > best.rest:
            return other
        return thread if best.has_prompt or best.shared else None

    def _carries_on(self, request: ParsedRequest, thread: int) -> bool:
        """Return whether a request continues what was taken for a side call."""
        live = self.live_threads[thread]
        return (
            live.thread.role == "sideCalls"
            and request.prompt == live.prompt
            and (live.thread.kind, live.hints) == (request.kind, request.hints)
            and extends(request, live)
        )

    def _by_quoted_answer(self, request: ParsedRequest, threads: ThreadsById) -> int | None:
        """Return the thread of an answer that a message holds, which no thread has held before.

        Under another prompt, it is what another agent said; only a prompt may hold a summary.
        """
        for one in request.sent:
            if one.message.role not in ("user", "system"):
                continue
            for quoted in self._unclaimed.quoted_in(one.message.text):
                thread = self._main(quoted.thread)
                if len(quoted.text) < LONG_QUOTE or thread not in threads:
                    continue
                live = threads[thread]
                is_other = one.message.role == "user" and has_other_prompt(request, live)
                if not is_other and not live.memory.holds(one.key):
                    return thread
        return None

    def _by_quoted_messages(self, request: ParsedRequest, threads: ThreadsById) -> int | None:
        """Return the thread that a request under another prompt speaks about, or looks at."""
        said = request.said
        for thread, live in _newest(threads):
            others = next(live.said, None)
            if others is None or not has_other_prompt(request, live):
                continue
            is_first = bool(said) and len(said) == 1 and others.key == said[0].key
            if is_first and live.tools and not request.tools and is_distinctive(said[0]):
                return thread
            if is_told(request, live) or quotes_thread(request, live):
                return thread
        return None

    def _by_messages(self, request: ParsedRequest, threads: ThreadsById) -> int | None:
        scores = [
            (fit_score(request, live), thread)
            for thread, live in _newest(threads)
            if has_in_common(request, live) or continues(request, live)
        ]
        return max(scores)[1] if scores else None

    def _by_name(self, request: ParsedRequest, threads: ThreadsById) -> FoundThread:
        """Return the thread of a name; another prompt or other tools make it a side call."""
        if request.hints == NO_HINTS or not threads:
            return NOT_FOUND
        thread, live = next(_newest(threads))
        is_same = request.prompt == live.prompt and tools_in(request.tools) == live.tools
        return FoundThread(thread, "name", live.request is not None and not is_same)

    def _duplicate(self, request: ParsedRequest) -> FoundThread:
        """Return the thread in which the very same messages are visible."""
        for thread, live in _newest(self._of_name(request)):
            size = len(live.memory.raws)
            if size == len(request.sent) == live.memory.shared(request.sent) > 0:
                return FoundThread(thread, "messages")
        return NOT_FOUND

    def _caller(self, request: ParsedRequest) -> tuple[int, str | None] | None:
        """Return the thread, and the call if that is known, that began an agent's thread."""
        texts = [one.message.text for one in request.said[:1] if _is_long(one.message.text)]
        mains = [live for live in self.live_threads if not live.thread.is_side]
        for live in sorted(mains if texts else (), key=lambda one: -one.newest):
            if live.hints.tag != request.hints.tag:
                continue
            for pending in live.pending:
                if any(text in given or given in text for text in texts for given in pending.texts):
                    return live.thread.id, pending.id
        if request.hints.agent is None or request.hints.session is None:
            return None
        caller = request.hints._replace(agent=None)
        return next(((live.thread.id, None) for live in mains if live.hints == caller), None)

    def _of_name(self, request: ParsedRequest) -> ThreadsById:
        return self._named.get((request.kind, request.hints), OrderedDict())

    def _main(self, thread: int) -> int:
        """Return the thread that a side thread belongs to, or the thread itself."""
        found = self.live_threads[thread].thread
        return found.parent if found.is_side and found.parent is not None else thread

    def _touch(self, live: LiveThread) -> None:
        """Note that a thread is the newest of its name."""
        if not live.thread.is_side:
            named = self._named.setdefault((live.thread.kind, live.hints), OrderedDict())
            named[live.thread.id] = live
            named.move_to_end(live.thread.id)

    def _drop(self, live: LiveThread) -> None:
        named = self._named.get((live.thread.kind, live.hints), OrderedDict())
        named.pop(live.thread.id, None)

    # What a request is to its thread

    def _role(self, exchange: Exchange, request: ParsedRequest, found: FoundThread) -> ThreadRole:
        if request.purpose == "count":
            return "counts"
        if exchange.is_transient:
            return "attempts"
        if found.is_side_call or request.purpose == "compact":
            return "sideCalls"
        last = None if found.thread is None else self.live_threads[found.thread].request
        is_again = last is not None and last.digest == request.digest
        return "attempts" if is_again and exchange.attempts else "main"

    def _begin(self, request: ParsedRequest) -> LiveThread:
        """Return a new thread, linked to the call that began it if one did."""
        number = len(self.live_threads)
        thread = Thread(number, _name_of(request, number), request.kind)
        caller = self._caller(request)
        if caller is not None:
            thread = replace(thread, role="agent", parent=caller[0], call=caller[1])
        main = self.open(thread, request.hints)
        first = next(iter(request.said), None)
        for _, live in _newest(self._of_name(request)):
            if live is not main and live.is_lone_question and _is_no_title(request):
                is_known = first is not None and is_distinctive(first)
                if (
                    is_known and first and live.memory.holds(first.key)
                ) or request.hints != NO_HINTS:
                    self._make_side_call(live, main)
        return main

    def _is_earlier_title(self, found: FoundThread, request: ParsedRequest) -> bool:
        """Return whether a thread only holds a title that was asked before the conversation."""
        live = self.live_threads[found.thread or 0]
        is_by_name = found.by == "name" and found.is_side_call
        return is_by_name and live.is_lone_question and _is_no_title(request)

    def _promoted(self, found: FoundThread, request: ParsedRequest) -> FoundThread:
        """Make what was taken for a side call a conversation, once it continues."""
        assert found.thread is not None
        live = self.live_threads[found.thread]
        if live.thread.role == "sideCalls":
            self._promote(live)
        elif live.is_lone_question:
            for side in self.live_threads:
                is_side = side.thread.role == "sideCalls" and side.thread.parent == found.thread
                if is_side and side.calls == 1 and extends(request, side):
                    self._promote(side)
                    return FoundThread(side.thread.id, "messages")
        return found

    def _promote(self, side: LiveThread) -> None:
        """Make a conversation of a side thread; the lone question before it is its side call."""
        assert side.thread.parent is not None
        main = self.live_threads[side.thread.parent]
        assert side.request is not None
        name = _name_of(side.request, side.thread.id)
        if not self._may_be_side_call(main, side):
            side.thread = replace(side.thread, name=name, role="main", parent=None)
        else:
            side.thread = replace(main.thread, id=side.thread.id, name=name)
            for other in self.live_threads:
                if other.thread.parent == main.thread.id:
                    other.thread = replace(other.thread, parent=side.thread.id)
            self._make_side_call(main, side)
        self._touch(side)

    def _may_be_side_call(self, other: LiveThread, live: LiveThread) -> bool:
        """Return whether a thread is a lone question that another conversation has asked."""
        same_name = (other.thread.kind, other.hints) == (live.thread.kind, live.hints)
        return same_name and other.is_lone_question and other.prompt != live.prompt

    def _make_side_call(self, live: LiveThread, main: LiveThread) -> None:
        self._drop(live)
        name, parent = SIDES["sideCalls"], main.thread.id
        live.thread = replace(live.thread, name=name, role="sideCalls", parent=parent, call=None)

    def _side_thread(
        self, main: LiveThread, role: ThreadRole, request: ParsedRequest
    ) -> LiveThread:
        """Return the side thread for a request; side calls under one prompt share one."""
        for live in self.live_threads:
            if (live.thread.parent, live.thread.role) == (main.thread.id, role):
                is_same = role != "sideCalls" or live.prompt == request.prompt
                if is_same and not live.is_gone:
                    return live
        number, above = len(self.live_threads), main.thread
        return self.open(Thread(number, SIDES[role], above.kind, role, above.id), main.hints)

    def _is_below(self, live: LiveThread, other: LiveThread) -> bool:
        """Return whether a thread was called, directly or not, by another."""
        above = live.thread.parent
        while above is not None and above != other.thread.id:
            above = self.live_threads[above].thread.parent
        return above is not None


def _newest(threads: ThreadsById) -> Iterator[tuple[int, LiveThread]]:
    """Yield threads, the one that was used last first."""
    return islice(((id, threads[id]) for id in reversed(threads)), MAX_THREADS)


def _messages_digest(request: ParsedRequest) -> bytes:
    return digest(b"".join(one.key for one in request.sent))


def _name_of(request: ParsedRequest, number: int) -> str:
    text = next((one.message.text for one in request.said), "")
    return request.hints.tag or short_name(text) or f"{request.kind} {number}"


def _is_repeated(exchange: Exchange, request: ParsedRequest) -> bool:
    """Return whether an exchange begins no conversation, but belongs to an existing one."""
    return request.purpose == "count" or exchange.is_transient or exchange.attempts > 0


def _is_no_title(request: ParsedRequest) -> bool:
    """Return whether a request has tools or is counted, which a title never is."""
    return bool(request.tools) or request.purpose == "count"
