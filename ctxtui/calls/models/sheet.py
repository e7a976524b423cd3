"""All there is to know of one recorded call: what explains it, its prompt cache, its request."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, NamedTuple

from ctxtui.calls.models.call import (
    CallSums,
    Explained,
    NotedCache,
    RecordedCall,
    ToolTable,
    attempts,
    diagnosis_of,
    finish_of,
    first_change,
    note,
    noted_cache,
    output_tokens,
    path_of,
    refusal_of,
    removed_of,
    took,
    tool_table,
    warning_words,
)
from ctxtui.core.engine.calls import Call, CallUsage
from ctxtui.core.engine.diff import common_prefix, common_tokens
from ctxtui.core.engine.messages import Message
from ctxtui.core.engine.operation import Operation
from ctxtui.core.engine.state import State
from ctxtui.core.engine.tokens import count_definitions, counter_named
from ctxtui.core.engine.views import View
from ctxtui.core.requests.bodies import MARKER, without_markers
from ctxtui.core.requests.cache import IN_PROMPT, NOT_IN_PROMPT, seen_start
from ctxtui.core.requests.exchange import SUCCESS
from ctxtui.core.requests.provider_rules import cache_lifetime, smallest_cached
from ctxtui.core.requests.seen import MANAGING
from ctxtui.core.values.frozen import thaw
from ctxtui.core.values.models import ROLES
from ctxtui.core.values.numbers import count_in
from ctxtui.inspector.models.lint import ProfileCount
from ctxtui.inspector.models.look import Look
from ctxtui.text.plurals import removed_words

FactKind = Literal["gone", "stayed", "moved", "came", "inside", "alone", "same", "written"]


class Fact(NamedTuple):
    """Something that is true in the two projections: which messages, by raw index, and how many."""

    kind: FactKind
    raws: View
    size: int


class Evidence(NamedTuple):
    """The operations of a call with what was recorded of each, and the facts that are true.

    ``noticed`` is what else the recorder saw; ``lacking`` what a proof of the first operation that
    is only likely would need: the name of that operation.
    """

    steps: tuple[tuple[Operation | None, Explained | None], ...]
    facts: tuple[Fact, ...]
    noticed: tuple[str, ...]
    lacking: str | None

    @property
    def certainty(self) -> str | None:
        """Return how sure all of it is; None where nothing was inferred."""
        found = [explained.certainty for _, explained in self.steps if explained is not None]
        return next((one for one in found if one != "proven"), found[0] if found else None)


def evidence_of(one: RecordedCall) -> Evidence:
    """Return what explains a call, and what speaks for it."""
    explained = one.explained
    likely = (step.operation for step in explained if step.certainty != "proven")
    noticed = note(one.call, "noticed")
    texts = noticed if isinstance(noticed, list | tuple) else ()
    adapted = warning_words(note(one.call, "warnings"))
    return Evidence(
        tuple(_steps(one.operations, explained)),
        tuple(_facts(one)),
        (*(text for text in texts if isinstance(text, str)), *adapted),
        next(likely, None),
    )


WAYS_BACK = ("ROLLBACK", "CHECKOUT")


def _steps(
    done: Sequence[Operation], explained: Sequence[Explained]
) -> Iterator[tuple[Operation | None, Explained | None]]:
    """Yield operations with what was recorded of them; others were not recorded."""
    left = deque(explained)
    if left and left[0].operation == "START":
        done = ()  # The log holds a side call behind another one, but that explains nothing.
    for operation in done:
        while left and left[0].operation in WAYS_BACK and operation.title not in WAYS_BACK:
            yield None, left.popleft()  # They lead to another branch and are not on this one.
        is_explained = bool(left) and left[0].operation == operation.title
        yield operation, left.popleft() if is_explained else None
    yield from ((None, one) for one in left)


def _facts(one: RecordedCall) -> Iterator[Fact]:
    diff, was = one.difference, one.revision_before
    if diff is None or was is None:
        return
    came = {*diff.added, *diff.shown}
    stayed = len(was.view) - len(diff.hidden)
    if not diff:
        yield Fact("same", one.view, len(one.view))
    if len(diff.hidden):
        yield Fact("gone", diff.hidden, len(diff.hidden))
    if stayed and diff:
        moved = diff.moved
        yield Fact("moved", moved, len(moved)) if len(moved) else Fact("stayed", one.view, stayed)
    tail = _new_tail(one.view, came)
    inside = [raw for raw in one.view[: len(one.view) - tail] if raw in came] if came else []
    if inside:
        yield Fact("inside", View.of(inside), len(inside))
    elif len(diff.hidden) and was.view[-1] not in diff.hidden:
        yield Fact("alone", diff.hidden, len(diff.hidden))
    if tail:
        yield Fact("came", one.view[len(one.view) - tail :], tail)
    written = _rewritten(one)
    if written:
        yield Fact("written", View.of(written), len(written))


def _new_tail(view: View, came: set[int]) -> int:
    size = 0
    while size < len(view) and view[len(view) - 1 - size] in came:
        size += 1
    return size


def _rewritten(one: RecordedCall) -> list[int]:
    rows, was = note(one.call, "rows"), one.revision_before
    if not isinstance(rows, Mapping) or was is None:
        return []
    places = [count_in(key) for key, patch in rows.items() if not _only_marks(patch)]
    found = (one.view[place] for place in places if place is not None and place < len(one.view))
    return sorted({raw for raw in found if raw in was.view})


def _only_marks(patch: object) -> bool:
    """Return whether a patch only moves markers of the prompt cache."""
    edits = patch if isinstance(patch, list | tuple) else ()
    ways = [edit.get("at") for edit in edits if isinstance(edit, Mapping)]
    return all(isinstance(way, list | tuple) and way[-1:] in ([MARKER], (MARKER,)) for way in ways)


BreakKind = Literal[
    "first",
    "model",
    "tools",
    "message",
    "written",
    "end",
    "parameters",
    "provider",
    "whole",
]
Agreement = Literal[
    "unsaid",
    "first",
    "agrees",
    "blocks",
    "counting",
    "short",
    "unasked",
    "expired",
    "less",
    "more",
]
"""Whether what a provider served is what was computed, and the likeliest reason if not."""

FEW = 4
"""Tokens by which an estimate may differ in a request of any size; in larger ones it is 3 %."""
BLOCKS = (16, 32, 64, 128)
BLOCK = BLOCKS[-1]
"""Tokens of the blocks in which providers are known to serve, and of the largest."""
SYSTEM = ROLES.index("system")


class Break(NamedTuple):
    """Where a call begins to differ from the call before, and what is there on both sides.

    ``position`` is that of a message, or of a tool where tools are the kind. ``names`` are those of
    what changed: parameters, the two models, or the provider's edit with its certainty.
    """

    kind: BreakKind
    position: int | None = None
    was: int | None = None
    now: int | None = None
    names: tuple[str, ...] = ()

    @property
    def is_loss(self) -> bool:
        """Return whether something that the call before had sent can't be served any more."""
        return self.kind in ("model", "tools", "message", "written", "provider")


