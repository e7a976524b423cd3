"""Simulation of a policy over a run: the fast way, on an engine's state without a journal.

Between two calls at which a stage is due, messages are only appended. They are added to the log
together when that is needed: what such a call sends follows from the one before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

from ..conversation.conversation import Clock, Conversation
from ..conversation.readable import Readable
from ..engine.operations import apply
from ..engine.state import ConversationState, Draft, Head, StateAtRevision
from ..engine.views import EMPTY, View, with_indices
from ..errors import Refused, out_of_range
from ..values.times import gc_paused, milliseconds
from .acting import PolicyPass, StateTarget
from .conditions import PolicyMemory
from .costs import Prices, SummaryCall
from .figures import CallFigures, PolicyFigures, RefusedCall
from .policy import Acted, Policy, Sweep
from .runs import CallEvaluator, SimulationConfig, StateAtCall


class SimulationPoint(NamedTuple):
    """A simulation at a call: its head, the length of the log, and the pending messages."""

    head: Head
    log_size: int
    waiting: int


class FastSimulation:
    """A simulation of a policy over a run, call after call."""

    def __init__(self, config: SimulationConfig, policy: Policy) -> None:
        self.calls: list[CallFigures] = []
        self.refused: list[RefusedCall] = []
        self.summaries: list[SummaryCall] = []
        self._config = config
        self._policy = policy
        self._judge = CallEvaluator(config.profile)
        self._is_plain = policy.is_plain
        self._may_be_quiet = self._is_plain and self._judge.is_local and not policy.brings_ties
        self._state = ConversationState(Head(-1, {}, {}, config.settings))
        self._points: list[SimulationPoint] = []
        self._added = 0
        self._last = -1
        self._is_quiet = False
        self._memory = PolicyMemory()
        self._stock: dict[int, list[int]] = {}
        draft = Draft(self._state, 0, config.tally)
        draft.start(())
        draft.commit(self._state)

    def call(self, number: int) -> None:
        """Add the messages before a call, act if a stage is due, and evaluate what is sent."""
        state, config = self._state, self._config
        reached, sums = config.run.calls[number - 1].at, config.sums
        waiting = reached - self._added
        messages = len(state.view) + waiting
        tokens = state.total(state.current) + sums[reached] - sums[self._added]
        if (
            self._is_quiet
            and config.quiet[number - 1]
            and not any(one.when.is_due(messages, tokens, number) for one in self._policy.stages)
        ):
            last = self.calls[-1]
            self.calls.append(
                CallFigures(
                    number, messages, tokens, last.tokens, last.errors, last.marks_missing, False
                )
            )
            self._points.append(SimulationPoint(state.head, len(state.log), waiting))
            return
        before = self._view(self._points[-1]) if self._points else EMPTY
        known = len(state.log)
        acted = self.add_messages(reached, number)
        if not self._is_plain:
            self._memory.hear(state, range(known, len(state.log)))
        made = self._act(number)
        lasting = state.head
        state.head = head = made.target.state.head
        must = {raw for label in config.required_labels for raw in head.marks.get(label, ())}
        figures = self._judge.judge(number, state, before, must, acted=acted or made.acted)
        self.calls.append(figures)
        self._memory.sent = figures.tokens
        self._points.append(SimulationPoint(head, len(state.log), 0))
        self._is_quiet = self._may_be_quiet and self._ends_with_last()
        state.head = lasting

    def _ends_with_last(self) -> bool:
        """Return whether the newest message is sent last, so that the next follow it directly."""
        view, last = self._state.view, self._last
        return len(view) > 0 and view[-1] == last and self._state.log[last].role != "system"

    def add_messages(self, reached: int, number: int = 0) -> bool:
        """Append the messages up to a place of the run, with their marks.

        Stages that act as each message comes do so; return whether they changed anything.
        """
        start, self._added = self._added, reached
        if reached == start:
            return False
        if not any(stage.on == "message" for stage in self._policy.stages):
            self._append(start, reached)
            return False
        acted = False
        for place in range(start, reached):
            self._append(place, place + 1)
            acted |= self._act(number, "message").acted
        return acted

    def _append(self, start: int, stop: int) -> None:
        config, state = self._config, self._state
        draft = Draft(state, 0, config.tally)
        for operation in config.additions(start, stop, len(state.log)):
            apply(draft, operation)
        draft.commit(state)
        self._last = len(state.log) - 1

    def _act(self, number: int, on: str = "call") -> PolicyPass:
        """Apply the stages that are due."""
        state, tally = self._state, self._config.tally
        lasting = StateTarget(state, tally)

        def branch() -> StateTarget:
            state.head = lasting.head
            return StateTarget(state, tally, self._stock)

        output = self._config.output
        made = PolicyPass(self._policy, lasting, self._memory, branch, lambda: number, output)
        made.run(on)
        self.summaries += [SummaryCall(number, *one) for one in self._memory.summaries]
        self.refused += [RefusedCall(number, one.reason) for one in made.refused]
        state.head = lasting.head
        return made

    def _view(self, point: SimulationPoint) -> View:
        view = self._state.revisions[point.head.revision].view
        return view.extended(((point.log_size, point.waiting),)) if point.waiting else view

    def sent(self, place: int) -> StateAtRevision:
        """Return the state that a call has sent, by its index; all messages must be in the log."""
        point = self._points[place]
        if not point.waiting:
            return StateAtRevision(self._state, point.head)
        size = point.log_size + point.waiting
        return StateAtCall(self._state, self._marked(point, place), self._view(point), size)

    def _marked(self, point: SimulationPoint, place: int) -> Head:
        """Return a head with the marks of the pending messages."""
        reached = self._config.run.calls[place].at
        shift = point.log_size - (reached - point.waiting)
        marks = dict(point.head.marks)
        for at, labels in self._config.labels_between(reached - point.waiting, reached):
            for label in labels:
                marks[label] = with_indices(marks.get(label, EMPTY), (at + shift,))
        return point.head._replace(marks=marks)


StillWanted = Callable[[], bool]
"""Called now and then; returns whether the result is still wanted."""

CALLS_A_LOOK = 100
"""Calls between two such checks."""


class SimulationCancelled(Exception):  # noqa: N818 - it says what happened
    """The result is no longer wanted."""


@dataclass(frozen=True)
class PolicyRun:
    """A policy over a run: its figures, and the state at every call."""

    policy: Policy | None
    config: SimulationConfig
    figures: PolicyFigures
    _sent: Callable[[int], StateAtRevision] = field(repr=False)

    @property
    def name(self) -> str:
        return self.figures.name

    def at(self, call: int) -> Readable:
        """Return the conversation that a call sends, for reading; calls count from 1."""
        count = self.figures.calls
        if not 1 <= call <= count:
            raise out_of_range("call", call, f"1…{count}")
        return Readable(self._sent(call - 1))

    def priced(self, prices: Prices | None) -> PolicyRun:
        return replace(
            self,
            config=replace(self.config, prices=prices),
            figures=replace(self.figures, prices=prices),
        )

    def without_states(self) -> PolicyRun:
        """Return the same figures without what was sent, which takes memory for every message."""
        return replace(self, _sent=_forgotten)

    def to_dict(self) -> dict[str, Any]:
        return self.figures.to_dict()


def _forgotten(_place: int) -> StateAtRevision:
    raise Refused("what was sent is not kept of this run", "call", legal="a run of its own")


def run_policy(
    config: SimulationConfig, policy: Policy, wanted: StillWanted | None = None
) -> PolicyRun:
    """Simulate a policy over a run, and evaluate every call."""
    made = FastSimulation(config, policy)
    with gc_paused():
        for number in range(1, len(config.run.calls) + 1):
            if wanted is not None and number % CALLS_A_LOOK == 0 and not wanted():
                raise SimulationCancelled
            made.call(number)
        made.add_messages(len(config.run.messages))
    figures = config.figures(policy.name, made.calls, made.refused, made.summaries)
    return PolicyRun(policy, config, figures, made.sent)


def simulate(
    config: SimulationConfig,
    policy: Policy,
    *,
    meta: Mapping[str, Any] | None = None,
    clock: Clock = milliseconds,
) -> Iterator[tuple[Conversation, Acted]]:
    """Yield a real conversation before each call, and what the policy has just done to it.

    It is the same conversation every time; copy it to keep it.
    """
    settings = config.settings
    conversation = Conversation((), settings, meta=meta or {}, clock=clock)
    reached = 0
    for number, point in enumerate(config.run.calls, start=1):
        added = config.additions(reached, point.at, len(conversation.log))
        if added:
            conversation.execute(added if len(added) > 1 else added[0])
        reached = point.at
        yield conversation, policy.before_call(conversation, number, output=config.output)


def conversation_at(
    config: SimulationConfig,
    policy: Policy,
    call: int,
    *,
    meta: Mapping[str, Any] | None = None,
    clock: Clock = milliseconds,
) -> Conversation:
    """Return a policy's own conversation as it is at a call."""
    if not 1 <= call <= len(config.run.calls):
        raise out_of_range("call", call, f"1…{len(config.run.calls)}")
    return next(islice(simulate(config, policy, meta=meta, clock=clock), call - 1, None))[0]


