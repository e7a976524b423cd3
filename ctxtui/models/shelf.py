"""The shelf: the sessions of a library in the order in which somebody works through them."""

from __future__ import annotations

from collections.abc import Iterable

from ctxtui.core.curation.catalog import Hit
from ctxtui.core.curation.digest import Row
from ctxtui.core.curation.where import Where, read_where
from ctxtui.core.storage import Entry
from ctxtui.models.reviewing import Progress, is_open, next_open, progress_of
from ctxtui.models.session_sorting import Sort, sort_rows


def key_of(id: str) -> int:
    """Return a number that is a session's own: its id, read as one."""
    return int(id, 36)


class Shelf:
    """Rows that stand still: whatever happens to a session, it keeps its place.

    They are put in order when somebody asks for that, by a filter, a sort, or coming anew. What
    has gone meanwhile keeps its place for when it comes back; what others have made is counted
    and waits.
    """

    def __init__(self) -> None:
        self.known: dict[str, Row] = {}
        self.rows: list[Row] = []
        self.where = ""
        self.sort = Sort()
        self._ids: list[str] = []
        self._waiting: set[str] = set()
        self._places: dict[str, int] = {}
        self.places: dict[int, int] = {}
        """Where sessions stand, by the number that is each one's own."""

    # What there is

    def take(self, rows: Iterable[Row]) -> None:
        """Take what is known of all sessions by now; none moves, and new ones wait."""
        known = {row.entry.id: row for row in rows}
        self._waiting |= known.keys() - self.known.keys()
        self._waiting &= known.keys() - set(self._ids)
        self.known = known
        self._settle()

    def put(self, row: Row) -> None:
        """Take what is known of one session, where it stands."""
        id = row.entry.id
        self.known[id] = row
        at = self._places.get(id)
        if at is not None:
            self.rows[at] = row

    def changed(self, entry: Entry) -> None:
        """Take what a session says about itself by now."""
        self.put(self.known.get(entry.id, Row(entry, None))._replace(entry=entry))

    def put_first(self, ids: Iterable[str]) -> None:
        """Put sessions that were just made above all others; those that were here stay."""
        for id in ids:
            if id in self._waiting:
                self._waiting.discard(id)
                self._ids.insert(0, id)
        self._settle()

    def replace(self, old: str, new: str) -> None:
        """Let a new session stand where one stood that is gone; it is shown once it is known."""
        if old in self._places:
            self._ids[self._ids.index(old)] = new

    def arrange(self, where: str | None = None, sort: Sort | None = None) -> None:
        """Put all sessions in order, with another filter or sort where one is given.

        A filter that can't be read is refused, and all stays as it is.
        """
        wanted = self.where if where is None else where.strip()
        chosen: Where | None = read_where(wanted) if wanted else None
        self.where, self.sort = wanted, self.sort if sort is None else sort
        found = (row for row in self.known.values() if chosen is None or chosen.matches(row))
        self._ids = [row.entry.id for row in sort_rows(found, self.sort)]
        self._waiting.clear()
        self._settle()

    def _settle(self) -> None:
        self.rows = [self.known[id] for id in self._ids if id in self.known]
        self._places = {row.entry.id: at for at, row in enumerate(self.rows)}
        self.places = {key_of(row.entry.id): at for at, row in enumerate(self.rows)}

    # Asking

    def place(self, id: str) -> int | None:
        """Return where a session stands, or None where it is not shown."""
        return self._places.get(id)

    @property
    def newcomers(self) -> int:
        """Return how many sessions others have made that are not shown."""
        return len(self._waiting)

    @property
    def progress(self) -> Progress:
        """Return how far the review of what is shown is."""
        return progress_of(row.entry for row in self.rows)

    def next_unreviewed(self, id: str) -> Entry | None:
        """Return the next session without a verdict, from one on, or None when all have one."""
        at = self._places.get(id, -1)
        if at >= 0 and is_open(self.rows[at].entry):
            return self.rows[at].entry
        found = next_open([is_open(row.entry) for row in self.rows], at)
        return None if found is None else self.rows[found].entry

    def neighbour(self, id: str, by: int) -> Entry | None:
        """Return the session before or behind one, or None at the ends."""
        at = self._places.get(id)
        if at is None:
            return self.rows[0].entry if self.rows else None
        return self.rows[at + by].entry if 0 <= at + by < len(self.rows) else None

    def group_of(self, row: Row) -> list[Row]:
        """Return the sessions that one is alike with, and itself."""
        if row.alike is None:
            return []
        group = row.alike.group
        return [one for one in self.known.values() if one.alike and one.alike.group == group]

    def as_shelved(self, hits: Iterable[Hit]) -> list[Hit]:
        """Return what was found in the order of the sessions; those not shown come last."""
        return sorted(hits, key=lambda hit: self._places.get(hit.id, len(self.rows)))

    def missing(self, ids: Iterable[str]) -> list[str]:
        """Return which sessions of some are not known at length, or only as they were before."""
        found = (self.known[id] for id in ids if id in self.known)
        return [row.entry.id for row in found if row.digest is None or row.is_behind]