class CallCache(NamedTuple):
    """What a prompt cache could serve of a call, next to what its provider says it served.

    ``kept`` of ``total`` tokens are computed, by the recorder's strict ruler or else by what the
    engine takes for the same; None for a first call. ``inside`` of them are the start of the first
    message that differs. ``tools`` and ``system`` are the tokens that come before the
    other messages; ``is_seen`` says that all this is of what the model saw, which was not what was
    sent. ``source`` is another call than the one before, where that
    began in the same way for longer; ``is_elsewhere`` that it is not on this path.
    """

    is_strict: bool
    kept: int | None
    kept_messages: int
    total: int
    tools: int
    system: int
    cached: int | None
    written: int | None
    input: int | None
    broke: Break
    agreement: Agreement
    shared: int | None = None
    """Messages at the start that the call before had sent as well; None where it sent no more."""
    source: int | None = None
    is_elsewhere: bool = False
    markers: tuple[int, ...] = ()
    diagnosis: str | None = None
    smallest: int = 0
    """Tokens below which a provider keeps nothing."""
    lifetime: int | None = None
    """Milliseconds after which a provider may forget, where that is known."""
    inside: int = 0
    is_seen: bool = False

    @property
    def scale(self) -> int:
        return max(self.total, self.input or 0, self.cached or 0)

    @property
    def read(self) -> int:
        """Return the tokens that were not served: measured where that is known."""
        if self.cached is not None and self.input is not None:
            return max(0, self.input - self.cached)
        return self.total - (self.kept or 0)

    @property
    def expected(self) -> int:
        """Return what is computed to be kept, in the provider's tokens where it counted."""
        kept = self.kept or 0
        return round(kept * self.input / self.total) if self.input and self.total else kept


