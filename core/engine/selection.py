"""Which messages an operation names: by raw index, by a selection, or by being set aside."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import compress
from math import floor
from typing import Annotated, Any, NamedTuple, Self

from pydantic import Field, JsonValue, model_validator

from ..errors import Refused, out_of_range, refusals_at, wrong_type
from ..values.frozen import thaw
from ..values.models import (
    INTERNAL,
    Checked,
    Count,
    Flag,
    Indices,
    Labels,
    Model,
    Roles,
    Text,
    Words,
    nested,
    one_of,
    read_each,
    some_of,
    to_camel,
)
from .amounts import (
    UNITS,
    Amount,
    Bound,
    Exact,
    Expression,
    Lookup,
    Signed,
    read_amount,
    read_signed,
    worked_out,
)
from .log import MADE, LogReader, role_table
from .messages import Message, ToolResultPart, ToolUsePart
from .state import State
from .units import (
    BLOCKS,
    EDGES,
    NO_CALLER,
    Measure,
    MessageDetails,
    MessageSequence,
    at_edge,
    characters_text,
    details_of,
    has_part,
    head_stop,
    line_count,
    tail_start,
)
from .views import View, either, runs_of, spans_of

FEW = 8
"""Up to so many messages are looked up one by one, which touches only their chunks of the view."""


class Positions(Model):
    """A half-open range of visible positions; negative ones count from the end."""

    title = "positions"
    start: Signed | None = None
    end: Signed | None = None

    @model_validator(mode="after")
    def _given(self) -> Self:
        if self.start is None and self.end is None:
            raise Refused("positions names neither start nor end", "positions", {})
        return self

    def slice(self, sequence: Callable[[], MessageSequence]) -> slice:
        """Return the range as Python has it; ``sequence`` is what it counts in."""
        start, end = self.start, self.end
        if isinstance(start, Expression) or isinstance(end, Expression):
            look = sequence().look
            start, end = (
                one if one is None else floor(worked_out(one, look)) for one in (start, end)
            )
        return slice(start, end)


ADVANCED: dict[str, JsonValue] = {"advanced": True}
"""Marks a field that forms leave to the JSON of an operation."""
PART_KINDS = ("thinking", "calls", "image", "compaction")


def _nested_later(name: str) -> Checked:
    """Return a validator for a model that is defined further down, or refers to this one."""

    def read(value: object, field: str) -> Any:
        with refusals_at(field):
            return READERS[name](value)

    return Checked(read)


class Measured(Model):
    """A number of units."""

    title = "a size"
    messages: Bound | None = None
    tokens: Bound | None = None
    characters: Bound | None = None
    rows: Bound | None = None
    sides: Bound | None = None
    groups: Bound | None = None
    exchanges: Bound | None = None
    turns: Bound | None = None
    items: Bound | None = None
    events: Bound | None = None

    @property
    def unit(self) -> str | None:
        return next((unit for unit in UNITS if getattr(self, unit) is not None), None)


class Cut(Measured):
    """An end or a start of a sequence: by its size, by where a selection begins, or both.

    A tail and a head have the same fields; which end is meant is said by where it is given.
    """

    title = "a tail"
    by: Annotated[str, one_of(*UNITS)] | None = None
    reach: Flag = False
    least: Count = 0
    edge: Annotated[tuple[str, ...], some_of(*EDGES)] = ("split",)
    from_: Annotated[Any, _nested_later("selection")] | None = None
    after: Annotated[Any, _nested_later("cut")] | None = None
    all_: Annotated[tuple[Any, ...], _nested_later("cuts")] | None = None

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        given = [
            name for name in (*UNITS, "from_", "after", "all_") if getattr(self, name) is not None
        ]
        if len(given) != 1:
            legal = f"{', '.join(UNITS)}, from, after, all"
            has = " and ".join(map(to_camel, given)) or "no size"
            raise Refused(
                f"a tail or head has {has}; it takes one of {legal}",
                given[0] if given else None,
                given,
                legal,
            )
        return self

    def start_of_tail(self, sequence: MessageSequence, less: Sequence[int] = ()) -> int:
        """Return where the tail begins; ``less`` are messages that take part of its size."""
        if self.all_ is not None:
            start = max(one.start_of_tail(sequence) for one in self.all_)
        elif self.after is not None:
            start = self.after.stop_of_head(sequence)
        elif self.from_ is not None:
            picked = set(self.from_.pick(sequence))
            start = next((at for at, raw in enumerate(sequence.raws) if raw in picked), 0)
        else:
            start = tail_start(sequence, self._measure, self._size(sequence, less))
        return at_edge(sequence, start, self.edge)

    def stop_of_head(self, sequence: MessageSequence) -> int:
        """Return where the head ends."""
        if self.all_ is not None:
            stop = min(one.stop_of_head(sequence) for one in self.all_)
        elif self.after is not None:
            stop = self.after.start_of_tail(sequence)
        elif self.from_ is not None:
            picked = set(self.from_.pick(sequence))
            places = [at for at, raw in enumerate(sequence.raws) if raw in picked]
            stop = places[-1] + 1 if places else len(sequence)
        else:
            stop = head_stop(sequence, self._measure, self._size(sequence, ()))
        return at_edge(sequence, stop, self.edge)

    def _size(self, sequence: MessageSequence, less: Sequence[int]) -> Exact:
        assert self.unit is not None
        size = worked_out(getattr(self, self.unit), sequence.look)
        return size - sequence.of(less).count(self.unit) if less else size

    @property
    def _measure(self) -> Measure:
        assert self.unit is not None
        by = self.by or (self.unit if self.unit in BLOCKS else "messages")
        return Measure(self.unit, by, self.reach, self.least)


def read_cut(value: object, field: str = "tail") -> Cut:
    """Return a tail or head; a plain number counts messages."""
    if isinstance(value, Cut):
        return value
    if isinstance(value, Mapping):
        return Cut.from_dict(value)
    return Cut(messages=read_signed(value, field))


def read_cuts(value: object) -> tuple[Cut, ...]:
    """Return one tail or head or more."""
    if not isinstance(value, list | tuple) or not value:
        raise wrong_type("all", value, "a list of tails")
    return read_each(value, "all", read_cut)


def read_count_or_cut(value: object, field: str) -> Amount | Cut:
    """Return a number of messages, or a tail or head."""
    if isinstance(value, Mapping | Cut):
        with refusals_at(field):
            return read_cut(value)
    return read_amount(value, field)


AnyCut = Annotated[Any, Checked(read_count_or_cut)]
OneCut = Annotated[Cut, _nested_later("cut")]


class LongerThan(Model):
    """How long a text has to be."""

    title = "longerThan"
    characters: Bound | None = None
    lines: Bound | None = None
    tokens: Bound | None = None

    @model_validator(mode="after")
    def _given(self) -> Self:
        if self.characters is None and self.lines is None and self.tokens is None:
            legal = "characters, lines, tokens"
            raise Refused(f"longerThan has no size; give one of {legal}", "longerThan", {}, legal)
        return self

    def holds(self, text: str, tokens: Callable[[], int], look: Lookup) -> bool:
        """Return whether a text is longer than all that is given."""
        return (
            (self.characters is None or len(text) > worked_out(self.characters, look))
            and (self.lines is None or line_count(text) > worked_out(self.lines, look))
            and (self.tokens is None or tokens() > worked_out(self.tokens, look))
        )


class MessageSelection(Model):
    """A selection of visible messages that also fits other conversations.

    With ``parts`` it is the union of several. Without any field it is every message.
    """

    title = "select"
    aside: Annotated[Any, _nested_later("selection")] | None = Field(
        default=None, json_schema_extra=ADVANCED
    )
    among: Annotated[Any, _nested_later("selection")] | None = Field(
        default=None, json_schema_extra=ADVANCED
    )
    before: OneCut | None = Field(default=None, json_schema_extra=ADVANCED)
    within: OneCut | None = Field(default=None, json_schema_extra=ADVANCED)
    roles: Roles | None = None
    marks: Labels | None = None
    content_contains: Words | None = None
    content_excludes: Words | None = None
    positions: Annotated[Positions, nested(Positions)] | None = None
    tools: Words | None = Field(default=None, json_schema_extra=ADVANCED)
    except_tools: Words | None = Field(default=None, json_schema_extra=ADVANCED)
    in_: Annotated[str, one_of("exchange")] | None = Field(default=None, json_schema_extra=ADVANCED)
    has: Annotated[tuple[str, ...], some_of(*PART_KINDS)] | None = Field(
        default=None, json_schema_extra=ADVANCED
    )
    failed: Flag | None = Field(default=None, json_schema_extra=ADVANCED)
    made: Flag | None = Field(default=None, json_schema_extra=ADVANCED)
    touched: Flag | None = Field(default=None, json_schema_extra=ADVANCED)
    longer_than: Annotated[LongerThan, nested(LongerThan)] | None = Field(
        default=None, json_schema_extra=ADVANCED
    )
    superseded: Text | None = Field(default=None, json_schema_extra=ADVANCED)
    except_: Annotated[Any, _nested_later("selection")] | None = Field(
        default=None, json_schema_extra=ADVANCED
    )
    first: AnyCut | None = Field(default=None, json_schema_extra=ADVANCED)
    except_first: AnyCut | None = Field(default=None, json_schema_extra=ADVANCED)
    last: AnyCut | None = Field(default=None, json_schema_extra=ADVANCED)
    except_last: AnyCut | None = None
    parts: Annotated[Any, Checked(lambda value, _: value)] = Field(
        default=(), json_schema_extra=INTERNAL
    )

    @classmethod
    def union(cls, several: Sequence[Any]) -> Self:
        """Return the selection of what any of several picks."""
        if not several:
            raise Refused("the list of selections is empty", None, [], "one selection or more")
        return cls(parts=tuple(map(read_selection, several)))

    def to_dict(self) -> Any:
        return [one.to_dict() for one in self.parts] if self.parts else super().to_dict()

    def matching(self, state: State, aside: Collection[int] = ()) -> list[int]:
        """Return what it picks of what is visible without some messages, in visible order."""
        if aside or not self._is_plain:
            sequence = MessageSequence(state, list(state.view)).without(aside)
            return self.pick(sequence)
        view = state.view
        if self.positions is not None:
            view = view[self.positions.slice(lambda: MessageSequence(state, view))]
        found: Iterable[int] = view
        if self.roles is not None:
            found = compress(view, view.column(state.log.roles).translate(role_table(self.roles)))
        found = self._with_words(state, found)
        if self.except_last is None:
            return found
        return found[: max(0, len(found) - self.except_last)]

    @property
    def _is_plain(self) -> bool:
        """Return whether columns can answer it, without the details of each message."""
        return self.model_fields_set <= PLAIN_FIELDS and isinstance(self.except_last, int | None)

    def _with_words(self, state: State, found: Iterable[int]) -> list[int]:
        if self.marks is not None:
            marked, log = marked_with(state, self.marks), state.log
            found = [raw for raw in found if raw in marked or _is_copy_of(log, raw, marked)]
        if (words := self.content_contains) is not None:
            found = [raw for raw in found if has_any(state.log[raw].search_text, words)]
        if (unwanted := self.content_excludes) is not None:
            found = [raw for raw in found if not has_any(state.log[raw].search_text, unwanted)]
        return list(found)

    def pick(self, sequence: MessageSequence) -> list[int]:
        """Return what it picks of a sequence, in order."""
        if self.parts:
            picked = {raw for one in self.parts for raw in one.pick(sequence)}
            return [raw for raw in sequence.raws if raw in picked]
        if self.aside is not None:
            sequence = sequence.without(self.aside.pick(sequence))
        whole = sequence
        if self.among is not None:
            sequence = sequence.of(self.among.pick(sequence))
        if self.before is not None:
            sequence = sequence.part(0, self.before.start_of_tail(sequence))
        if self.within is not None:
            sequence = sequence.part(self.within.start_of_tail(sequence), len(sequence))
        if self.positions is not None:
            sequence = sequence.of(sequence.raws[self.positions.slice(lambda: sequence)])
        found = self._filtered(sequence)
        if self.except_ is not None:
            gone = set(self.except_.pick(whole))
            found = [raw for raw in found if raw not in gone]
        return self._counted(sequence.of(found))

    def _counted(self, found: MessageSequence) -> list[int]:
        if self.first is not None:
            found = found.part(0, read_cut(self.first).stop_of_head(found))
        if self.except_first is not None:
            found = found.part(read_cut(self.except_first).stop_of_head(found), len(found))
        if self.last is not None:
            found = found.part(read_cut(self.last).start_of_tail(found), len(found))
        if self.except_last is not None:
            found = found.part(0, read_cut(self.except_last).start_of_tail(found))
        return list(found.raws)

    def _filtered(self, sequence: MessageSequence) -> list[int]:
        state, log = sequence.state, sequence.state.log
        tests: list[Callable[[int, MessageDetails], bool]] = []
        if (roles := self.roles) is not None:
            tests.append(lambda _, one: one.role in roles)
        if self.in_ is not None:
            tests.append(lambda _, one: one.is_in_exchange)
        if (made := self.made) is not None:
            tests.append(lambda _, one: one.is_made == made)
        if (touched := self.touched) is not None:
            tests.append(lambda _, one: one.is_touched == touched)
        if (tools := self.tools) is not None:
            tests.append(lambda raw, one: not _tools(log, raw, one).isdisjoint(tools))
        if (others := self.except_tools) is not None:
            tests.append(lambda raw, one: _tools(log, raw, one).isdisjoint(others))
        if (has := self.has) is not None:
            tests.append(lambda raw, _: any(has_part(log[raw], kind) for kind in has))
        if (failed := self.failed) is not None:
            tests.append(lambda raw, one: one.is_result and _has_failed(log[raw]) == failed)
        if (longer := self.longer_than) is not None:
            tests.append(
                lambda raw, _: longer.holds(
                    characters_text(log[raw]),
                    lambda: log.tokens(raw, state.counter),
                    sequence.look,
                )
            )
        if tests:
            found = [
                raw
                for raw, one in zip(sequence.raws, sequence.details, strict=True)
                if all(test(raw, one) for test in tests)
            ]
        else:
            found = list(sequence.raws)
        found = self._with_words(state, found)
        if self.superseded is not None:
            again = superseded(sequence, self.superseded)
            found = [raw for raw in found if raw in again]
        return found


PLAIN_FIELDS = {
    *("roles", "marks", "content_contains", "content_excludes", "positions", "except_last")
}


def read_selection(value: object) -> MessageSelection:
    """Return a selection, or a list of them as one."""
    if isinstance(value, MessageSelection):
        return value
    if isinstance(value, str):
        raise wrong_type(
            "select", value, "an object, a list of them, or in a policy the name of one"
        )
    if isinstance(value, list | tuple):
        return MessageSelection.union(value)
    return MessageSelection.from_dict(value)  # type: ignore[arg-type]


READERS: Mapping[str, Callable[[object], Any]] = {
    "selection": read_selection,
    "cut": read_cut,
    "cuts": read_cuts,
}
Selection = Annotated[MessageSelection, _nested_later("selection")]


def _is_copy_of(log: LogReader, raw: int, marked: Collection[int]) -> bool:
    """Return whether a message is a copy of one of some messages, or a copy of a copy."""
    origin = log.origin(raw)
    while origin is not None and origin != MADE:
        if origin in marked:
            return True
        origin = log.origin(origin)
    return False


def _has_failed(message: Message) -> bool:
    return any(isinstance(part, ToolResultPart) and part.is_error for part in message.parts)


def call_parts(log: LogReader, raw: int) -> list[ToolUsePart]:
    """Return the calls that a message makes, as they were first sent."""
    root = details_of(log, raw).root
    return [part for part in log[root].parts if isinstance(part, ToolUsePart)]


def answered_calls(log: LogReader, one: MessageDetails) -> list[ToolUsePart]:
    """Return the calls whose results a message holds, of those that its caller made."""
    if one.caller == NO_CALLER:
        return []
    calls = call_parts(log, one.caller)
    found = (next((call for call in calls if call.id == id), None) for id in one.results)
    return [call for call in found if call is not None]


def _tools(log: LogReader, raw: int, one: MessageDetails) -> set[str]:
    if one.is_result:
        return {call.name for call in answered_calls(log, one)}
    if not one.calls:
        return set()
    return {call.name for call in call_parts(log, raw) if call.id in one.calls}


def superseded(sequence: MessageSequence, argument: str) -> set[int]:
    """Return the results whose call occurs again later, with the same or one same argument."""
    log = sequence.state.log
    newest: dict[str, tuple[int, int]] = {}
    calls: dict[int, int] = {}
    for at, (raw, one) in enumerate(zip(sequence.raws, sequence.details, strict=True)):
        if one.calls:
            calls[one.root] = at
            for place, call in enumerate(call_parts(log, raw)):
                if call.id in one.calls and (key := _call_key(call, argument)) is not None:
                    newest[key] = (at, place)
    found = set()
    for at, (raw, one) in enumerate(zip(sequence.raws, sequence.details, strict=True)):
        for call in answered_calls(log, one):
            place = call_parts(log, one.caller).index(call)
            key = _call_key(call, argument)
            if key is not None and newest.get(key, (-1, 0)) > (calls.get(one.caller, at), place):
                found.add(raw)
    return found


def _call_key(call: ToolUsePart, argument: str) -> str | None:
    """Return what two calls have in common if one supersedes the other; None if none can."""
    given: Any = call.input
    if argument != "sameCall":
        if not isinstance(given, Mapping) or argument not in given:
            return None
        given = given[argument]
    return f"{call.name} {json.dumps(thaw(given), sort_keys=True)}"


class Selected(NamedTuple):
    """Visible messages, the view without them, and the position of the first."""

    indices: Sequence[int]
    rest: View
    first: int


class AsideFields(Model):
    """A field of the operations that leave some messages alone, whichever they may be."""

    aside: Selection | None = Field(
        default=None, description="What is left alone and not counted", json_schema_extra=ADVANCED
    )

    def set_aside(self, state: State) -> Sequence[int]:
        return () if self.aside is None else self.aside.matching(state)


class SelectFields(AsideFields):
    """Fields of the operations that name messages: by raw index, or by a selection."""

    indices: Indices | None = Field(default=None, description="Raw indices of the messages")
    select: Selection | None = Field(default=None, description="A choice among visible messages")

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if (self.indices is None) == (self.select is None):
            has = "neither indices nor" if self.indices is None else "both indices and"
            raise Refused(
                f"{self.title} has {has} select; give one of them",
                field="indices",
                value=self.indices,
                legal="indices or select",
            )
        return self

    def selected(self, state: State, *, skip_hidden: bool = False) -> Selected:
        """Return the visible messages that are named; a selection may match none."""
        aside = self.set_aside(state)
        if self.select is not None:
            return selected_or_none(state, self.select.matching(state, aside))
        assert self.indices is not None
        named = select_visible(state, self.indices, skip_hidden=skip_hidden)
        if not aside:
            return named
        return selected_or_none(state, [raw for raw in named.indices if raw not in aside])


class KeepFields(Model):
    """Fields that set messages aside, so that an operation doesn't touch them."""

    keep_roles: Roles | None = Field(default=None, description="Roles that always stay")
    keep_marks: Labels | None = Field(default=None, description="Marked messages that always stay")

    def aside_mask(self, state: State, *more_roles: str) -> bytes:
        """Return for each visible position whether the message is set aside, so that it stays."""
        mask = role_mask(state, {*(self.keep_roles or ()), *more_roles})
        if self.keep_marks:
            mask = either(mask, raw_mask(state, marked_with(state, self.keep_marks)))
        return mask


