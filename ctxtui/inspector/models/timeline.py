"""The batches as a tree with figures: what a drawing of the timeline needs to know."""

from __future__ import annotations

from typing import NamedTuple

from ctxtui.core import Batch, Revision
from ctxtui.core.conversation.readable import Readable
from ctxtui.text.plurals import plural

RIBBON_CELLS = 120
"""Cells of a batch's ribbon at most; each represents one message or more."""
MOST_ABOUT = 200
"""Characters of a batch's arguments that are examined."""


class RibbonCell(NamedTuple):
    """Some messages of the log: the role of the first that is visible, and which share is."""

    role: str | None
    share: float


class BatchNode(NamedTuple):
    """A batch, where it is in the tree, and what it came to.

    ``lane`` is 0 for what is on the way to now; abandoned branches have others.
    """

    id: int
    number: int
    parent: int | None
    lane: int
    name: str
    about: str
    added: int
    hidden: int
    visible: int
    tokens: int
    errors: int
    is_now: bool
    ribbon: tuple[RibbonCell, ...]

    @property
    def is_abandoned(self) -> bool:
        return self.lane > 0


def batch_tree(conversation: Readable) -> list[BatchNode]:
    """Return every batch in the order they were made."""
    on_path = {batch.id for batch in conversation.path}
    lanes: dict[int, int] = {}
    tips: set[int] = set()
    nodes = []
    for batch in conversation.batches:
        lanes[batch.id] = _lane(batch, on_path, lanes, tips)
        newest = conversation.newest(batch)
        added, hidden = changes_of(conversation, batch)
        findings = conversation.at(newest).lint()
        nodes.append(
            BatchNode(
                batch.id,
                batch.number,
                batch.parent,
                lanes[batch.id],
                name_of(batch),
                about_of(conversation, batch),
                added,
                hidden,
                len(newest.view),
                conversation.at(newest).tokens.total,
                sum(finding.severity == "error" for finding in findings),
                batch.id == conversation.batch.id,
                _ribbon(conversation, newest),
            )
        )
    return nodes


def _lane(batch: Batch, on_path: set[int], lanes: dict[int, int], tips: set[int]) -> int:
    """Return the lane of a batch: that of its parent where that goes on, or a new one."""
    if batch.id in on_path:
        return 0
    if batch.parent in tips:
        tips.discard(batch.parent)
        lane = lanes[batch.parent]
    else:
        lane = 1 + max(lanes.values(), default=0)
    tips.add(batch.id)
    return lane


def _ribbon(conversation: Readable, revision: Revision) -> tuple[RibbonCell, ...]:
    log, seen = conversation.log, set(revision.view)
    count = min(len(log), RIBBON_CELLS)
    cells = []
    for cell in range(count):
        raws = range(cell * len(log) // count, (cell + 1) * len(log) // count)
        shown = [raw for raw in raws if raw in seen]
        role = log[shown[0]].role if shown else None
        cells.append(RibbonCell(role, len(shown) / len(raws)))
    return tuple(cells)


def name_of(batch: Batch) -> str:
    """Return what a batch is called by: the operation that opened it."""
    return "START" if batch.operation is None else batch.operation.title


def about_of(conversation: Readable, batch: Batch) -> str:
    """Return the arguments of a batch's operation, or the name a user gave it."""
    if batch.operation is None:
        return plural(len(conversation.revisions[0].view), "message")
    return batch.description[:MOST_ABOUT].removeprefix(name_of(batch)).strip()


def changes_of(conversation: Readable, batch: Batch) -> tuple[int, int]:
    """Return how many messages a batch added, and how many it hid."""
    opening = conversation.revisions[batch.opened]
    newest = conversation.newest(batch)
    fresh = sum(length for _, length in opening.fresh)
    before = 0
    if opening.parent is not None:
        before = len(conversation.revisions[opening.parent].view)
    hidden = before + fresh - len(opening.view)
    return fresh + len(newest.view) - len(opening.view), hidden
