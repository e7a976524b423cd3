"""The recorded calls of a path by number, and one of them with the call before it."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ctxtui.core import Conversation, Revision
from ctxtui.core.engine.calls import Call, ToolDefinitions
from ctxtui.core.engine.diff import Diff, diff_views
from ctxtui.core.engine.operation import Operation
from ctxtui.core.engine.queries import Calls
from ctxtui.core.engine.revisions import is_on_way
from ctxtui.core.engine.state import State
from ctxtui.core.engine.tokens import count_definitions, counter_named
from ctxtui.core.engine.views import View
from ctxtui.core.errors import Refused
from ctxtui.core.values.frozen import thaw
from ctxtui.core.values.numbers import count_in
from ctxtui.inspector.models.links import kept_with
from ctxtui.inspector.models.look import Look

if TYPE_CHECKING:
    from ctxtui.core import ProviderEdit, Seen
    from ctxtui.core.formats.warnings import FormatWarning
    from ctxtui.core.requests.exchange import RemovedSecrets

MOSTLY = 0.5
"""The share of a call from which on a prompt cache served most of it."""
NO_ANSWER = ("compact", "count_tokens", "input_tokens", ":countTokens")
"""How paths end to which requests are sent that no model answers."""
NOT_HIDING = ("PUT_IN_FRONT", "CLEAR_INPUTS")
"""Edits of a provider that leave what was sent in sight."""
MOST_KEPT = 32
"""Calls that are kept with what was found out about them: one goes back and forth."""


class Explained(NamedTuple):
    """An operation that leads to what a call sent, why, and how sure that is."""

    operation: str
    reason: str
    certainty: str


class CallSums(NamedTuple):
    """What providers counted for several calls."""

    calls: int
    input: int
    cached: int


class RecordedCalls:
    """Recorded calls of a conversation, all or some, counted from 1 as they were recorded."""

    def __init__(self, conversation: Conversation, calls: Sequence[Call] | None = None) -> None:
        self.conversation = conversation
        self.calls = conversation.calls.all if calls is None else calls
        self._known: dict[int, RecordedCall] = {}

    def __len__(self) -> int:
        return len(self.calls)

    def __iter__(self) -> Iterator[RecordedCall]:
        return (RecordedCall(self, number) for number in range(1, len(self) + 1))

    def at(self, number: int) -> RecordedCall:
        if number not in self._known:
            if len(self._known) >= MOST_KEPT:
                self._known.clear()
            self._known[number] = RecordedCall(self, number)
        return self._known[number]

    def definitions(self, call: Call | None) -> ToolDefinitions:
        """Return the tools of a call; a message thread keeps those of the call that began it."""
        while call is not None and _continues_thread(call):
            number = self.number_of(call) or 1
            call = self.calls[number - 2] if number > 1 else None
        return self.conversation.calls.tools.get((call and call.tools) or "", ())

    @property
    def sums(self) -> CallSums:
        usages = [call.usage for call in self.calls if call.usage is not None]
        return CallSums(
            len(self),
            sum(usage.input or 0 for usage in usages),
            sum(usage.cached or 0 for usage in usages),
        )

    @cached_property
    def _recorded(self) -> dict[int, int]:
        """Return which call each was among all that were recorded, by identity."""
        return {id(call): place for place, call in enumerate(self.conversation.calls.all)}

    @cached_property
    def _numbers(self) -> dict[int, int]:
        """Return the number of each call by its place among all."""
        return {self._recorded[id(call)]: number for number, call in enumerate(self.calls, 1)}

    def place(self, call: Call) -> int:
        return self._recorded[id(call)]

    def number_of(self, call: Call) -> int | None:
        """Return the number of a call; None where it is not on this path."""
        return self._numbers.get(self._recorded[id(call)])

    def number_at(self, place: int) -> int | None:
        """Return the number of the call at a place among all; None where it is not on this path."""
        return self._numbers.get(place)


class CallPath(RecordedCalls):
    """The calls on the way to a revision; to the latest state, where that leads further."""

    def __init__(self, conversation: Conversation, revision: int | None = None) -> None:
        super().__init__(conversation)
        revisions, now = conversation.revisions, conversation.current
        wanted = now if revision is None else revisions[revision]
        self.to = now if is_on_way(revisions, wanted.id, now) else wanted
        self.calls = Calls(conversation.at(self.to.id).moment)

    def sending(self, raw: int) -> list[RecordedCall]:
        """Return the calls that sent a message."""
        return [one for one in self if raw in one.view]

    def unseen_since(self, raw: int) -> tuple[RecordedCall, ProviderEdit] | None:
        """Return since which call the provider hides all or a part of a message, and how."""
        found = None
        for one in reversed(self.sending(raw)):
            edit = one.hiding(raw)
            if edit is None:
                break
            found = one, edit
        return found

    def nearest(self, revision: Revision) -> int | None:
        """Return the newest call up to a revision, else the first one; None where there is none."""
        revisions = self.conversation.revisions
        found = (
            number
            for number in range(len(self), 0, -1)
            if is_on_way(revisions, self.calls[number - 1].revision, revision)
        )
        return next(found, 1 if len(self) else None)


class RecordedCall:
    """One recorded call, compared with the call before it in its list."""

    def __init__(self, path: RecordedCalls, number: int) -> None:
        self.path = path
        self.number = number
        self.call: Call = path.calls[number - 1]
        self.before: Call | None = path.calls[number - 2] if number > 1 else None

    @property
    def batch(self) -> int:
        return self.path.conversation.revisions[self.call.revision].batch

    @cached_property
    def explained(self) -> tuple[Explained, ...]:
        """Return what the recorder says it is explained by, if that had to be found out."""
        stored = note(self.call, "explained")
        found = []
        for one in stored if isinstance(stored, list | tuple) else ():
            match one:
                case {"operation": str(name), "reason": str(reason), "certainty": str(certainty)}:
                    found.append(Explained(name, reason, certainty))
        return tuple(found)

    @property
    def cause(self) -> str | None:
        """Return why the cache broke, as the recorder says."""
        from ctxtui.core.requests.cache import broke

        cache = note(self.call, "cache")
        return broke(cache) if isinstance(cache, Mapping) else None

    @property
    def share(self) -> float | None:
        return cached_share(self.call)

    @property
    def is_resent(self) -> bool | None:
        """Return whether most of what the call before had sent was read uncached.

        None where that was not measured: what is new, and a first call, can't be cached.
        """
        was, now = None if self.before is None else self.before.usage, self.call.usage
        if was is None or now is None or now.cached is None or not was.input:
            return None
        return now.cached < MOSTLY * min(was.input, now.input or was.input)

    @property
    def is_broken(self) -> bool:
        """Return whether it broke what a cache held of the call before it.

        That is what the recorder's ruler found, else a fall of what the provider says it served.
        """
        if isinstance(note(self.call, "cache"), Mapping):
            return self.cause is not None
        was, now = None if self.before is None else self.before.usage, self.call.usage
        if was is None or now is None or was.cached is None or now.cached is None:
            return False
        return now.cached < was.cached

    @cached_property
    def look(self) -> Look:
        return Look(self.path.conversation, self.call.revision)

    @cached_property
    def seen(self) -> Seen:
        """Return what the model saw of it after the provider's own edits."""
        return seen_of(self.path.conversation, self.call)

    def hiding(self, raw: int) -> ProviderEdit | None:
        """Return the provider's edit that kept all or a part of a message from the model."""
        if self.seen.certainty == "unknown":
            return None
        edits = (one for one in self.seen.edits if one.kind not in NOT_HIDING)
        return next((one for one in edits if any(at.raw == raw for at in one.pieces)), None)

    @property
    def state(self) -> State:
        return self.look.state

    @property
    def view(self) -> View:
        return self.look.view

    @property
    def follows(self) -> bool:
        """Return whether the call before it on the path is the one that was recorded before it."""
        place = self.path.place
        return self.before is not None and place(self.before) + 1 == place(self.call)

    @property
    def revision_before(self) -> Revision | None:
        return None if self.before is None else self.state.revisions[self.before.revision]

    @cached_property
    def difference(self) -> Diff | None:
        """Return what differs from what the call before sent; None for the first one."""
        was = self.revision_before
        return None if was is None else diff_views(was.view, self.view, was.log_size)

    @cached_property
    def definitions(self) -> ToolDefinitions:
        return self.path.definitions(self.call)

    @cached_property
    def definitions_before(self) -> ToolDefinitions:
        return self.path.definitions(self.before)

    @cached_property
    def operations(self) -> tuple[Operation, ...]:
        """Return what was done between the call before and this one, in order."""
        revisions, stop = self.state.revisions, self.revision_before
        at: Revision = revisions[self.call.revision]
        done: list[Operation] = []
        while stop is not None and at.id != stop.id and at.parent is not None:
            if at.operation is not None:
                done.append(at.operation)
            at = revisions[at.parent]
        return tuple(reversed(done))

    @property
    def waited(self) -> int | None:
        """Return the milliseconds since the call before was sent, where they are known."""
        if self.before is None or self.call.time < self.before.time:
            return None
        return self.call.time - self.before.time


