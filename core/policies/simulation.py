"""Simulation: the same messages come again, and a policy acts before every call.

Nothing of it touches the conversation the run is of. ``walk`` is the quick way: an engine's state
without a journal, in which every call is a revision. ``rehearse`` does the same with a real
conversation, which can then be opened and changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from ..conversation.conversation import Clock, Conversation
from ..conversation.readable import Readable
from ..errors import Refused, outside
from ..history.state import Moment
from ..operations import Append, Mark
from ..values.collecting import uncollected
from ..values.times import milliseconds
from .figures import PolicyFigures, Prices
from .policy import Acted, Policy
from .questions import Question
from .walking import Walk

Wanted = Callable[[], bool]
"""Is asked now and then whether anybody still waits for the answer."""

CALLS_A_LOOK = 100
"""Calls between two such questions."""


class NotWanted(Exception):  # noqa: N818 - it says what happened
    """Nobody waits for the answer any more."""


@dataclass(frozen=True)
class PolicyRun:
    """A policy over a run: its figures, and every state that was sent."""

    policy: Policy | None
    question: Question
    figures: PolicyFigures
    _sent: Callable[[int], Moment] = field(repr=False)

    @property
    def name(self) -> str:
        """Return what it is called."""
        return self.figures.name

    def at(self, call: int) -> Readable:
        """Return what a call sends, to be asked, linted and blamed; calls count from 1."""
        count = self.figures.calls
        if not 1 <= call <= count:
            raise outside("call", call, f"1…{count}")
        return Readable(self._sent(call - 1))

    def priced(self, prices: Prices | None) -> PolicyRun:
        """Return the same run at other prices."""
        return replace(
            self,
            question=replace(self.question, prices=prices),
            figures=replace(self.figures, prices=prices),
        )

    def without_states(self) -> PolicyRun:
        """Return the same figures without what was sent, which takes memory for every message."""
        return replace(self, _sent=_forgotten)

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as JSON-ready data."""
        return self.figures.to_dict()


def _forgotten(_place: int) -> Moment:
    raise Refused("what was sent is not kept of this run", field="call", legal="a run of its own")


def walk(question: Question, policy: Policy, wanted: Wanted | None = None) -> PolicyRun:
    """Let a run come again under a policy, and judge every call."""
    made = Walk(question, policy)
    with uncollected():
        for number in range(1, len(question.run.calls) + 1):
            if wanted is not None and number % CALLS_A_LOOK == 0 and not wanted():
                raise NotWanted
            made.call(number)
        made.let_in(len(question.run.messages))
    return PolicyRun(
        policy, question, question.figures(policy.name, made.calls, made.refused), made.sent
    )


def rehearse(
    question: Question,
    policy: Policy,
    *,
    meta: Mapping[str, Any] | None = None,
    clock: Clock = milliseconds,
) -> Iterator[tuple[Conversation, Acted]]:
    """Yield a real conversation before each call, and what the policy has just done to it.

    It is the same conversation every time: whoever wants it as it is copies it.
    """
    settings = question.run.state.head.settings
    conversation = Conversation((), settings, meta=meta or {}, clock=clock)
    come = 0
    for number, point in enumerate(question.run.calls, start=1):
        if point.at > come:
            shift = len(conversation.log) - come
            marks = [
                Mark(indices=(place + shift,), label=label)
                for place, labels in question.labels_between(come, point.at)
                for label in labels
            ]
            gap = Append(messages=question.run.messages[come : point.at])
            conversation.execute([gap, *marks] if marks else gap)
            come = point.at
        yield conversation, policy.before_call(conversation, number)


def conversation_at(
    question: Question,
    policy: Policy,
    call: int,
    *,
    meta: Mapping[str, Any] | None = None,
    clock: Clock = milliseconds,
) -> Conversation:
    """Return a policy's own conversation as it stands when a call is made."""
    if not 1 <= call <= len(question.run.calls):
        raise outside("call", call, f"1…{len(question.run.calls)}")
    return next(islice(rehearse(question, policy, meta=meta, clock=clock), call - 1, None))[0]
