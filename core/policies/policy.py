"""Policies: when to act on a conversation before a model is called, and what to do then.

The same policy runs in an agent's loop, in a script, in a simulation and in the app.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..conversation.conversation import Conversation
from ..conversation.references import BODIES
from ..conversation.results import Result
from ..errors import Refused, key_name, not_a, shown
from ..history.state import State
from ..messages.facts import is_unnamed_result
from ..messages.message import Message
from ..operations import Operation
from ..values.frozen import DEEPEST, FrozenDict, freeze, thaw
from ..values.models import read_text
from ..values.plain import Told
from .parameters import filled_in, holds_text, read_parameters, with_field
from .runs import calls_made
from .stages import ALWAYS, Stage, When, read_stage
from .summaries import Summarise

KEYS = ("name", "description", "parameters", "stages")
STAGE_KEYS = ("when", "do")
UNNAMED = "policy"


@dataclass(frozen=True, slots=True)
class RefusedStage(Told):
    """A stage that was refused, by its place from 0; nothing of it was done."""

    stage: int
    reason: str


@dataclass(frozen=True, slots=True)
class Acted:
    """What a policy did before a call; ``acted`` tells whether it changed anything."""

    results: tuple[Result, ...]
    refused: tuple[RefusedStage, ...]

    @property
    def acted(self) -> bool:
        """Tell whether anything was changed."""
        return bool(self.results)

    def to_dict(self) -> dict[str, Any]:
        """Return what was done as JSON-ready data."""
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
            raise not_a("summarise", summarise, "a function that gives text")
        self.summarise = summarise
        self._given = given
        self.stages = tuple(
            _inside(i, one, self.parameters, summarise is not None)
            for i, one in enumerate(given["stages"])
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
        """Tell whether it has a name of its own."""
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
                    f"{shown(name)} is neither a parameter nor a field of {self.name}; "
                    f"it has {legal or 'no numbers'}",
                    field="sweep",
                    value=name,
                    legal=legal,
                )
        return Policy({**given, "name": self.name}, summarise=self.summarise)

    def before_call(self, conversation: Conversation, call: int | None = None) -> Acted:
        """Do what is due before the model is called; a refused stage changes nothing.

        ``call`` is the number of the call, from 1; where it matters and isn't given, it follows
        from the calls the conversation has seen.
        """
        results, refused = [], []
        for place, stage in enumerate(self.stages):
            if not _is_due(stage, conversation, call):
                continue
            try:
                result = conversation.carry_out(partial(self.plan, stage))
            except Refused as refusal:
                refused.append(RefusedStage(place, str(refusal)))
            else:
                if result is not None:
                    results.append(result)
        return Acted(tuple(results), tuple(refused))

    def is_due(self, conversation: Conversation, call: int | None = None) -> bool:
        """Tell whether any stage is due before the model is called."""
        return any(_is_due(stage, conversation, call) for stage in self.stages)

    def plan(self, stage: Stage, state: State) -> Iterator[Operation]:
        """Yield the operations of a stage, each made for the state that the one before has left."""
        for one in stage.do:
            yield one if isinstance(one, Operation) else one.written(state, self.summarise)

    @property
    def brings_ties(self) -> bool:
        """Tell whether it adds messages of its own that call tools or hold results."""
        return any(
            message.calls or message.results or is_unnamed_result(message)
            for stage in self.stages
            for one in stage.do
            if isinstance(one, Operation)
            for name in BODIES
            for message in _messages(getattr(one, name, None))
        )

    def in_words(self) -> str:
        """Return what the policy does, in plain words."""
        return "; then ".join(stage.in_words() for stage in self.stages)

    def __eq__(self, other: object) -> bool:
        """Compare what they were made from."""
        if not isinstance(other, Policy):
            return NotImplemented
        mine, theirs = (self.name, self._given), (other.name, other._given)
        return mine == theirs and self.summarise is other.summarise

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """Show the name and what it does."""
        return f"Policy({self.name}: {self.in_words()})"


def _is_due(stage: Stage, conversation: Conversation, call: int | None) -> bool:
    """Tell whether a stage is due; the number of the call is counted only where it matters."""
    if call is None and stage.when.every_calls is not None:
        call = calls_made(conversation) + 1
    total = conversation.moment.total(conversation.current)
    return stage.when.is_due(len(conversation.view), total, call or 0)


def _read(data: object) -> Mapping[str, Any]:
    """Return a policy in the longest form: an object with stages."""
    if isinstance(data, list | tuple):
        data = {"stages": [{"do": list(data)}]}
    if not isinstance(data, Mapping):
        raise not_a("policy", data, "an object with stages, or a list of operations")
    one = [key for key in STAGE_KEYS if key in data]
    if one and "stages" in data:
        raise Refused(
            f"a policy has stages, or one do with its when; this has {one[0]} and stages",
            field="stages",
            value=data["stages"],
            legal="stages, or when and do",
        )
    if not one and "stages" not in data:
        raise Refused("the policy has neither do nor stages", field="do", legal="do or stages")
    legal = (*KEYS[:3], *STAGE_KEYS) if one else KEYS
    for key in data:
        if key not in legal:
            raise Refused(
                f"{shown(key)} is not a key of this policy ({', '.join(legal)})",
                field=key_name(key),
                value=data[key],
                legal=", ".join(legal),
            )
    given = {key: value for key, value in data.items() if key not in STAGE_KEYS}
    if one:
        given["stages"] = [{key: data[key] for key in one}]
    stages = given.get("stages")
    if not isinstance(stages, list | tuple) or not stages:
        raise not_a("stages", stages, "a list of one stage or more, each {when, do}")
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


def _inside(place: int, data: Any, parameters: Mapping[str, int], may_lack: bool) -> Stage:
    try:
        return read_stage(filled_in(thaw(data), parameters), may_lack_template=may_lack)
    except Refused as refusal:
        raise refusal.inside(f"stages[{place}]") from None


def _messages(bodies: Message | Sequence[Message] | None) -> Sequence[Message]:
    return (bodies,) if isinstance(bodies, Message) else bodies or ()


def _numbers(data: Any) -> dict[str, int]:
    """Return all fields that hold a number, by name; of several the first."""
    found: dict[str, int] = {}
    if isinstance(data, Mapping):
        data = {key: value for key, value in data.items() if not holds_text(key)}
        found = {key: value for key, value in data.items() if _is_number(value)}
    inner = data.values() if isinstance(data, Mapping) else data
    for one in inner if isinstance(data, Mapping | list | tuple) else ():
        found = {**_numbers(one), **found}
    return found


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


__all__ = ["ALWAYS", "Acted", "Policy", "RefusedStage", "Stage", "When"]
