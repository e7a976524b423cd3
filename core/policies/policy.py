"""Policies: stages with triggers and operations, as JSON or from Python.

Numbers may have a name, so that one file is a whole family: ``{"parameters": {"k": 60}}`` lets
``"$k"``, ``"$k+20"``, ``"$k-5"`` and ``"-$k"`` appear wherever a number does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from weakref import ref

from ..conversation.conversation import Conversation, Result
from ..conversation.native import BODIES
from ..engine.amounts import Expression
from ..engine.calls import Call
from ..engine.messages import Message, is_unnamed_result
from ..engine.operation import Operation
from ..engine.operations import Compress
from ..engine.selection import MessageSelection, read_selection
from ..engine.state import ConversationState
from ..engine.tokens import counting
from ..errors import (
    Refused,
    check_keys,
    format_value,
    key_name,
    out_of_range,
    refusals_at,
    wrong_type,
)
from ..values.frozen import DEEPEST, FrozenDict, freeze, thaw
from ..values.models import (
    JsonRecord,
    read_choice,
    read_count,
    read_each,
    read_number,
    read_text,
    to_camel,
)
from ..values.numbers import SPACES, count_in
from .acting import ConversationTarget, PolicyPass, StateTarget, is_due
from .conditions import (
    Late,
    PolicyMemory,
    SelectionsByName,
    Situation,
    holds_text,
    read_late,
)
from .runs import calls_made
from .stages import STAGE_KEYS, Stage, provider_stages, read_stage, with_selections

MOST_SETTINGS = 1_000
"""Settings of one sweep; more are a slip of the hand."""

_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_REFERENCE = re.compile(r"\$([A-Za-z_]\w*)", re.ASCII)

Parameters = Mapping[str, int | float]
MOST_SWEPT, SMALLEST = 10**12, 1e-9


def read_parameters(value: object) -> dict[str, int | float]:
    """Return names and their numbers, or refuse them."""
    if not isinstance(value, Mapping):
        raise wrong_type("parameters", value, "an object of names and numbers")
    for name in value:
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise wrong_type("parameters", name, "a name of letters, digits and underscores")
    return {name: _read_parameter(number, f"parameters.{name}") for name, number in value.items()}


def _read_parameter(value: object, field: str) -> int | float:
    """Return a number; a decimal is read as it is written."""
    if isinstance(value, float) and SMALLEST < abs(value) < MOST_SWEPT:
        return value
    return read_number(value, field)


def filled_in(data: Any, parameters: Parameters) -> Any:
    """Return JSON data with a number in place of each reference to a parameter."""
    if isinstance(data, Mapping):
        return {
            key: value if holds_text(key, value) else _value(key_name(key), value, parameters)
            for key, value in data.items()
        }
    if isinstance(data, list | tuple):
        return [filled_in(item, parameters) for item in data]
    return data


def _value(key: str, value: Any, parameters: Parameters) -> Any:
    if not isinstance(value, str) or not _REFERENCE.search(value):
        return filled_in(value, parameters)

    def number(found: re.Match[str]) -> str:
        name = found[1]
        if name not in parameters:
            legal = ", ".join(parameters) or "a policy with parameters"
            raise Refused(
                f"{key} {format_value(value)} names no parameter; there are {legal}"
                if parameters
                else f"{key} {format_value(value)} names a parameter, and the policy has none",
                field=key,
                value=value,
                legal=legal,
            )
        return f"({Decimal(str(parameters[name])):f})"

    text = _REFERENCE.sub(number, value)
    expression = Expression.read(text, key)
    if expression.names:
        return text
    known = expression.value(lambda _: 0)
    return int(known) if known == int(known) else text


def with_field(data: Any, name: str, value: int) -> tuple[Any, int]:
    """Return JSON data in which every field of a name holds a value, and how many there are."""
    wanted = to_camel(name)
    if isinstance(data, Mapping):
        count, made = 0, {}
        for key, inner in data.items():
            texts = holds_text(key, inner)
            if isinstance(key, str) and to_camel(key) == wanted and not texts:
                if isinstance(inner, Mapping | list | tuple):
                    made[key], found = with_field(inner, name, value)
                else:
                    made[key], found = value, 1
            elif texts:
                made[key], found = inner, 0
            else:
                made[key], found = with_field(inner, name, value)
            count += found
        return made, count
    if isinstance(data, list | tuple):
        pairs = [with_field(item, name, value) for item in data]
        return [item for item, _ in pairs], sum(found for _, found in pairs)
    return data, 0


class Sweep:
    """A name and the numbers it is to take, one after the other: ``keepLast=10:200:10``."""

    def __init__(self, name: str, start: int, stop: int, step: int = 1) -> None:
        if not _NAME.fullmatch(name):
            raise wrong_type("sweep", name, "the name of a parameter or field")
        if step < 1:
            raise out_of_range("step", step, "1 or more")
        if stop < start:
            raise out_of_range("last", stop, f"{start} or more")
        self.name, self.start, self.stop, self.step = name, start, stop, step
        if len(self) > MOST_SETTINGS:
            raise out_of_range("sweep", f"{len(self)} settings", f"1…{MOST_SETTINGS} settings")

    @classmethod
    def read(cls, text: str) -> Sweep:
        name, equals, values = text.partition("=")
        pieces = values.split(":")
        numbers = [count_in(piece.strip(SPACES)) for piece in pieces]
        known = [number for number in numbers if number is not None and number < MOST_SWEPT]
        if not equals or len(pieces) not in (2, 3) or len(known) < len(pieces):
            raise wrong_type("sweep", text, "NAME=FIRST:LAST or NAME=FIRST:LAST:STEP")
        return cls(name.strip(), *known)

    def __len__(self) -> int:
        return (self.stop - self.start) // self.step + 1

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.start, self.stop + 1, self.step))

    def __str__(self) -> str:
        return f"{self.name}={self.start}:{self.stop}:{self.step}"


Summarise = Callable[[Sequence[Message]], str]
"""Returns the text that summarises some messages."""


NOTE_KEYS = ("like", "oracle")
"""What a policy's file may say about where it comes from."""
POLICY_KEYS = ("name", "description", "parameters", "stages", "selections", "rounds", "act")
UNNAMED = "policy"