def is_managed(conversation: Conversation) -> bool:
    """Return whether a provider was ever asked for what may change what its model sees."""
    from ctxtui.core.requests.seen import MANAGING

    every = (call.parameters for call in conversation.calls.all)
    return any(name in asked for asked in every if asked is not None for name in MANAGING)


def knows_seen(conversation: Conversation) -> bool:
    """Return whether it is known at once what was seen; else all calls have to be read."""
    is_read = _read_calls(conversation) == [len(conversation.calls.all)]
    return is_read or not is_managed(conversation)


def read_seen(conversation: Conversation) -> None:
    """Find out what was seen of all calls, which takes a moment; from then on it is known."""
    every = conversation.calls.all
    if every and is_managed(conversation):
        count = len(every)
        conversation.seen(every[-1])
        _read_calls(conversation)[:] = [count]


def _read_calls(conversation: Conversation) -> list[int]:
    """Return how many calls there were when what was seen of them was read; none before."""
    return kept_with(conversation, "calls whose seen is known", list[int])


def seen_of(conversation: Conversation, call: Call) -> Seen:
    """Return what the model saw of a call; to know that, all calls are read where one is managed.

    Elsewhere what was seen is what was sent, if a model read it.
    """
    from ctxtui.core import Seen
    from ctxtui.core.requests.exchange import SUCCESS
    from ctxtui.core.requests.seen import NOTHING_ASKED, UNREAD

    if (path_of(call) or "").endswith(NO_ANSWER) or is_managed(conversation):
        return conversation.seen(call)
    if note(call, "status") in (None, *SUCCESS):
        return Seen(0, "answer", "as sent", NOTHING_ASKED)
    return Seen(0, "refused", "as sent", UNREAD["refused"], view=None)


