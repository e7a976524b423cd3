"""TRUNCATE and its cuts."""

from __future__ import annotations

from typing import Annotated, ClassVar, Self

from pydantic import Field, model_validator

from ...errors import Refused, format_value
from ...values.models import Count, Flag, KeepPairs, Model, RoleName, nested
from ..operation import BatchOperation, Keeping


class Range(Model):
    """A half-open range of positions to keep."""

    title: ClassVar[str] = "range"
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


class Truncate(Keeping, BatchOperation):
    """Keep a stretch of the visible messages and hide the rest."""

    title: ClassVar[str] = "TRUNCATE"
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
                "keepOthers true says nothing without a role",
                field="keepOthers",
                value=True,
                legal="true only beside role",
            )
        return self
