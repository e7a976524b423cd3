"""Acting: the stages of a policy before one call, on a conversation or on a plain state.

What a stage does that is not lasting happens on a second branch, of which only the request is made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol

from ..conversation.conversation import Conversation, Result
from ..engine.log import MADE, Counting
from ..engine.messages import Message
from ..engine.operation import Operation
from ..engine.operations import Append, Delete, Insert, Mark, Replace, Unmark, apply
from ..engine.state import ConversationState, Draft, State, StateAtRevision
from ..engine.views import View, is_same
from ..errors import Refused
from .conditions import Late, PolicyMemory, SelectionsByName, Situation
from .stages import Stage

Plan = Callable[[State], Iterator[Operation]]
Accept = Callable[[State], bool]


class StagedPolicy(Protocol):
    """What a pass asks of a policy."""

    stages: tuple[Stage, ...]
    rounds: int
    act: str
    selections: SelectionsByName

    def plan(self, stage: Stage, situation: Situation) -> Iterator[Operation]: ...


class PolicyTarget(Protocol):
    """What stages act on."""

    @property
    def state(self) -> State: ...

    def attempt(self, plan: Plan, accept: Accept) -> bool:
        """Apply a plan as one, if it changes something and its outcome is accepted."""
        ...


class ConversationTarget:
    """A conversation, with its journal."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self.results: list[Result] = []

    @property
    def state(self) -> State:
        return self._conversation.moment

    def attempt(self, plan: Plan, accept: Accept) -> bool:
        result = self._conversation.apply_plan(plan, accept)
        if result is not None:
            self.results.append(result)
        return result is not None


class StateTarget:
    """A state without a journal, of which this is one branch.

    With a ``stock``, copies that were made for earlier requests are used again.
    """

    def __init__(
        self,
        state: ConversationState,
        counting: Counting,
        stock: dict[int, list[int]] | None = None,
    ) -> None:
        self._state, self._counting, self._stock = state, counting, stock
        self.head = state.head

    @property
    def state(self) -> State:
        return StateAtRevision(self._state, self.head)

    def attempt(self, plan: Plan, accept: Accept) -> bool:
        draft = self.draft(plan)
        if not _differs(draft, self.state) or not accept(draft):
            return False
        self.commit(draft)
        return True

    def draft(self, plan: Plan) -> Draft:
        """Return the outcome of a plan; nothing of it is real before it is committed."""
        self._state.head = self.head
        draft = Draft(self._state, 0, self._counting)
        draft.stock = self._stock
        for step, operation in enumerate(plan(draft)):
            try:
                apply(draft, operation)
            except Refused as refusal:
                raise refusal.with_step(step) from None
        return draft

    def commit(self, draft: Draft) -> None:
        draft.commit(self._state)
        self.head = self._state.head
        if self._stock is not None:
            for raw, origin in draft.log.added_origins.items():
                self._stock.setdefault(origin, []).append(raw)

    def show(self, view: View) -> None:
        """Make a view the projection."""
        self._state.head = self.head
        draft = Draft(self._state, 0, self._counting)
        draft.open_batch(REQUEST, view)
        self.commit(draft)


REQUEST = Append(messages=(Message("user", "request"),))
"""Stands for what makes a view that no operation describes; only in states without a journal."""


def _differs(draft: Draft, state: State) -> bool:
    return not is_same(draft.view, state.view) or draft.head[1:] != state.head[1:]


class StageRefusal(NamedTuple):
    """A stage that was refused, and why."""

    stage: int
    reason: str


