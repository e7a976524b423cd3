"""Replaying a journal: reading its records, and seeing that each leads where it says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.errors import Refused
from core.journal import Record
from core.log import Counting
from core.messages import Message


def read_record(data: Record | Mapping[str, Any], place: int) -> Record:
    """Return a record, or refuse it with its place in the journal."""
    try:
        return data if isinstance(data, Record) else Record.from_dict(data)
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
