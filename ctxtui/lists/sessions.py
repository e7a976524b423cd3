"""The sessions of a library: one line for each, wherever it stands by now."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from core.curation.catalog import Row
from ctxtui.lists.source import LineSource
from ctxtui.models.shelf import key_of
from ctxtui.render.library.row import Beside, head_row, session_row
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
        return head_row(width)

    def line(self, at: int, width: int) -> Line:
        """Return one session."""
        rows = self.rows
        before = rows[at - 1] if at else None
        behind = rows[at + 1] if at + 1 < len(rows) else None
        chosen = self.key(at) in self.selected
        beside = Beside(before, behind, chosen, self.now, is_here=at == self.cursor)
        return session_row(rows[at], beside, width)