def call_cache(one: RecordedCall) -> CallCache:
    """Return the prompt cache of a call."""
    noted, usage = noted_cache(one.call), one.call.usage
    messages = one.state.total(one.state.current)
    broke = _break(one, noted)
    if noted is None:
        tools = count_definitions(one.definitions, one.look.counter)
        kept, kept_messages = _estimate(one, broke, tools)
        total = tools + messages
    else:
        kept = None if one.before is None else noted.tokens
        kept_messages, total = noted.messages, noted.total
        tools = max(0, total - messages)
    made = CallCache(
        is_strict=noted is not None,
        kept=kept,
        kept_messages=kept_messages,
        total=total,
        tools=tools,
        system=_system_tokens(one),
        cached=None if usage is None else usage.cached,
        written=None if usage is None else usage.written,
        input=None if usage is None else usage.input,
        broke=broke,
        agreement="unsaid",
        shared=_shared(one),
        markers=() if noted is None else noted.markers,
        diagnosis=diagnosis_of(one.call.answer),
        smallest=smallest_cached(one.call.model),
        lifetime=cache_lifetime(note(one.call, "kind"), is_for_an_hour=_is_for_an_hour(one)),
    )
    if noted is not None and kept and noted.place is not None and one.before is not None:
        number = one.path.number_at(noted.place)
        is_other = noted.place != one.path.place(one.before)
        made = made._replace(
            source=number if is_other else None, is_elsewhere=is_other and number is None
        )
    made = _of_seen(one, made) or made._replace(
        kept=None if kept is None else kept + (inside := _inside(one, noted, broke)),
        inside=0 if kept is None else inside,
    )
    return made._replace(agreement=_agreement(one, made))


def _inside(one: RecordedCall, noted: NotedCache | None, broke: Break) -> int:
    """Return the tokens that the first message that differs has in common at its start."""
    before, at = one.before, broke.position
    every = one.path.conversation.calls.all
    if noted is not None and noted.place is not None and noted.place < len(every):
        before, at = every[noted.place], noted.messages
    elif broke.kind != "message":
        return 0
    if before is None or at is None or one.path.definitions(before) != one.definitions:
        return 0
    old, new = one.state.revisions[before.revision].view, one.view
    if at >= min(len(old), len(new)) or old[at] == new[at]:
        return 0
    log = one.state.log
    return common_tokens(log[old[at]], log[new[at]], one.look.counter)


