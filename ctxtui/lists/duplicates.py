"""Groups of sessions that are alike, as a list."""

from __future__ import annotations

from collections.abc import Collection

from ctxtui.core.curation.verdicts import Duplicates
from ctxtui.lists.source import NumberedSource
from ctxtui.models.duplicates import rows_of
from ctxtui.render.duplicates import group_row, member_row
from ctxtui.render.text.lines import Line


class DuplicateSource(NumberedSource):
    """A head for each group, and below it its sessions, the one that stays first."""

    def __init__(self, found: Duplicates, left_out: Collection[int]) -> None:
        self._found = found
        self._left_out = left_out
        self.rows = rows_of(found)

    def __len__(self) -> int:
        """Return how many rows there are."""
        return len(self.rows)

    def line(self, at: int, width: int) -> Line:
        """Return the head of a group, or a session of it."""
        row = self.rows[at]
        is_left = row.group in self._left_out
        if row.member is None:
            return group_row(self._found.groups[row.group], is_left)
        return member_row(row.member, row.is_first, is_left, width)
