"""Which messages an operation names: by raw index, by a selection, or by being set aside."""

from collections.abc import Iterable, Sequence
from itertools import compress
from typing import Annotated, NamedTuple, Self

from pydantic import Field, model_validator

from ..errors import Refused, out_of_range
from ..values.models import Count, Indices, Labels, Model, Number, Roles, Words, nested
from .log import role_table
from .state import State
from .views import View, either, runs_of, spans_of

FEW = 8
"""Up to so many messages are looked up one by one, which touches only their chunks of the view."""


class Positions(Model):
    """A half-open range of visible positions; negative ones count from the end."""

    title = "positions"
    start: Number | None = None
    end: Number | None = None

    @model_validator(mode="after")
    def _given(self) -> Self:
        if self.start is None and self.end is None:
            raise Refused("positions names neither start nor end", "positions", {})
        return self


class MessageSelection(Model):
    """A selection of visible messages that also fits other conversations."""

    title = "select"
    roles: Roles | None = None
    marks: Labels | None = None
    content_contains: Words | None = None
    content_excludes: Words | None = None
    positions: Annotated[Positions, nested(Positions)] | None = None
    except_last: Count | None = None

    @model_validator(mode="after")
    def _given(self) -> Self:
        if all(getattr(self, name) is None for name in MessageSelection.model_fields):
            fields = "roles, marks, contentContains, contentExcludes, positions, exceptLast"
            raise Refused(
                f"select {{}} is no condition; give at least one of {fields}", "select", {}, fields
            )
        return self

    def matching(self, state: State) -> list[int]:
        view = state.view
        if self.positions is not None:
            view = view[self.positions.start : self.positions.end]
        found: Iterable[int] = view
        if self.roles is not None:
            found = compress(view, view.column(state.log.roles).translate(role_table(self.roles)))
        if self.marks is not None:
            marked = marked_with(state, self.marks)
            found = [raw for raw in found if raw in marked]
        if (words := self.content_contains) is not None:
            found = [raw for raw in found if has_any(state.log[raw].search_text, words)]
        if (unwanted := self.content_excludes) is not None:
            found = [raw for raw in found if not has_any(state.log[raw].search_text, unwanted)]
        found = list(found)
        return found[: max(0, len(found) - (self.except_last or 0))]


class Selected(NamedTuple):
    """Visible messages, the view without them, and the position of the first."""

    indices: Sequence[int]
    rest: View
    first: int


class SelectFields(Model):
    """Fields of the operations that name messages: by raw index, or by a selection."""

    indices: Indices | None = Field(default=None, description="Raw indices of the messages")
    select: Annotated[MessageSelection, nested(MessageSelection)] | None = Field(
        default=None, description="A choice among visible messages"
    )

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
        if self.indices is not None:
            return select_visible(state, self.indices, skip_hidden=skip_hidden)
        assert self.select is not None
        return selected_or_none(state, self.select.matching(state))


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