def _of_seen(one: RecordedCall, made: CallCache) -> CallCache | None:
    """Return the cache of what the model saw, where that was not what was sent."""
    if one.before is None or made.broke.kind in ("model", "tools"):
        return None
    if not any(name in parameters_of(call) for call in (one.before, one.call) for name in MANAGING):
        return None
    before, now = one.path.at(one.number - 1).seen, one.seen
    if before.is_as_sent and now.is_as_sent:
        return None
    count = counter_named(one.look.counter).count
    start = seen_start(before, now, lambda text: count(Message("user", text)))
    if start is None:
        return None
    broke, at = made.broke, start.at
    if start.edit is not None:
        position = None if at is None or at.piece.raw is None else one.view.position(at.piece.raw)
        broke = Break("provider", position, names=(start.edit.kind, start.edit.certainty))
    elif at is None and broke.kind in ("message", "written", "end"):
        broke = Break("whole", len(one.view))
    whole = now.view or ()
    messages = {piece.piece.raw for piece in whole[: start.pieces]} - {None}
    return made._replace(
        kept=made.tools + start.tokens,
        kept_messages=len(messages),
        total=made.tools + start.total,
        broke=broke,
        shared=None if at is None else len(messages),
        source=None,
        is_elsewhere=False,
        inside=start.inside,
        is_seen=True,
    )


def _estimate(one: RecordedCall, broke: Break, tools: int) -> tuple[int | None, int]:
    """Return what a cache could serve as far as the engine can tell, in tokens and messages."""
    was = one.revision_before
    if was is None:
        return None, 0
    if broke.kind == "model":
        return 0, 0
    if broke.kind == "tools":
        counter = one.look.counter
        return tool_table(one.definitions_before, one.definitions, counter).served, 0
    prefix = common_prefix(one.state, was.view, one.view)
    return tools + prefix.tokens, prefix.messages


def _shared(one: RecordedCall) -> int | None:
    """Return where the messages part, whatever comes before them; None where they don't."""
    was = one.revision_before
    if was is None:
        return None
    shared = common_prefix(one.state, was.view, one.view).messages
    return None if shared == len(was.view) else shared


def _break(one: RecordedCall, noted: NotedCache | None) -> Break:
    before, was = one.before, one.revision_before
    if before is None or was is None:
        return Break("first")
    if before.model != one.call.model:
        return Break("model", names=(before.model or "none", one.call.model or "none"))
    at = first_change(one.definitions_before, one.definitions)
    if at is not None:
        return Break("tools", at)
    position = common_prefix(one.state, was.view, one.view).messages
    if noted is not None and noted.place in (None, one.path.place(before)):
        position = min(noted.messages, len(was.view), len(one.view))
    elif noted is not None and noted.parted is not None and one.follows:
        position = min(noted.parted, position)
    if position < len(was.view):
        if position == len(one.view):
            return Break("end", position, was.view[position])
        old, new = was.view[position], one.view[position]
        return Break("written" if old == new else "message", position, old, new)
    changed = tuple(name for name in changed_parameters(one) if name in IN_PROMPT)
    return Break("parameters", names=changed) if changed else Break("whole", position)


def changed_parameters(one: RecordedCall) -> list[str]:
    """Return the parameters that differ from those of the call before, in their order."""
    if one.before is None:
        return []
    old, new = parameters_of(one.before), parameters_of(one.call)
    return [
        name
        for name in {**old, **new}
        if name not in NOT_IN_PROMPT
        and without_markers(old.get(name)) != without_markers(new.get(name))
    ]


def parameters_of(call: Call) -> Mapping[str, Any]:
    """Return the parameters of a call; none where none are known."""
    return {} if call.parameters is None else call.parameters


def _system_tokens(one: RecordedCall) -> int:
    """Return the tokens of the system's messages that come before all others."""
    log, total = one.state.log, 0
    for raw in one.view:
        if log.roles(raw, raw + 1)[0] != SYSTEM:
            break
        total += one.look.tokens(raw)
    return total