def _continues_thread(call: Call) -> bool:
    """Return whether a call names the message thread that has its tools."""
    match None if call.parameters is None else call.parameters.get("thread"):
        case {"type": "continue"}:
            return call.tools is None
    return False


def cached_share(call: Call) -> float | None:
    """Return which part of a call a prompt cache served; None where the provider didn't say."""
    usage = call.usage
    if usage is None or usage.cached is None or not usage.input:
        return None
    return usage.cached / usage.input


def calls_in(look: Look) -> list[RecordedCall]:
    """Return the calls of the batch that is shown, in the order they were made."""
    calls = RecordedCalls(look.conversation, look.calls)
    return [one for one in calls if one.batch == look.batch.id]


def calls_by_batch(conversation: Conversation) -> Mapping[int, list[RecordedCall]]:
    """Return the calls of each batch by its id, in the order they were recorded."""
    found: dict[int, list[RecordedCall]] = defaultdict(list)
    for one in RecordedCalls(conversation):
        found[one.batch].append(one)
    return found


# What is stored with a call next to its fields: notes of the recorder, and the provider's answer.

DIAGNOSES = (
    ("diagnostics", "cache_miss_reason"),
    ("prompt_cache_diagnostics",),
    ("usage", "prompt_cache_diagnostics"),
)
"""Where a provider says itself why its cache missed."""
LONGEST = 365 * 24 * 3_600_000


class NotedCache(NamedTuple):
    """What the recorder's strict ruler found: see ``core.requests.cache``."""

    messages: int
    tokens: int
    total: int
    place: int | None
    """The call that began the same way, by its place among all recorded ones."""
    cause: str | None
    parted: int | None
    """How many messages at the start were written as in the call before, where one was not."""
    changed: tuple[str, ...]
    markers: tuple[int, ...]


