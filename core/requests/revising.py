"""Revising: which calls belong together, judged with all that was recorded later.

A recorder judges each request when it comes. With a whole file at hand, three things are known
better: what nobody carried on was a side call, a prompt that returns after a handoff has a thread
of its own, and a conversation of which only the prompt is left has gone on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from .bodies import ParsedRequest, SentMessage, digest, dumped
from .exchange import Exchange
from .similarity import is_similar
from .threads import SIDES, Thread, ThreadTable

THREAD_PARAMETER = "thread"


@dataclass(slots=True)
class CallTraits:
    """What tells of a call whether it belongs to others; ``is_carried_on`` is found out later."""

    system: tuple[SentMessage, ...]
    prompt: tuple[bytes, ...]
    identity: bytes | None
    """The client, endpoint, model, tools, prompt and name; None where that says too little."""
    is_carried_on: bool = False

    @classmethod
    def of(cls, exchange: Exchange, request: ParsedRequest) -> CallTraits:
        """Return the traits of a new call."""
        identity = None
        is_beginning = request.previous is not None or THREAD_PARAMETER in request.parameters
        if (request.prompt or request.tools) and not is_beginning:
            parts = [request.kind, exchange.headers.get("user-agent"), request.model]
            prompt = [key.hex() for key in request.prompt]
            tools = list(request.tools or ())
            named = [*parts, tools, prompt, list(request.hints)]
            identity = digest(dumped(named, in_order=False))
        return cls(request.system, request.prompt, identity)

    def carry_on(self, request: ParsedRequest) -> None:
        """Note that a later request has the answer as a message."""
        self.is_carried_on = self.is_carried_on or request.prompt == self.prompt

    def has_prompt_of(self, other: CallTraits) -> bool:
        """Return whether both calls have the same prompt, or nearly."""
        if self.prompt == other.prompt:
            return True
        return bool(self.system and other.system) and is_similar(self.system[0], other.system[0])


def revised_table(table: ThreadTable, traits: Sequence[CallTraits]) -> ThreadTable:
    """Return a table of threads corrected by what was recorded later."""
    for thread in table.threads:
        if not thread.is_side:
            table = _without_side_calls(table, thread, traits)
            table = _by_prompt(table, thread, traits)
    return _rejoined(table, traits)


def _calls_of(table: ThreadTable, thread: Thread) -> list[int]:
    return [number for number, one in enumerate(table.placed) if one == thread.id]


def _without_side_calls(
    table: ThreadTable, thread: Thread, traits: Sequence[CallTraits]
) -> ThreadTable:
    """Move calls under another prompt whose answer was not carried on to a side thread."""
    calls = _calls_of(table, thread)
    own = [traits[number] for number in calls if traits[number].is_carried_on]
    side = [
        number
        for number in calls
        if own and not any(traits[number].has_prompt_of(one) for one in own)
    ]
    name = SIDES["sideCalls"]
    for group in _groups(side, traits):
        new = replace(thread, name=name, role="sideCalls", parent=thread.id, call=None)
        table = _moved(table, group, new)
    return table


def _by_prompt(table: ThreadTable, thread: Thread, traits: Sequence[CallTraits]) -> ThreadTable:
    """Give each prompt a thread of its own where one returns after another."""
    calls = _calls_of(table, thread)
    groups = list(_groups(calls, traits))
    is_handed_back = any(
        group[-1] > other[0]
        for group in groups
        for other in groups[1:]
        if group is not other and group[0] < other[0]
    )
    for group in groups[1:] if is_handed_back else ():
        table = _moved(table, group, replace(thread, role="main", parent=None, call=None))
    return table


def _groups(calls: Sequence[int], traits: Sequence[CallTraits]) -> Iterator[list[int]]:
    """Return calls by their prompt, in the order in which the prompts were first used."""
    groups: list[list[int]] = []
    for number in calls:
        same = (one for one in groups if traits[number].has_prompt_of(traits[one[0]]))
        group = next(same, None)
        if group is None:
            groups.append([number])
        else:
            group.append(number)
    return iter(groups)


def _moved(table: ThreadTable, calls: Sequence[int], thread: Thread) -> ThreadTable:
    """Return a table with some calls in a new thread."""
    new = replace(thread, id=len(table.threads))
    moved = set(calls)
    placed = (new.id if number in moved else one for number, one in enumerate(table.placed))
    return ThreadTable((*table.threads, new), tuple(placed))


def _rejoined(table: ThreadTable, traits: Sequence[CallTraits]) -> ThreadTable:
    """Return a table with threads joined that went on although little or nothing was left.

    Two that were recorded at the same time are two conversations.
    """
    spans: dict[int, tuple[int, int]] = {}
    for number, thread in enumerate(table.placed):
        spans[thread] = (spans.get(thread, (number, number))[0], number)
    into: dict[int, int] = {}
    open_ends: dict[bytes, int] = {}
    for thread, (first, last) in sorted(spans.items(), key=lambda one: one[1]):
        found = table.threads[thread]
        if found.role != "main" or found.parent is not None:
            continue
        begins, ends = traits[first].identity, traits[last].identity
        before = None if begins is None else open_ends.get(begins)
        target = thread
        if before is not None and spans[before][1] < first:
            target = into[thread] = before
            spans[before] = (spans[before][0], last)
        if ends is not None:
            open_ends[ends] = target
    if not into:
        return table
    placed = tuple(into.get(one, one) for one in table.placed)
    threads = tuple(
        replace(one, parent=into.get(one.parent, one.parent)) if one.parent is not None else one
        for one in table.threads
    )
    return ThreadTable(threads, placed)
