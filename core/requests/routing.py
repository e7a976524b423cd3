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
from .bodies import NO_HINTS, Answered, Asked, Hints, Sent, digest, tools_in
from .cache import Ruler, common_start
from .exchange import Exchange, Kind
from .memory import Memory
from .similarity import is_alike
from .threads import SIDES, Role, Thread, short_name

SHORTEST = 20
"""Characters below which a text may stand in another by chance."""
SHORTEST_LINE = 12
SHARE = 0.5
"""The share of an answer's lines that another text must hold, to hold the answer."""
MOST = 256
"""Answers that wait to be seen again; older ones are no longer looked for."""


class Quoted(NamedTuple):
    """An answer that nobody has sent back as such: which call of which thread it came from."""

    thread: int
    call: int
    text: str


class Unclaimed:
    """Answers that have not come back as messages: summaries, titles, and the newest of each."""

    def __init__(self) -> None:
        self._answers: OrderedDict[bytes, Quoted] = OrderedDict()

    def add(self, answered: Answered, thread: int, call: int) -> None:
        """Wait for an answer to be seen again."""
        text = answered.text
        if len(text) < SHORTEST:
            return
        self._answers[answered.sent[0].key] = Quoted(thread, call, text)
        while len(self._answers) > MOST:
            self._answers.popitem(last=False)

    def claim(self, key: bytes) -> None:
        """Take note that an answer came back as a message."""
        self._answers.pop(key, None)

    def quoted_in(self, text: str) -> Iterator[Quoted]:
        """Yield the answers that a text holds, the newest first."""
        if len(text) < SHORTEST:
            return
        for one in reversed(self._answers.values()):
            if holds(text, one.text):
                yield one


def holds(text: str, answer: str) -> bool:
    """Tell whether a text holds an answer: as it is, or most of its lines."""
    if len(answer) > len(text) / SHARE:
        return False
    if answer in text:
        return True
    lines = [line for line in map(str.strip, answer.splitlines()) if len(line) >= SHORTEST_LINE]
    whole = sum(map(len, lines))
    if len(lines) < 2 or whole < SHORTEST:  # noqa: PLR2004 - one line was looked for already
        return False
    return sum(len(line) for line in lines if line in text) >= SHARE * whole


class Pending(NamedTuple):
    """A call of a tool that was answered with and has no result yet; ``texts`` are its words."""

    id: str
    texts: tuple[str, ...]


@dataclass(slots=True)
class Track:
    """A thread that is being recorded."""

    thread: Thread
    hints: Hints
    memory: Memory
    ruler: Ruler = field(default_factory=Ruler)
    calls: int = 0
    newest: int = -1
    """The number of the exchange that was its last."""
    asked: Asked | None = None
    answer: tuple[Sent, ...] = ()
    pending: tuple[Pending, ...] = ()
    wake: Callable[[], Conversation | None] | None = None
    """Gives the conversation of a thread that goes on from an earlier run; asked once."""
    is_gone: bool = False

    def is_awake(self) -> bool:
        """Tell whether a call can be recorded here; a thread of an earlier run may not go on."""
        wake, self.wake = self.wake, None
        if wake is not None:
            woken = wake()
            self.is_gone = woken is None
            self.memory.conversation = woken or self.memory.conversation
        return not self.is_gone

    def answered(self, asked: Asked, answered: Answered | None, number: int) -> None:
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
    def said(self) -> Iterator[Sent]:
        """Yield what is visible beside the system's messages."""
        return (one for one in self.memory.visible if one.message.role != "system")


def prompt_of(asked: Asked) -> tuple[bytes, ...]:
    """Return what tells the system's messages of a request: all but times and numbers in them."""
    return tuple(one.masked for one in asked.sent if one.message.role == "system")


def _pending(answer: tuple[Sent, ...]) -> Iterator[Pending]:
    for one in answer:
        for part in one.message.parts:
            if isinstance(part, ToolUsePart):
                texts = (text for text in leaves(part.input) if len(text) >= SHORTEST)
                yield Pending(part.id, tuple(texts))


