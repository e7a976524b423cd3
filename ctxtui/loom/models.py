"""What the loom shows: rows of history, and the threads of labelled messages through them."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

from ctxtui.core import Batch, Conversation, Revision
from ctxtui.core.engine.diff import diff_views
from ctxtui.core.engine.views import EMPTY, View
from ctxtui.inspector.models.look import is_on_path
from ctxtui.inspector.models.timeline import name_of

MOST_THREADS = 60
"""How many labelled messages have a thread; the later ones have none."""


class LoomRow(NamedTuple):
    """One state of the history: where a batch begins, or further on in it."""

    revision: Revision
    batch: Batch
    name: str
    """The operation that opened the batch, ``back`` or ``now``; empty further on."""
    went: View
    """What the batch hid, where it begins."""
    is_abandoned: bool


class LabelThread(NamedTuple):
    """A labelled message: where it is in the log, and its labels."""

    raw: int
    labels: tuple[str, ...]


class MostHidden(NamedTuple):
    """The batch that hid the most: of the labelled messages, or else of all tokens."""

    batch: Batch
    raws: tuple[int, ...]
    """The labelled messages that it hid; none if nothing labelled was hidden."""
    messages: int
    tokens: int
    calls: int
    """The recorded calls after it in which at least one of them was missing."""


class Loom:
    """The history of a conversation in rows: all batches, and as many states between as fit."""

    def __init__(self, conversation: Conversation, rows: int = 0) -> None:
        self.conversation = conversation
        self.log_size = len(conversation.log)
        self.rows = _rows(conversation, rows)

    @cached_property
    def threads(self) -> tuple[LabelThread, ...]:
        """Return the labelled messages in the order of the log."""
        labels: dict[int, list[str]] = {}
        for label, raws in self.conversation.marks.items():
            for raw in raws:
                labels.setdefault(raw, []).append(label)
        return tuple(LabelThread(raw, tuple(labels[raw])) for raw in sorted(labels))[:MOST_THREADS]

    @cached_property
    def ends(self) -> list[tuple[int, int]]:
        """Return where labelled messages were hidden, as row and raw index, in time order."""
        return [
            (at, thread.raw)
            for at, row in enumerate(self.rows)
            for thread in self.threads
            if thread.raw in row.went
        ]

    @cached_property
    def most_hidden(self) -> MostHidden | None:
        """Return the batch of the current path that hid the most, if any hid something."""
        found = [
            self._hidden_by(row) for row in self.rows if len(row.went) and not row.is_abandoned
        ]
        return max(found, key=lambda one: (len(one.raws), one.tokens), default=None)

    def _hidden_by(self, row: LoomRow) -> MostHidden:
        raws = tuple(thread.raw for thread in self.threads if thread.raw in row.went)
        log, counter = self.conversation.log, row.revision.counter
        tokens = sum(
            log.tokens_before(start + size, counter) - log.tokens_before(start, counter)
            for start, size in row.went.runs()
        )
        revisions = self.conversation.revisions
        missing = [
            call
            for call in self.conversation.calls
            if call.revision >= row.revision.id
            and any(raw not in revisions[call.revision].view for raw in raws)
        ]
        return MostHidden(row.batch, raws, len(row.went), tokens, len(missing) if raws else 0)


def _rows(conversation: Conversation, rows: int) -> list[LoomRow]:
    openings = {batch.opened for batch in conversation.batches}
    chosen = openings | _between(conversation, openings, rows - len(openings) - 1)
    made: list[LoomRow] = []
    before: int | None = None
    for id in sorted(chosen):
        revision = conversation.revisions[id]
        batch = conversation.batches[revision.batch]
        name = name_of(batch) if id in openings else "back" if before != batch.id else ""
        before = batch.id
        left = not is_on_path(conversation, batch)
        made.append(LoomRow(revision, batch, name, _went(conversation, revision, batch), left))
    now = conversation.current
    if made[-1].revision.id == now.id:
        made[-1] = made[-1]._replace(name=made[-1].name or "now")
    else:
        made.append(LoomRow(now, conversation.batch, "now", EMPTY, False))
    return made


def _between(conversation: Conversation, openings: set[int], room: int) -> set[int]:
    """Return states that no batch begins with, at even distances."""
    others = [one.id for one in conversation.revisions if one.id not in openings]
    count = max(0, min(room, len(others)))
    return {others[(at + 1) * len(others) // (count + 1)] for at in range(count)}


def _went(conversation: Conversation, revision: Revision, batch: Batch) -> View:
    if revision.id != batch.opened or revision.parent is None:
        return EMPTY
    parent = conversation.revisions[revision.parent]
    return diff_views(parent.view, revision.view, parent.log_size).hidden
