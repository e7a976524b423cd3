"""Policies over a run, side by side: what the sides of what-if share, so that none asks twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from ctxtui.core import Conversation, Refused
from ctxtui.core.policies import CallFigures, Policy, Prices
from ctxtui.core.policies.runs import Question, Run, run_of
from ctxtui.core.policies.simulation import NotWanted, Wanted
from ctxtui.files.policies import PolicyFile
from ctxtui.models.call_facts import CallFacts, RunFacts
from ctxtui.models.contenders import (
    LETTERS,
    RECORDED_LETTER,
    Contender,
    of_file,
    of_history,
    of_policy,
    walked,
)
from ctxtui.models.trials import ground_at

MOST_POLICIES = len(LETTERS)


class Answer(NamedTuple):
    """Something that was found out: what the run is, or what a policy gives over it.

    ``asked`` tells for which question: an answer to an earlier one is of no use any more.
    """

    asked: int
    run: Run | None = None
    contender: Contender | None = None


class PolicyComparison:
    """Policies that are compared over one run, and where the cursor stands among its calls.

    It is changed only by whoever shows it; ``answers`` may be worked out in a thread meanwhile.
    """

    def __init__(
        self,
        conversation: Conversation,
        title: str,
        files: Sequence[PolicyFile],
        *,
        revision: int | None = None,
        prices: Prices | None = None,
        source: str | None = None,
    ) -> None:
        self.conversation = conversation
        self.title = title
        self.source = title if source is None else source
        """What the command line finds the conversation by."""
        self.revision = revision
        self.prices = prices
        self.question: Question | None = None
        self.problem = ""
        """Why something could not be found out."""
        self.contenders = [of_file(file) for file in files[:MOST_POLICIES]]
        self.chosen = 0
        self.compared: int | None = None
        """The id of the contender that was chosen before."""
        self._call: int | None = None
        self._asked = 0
        self._facts: dict[int, RunFacts] = {}

    # Finding out

    def answers(self, wanted: Wanted) -> Iterator[Answer]:
        """Find out what is not known yet, and yield it as it comes."""
        asked, question = self._asked, self.question
        contenders = list(self.contenders)
        if question is None:
            run = run_of(ground_at(self.conversation, self.revision).conversation)
            question = Question.about(run, prices=self.prices)
            if not wanted():
                return
            yield Answer(asked, run=run)
            contenders = list(self.contenders)
        for contender in contenders:
            if not wanted():
                return
            if contender.is_pending and question.run.calls:
                try:
                    yield Answer(asked, contender=walked(question, contender, wanted))
                except NotWanted:
                    return

    def take(self, answer: Answer) -> None:
        """Take what was found out, unless something else has been asked meanwhile."""
        if answer.asked != self._asked:
            return
        if answer.run is not None and self.question is None:
            self.question = Question.about(answer.run, prices=self.prices)
            if answer.run.has_history and answer.run.calls:
                self.contenders.insert(0, of_history())
        done = answer.contender
        if done is not None:
            run = None if done.run is None else done.run.priced(self.prices)
            done = replace(done, run=run)
            self.contenders = [done if one.id == done.id else one for one in self.contenders]

    @property
    def is_pending(self) -> bool:
        """Tell whether something is not known yet."""
        return self.question is None or (
            self.calls > 0 and any(one.is_pending for one in self.contenders)
        )

    # What is asked

    @property
    def calls(self) -> int:
        """Return how often the model was called."""
        return 0 if self.question is None else len(self.question.run.calls)

    @property
    def limit(self) -> int | None:
        """Return the limit of tokens that the settings have."""
        question = self.question
        return None if question is None else question.run.state.head.settings.token_limit

    def ask_prices(self, text: str) -> None:
        """Take other prices, or none; nothing needs to be walked again."""
        self.prices = Prices.read(text) if text.strip() else None
        if self.question is not None:
            self.question = replace(self.question, prices=self.prices)
        self.contenders = [
            one if one.run is None else replace(one, run=one.run.priced(self.prices))
            for one in self.contenders
        ]

    def ask_must(self, text: str) -> None:
        """Ask anew with other labels that must stay; without one, all of them must."""
        if self.question is None:
            raise Refused("the run is still being read", field="must", legal="in a moment")
        named = [label.strip() for label in text.split(",") if label.strip()]
        question = Question.about(self.question.run, must=named or None, prices=self.prices)
        if question.must == self.question.must:
            return
        self.question = question
        self._asked += 1
        self._facts.clear()
        self.contenders = [replace(one, run=None, problem=None) for one in self.contenders]

    # Which policies

    @property
    def policy_count(self) -> int:
        """Return how many policies are compared; what was recorded is none."""
        return sum(not one.is_recorded for one in self.contenders)

    @property
    def has_room(self) -> bool:
        """Tell whether another policy can be compared."""
        return self.policy_count < MOST_POLICIES

    def letter(self, contender: Contender) -> str:
        """Return what a contender is called in plots and tables."""
        if contender.is_recorded:
            return RECORDED_LETTER
        policies = [one.id for one in self.contenders if not one.is_recorded]
        return LETTERS[policies.index(contender.id)]

    def add_file(self, file: PolicyFile) -> None:
        """Compare the policy of a file with the others, or choose it if it is among them."""
        known = [one.file is not None and one.file.path == file.path for one in self.contenders]
        if True in known:
            self.choose(known.index(True))
        else:
            self._add(of_file(file))

    def add_policy(self, policy: Policy) -> None:
        """Compare a policy that has no file, or choose it if it is among them.

        Where there is no room for it, the last one without a file makes it, or else the last one.
        """
        known = [one.policy == policy for one in self.contenders]
        if True in known:
            self.choose(known.index(True))
            return
        if not self.has_room:
            loose = [one for one in self.contenders if one.file is None and not one.is_recorded]
            self._remove((loose or self.contenders)[-1])
        self._add(of_policy(policy))

    def _add(self, contender: Contender) -> None:
        self.contenders = [*self.contenders, contender]
        self.choose(len(self.contenders) - 1)

    def take_out(self) -> bool:
        """Take the chosen policy out; what was recorded stays. Tell whether one went."""
        current = self.current
        if current is None or current.is_recorded:
            return False
        self._remove(current)
        self.chosen = min(self.chosen, max(0, len(self.contenders) - 1))
        return True

    def _remove(self, contender: Contender) -> None:
        self.contenders = [one for one in self.contenders if one.id != contender.id]
        self._facts.pop(contender.id, None)

    # The cursor

    @property
    def current(self) -> Contender | None:
        """Return the contender that is chosen."""
        return self.contenders[self.chosen] if self.chosen < len(self.contenders) else None

    def choose(self, at: int) -> None:
        """Choose a contender by its place; the one before is what it is compared with."""
        at = max(0, min(at, len(self.contenders) - 1))
        before = self.current
        if before is not None and at != self.chosen:
            self.compared = before.id
            self._call = self.call if self.calls else None  # What is compared is the same call.
        self.chosen = at

    def choose_letter(self, letter: str) -> None:
        """Choose a contender by its letter, if there is such one."""
        letters = [self.letter(one) for one in self.contenders]
        if letter in letters:
            self.choose(letters.index(letter))

    @property
    def rival(self) -> Contender | None:
        """Return the contender that the chosen one is compared with: the one chosen before.

        Before any other was chosen it is the next one.
        """
        others = [one for at, one in enumerate(self.contenders) if at != self.chosen]
        named = [one for one in others if one.id == self.compared]
        later = [one for at, one in enumerate(self.contenders) if at > self.chosen]
        return next(iter([*named, *later, *others]), None)

    @property
    def call(self) -> int:
        """Return the call the cursor is on, from 1; at first one that fails, else the last."""
        if self._call is not None:
            return max(1, min(self._call, self.calls))
        return self.failing(1, 0) or max(1, self.calls)

    def go_to(self, call: int) -> None:
        """Put the cursor on a call."""
        self._call = max(1, min(call, self.calls))

    @property
    def per_call(self) -> Sequence[CallFigures]:
        """Return the calls of the contender that is chosen."""
        figures = None if self.current is None else self.current.figures
        return () if figures is None else figures.per_call

    def failing(self, by: int, start: int | None = None) -> int | None:
        """Return the next call that fails, or the one before, seen from the cursor."""
        return self._next(by, [one.fails for one in self.per_call], start)

    def acting(self, by: int) -> int | None:
        """Return the next call before which the policy acts, or the one before."""
        return self._next(by, [one.acted for one in self.per_call])

    def _next(self, by: int, found: list[bool], start: int | None = None) -> int | None:
        here = self.call if start is None else start
        way = range(here + 1, len(found) + 1) if by > 0 else range(here - 1, 0, -1)
        return next((call for call in way if found[call - 1]), None)

    def facts(self) -> CallFacts | None:
        """Return what the chosen policy sends at the call under the cursor, if that is known."""
        current = self.current
        if current is None or current.run is None or not self.calls:
            return None
        known = self._facts.get(current.id)
        if known is None or known.run.figures.per_call is not current.run.figures.per_call:
            known = self._facts[current.id] = RunFacts(current.run)
        return known.at(self.call)
