"""Walking through a run under a policy: the quick way, an engine's state without a journal.

Between two calls before which something is due, messages only come. They are let in together when
that is needed: what such a call sends is known from the one before.
"""

from __future__ import annotations

from typing import NamedTuple

from ..errors import Refused
from ..history.draft import Draft
from ..history.state import Head, Moment, Stored
from ..operations import Append, Mark
from ..rules import apply
from ..views.marks import with_indices
from ..views.shared import is_same
from ..views.view import EMPTY, View
from .figures import CallFigures, RefusedCall
from .judging import Judge
from .policy import Policy
from .questions import Question
from .sent import Sent
from .stages import Stage


class Stand(NamedTuple):
    """Where a walk stood at a call: a head, the length of the log, and how many came behind it."""

    head: Head
    log_size: int
    waiting: int


class Walk:
    """A run on its way through a policy, call after call."""

    def __init__(self, question: Question, policy: Policy) -> None:
        self.calls: list[CallFigures] = []
        self.refused: list[RefusedCall] = []
        self._question = question
        self._policy = policy
        self._judge = Judge(question.profile)
        self._may_carry = self._judge.is_local and not policy.brings_ties
        self._state = Stored(Head(-1, {}, {}, question.run.state.head.settings))
        self._stands: list[Stand] = []
        self._let_in = 0
        self._last = -1
        self._carries = False
        draft = Draft(self._state, 0, question.tally)
        draft.start(())
        draft.commit(self._state)

    def call(self, number: int) -> None:
        """Let come what comes before a call, act if something is due, and judge what is sent."""
        state, question = self._state, self._question
        come, sums = question.run.calls[number - 1].at, question.sums
        waiting = come - self._let_in
        messages = len(state.view) + waiting
        tokens = state.total(state.current) + sums[come] - sums[self._let_in]
        due = any(one.when.is_due(messages, tokens, number) for one in self._policy.stages)
        if self._carries and not due and question.quiet[number - 1]:
            last = self.calls[-1]
            self.calls.append(
                CallFigures(
                    number, messages, tokens, last.tokens, last.errors, last.marks_missing, False
                )
            )
            self._stands.append(Stand(state.head, len(state.log), waiting))
            return
        before = self._view(self._stands[-1]) if self._stands else EMPTY
        self.let_in(come)
        acted = self._act(number)
        must = {raw for label in question.must for raw in state.head.marks.get(label, ())}
        self.calls.append(self._judge.judge(number, state, before, must, acted=acted))
        self._stands.append(Stand(state.head, len(state.log), 0))
        self._carries = self._may_carry and self._ends_with_last()

    def _ends_with_last(self) -> bool:
        """Tell whether what came last is sent last, so that what follows stands right behind it."""
        view, last = self._state.view, self._last
        return len(view) > 0 and view[-1] == last and self._state.log[last].role != "system"

    def let_in(self, come: int) -> None:
        """Put the messages that have come into the log, with their marks."""
        start, self._let_in = self._let_in, come
        if come == start:
            return
        question, state = self._question, self._state
        draft, shift = Draft(state, 0, question.tally), len(state.log) - start
        apply(draft, Append(messages=question.run.messages[start:come]))
        for place, labels in question.labels_between(start, come):
            for label in labels:
                apply(draft, Mark(indices=(place + shift,), label=label))
        draft.commit(state)
        self._last = come - 1 + shift

    def _act(self, number: int) -> bool:
        """Do what the stages are to do where they are due; tell whether anything was changed."""
        state, acted = self._state, False
        for stage in self._policy.stages:
            if stage.when.is_due(len(state.view), state.total(state.current), number):
                try:
                    acted |= self._carry_out(stage)
                except Refused as refusal:
                    self.refused.append(RefusedCall(number, str(refusal)))
        return acted

    def _carry_out(self, stage: Stage) -> bool:
        state = self._state
        draft = Draft(state, 0, self._question.tally)
        for step, operation in enumerate(self._policy.plan(stage, draft)):
            try:
                apply(draft, operation)
            except Refused as refusal:
                raise refusal.at(step) from None
        if is_same(draft.view, state.view) and draft.head[1:] == state.head[1:]:
            return False
        draft.commit(state)
        return True

    def _view(self, stand: Stand) -> View:
        view = self._state.revisions[stand.head.revision].view
        return view.extended(((stand.log_size, stand.waiting),)) if stand.waiting else view

    def sent(self, place: int) -> Moment:
        """Return what a call has sent, by its place from 0; all that has come must be let in."""
        stand = self._stands[place]
        if not stand.waiting:
            return Moment(self._state, stand.head)
        size = stand.log_size + stand.waiting
        return Sent(self._state, self._marked(stand, place), self._view(stand), size)

    def _marked(self, stand: Stand, place: int) -> Head:
        """Return a head with the marks of what had come and was not let in yet."""
        come = self._question.run.calls[place].at
        shift = stand.log_size - (come - stand.waiting)
        marks = dict(stand.head.marks)
        for at, labels in self._question.labels_between(come - stand.waiting, come):
            for label in labels:
                marks[label] = with_indices(marks.get(label, EMPTY), (at + shift,))
        return stand.head._replace(marks=marks)
