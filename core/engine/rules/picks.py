"""Which messages an operation names: by raw index, by a choice, or by being set aside."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import compress

from ...errors import Refused, out_of_range
from ..log import role_table
from ..operations import Choice, Keeping, Picking
from ..state import State
from ..views import View, either, runs_of, spans_of

FEW = 8


@dataclass(frozen=True, slots=True)
class Picked:
    """Visible messages that were picked, the view without them, and where the first stood."""

    indices: Sequence[int]
    rest: View
    first: int


def within_log(state: State, indices: Sequence[int], *, repeats: bool = False) -> None:
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
        raise Refused(
            f"indices names {bad} twice", field="indices", value=bad, legal="each index once"
        )


def visible_among(state: State, indices: Sequence[int]) -> list[int]:
    """Return those of some raw indices that are visible, each once, in the order given."""
    unique = dict.fromkeys(indices)
    if len(unique) <= FEW:
        return [index for index in unique if index in state.view]
    shown = bytearray(len(state.log))
    for start, length in state.view.runs():
        shown[start : start + length] = b"\1" * length
    return [index for index in unique if shown[index]]


def take(state: State, indices: Sequence[int], *, skip_hidden: bool = False) -> Picked:
    """Return what is left of the view without some raw indices; refuse hidden ones."""
    within_log(state, indices, repeats=skip_hidden)
    if len(indices) <= FEW:
        return _take_few(state, indices, skip_hidden)
    rest, first, count = state.view.cut(spans_of(runs_of(sorted(indices))))
    if count == len(indices):
        return Picked(indices, rest, first)
    visible = visible_among(state, indices)
    if not skip_hidden:
        shown = set(visible)
        raise _hidden(state, next(index for index in indices if index not in shown))
    return Picked(visible, rest, first)


def _take_few(state: State, indices: Sequence[int], skip_hidden: bool) -> Picked:
    """Do the same one message at a time, which touches only the chunks they stand in."""
    rest, taken, first = state.view, [], len(state.view)
    for index in dict.fromkeys(indices):
        at = rest.position(index)
        if at is not None:
            rest = rest.splice(at, at + 1)
            taken.append(index)
            first = min(first, at)
        elif not skip_hidden:
            raise _hidden(state, index)
    return Picked(taken, rest, first)


def _hidden(state: State, index: int) -> Refused:
    legal = f"one of the {len(state.view)} visible messages"
    return Refused(
        f"indices {index} is not visible here; name {legal}",
        field="indices",
        value=index,
        legal=legal,
    )


def pick(state: State, operation: Picking, *, skip_hidden: bool = False) -> Picked:
    """Return the visible messages an operation names; a choice may match none."""
    if operation.indices is not None:
        return take(state, operation.indices, skip_hidden=skip_hidden)
    assert operation.select is not None
    chosen = choose(state, operation.select)
    return take(state, chosen) if chosen else Picked((), state.view, -1)


def choose(state: State, choice: Choice) -> list[int]:
    """Return the visible messages a choice matches, in visible order."""
    view = state.view
    if choice.positions is not None:
        view = view[choice.positions.start : choice.positions.end]
    chosen: Iterable[int] = view
    if choice.roles is not None:
        chosen = compress(view, view.column(state.log.roles).translate(role_table(choice.roles)))
    if choice.marks is not None:
        marked = marked_with(state, choice.marks)
        chosen = [raw for raw in chosen if raw in marked]
    if choice.content_contains is not None:
        words = choice.content_contains
        chosen = [raw for raw in chosen if has_any(state.log[raw].search_text, words)]
    if choice.content_excludes is not None:
        unwanted = choice.content_excludes
        chosen = [raw for raw in chosen if not has_any(state.log[raw].search_text, unwanted)]
    found = list(chosen)
    return found[: max(0, len(found) - (choice.except_last or 0))]


def has_any(text: str, words: Iterable[str]) -> bool:
    """Tell whether any of the words occurs in a text."""
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


def aside_mask(state: State, keeping: Keeping, *more_roles: str) -> bytes:
    """Return for each visible position whether the message is set aside, so that it stays."""
    mask = role_mask(state, {*(keeping.keep_roles or ()), *more_roles})
    if keeping.keep_marks:
        mask = either(mask, raw_mask(state, marked_with(state, keeping.keep_marks)))
    return mask