FEWEST_SHARED = 2


class Nearness(NamedTuple):
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


def nearness(asked: Asked, track: Track) -> Nearness:
    """Return how far a request is what a thread would go on with, and what it has in common."""
    expected = [*track.memory.visible, *track.answer]
    start = common_start([one.key for one in expected], [one.key for one in asked.sent])
    tools = None if track.asked is None else track.asked.tools
    return Nearness(
        has_tools=not tools or not asked.tools or tools == asked.tools,
        goes_on=start == len(expected) < len(asked.sent),
        has_prompt=prompt_of(asked) == track.prompt,
        start=start,
        written_alike=sum(map(is_, expected, asked.sent)),
        shared=sum(track.memory.holds(one.key) for one in asked.said),
        newest=track.newest,
    )


def is_next(asked: Asked, track: Track) -> bool:
    """Tell whether a request has all that is visible in a thread, the same tools, and more."""
    size = len(track.memory.raws)
    has_tools = track.asked is not None and track.asked.tools == asked.tools
    return has_tools and size < len(asked.sent) and track.memory.shared(asked.sent) == size


def is_telling(sent: Sent) -> bool:
    """Tell whether hardly anybody else would say the same: it is long, a call, or data."""
    has_data = any(isinstance(part, DataPart) for part in sent.message.parts)
    return bool(sent.ids) or has_data or len(sent.message.text) >= SHORTEST


def was_last(sent: Sent, asked: Asked, track: Track | None) -> bool:
    """Tell whether a short answer was the newest of a thread with the same prompt."""
    if track is None or not track.answer or track.answer[0].key != sent.key:
        return False
    return prompt_of(asked) == track.prompt


def has_in_common(asked: Asked, track: Track) -> bool:
    """Tell whether a request has more than its first message from a thread."""
    shared = [one for one in asked.said if track.memory.holds(one.key)]
    if len(shared) < FEWEST_SHARED:
        return False
    return any(map(is_telling, shared)) or prompt_of(asked) == track.prompt


def goes_on_from(asked: Asked, track: Track) -> bool:
    """Tell whether a request goes on from what a thread sent last, with an answer nobody saw."""
    visible = track.memory.visible
    if not visible:
        return False
    places = [place for place, one in enumerate(asked.sent) if one.key == visible[-1].key]
    follows: Sent | None = next(
        (asked.sent[at + 1] for at in places if at + 1 < len(asked.sent)), None
    )
    if follows is None or follows.message.role != "assistant":
        return False
    return not track.answer or is_alike(track.answer[0], follows)


def is_beside(asked: Asked, track: Track) -> bool:
    """Tell whether a request only looks at a conversation: without its tools and its prompt."""
    has_lost = bool(track.tools) and not asked.tools
    return has_lost and prompt_of(asked) != track.prompt


COMPACTIONS = ("compaction", "compaction_summary")
"""Types of data that a provider puts in the place of messages."""


def proofs(
    track: Track, sent: Sequence[Sent], unclaimed: Unclaimed, threads: Sequence[Thread]
) -> dict[int, str]:
    """Return for each new message that must be a summary what proves it."""
    found = {}
    start = track.memory.shared(sent)
    for place, one in enumerate(sent[start:], start):
        if track.memory.holds(one.key):
            continue
        said = _proof(track, one.message, unclaimed, threads)
        if said is not None:
            found[place] = said
    return found


def _proof(
    track: Track, message: Message, unclaimed: Unclaimed, threads: Sequence[Thread]
) -> str | None:
    if any(_is_compaction(part) for part in message.parts):
        return "which the provider made of them"
    if message.role == "tool" or message.calls or message.results:
        return None
    here = track.thread.id
    for quoted in unclaimed.quoted_in(message.text):
        # What the assistant said last in a thread comes back as its message: that is no summary.
        if message.role != "assistant" or quoted.thread != here:
            return f"which holds the answer of {_name(quoted, here, threads)}"
    return None


