"""Quoting: which answers a text holds, by which a summary is known to be one."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from operator import is_
from typing import Literal, NamedTuple

from ..conversation.conversation import Conversation
from ..engine.messages import DataPart, Message, ToolUsePart, leaves
from .bodies import NO_HINTS, Hints, ParsedRequest, ParsedResponse, SentMessage, digest, tools_in
from .cache import PrefixCache, common_prefix
from .exchange import Exchange, Kind
from .memory import ThreadMemory
from .similarity import is_alike
from .threads import SIDES, Role, Thread, short_name

SHORTEST = 20
"""Characters below which a text may stand in another by chance."""
SHORTEST_LINE = 12
SHARE = 0.5
"""The share of an answer's lines that another text must hold, to hold the answer."""
MAX_ANSWERS = 256
"""Answers that wait to be seen again; older ones are no longer looked for."""


class QuotedAnswer(NamedTuple):
    """An answer that nobody has sent back as such: which call of which thread it came from."""

    thread: int
    call: int
    text: str


class UnclaimedAnswers:
    """Answers that have not come back as messages: summaries, titles, and the newest of each."""

    def __init__(self) -> None:
        self._answers: OrderedDict[bytes, QuotedAnswer] = OrderedDict()

    def add(self, answered: ParsedResponse, thread: int, call: int) -> None:
        """Wait for an answer to be seen again."""
        text = answered.text
        if len(text) < SHORTEST:
            return
        self._answers[answered.sent[0].key] = QuotedAnswer(thread, call, text)
        while len(self._answers) > MAX_ANSWERS:
            self._answers.popitem(last=False)

    def claim(self, key: bytes) -> None:
        """Take note that an answer came back as a message."""
        self._answers.pop(key, None)

    def quoted_in(self, text: str) -> Iterator[QuotedAnswer]:
        """Yield the answers that a text holds, the newest first."""
        if len(text) < SHORTEST:
            return
        for one in reversed(self._answers.values()):
            if holds(text, one.text):
                yield one


def holds(text: str, answer: str) -> bool:
    """Return whether a text holds an answer: as it is, or most of its lines."""
    if len(answer) > len(text) / SHARE:
        return False
    if answer in text:
        return True
    lines = [line for line in map(str.strip, answer.splitlines()) if len(line) >= SHORTEST_LINE]
    whole = sum(map(len, lines))
    if len(lines) < 2 or whole < SHORTEST:  # noqa: PLR2004 - one line was looked for already
        return False
    return sum(len(line) for line in lines if line in text) >= SHARE * whole


class PendingCall(NamedTuple):
    """A call of a tool that was answered with and has no result yet; ``texts`` are its words."""

    id: str
    texts: tuple[str, ...]


@dataclass(slots=True)
class LiveThread:
    """A thread that is being recorded."""

    thread: Thread
    hints: Hints
    memory: ThreadMemory
    ruler: PrefixCache = field(default_factory=PrefixCache)
    calls: int = 0
    newest: int = -1
    """The number of the exchange that was its last."""
    asked: ParsedRequest | None = None
    answer: tuple[SentMessage, ...] = ()
    pending: tuple[PendingCall, ...] = ()
    reopen: Callable[[], Conversation | None] | None = None
    """Gives the conversation of a thread that goes on from an earlier run; asked once."""
    is_gone: bool = False

    def is_open(self) -> bool:
        """Return whether a call can be recorded here; a thread of an earlier run may not go on."""
        reopen, self.reopen = self.reopen, None
        if reopen is not None:
            woken = reopen()
            self.is_gone = woken is None
            self.memory.conversation = woken or self.memory.conversation
        return not self.is_gone

    def add_call(self, asked: ParsedRequest, answered: ParsedResponse | None, number: int) -> None:
        """Take note of a call that is done."""
        self.asked, self.newest = asked, number
        self.calls += 1
        self.answer = () if answered is None else answered.sent
        self.pending = tuple(_pending(self.answer))

    @property
    def prompt(self) -> tuple[bytes, ...]:
        """Return what tells the system's messages of its last call."""
        return () if self.asked is None else prompt_of(self.asked)

    @property
    def tools(self) -> tuple[str, ...]:
        """Return the names of the tools of its last call."""
        return () if self.asked is None else tools_in(self.asked.tools)

    @property
    def said(self) -> Iterator[SentMessage]:
        """Yield what is visible beside the system's messages."""
        return (one for one in self.memory.visible if one.message.role != "system")


