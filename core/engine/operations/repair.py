"""REPAIR: hide, restore or stub until no call lacks a result and no result lacks a call."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from ...values.models import one_of
from ..messages import CALLS, Links, Message, ToolResultPart, ToolUsePart, links_of
from ..pairing import Pairing, ToolExchange, pair
from ..state import Draft, State
from ..views import View, indices_of
from .base import BatchOperation

STUB = "[result removed]"


class Repair(BatchOperation):
    """Make tool calls and results fit together again."""

    title = "REPAIR"
    policy: Annotated[Literal["drop", "restore", "stub"], one_of("drop", "restore", "stub")] = (
        Field(default="drop", description="What to do about a broken pair")
    )

    def apply(self, draft: Draft) -> None:
        """Repair the projection, round after round, until no exchange has an error."""
        before = [_old(draft, raw) for raw in draft.view]
        items = before
        while (repaired := _round(draft, self, items)) is not None:
            items = repaired
        if items is before:
            return
        news = [item.new for item in items if item.new is not None]
        fresh = iter(indices_of(draft.add(news)) if news else ())
        view = View.of(next(fresh) if item.raw is None else item.raw for item in items)
        draft.open_batch(self, view)


class RepairItem(NamedTuple):
    """A message of the projection under repair: an old one by raw index, or a new one."""

    role: str
    links: Links
    raw: int | None = None
    new: Message | None = None


def _old(state: State, raw: int) -> RepairItem:
    return RepairItem(state.log[raw].role, state.log.links(raw), raw)


def _round(state: Draft, operation: Repair, items: list[RepairItem]) -> list[RepairItem] | None:
    """Return the projection after one round of repairs, or None if there is no error."""
    found = pair(
        (position, item.role, item.links)
        for position, item in enumerate(items)
        if item.role == "tool" or item.links.calls or item.links.results
    )
    broken = [
        site
        for site in found.sites
        if _is_broken(site, len(items)) or (items[site.position].new and site.missing())
    ]
    orphans = [one for one in found.orphans if one.id is not None or found.sites]
    if not broken and not orphans:
        return None
    hide: set[int] = set()
    insert: dict[int, list[RepairItem]] = {}
    if operation.policy == "restore":
        insert = _restored(state, items, found, hide)
    else:
        hide.update(position for position, _ in orphans)
    for site in broken:
        if operation.policy == "stub" and site.missing() and not site.displaced:
            insert.setdefault(site.block_end, []).extend(_stubs(site))
        else:
            hide.update(site.members())
    return list(_rebuilt(items, hide, insert))


def _is_broken(site: ToolExchange, size: int) -> bool:
    """Return whether an exchange has an error, not only results that are still to come."""
    return bool(site.displaced) or (bool(site.missing()) and not site.waits(size))


def _restored(
    state: Draft, items: list[RepairItem], found: Pairing, hide: set[int]
) -> dict[int, list[RepairItem]]:
    """Return copies of hidden calls, each before its first result; hide results without a call."""
    hidden = _hidden_calls(state, items)
    wanted: dict[int, list[tuple[int, str]]] = {}
    for position, call in found.orphans:
        raw = None if call is None else hidden.get(call)
        if raw is None or call is None:
            if call is not None or found.sites:
                hide.add(position)
        else:
            wanted.setdefault(raw, []).append((position, call))
    copies: dict[int, list[RepairItem]] = {}
    for raw, results in wanted.items():
        first = min(position for position, _ in results)
        copy = _reduced(state.log[raw], raw, {call for _, call in results})
        copies.setdefault(first, []).append(RepairItem(copy.role, links_of(copy), new=copy))
    return copies


def _hidden_calls(state: Draft, items: list[RepairItem]) -> dict[str, int]:
    """Return for each call id the latest message outside the projection that makes this call."""
    shown = {item.raw for item in items}
    everything = View.of_runs([(0, state.seen_size)])
    return {
        call: raw
        for raw in state.log.with_flag(everything, CALLS)
        if raw not in shown
        for call in state.log.links(raw).calls
    }


def _reduced(message: Message, raw: int, calls: set[str]) -> Message:
    """Return a copy of a calling message with only some of its calls."""
    kept = tuple(
        part
        for part in message.parts
        if not isinstance(part, ToolResultPart)
        and (not isinstance(part, ToolUsePart) or part.id in calls)
    )
    return replace(message, content=kept).noted(copiedFrom=raw)


def _stubs(site: ToolExchange) -> Iterator[RepairItem]:
    for call in site.missing():
        message = Message("tool", (ToolResultPart(call, STUB),))
        yield RepairItem("tool", links_of(message), new=message)


def _rebuilt(
    items: list[RepairItem], hide: set[int], insert: dict[int, list[RepairItem]]
) -> Iterator[RepairItem]:
    for position, item in enumerate(items):
        yield from insert.get(position, ())
        if position not in hide:
            yield item
    yield from insert.get(len(items), ())
