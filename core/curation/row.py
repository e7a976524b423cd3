"""Rows: one line of the list of sessions, with all that is known beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ..storage.entries import Entry
from ..storage.handles import Stamp
from ..storage.rows import LISTED
from .alike import Alike, identical
from .digest import Digest


class Row(NamedTuple):
    """A session as a list shows it; without a digest, nothing more is known of it yet."""

    entry: Entry
    digest: Digest | None = None
    alike: Alike | None = None
    is_behind: bool = False
    """Whether somebody has written on since all of this was so."""


class Known(NamedTuple):
    """A digest, and of which version of the session's file."""

    stamp: Stamp
    digest: Digest
    entry: Entry | None = None
    """What a list would say of that very state; None where the session file said it."""


def grown(entry: Entry, further: Entry) -> Entry:
    """Return an entry with what changes as a session grows; a verdict, say, stays as it is."""
    figures = {key: getattr(further, key) for key in (*LISTED, "updated")}
    return entry._replace(**figures)


def with_alike(rows: Sequence[Row]) -> list[Row]:
    """Return rows that know which others are identical with them.

    This is where groups get their numbers, for every list and every command: in the order in which
    their first sessions were made, whatever the order of the rows is.
    """
    times = Counter(row.digest.projection for row in rows if row.digest is not None)
    several = [row for row in rows if row.digest is not None and times[row.digest.projection] > 1]
    several.sort(key=lambda row: (row.entry.created, row.entry.id))
    found = identical({row.entry.id: row.digest for row in several if row.digest is not None})
    alike = [found.get(row.entry.id) for row in rows]
    return [
        row if row.alike == one else row._replace(alike=one)
        for row, one in zip(rows, alike, strict=True)
    ]
