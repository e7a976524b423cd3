"""Orders of sessions: by any column, either way; what is not known yet comes last."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple

from ctxtui.core.curation.digest import Row
from ctxtui.core.storage import STATUSES

Key = tuple[Any, ...]


class Column(NamedTuple):
    """Something to sort by: how it is told, what of a row counts, and what comes first."""

    about: str
    key: Callable[[Row], Any]
    """None where it is not known."""
    is_falling: bool = False


def _lint(row: Row) -> Key | None:
    return None if row.digest is None else (row.digest.errors, row.digest.warnings)


def _format(row: Row) -> str | None:
    return None if row.digest is None else row.digest.format


def _alike(row: Row) -> int | None:
    return None if row.alike is None else row.alike.group


COLUMNS: Mapping[str, Column] = {
    "imported": Column("the file that came last first, as it stands in there", lambda _: 0),
    "updated": Column("what was changed last first", lambda row: row.entry.updated, True),
    "title": Column("by title", lambda row: row.entry.title.casefold()),
    "status": Column("new ones first", lambda row: STATUSES.index(row.entry.status)),
    "messages": Column("the longest first", lambda row: row.entry.messages, True),
    "sent": Column("the fewest that are sent first", lambda row: row.entry.visible),
    "batches": Column("the most batches first", lambda row: row.entry.batches, True),
    "tokens": Column("the largest first", lambda row: row.entry.tokens, True),
    "lint": Column("the most errors first", _lint, True),
    "format": Column("by the format it came from", _format),
    "alike": Column("those that are alike together", _alike),
    "tags": Column("by tags, those without last", lambda row: row.entry.tags or None),
}
"""What sessions can be sorted by, in the order of the picker."""


class Sort(NamedTuple):
    """A column to sort by, and whether the other way round."""

    column: str = "imported"
    is_reversed: bool = False

    @property
    def is_falling(self) -> bool:
        """Tell whether what is large, new or last stands above."""
        return COLUMNS[self.column].is_falling != self.is_reversed

    def chosen(self, column: str) -> Sort:
        """Return the sort of a column; the one that is in use is turned round."""
        return Sort(column, column == self.column and not self.is_reversed)


def sort_rows(rows: Iterable[Row], sort: Sort) -> list[Row]:
    """Return rows in an order; those that are equal in it stand as they were imported."""
    listed = as_imported(rows)
    column = COLUMNS[sort.column]
    if sort.column == "imported":
        return listed[::-1] if sort.is_reversed else listed
    known = [row for row in listed if column.key(row) is not None]
    unknown = [row for row in listed if column.key(row) is None]
    return [*sorted(known, key=column.key, reverse=sort.is_falling), *unknown]


def as_imported(rows: Iterable[Row]) -> list[Row]:
    """Return rows as they came: the newest file first, its conversations as they stand in it."""
    listed = list(rows)
    newest: dict[object, int] = {}
    for row in listed:
        source = _source(row)
        newest[source] = max(newest.get(source, 0), row.entry.created)
    return sorted(listed, key=partial(_place, newest))


def _source(row: Row) -> object:
    """Return what sessions of one file have in common; one without a file is alone."""
    entry = row.entry
    return (entry.source, entry.content) if entry.source is not None else entry.id


def _place(newest: Mapping[object, int], row: Row) -> Key:
    entry = row.entry
    return (-newest[_source(row)], entry.source or "", entry.content or "", entry.part, entry.id)
