"""Replaying a journal: reading its records, and seeing that each leads where it says.

Most journals are mostly APPENDs, one for each message that came. Those that follow each other are
done in one pass, which costs a fraction of doing them one by one and leads to the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from ..errors import Refused
from ..messages.message import Message
from ..operations import Append
from ..values.times import read_time
from .journal import Record
from .log import Counting, StagedLog
from .revisions import Revision, jump_from
from .state import Head, Stored


def read_record(data: Record | Mapping[str, Any], place: int) -> Record:
    """Return a record, or refuse it with its place in the journal."""
    try:
        if not isinstance(data, Record):
            return Record.from_dict(data)
        read_time(data.time, "time")
        return data
    except Refused as refusal:
        raise refusal.inside(f"journal[{place}]") from None


def must_agree(made: Record | None, told: Record, place: int) -> None:
    """Refuse a journal whose record does not lead where it says."""
    if made != told:
        raise Refused(
            f"journal[{place}] does not lead where it says: {told.operations[0].title} differs",
            field="journal",
            value=place,
        )


def recorded_counts(record: Record, place: int) -> Counting:
    """Return a counting that reads a record's counts instead of counting again."""
    counts = iter(record.counts)

    def tally(_: Message) -> int:
        count = next(counts, None)
        if count is None:
            raise Refused(f"journal[{place}] has too few token counts", field="journal")
        return count

    return lambda _: tally


def stretches(records: Sequence[Record]) -> Iterator[Sequence[Record]]:
    """Yield records in order; APPENDs of one counter that follow each other come together."""
    start, counter = 0, None
    for place, record in enumerate(records):
        operation = record.operations[0]
        is_plain = (
            type(operation) is Append
            and not record.listed
            and not record.resolved
            and len(record.counts) == len(operation.messages)
        )
        if place > start and not (is_plain and record.counter == counter):
            yield records[start:place]
            start = place
        counter = record.counter if is_plain else None
    if records:
        yield records[start:]


def append_all(state: Stored, records: Sequence[Record]) -> list[Record]:
    """Do plain APPENDs of the counter in use; return their records, with heads filled in."""
    counter, (_, marks, names, settings, meta) = state.counter, state.head
    batch, revisions = state.current.batch, state.revisions
    parent, tokens, size = state.current, state.total(state.current), len(state.log)
    _stage(state, records)
    done, head = [], state.head
    for record in records:
        counts = record.counts
        fresh = ((size, len(counts)),)
        size += len(counts)
        tokens += sum(counts)
        parent = Revision(
            len(revisions),
            parent.id,
            batch,
            record.operations[0],
            parent.view.extended(fresh),
            record.time,
            size,
            parent.depth + 1,
            tokens,
            counter,
            fresh,
            jump_from(revisions, parent),
        )
        revisions.append(parent)
        before, head = head, Head(parent.id, marks, names, settings, meta)
        done.append(
            Record(
                record.operations,
                False,
                record.time,
                counter,
                counts,
                before=before,
                after=head,
                log_size=size,
                revisions=len(revisions),
            )
        )
    state.latest[batch] = parent.id
    state.head = head
    state.version += 1
    return done


def _stage(state: Stored, records: Sequence[Record]) -> None:
    """Put the messages of all records into the log, with the tokens they were counted with."""
    messages = [message for record in records for message in record.operations[0].messages]  # type: ignore[attr-defined]
    counts = chain.from_iterable(record.counts for record in records)
    staged = StagedLog(state.log)
    staged.use(state.counter, recorded_counts(records[0], 0))
    staged.extend(messages, state.counter, lambda _: lambda _: next(counts))
    state.log.absorb(staged)
