"""TRUNCATE: keep a range of the visible messages, counted among those not set aside."""

from typing import Annotated, ClassVar, Self

from pydantic import Field, model_validator

from ...errors import Refused, format_value
from ...values.models import ROLES, Count, Flag, KeepPairs, Model, RoleName, nested
from ..log import flag_table
from ..messages import LINKED
from ..pairing import splits
from ..state import Draft, State
from ..views import View, either, runs_of, spans_of, subtract, without
from .base import BatchOperation
from .selection import KeepFields, marked_with, role_mask

NOT = bytes([1] + [0] * 255)
"""A translation that inverts a mask."""


class Range(Model):
    """A half-open range of positions to keep."""

    title = "range"
    start: Count
    end: Count

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.start >= self.end:
            raise Refused(
                f"start {format_value(self.start)} is not below end {format_value(self.end)}",
                field="start",
                value=self.start,
                legal=f"0…{format_value(self.end - 1)}" if self.end else "an end above 0",
            )
        return self


class Truncate(KeepFields, BatchOperation):
    """Keep a range of the visible messages and hide the rest."""

    title = "TRUNCATE"
    cuts: ClassVar[tuple[str, ...]] = (
        "keep_first",
        "keep_last",
        "remove_first",
        "remove_last",
        "range",
        "max_tokens",
    )
    keep_first: Count | None = Field(default=None, description="Keep this many at the start")
    keep_last: Count | None = Field(default=None, description="Keep this many at the end")
    remove_first: Count | None = Field(default=None, description="Hide this many at the start")
    remove_last: Count | None = Field(default=None, description="Hide this many at the end")
    range: Annotated[Range, nested(Range)] | None = Field(
        default=None, description="Keep the positions from start up to, not including, end"
    )
    max_tokens: Count | None = Field(default=None, description="Keep the newest that fit")
    role: RoleName | None = Field(default=None, description="Cut only among this role")
    keep_others: Flag = Field(default=False, description="Other roles stay")
    keep_system: Flag = Field(default=False, description="System messages stay")
    keep_pairs: KeepPairs = Field(
        default=False, description="Never split a tool call from its results"
    )

    @model_validator(mode="after")
    def _cuts_something(self) -> Self:
        if all(getattr(self, name) is None for name in self.cuts):
            legal = "keepFirst, keepLast, removeFirst, removeLast, range, maxTokens"
            raise Refused(
                f"TRUNCATE cuts nothing; give at least one of {legal} "
                "(FILTER keeps or drops whole roles)",
                field="keepLast",
                legal=legal,
            )
        if self.keep_others and self.role is None:
            raise Refused(
                "keepOthers true has no meaning without a role",
                field="keepOthers",
                value=True,
                legal="true only together with role",
            )
        return self

    def apply(self, draft: Draft) -> None:
        view = draft.view
        gone: tuple[View, ...]
        if self.role is None and not (self.keep_system or self.keep_roles or self.keep_marks):
            lo, hi = self._window(draft, view, self.max_tokens)
            kept, gone = view[lo:hi], (view[:lo], view[hi:])
            if not self.keep_pairs:
                draft.open_batch(self, kept, tokens=_tokens_left(draft, kept, *gone))
                return
        else:
            mask = self._kept_mask(draft)
            kept, gone = view.where(mask), ()
            if self.keep_pairs and 1 in without(_linked(draft), mask):
                gone = (view.where(mask.translate(NOT)),)
        if self.keep_pairs and gone:
            kept = self._whole_pairs(draft, kept, *gone)
        draft.open_batch(self, kept)

    def _window(self, state: State, candidates: View, budget: int | None) -> tuple[int, int]:
        """Return the range of the candidates that all cuts leave, applied in their fixed order."""
        lo, hi = 0, len(candidates)
        if self.keep_first is not None:
            hi = min(hi, lo + self.keep_first)
        if self.keep_last is not None:
            lo = max(lo, hi - self.keep_last)
        if self.remove_first is not None:
            lo = min(hi, lo + self.remove_first)
        if self.remove_last is not None:
            hi = max(lo, hi - self.remove_last)
        if self.range is not None:
            lo, hi = min(lo + self.range.start, hi), min(lo + self.range.end, hi)
        if budget is not None:
            lo = hi - state.log.longest_suffix(candidates[lo:hi], budget, state.counter)
        return lo, hi

    def _kept_mask(self, state: State) -> bytes:
        """Return a mask of what stays if some messages are set aside and only the rest is cut."""
        view = state.view
        aside = self.aside_mask(state, *self._system())
        if self.role is None:
            candidates = aside.translate(NOT)
        else:
            candidates = without(role_mask(state, (self.role,)), aside)
        if self.role is not None and self.keep_others:
            aside = either(aside, role_mask(state, [role for role in ROLES if role != self.role]))
        budget = self.max_tokens
        if budget is not None:
            budget -= state.log.total(view.where(aside), state.counter)
        chosen = view.where(candidates)
        lo, hi = self._window(state, chosen, budget)
        if lo == hi:
            return aside
        first, last = view.position(chosen[lo]), view.position(chosen[hi - 1])
        assert first is not None
        assert last is not None
        window = either(aside[first : last + 1], candidates[first : last + 1])
        return aside[:first] + window + aside[last + 1 :]

    def _system(self) -> tuple[str, ...]:
        return ("system",) if self.keep_system else ()

    def _whole_pairs(self, state: State, kept: View, *gone: View) -> View:
        """Return what stays if every exchange the cut would split is kept or hidden as a whole."""
        roles = {*(self.keep_roles or ()), *self._system()}
        marked = marked_with(state, self.keep_marks or ())

        def is_firm(raw: int) -> bool:
            return state.log[raw].role in roles or raw in marked

        def is_other(raw: int) -> bool:
            return bool(self.keep_others) and state.log[raw].role != self.role

        extend = self.keep_pairs == "extend" and self.max_tokens is None
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
        runs = [(start, stop - start) for start, stop in leaving]
        going = spans_of([*runs_of(sorted(away)), *runs])
        return state.view.cut(going)[0] if going else state.view


def _tokens_left(state: State, kept: View, *gone: View) -> int:
    """Return the tokens of what is kept, summed up on the side that has fewer runs."""
    if sum(view.run_count for view in gone) > kept.run_count:
        return state.log.total(kept, state.counter)
    total = state.total(state.current)
    return total - sum(state.log.total(view, state.counter) for view in gone)


def _linked(state: State) -> bytes:
    """Return a mask of the messages with a call or a result; only these can split an exchange."""
    return state.view.column(state.log.flags).translate(flag_table(LINKED))
