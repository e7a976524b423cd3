"""Groups of fields that several operations share."""

from __future__ import annotations

from typing import Annotated, ClassVar, Self

from pydantic import Field, model_validator

from ..errors import Refused
from ..values.models import Count, Indices, Labels, Model, Number, Roles, Words, nested


class Positions(Model):
    """A half-open stretch of visible positions; negative ones count from the end."""

    title: ClassVar[str] = "positions"
    start: Number | None = None
    end: Number | None = None

    @model_validator(mode="after")
    def _given(self) -> Self:
        if self.start is None and self.end is None:
            raise Refused("positions names neither start nor end", field="positions", value={})
        return self


class Choice(Model):
    """A choice among the visible messages that also fits other conversations."""

    title: ClassVar[str] = "select"
    roles: Roles | None = None
    marks: Labels | None = None
    content_contains: Words | None = None
    content_excludes: Words | None = None
    positions: Annotated[Positions, nested(Positions)] | None = None
    except_last: Count | None = None

    @model_validator(mode="after")
    def _given(self) -> Self:
        if all(getattr(self, name) is None for name in Choice.model_fields):
            fields = "roles, marks, contentContains, contentExcludes, positions, exceptLast"
            raise Refused(
                f"select {{}} is no condition; give at least one of {fields}",
                field="select",
                value={},
                legal=fields,
            )
        return self


ChoiceField = Annotated[Choice, nested(Choice)]


class Picking(Model):
    """Fields of the operations that name messages: by raw index, or by a choice."""

    indices: Indices | None = Field(default=None, description="Raw indices of the messages")
    select: ChoiceField | None = Field(default=None, description="A choice among visible messages")

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


class Keeping(Model):
    """Fields that set messages aside, so that an operation doesn't touch them."""

    keep_roles: Roles | None = Field(default=None, description="Roles that always stay")
    keep_marks: Labels | None = Field(default=None, description="Marked messages that always stay")
