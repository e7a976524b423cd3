"""Contenders: policies of a comparison, each with what it would have sent at every call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from typing import NamedTuple

from ctxtui.core import Conversation, Finding, Message, Refused
from ctxtui.core.conversation.readable import Readable
from ctxtui.core.engine.queries import Blame
from ctxtui.core.engine.state import State
from ctxtui.core.engine.views import EMPTY, View, shared_start
from ctxtui.core.policies import CallFigures, Policy, PolicyFigures, Prices
from ctxtui.core.policies.runs import RecordedRun, SimulationConfig, run_of
from ctxtui.core.policies.simulation import (
    NAME,
    PolicyRun,
    SimulationCancelled,
    StillWanted,
    conversation_at,
    recorded,
    run_policy,
)
from ctxtui.core.storage import Library, Session
from ctxtui.files.policies import PolicyFile, load_policy
from ctxtui.inspector.models.links import OtherHalf, ToolLinks, other_half
from ctxtui.inspector.models.look import Figures
from ctxtui.inspector.models.search import Spot
from ctxtui.text.toast import sentence_of
from ctxtui.what_if.models.recipes import ground_at

LETTERS = "ABCDEF"
"""What policies are called in plots and tables; there are at most so many."""
RECORDED_LETTER = "R"
_IDS = count()


@dataclass(frozen=True)
class Contender:
    """A policy of a comparison: not walked yet, walked, or with a sentence why it can't be.

    Without a file it is a setting of a sweep, or what the history itself has sent.
    """

    id: int
    file: PolicyFile | None = None
    policy: Policy | None = None
    run: PolicyRun | None = None
    problem: str | None = None
    is_recorded: bool = False

    @property
    def name(self) -> str:
        """Return what it is called; before its file is read, as that is."""
        if self.is_recorded:
            return NAME
        if self.policy is not None:
            return self.policy.name
        return "" if self.file is None else self.file.name

    @property
    def is_pending(self) -> bool:
        """Tell whether nobody knows yet what it gives."""
        return self.run is None and self.problem is None

    @property
    def figures(self) -> PolicyFigures | None:
        """Return its figures, as soon as they are known."""
        return None if self.run is None else self.run.figures


def of_file(file: PolicyFile) -> Contender:
    """Return a policy that is yet to be read."""
    return Contender(next(_IDS), file)


def of_policy(policy: Policy) -> Contender:
    """Return a policy that has no file."""
    return Contender(next(_IDS), policy=policy)


def of_history() -> Contender:
    """Return what the history itself has sent."""
    return Contender(next(_IDS), is_recorded=True)


def walked(
    question: SimulationConfig, contender: Contender, wanted: StillWanted | None = None
) -> Contender:
    """Return a contender with what came of it; reading and walking may take a while."""
    if contender.is_recorded:
        return replace(contender, run=recorded(question))
    try:
        policy = contender.policy
        if policy is None:
            assert contender.file is not None
            policy = load_policy(contender.file.path)
        return replace(contender, policy=policy, run=run_policy(question, policy, wanted))
    except SimulationCancelled:
        raise
    except Exception as problem:
        return replace(contender, problem=sentence_of(problem))


# What one call of a simulated run sends, what is wrong with that, and what did it.

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
        found = self.sent.lint(self.run.config.profile)
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
        for label in self.run.config.required_labels:
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
        found = {raw for label in self.run.config.required_labels for raw in marks.get(label, ())}
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


# Policies over a run, side by side: what the sides of what-if share, so that none asks twice.

MOST_POLICIES = len(LETTERS)


class Answer(NamedTuple):
    """Something that was found out: what the run is, or what a policy gives over it.

    ``asked`` tells for which question: an answer to an earlier one is of no use any more.
    """

    asked: int
    run: RecordedRun | None = None
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
        self.question: SimulationConfig | None = None
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

    def answers(self, wanted: StillWanted) -> Iterator[Answer]:
        """Find out what is not known yet, and yield it as it comes."""
        asked, question = self._asked, self.question
        contenders = list(self.contenders)
        if question is None:
            run = run_of(ground_at(self.conversation, self.revision).conversation)
            question = SimulationConfig.about(run, prices=self.prices)
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
                except SimulationCancelled:
                    return

    def take(self, answer: Answer) -> None:
        """Take what was found out, unless something else has been asked meanwhile."""
        if answer.asked != self._asked:
            return
        if answer.run is not None and self.question is None:
            self.question = SimulationConfig.about(answer.run, prices=self.prices)
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
        question = SimulationConfig.about(
            self.question.run, required_labels=named or None, prices=self.prices
        )
        if question.required_labels == self.question.required_labels:
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


# Rehearsals: a policy's own conversation as it stands when a call is made, as a new session.


class Rehearsal(NamedTuple):
    """What is to be opened: a call of a run under a policy, and where to look first."""

    question: SimulationConfig
    policy: Policy
    call: int
    title: str
    spot: Spot | None = None

    @property
    def name(self) -> str:
        """Return what the session is called."""
        return f"{self.title} · {self.policy.name}, call {self.call}"

    def conversation(self) -> Conversation:
        """Return the conversation, which says where it comes from."""
        origin = {
            "conversation": self.title,
            "policy": self.policy.to_dict(),
            "call": self.call,
        }
        return conversation_at(
            self.question, self.policy, self.call, meta={"title": self.name, "origin": origin}
        )


def rehearse_beside(library: Library, rehearsal: Rehearsal) -> Session:
    """Return a session of a rehearsal, beside the one whose run it plays."""
    session = library.create(rehearsal.conversation(), title=rehearsal.name)
    calls = len(rehearsal.question.run.calls)
    told = f"Simulated: {rehearsal.policy.name} at call {rehearsal.call:,} of {calls:,}."
    session.notes = (*session.notes, f"{told} {rehearsal.title} stays as it was.")
    return session