def _is_compaction(part: object) -> bool:
    return isinstance(part, DataPart) and part.data.get("type") in COMPACTIONS


def _name(quoted: Quoted, here: int, threads: Sequence[Thread]) -> str:
    number = quoted.call + 1
    if quoted.thread == here:
        return f"call {number}"
    thread = threads[quoted.thread]
    where = thread.name if thread.parent != here else f"its {thread.name}"
    return f"call {number} of {where}"


Evidence = Literal[
    "response", "attempt", "tool ids", "answer", "quoted answer", "messages", "name", "none"
]
Named = OrderedDict[int, Track]
"""Threads of one kind and name by their id, the one that was used last at the end."""
MOST_THREADS = 200
"""How many threads, the newest first, are looked at message by message."""
FEWEST_QUOTED = 2
LONG_QUOTE = 40
"""Characters of an answer that tells the thread of whoever holds it: a summary, not a phrase."""


class Found(NamedTuple):
    """The thread that a request belongs to, by what, and whether it was asked beside it."""

    thread: int | None
    by: Evidence
    is_aside: bool = False


NOTHING = Found(None, "none")


class Finder:
    """Knows which thread gave which answer."""

    def __init__(self, tracks: Sequence[Track], unclaimed: Unclaimed) -> None:
        self._tracks = tracks
        self._unclaimed = unclaimed
        self._responses: dict[str, int] = {}
        self._attempts: dict[bytes, int] = {}
        self._named: dict[tuple[Kind, Hints], Named] = {}
        self._ids: dict[str, dict[int, None]] = {}
        self._answers: dict[bytes, dict[int, None]] = {}

    def add(self, track: Track) -> None:
        """Take note of a thread, which is the newest of its name."""
        if not track.thread.is_side:
            named = self._named.setdefault((track.thread.kind, track.hints), OrderedDict())
            named[track.thread.id] = track
            named.move_to_end(track.thread.id)

    def drop(self, track: Track) -> None:
        """Look for no request's thread there any more."""
        named = self._named.get((track.thread.kind, track.hints))
        if named is not None:
            named.pop(track.thread.id, None)

    def forget(self, track: Track) -> None:
        """Drop a thread, and which answers it gave."""
        self.drop(track)
        thread = track.thread.id
        self._responses = {id: one for id, one in self._responses.items() if one != thread}
        self._attempts = {key: one for key, one in self._attempts.items() if one != thread}
        for threads in (*self._ids.values(), *self._answers.values()):
            threads.pop(thread, None)

    def fellows(self, asked: Asked) -> list[Track]:
        """Return the threads of a request's kind and name, the newest first."""
        return [track for _, track in _newest(self._of_name(asked))]

    def _of_name(self, asked: Asked) -> Named:
        return self._named.get((asked.kind, asked.hints), OrderedDict())

    def note(self, asked: Asked, answered: Answered | None, thread: int) -> None:
        """Remember what came back in a thread."""
        self.add(self._tracks[thread])
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

    def note_attempt(self, asked: Asked, thread: int) -> None:
        """Remember that a request will be sent again."""
        self._attempts[_messages_of(asked)] = thread

    def find(self, asked: Asked) -> Found:
        """Return the thread of a request."""
        for id in (asked.previous, asked.after):
            if id is not None and id in self._responses:
                return Found(self.main(self._responses[id]), "response")
        tracks = self._of_name(asked)
        attempted = self._attempts.get(_messages_of(asked)) if self._attempts else None
        if attempted in tracks:
            return Found(attempted, "attempt")
        known = self._by_ids(asked, tracks)
        if known is not None:
            return Found(known, "tool ids", is_beside(asked, tracks[known]))
        known = self._by_answer(asked, tracks)
        if known is not None:
            return Found(known, "answer", is_beside(asked, tracks[known]))
        beside = self._quoting(asked, tracks)
        if beside is not None:
            return Found(beside, "messages", is_aside=True)
        quoted = self._by_quote(asked, tracks)
        if quoted is not None:
            return Found(quoted, "quoted answer")
        shared = self._by_messages(asked, tracks)
        if shared is not None:
            return Found(shared, "messages", is_beside(asked, tracks[shared]))
        return self._by_name(asked, tracks)

    def twin(self, asked: Asked) -> Found:
        """Return the thread in which the very same messages are visible."""
        for track in self.fellows(asked):
            size = len(track.memory.raws)
            if size == len(asked.sent) == track.memory.shared(asked.sent) > 0:
                return Found(track.thread.id, "messages")
        return NOTHING

    def main(self, thread: int) -> int:
        """Return the thread that another stands beside, or the thread itself."""
        track = self._tracks[thread]
        return (
            track.thread.parent
            if track.thread.is_side and track.thread.parent is not None
            else thread
        )

    def caller(self, asked: Asked) -> tuple[int, str | None] | None:
        """Return the thread, and the call if that is known, that began what a new thread asks."""
        texts = [one.message.text for one in asked.said[:1]]
        for track in sorted(self._tracks, key=lambda one: -one.newest):
            if track.thread.is_side or track.hints.tag != asked.hints.tag:
                continue
            for pending in track.pending:
                if any(_is_told(text, told) for text in texts for told in pending.texts):
                    return track.thread.id, pending.id
        same = (
            track.thread.id
            for track in self._tracks
            if asked.hints.agent is not None
            and asked.hints.session is not None
            and track.hints == asked.hints._replace(agent=None)
            and not track.thread.is_side
        )
        found = next(same, None)
        return None if found is None else (found, None)

    def _by_ids(self, asked: Asked, tracks: Named) -> int | None:
        for one in reversed(asked.sent if self._ids else ()):
            for id in one.ids:
                threads = self._ids.get(id)
                found = None if threads is None else self._nearest(asked, threads, tracks)
                if found is not None:
                    return found
        return None

    def _by_answer(self, asked: Asked, tracks: Named) -> int | None:
        for one in reversed(asked.sent):
            if one.message.role != "assistant" or one.key not in self._answers:
                continue
            threads: Iterable[int] = self._answers[one.key]
            if not is_telling(one):
                threads = [thread for thread in threads if was_last(one, asked, tracks.get(thread))]
            found = self._nearest(asked, threads, tracks)
            if found is not None:
                return found
        return None

    def _nearest(self, asked: Asked, threads: Iterable[int], tracks: Named) -> int | None:
        """Return the thread, of some, that goes on with a request for the longest."""
        known = [thread for thread in dict.fromkeys(map(self.main, threads)) if thread in tracks]
        if not known:
            return None
        if len(known) == 1 and is_next(asked, tracks[known[0]]):
            return known[0]
        near, best = max((nearness(asked, tracks[thread]), thread) for thread in known)
        if near.has_tools and (near.goes_on or 2 * near.shared >= len(asked.said)):
            return best
        # Two may have been told the same; who has more of the rest is asked, too.
        other = self._by_messages(asked, tracks)
        if other is not None and nearness(asked, tracks[other]).rest > near.rest:
            return other
        return best if near.has_prompt or near.shared else None

    def _by_quote(self, asked: Asked, tracks: Named) -> int | None:
        """Return the thread of an answer that a message holds, which no thread has held before."""
        for one in asked.sent:
            if one.message.role in ("user", "system"):
                for quoted in self._unclaimed.quoted_in(one.message.text):
                    thread = self.main(quoted.thread)
                    is_long = len(quoted.text) >= LONG_QUOTE
                    if is_long and thread in tracks and not tracks[thread].memory.holds(one.key):
                        return thread
        return None

    def _quoting(self, asked: Asked, tracks: Named) -> int | None:
        """Return the thread that a lone message speaks about: it repeats what was said there."""
        said = asked.said
        if len(said) != 1 or asked.tools:
            return None
        text = said[0].message.text
        for thread, track in _newest(tracks):
            others = list(track.said)
            if not others or prompt_of(asked) == track.prompt != ():
                continue
            if others[0].key == said[0].key and track.tools and is_telling(said[0]):
                return thread
            told = (one.message.text for one in others)
            if sum(len(one) >= SHORTEST and one in text for one in told) >= FEWEST_QUOTED:
                return thread
        return None

    def _by_messages(self, asked: Asked, tracks: Named) -> int | None:
        """Return the thread with the most messages in common."""
        near = [
            (nearness(asked, track), thread)
            for thread, track in _newest(tracks)
            if has_in_common(asked, track) or goes_on_from(asked, track)
        ]
        return max(near)[1] if near else None

    def _by_name(self, asked: Asked, tracks: Named) -> Found:
        """Return the thread of a name; another prompt or other tools make it a side call."""
        if asked.hints == NO_HINTS or not tracks:
            return NOTHING
        thread, track = next(_newest(tracks))
        is_same = prompt_of(asked) == track.prompt and tools_in(asked.tools) == track.tools
        return Found(thread, "name", is_aside=track.asked is not None and not is_same)