def prompt_of(asked: ParsedRequest) -> tuple[bytes, ...]:
    """Return what tells the system's messages of a request: all but times and numbers in them."""
    return tuple(one.masked for one in asked.sent if one.message.role == "system")


def _pending(answer: tuple[SentMessage, ...]) -> Iterator[PendingCall]:
    for one in answer:
        for part in one.message.parts:
            if isinstance(part, ToolUsePart):
                texts = (text for text in leaves(part.input) if len(text) >= SHORTEST)
                yield PendingCall(part.id, tuple(texts))


FEWEST_SHARED = 2


class FitScore(NamedTuple):
    """How well a request fits a thread; what is compared first counts most."""

    has_tools: bool
    goes_on: bool
    has_prompt: bool
    start: int
    written_alike: int
    shared: int
    newest: int

    @property
    def rest(self) -> tuple[bool, bool, int]:
        """Return how well the rest of a request fits, its newest answer aside."""
        return self.has_tools, self.has_prompt, self.shared


def fit_score(asked: ParsedRequest, live: LiveThread) -> FitScore:
    """Return how far a request is what a thread would go on with, and what it has in common."""
    expected = [*live.memory.visible, *live.answer]
    start = common_prefix([one.key for one in expected], [one.key for one in asked.sent])
    tools = None if live.asked is None else live.asked.tools
    return FitScore(
        has_tools=not tools or not asked.tools or tools == asked.tools,
        goes_on=start == len(expected) < len(asked.sent),
        has_prompt=prompt_of(asked) == live.prompt,
        start=start,
        written_alike=sum(map(is_, expected, asked.sent)),
        shared=sum(live.memory.holds(one.key) for one in asked.said),
        newest=live.newest,
    )


def extends(asked: ParsedRequest, live: LiveThread) -> bool:
    """Return whether a request has all that is visible in a thread, the same tools, and more."""
    size = len(live.memory.raws)
    has_tools = live.asked is not None and live.asked.tools == asked.tools
    return has_tools and size < len(asked.sent) and live.memory.shared(asked.sent) == size


def is_distinctive(sent: SentMessage) -> bool:
    """Return whether hardly anybody else would say the same: it is long, a call, or data."""
    has_data = any(isinstance(part, DataPart) for part in sent.message.parts)
    return bool(sent.ids) or has_data or len(sent.message.text) >= SHORTEST


def was_last(sent: SentMessage, asked: ParsedRequest, live: LiveThread | None) -> bool:
    """Return whether a short answer was the newest of a thread with the same prompt."""
    if live is None or not live.answer or live.answer[0].key != sent.key:
        return False
    return prompt_of(asked) == live.prompt


def has_in_common(asked: ParsedRequest, live: LiveThread) -> bool:
    """Return whether a request has more than its first message from a thread."""
    shared = [one for one in asked.said if live.memory.holds(one.key)]
    if len(shared) < FEWEST_SHARED:
        return False
    return any(map(is_distinctive, shared)) or prompt_of(asked) == live.prompt


def continues(asked: ParsedRequest, live: LiveThread) -> bool:
    """Return whether a request goes on from what a thread sent last, with an answer nobody saw."""
    visible = live.memory.visible
    if not visible:
        return False
    places = [place for place, one in enumerate(asked.sent) if one.key == visible[-1].key]
    follows: SentMessage | None = next(
        (asked.sent[at + 1] for at in places if at + 1 < len(asked.sent)), None
    )
    if follows is None or follows.message.role != "assistant":
        return False
    return not live.answer or is_alike(live.answer[0], follows)


def looks_on(asked: ParsedRequest, live: LiveThread) -> bool:
    """Return whether a request only looks at a conversation: without its tools and its prompt."""
    has_lost = bool(live.tools) and not asked.tools
    return has_lost and prompt_of(asked) != live.prompt


COMPACTIONS = ("compaction", "compaction_summary")
"""Types of data that a provider puts in the place of messages."""


def summary_proofs(
    live: LiveThread,
    sent: Sequence[SentMessage],
    unclaimed: UnclaimedAnswers,
    threads: Sequence[Thread],
) -> dict[int, str]:
    """Return for each new message that must be a summary what proves it."""
    found = {}
    start = live.memory.shared(sent)
    for place, one in enumerate(sent[start:], start):
        if live.memory.holds(one.key):
            continue
        said = _proof(live, one.message, unclaimed, threads)
        if said is not None:
            found[place] = said
    return found


