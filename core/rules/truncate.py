"""TRUNCATE: keep a stretch of the visible messages, counted among those not set aside."""

from __future__ import annotations

from itertools import compress, islice

from core.history.draft import Draft
from core.history.state import State
from core.lint.exchanges import exchanges
from core.operations import Truncate
from core.rules.picks import aside_mask, role_mask
from core.values.roles import ROLES
from core.views.masks import either, without
from core.views.view import View


def truncate(draft: Draft, op: Truncate) -> None:
    """Keep what the cuts leave, and what is set aside."""
    view = draft.view
    if op.role is None and not (op.keep_system or op.keep_roles or op.keep_marks):
        lo, hi = _window(draft, op, view, 0)
        kept, aside = view[lo:hi], None
        if not op.keep_pairs:
            draft.open_batch(op, kept, tokens=_tokens_left(draft, kept, view[:lo], view[hi:]))
            return
    else:
        aside = aside_mask(draft, op, *(("system",) if op.keep_system else ()))
        kept = _kept_beside(draft, op, aside)
    if op.keep_pairs:
        kept = _whole_pairs(draft, op, kept, aside)
    draft.open_batch(op, kept)


def _window(state: State, op: Truncate, candidates: View, reserved: int) -> tuple[int, int]:
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
    if op.max_tokens is not None:
        budget = op.max_tokens - reserved
        lo = hi - state.log.longest_suffix(candidates[lo:hi], budget, state.counter)
    return lo, hi


def _tokens_left(state: State, kept: View, *gone: View) -> int:
    """Return the tokens of what is kept, summed up on the side that has fewer runs."""
    if sum(view.run_count for view in gone) > kept.run_count:
        return state.log.total(kept, state.counter)
    total = state.total(state.current)
    return total - sum(state.log.total(view, state.counter) for view in gone)


def _kept_beside(state: State, op: Truncate, aside: bytes) -> View:
    """Return what stays where some messages are set aside and only the rest is cut."""
    view = state.view
    if op.role is None:
        candidates = without(b"\1" * len(view), aside)
    else:
        candidates = without(role_mask(state, (op.role,)), aside)
    if op.role is not None and op.keep_others:
        aside = either(aside, _other_roles(state, op.role))
    reserved = 0
    if op.max_tokens is not None:
        reserved = state.log.total(view.where(aside), state.counter)
    lo, hi = _window(state, op, view.where(candidates), reserved)
    if lo == hi:
        return view.where(aside)
    at = compress(range(len(view)), candidates)
    first = next(islice(at, lo, None))
    last = first if hi == lo + 1 else next(islice(at, hi - lo - 2, None))
    both = either(aside, candidates)
    return view.where(aside[:first] + both[first : last + 1] + aside[last + 1 :])


def _other_roles(state: State, role: str) -> bytes:
    return role_mask(state, [other for other in ROLES if other != role])


def _whole_pairs(state: State, op: Truncate, kept: View, aside: bytes | None) -> View:
    """Return what stays when every exchange the cut would split stays or goes as a whole."""
    stays = bytearray(len(state.log))
    for start, length in kept.runs():
        stays[start : start + length] = b"\1" * length
    firm = set() if aside is None else set(compress(state.view, aside))
    by_others = _by_others(state, op)
    extend = op.keep_pairs == "extend" and op.max_tokens is None
    for exchange in exchanges(state.log, state.view):
        staying = [raw for raw in exchange if stays[raw]]
        if len(staying) in (0, len(exchange)):
            continue
        whole = any(raw in firm for raw in exchange) or (
            extend and not all(raw in by_others for raw in staying)
        )
        for raw in exchange:
            stays[raw] = whole
    return state.view.where(state.view.column(lambda start, stop: stays[start:stop]))


def _by_others(state: State, op: Truncate) -> set[int]:
    """Return the messages that only ``keepOthers`` set aside."""
    if op.role is None or not op.keep_others:
        return set()
    return set(compress(state.view, _other_roles(state, op.role)))