@dataclass(frozen=True, slots=True)
class RefusedStage(JsonRecord):
    """A stage that was refused, by its place from 0; nothing of it was done."""

    stage: int
    reason: str


@dataclass(frozen=True, slots=True)
class Acted:
    """What a policy did before a call; ``acted`` is true if it changed anything.

    ``messages`` are what to send: what is visible, with what stages did that are not lasting. If
    there is any of that, ``raws`` has for each message its raw index, or None for one that was
    written for this request only.
    """

    results: tuple[Result, ...]
    refused: tuple[RefusedStage, ...]
    messages: Sequence[Message] = ()
    acted: bool = False
    raws: tuple[int | None, ...] | None = None

    def to_dict(self) -> dict[str, Any]:
        return {
            "acted": self.acted,
            "results": [result.to_dict() for result in self.results],
            "refused": [one.to_dict() for one in self.refused],
        }


class Policy:
    """A strategy for the context of a conversation, immutable; made from JSON data.

    ``Policy([operations])`` acts before every call, ``Policy({"when": …, "do": […]})`` has one
    stage, ``Policy({"stages": […]})`` several. ``summarise`` gives the text of summaries in place
    of a template: it is called with the messages that go.
    """

    def __init__(
        self,
        data: Mapping[str, Any] | Sequence[Any],
        *,
        name: str | None = None,
        summarise: Summarise | None = None,
    ) -> None:
        given = _read(data)
        self.name = read_text(name or given.get("name") or UNNAMED, "name")
        self.description = read_text(given.get("description") or self.name, "description")
        self.parameters = FrozenDict(read_parameters(given.get("parameters", {})))
        if summarise is not None and not callable(summarise):
            raise wrong_type("summarise", summarise, "a function that gives text")
        self.summarise = summarise
        self._given = given
        named = filled_in(_read_selections(given.get("selections", {})), self.parameters)
        self._named = named
        self.selections: SelectionsByName = {
            name: self._read_selection(name) for name in self._named
        }
        self.rounds = read_count(self._filled("rounds", 0), "rounds")
        self.act: str = read_choice(given.get("act", "all"), "act", ("all", "first"))
        read = read_each(given["stages"], "stages", self._read_stages)
        self.stages = tuple(stage for several in read for stage in several)

    def _filled(self, key: str, usual: Any) -> Any:
        return filled_in({key: self._given.get(key, usual)}, self.parameters)[key]

    def _read_selection(self, name: str) -> MessageSelection | Late[MessageSelection]:
        with refusals_at(f"selections.{name}"):
            data = with_selections({"select": name}, self._named)["select"]
            return read_late(data, tuple(self._named), read_selection)

    def _read_stages(self, data: Any) -> tuple[Stage, ...]:
        """Return a stage, or those of a provider's rules."""
        filled = with_selections(filled_in(thaw(data), self.parameters), self._named)
        is_provider = isinstance(filled, Mapping) and "provider" in filled
        return tuple(
            read_stage(
                one, may_lack_template=self.summarise is not None, selections=tuple(self._named)
            )
            for one in (provider_stages(filled) if is_provider else (filled,))
        )

    @classmethod
    def from_dict(cls, data: Mapping[str, Any] | Sequence[Any]) -> Policy:
        """Return the policy of JSON data in any of the three forms, or refuse it."""
        return cls(data)

    def to_dict(self) -> dict[str, Any]:
        """Return the policy as JSON-ready data, parameters by their names."""
        given: dict[str, Any] = thaw(self._given)
        return {**({"name": self.name} if self.is_named else {}), **given}

    @property
    def is_named(self) -> bool:
        return self.name != UNNAMED

    def named(self, name: str) -> Policy:
        """Return the same policy under another name."""
        return Policy({**thaw(self._given), "name": name}, summarise=self.summarise)

    @property
    def numbers(self) -> dict[str, int]:
        """Return what can be given another value, with the one it has: parameters, then fields."""
        own = self.parameters
        return {**own, **_numbers(self._given["stages"]), **own}

    def with_value(self, name: str, value: int) -> Policy:
        """Return this policy with another number: of a parameter, or of every field of a name."""
        given = thaw(self._given)
        if name in self.parameters:
            given["parameters"] = {**self.parameters, name: value}
        else:
            given["stages"], count = with_field(given["stages"], name, value)
            if not count:
                legal = ", ".join(sorted(self.numbers))
                raise Refused(
                    f"{format_value(name)} is neither a parameter nor a field of {self.name}; "
                    f"it has {legal or 'no numbers'}",
                    field="sweep",
                    value=name,
                    legal=legal,
                )
        return Policy({**given, "name": self.name}, summarise=self.summarise)

    def before_call(
        self, conversation: Conversation, call: int | None = None, *, output: int | None = None
    ) -> Acted:
        """Do what is due before the model is called; a refused stage changes nothing.

        ``call`` is the number of the call, from 1; if it matters and isn't given, it follows
        from the calls of the conversation. ``output`` is the most tokens an answer may have, if
        the newest recorded call doesn't say.
        """
        target = ConversationTarget(conversation)
        memory, state = self._memory(conversation), conversation.moment
        fresh = [raw for raw in range(memory.seen, len(state.log)) if state.log.origin(raw) is None]
        memory.hear(state, fresh)

        def branch() -> StateTarget:
            now = conversation.moment
            assert isinstance(now, ConversationState)
            return StateTarget(now.copy(), counting)

        def number() -> int:
            return calls_made(conversation) + 1 if call is None else call

        made = PolicyPass(
            self, target, memory, branch, number, output_limit(conversation.calls) or output
        )
        if any(stage.on == "message" for stage in self.stages):
            end = state.view[len(state.view) - len(fresh) :] if fresh else ()
            if fresh and list(end) == fresh:
                made.per_message(fresh)
        made.run()
        sent = made.target.state
        memory.sent, memory.seen = sent.total(sent.current), len(conversation.log)
        refused = tuple(RefusedStage(*one) for one in made.refused)
        acted = made.acted or bool(target.results)
        if made.request is None:
            return Acted(tuple(target.results), refused, conversation.visible, acted)
        messages = tuple(sent.log[raw] for raw in sent.view)
        return Acted(tuple(target.results), refused, messages, acted, tuple(made.raws()))

    def _memory(self, conversation: Conversation) -> PolicyMemory:
        """Return what an equal policy remembers of a conversation."""
        known = _MEMORIES.get(id(conversation))
        if known is None or known[0]() is not conversation:
            for key, (one, _) in list(_MEMORIES.items()):  # Other threads may add to it.
                if one() is None:
                    _MEMORIES.pop(key, None)
            known = _MEMORIES[id(conversation)] = ref(conversation), []
        for policy, memory in known[1]:
            if policy == self:
                return memory
        memory = PolicyMemory()
        known[1].append((self, memory))
        return memory

    @property
    def is_plain(self) -> bool:
        """Return whether how much would be sent decides if it acts at all."""
        return all(stage.is_plain for stage in self.stages)

    def is_due(self, conversation: Conversation, call: int | None = None) -> bool:
        """Return whether a stage is due before a call."""
        situation = Situation(
            conversation.moment,
            self._memory(conversation),
            self.selections,
            output_limit(conversation.calls),
            lambda: calls_made(conversation) + 1 if call is None else call,
        )
        return any(is_due(stage, situation) for stage in self.stages)

    def plan(self, stage: Stage, situation: Situation) -> Iterator[Operation]:
        """Yield the operations of a stage, each made for the state that the one before has left."""
        for one in stage.do:
            operation = one.bound(situation.now()) if isinstance(one, Late) else one
            if isinstance(operation, Compress) and operation.templates and not operation.each:
                state, asked = situation.state, operation.by_a_model
                is_whole = asked is not None and asked.templates == operation.templates
                operation = operation.written(state, self._text)
                if asked is not None and operation.summary:
                    made = operation if is_whole else asked.written(state, lambda _: None)
                    self._pay(asked, made, situation)
            yield operation

    def _pay(self, asked: Compress, made: Compress, situation: Situation) -> None:
        """Take note of what a model would read and write for a summary."""
        state, count = situation.state, counting(situation.state.counter)
        read = sum(state.log.tokens(raw, state.counter) for raw in asked.hides(state).indices)
        written = sum(map(count, made.summary or ()))
        situation.memory.summaries.append((read, written))

    def _text(self, messages: Sequence[Message]) -> str | None:
        """Return what the function makes of messages, if there is one."""
        if self.summarise is None:
            return None
        text = self.summarise(messages)
        if not isinstance(text, str):
            raise wrong_type("summarise", text, "a function that gives text")
        return text

    @property
    def brings_ties(self) -> bool:
        """Return whether it adds messages of its own that call tools or hold results."""
        return any(
            message.calls or message.results or is_unnamed_result(message)
            for stage in self.stages
            for one in stage.operations
            for name in BODIES
            for message in _messages(getattr(one, name, None))
        )

    def in_words(self) -> str:
        return "; then ".join(stage.in_words() for stage in self.stages)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Policy):
            return NotImplemented
        mine, theirs = (self.name, self._given), (other.name, other._given)
        return mine == theirs and self.summarise is other.summarise

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Policy({self.name}: {self.in_words()})"


