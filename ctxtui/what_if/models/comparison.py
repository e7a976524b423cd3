"""Strategies compared: what each makes of the state now, and sends at every call of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count
from typing import NamedTuple

from ctxtui.calls.models.sheet import Break
from ctxtui.core import Conversation, Finding, Message, Refused
from ctxtui.core.conversation.readable import Readable
from ctxtui.core.engine.operation import Operation
from ctxtui.core.engine.queries import Blame
from ctxtui.core.engine.state import State
from ctxtui.core.engine.views import View, shared_start
from ctxtui.core.policies import CallFigures, Policy, PolicyFigures, Prices
from ctxtui.core.policies.runs import RecordedRun, SimulationConfig, run_of
from ctxtui.core.policies.seen_run import seen_run
from ctxtui.core.policies.simulation import (
    NAME,
    PolicyRun,
    SimulationCancelled,
    StillWanted,
    conversation_at,
    recorded,
    run_policy,
)
from ctxtui.core.recipes import Recipe, read_recipe
from ctxtui.core.storage import Library, Session
from ctxtui.core.what_if import WhatIf, WhatIfOutcome
from ctxtui.files.policies import PolicyFile, first_strategies, load_recipe_or_policy
from ctxtui.files.preferences import load_preferences
from ctxtui.inspector.models.links import OtherHalf, ToolLinks, other_half
from ctxtui.inspector.models.look import Figures
from ctxtui.inspector.models.search import Spot
from ctxtui.text.toast import sentence_of

LETTERS = "ABCDEF"
"""What strategies are called in plots and tables; there are at most so many."""
MOST_STRATEGIES = len(LETTERS)
MOST_FACTS = 64
"""Calls whose facts are cached: a cursor goes back and forth."""


class Ground(WhatIf):
    """The state that every strategy is tried on, with what drawing it takes."""

    @property
    def batch(self) -> int:
        return self.conversation.batch.number

    @cached_property
    def roles(self) -> bytes:
        """Return the role of each visible message, one byte each."""
        return self.view.column(self.conversation.log.roles)

    @cached_property
    def marked(self) -> list[int]:
        return sorted({place for places in self.marks.values() for place in places})


@dataclass(frozen=True)
class Strategy:
    """A recipe, a policy, or what was recorded; what it gives is None until it is found out.

    A recipe is a list of operations to apply now. A policy says when it acts, so it can also be
    simulated over the run. Without a file it is a setting of a sweep, or was made of a recipe or
    for the session.
    """

    file: PolicyFile | None = None
    recipe: Recipe | None = None
    policy: Policy | None = None
    is_recorded: bool = False
    outcome: WhatIfOutcome | None = None
    """What it makes of the state now."""
    operations: tuple[Operation, ...] = ()
    """What it does now; none where no stage of a policy is due."""
    refusal: str | None = None
    """Why it can't be applied now."""
    run: PolicyRun | None = None
    """What it sends at every call."""
    problem: str | None = None
    """Why it can't be read or simulated."""
    title: str = ""
    """What a recipe without a file is called."""
    id: int = field(default_factory=count().__next__)

    @property
    def name(self) -> str:
        """Return what it is called; before its file is read, as that is."""
        if self.is_recorded:
            return NAME if self.run is None else self.run.name
        if self.policy is not None:
            return self.policy.name
        return self.title if self.file is None else self.file.name

    @property
    def is_untried(self) -> bool:
        """Return whether it is not known yet what it does now."""
        is_known = self.outcome is not None or self.refusal is not None or self.problem is not None
        return not (is_known or self.is_recorded)

    @property
    def is_pending(self) -> bool:
        return self.recipe is None and self.run is None and self.problem is None

    @property
    def figures(self) -> PolicyFigures | None:
        return None if self.run is None else self.run.figures


def loaded_from(file: PolicyFile) -> Strategy:
    """Return the recipe or policy of a file, or refuse what is neither."""
    loaded = load_recipe_or_policy(file.path)
    strategy = Strategy(file)
    if isinstance(loaded, Policy):
        return replace(strategy, policy=loaded)
    return replace(strategy, recipe=loaded)


def tried(ground: Ground, strategy: Strategy) -> Strategy:
    """Return a strategy with what it makes of the state now; reading and trying take a moment."""
    try:
        if strategy.file is not None:
            strategy = replace(loaded_from(strategy.file), id=strategy.id)
    except Exception as problem:
        return replace(strategy, problem=sentence_of(problem))
    try:
        return _applied(ground, strategy)
    except Exception as problem:
        return replace(strategy, refusal=sentence_of(problem))