class PolicyPass:
    """The stages of a policy before one call."""

    def __init__(
        self,
        policy: StagedPolicy,
        lasting: PolicyTarget,
        memory: PolicyMemory,
        branch: Callable[[], StateTarget],
        call: Callable[[], int],
        output: int | None,
    ) -> None:
        self.refused: list[StageRefusal] = []
        self.acted = False
        self.request: StateTarget | None = None
        self._policy, self._lasting, self._memory = policy, lasting, memory
        memory.summaries.clear()
        self._branch, self._call, self._output = branch, call, output
        self._shared = 0
        self._twins: dict[int, int] = {}

    @property
    def target(self) -> PolicyTarget:
        """Return what would be sent: of the second branch, if there is one."""
        return self._lasting if self.request is None else self.request

    def run(self, on: str = "call") -> None:
        """Act on what is due, in rounds as long as something changes."""
        places = [at for at, stage in enumerate(self._policy.stages) if stage.on == on]
        for _ in range(1 + self._policy.rounds):
            changed = False
            for place in places:
                if self._act(place):
                    changed = self.acted = True
                    if self._policy.act == "first":
                        break
            if not changed:
                return

    def _act(self, place: int) -> bool:
        """Do a stage as often as it asks for; return whether it changed anything."""
        stage, changed = self._policy.stages[place], False
        if stage.give_up is not None and self._memory.fails(place) >= stage.give_up:
            return False
        for _ in range(1 + stage.again):
            try:
                situation = self._situation(self.target.state)
                if not is_due(stage, situation) or not self._do(stage, place):
                    break
            except Refused as refusal:
                self.refused.append(StageRefusal(place, str(refusal)))
                break
            changed = True
        return changed

    def _situation(self, state: State) -> Situation:
        selections = self._policy.selections
        return Situation(state, self._memory, selections, self._output, self._call)

    def _do(self, stage: Stage, place: int) -> bool:
        before, ensures = self._situation(self.target.state), stage.ensures
        if isinstance(ensures, Late):
            ensures = ensures.bound(before)

        def accept(outcome: State) -> bool:
            fits = ensures is None or ensures.holds(before.at(outcome), before)
            if not fits:
                self._memory.add_failure(place)
            return fits

        def plan(state: State) -> Iterator[Operation]:
            return self._policy.plan(stage, self._situation(state))

        if stage.lasting and self.request is None:
            return self._lasting.attempt(plan, accept)
        if self.request is None:
            self._shared = len(self._lasting.state.log)
            self.request = self._branch()
        if not stage.lasting:
            return self.request.attempt(plan, accept)
        return self._do_behind(self.request, plan, accept)

    def _do_behind(self, request: StateTarget, plan: Plan, accept: Accept) -> bool:
        """Do a lasting stage behind one that is not: to the originals, and to the request."""
        draft = request.draft(plan)
        if not _differs(draft, request.state) or not accept(draft):
            return False
        edits = edits_of(request.state, draft)
        views = [set(self._lasting.state.view), set(request.state.view)]
        self._lasting.attempt(_repeated(edits, self._original), _always)
        changed = request.attempt(_repeated(edits, _visible), _always)
        lasting, sent = (
            [raw for raw in target.state.view if raw not in view]
            for target, view in zip((self._lasting, request), views, strict=True)
        )
        if len(lasting) == len(sent):
            self._twins.update(zip(sent, lasting, strict=True))
        return changed

    def raws(self) -> Iterator[int | None]:
        """Yield for each message of the request its index in the lasting log, if it has one."""
        for raw in self.target.state.view:
            yield raw if raw < self._shared else self._twins.get(raw)

    def _original(self, state: State, raw: int) -> int | None:
        """Return the message of the lasting branch that one of the request is or copies."""
        assert self.request is not None
        log, found = self.request.state.log, raw
        while True:
            if found in self._twins:
                return self._twins[found]
            if found < self._shared and found in state.view:
                return found
            origin = log.origin(found)
            if origin is None or origin == MADE:
                return None
            found = origin

    def per_message(self, raws: Sequence[int]) -> None:
        """Let stages act as each of some new messages comes, which end the view."""
        final = self._lasting.state
        end = len(final.view) - len(raws)
        self.request = self._branch()
        self.request.show(final.view[:end])
        for raw in raws:
            self.request.show(self.request.state.view.extended(((raw, 1),)))
            self.run("message")
        sent = self.request.state
        edits = edits_of(final, sent)
        self.request = None
        if edits:
            self._lasting.attempt(_repeated(edits, _visible), _always)


