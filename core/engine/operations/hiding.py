"""The operations that only hide: CLEAR, FILTER, SELECT, DELETE, BATCH_START."""

from __future__ import annotations

from typing import ClassVar, Self

from pydantic import Field, model_validator

from ...errors import Refused
from ...values.models import INTERNAL, Flag, Indices, Labels, Number, Roles, Words
from ..operation import BatchOperation, Keeping, Picking


class Clear(Keeping, BatchOperation):
    """Hide everything but the system messages, or really everything."""

    title: ClassVar[str] = "CLEAR"
    keep_system_message: Flag = Field(default=True, description="System messages stay")


class Filter(Keeping, BatchOperation):
    """Keep the visible messages that pass all conditions."""

    title: ClassVar[str] = "FILTER"
    roles: Roles | None = Field(default=None, description="Keep these roles")
    content_contains: Words | None = Field(default=None, description="Keep if any word occurs")
    content_excludes: Words | None = Field(default=None, description="Hide if any word occurs")
    marks: Labels | None = Field(default=None, description="Keep if it carries any label")
    ignore_case: Flag = Field(default=False, description="Capital and small letters are alike")

    @model_validator(mode="after")
    def _given(self) -> Self:
        if self.roles or self.content_contains or self.content_excludes or self.marks:
            return self
        legal = "roles, contentContains, contentExcludes, marks"
        raise Refused(
            f"FILTER has no condition; give at least one of {legal}", field="roles", legal=legal
        )


class Select(BatchOperation):
    """Keep only some messages, in the order given."""

    title: ClassVar[str] = "SELECT"
    indices: Indices = Field(description="Raw indices that stay, in their new order")


class Delete(Picking, BatchOperation):
    """Hide messages."""

    title: ClassVar[str] = "DELETE"
    skip_hidden: Flag = Field(default=False, json_schema_extra=INTERNAL)


class BatchStart(BatchOperation):
    """Open a batch; raw indices below the boundary are hidden in it."""

    title: ClassVar[str] = "BATCH_START"
    boundary: Number | None = Field(default=None, description="First raw index that may stay")
    initial_tools: Flag = Field(
        default=False, description="Show the tool description of the settings, if none is in sight"
    )
    number: Number | None = Field(default=None, json_schema_extra=INTERNAL)