NAME = "(recorded)"


def recorded(config: SimulationConfig) -> PolicyRun | None:
    """Return what was really sent, if the history shows it."""
    run = config.run
    if not run.has_history:
        return None
    marked = run.marked(config.required_labels)
    judge, calls, sent, batch = CallEvaluator(config.profile), [], [], 0
    before = EMPTY
    for number, point in enumerate(run.calls, start=1):
        state = StateAtCall(run.state, run.state.head, point.view, point.log_size)
        must = [raw for raw in marked if raw < point.log_size]
        calls.append(judge.judge(number, state, before, must, acted=point.batch != batch))
        sent.append(state)
        batch, before = point.batch, point.view
    return PolicyRun(None, config, config.figures(NAME, calls), sent.__getitem__)


def recorded_script(
    config: SimulationConfig, policy: Policy, title: str, file: str | None = None
) -> dict[str, Any]:
    """Return a script that repeats a run and expects at every call what is sent now.

    Its steps run the policy of a file if one is named, so that they fail when the file changes;
    else the policy as it is.
    """
    if not all(stage.lasting for stage in policy.stages):
        raise Refused(
            f"{policy.name} has stages that do not last; a script can't expect what they send",
            field="policy",
            value=policy.name,
            legal="a policy whose stages last",
        )
    run, reached, size = config.run, 0, 0
    steps: list[dict[str, Any]] = []
    counts = any(stage.when.counts_calls for stage in policy.stages)
    acts = zip(simulate(config, policy), run.calls, strict=True)
    for number, ((conversation, done), point) in enumerate(acts, start=1):
        steps += [one.to_dict() for one in config.additions(reached, point.at, size)]
        steps.append(
            {
                "policy": policy.to_dict() if file is None else file,
                **({"call": number} if counts else {}),
                **({"refused": True} if done.refused else {}),
            }
        )
        errors = {one.rule for one in conversation.lint(config.profile) if one.severity == "error"}
        expected = {
            "visible": list(conversation.view),
            "tokens": conversation.tokens.total,
            "lint": sorted(errors) or "clean",
        }
        steps.append({"expect": expected})
        reached, size = point.at, len(conversation.log)
    return {
        "meta": {
            "title": f"{policy.name} over {title}",
            "about": f"What {policy.name} sends at each of {len(run.calls)} calls.",
        },
        "settings": {**config.settings.to_dict(), "profile": config.profile},
        "steps": steps,
    }


