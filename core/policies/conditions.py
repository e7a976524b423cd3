"""Conditions: when a stage of a policy is due, and what its outcome must be like."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, Generic, Self, TypeVar

from pydantic import model_validator

from ..engine.amounts import (
    OUTPUT,
    SENT,
    UNITS,
    Amount,
    Bound,
    Counted,
    Exact,
    Expression,
    Lookup,
    worked_out,
)
from ..engine.messages import Message, ToolUsePart
from ..engine.selection import MessageSelection, read_selection
from ..engine.state import State
from ..engine.units import MessageSequence
from ..errors import Refused, refusals_at, too_small, wrong_type
from ..values.models import Checked, Flag, Model, Words, read_each, read_number, to_camel


@dataclass
class PolicyMemory:
    """What a policy remembers of a conversation between calls.

    ``sent`` and ``used`` are the tokens of its last request, the second with the answer;
    ``failures`` counts by stage how often its outcome was not as it must be; ``seen`` is how much
    of the log was there at the last call. ``summaries`` are those written before this call: the
    tokens that were read, and those that were written.
    """

    sent: int = 0
    used: int = 0
    failures: dict[int, int] | None = None
    seen: int = 0
    summaries: list[tuple[int, int]] = field(default_factory=list)

    def hear(self, state: State, fresh: Sequence[int]) -> None:
        """Take note of the answer to the last request: the first message that came since."""
        answered = self.sent > 0 and fresh and state.log[fresh[0]].role == "assistant"
        answer = state.log.tokens(fresh[0], state.counter) if answered else 0
        self.used = self.sent + answer

    def fails(self, stage: int) -> int:
        return (self.failures or {}).get(stage, 0)

    def add_failure(self, stage: int) -> None:
        self.failures = {**(self.failures or {}), stage: self.fails(stage) + 1}


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Late(Generic[T]):
    """What is read again with the numbers that only a policy knows, each time it is used.

    ``shape`` is what it looks like, with 1 in place of those numbers.
    """

    data: Any
    shape: T
    read: Callable[[Any], T]

    def bound(self, situation: Situation) -> T:
        selections = tuple(situation.selections)
        return self.read(with_numbers(self.data, situation.late, selections))


def read_late(data: Any, selections: Sequence[str], read: Callable[[Any], T]) -> T | Late[T]:
    """Return what is read from JSON data, now or later."""
    plain_data = with_numbers(data, lambda _: 1, selections)
    shape = read(plain_data)
    return shape if plain_data == data else Late(data, shape, read)


def shape_of(given: T | Late[T]) -> T:
    """Return what something looks like before its numbers are known."""
    return given.shape if isinstance(given, Late) else given


_LATE = re.compile(r"\b(?:output|sent|[A-Za-z_]\w*\.[a-z]+)\b", re.ASCII)


def with_numbers(data: Any, look: Lookup, selections: Sequence[str]) -> Any:
    """Return JSON data with numbers in place of the names that only a policy knows."""

    def number(found: re.Match[str]) -> str:
        name, _, unit = found[0].partition(".")
        if unit and (name not in selections or unit not in UNITS):
            return found[0]
        return f"({look(found[0])})"

    if isinstance(data, str):
        return _LATE.sub(number, data)
    if isinstance(data, Mapping):
        return {
            key: value if holds_text(key, value) else with_numbers(value, look, selections)
            for key, value in data.items()
        }
    if isinstance(data, list | tuple):
        return [with_numbers(one, look, selections) for one in data]
    return data


TEXTS = frozenset(
    {
        *("operation", "name", "description", "text", "template", "label", "marks", "keepMarks"),
        *("contentContains", "contentExcludes", "message", "messages", "data", "toolDescription"),
        *("input", "note", "each", "between", "none", "marker", "prefix", "superseded"),
        *("tools", "exceptTools", "called"),
    }
)
"""Fields that hold texts: a dollar in them is a dollar."""


def holds_text(key: object, value: object) -> bool:
    """Return whether a field holds text, in which no number is a setting.

    ``messages`` are texts in an operation that brings some, and else a unit.
    """
    if not isinstance(key, str) or to_camel(key) not in TEXTS:
        return False
    return key != "messages" or isinstance(value, list | tuple)


class Situation:
    """What conditions and numbers are about: a state before a call, and what a policy knows."""

    def __init__(
        self,
        state: State,
        memory: PolicyMemory,
        selections: SelectionsByName,
        output: int | None,
        call: Callable[[], int],
    ) -> None:
        self.state = state
        self.memory = memory
        self.selections = selections
        self.output = output
        self.call = call
        self._asked: list[str] = []

    def at(self, state: State) -> Situation:
        return Situation(state, self.memory, self.selections, self.output, self.call)

    def now(self) -> Situation:
        """Return the same about what its state, a draft, has become."""
        return self.at(self.state)

    @cached_property
    def sequence(self) -> MessageSequence:
        return MessageSequence(self.state, list(self.state.view))

    def count(self, unit: str) -> int:
        """Return how much of a unit would be sent."""
        if unit == "messages":
            return len(self.state.view)
        if unit == "tokens":
            return self.state.total(self.state.current)
        return self.sequence.count(unit)

    def count_of(self, unit: str, chosen: MessageSelection | None) -> int:
        """Return how much of a unit some selection has of what would be sent."""
        if chosen is None:
            return self.count(unit)
        return self.sequence.of(chosen.pick(self.sequence)).count(unit)

    def look(self, name: str) -> Exact:
        """Return the number behind a name that any expression may have."""
        return self.count(name) if name in UNITS else self.sequence.look(name)

    def late(self, name: str) -> Exact:
        """Return the number behind a name that only a policy knows."""
        if name == SENT:
            return self.memory.sent
        if name == OUTPUT:
            if self.output is None:
                legal = "a max_tokens of the recorded call, or --max-output"
                raise Refused("no output limit is set", OUTPUT, None, legal)
            return self.output
        selection, _, unit = name.partition(".")
        if name in self._asked:
            raise Refused(f"the number {name} names itself", name, legal="another selection")
        self._asked.append(name)
        given = self.selections[selection]
        chosen = given.bound(self) if isinstance(given, Late) else given
        self._asked.pop()
        return self.count_of(unit, chosen)

    @cached_property
    def newest(self) -> Sequence[Message]:
        """Return the two newest messages of the run; what a policy wrote does not count."""
        log = self.state.log
        raws = (raw for raw in range(len(log) - 1, -1, -1) if log.origin(raw) is None)
        return [log[raw] for raw, _ in zip(raws, range(2), strict=False)]

    def newest_answer(self) -> Message | None:
        log = self.state.log
        return next(
            (
                log[raw]
                for raw in range(len(log) - 1, -1, -1)
                if log[raw].role == "assistant" and log.origin(raw) is None
            ),
            None,
        )


SelectionsByName = Mapping[str, MessageSelection | Late[MessageSelection]]


class Bounds(Model):
    """What a number of units must be like; several bounds must all hold."""

    title = "a bound"
    of: Annotated[Any, Checked(lambda value, _: read_selection(value))] | None = None
    above: Bound | None = None
    at_least: Bound | None = None
    below: Bound | None = None
    at_most: Bound | None = None

    @model_validator(mode="after")
    def _given(self) -> Self:
        if not self.model_fields_set - {"of"}:
            legal = "above, atLeast, below, atMost"
            raise Refused(f"no bound is given; give one of {legal}", None, {}, legal)
        return self

    def holds(self, number: Exact, look: Callable[[str], Exact]) -> bool:
        return (
            (self.above is None or number > worked_out(self.above, look))
            and (self.at_least is None or number >= worked_out(self.at_least, look))
            and (self.below is None or number < worked_out(self.below, look))
            and (self.at_most is None or number <= worked_out(self.at_most, look))
        )

    def in_words(self, what: str) -> str:
        words = {"above": "above", "at_least": "at least", "below": "below", "at_most": "at most"}
        given = [
            f"{words[name]} {_number(getattr(self, name))}"
            for name in words
            if getattr(self, name) is not None
        ]
        return f"{' and '.join(given)} {what}"


def _number(amount: Amount) -> str:
    return f"{amount:,}" if isinstance(amount, int) else str(amount)


def read_bounds(value: object, field: str) -> Bounds:
    """Return the bounds of a condition."""
    with refusals_at(field):
        return value if isinstance(value, Bounds) else Bounds.from_dict(value)  # type: ignore[arg-type]


def read_plain_bounds(value: object, field: str) -> Bounds:
    """Return bounds of a number that no selection can narrow."""
    bounds = read_bounds(value, field)
    if bounds.of is not None:
        raise Refused(f"{field} takes no of", f"{field}.of", legal="above, atLeast, below, atMost")
    return bounds


def read_interval(value: object, field: str) -> int:
    """Return a number of calls, one at least."""
    if read_number(value, field) < 1:
        raise too_small(field, value, 1)
    return value  # type: ignore[return-value]


def read_conditions(value: object, field: str) -> tuple[When, ...]:
    """Return one condition or more."""
    if not isinstance(value, list | tuple) or not value:
        raise wrong_type(field, value, "a list of conditions")
    return read_each(value, field, read_condition)


def read_condition(value: object, _: str = "") -> When:
    """Return a condition."""
    return value if isinstance(value, When) else When.from_dict(value)  # type: ignore[arg-type]


UnitBounds = Annotated[Bounds, Checked(read_bounds)]
NumberBounds = Annotated[Bounds, Checked(read_plain_bounds)]
Conditions = Annotated[Any, Checked(read_conditions)]


class When(Model):
    """What makes a stage due: any one of the conditions that are given; with none, always."""

    title = "when"
    tokens_above: Counted | None = None
    messages_above: Counted | None = None
    every_calls: Annotated[int | None, Checked(read_interval)] = None
    always: Flag = True
    messages: UnitBounds | None = None
    tokens: UnitBounds | None = None
    characters: UnitBounds | None = None
    rows: UnitBounds | None = None
    sides: UnitBounds | None = None
    groups: UnitBounds | None = None
    exchanges: UnitBounds | None = None
    turns: UnitBounds | None = None
    items: UnitBounds | None = None
    events: UnitBounds | None = None
    sent: NumberBounds | None = None
    used: NumberBounds | None = None
    turn_start: Flag | None = None
    called: Words | None = None
    idle_above: Bound | None = None
    all_: Conditions | None = None
    any_: Conditions | None = None
    not_: Annotated[Any, Checked(read_condition)] | None = None

    @model_validator(mode="after")
    def _never(self) -> Self:
        if not self.always:
            raise Refused(
                "always false says nothing; leave it out or give another condition",
                field="always",
                value=False,
                legal="true",
            )
        return self

    @property
    def given(self) -> set[str]:
        return {name for name in self.model_fields_set if getattr(self, name) is not None}

    @property
    def is_always(self) -> bool:
        """Return whether the stage is due before every call."""
        return not self.given or "always" in self.given

    @property
    def is_plain(self) -> bool:
        """Return whether it follows from how much would be sent, and the number of the call."""
        return self.given <= PLAIN_CONDITIONS and not any(
            isinstance(one, Expression) for one in (self.tokens_above, self.messages_above)
        )

    @property
    def counts_calls(self) -> bool:
        """Return whether the number of the call matters."""
        inner = [*(self.all_ or ()), *(self.any_ or ()), *((self.not_,) if self.not_ else ())]
        return self.every_calls is not None or any(one.counts_calls for one in inner)

    def is_due(self, messages: int, tokens: int, call: int) -> bool:
        """Return whether a plain condition holds before a call, of which so much would be sent."""
        return (
            (self.messages_above is not None and messages > self.messages_above)
            or (self.tokens_above is not None and tokens > self.tokens_above)
            or (self.every_calls is not None and call % self.every_calls == 0)
            or self.is_always
        )

    def holds(self, now: Situation, before: Situation | None = None) -> bool:
        """Return whether it holds; its numbers are about what was there before, if given."""
        return self.holds_by(now, (before or now).look)

    def holds_by(self, now: Situation, look: Callable[[str], Exact]) -> bool:
        """Return whether it holds, with what its numbers name looked up elsewhere."""
        return self.is_always or any(
            self._one_holds(name, getattr(self, name), now, look) for name in self.given
        )

    def _one_holds(
        self, name: str, given: Any, now: Situation, look: Callable[[str], Exact]
    ) -> bool:
        match name:
            case "tokens_above" | "messages_above":
                number = now.count(name.removesuffix("_above"))
                holds = number > worked_out(given, look)
            case "every_calls":
                holds = now.call() % given == 0
            case "sent" | "used":
                holds = given.holds(getattr(now.memory, name), look)
            case "turn_start":
                holds = (bool(now.newest) and now.newest[0].role == "user") is given
            case "called":
                answer = now.newest_answer()
                parts = () if answer is None else answer.parts
                holds = any(isinstance(part, ToolUsePart) and part.name in given for part in parts)
            case "idle_above":
                times = [one.timestamp for one in now.newest if one.timestamp is not None]
                idle = times[0] - times[1] if len(times) > 1 else -1
                holds = idle > 1000 * worked_out(given, look)
            case "all_":
                holds = all(one.holds_by(now, look) for one in given)
            case "any_":
                holds = any(one.holds_by(now, look) for one in given)
            case "not_":
                holds = not given.holds_by(now, look)
            case _:
                holds = given.holds(now.count_of(name, given.of), look)
        return bool(holds)

    def in_words(self) -> str:
        return "before every call" if self.is_always else " or ".join(self._phrases())

    def _phrases(self) -> Iterator[str]:
        for name in type(self).model_fields:
            given = getattr(self, name)
            if name not in self.given or name == "always":
                continue
            match name:
                case "tokens_above" | "messages_above":
                    yield f"above {_number(given)} {name.partition('_')[0]}"
                case "every_calls":
                    yield f"every {given:,} calls"
                case "sent" | "used":
                    yield given.in_words(f"tokens {name} by the last call")
                case "turn_start":
                    yield "at the start of a turn" if given else "within a turn"
                case "called":
                    yield f"after a call of {', '.join(given)}"
                case "idle_above":
                    yield f"after {_number(given)} idle seconds"
                case "all_" | "any_":
                    joined = " and " if name == "all_" else " or "
                    yield joined.join(one.in_words() for one in given)
                case "not_":
                    yield f"not {given.in_words()}"
                case _:
                    chosen = "" if given.of is None else " of some messages"
                    yield given.in_words(f"{name}{chosen}")


PLAIN_CONDITIONS = {"tokens_above", "messages_above", "every_calls", "always"}
ALWAYS = When()