def is_due(stage: Stage, situation: Situation) -> bool:
    """Return whether a stage is due; the number of the call is found only if it matters."""
    if isinstance(stage.due, Late):
        return stage.due.bound(situation).holds(situation)
    if not stage.due.is_plain:
        return stage.due.holds(situation)
    call = situation.call() if stage.due.counts_calls else 0
    return stage.due.is_due(situation.count("messages"), situation.count("tokens"), call)


def _always(_: State) -> bool:
    return True


class ProjectionEdit(NamedTuple):
    """Messages that make way for others, between two that stay."""

    gone: tuple[int, ...]
    messages: tuple[Message, ...]
    sources: tuple[int | None, ...]
    behind: int | None

    def operations(self, state: State, find: FindVisible) -> Iterator[Operation]:
        """Yield what does it to a state, in which messages may be visible as others."""
        view = state.view
        known = (find(state, raw) for raw in self.gone)
        gone = [raw for raw in dict.fromkeys(known) if raw is not None]
        if not self.messages:
            if gone:
                yield Delete(indices=gone)
        elif gone:
            copied = self.sources == self.gone and len(gone) == len(self.messages)
            for old, new in zip(gone, self.messages, strict=False) if copied else ():
                yield Replace(indices=(old,), messages=(new,), as_copies=True)
            if not copied:
                yield Replace(indices=gone, messages=self.messages)
        else:
            before = None if self.behind is None else find(state, self.behind)
            at = None if before is None else view.position(before)
            yield Insert(position=0 if at is None else at + 1, messages=self.messages)


FindVisible = Callable[[State, int], int | None]
"""Returns as which message of a state another one is visible."""


def _visible(state: State, raw: int) -> int | None:
    return raw if raw in state.view else None


class MarkEdit(NamedTuple):
    """Messages that got a label, or lost it."""

    label: str
    raws: tuple[int, ...]
    is_new: bool

    def operations(self, state: State, find: FindVisible) -> Iterator[Operation]:
        """Yield what does it to a state, in which messages may be visible as others."""
        found = [raw for one in self.raws if (raw := find(state, one)) is not None]
        if found:
            operation = Mark if self.is_new else Unmark
            yield operation(indices=tuple(dict.fromkeys(found)), label=self.label)


def marks_between(before: State, after: State) -> Iterator[MarkEdit]:
    """Yield which messages have got labels between two states, and which have lost them."""
    old, new = before.head.marks, after.head.marks
    for label in sorted({*old, *new}):
        was, now = set(old.get(label, ())), set(new.get(label, ()))
        if was - now:
            yield MarkEdit(label, tuple(sorted(was - now)), False)
        if now - was:
            yield MarkEdit(label, tuple(sorted(now - was)), True)


def edits_of(before: State, after: State) -> list[ProjectionEdit | MarkEdit]:
    """Return what leads from one state to another: of the projection, then of labels."""
    found: list[ProjectionEdit | MarkEdit] = []
    found += edits_between(before, after)
    found += marks_between(before, after)
    return found


def _repeated(edits: Sequence[ProjectionEdit | MarkEdit], find: FindVisible) -> Plan:
    def operations(state: State) -> Iterator[Operation]:
        for edit in edits:
            yield from edit.operations(state, find)

    return operations


def edits_between(before: State, after: State) -> Iterator[ProjectionEdit]:
    """Yield what leads from one projection to another of a log that has only grown."""
    old, new = list(before.view), list(after.view)
    stays = set(old).intersection(new)
    if [raw for raw in old if raw in stays] != [raw for raw in new if raw in stays]:
        raise Refused(
            "a lasting stage behind one that does not last can't reorder messages",
            "lasting",
            legal="a stage that hides or writes messages",
        )
    at, behind = 0, None
    gone: list[int] = []
    for raw in [*old, None]:
        if raw is not None and raw not in stays:
            gone.append(raw)
            continue
        fresh = []
        while at < len(new) and new[at] != raw:
            fresh.append(new[at])
            at += 1
        at += 1
        if gone or fresh:
            yield ProjectionEdit(
                tuple(gone),
                tuple(after.log[one] for one in fresh),
                tuple(after.log.origin(one) for one in fresh),
                behind,
            )
        gone, behind = [], raw
