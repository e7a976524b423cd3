"""A record of the journal in a few words: what it is called, and what about it."""

from __future__ import annotations

from ctxtui.core.engine.calls import Call
from ctxtui.core.engine.journal import Create, Noted, Record, Usage
from ctxtui.core.engine.operations import (
    Checkout,
    Describe,
    DescribeMeta,
    Mark,
    Operation,
    Rollback,
    Unmark,
)
from ctxtui.render.batch.fields import operation_title
from ctxtui.render.calls import call_words
from ctxtui.render.text.indices import shown_indices
from ctxtui.symbols import visible
from ctxtui.words import plural

MOST_NAMED = 6
MOST_INDICES = 30
LONGEST = 120


def record_title(record: Record) -> str:
    """Return the name of what was done; several operations that were one change are a LIST."""
    return f"LIST {len(record.operations)}" if record.listed else operation_title(_first(record))


def record_about(record: Record) -> str:
    """Return what was done to what, as short as it can be said."""
    first = _first(record)
    if record.listed:
        names = ", ".join(one.title for one in record.operations[:MOST_NAMED])
        return names + (", …" if len(record.operations) > MOST_NAMED else "")
    match first:
        case Create():
            return plural(len(first.messages), "message")
        case Rollback():
            return f"to batch {first.target_batch_index}"
        case Checkout():
            if first.batch is not None:
                return f"batch #{first.batch}"
            return f"revision {first.revision}"
        case Mark() | Unmark():
            raws = first.indices
            where = "chosen ones" if raws is None else f"raw {_indices(raws)}"
            return f"★ {visible(first.label, 64)} {where}"
        case Describe():
            return f"#{first.batch} {visible(first.text, 64)}"
        case Usage() | Call():
            return _noted(first)
    return visible(_words(first), LONGEST)


def _words(operation: Operation) -> str:
    if isinstance(operation, DescribeMeta):
        return ", ".join(operation.meta)
    return operation.sentence().removeprefix(operation.title).strip()


def record_words(record: Record) -> str:
    """Return both."""
    return f"{record_title(record)} {record_about(record)}".strip()


def _noted(noted: Noted) -> str:
    if isinstance(noted, Usage):
        return f"{noted.tokens:,} tokens"
    return ", ".join(one for one in (visible(noted.model or "", 64), call_words(noted)) if one)


def _first(record: Record) -> Operation:
    return record.operations[0]


def _indices(raws: tuple[int, ...]) -> str:
    return shown_indices(raws[:MOST_INDICES]) + (" …" if len(raws) > MOST_INDICES else "")