class Took(NamedTuple):
    """How long an answer took until it began and until it ended, in milliseconds."""

    first: int
    whole: int


def note(call: Call, name: str) -> Any:
    """Return a note of the recorder, or None."""
    return None if call.wire is None else call.wire.get(name)


def removed_of(call: Call) -> RemovedSecrets:
    """Return what was removed from a call before it was stored."""
    from ctxtui.core.requests.exchange import RemovedSecrets

    return RemovedSecrets.of(note(call, "removed"))


def noted_cache(call: Call) -> NotedCache | None:
    """Return what the recorder measured with its strict ruler, where it did."""
    match note(call, "cache"):
        case {"messages": int(messages), "tokens": int(tokens), "total": int(total), **rest}:
            place, cause, parted = rest.get("call"), rest.get("cause"), rest.get("parted")
            return NotedCache(
                messages,
                tokens,
                max(tokens, total),
                place if isinstance(place, int) else None,
                cause if isinstance(cause, str) else None,
                parted if isinstance(parted, int) else None,
                tuple(one for one in _items(rest.get("changed")) if isinstance(one, str)),
                tuple(one for one in _items(rest.get("markers")) if isinstance(one, int)),
            )
    return None


def _items(value: object) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []


def took(call: Call) -> Took | None:
    """Return how long the answer to a call took, where that was measured."""
    from ctxtui.core.formats.requests import timings_in

    match timings_in(note(call, "envelope")):
        case {"timings": {"wait": wait, "receive": receive}} if wait >= 0 and receive >= 0:
            return Took(_whole(wait), _whole(wait) + _whole(receive))
    return None


def _whole(milliseconds: float) -> int:
    """Return a time as it was recorded in whole milliseconds, at most a year of them."""
    return round(min(milliseconds, LONGEST))


def path_of(call: Call) -> str | None:
    """Return where the request was sent to, without a query."""
    said = note(call, "path")
    return said.partition("?")[0] or None if isinstance(said, str) else None


def attempts(call: Call) -> int:
    """Return how often the client says that it had tried before."""
    from ctxtui.core.requests.exchange import RETRIES

    headers = note(call, "headers")
    return (count_in(headers.get(RETRIES)) or 0) if isinstance(headers, Mapping) else 0


def finish_of(answer: object) -> str | None:
    """Return why an answer ended, as its provider says; None where it doesn't."""
    match answer:
        case {"choices": [{"finish_reason": str(said)}, *_]}:
            return said
        case {"stop_reason": str(said)} | {"candidates": [{"finishReason": str(said)}, *_]}:
            return said
        case {"incomplete_details": {"reason": str(said)}} | {"done_reason": str(said)}:
            return said
        case {"object": "response", "status": str(said)}:
            return said
    return None


def refusal_of(answer: object) -> str | None:
    """Return what a provider said instead of an answer."""
    match answer:
        case {"error": {"message": str(said)}} | {"error": str(said)}:
            return said
    return None


def diagnosis_of(answer: object) -> str | None:
    """Return what a provider itself says of why its cache missed; as JSON where it is no text."""
    for way in DIAGNOSES:
        value = answer
        for key in way:
            value = value.get(key) if isinstance(value, Mapping) else None
        if value:
            return value if isinstance(value, str) else json.dumps(thaw(value), ensure_ascii=False)
    return None


def output_tokens(call: Call, counter: str) -> int | None:
    """Return the tokens of an answer as they are counted here; None where none is known."""
    from ctxtui.core.formats.bodies import BodyReader
    from ctxtui.core.requests.exchange import KINDS, Exchange

    kind, answer = note(call, "kind"), thaw(call.answer)
    if kind not in KINDS or not isinstance(answer, Mapping):
        return None
    try:
        found = BodyReader().parse_response(Exchange({}, answer, kind))
    except Refused:
        return None
    count = counter_named(counter).count
    return sum(count(one.message) for one in found.sent) if found and found.sent else None