ROOM = 0.8
"""The share of the limit that the largest call of a recommended setting may use."""
FRONT_RULE = "the front: nothing keeps as much for as little with as few failing calls"
SHIP_RULE = (
    "to ship: the widest on the front without a failing call, peak at most 80 % of the limit"
)
SHIP_RULE_WITHOUT_LIMIT = "to ship: the widest on the front without a failing call; no limit is set"
STAND_IN_RULE = "nothing on the front has that room: the widest clean setting that has it ships"


@dataclass(frozen=True, eq=False)
class SweepSetting:
    """A policy with one value of the sweep, and what it gives."""

    policy: Policy
    value: int
    run: PolicyRun

    @property
    def figures(self) -> PolicyFigures:
        return self.run.figures

    @property
    def price(self) -> float:
        """Return what it costs, or without prices the tokens that no cache can serve."""
        cost = self.figures.cost
        return self.figures.tokens_outside_prefix if cost is None else cost

    @property
    def has_room(self) -> bool:
        """Return whether its largest call is well below the limit, if there is one."""
        limit = self.figures.limit
        return limit is None or self.figures.peak <= ROOM * limit

    def beats(self, other: SweepSetting) -> bool:
        """Return whether it is at least as good in all three figures, and better in one."""
        mine, theirs = self._score, other._score
        return mine != theirs and all(one <= two for one, two in zip(mine, theirs, strict=True))

    @cached_property
    def _score(self) -> tuple[float, float, float]:
        figures = self.figures
        return figures.failing, self.price, -figures.messages_kept


