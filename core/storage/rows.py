"""Rows: the tables of a session file, and fingerprints of views.

Views share their chunks, so what a chunk gives to a fingerprint is worked out once for all the
revisions that hold it; a thousand small edits of a scattered view stay cheap.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import islice
from operator import add, eq
from typing import Any, NamedTuple

from ..conversation.conversation import Conversation
from ..conversation.native import MessageRefWriter
from ..conversation.readable import Readable
from ..engine.journal import Record
from ..engine.operations import Append
from ..engine.revisions import Revision
from ..engine.views import Chunk, Run, View, runs_of
from .checksummed import VERSION, TableRow, Tables
from .details import Details

SIZE = 8


class ViewPiece(NamedTuple):
    """The runs of a chunk, none of which continues the one before."""

    starts: array[int]
    lengths: array[int]


class Fingerprints:
    """Makes fingerprints of many views that have much in common."""

    def __init__(self) -> None:
        self._pieces: dict[int, tuple[Chunk, ViewPiece]] = {}

    def of(self, view: View) -> str:
        starts, lengths = array("I"), array("I")
        for chunk in view.chunks:
            piece = self._piece(chunk)
            if starts and starts[-1] + lengths[-1] == piece.starts[0]:
                lengths[-1] += piece.lengths[0]
                starts += piece.starts[1:]
                lengths += piece.lengths[1:]
            else:
                starts += piece.starts
                lengths += piece.lengths
        if sys.byteorder == "big":
            starts.byteswap()
            lengths.byteswap()
        return blake2b(starts.tobytes() + lengths.tobytes(), digest_size=SIZE).hexdigest()

    def _piece(self, chunk: Chunk) -> ViewPiece:
        known = self._pieces.get(id(chunk))
        if known is None:
            # The chunk is kept, so that no other can get its id.
            known = self._pieces[id(chunk)] = (chunk, _joined(chunk))
        return known[1]


def _joined(chunk: Chunk) -> ViewPiece:
    starts, lengths = chunk.starts, chunk.lengths
    if not any(map(eq, map(add, starts, lengths), islice(starts, 1, None))):
        return ViewPiece(starts, lengths)
    piece = ViewPiece(array("I"), array("I"))
    for start, length in View((chunk,)).joined():
        piece.starts.append(start)
        piece.lengths.append(length)
    return piece


LISTED = ("messages", "visible", "batches", "tokens", "counter")
"""What a list of sessions shows of each conversation."""


def table(rows: Iterable[TableRow]) -> dict[str, TableRow]:
    """Return rows as TinyDB keeps them, numbered from 1."""
    return {str(number): row for number, row in enumerate(rows, start=1)}


def tables_of(conversation: Conversation) -> Tables:
    """Return all tables of a conversation but ``meta``."""
    return {
        "messages": table(message.to_dict() for message in conversation.log),
        "revisions": table(revision_rows(conversation)),
        "journal": table(_journal_rows(conversation)),
        "marks": table(mark_rows(conversation)),
    }


def listed(conversation: Readable) -> TableRow:
    """Return what a list shows of a conversation; that costs the same however long it is."""
    tokens = conversation.tokens
    return {
        "messages": len(conversation.log),
        "visible": len(conversation.view),
        "batches": len(conversation.batches),
        "tokens": tokens.total,
        "counter": tokens.counter,
    }


def figures(conversation: Conversation) -> TableRow:
    """Return what ``meta`` says of a conversation: what lists show, and what is visible now."""
    return {
        **listed(conversation),
        "records": len(conversation.journal),
        "revision": conversation.current.id,
        "view": [list(run) for run in conversation.view.joined()],
    }


def meta_row(
    id: str, conversation: Conversation, details: Details, previous: Sequence[str]
) -> TableRow:
    """Return the row of ``meta``; ``previous`` are the checksums of the files this one replaces."""
    return {
        "format": "ctxtui session",
        "version": VERSION,
        "id": id,
        **figures(conversation),
        **details.to_dict(),
        "previous": list(previous),
    }


def mark_rows(conversation: Conversation) -> Iterator[TableRow]:
    """Yield a row for each label."""
    for label, indices in conversation.marks.items():
        yield {"label": label, "raw": [list(run) for run in runs_of(indices)]}


def revision_rows(conversation: Conversation) -> Iterator[TableRow]:
    """Yield a row for each revision; APPENDs in a row have one, with the last one's view."""
    prints = Fingerprints()
    group: list[Revision] = []
    for revision in conversation.revisions:
        are_appends = (
            type(revision.operation) is Append and group and type(group[-1].operation) is Append
        )
        if group and not (are_appends and revision.parent == group[-1].id):
            yield _revision_row(group, prints)
            group = []
        group.append(revision)
    if group:
        yield _revision_row(group, prints)


def _revision_row(group: list[Revision], prints: Fingerprints) -> TableRow:
    first, last = group[0], group[-1]
    return {
        "id": first.id,
        "count": len(group),
        "parent": first.parent,
        "batch": first.batch,
        "operation": "CREATE" if first.operation is None else first.operation.title,
        "length": len(last.view),
        "hash": prints.of(last.view),
    }


def _journal_rows(conversation: Conversation) -> Iterator[TableRow]:
    """Yield a row for each record; plain APPENDs that follow each other share one."""
    writer = MessageRefWriter(conversation)
    group: TableRow | None = None
    for record in conversation.journal:
        run = _appended(record, writer)
        if group is not None and (
            run is None or sum(group["raw"]) != run[0] or group["counter"] != record.counter
        ):
            yield group
            group = None
        if run is None:
            yield writer.written(record)
            continue
        if group is None:
            head = {"operation": "APPEND", "raw": [run[0], 0], "counter": record.counter}
            group = {**head, "times": [], "sizes": [], "counts": []}
        group["raw"][1] += run[1]
        group["times"].append(record.time)
        group["sizes"].append(run[1])
        group["counts"].extend(record.counts)
    if group is not None:
        yield group


def _appended(record: Record, writer: MessageRefWriter) -> Run | None:
    """Return where the messages of a plain APPEND are; None for any other record."""
    operation = record.operations[0]
    if record.listed or type(operation) is not Append or record.resolved:
        return None
    if len(record.counts) != len(operation.messages):
        return None
    found = writer.runs(operation, operation.messages, take=False)
    if found is None or len(found) != 1:
        return None
    writer.runs(operation, operation.messages)
    return found[0]


def records_of(row: Any) -> int:
    """Return how many records a row of ``journal`` holds."""
    return len(row["times"]) if is_group(row) else 1


def is_group(row: Any) -> bool:
    """Return whether a row of ``journal`` holds APPENDs that share it."""
    return isinstance(row, dict) and row.get("operation") == "APPEND"