def _applied(ground: Ground, strategy: Strategy) -> Strategy:
    if strategy.recipe is not None:
        outcome = ground.outcome(list(strategy.recipe))
        return replace(strategy, outcome=outcome, operations=strategy.recipe)
    assert strategy.policy is not None
    copy = ground.conversation.copy()
    known = len(copy.revisions)
    acted = strategy.policy.before_call(copy)
    if acted.refused:
        return replace(strategy, refusal=acted.refused[0].reason)
    done = (copy.revisions[at].operation for at in range(known, len(copy.revisions)))
    outcome = ground.judge(acted.results[-1]) if acted.results else ground.now
    operations = tuple(one for one in done if one is not None)
    return replace(strategy, outcome=outcome, operations=operations)


def simulated(
    question: SimulationConfig,
    strategy: Strategy,
    wanted: StillWanted | None = None,
    seen: Conversation | None = None,
) -> Strategy:
    """Return a strategy with what it sends at every call of a run, which may take a while.

    The recorded run of ``seen`` is the one that its model saw.
    """
    if strategy.is_recorded:
        run = None if seen is None else seen_run(question, seen)
        return replace(strategy, run=run or recorded(question))
    assert strategy.policy is not None
    try:
        return replace(strategy, run=run_policy(question, strategy.policy, wanted))
    except SimulationCancelled:
        raise
    except Exception as problem:
        return replace(strategy, problem=sentence_of(problem))


class Lacked(NamedTuple):
    """A message that must stay and is not sent: its label, and the last call that sent it."""

    label: str
    raw: int
    message: Message
    last_sent: int | None
    blame: Blame | None


class RunFacts:
    """What can be asked of every call of a run; what was found is kept for a while."""

    def __init__(self, run: PolicyRun) -> None:
        self.run = run
        self._known: dict[int, PolicyCall] = {}
        self._last: dict[int, tuple[int, int | None]] = {}

    @cached_property
    def links(self) -> ToolLinks:
        made = ToolLinks()
        made.catch_up(self.run.at(self.run.figures.calls).log)
        return made

    @cached_property
    def weights(self) -> Figures:
        last = self.run.at(self.run.figures.calls)
        made = Figures(last.moment.counter)
        made.catch_up(last.log)
        return made

    def at(self, call: int) -> PolicyCall:
        if call not in self._known:
            if len(self._known) >= MOST_FACTS:
                self._known.clear()
            self._known[call] = PolicyCall(self, call)
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


class PolicyCall:
    """One call: what is sent, and each thing that is wrong with it found when it is asked for."""

    def __init__(self, facts: RunFacts, call: int) -> None:
        self._facts = facts
        self.call = call
        self.sent: Readable = facts.run.at(call)
        self.figures: CallFigures = facts.run.figures.per_call[call - 1]

    @property
    def run(self) -> PolicyRun:
        return self._facts.run

    @property
    def state(self) -> State:
        return self.sent.moment

    @property
    def view(self) -> View:
        return self.sent.view

    @property
    def log_size(self) -> int:
        return self.sent.current.log_size

    @property
    def links(self) -> ToolLinks:
        return self._facts.links

    @property
    def weights(self) -> Figures:
        return self._facts.weights

    def blame(self, raw: int) -> Blame | None:
        return self.sent.blame(raw)

    @cached_property
    def errors(self) -> list[Finding]:
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
        if not self.figures.marks_missing:
            return []
        marks = self.state.head.marks
        found: dict[int, str] = {}
        for label in self.run.config.required_labels:
            for raw in marks.get(label, ()):
                if raw < self.log_size and raw not in self.view:
                    found.setdefault(raw, label)
        last, log = self._facts.last_sent, self.state.log
        return [
            Lacked(label, raw, log[raw], last(raw, self.call), self.blame(raw))
            for raw, label in sorted(found.items())
        ]

    @cached_property
    def must_sent(self) -> list[int]:
        marks = self.state.head.marks
        found = {raw for label in self.run.config.required_labels for raw in marks.get(label, ())}
        return sorted(raw for raw in found if raw in self.view)

    @cached_property
    def broke(self) -> Break:
        if self.call == 1:
            return Break("first")
        before = self._facts.run.at(self.call - 1).view
        shared = shared_start(self.view, before)
        if shared == len(before):
            return Break("whole", shared)
        if shared == len(self.view):
            return Break("end", shared, before[shared])
        return Break("message", shared, before[shared], self.view[shared])

    @property
    def broke_by(self) -> Blame | None:
        """Return what hid the message at which the cache breaks, where one was hidden."""
        was = self.broke.was
        return None if was is None or was in self.view else self.blame(was)


