"""The sessions of a library: one line for each, wherever it stands by now."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ctxtui.core.curation.digest import Row
from ctxtui.lists.source import LineSource
from ctxtui.models.shelf import key_of
from ctxtui.render.library.row import Beside, head_row, needs_of, session_row
from ctxtui.render.text.lines import Line


class SessionSource(LineSource):
    """A line for every session, in the order given; rows may be filled in where they stand."""

    def __init__(
        self,
        rows: Sequence[Row],
        now: int,
        selected: Collection[int] = (),
        places: Mapping[int, int] | None = None,
    ) -> None:
        self.rows = rows
        self.now = now
        self.selected = selected
        if places is None:
            places = {key_of(row.entry.id): at for at, row in enumerate(rows)}
        self._places = places
        self._needs = needs_of(rows)
        self._of_many = {
            (row.entry.source, row.entry.content)
            for row in rows
            if row.entry.part and row.entry.source
        }

    def key(self, at: int) -> int:
        """Return the session's number, which stays when the list is sorted anew."""
        return key_of(self.rows[at].entry.id)

    def find(self, key: int) -> int | None:
        """Return the line of a session."""
        return self._places.get(key)

    def __len__(self) -> int:
        """Return how many sessions there are."""
        return len(self.rows)

    def header(self, width: int) -> Line | None:
        """Return the names of the columns."""
        return head_row(width, self._needs)

    def line(self, at: int, width: int) -> Line:
        """Return one session."""
        rows = self.rows
        before = rows[at - 1] if at else None
        behind = rows[at + 1] if at + 1 < len(rows) else None
        chosen = self.key(at) in self.selected
        entry = rows[at].entry
        is_of_many = (entry.source, entry.content) in self._of_many
        beside = Beside(before, behind, chosen, self.now, at == self.cursor, is_of_many)
        return session_row(rows[at], beside, width, self._needs)
