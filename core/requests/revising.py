"""Revising: which calls belong together, judged with all that was recorded later.

A recorder judges each request when it is recorded. With a whole file, three things are known
better: a call whose answer was never sent back was a side call, a prompt that returns after a
handoff has a thread of its own, and a conversation of which only the prompt is left continues.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from .bodies import ParsedRequest, SentMessage, digest, dumped
from .exchange import Exchange
from .similarity import is_similar
from .threads import SIDES, Thread, ThreadTable

THREAD_PARAMETER = "thread"


@dataclass(slots=True)
class CallTraits:
    """What decides whether a call belongs to others; ``is_sent_back`` is found out later."""

    system: tuple[SentMessage, ...]
    prompt: tuple[bytes, ...]
    identity: bytes | None
    """The client, endpoint, model, tools, prompt and name; None where that says too little."""
    is_named: bool
    """Whether it names the response or the thread that it continues."""
    goes_on: bool
    """Whether it begins with the messages of the call before it in its thread."""
    is_sent_back: bool = False
    """Whether a later request has its answer as a message."""

    @classmethod
    def of(
        cls,
        exchange: Exchange,
        request: ParsedRequest,
        tools: bytes,
        before: ParsedRequest | None,
    ) -> CallTraits:
        """Return the traits of a new call, which came after another of its thread.

        ``tools`` is a digest of its tools.
        """
        identity = None
        is_named = request.previous is not None or THREAD_PARAMETER in request.parameters
        if (request.prompt or request.tools) and not is_named:
            named = [request.kind, exchange.headers.get("user-agent"), request.model]
            identity = digest(b"".join((dumped([*named, *request.hints]), tools, *request.prompt)))
        old = [] if before is None else [one.key for one in before.said]
        goes_on = old == [one.key for one in request.said[: len(old)]]
        return cls(request.system, request.prompt, identity, is_named, goes_on)

    def has_prompt_of(self, other: CallTraits) -> bool:
        """Return whether both calls have the same prompt, or nearly."""
        if self.prompt == other.prompt:
            return True
        return bool(self.system and other.system) and is_similar(self.system[0], other.system[0])


def revised_table(table: ThreadTable, traits: Sequence[CallTraits]) -> ThreadTable:
    """Return a table of threads corrected by what was recorded later."""
    revision = _Revision(table, traits)
    for thread in table.threads:
        calls = revision.calls.get(thread.id, ())
        if not thread.is_side and not any(traits[number].is_named for number in calls):
            revision.move_side_calls(thread)
            revision.split_by_prompt(thread)
    revision.rejoin()
    return ThreadTable(tuple(revision.threads), tuple(revision.placed))


class _Revision:
    """A table that is being corrected."""

    def __init__(self, table: ThreadTable, traits: Sequence[CallTraits]) -> None:
        self.threads, self.placed = list(table.threads), list(table.placed)
        self.calls: dict[int, list[int]] = {}
        for number, thread in enumerate(table.placed):
            self.calls.setdefault(thread, []).append(number)
        self._traits = traits

    def move_side_calls(self, thread: Thread) -> None:
        """Move calls under another prompt whose answer was not sent back to a side thread."""
        calls = self.calls.get(thread.id, [])
        own = [self._traits[number] for number in calls if self._traits[number].is_sent_back]
        prompts = list({one.prompt: one for one in own}.values())
        side = [
            number
            for number in calls
            if own and not any(self._traits[number].has_prompt_of(one) for one in prompts)
        ]
        new = replace(thread, name=SIDES["sideCalls"], role="sideCalls", parent=thread.id)
        for group in self._groups(side):
            self._move(group, replace(new, call=None))

    def split_by_prompt(self, thread: Thread) -> None:
        """Give each prompt a thread of its own where one returns after another.

        Similar prompts are those of one agent, unless what returns does not go on from the other:
        then each agent has its own view of a chat.
        """
        calls = self.calls.get(thread.id, [])
        groups = self._groups(calls)
        if len(groups) == 1:
            groups = self._groups(calls, is_strict=True)
            if any(self._traits[one].goes_on for one in self._returning(calls)):
                return
        is_handed_back = any(one[-1] > other[0] for one, other in pairwise(groups))
        for group in groups[1:] if is_handed_back else ():
            self._move(group, replace(thread, role="main", parent=None, call=None))

    def rejoin(self) -> None:
        """Join threads that continued although little or nothing was left of them.

        Two that were recorded at the same time are two conversations.
        """
        ends: dict[bytes, int] = {}
        into: dict[int | None, int] = {}
        for thread, calls in sorted(self.calls.items(), key=lambda one: one[1][:1]):
            found = self.threads[thread]
            if not calls or found.role != "main" or found.parent is not None:
                continue
            begins, last = self._traits[calls[0]].identity, self._traits[calls[-1]].identity
            before = None if begins is None else ends.get(begins)
            if before is not None and self.calls[before][-1] < calls[0]:
                self.calls[before] += calls
                for number in calls:
                    self.placed[number] = before
                into[thread] = thread = before
            if last is not None:
                ends[last] = thread
        self.threads = [
            replace(one, parent=into[one.parent]) if one.parent in into else one
            for one in self.threads
        ]

    def _returning(self, calls: Sequence[int]) -> list[int]:
        """Return the calls with a prompt that was used before, but not by the call before them."""
        used, found = set[tuple[bytes, ...]](), []
        for before, number in pairwise(calls):
            used.add(self._traits[before].prompt)
            prompt = self._traits[number].prompt
            if prompt in used and prompt != self._traits[before].prompt:
                found.append(number)
        return found

    def _groups(self, calls: Sequence[int], *, is_strict: bool = False) -> list[list[int]]:
        """Return calls by their prompt, in the order in which the prompts were first used."""
        groups: list[list[int]] = []
        for number in calls:
            traits = self._traits[number]
            others = ((one, self._traits[one[0]]) for one in groups)
            same = (
                one
                for one, other in others
                if traits.prompt == other.prompt or (not is_strict and traits.has_prompt_of(other))
            )
            group = next(same, None)
            if group is None:
                groups.append([number])
            else:
                group.append(number)
        return groups

    def _move(self, calls: Sequence[int], thread: Thread) -> None:
        """Move calls to a new thread."""
        new = replace(thread, id=len(self.threads))
        self.threads.append(new)
        old = self.placed[calls[0]]
        moved = set(calls)
        self.calls[old] = [number for number in self.calls[old] if number not in moved]
        self.calls[new.id] = list(calls)
        for number in calls:
            self.placed[number] = new.id