def check_in_log(state: State, indices: Sequence[int], *, repeats: bool = False) -> None:
    """Refuse raw indices that are not in the log or that are named twice."""
    size = len(state.log)
    if max(indices) >= size:
        bad = next(index for index in indices if index >= size)
        raise out_of_range("indices", bad, f"0…{size - 1}" if size else "the log, which is empty")
    if not repeats and len(set(indices)) != len(indices):
        seen: set[int] = set()
        for bad in indices:
            if bad in seen:
                break
            seen.add(bad)
        raise Refused(f"indices names {bad} twice", "indices", bad, "each index once")


def select_visible(state: State, indices: Sequence[int], *, skip_hidden: bool = False) -> Selected:
    """Return visible messages by raw index; refuse hidden ones, or skip them."""
    check_in_log(state, indices, repeats=skip_hidden)
    if len(indices) <= FEW:
        return _select_few(state, indices, skip_hidden)
    rest, first, count = state.view.cut(spans_of(runs_of(sorted(indices))))
    if count == len(indices):
        return Selected(indices, rest, first)
    visible = visible_among(state, indices)
    if not skip_hidden:
        shown = set(visible)
        raise _hidden(state, next(index for index in indices if index not in shown))
    return Selected(visible, rest, first)


def selected_or_none(state: State, indices: Sequence[int]) -> Selected:
    """Return visible messages by raw index, or none if there are none."""
    return select_visible(state, indices) if indices else Selected((), state.view, -1)