class Answer(NamedTuple):
    """Something that was found out: the state now, the run, or what a strategy gives.

    ``asked`` says for which question: an answer to an earlier one is dropped.
    """

    asked: int
    ground: Ground | None = None
    run: RecordedRun | None = None
    strategy: Strategy | None = None


class StrategyComparison:
    """Strategies that are compared, and where the cursor is: now, or on a call of the run.

    It is changed only by the screen that shows it; ``answers`` may run in a thread meanwhile.
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
        self.ground: Ground | None = None
        self.question: SimulationConfig | None = None
        self.problem = ""
        """Why something could not be found out."""
        self.strategies = [Strategy(file) for file in files[:MOST_STRATEGIES]]
        self.chosen = 0
        self.compared: int | None = None
        """The id of the strategy that was chosen before."""
        self.reads_seen = False
        """Whether the recorded run is what its model saw, not what was sent."""
        self._wants_now = True
        self._call: int | None = None
        self._asked = 0
        self._facts: dict[int, RunFacts] = {}

    # Finding out

    def answers(self, wanted: StillWanted) -> Iterator[Answer]:
        """Find out what is not known yet, and yield it as it is found: now first, then the run."""
        asked, ground, question = self._asked, self.ground, self.question
        if not wanted():
            return
        if ground is None:
            copy = self.conversation.copy()
            if self.revision is not None:
                copy.checkout(revision=self.revision)
            ground = Ground(copy)
            _ = ground.now
            yield Answer(asked, ground=ground)
        strategies = list(self.strategies)
        for at, strategy in enumerate(strategies):
            if not wanted():
                return
            if strategy.is_untried:
                strategies[at] = tried(ground, strategy)
                yield Answer(asked, strategy=strategies[at])
        if question is None:
            run = run_of(ground.conversation)
            question = SimulationConfig.about(run, prices=self.prices)
            if not wanted():
                return
            yield Answer(asked, run=run)
            strategies = [one for one in self.strategies if one.is_recorded] + strategies
        for strategy in strategies:
            if not wanted():
                return
            if strategy.is_pending and question.run.calls:
                try:
                    seen = ground.conversation if self.reads_seen else None
                    yield Answer(asked, strategy=simulated(question, strategy, wanted, seen))
                except SimulationCancelled:
                    return

    def take(self, answer: Answer) -> None:
        """Store what was found out, unless something else has been asked meanwhile."""
        if answer.asked != self._asked:
            return
        self.ground = answer.ground or self.ground
        if answer.run is not None and self.question is None:
            self.question = SimulationConfig.about(answer.run, prices=self.prices)
            if answer.run.has_history and answer.run.calls:
                self.chosen += bool(self.strategies)
                self.strategies.insert(0, Strategy(is_recorded=True))
        done = answer.strategy
        if done is not None and done.is_recorded and self.ground is not None:
            done = replace(done, outcome=self.ground.now)
        if done is not None:
            run = None if done.run is None else done.run.priced(self.prices)
            done = replace(done, run=run)
            self.strategies = [done if one.id == done.id else one for one in self.strategies]

    @property
    def is_pending(self) -> bool:
        return self.question is None or (
            self.calls > 0 and any(one.is_pending for one in self.strategies)
        )

    # What is asked

    @property
    def calls(self) -> int:
        return 0 if self.question is None else len(self.question.run.calls)

    @property
    def limit(self) -> int | None:
        question = self.question
        return None if question is None else question.run.state.head.settings.token_limit

    def ask_prices(self, text: str) -> None:
        """Set other prices, or none; nothing needs to be simulated again."""
        self.prices = Prices.read(text) if text.strip() else None
        if self.question is not None:
            self.question = replace(self.question, prices=self.prices)
        self.strategies = [
            one if one.run is None else replace(one, run=one.run.priced(self.prices))
            for one in self.strategies
        ]

    def ask_must(self, text: str) -> None:
        """Ask again with other labels that must stay; without one, all of them must."""
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
        self.strategies = [
            replace(one, run=None, problem=None if one.policy or one.is_recorded else one.problem)
            for one in self.strategies
        ]

    def read_as(self, *, seen: bool) -> None:
        """Ask again for the recorded run: as its model saw it, or as it was sent."""
        if seen != self.reads_seen:
            self.reads_seen = seen
            self._asked += 1
            self._facts.clear()
            self.strategies = [
                replace(one, run=None) if one.is_recorded else one for one in self.strategies
            ]

    # Which strategies

    @property
    def strategy_count(self) -> int:
        """Return how many strategies are compared; what was recorded is none."""
        return sum(not one.is_recorded for one in self.strategies)

    @property
    def has_room(self) -> bool:
        return self.strategy_count < MOST_STRATEGIES

    def letter(self, strategy: Strategy) -> str:
        if strategy.is_recorded:
            return "R"
        ids = [one.id for one in self.strategies if not one.is_recorded]
        return LETTERS[ids.index(strategy.id)]

    def add_file(self, file: PolicyFile) -> None:
        self._add(lambda one: one.file is not None and one.file.path == file.path, Strategy(file))

    def add_policy(self, policy: Policy) -> None:
        """Compare a policy that has no file, or choose it if it is among them.

        If there are too many, it replaces the last one without a file, or else the last one.
        """
        self._add(lambda one: one.policy == policy, Strategy(policy=policy))

    def _add(self, is_known: Callable[[Strategy], bool], strategy: Strategy) -> None:
        known = [at for at, one in enumerate(self.strategies) if is_known(one)]
        if known:
            self.choose(known[0])
            return
        if not self.has_room:
            loose = [one for one in self.strategies if one.file is None and not one.is_recorded]
            self._remove((loose or self.strategies)[-1])
        self.strategies = [*self.strategies, strategy]
        self.choose(len(self.strategies) - 1)

    def play(self) -> bool:
        """Make the chosen recipe a policy that acts before every call; False if it is none."""
        current = self.current
        if current is None or current.recipe is None:
            return False
        policy = Policy([one.to_dict() for one in current.recipe], name=current.name)
        self.strategies = [
            Strategy(policy=policy) if one.id == current.id else one for one in self.strategies
        ]
        return True

    def take_out(self) -> bool:
        """Remove the chosen strategy and return whether that was possible; a recorded run stays."""
        current = self.current
        if current is None or current.is_recorded:
            return False
        self._remove(current)
        self.chosen = min(self.chosen, max(0, len(self.strategies) - 1))
        return True

    def _remove(self, strategy: Strategy) -> None:
        self.strategies = [one for one in self.strategies if one.id != strategy.id]
        self._facts.pop(strategy.id, None)

    # The cursor

    @property
    def current(self) -> Strategy | None:
        return self.strategies[self.chosen] if self.chosen < len(self.strategies) else None

    def choose(self, at: int) -> None:
        """Choose a strategy by its place; the one before is what it is compared with."""
        at = max(0, min(at, len(self.strategies) - 1))
        before = self.current
        if before is not None and at != self.chosen:
            self.compared = before.id
            if not self.is_now:
                self._call = self.call  # The same call is compared.
        self.chosen = at

    def choose_letter(self, letter: str) -> None:
        letters = [self.letter(one) for one in self.strategies]
        if letter in letters:
            self.choose(letters.index(letter))

    @property
    def rival(self) -> Strategy | None:
        """Return what the chosen one is compared with: the one chosen before, else the next."""
        others = [one for at, one in enumerate(self.strategies) if at != self.chosen]
        named = [one for one in others if one.id == self.compared]
        later = [one for at, one in enumerate(self.strategies) if at > self.chosen]
        return next(iter([*named, *later, *others]), None)

    @property
    def is_now(self) -> bool:
        """Return whether the cursor is on the state now; without calls it always is."""
        return self._wants_now or not self.calls

    @property
    def call(self) -> int:
        """Return the call the cursor is or was on, from 1; at first one that fails, or the last."""
        if self._call is not None:
            return max(1, min(self._call, self.calls))
        return self._next(1, [one.fails for one in self.per_call], 0) or max(1, self.calls)

    def go_to(self, call: int) -> None:
        self._wants_now = False
        self._call = max(1, min(call, self.calls))

    def step(self, by: int) -> None:
        """Go on by some calls, or back; behind the last call is now."""
        call = (self.calls + 1 if self.is_now else self.call) + by
        if call > self.calls:
            self._wants_now = True
        else:
            self.go_to(call)

    def turn(self) -> None:
        self._wants_now = not self._wants_now

    @property
    def per_call(self) -> Sequence[CallFigures]:
        figures = None if self.current is None else self.current.figures
        return () if figures is None else figures.per_call

    def failing(self, by: int) -> int | None:
        """Return the next call that fails, or the one before; from now, the first or the last."""
        return self._next(by, [one.fails for one in self.per_call])

    def acting(self, by: int) -> int | None:
        """Return the next call before which the strategy acts, or the one before."""
        return self._next(by, [one.acted for one in self.per_call])

    def _next(self, by: int, found: list[bool], start: int | None = None) -> int | None:
        if start is None:
            start = self.call if not self.is_now else 0 if by > 0 else len(found) + 1
        way = range(start + 1, len(found) + 1) if by > 0 else range(start - 1, 0, -1)
        return next((call for call in way if found[call - 1]), None)

    def facts(self) -> PolicyCall | None:
        """Return what the chosen strategy sends at the call under the cursor, if that is known."""
        current = self.current
        if current is None or current.run is None or self.is_now:
            return None
        known = self._facts.get(current.id)
        if known is None or known.run.figures.per_call is not current.run.figures.per_call:
            known = self._facts[current.id] = RunFacts(current.run)
        return known.at(self.call)


SHARES = (50, 80)
"""Percent of the limit that recipes for a session cut it to."""


def scaled_recipes(conversation: Conversation, revision: int | None = None) -> list[Strategy]:
    """Return recipes in the measure of a session: half of it, and shares of its limit.

    All keep pairs whole. Where half of the limit is not reached, they are shares of what is sent.
    """
    state = conversation if revision is None else conversation.at(conversation.revisions[revision])
    size, total, limit = len(state.view), state.tokens.total, state.settings.token_limit
    is_near = limit is not None and 0 < limit * SHARES[0] < total * 100
    whole, of = (limit or 0, "the limit") if is_near else (total, "the tokens")
    cuts = [("half the messages", {"keepLast": max(1, size // 2)})]
    cuts += [(f"{share} % of {of}", {"maxTokens": whole * share // 100}) for share in SHARES]
    fixed = {"operation": "TRUNCATE", "keepSystem": True, "keepPairs": True}
    return [
        Strategy(recipe=tuple(read_recipe([{**fixed, **cut}])), title=name) for name, cut in cuts
    ]


def compare_session(
    session: Session, files: Sequence[PolicyFile] | None = None, revision: int | None = None
) -> StrategyComparison:
    """Return a comparison of policies on a session, at the prices of the settings."""
    try:
        prices = Prices.read(load_preferences().prices)
    except Refused:
        prices = None
    source = session.details.source
    comparison = StrategyComparison(
        session.conversation,
        session.name,
        first_strategies(MOST_STRATEGIES - 1) if files is None else files,
        revision=revision,
        prices=prices,
        source=None if source is None else source.path,
    )
    if files is None:
        known = comparison.strategies
        own = [one for one in known if one.file is not None and one.file.origin != "bundled"]
        made = scaled_recipes(session.conversation, revision)
        comparison.strategies = [*own, *made, *known[len(own) :]][:MOST_STRATEGIES]
    return comparison


# What one call sends under a policy, as a session.


class SimulatedCall(NamedTuple):
    """What is to be opened: a call of a run under a policy, and what to show first."""

    question: SimulationConfig
    policy: Policy
    call: int
    title: str
    spot: Spot | None = None

    @property
    def name(self) -> str:
        return f"{self.title} · {self.policy.name}, call {self.call}"

    def conversation(self) -> Conversation:
        origin = {
            "conversation": self.title,
            "policy": self.policy.to_dict(),
            "call": self.call,
        }
        return conversation_at(
            self.question, self.policy, self.call, meta={"title": self.name, "origin": origin}
        )


def open_simulated(library: Library, call: SimulatedCall) -> Session:
    """Return a new session of what a call sends, next to the one whose run is simulated."""
    session = library.create(call.conversation(), title=call.name)
    calls = len(call.question.run.calls)
    said = f"Simulated: {call.policy.name} at call {call.call:,} of {calls:,}."
    session.notes = (*session.notes, f"{said} {call.title} stays as it was.")
    return session