@dataclass(frozen=True)
class SweepResult:
    """Every setting of a sweep, policy after policy."""

    sweep: Sweep
    settings: tuple[SweepSetting, ...]

    @cached_property
    def front(self) -> tuple[SweepSetting, ...]:
        """Return the settings that no other beats."""
        return tuple(
            one for one in self.settings if not any(other.beats(one) for other in self.settings)
        )

    @cached_property
    def recommended(self) -> SweepSetting | None:
        """Return the recommended setting, if one is fit.

        A setting without room may beat all that have it: then the widest of those is recommended.
        """
        fit = [one for one in self.settings if not one.figures.failing and one.has_room]
        on_front = [one for one in fit if one in self.front]
        widest = sorted(on_front or fit, key=lambda one: (one.figures.messages_kept, -one.price))
        return widest[-1] if widest else None

    @property
    def rules(self) -> tuple[str, ...]:
        """Return the rules of the front and of what ships, as they were applied here."""
        has_limit = any(one.figures.limit is not None for one in self.settings)
        ship = SHIP_RULE if has_limit else SHIP_RULE_WITHOUT_LIMIT
        stands_in = self.recommended is not None and self.recommended not in self.front
        return (FRONT_RULE, ship, *((STAND_IN_RULE,) if stands_in else ()))

    def of(self, policy: str) -> tuple[SweepSetting, ...]:
        return tuple(one for one in self.settings if one.policy.name == policy)

    def to_dict(self) -> dict[str, Any]:
        front = {id(one) for one in self.front}
        return {
            "sweep": str(self.sweep),
            "settings": [
                {
                    "value": one.value,
                    "messagesKept": round(one.figures.messages_kept, 1),
                    "failing": one.figures.failing,
                    "front": id(one) in front,
                    "ship": one is self.recommended,
                    **one.figures.sums(),
                }
                for one in self.settings
            ],
            "ship": None
            if self.recommended is None
            else {
                "name": self.recommended.policy.name,
                "value": self.recommended.value,
                "policy": self.recommended.policy.to_dict(),
            },
            "rules": list(self.rules),
        }


def settings(
    config: SimulationConfig,
    policies: Sequence[Policy],
    sweep: Sweep,
    wanted: StillWanted | None = None,
) -> Iterator[SweepSetting]:
    """Yield each policy with each value of a sweep, walked; refuse a name that one lacks."""
    family = [
        (policy.with_value(sweep.name, value), value) for policy in policies for value in sweep
    ]
    for policy, value in family:
        yield SweepSetting(policy, value, run_policy(config, policy, wanted))


def swept(
    config: SimulationConfig,
    policies: Sequence[Policy],
    sweep: Sweep,
    wanted: StillWanted | None = None,
) -> SweepResult:
    """Return the whole family of a sweep."""
    return SweepResult(sweep, tuple(settings(config, policies, sweep, wanted)))