def _select_few(state: State, indices: Sequence[int], skip_hidden: bool) -> Selected:
    rest, taken, first = state.view, [], len(state.view)
    for index in dict.fromkeys(indices):
        at = rest.position(index)
        if at is not None:
            rest = rest.splice(at, at + 1)
            taken.append(index)
            first = min(first, at)
        elif not skip_hidden:
            raise _hidden(state, index)
    return Selected(taken, rest, first)


def _hidden(state: State, index: int) -> Refused:
    legal = f"one of the {len(state.view)} visible messages"
    return Refused(f"indices {index} is not visible here; name {legal}", "indices", index, legal)


def visible_among(state: State, indices: Sequence[int]) -> list[int]:
    """Return those of some raw indices that are visible, each once, in the order given."""
    unique = dict.fromkeys(indices)
    if len(unique) <= FEW:
        return [index for index in unique if index in state.view]
    shown = bytearray(len(state.log))
    for start, length in state.view.runs():
        shown[start : start + length] = b"\1" * length
    return [index for index in unique if shown[index]]


def has_any(text: str, words: Iterable[str]) -> bool:
    """Return whether any of the words occurs in a text."""
    return any(word in text for word in words)


def marked_with(state: State, labels: Iterable[str]) -> frozenset[int]:
    """Return the raw indices that carry any of the labels."""
    return frozenset().union(*(state.head.marks.get(label, ()) for label in labels))


def role_mask(state: State, roles: Iterable[str]) -> bytes:
    """Return for each visible position whether the message has one of the roles."""
    return state.view.column(state.log.roles).translate(role_table(roles))


def raw_mask(state: State, indices: Iterable[int]) -> bytes:
    """Return for each visible position whether the message is one of the raw indices."""
    column = bytearray(len(state.log))
    for index in indices:
        column[index] = 1
    return state.view.column(lambda start, stop: column[start:stop])
