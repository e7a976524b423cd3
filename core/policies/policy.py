"""Policies: stages with triggers and operations, as JSON or from Python.

Numbers may have a name, so that one file is a whole family: ``{"parameters": {"k": 60}}`` lets
``"$k"``, ``"$k+20"``, ``"$k-5"`` and ``"-$k"`` appear wherever a number does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, NamedTuple, Self

from pydantic import model_validator

from ..conversation.conversation import Conversation, Result
from ..conversation.native import BODIES
from ..engine.dialects import read_operation
from ..engine.messages import Message, is_unnamed_result
from ..engine.operation import Operation
from ..engine.operations import Compress, Configure
from ..engine.state import State
from ..errors import (
    Refused,
    check_keys,
    format_value,
    key_name,
    out_of_range,
    too_small,
    wrong_type,
)
from ..values.frozen import DEEPEST, FrozenDict, freeze, thaw
from ..values.models import (
    Checked,
    Count,
    Flag,
    JsonRecord,
    Model,
    Role,
    read_each,
    read_number,
    read_role,
    read_text,
    to_camel,
)
from ..values.numbers import SPACES, count_in
from .runs import calls_made

TEXTS = frozenset(
    {
        "operation",
        "name",
        "description",
        "text",
        "template",
        "label",
        "marks",
        "keepMarks",
        "contentContains",
        "contentExcludes",
        "message",
        "messages",
        "data",
        "toolDescription",
    }
)
"""Fields that hold texts: a dollar in them is a dollar."""
MOST_SETTINGS = 1_000
"""Settings of one sweep; more are a slip of the hand."""

_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_REFERENCE = re.compile(r"(-?)\$([A-Za-z_]\w*)(?:\s*([+-])\s*([0-9]{1,18}))?", re.ASCII)

Parameters = Mapping[str, int]
MOST_SWEPT = 10**12


def read_parameters(value: object) -> dict[str, int]:
    """Return names and their numbers, or refuse them."""
    if not isinstance(value, Mapping):
        raise wrong_type("parameters", value, "an object of names and whole numbers")
    for name in value:
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise wrong_type("parameters", name, "a name of letters, digits and underscores")
    return {name: read_number(number, f"parameters.{name}") for name, number in value.items()}


def filled_in(data: Any, parameters: Parameters) -> Any:
    """Return JSON data with a number in place of each reference to a parameter."""
    if isinstance(data, Mapping):
        return {
            key: value if holds_text(key) else _value(key_name(key), value, parameters)
            for key, value in data.items()
        }
    if isinstance(data, list | tuple):
        return [filled_in(item, parameters) for item in data]
    return data


def _value(key: str, value: Any, parameters: Parameters) -> Any:
    found = _REFERENCE.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return filled_in(value, parameters)
    sign, name, way, more = found.groups()
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
    number = parameters[name] + int(f"{way or '+'}{more or 0}")
    return -number if sign else number


def holds_text(key: object) -> bool:
    """Return whether a field holds text, in which no number is a setting."""
    return isinstance(key, str) and to_camel(key) in TEXTS


def with_field(data: Any, name: str, value: int) -> tuple[Any, int]:
    """Return JSON data in which every field of a name holds a value, and how many there are."""
    wanted = to_camel(name)
    if isinstance(data, Mapping):
        count, made = 0, {}
        for key, inner in data.items():
            if isinstance(key, str) and to_camel(key) == wanted and not holds_text(key):
                made[key], found = value, 1
            elif holds_text(key):
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

EXCERPT_CHARACTERS = 240
PIECE_CHARACTERS = 60
USUAL_ROLE: Role = "user"
_BLANK = re.compile(r"\{(count|tokens|excerpt)\}")


class SummaryTemplate(NamedTuple):
    """Who says a summary, and its text with ``{count}``, ``{tokens}`` and ``{excerpt}``."""

    role: Role
    text: str

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> SummaryTemplate:
        for key in data:
            if key not in ("role", "template"):
                raise Refused(
                    f"{key!r} is given next to a template; only role may be",
                    field=f"summary.{key}",
                    value=data[key],
                    legal="role, template",
                )
        role = read_role(data.get("role", USUAL_ROLE), "summary.role")
        return cls(role, read_text(data["template"], "summary.template"))

    def filled(self, messages: Sequence[Message], tokens: int) -> str:
        values = {"count": str(len(messages)), "tokens": str(tokens), "excerpt": excerpt(messages)}
        return _BLANK.sub(lambda found: values[found[1]], self.text)


class Summary(NamedTuple):
    """A COMPRESS whose summary is written once it is known which messages it hides."""

    operation: Compress
    template: SummaryTemplate | None

    def written(self, state: State, summarise: Summarise | None) -> Compress:
        """Return the operation with the summary of what it would hide here."""
        going = self.operation.hides(state).indices
        if not going:
            return self.operation
        going = sorted(going, key=lambda raw: state.view.position(raw) or 0)
        messages = [state.log[raw] for raw in going]
        role = USUAL_ROLE if self.template is None else self.template.role
        if summarise is not None:
            text = summarise(messages)
            if not isinstance(text, str):
                raise wrong_type("summarise", text, "a function that gives text")
        else:
            assert self.template is not None
            tokens = sum(state.log.tokens(raw, state.counter) for raw in going)
            text = self.template.filled(messages, tokens)
        return self.operation.model_copy(
            update={"summary": (Message(role, text),)},
        )


def excerpt(messages: Sequence[Message]) -> str:
    """Return the first words of some messages, up to a limit."""
    pieces: list[str] = []
    left = EXCERPT_CHARACTERS
    for message in messages:
        words = " ".join(message.text[: 4 * PIECE_CHARACTERS].split())
        if not words:
            continue
        piece = words if len(words) <= PIECE_CHARACTERS else f"{words[: PIECE_CHARACTERS - 1]}…"
        left -= len(piece) + 3
        if left < 0:
            pieces.append("…")
            break
        pieces.append(piece)
    return " / ".join(pieces)


def read_interval(value: object, field: str) -> int:
    """Return a number of calls, one at least."""
    if read_number(value, field) < 1:
        raise too_small(field, value, 1)
    return value  # type: ignore[return-value]


class When(Model):
    """What makes a stage due: any one of the conditions that are given; with none, always."""

    title = "when"
    tokens_above: Count | None = None
    messages_above: Count | None = None
    every_calls: Annotated[int | None, Checked(read_interval)] = None
    always: Flag = True

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
    def is_always(self) -> bool:
        """Return whether the stage is due before every call."""
        return "always" in self.model_fields_set or (
            self.tokens_above is None and self.messages_above is None and self.every_calls is None
        )

    def is_due(self, messages: int, tokens: int, call: int) -> bool:
        """Return whether a stage is due before a call, of which so much would be sent."""
        return (
            (self.messages_above is not None and messages > self.messages_above)
            or (self.tokens_above is not None and tokens > self.tokens_above)
            or (self.every_calls is not None and call % self.every_calls == 0)
            or self.is_always
        )

    def in_words(self) -> str:
        if self.is_always:
            return "before every call"
        sentence = [
            f"above {self.tokens_above:,} tokens" if self.tokens_above is not None else "",
            f"above {self.messages_above:,} messages" if self.messages_above is not None else "",
            f"every {self.every_calls:,} calls" if self.every_calls is not None else "",
        ]
        return " or ".join(one for one in sentence if one)


ALWAYS = When()


@dataclass(frozen=True, slots=True)
class Stage:
    """What is done, as one change, when it is due."""

    when: When
    do: tuple[Operation | Summary, ...]

    def in_words(self) -> str:
        done = [one if isinstance(one, Operation) else one.operation for one in self.do]
        sentence = ", then ".join(operation.sentence() for operation in done)
        return f"{sentence}, {self.when.in_words()}"


def read_stage(data: object, *, may_lack_template: bool) -> Stage:
    """Return a stage from JSON data, or refuse it.

    A COMPRESS without a summary of its own gets one if a function writes summaries.
    """
    if not isinstance(data, Mapping):
        raise wrong_type("stage", data, "an object with do, and when if it isn't always due")
    check_keys(data, "a stage", STAGE_KEYS)
    when = ALWAYS if data.get("when") is None else When.from_dict(data["when"])
    do = data.get("do")
    if not isinstance(do, list | tuple):
        raise wrong_type("do", do, "a list of operations")
    if not do:
        raise Refused("do [] holds no operation", "do", [], "one or more")
    return Stage(when, read_each(do, "do", lambda one: _read_operation(one, may_lack_template)))


def _read_operation(data: Any, may_lack_template: bool) -> Operation | Summary:
    bare, template = _without_template(data)
    operation = read_operation(bare)
    if isinstance(operation, Configure):
        raise Refused(
            "CONFIGURE can't be part of a policy: its calls are evaluated by the settings",
            field="operation",
            value=operation.title,
            legal="any operation but CONFIGURE",
        )
    if template is not None and not isinstance(operation, Compress):
        raise wrong_type("summary", data.get("summary"), f"part of {operation.title}")
    if not isinstance(operation, Compress) or operation.summary is not None:
        return operation
    has_text = template is not None or may_lack_template
    return Summary(operation, template) if has_text else operation


def _without_template(data: Any) -> tuple[Any, SummaryTemplate | None]:
    """Return an operation without the template of its summary, and the template."""
    if not isinstance(data, Mapping):
        return data, None
    for key, value in data.items():
        if key_name(key) == "summary" and isinstance(value, Mapping) and "template" in value:
            rest = {name: field for name, field in data.items() if name != key}
            return rest, SummaryTemplate.read(value)
        if isinstance(value, Mapping) and to_camel(key_name(key)).lower() == "compress":
            inner, template = _without_template(value)
            if template is not None:
                return {**data, key: inner}, template
    return data, None


POLICY_KEYS = ("name", "description", "parameters", "stages")
STAGE_KEYS = ("when", "do")
UNNAMED = "policy"


@dataclass(frozen=True, slots=True)
class RefusedStage(JsonRecord):
    """A stage that was refused, by its place from 0; nothing of it was done."""

    stage: int
    reason: str


@dataclass(frozen=True, slots=True)
class Acted:
    """What a policy did before a call; ``acted`` is true if it changed anything."""

    results: tuple[Result, ...]
    refused: tuple[RefusedStage, ...]

    @property
    def acted(self) -> bool:
        return bool(self.results)

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
        self.stages = read_each(given["stages"], "stages", self._read_stage)

    def _read_stage(self, data: Any) -> Stage:
        filled = filled_in(thaw(data), self.parameters)
        return read_stage(filled, may_lack_template=self.summarise is not None)

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

    def before_call(self, conversation: Conversation, call: int | None = None) -> Acted:
        """Do what is due before the model is called; a refused stage changes nothing.

        ``call`` is the number of the call, from 1; if it matters and isn't given, it follows
        from the calls of the conversation.
        """
        results, refused = [], []
        for place, stage in enumerate(self.stages):
            if not _is_due(stage, conversation, call):
                continue
            try:
                result = conversation.apply_plan(partial(self.plan, stage))
            except Refused as refusal:
                refused.append(RefusedStage(place, str(refusal)))
            else:
                if result is not None:
                    results.append(result)
        return Acted(tuple(results), tuple(refused))

    def is_due(self, conversation: Conversation, call: int | None = None) -> bool:
        return any(_is_due(stage, conversation, call) for stage in self.stages)

    def plan(self, stage: Stage, state: State) -> Iterator[Operation]:
        """Yield the operations of a stage, each made for the state that the one before has left."""
        for one in stage.do:
            yield one if isinstance(one, Operation) else one.written(state, self.summarise)

    @property
    def brings_ties(self) -> bool:
        """Return whether it adds messages of its own that call tools or hold results."""
        return any(
            message.calls or message.results or is_unnamed_result(message)
            for stage in self.stages
            for one in stage.do
            if isinstance(one, Operation)
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


def _is_due(stage: Stage, conversation: Conversation, call: int | None) -> bool:
    """Return whether a stage is due; calls are counted only if the number matters."""
    if call is None and stage.when.every_calls is not None:
        call = calls_made(conversation) + 1
    total = conversation.moment.total(conversation.current)
    return stage.when.is_due(len(conversation.view), total, call or 0)


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
    legal = (*POLICY_KEYS[:3], *STAGE_KEYS) if one else POLICY_KEYS
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
        data = {key: value for key, value in data.items() if not holds_text(key)}
        found = {key: value for key, value in data.items() if _is_number(value)}
    inner = data.values() if isinstance(data, Mapping) else data
    for one in inner if isinstance(data, Mapping | list | tuple) else ():
        found = {**_numbers(one), **found}
    return found


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