def _proof(
    live: LiveThread, message: Message, unclaimed: UnclaimedAnswers, threads: Sequence[Thread]
) -> str | None:
    if any(_is_compaction(part) for part in message.parts):
        return "which the provider made of them"
    if message.role == "tool" or message.calls or message.results:
        return None
    here = live.thread.id
    for quoted in unclaimed.quoted_in(message.text):
        # What the assistant said last in a thread comes back as its message: that is no summary.
        if message.role != "assistant" or quoted.thread != here:
            return f"which holds the answer of {_name(quoted, here, threads)}"
    return None


def _is_compaction(part: object) -> bool:
    return isinstance(part, DataPart) and part.data.get("type") in COMPACTIONS


def _name(quoted: QuotedAnswer, here: int, threads: Sequence[Thread]) -> str:
    number = quoted.call + 1
    if quoted.thread == here:
        return f"call {number}"
    thread = threads[quoted.thread]
    where = thread.name if thread.parent != here else f"its {thread.name}"
    return f"call {number} of {where}"


Evidence = Literal[
    "response", "attempt", "tool ids", "answer", "quoted answer", "messages", "name", "none"
]
ThreadsById = OrderedDict[int, LiveThread]
"""Threads of one kind and name by their id, the one that was used last at the end."""
MAX_THREADS = 200
"""How many threads, the newest first, are looked at message by message."""
FEWEST_QUOTED = 2
LONG_QUOTE = 40
"""Characters of an answer that tells the thread of whoever holds it: a summary, not a phrase."""


class FoundThread(NamedTuple):
    """The thread that a request belongs to, by what, and whether it was asked beside it."""

    thread: int | None
    by: Evidence
    is_side_call: bool = False


NOTHING = FoundThread(None, "none")