def _newest(tracks: Named) -> Iterator[tuple[int, Track]]:
    """Yield threads from the one that was used last on."""
    return islice(((thread, tracks[thread]) for thread in reversed(tracks)), MOST_THREADS)


def _is_told(text: str, told: str) -> bool:
    """Tell whether a prompt is what a call was given, or holds it."""
    return len(text) >= SHORTEST and (told in text or text in told)


def _messages_of(asked: Asked) -> bytes:
    return digest(b"".join(one.key for one in asked.sent))


def _is_repeated(exchange: Exchange, asked: Asked) -> bool:
    """Tell whether an exchange begins no conversation, but goes with one that is there."""
    return asked.purpose == "count" or exchange.is_passing or exchange.attempts > 0


def _is_minor(track: Track) -> bool:
    """Tell whether a thread is one question without tools, as for a title."""
    asked = track.asked
    return asked is not None and track.calls == 1 and not asked.tools and len(asked.said) == 1


def _is_main(asked: Asked) -> bool:
    """Tell whether a request is a conversation's own: nobody counts or gives tools for a title."""
    return bool(asked.tools) or asked.purpose == "count"


class Placer:
    """Puts exchanges into threads, and what was asked beside a conversation into one beside it."""

    def __init__(self, unclaimed: Unclaimed, remember: Callable[[], Memory]) -> None:
        self.tracks: list[Track] = []
        self.finder = Finder(self.tracks, unclaimed)
        self._unclaimed = unclaimed
        self._remember = remember

    def place(self, exchange: Exchange, asked: Asked) -> tuple[Track, Evidence]:
        """Return the thread of an exchange, and what told it."""
        found = self.finder.find(asked)
        if found.thread is None and _is_repeated(exchange, asked):
            found = self.finder.twin(asked)
        if found.thread is not None and self._was_before(self.tracks[found.thread], found, asked):
            found = NOTHING
        if found.thread is not None:
            found = self._turned_round(self.tracks[found.thread], found, asked)
        main = self._begin(asked) if found.thread is None else self.tracks[found.thread]
        role = self._role(exchange, asked, found)
        if role == "main":
            return main, found.by
        if role != "sideCalls":
            self.finder.note_attempt(asked, main.thread.id)
        return self._beside(main, role), found.by

    def open(self, thread: Thread, hints: Hints = NO_HINTS) -> Track:
        """Return a new thread of which is known what it is."""
        track = Track(thread, hints, self._remember())
        self.tracks.append(track)
        self.finder.add(track)
        return track

    def forget(self, track: Track) -> None:
        """Put nothing more into a thread, whatever tells that it belongs there."""
        track.is_gone, track.pending = True, ()
        self.finder.forget(track)

    def link_agents(self, track: Track, news: Sequence[Sent]) -> None:
        """Link threads to the calls whose results hold their answers: they were called by these."""
        for one in news:
            if one.message.role != "tool":
                continue
            for quoted in self._unclaimed.quoted_in(one.message.search_text):
                other = self.tracks[quoted.thread]
                is_free = other.thread.role == "main" and other.thread.parent is None
                if is_free and other is not track and not self._is_below(track, other):
                    call = next(iter(one.message.results), None)
                    other.thread = replace(
                        other.thread, role="agent", parent=track.thread.id, call=call
                    )

    def _role(self, exchange: Exchange, asked: Asked, found: Found) -> Role:
        """Return what an exchange is to its conversation."""
        if asked.purpose == "count":
            return "counts"
        if exchange.is_passing:
            return "attempts"
        if found.is_aside or asked.purpose == "compact":
            return "sideCalls"
        last = None if found.thread is None else self.tracks[found.thread].asked
        is_again = last is not None and last.digest == asked.digest
        return "attempts" if is_again and exchange.attempts else "main"

    def _begin(self, asked: Asked) -> Track:
        """Return a new conversation, linked to the call that began it if one did."""
        first = next(iter(asked.said), None)
        text = "" if first is None else first.message.text
        number = len(self.tracks)
        name = asked.hints.tag or short_name(text) or f"{asked.kind} {number}"
        thread = Thread(number, name, asked.kind)
        caller = self.finder.caller(asked)
        if caller is not None:
            thread = replace(thread, role="agent", parent=caller[0], call=caller[1])
        main = self.open(thread, asked.hints)
        for track in self.finder.fellows(asked):
            if track is not main and _is_minor(track) and _is_main(asked):
                is_known = first is not None and is_telling(first) and track.memory.holds(first.key)
                if is_known or asked.hints != NO_HINTS:
                    self._put_aside(track, main)
        return main

    def _was_before(self, track: Track, found: Found, asked: Asked) -> bool:
        """Tell whether a thread only has what was asked before the conversation began: a title."""
        return found.by == "name" and found.is_aside and _is_minor(track) and _is_main(asked)

    def _turned_round(self, main: Track, found: Found, asked: Asked) -> Found:
        """Let what was taken for a side call be the conversation, once it goes on."""
        if not _is_minor(main):
            return found
        for track in self.tracks:
            is_aside = track.thread.role == "sideCalls" and track.thread.parent == main.thread.id
            if is_aside and track.calls == 1 and is_next(asked, track):
                self._stand_for(main, track)
                return Found(track.thread.id, "messages")
        return found

    def _stand_for(self, main: Track, track: Track) -> None:
        """Let a side thread stand where the thread beside it stood, and that one beside it."""
        first = next(track.said, None)
        name = main.hints.tag or short_name("" if first is None else first.message.text)
        name = name or f"{track.thread.kind} {track.thread.id}"
        track.thread = replace(main.thread, id=track.thread.id, name=name)
        for other in self.tracks:
            if other.thread.parent == main.thread.id:
                other.thread = replace(other.thread, parent=track.thread.id)
        self._put_aside(main, track)
        self.finder.add(track)

    def _put_aside(self, track: Track, main: Track) -> None:
        """Let what was asked first be what was asked beside a conversation that came later."""
        self.finder.drop(track)
        track.thread = replace(
            track.thread,
            name=SIDES["sideCalls"],
            role="sideCalls",
            parent=main.thread.id,
            call=None,
        )

    def _beside(self, main: Track, role: Role) -> Track:
        """Return the thread of a role beside another, which is begun if there is none."""
        for track in self.tracks:
            is_beside = track.thread.parent == main.thread.id and track.thread.role == role
            if is_beside and not track.is_gone:
                return track
        number = len(self.tracks)
        return self.open(
            Thread(number, SIDES[role], main.thread.kind, role, main.thread.id), main.hints
        )

    def _is_below(self, track: Track, other: Track) -> bool:
        """Tell whether a thread was called, directly or not, by another."""
        above: int | None = track.thread.parent
        while above is not None:
            if above == other.thread.id:
                return True
            above = self.tracks[above].thread.parent
        return False
