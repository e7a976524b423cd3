"""The operations that only hide: CLEAR, FILTER, SELECT, DELETE, BATCH_START."""

from typing import Self

from pydantic import Field, model_validator

from ...errors import Refused, format_value, out_of_range
from ...values.models import INTERNAL, Flag, Indices, Labels, Number, Roles, Words
from ..messages import Message
from ..state import Draft, State
from ..views import View, either, runs_of
from .base import BatchOperation, Resolved
from .selection import (
    KeepFields,
    SelectFields,
    has_any,
    marked_with,
    raw_mask,
    role_mask,
    select_visible,
)

TOOL_HEADINGS = ("可用工具:", "可用工具\uff1a", "Available tools:")


class Clear(KeepFields, BatchOperation):
    """Hide everything but the system messages, or really everything."""

    title = "CLEAR"
    keep_system_message: Flag = Field(default=True, description="System messages stay")

    def apply(self, draft: Draft) -> None:
        stays = self.aside_mask(draft, *(("system",) if self.keep_system_message else ()))
        draft.open_batch(self, _with_tools(draft, draft.view.where(stays)))


def _with_tools(draft: Draft, view: View) -> View:
    """Return a view that ends with the settings' tool description, if none is visible in it."""
    description = draft.head.settings.tool_description
    if description is None or _describes_tools(draft, view, description):
        return view
    return view.extended(draft.add([Message("system", description)]))


def _describes_tools(state: State, view: View, description: str) -> bool:
    texts = [state.log[raw].text for raw in view if state.log[raw].role == "system"]
    return any(text.lstrip().startswith(TOOL_HEADINGS) or text == description for text in texts)


class Filter(KeepFields, BatchOperation):
    """Keep the visible messages that pass all conditions."""

    title = "FILTER"
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

    def apply(self, draft: Draft) -> None:
        view = draft.view
        passing = view if self.roles is None else view.where(role_mask(draft, self.roles))
        if self.marks is not None:
            marked = marked_with(draft, self.marks)
            passing = View.of(raw for raw in passing if raw in marked)
        if self.content_contains or self.content_excludes:
            passing = View.of(
                raw for raw in passing if self._words_pass(draft.log[raw].search_text)
            )
        if self.keep_roles or self.keep_marks:
            passing = view.where(either(raw_mask(draft, passing), self.aside_mask(draft)))
        draft.open_batch(self, passing)

    def _words_pass(self, text: str) -> bool:
        wanted, unwanted = self.content_contains, self.content_excludes or ()
        if self.ignore_case:
            text = text.casefold()
            wanted = wanted and tuple(word.casefold() for word in wanted)
            unwanted = tuple(word.casefold() for word in unwanted)
        return (wanted is None or has_any(text, wanted)) and not has_any(text, unwanted)


class Select(BatchOperation):
    """Keep only some messages, in the order given."""

    title = "SELECT"
    indices: Indices = Field(description="Raw indices that stay, in their new order")

    def apply(self, draft: Draft) -> None:
        select_visible(draft, self.indices)
        draft.open_batch(self, View.of(self.indices))


class Delete(SelectFields, BatchOperation):
    """Hide messages."""

    title = "DELETE"
    skip_hidden: Flag = Field(default=False, json_schema_extra=INTERNAL)

    def apply(self, draft: Draft) -> Resolved:
        indices, rest, _ = self.selected(draft, skip_hidden=self.skip_hidden)
        if indices:
            tokens = draft.total(draft.current) - draft.tokens_of(runs_of(indices))
            draft.open_batch(self, rest, tokens=tokens)
        return tuple(indices)


class BatchStart(BatchOperation):
    """Open a batch; raw indices below the boundary are hidden in it."""

    title = "BATCH_START"
    boundary: Number | None = Field(default=None, description="First raw index that may stay")
    initial_tools: Flag = Field(
        default=False, description="Show the tool description of the settings, if none is visible"
    )
    number: Number | None = Field(default=None, json_schema_extra=INTERNAL)

    def apply(self, draft: Draft) -> None:
        batch = draft.batch
        if self.number is not None and self.number != batch.number + 1:
            raise Refused(
                f"batch {format_value(self.number)} is not {batch.number + 1}, "
                "the number it will get",
                field="batch",
                value=self.number,
                legal=str(batch.number + 1),
            )
        if self.boundary is not None and not batch.boundary <= self.boundary <= draft.seen_size:
            raise out_of_range("boundary", self.boundary, f"{batch.boundary}…{draft.seen_size}")
        view = before = draft.view
        if self.boundary:
            view, _, _ = view.cut([(0, self.boundary)])
        if self.initial_tools:
            view = _with_tools(draft, view)
        tokens = draft.total(draft.current) if view is before else None
        draft.open_batch(self, view, tokens=tokens, boundary=self.boundary)