def _agreement(one: RecordedCall, cache: CallCache) -> Agreement:
    """Return how what was served compares with what could have been."""
    cached = cache.cached
    if cached is None:
        return "unsaid"
    if cache.kept is None:
        return "first"
    by, near = cached - cache.expected, max(FEW, round(0.03 * (cache.input or cache.total)))
    if abs(by) <= near:
        return "agrees"
    if by > 0:
        return "more" if by > BLOCK + near else "counting"
    if not cached and _asks_nothing(one, cache):
        return "unasked"
    if not cached and cache.expected < cache.smallest:
        return "short"
    if not cached and cache.lifetime is not None and (one.waited or 0) > cache.lifetime:
        return "expired"
    if -by >= BLOCK + near:
        return "less"
    is_whole = any(cached % size == 0 and -by < size + near for size in BLOCKS)
    return "blocks" if cached and is_whole else "counting"


FIVE_MINUTES = 5 * 60_000


def _is_for_an_hour(one: RecordedCall) -> bool:
    """Return whether an earlier call wrote to a cache that lives for an hour, or asked for one.

    What a later call only reads of it lives on, and a marker is stored where it first stood.
    """
    if note(one.call, "kind") != "messages" or (one.waited or 0) <= FIVE_MINUTES:
        return False  # It makes no difference.
    for call in one.path.calls[: one.number - 1]:
        match call.answer:
            case {"usage": {"cache_creation": {"ephemeral_1h_input_tokens": int(written)}}}:
                if written > 0:
                    return True
        places = (parameters_of(call), one.path.definitions(call), note(call, "rows"))
        if any(_asks_for_an_hour(place) for place in places):
            return True
    return False


def _asks_for_an_hour(value: object) -> bool:
    if isinstance(value, Mapping):
        is_marker = value.get("type") == "ephemeral" and value.get("ttl") == "1h"
        return is_marker or any(map(_asks_for_an_hour, value.values()))
    return isinstance(value, list | tuple) and any(map(_asks_for_an_hour, value))


def _asks_nothing(one: RecordedCall, cache: CallCache) -> bool:
    """Return whether a request had to ask for caching, and did not."""
    asked = MARKER in parameters_of(one.call) or bool(cache.markers)
    asked = asked or any(MARKER in tool for tool in one.definitions)
    return note(one.call, "kind") == "messages" and not asked


MOST_MARKERS = 6
WORDS = {True: "yes", False: "no", None: "null"}


class RequestRow(NamedTuple):
    """Something of a request as text: what it is, and what it was where that is known to differ."""

    name: str
    now: str
    was: str | None = None


def _rows(one: RecordedCall) -> Iterator[RequestRow]:
    call, before = one.call, one.before
    yield _compared("model", call.model, None if before is None else before.model, before)
    yield _compared("endpoint", path_of(call), None if before is None else path_of(before), before)
    yield from _parameters(one)
    now, was = len(one.definitions), len(one.definitions_before)
    if now or was:
        yield _compared("tools", f"{now:,}", f"{was:,}", before)
    noted = noted_cache(call)
    if noted is not None and noted.markers:
        text = ", ".join(str(place) for place in noted.markers[:MOST_MARKERS])
        more = " …" if len(noted.markers) > MOST_MARKERS else ""
        yield RequestRow("cache marks", f"messages {text}{more}")
    carried = note(call, "carried")
    if isinstance(carried, list | tuple) and len(carried) == 2:  # noqa: PLR2004 - from and up to
        yield RequestRow("carried", f"positions {carried[0]} up to {carried[1]} by an id, not sent")
    yield RequestRow("finish", finish_of(call.answer) or "")
    removed = removed_of(call)
    yield RequestRow("secrets", removed_words(removed) if removed else "")
    yield from _course(one)


def _parameters(one: RecordedCall) -> Iterator[RequestRow]:
    old = {} if one.before is None else parameters_of(one.before)
    new, changed = parameters_of(one.call), set(changed_parameters(one))
    for name in {**old, **new}:
        now = parameter_text(new[name]) if name in new else ""
        was = parameter_text(old[name]) if name in old else ""
        if name in new or name in changed:
            yield RequestRow(name, now, was or "none" if name in changed else None)


