"""What one call of a simulated run sends, what is wrong with that, and what did it."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

from ctxtui.core import Finding, Message
from ctxtui.core.conversation.readable import Readable
from ctxtui.core.engine.queries import Blame
from ctxtui.core.engine.state import State
from ctxtui.core.engine.views import EMPTY, View, shared_start
from ctxtui.core.policies import CallFigures
from ctxtui.core.policies.simulation import PolicyRun
from ctxtui.models.causes import OtherHalf, other_half
from ctxtui.models.figures import Figures
from ctxtui.models.tool_links import ToolLinks

MOST_FACTS = 64
"""Calls whose facts are kept: a cursor goes back and forth."""


class Lacked(NamedTuple):
    """A message that must stay and is not sent: its label, and the last call that sent it."""

    label: str
    raw: int
    message: Message
    last_sent: int | None
    blame: Blame | None


class CacheBreak(NamedTuple):
    """Where a call begins to differ from the one before: by position, and by raw index."""

    position: int
    was: int
    now: int | None
    blame: Blame | None


class RunFacts:
    """What can be asked of every call of a run; what was found is kept for a while."""

    def __init__(self, run: PolicyRun) -> None:
        self.run = run
        self._known: dict[int, CallFacts] = {}
        self._last: dict[int, tuple[int, int | None]] = {}

    @cached_property
    def links(self) -> ToolLinks:
        """Return where calls and results stand in the log of the run."""
        made = ToolLinks()
        made.catch_up(self.run.at(self.run.figures.calls).log)
        return made

    @cached_property
    def weights(self) -> Figures:
        """Return running sums of the tokens of each role over the log of the run."""
        last = self.run.at(self.run.figures.calls)
        made = Figures(last.moment.counter)
        made.catch_up(last.log)
        return made

    def at(self, call: int) -> CallFacts:
        """Return the facts of a call."""
        if call not in self._known:
            if len(self._known) >= MOST_FACTS:
                self._known.clear()
            self._known[call] = CallFacts(self, call)
        return self._known[call]

    def last_sent(self, raw: int, call: int) -> int | None:
        """Return the last call before one that has sent a message.

        What was found for the same stretch without it is used again, so that a cursor that moves
        along never looks through the whole run.
        """
        known, answer = self._last.get(raw, (0, None))
        if not (answer or 0) < call <= known:
            stop = known if known < call else 0
            way = range(call - 1, stop, -1)
            found = next((one for one in way if raw in self.run.at(one).view), None)
            answer = answer if found is None and stop else found
            self._last[raw] = (call, answer)
        return answer


class CallFacts:
    """One call: what is sent, and each thing that is wrong with it found when it is asked for."""

    def __init__(self, facts: RunFacts, call: int) -> None:
        self._facts = facts
        self.call = call
        self.sent: Readable = facts.run.at(call)
        self.figures: CallFigures = facts.run.figures.per_call[call - 1]

    @property
    def run(self) -> PolicyRun:
        """Return the run it is a call of."""
        return self._facts.run

    @property
    def state(self) -> State:
        """Return what is sent, as a state."""
        return self.sent.moment

    @property
    def view(self) -> View:
        """Return what is sent, as raw indices."""
        return self.sent.view

    @property
    def log_size(self) -> int:
        """Return how many messages there were when the call was made."""
        return self.sent.current.log_size

    @property
    def links(self) -> ToolLinks:
        """Return where calls and results stand in the log."""
        return self._facts.links

    @property
    def weights(self) -> Figures:
        """Return what a ribbon of the log is coloured by."""
        return self._facts.weights

    def blame(self, raw: int) -> Blame | None:
        """Return what hid a message."""
        return self.sent.blame(raw)

    @cached_property
    def errors(self) -> list[Finding]:
        """Return what a provider would refuse; where nothing is wrong, nobody needs to look."""
        if not self.figures.errors:
            return []
        found = self.sent.lint(self.run.question.profile)
        return [one for one in found if one.severity == "error"]

    @cached_property
    def cause(self) -> OtherHalf | None:
        """Return the other half of the first error's exchange, and what hid it."""
        return other_half(self, self.errors[0]) if self.errors else None

    @cached_property
    def lacked(self) -> list[Lacked]:
        """Return the messages that must stay and are not sent, in the order of the log."""
        if not self.figures.marks_missing:
            return []
        marks = self.state.head.marks
        found: dict[int, str] = {}
        for label in self.run.question.must:
            for raw in marks.get(label, ()):
                if raw < self.log_size and raw not in self.view:
                    found.setdefault(raw, label)
        return [self._lacked(raw, label) for raw, label in sorted(found.items())]

    def _lacked(self, raw: int, label: str) -> Lacked:
        last = self._facts.last_sent(raw, self.call)
        return Lacked(label, raw, self.state.log[raw], last, self.blame(raw))

    @cached_property
    def must_sent(self) -> list[int]:
        """Return the messages that must stay and are sent, by raw index."""
        marks = self.state.head.marks
        found = {raw for label in self.run.question.must for raw in marks.get(label, ())}
        return sorted(raw for raw in found if raw in self.view)

    @cached_property
    def cache_break(self) -> CacheBreak | None:
        """Return where the start of the call before is no longer the start of this one."""
        before = self._facts.run.at(self.call - 1).view if self.call > 1 else EMPTY
        shared = shared_start(self.view, before)
        if shared == len(before):
            return None
        was = before[shared]
        now = self.view[shared] if shared < len(self.view) else None
        return CacheBreak(shared, was, now, self.blame(was) if was not in self.view else None)
