"""The operations that leave the projection as it is: MARK, UNMARK, DESCRIBE, CONFIGURE."""

from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from ...errors import Refused, out_of_range
from ...values.frozen import FrozenDict, freeze_object
from ...values.models import Checked, Label, Number, Text, nested, one_of
from ..settings import PROFILES, CompressionFields, read_description, read_limit
from ..state import Draft, State
from ..views import EMPTY, View, with_indices, without_indices
from .base import DraftOperation
from .selection import SelectFields, check_in_log


class Mark(SelectFields, DraftOperation):
    """Put a label on messages, visible or not."""

    title = "MARK"
    label: Label = Field(description="The label, 1 to 64 characters")

    def apply(self, draft: Draft) -> tuple[int, ...]:
        indices = _named(draft, self)
        _relabel(draft, self.label, with_indices(draft.head.marks.get(self.label, EMPTY), indices))
        return indices


class Unmark(SelectFields, DraftOperation):
    """Remove a label from messages."""

    title = "UNMARK"
    label: Label = Field(description="The label, 1 to 64 characters")

    def apply(self, draft: Draft) -> tuple[int, ...]:
        indices = _named(draft, self)
        marked = draft.head.marks.get(self.label, EMPTY)
        _relabel(draft, self.label, without_indices(marked, indices))
        return indices


def _named(state: State, operation: Mark | Unmark) -> tuple[int, ...]:
    if operation.indices is None:
        assert operation.select is not None
        return tuple(operation.select.matching(state))
    check_in_log(state, operation.indices)
    return operation.indices


def _relabel(draft: Draft, label: str, marked: View) -> None:
    marks = dict(draft.head.marks)
    if len(marked) == len(marks.get(label, EMPTY)):
        return  # Marking only adds and unmarking only removes, so the same count is the same set.
    if len(marked):
        marks[label] = marked
    else:
        del marks[label]
    draft.set_head(draft.head._replace(marks=marks))


class Describe(DraftOperation):
    """Name a batch."""

    title = "DESCRIBE"
    batch: Number = Field(description="Id of the batch")
    text: Text = Field(description="Its new name")

    def apply(self, draft: Draft) -> None:
        if not 0 <= self.batch < len(draft.batches):
            raise out_of_range("batch", self.batch, f"0…{len(draft.batches) - 1}")
        if draft.named(draft.batches[self.batch]).description != self.text:
            names = {**draft.head.names, self.batch: self.text}
            draft.set_head(draft.head._replace(names=names))


class DescribeMeta(DraftOperation):
    """Change what describes the conversation: its fields, tool definitions and the like.

    A key that is null is removed, the others stay as they are. For programs; no form offers it.
    """

    title = "DESCRIBE_META"
    meta: Annotated[FrozenDict, Checked(freeze_object)]

    def apply(self, draft: Draft) -> None:
        old = draft.head.meta
        new = {key: value for key, value in {**old, **self.meta}.items() if value is not None}
        if new != old:
            draft.set_head(draft.head._replace(meta=FrozenDict(new)))


class Configure(DraftOperation):
    """Change settings from now on."""

    title = "CONFIGURE"
    null_counts = True
    token_limit: Annotated[int | None, Checked(read_limit)] = None
    compression_config: Annotated[CompressionFields, nested(CompressionFields)] | None = None
    tool_description: Annotated[str | None, Checked(read_description)] = None
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

    def apply(self, draft: Draft) -> None:
        settings = draft.head.settings.changed(self.settings())
        if settings is not draft.head.settings:
            draft.set_head(draft.head._replace(settings=settings))