def _course(one: RecordedCall) -> Iterator[RequestRow]:
    """Yield how it went: status, retries, the provider's name of it, and how long after."""
    call, status, times = one.call, note(one.call, "status"), took(one.call)
    if isinstance(status, int) and status not in SUCCESS:
        yield RequestRow("status", str(status))
    tries = attempts(call)
    if tries:
        yield RequestRow("retry", f"yes, after {tries:,} before it")
    yield RequestRow("answer id", call.request or "")
    if times is not None:
        yield RequestRow("first byte", f"after {waited_text(times.first)}")
        yield RequestRow("took", waited_text(times.whole))
    if one.waited is not None and one.waited:
        yield RequestRow("sent", f"{waited_text(one.waited)} after call {one.number - 1:,}")


def _compared(name: str, now: str | None, was: str | None, before: Call | None) -> RequestRow:
    is_changed = before is not None and now != was
    return RequestRow(name, now or "", (was or "none") if is_changed else None)


def parameter_text(value: object) -> str:
    """Return a parameter in a few characters, as a reader would write it."""
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, bool):
        return WORDS[value]
    if isinstance(value, int) and abs(value) < 10**15:
        return f"{value:,}"
    return json.dumps(thaw(value), ensure_ascii=False, separators=(", ", ": "))


def waited_text(milliseconds: int) -> str:
    """Return how long something took in the unit that fits."""
    seconds = milliseconds / 1000
    if seconds < 0.1:  # noqa: PLR2004 - below that there is no decimal to tell
        return f"{milliseconds} ms"
    if seconds < 60:  # noqa: PLR2004 - a minute
        return f"{seconds:.1f} s"
    minutes = round(seconds / 60)
    return f"{minutes:,} min" if minutes < 120 else f"{round(minutes / 60):,} h"  # noqa: PLR2004


# Everything that is shown of one recorded call, each part worked out when it is needed.


class UsageRow(NamedTuple):
    """A figure of a call as it is counted here, and as its provider says."""

    name: str
    estimated: int | None
    measured: int | None


class CallSheet:
    """Everything that is shown of one call, each part worked out when it is needed."""

    word: str = "sent"
    """Whether it is shown as it was sent or as its model saw it."""

    def __init__(self, one: RecordedCall) -> None:
        self.one = one
        self.profiles: dict[str, ProfileCount] = {}
        """What each profile finds, as far as it has been counted."""

    @property
    def number(self) -> int:
        return self.one.number

    @property
    def count(self) -> int:
        return len(self.one.path)

    @property
    def look(self) -> Look:
        return self.one.look

    @property
    def state(self) -> State:
        return self.one.state

    @cached_property
    def cache(self) -> CallCache:
        """Return what a prompt cache could serve, and did."""
        return call_cache(self.one)

    @cached_property
    def cache_before(self) -> CallCache | None:
        before = self.one.before
        return None if before is None else call_cache(self.one.path.at(self.number - 1))

    @cached_property
    def request(self) -> list[RequestRow]:
        return [row for row in _rows(self.one) if row.now or row.was]

    @cached_property
    def usage(self) -> tuple[UsageRow, ...]:
        usage, cache = self.one.call.usage or CallUsage(), self.cache
        return (
            UsageRow("input", cache.total, usage.input),
            UsageRow("cached", cache.kept, usage.cached),
            UsageRow("written", None, usage.written),
            UsageRow("output", output_tokens(self.one.call, self.look.counter), usage.output),
        )

    @cached_property
    def sums(self) -> CallSums:
        return self.one.path.sums

    @cached_property
    def tools(self) -> ToolTable:
        one = self.one
        before = None if one.before is None else one.definitions_before
        return tool_table(before, one.definitions, self.look.counter)

    @cached_property
    def evidence(self) -> Evidence:
        return evidence_of(self.one)

    @property
    def refusal(self) -> str | None:
        return refusal_of(self.one.call.answer)

    @property
    def status(self) -> int | None:
        said = note(self.one.call, "status")
        return said if isinstance(said, int) else None