_MEMORIES: dict[int, tuple[ref[Conversation], list[tuple[Policy, PolicyMemory]]]] = {}
"""What policies remember of each conversation that is still in use."""


def output_limit(calls: Sequence[Call]) -> int | None:
    """Return the most tokens an answer may have, as the newest recorded call says."""
    for call in reversed(calls):
        for name in OUTPUT_PARAMETERS:
            value = None if call.parameters is None else call.parameters.get(name)
            if isinstance(value, int) and not isinstance(value, bool):
                return value
    return None


OUTPUT_PARAMETERS = ("max_tokens", "max_completion_tokens", "max_output_tokens")


def _read_selections(value: object) -> Any:
    if not isinstance(value, Mapping):
        raise wrong_type("selections", value, "an object of names and selections")
    for name in value:
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise wrong_type("selections", name, "a name of letters, digits and underscores")
    return thaw(value)


def _read(data: object) -> Mapping[str, Any]:
    """Return a policy in the longest form: an object with stages."""
    if isinstance(data, list | tuple):
        data = {"stages": [{"do": list(data)}]}
    if not isinstance(data, Mapping):
        raise wrong_type("policy", data, "an object with stages, or a list of operations")
    one = [key for key in STAGE_KEYS if key in data]
    if one and "stages" in data:
        raise Refused(
            f"a policy has stages, or one do with its when; this has {one[0]} and stages",
            field="stages",
            value=data["stages"],
            legal="stages, or when and do",
        )
    if not one and "stages" not in data:
        raise Refused("the policy has neither do nor stages", "do", legal="do or stages")
    others = [key for key in POLICY_KEYS if key != "stages"]
    legal = (*others, *STAGE_KEYS) if one else POLICY_KEYS
    data = {key: value for key, value in data.items() if key not in NOTE_KEYS}
    check_keys(data, "this policy", legal)
    given = {key: value for key, value in data.items() if key not in STAGE_KEYS}
    if one:
        given["stages"] = [{key: data[key] for key in one}]
    stages = given.get("stages")
    if not isinstance(stages, list | tuple) or not stages:
        raise wrong_type("stages", stages, "a list of one stage or more, each {when, do}")
    return FrozenDict({key: freeze(_plain(value), key) for key, value in given.items()})


def _plain(value: Any, depth: int = 0) -> Any:
    """Return operations that came as objects as JSON data; what is too deep is refused later."""
    if isinstance(value, Operation):
        return value.to_dict()
    if depth > DEEPEST:
        return value
    if isinstance(value, Mapping):
        return {key: _plain(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one, depth + 1) for one in value]
    return value


def _messages(bodies: Message | Sequence[Message] | None) -> Sequence[Message]:
    return (bodies,) if isinstance(bodies, Message) else bodies or ()


def _numbers(data: Any) -> dict[str, int]:
    """Return all fields that hold a number, by name; of several the first."""
    found: dict[str, int] = {}
    if isinstance(data, Mapping):
        data = {key: value for key, value in data.items() if not holds_text(key, value)}
        found = {key: value for key, value in data.items() if _is_number(value)}
    inner = data.values() if isinstance(data, Mapping) else data
    for one in inner if isinstance(data, Mapping | list | tuple) else ():
        found = {**_numbers(one), **found}
    return found


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
