"""TRUNCATE: keep a stretch of the visible messages, counted among those not set aside."""

from __future__ import annotations

from collections.abc import Callable

from ...values.models import ROLES
from ..log import flag_table
from ..messages import LINKED
from ..operations import Truncate
from ..pairing import splits
from ..state import Draft, State
from ..views import View, either, runs_of, spans_of, subtract, without
from .picks import aside_mask, marked_with, role_mask

NOT = bytes([1] + [0] * 255)
"""A translation that turns a mask around."""


def truncate(draft: Draft, op: Truncate) -> None:
    """Keep what the cuts leave, and what is set aside."""
    view = draft.view
    gone: tuple[View, ...]
    if op.role is None and not (op.keep_system or op.keep_roles or op.keep_marks):
        lo, hi = _window(draft, op, view, op.max_tokens)
        kept, gone = view[lo:hi], (view[:lo], view[hi:])
        if not op.keep_pairs:
            draft.open_batch(op, kept, tokens=_tokens_left(draft, kept, *gone))
            return
    else:
        mask = _kept_beside(draft, op)
        kept, gone = view.where(mask), ()
        if op.keep_pairs and 1 in without(_linked(draft), mask):
            gone = (view.where(mask.translate(NOT)),)
    if op.keep_pairs and gone:
        kept = _whole_pairs(draft, op, kept, *gone)
    draft.open_batch(op, kept)


def _window(state: State, op: Truncate, candidates: View, budget: int | None) -> tuple[int, int]:
    """Return the stretch of the candidates that all cuts together leave, in their fixed order."""
    lo, hi = 0, len(candidates)
    if op.keep_first is not None:
        hi = min(hi, lo + op.keep_first)
    if op.keep_last is not None:
        lo = max(lo, hi - op.keep_last)
    if op.remove_first is not None:
        lo = min(hi, lo + op.remove_first)
    if op.remove_last is not None:
        hi = max(lo, hi - op.remove_last)
    if op.range is not None:
        lo, hi = min(lo + op.range.start, hi), min(lo + op.range.end, hi)
    if budget is not None:
        lo = hi - state.log.longest_suffix(candidates[lo:hi], budget, state.counter)
    return lo, hi


def _tokens_left(state: State, kept: View, *gone: View) -> int:
    """Return the tokens of what is kept, summed up on the side that has fewer runs."""
    if sum(view.run_count for view in gone) > kept.run_count:
        return state.log.total(kept, state.counter)
    total = state.total(state.current)
    return total - sum(state.log.total(view, state.counter) for view in gone)


def _kept_beside(state: State, op: Truncate) -> bytes:
    """Return a mask of what stays where some messages are set aside and only the rest is cut."""
    view = state.view
    aside = aside_mask(state, op, *_system(op))
    if op.role is None:
        candidates = aside.translate(NOT)
    else:
        candidates = without(role_mask(state, (op.role,)), aside)
    if op.role is not None and op.keep_others:
        aside = either(aside, role_mask(state, [role for role in ROLES if role != op.role]))
    budget = op.max_tokens
    if budget is not None:
        budget -= state.log.total(view.where(aside), state.counter)
    chosen = view.where(candidates)
    lo, hi = _window(state, op, chosen, budget)
    if lo == hi:
        return aside
    first, last = view.position(chosen[lo]), view.position(chosen[hi - 1])
    assert first is not None
    assert last is not None
    window = either(aside[first : last + 1], candidates[first : last + 1])
    return aside[:first] + window + aside[last + 1 :]


def _system(op: Truncate) -> tuple[str, ...]:
    return ("system",) if op.keep_system else ()


def _linked(state: State) -> bytes:
    """Return a mask of the messages with a call or a result; only these can split an exchange."""
    return state.view.column(state.log.flags).translate(flag_table(LINKED))


def _whole_pairs(state: State, op: Truncate, kept: View, *gone: View) -> View:
    """Return what stays when every exchange the cut would split stays or goes as a whole."""
    is_firm, is_other = _set_aside(state, op), _set_aside_by_others(state, op)
    extend = op.keep_pairs == "extend" and op.max_tokens is None
    back: list[int] = []
    away: list[int] = []
    for exchange, staying in splits(state.log, state.view, kept, *gone):
        if any(map(is_firm, exchange)) or (extend and not all(map(is_other, staying))):
            back += exchange
        else:
            away += staying
    if not back and not away:
        return kept
    leaving = spans_of(run for part in gone for run in part.runs())
    leaving = subtract(leaving, spans_of(runs_of(sorted(back))))
    going = spans_of([*runs_of(sorted(away)), *((start, stop - start) for start, stop in leaving)])
    return state.view.cut(going)[0] if going else state.view


def _set_aside(state: State, op: Truncate) -> Callable[[int], bool]:
    """Return what tells whether a message was set aside by its role or a mark."""
    roles = {*(op.keep_roles or ()), *_system(op)}
    marked = marked_with(state, op.keep_marks or ())
    return lambda raw: state.log[raw].role in roles or raw in marked


def _set_aside_by_others(state: State, op: Truncate) -> Callable[[int], bool]:
    """Return what tells whether ``keepOthers`` set a message aside."""
    return lambda raw: bool(op.keep_others) and state.log[raw].role != op.role
