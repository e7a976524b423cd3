"""The operations that leave the projection as it is: MARK, UNMARK, DESCRIBE, CONFIGURE."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, model_validator

from ...errors import Refused
from ...values.frozen import FrozenDict, freeze_object
from ...values.models import Label, Number, Text, checked, nested, one_of
from ..operation import Operation, Picking
from ..settings import PROFILES, CompressionFields, read_description, read_limit


class Mark(Picking, Operation):
    """Put a label on messages, visible or not."""

    title: ClassVar[str] = "MARK"
    label: Label = Field(description="The label, 1 to 64 characters")


class Unmark(Picking, Operation):
    """Take a label off messages."""

    title: ClassVar[str] = "UNMARK"
    label: Label = Field(description="The label, 1 to 64 characters")


class Describe(Operation):
    """Name a batch."""

    title: ClassVar[str] = "DESCRIBE"
    batch: Number = Field(description="Id of the batch")
    text: Text = Field(description="Its new name")


class DescribeMeta(Operation):
    """Change what describes the conversation: its fields, tool definitions and the like.

    A key that is null is removed, the others stay as they are. Programs ask for it; no form does.
    """

    title: ClassVar[str] = "DESCRIBE_META"
    meta: Annotated[FrozenDict, checked(freeze_object)]


class Configure(Operation):
    """Change settings from now on."""

    title: ClassVar[str] = "CONFIGURE"
    null_counts: ClassVar[bool] = True
    token_limit: Annotated[int | None, checked(read_limit)] = None
    compression_config: Annotated[CompressionFields, nested(CompressionFields)] | None = None
    tool_description: Annotated[str | None, checked(read_description)] = None
    counter: Text | None = None
    profile: Annotated[str, one_of(*PROFILES)] | None = None

    @model_validator(mode="after")
    def _given(self) -> Self:
        if not self.model_fields_set:
            legal = "tokenLimit, compressionConfig, toolDescription, counter, profile"
            raise Refused(
                f"CONFIGURE has no setting; give at least one of {legal}",
                field="tokenLimit",
                legal=legal,
            )
        return self

    def settings(self) -> dict[str, Any]:
        """Return the settings that were given, by name."""
        given = {name: getattr(self, name) for name in self.model_fields_set}
        nullable = ("token_limit", "tool_description")
        return {k: v for k, v in given.items() if v is not None or k in nullable}