class ThreadFinder:
    """Knows which thread gave which answer."""

    def __init__(self, live_threads: Sequence[LiveThread], unclaimed: UnclaimedAnswers) -> None:
        self._live = live_threads
        self._unclaimed = unclaimed
        self._responses: dict[str, int] = {}
        self._attempts: dict[bytes, int] = {}
        self._named: dict[tuple[Kind, Hints], ThreadsById] = {}
        self._ids: dict[str, dict[int, None]] = {}
        self._answers: dict[bytes, dict[int, None]] = {}

    def add(self, live: LiveThread) -> None:
        """Take note of a thread, which is the newest of its name."""
        if not live.thread.is_side:
            named = self._named.setdefault((live.thread.kind, live.hints), OrderedDict())
            named[live.thread.id] = live
            named.move_to_end(live.thread.id)

    def drop(self, live: LiveThread) -> None:
        """Look for no request's thread there any more."""
        named = self._named.get((live.thread.kind, live.hints))
        if named is not None:
            named.pop(live.thread.id, None)

    def forget(self, live: LiveThread) -> None:
        """Drop a thread, and which answers it gave."""
        self.drop(live)
        thread = live.thread.id
        self._responses = {id: one for id, one in self._responses.items() if one != thread}
        self._attempts = {key: one for key, one in self._attempts.items() if one != thread}
        for threads in (*self._ids.values(), *self._answers.values()):
            threads.pop(thread, None)

    def fellows(self, asked: ParsedRequest) -> list[LiveThread]:
        """Return the threads of a request's kind and name, the newest first."""
        return [live for _, live in _newest(self._of_name(asked))]

    def _of_name(self, asked: ParsedRequest) -> ThreadsById:
        return self._named.get((asked.kind, asked.hints), OrderedDict())

    def note(self, asked: ParsedRequest, answered: ParsedResponse | None, thread: int) -> None:
        """Remember what came back in a thread."""
        self.add(self._live[thread])
        if asked.previous is not None:
            self._responses.setdefault(asked.previous, thread)
        if answered is None:
            return
        if answered.id is not None:
            self._responses[answered.id] = thread
        for one in answered.sent:
            self._answers.setdefault(one.key, {})[thread] = None
            for id in one.ids:
                self._ids.setdefault(id, {})[thread] = None

    def note_attempt(self, asked: ParsedRequest, thread: int) -> None:
        """Remember that a request will be sent again."""
        self._attempts[_messages_of(asked)] = thread

    def find(self, asked: ParsedRequest) -> FoundThread:
        """Return the thread of a request."""
        for id in (asked.previous, asked.after):
            if id is not None and id in self._responses:
                return FoundThread(self.main(self._responses[id]), "response")
        live_threads = self._of_name(asked)
        attempted = self._attempts.get(_messages_of(asked)) if self._attempts else None
        if attempted in live_threads:
            return FoundThread(attempted, "attempt")
        known = self._by_ids(asked, live_threads)
        if known is not None:
            return FoundThread(known, "tool ids", looks_on(asked, live_threads[known]))
        known = self._by_answer(asked, live_threads)
        if known is not None:
            return FoundThread(known, "answer", looks_on(asked, live_threads[known]))
        beside = self._quoting(asked, live_threads)
        if beside is not None:
            return FoundThread(beside, "messages", is_side_call=True)
        quoted = self._by_quote(asked, live_threads)
        if quoted is not None:
            return FoundThread(quoted, "quoted answer")
        shared = self._by_messages(asked, live_threads)
        if shared is not None:
            return FoundThread(shared, "messages", looks_on(asked, live_threads[shared]))
        return self._by_name(asked, live_threads)

    def duplicate(self, asked: ParsedRequest) -> FoundThread:
        """Return the thread in which the very same messages are visible."""
        for live in self.fellows(asked):
            size = len(live.memory.raws)
            if size == len(asked.sent) == live.memory.shared(asked.sent) > 0:
                return FoundThread(live.thread.id, "messages")
        return NOTHING

    def main(self, thread: int) -> int:
        """Return the thread that another stands beside, or the thread itself."""
        live = self._live[thread]
        return (
            live.thread.parent if live.thread.is_side and live.thread.parent is not None else thread
        )

    def caller(self, asked: ParsedRequest) -> tuple[int, str | None] | None:
        """Return the thread, and the call if that is known, that began what a new thread asks."""
        texts = [one.message.text for one in asked.said[:1]]
        for live in sorted(self._live, key=lambda one: -one.newest):
            if live.thread.is_side or live.hints.tag != asked.hints.tag:
                continue
            for pending in live.pending:
                if any(_is_told(text, told) for text in texts for told in pending.texts):
                    return live.thread.id, pending.id
        same = (
            live.thread.id
            for live in self._live
            if asked.hints.agent is not None
            and asked.hints.session is not None
            and live.hints == asked.hints._replace(agent=None)
            and not live.thread.is_side
        )
        found = next(same, None)
        return None if found is None else (found, None)

    def _by_ids(self, asked: ParsedRequest, live_threads: ThreadsById) -> int | None:
        for one in reversed(asked.sent if self._ids else ()):
            for id in one.ids:
                threads = self._ids.get(id)
                found = None if threads is None else self._nearest(asked, threads, live_threads)
                if found is not None:
                    return found
        return None

    def _by_answer(self, asked: ParsedRequest, live_threads: ThreadsById) -> int | None:
        for one in reversed(asked.sent):
            if one.message.role != "assistant" or one.key not in self._answers:
                continue
            threads: Iterable[int] = self._answers[one.key]
            if not is_distinctive(one):
                threads = [
                    thread for thread in threads if was_last(one, asked, live_threads.get(thread))
                ]
            found = self._nearest(asked, threads, live_threads)
            if found is not None:
                return found
        return None

    def _nearest(
        self, asked: ParsedRequest, threads: Iterable[int], live_threads: ThreadsById
    ) -> int | None:
        """Return the thread, of some, that goes on with a request for the longest."""
        known = [
            thread for thread in dict.fromkeys(map(self.main, threads)) if thread in live_threads
        ]
        if not known:
            return None
        if len(known) == 1 and extends(asked, live_threads[known[0]]):
            return known[0]
        near, best = max((fit_score(asked, live_threads[thread]), thread) for thread in known)
        if near.has_tools and (near.goes_on or 2 * near.shared >= len(asked.said)):
            return best
        # Two may have been told the same; who has more of the rest is asked, too.
        other = self._by_messages(asked, live_threads)
        if other is not None and fit_score(asked, live_threads[other]).rest > near.rest:
            return other
        return best if near.has_prompt or near.shared else None

    def _by_quote(self, asked: ParsedRequest, live_threads: ThreadsById) -> int | None:
        """Return the thread of an answer that a message holds, which no thread has held before."""
        for one in asked.sent:
            if one.message.role in ("user", "system"):
                for quoted in self._unclaimed.quoted_in(one.message.text):
                    thread = self.main(quoted.thread)
                    is_long = len(quoted.text) >= LONG_QUOTE
                    if (
                        is_long
                        and thread in live_threads
                        and not live_threads[thread].memory.holds(one.key)
                    ):
                        return thread
        return None

    def _quoting(self, asked: ParsedRequest, live_threads: ThreadsById) -> int | None:
        """Return the thread that a lone message speaks about: it repeats what was said there."""
        said = asked.said
        if len(said) != 1 or asked.tools:
            return None
        text = said[0].message.text
        for thread, live in _newest(live_threads):
            others = list(live.said)
            if not others or prompt_of(asked) == live.prompt != ():
                continue
            if others[0].key == said[0].key and live.tools and is_distinctive(said[0]):
                return thread
            told = (one.message.text for one in others)
            if sum(len(one) >= SHORTEST and one in text for one in told) >= FEWEST_QUOTED:
                return thread
        return None

    def _by_messages(self, asked: ParsedRequest, live_threads: ThreadsById) -> int | None:
        """Return the thread with the most messages in common."""
        near = [
            (fit_score(asked, live), thread)
            for thread, live in _newest(live_threads)
            if has_in_common(asked, live) or continues(asked, live)
        ]
        return max(near)[1] if near else None

    def _by_name(self, asked: ParsedRequest, live_threads: ThreadsById) -> FoundThread:
        """Return the thread of a name; another prompt or other tools make it a side call."""
        if asked.hints == NO_HINTS or not live_threads:
            return NOTHING
        thread, live = next(_newest(live_threads))
        is_same = prompt_of(asked) == live.prompt and tools_in(asked.tools) == live.tools
        return FoundThread(thread, "name", is_side_call=live.asked is not None and not is_same)


