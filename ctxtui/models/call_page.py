"""What is known of one call of a lane, gathered once when it is looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ctxtui.core import Conversation, Finding
from ctxtui.core.engine.calls import Call
from ctxtui.core.engine.views import shared_start
from ctxtui.core.requests.bodies import tools_in
from ctxtui.core.requests.exchange import RemovedSecrets
from ctxtui.models.call_look import CallLook
from ctxtui.models.call_notes import Took, noted_cache, removed_of, took
from ctxtui.models.format_warnings import warning_words
from ctxtui.models.lane_story import ToldCall

MOST_OPERATIONS = 20
"""Operations before a call that are told of; more never explain one."""


class Break(NamedTuple):
    """Where a call begins to differ from the one before: by position, and by raw index."""

    position: int
    was: int
    now: int | None


class Served(NamedTuple):
    """How many tokens of a call a cache served, or could, and of how many."""

    tokens: int
    total: int


class ToolChange(NamedTuple):
    """How many tools there were and are, and which went and came."""

    before: int
    after: int
    gone: tuple[str, ...]
    came: tuple[str, ...]


class CallPage(NamedTuple):
    """A call with everything that explains it.

    ``computed`` is what a cache could have served, ``measured`` what the provider says it did.
    ``apart`` is how long after the call before it was sent, in milliseconds.
    """

    told: ToldCall
    look: CallLook
    computed: Served | None
    measured: Served | None
    breaks: Break | None
    tools: ToolChange | None
    changed: tuple[str, ...]
    noticed: tuple[str, ...]
    removed: RemovedSecrets
    errors: tuple[tuple[Finding, str], ...]
    apart: int | None
    given: Mapping[str, str]
    """What the operations that led to it were given, by their names."""
    took: Took | None = None
    took_before: Took | None = None
    """How long the answer took, and that to the call before."""
    source: int | None = None
    """The call that what could be served comes from, where that is not the call before."""

    @property
    def first_change(self) -> int | None:
        """Return the first message, by raw index, that went or came since the call before."""
        if self.breaks is not None:
            return self.breaks.was
        change = self.look.change
        return change.added[0] if change is not None and len(change.added) else None


def page_of(conversation: Conversation, told: ToldCall, before: ToldCall | None) -> CallPage:
    """Return all that is known of a call, by the one before it."""
    look = CallLook(conversation, told)
    cache = _told(told.call, "cache")
    cache = cache if isinstance(cache, Mapping) else {}
    return CallPage(
        told,
        look,
        _computed(cache),
        _measured(told.call),
        _break(look),
        _tools(conversation, told.call, None if before is None else before.call),
        _words(cache.get("changed")),
        (*_words(_told(told.call, "noticed")), *warning_words(_told(told.call, "warnings"))),
        removed_of(told.call),
        tuple((one, look.cause(one)) for one in look.findings),
        None if before is None else told.call.time - before.call.time,
        dict(_given(look)),
        took(told.call),
        None if before is None else took(before.call),
        _source(told, before),
    )


def _source(told: ToldCall, before: ToldCall | None) -> int | None:
    noted = noted_cache(told.call)
    if noted is None or noted.place is None or not noted.tokens or before is None:
        return None
    return noted.place + 1 if noted.place + 1 != before.number else None


def _given(look: CallLook) -> Iterator[tuple[str, str]]:
    """Yield what each operation since the call before was given, in words."""
    first = 0 if look.before is None else look.before.id + 1
    last = look.revision.id
    for id in range(max(first, last - MOST_OPERATIONS + 1), last + 1):
        operation = look.state.revisions[id].operation
        if operation is not None:
            yield operation.title, operation.sentence().removeprefix(operation.title).strip()


def _told(call: Call, name: str) -> Any:
    """Return what recording noted with a call; that is somebody's JSON."""
    return None if call.wire is None else call.wire.get(name)


def _words(value: object) -> tuple[str, ...]:
    found = value if isinstance(value, list | tuple) else ()
    return tuple(one for one in found if isinstance(one, str))


def _computed(cache: Mapping[str, Any]) -> Served | None:
    match cache:
        case {"tokens": int(tokens), "total": int(total)} if 0 <= tokens <= total:
            return Served(tokens, total)
    return None


def _measured(call: Call) -> Served | None:
    usage = call.usage
    if usage is None or usage.cached is None or not usage.input:
        return None
    return Served(usage.cached, usage.input)


def _break(look: CallLook) -> Break | None:
    """Return where what the call before sent is no longer the beginning."""
    if look.before is None:
        return None
    before, view = look.before.view, look.view
    shared = shared_start(view, before)
    if shared == len(before):
        return None
    return Break(shared, before[shared], view[shared] if shared < len(view) else None)


def _tools(conversation: Conversation, call: Call, before: Call | None) -> ToolChange | None:
    """Return how the tools changed, if they did."""
    if before is None or before.tools == call.tools:
        return None
    known = conversation.calls.tools
    old, new = (tools_in(known.get(one.tools or "", ())) for one in (before, call))
    gone = tuple(name for name in old if name not in new)
    return ToolChange(len(old), len(new), gone, tuple(name for name in new if name not in old))