def body_of(one: RecordedCall) -> Mapping[str, Any] | None:
    """Return the body of a request as it was sent; it takes as long as all calls before it."""
    from ctxtui.core.formats.bodies import rewritten

    conversation = one.path.conversation
    return next((found.body for found in rewritten(conversation) if found.call is one.call), None)


# The tools of a call next to those of the call before: kept, removed, added or changed.

ToolChange = Literal["same", "vanished", "new", "changed"]
Definitions = Sequence[Mapping[str, Any]]


class ToolRow(NamedTuple):
    """A tool: its tokens, what became of it, and whether a prompt cache could serve it."""

    name: str
    tokens: int
    change: ToolChange
    is_served: bool


class ToolTable(NamedTuple):
    """All tools of a call and of the one before, in the order they are sent.

    ``breaks`` is the place of the first one that is not as it was before; None where all are.
    """

    rows: tuple[ToolRow, ...]
    before: int
    now: int
    breaks: int | None

    @property
    def served(self) -> int:
        """Return the tokens of the tools before the first change."""
        return sum(row.tokens for row in self.rows if row.is_served)

    def names(self, change: ToolChange) -> list[str]:
        return [row.name for row in self.rows if row.change == change]


def tool_table(before: Definitions | None, now: Definitions, counter: str) -> ToolTable:
    """Return the tools of a call next to those of the call before, which is None for the first."""
    breaks = None if before is None else first_change(before, now)
    rows = tuple(_rows(now if before is None else before, now, breaks, counter))
    if before is None:
        rows = tuple(row._replace(is_served=False) for row in rows)
    return ToolTable(rows, len(now if before is None else before), len(now), breaks)


def first_change(before: Definitions, now: Definitions) -> int | None:
    """Return from which tool on two lists differ; markers of the cache don't count."""
    from ctxtui.core.requests.bodies import without_markers

    for place, (one, other) in enumerate(zip(before, now, strict=False)):
        if without_markers(one) != without_markers(other):
            return place
    return min(len(before), len(now)) if len(before) != len(now) else None


def _rows(
    before: Definitions, now: Definitions, breaks: int | None, counter: str
) -> Iterator[ToolRow]:
    """Yield the tools of now, those that vanished in their old place."""
    from ctxtui.core.requests.bodies import without_markers

    old = dict(zip(_keys(before), before, strict=True))
    new = dict(zip(_keys(now), now, strict=True))
    places = {key: place for place, key in enumerate(old)}
    gone = [key for key in old if key not in new]
    shown = 0

    def vanished(stop: int) -> Iterator[ToolRow]:
        nonlocal shown
        while shown < len(gone) and places[gone[shown]] < stop:
            key = gone[shown]
            yield ToolRow(key[0], _tokens(old[key], counter), "vanished", is_served=False)
            shown += 1

    for place, (key, tool) in enumerate(new.items()):
        yield from vanished(places.get(key, 0))
        change: ToolChange = "new"
        if key in old:
            same = without_markers(old[key]) == without_markers(tool)
            change = "same" if same else "changed"
        is_served = change == "same" and (breaks is None or place < breaks)
        yield ToolRow(key[0], _tokens(tool, counter), change, is_served)
    yield from vanished(len(old))


def _keys(tools: Definitions) -> list[tuple[str, int]]:
    """Return a key for each tool: its name, and which of that name it is."""
    from ctxtui.core.requests.bodies import tools_in

    seen: Counter[str] = Counter()
    keys = []
    for tool in tools:
        name = ", ".join(tools_in([tool])) or "unnamed"
        keys.append((name, seen[name]))
        seen[name] += 1
    return keys


def _tokens(tool: Mapping[str, Any], counter: str) -> int:
    return count_definitions((tool,), counter)


# Warnings of reading a file, in words: what people see of the data that a session stores.


def warning_words(stored: object) -> tuple[str, ...]:
    """Return a sentence for each stored warning; what is no list of warnings has none."""
    from ctxtui.core.formats.warnings import read_warnings, sentences

    try:
        return sentences(read_warnings(thaw(stored)))
    except Refused:
        return ()


def words_of(warnings: Iterable[FormatWarning]) -> tuple[str, ...]:
    """Return a sentence for each warning."""
    from ctxtui.core.formats.warnings import sentences

    return sentences(warnings)