def _newest(live_threads: ThreadsById) -> Iterator[tuple[int, LiveThread]]:
    """Yield threads from the one that was used last on."""
    return islice(
        ((thread, live_threads[thread]) for thread in reversed(live_threads)), MAX_THREADS
    )


def _is_told(text: str, told: str) -> bool:
    """Return whether a prompt is what a call was given, or holds it."""
    return len(text) >= SHORTEST and (told in text or text in told)


def _messages_of(asked: ParsedRequest) -> bytes:
    return digest(b"".join(one.key for one in asked.sent))


def _is_repeated(exchange: Exchange, asked: ParsedRequest) -> bool:
    """Return whether an exchange begins no conversation, but goes with one that is there."""
    return asked.purpose == "count" or exchange.is_transient or exchange.attempts > 0


def _is_lone_question(live: LiveThread) -> bool:
    """Return whether a thread is one question without tools, as for a title."""
    asked = live.asked
    return asked is not None and live.calls == 1 and not asked.tools and len(asked.said) == 1


def _is_main(asked: ParsedRequest) -> bool:
    """Return whether a request is no title: those have no tools and are not counted."""
    return bool(asked.tools) or asked.purpose == "count"


class ThreadRouter:
    """Puts exchanges into threads, and what was asked beside a conversation into one beside it."""

    def __init__(self, unclaimed: UnclaimedAnswers, remember: Callable[[], ThreadMemory]) -> None:
        self.live_threads: list[LiveThread] = []
        self.finder = ThreadFinder(self.live_threads, unclaimed)
        self._unclaimed = unclaimed
        self._remember = remember

    def place(self, exchange: Exchange, asked: ParsedRequest) -> tuple[LiveThread, Evidence]:
        """Return the thread of an exchange, and what told it."""
        found = self.finder.find(asked)
        if found.thread is None and _is_repeated(exchange, asked):
            found = self.finder.duplicate(asked)
        if found.thread is not None and self._is_earlier_title(
            self.live_threads[found.thread], found, asked
        ):
            found = NOTHING
        if found.thread is not None:
            found = self._promoted(self.live_threads[found.thread], found, asked)
        main = self._begin(asked) if found.thread is None else self.live_threads[found.thread]
        role = self._role(exchange, asked, found)
        if role == "main":
            return main, found.by
        if role != "sideCalls":
            self.finder.note_attempt(asked, main.thread.id)
        return self._side_thread(main, role), found.by

    def open(self, thread: Thread, hints: Hints = NO_HINTS) -> LiveThread:
        """Return a new thread of which is known what it is."""
        live = LiveThread(thread, hints, self._remember())
        self.live_threads.append(live)
        self.finder.add(live)
        return live

    def forget(self, live: LiveThread) -> None:
        """Put nothing more into a thread, whatever tells that it belongs there."""
        live.is_gone, live.pending = True, ()
        self.finder.forget(live)

    def link_agents(self, live: LiveThread, news: Sequence[SentMessage]) -> None:
        """Link threads to the calls whose results hold their answers: they were called by these."""
        for one in news:
            if one.message.role != "tool":
                continue
            for quoted in self._unclaimed.quoted_in(one.message.search_text):
                other = self.live_threads[quoted.thread]
                is_free = other.thread.role == "main" and other.thread.parent is None
                if is_free and other is not live and not self._is_below(live, other):
                    call = next(iter(one.message.results), None)
                    other.thread = replace(
                        other.thread, role="agent", parent=live.thread.id, call=call
                    )

    def _role(self, exchange: Exchange, asked: ParsedRequest, found: FoundThread) -> Role:
        """Return what an exchange is to its conversation."""
        if asked.purpose == "count":
            return "counts"
        if exchange.is_transient:
            return "attempts"
        if found.is_side_call or asked.purpose == "compact":
            return "sideCalls"
        last = None if found.thread is None else self.live_threads[found.thread].asked
        is_again = last is not None and last.digest == asked.digest
        return "attempts" if is_again and exchange.attempts else "main"

    def _begin(self, asked: ParsedRequest) -> LiveThread:
        """Return a new conversation, linked to the call that began it if one did."""
        first = next(iter(asked.said), None)
        text = "" if first is None else first.message.text
        number = len(self.live_threads)
        name = asked.hints.tag or short_name(text) or f"{asked.kind} {number}"
        thread = Thread(number, name, asked.kind)
        caller = self.finder.caller(asked)
        if caller is not None:
            thread = replace(thread, role="agent", parent=caller[0], call=caller[1])
        main = self.open(thread, asked.hints)
        for live in self.finder.fellows(asked):
            if live is not main and _is_lone_question(live) and _is_main(asked):
                is_known = (
                    first is not None and is_distinctive(first) and live.memory.holds(first.key)
                )
                if is_known or asked.hints != NO_HINTS:
                    self._make_side_call(live, main)
        return main

    def _is_earlier_title(self, live: LiveThread, found: FoundThread, asked: ParsedRequest) -> bool:
        """Return whether a thread only holds a title that was asked before the conversation."""
        return (
            found.by == "name"
            and found.is_side_call
            and _is_lone_question(live)
            and _is_main(asked)
        )

    def _promoted(self, main: LiveThread, found: FoundThread, asked: ParsedRequest) -> FoundThread:
        """Let what was taken for a side call be the conversation, once it goes on."""
        if not _is_lone_question(main):
            return found
        for live in self.live_threads:
            is_side_call = live.thread.role == "sideCalls" and live.thread.parent == main.thread.id
            if is_side_call and live.calls == 1 and extends(asked, live):
                self._swap(main, live)
                return FoundThread(live.thread.id, "messages")
        return found

    def _swap(self, main: LiveThread, live: LiveThread) -> None:
        """Let a side thread stand where the thread beside it stood, and that one beside it."""
        first = next(live.said, None)
        name = main.hints.tag or short_name("" if first is None else first.message.text)
        name = name or f"{live.thread.kind} {live.thread.id}"
        live.thread = replace(main.thread, id=live.thread.id, name=name)
        for other in self.live_threads:
            if other.thread.parent == main.thread.id:
                other.thread = replace(other.thread, parent=live.thread.id)
        self._make_side_call(main, live)
        self.finder.add(live)

    def _make_side_call(self, live: LiveThread, main: LiveThread) -> None:
        """Let what was asked first be what was asked beside a conversation that came later."""
        self.finder.drop(live)
        live.thread = replace(
            live.thread,
            name=SIDES["sideCalls"],
            role="sideCalls",
            parent=main.thread.id,
            call=None,
        )

    def _side_thread(self, main: LiveThread, role: Role) -> LiveThread:
        """Return the thread of a role beside another, which is begun if there is none."""
        for live in self.live_threads:
            looks_on = live.thread.parent == main.thread.id and live.thread.role == role
            if looks_on and not live.is_gone:
                return live
        number = len(self.live_threads)
        return self.open(
            Thread(number, SIDES[role], main.thread.kind, role, main.thread.id), main.hints
        )

    def _is_below(self, live: LiveThread, other: LiveThread) -> bool:
        """Return whether a thread was called, directly or not, by another."""
        above: int | None = live.thread.parent
        while above is not None:
            if above == other.thread.id:
                return True
            above = self.live_threads[above].thread.parent
        return False
