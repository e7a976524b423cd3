"""The operations that only hide: CLEAR, FILTER, SELECT, DELETE, BATCH_START."""

from __future__ import annotations

from ...errors import Refused, format_value, out_of_range
from ..messages import Message
from ..operations import BatchStart, Clear, Delete, Filter, Select
from ..state import Draft, State
from ..views import View, either, runs_of
from .picks import aside_mask, has_any, marked_with, pick, raw_mask, role_mask, take

TOOL_HEADINGS = ("可用工具:", "可用工具\uff1a", "Available tools:")


def clear(draft: Draft, op: Clear) -> None:
    """Hide all but what stays, and keep the tool description in sight."""
    stays = aside_mask(draft, op, *(("system",) if op.keep_system_message else ()))
    draft.open_batch(op, _with_tools(draft, draft.view.where(stays)))


def _with_tools(draft: Draft, view: View) -> View:
    """Return a view with the settings' tool description at its end, where none is in sight."""
    description = draft.head.settings.tool_description
    if description is None or _describes_tools(draft, view, description):
        return view
    return view.extended(draft.add([Message("system", description)]))


def _describes_tools(state: State, view: View, description: str) -> bool:
    """Tell whether a visible system message already says which tools there are."""
    texts = [state.log[raw].text for raw in view if state.log[raw].role == "system"]
    return any(text.lstrip().startswith(TOOL_HEADINGS) or text == description for text in texts)


def filter_(draft: Draft, op: Filter) -> None:
    """Keep what passes every condition, and what is set aside."""
    view = draft.view
    passing = view if op.roles is None else view.where(role_mask(draft, op.roles))
    if op.marks is not None:
        marked = marked_with(draft, op.marks)
        passing = View.of(raw for raw in passing if raw in marked)
    if op.content_contains or op.content_excludes:
        passing = View.of(raw for raw in passing if _words_pass(op, draft.log[raw].search_text))
    if op.keep_roles or op.keep_marks:
        passing = view.where(either(raw_mask(draft, passing), aside_mask(draft, op)))
    draft.open_batch(op, passing)


def _words_pass(op: Filter, text: str) -> bool:
    wanted, unwanted = op.content_contains, op.content_excludes or ()
    if op.ignore_case:
        text = text.casefold()
        wanted = wanted and tuple(word.casefold() for word in wanted)
        unwanted = tuple(word.casefold() for word in unwanted)
    return (wanted is None or has_any(text, wanted)) and not has_any(text, unwanted)


def select(draft: Draft, op: Select) -> None:
    """Keep only the named messages, in the order named."""
    take(draft, op.indices)
    draft.open_batch(op, View.of(op.indices))


def delete(draft: Draft, op: Delete) -> tuple[int, ...]:
    """Hide the named messages."""
    picked = pick(draft, op, skip_hidden=op.skip_hidden)
    if picked.indices:
        tokens = draft.total(draft.current) - draft.tokens_of(runs_of(picked.indices))
        draft.open_batch(op, picked.rest, tokens=tokens)
    return tuple(picked.indices)


def batch_start(draft: Draft, op: BatchStart) -> None:
    """Open a batch in which nothing below the boundary is visible, and the tools if asked for."""
    batch = draft.batch
    if op.number is not None and op.number != batch.number + 1:
        raise Refused(
            f"batch {format_value(op.number)} is not {batch.number + 1}, the number it will get",
            field="batch",
            value=op.number,
            legal=str(batch.number + 1),
        )
    if op.boundary is not None and not batch.boundary <= op.boundary <= draft.seen_size:
        raise out_of_range("boundary", op.boundary, f"{batch.boundary}…{draft.seen_size}")
    view = before = draft.view
    if op.boundary:
        view, _, _ = view.cut([(0, op.boundary)])
    if op.initial_tools:
        view = _with_tools(draft, view)
    tokens = draft.total(draft.current) if view is before else None
    draft.open_batch(op, view, tokens=tokens, boundary=op.boundary)
