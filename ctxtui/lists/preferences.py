"""The settings of the app as rows: what each is called, and what is chosen."""

from __future__ import annotations

from collections.abc import Sequence

from ctxtui.files.preferences import Preferences
from ctxtui.lists.heights import Block
from ctxtui.lists.source import NumberedSource
from ctxtui.models.preference_list import Preference, shown_value
from ctxtui.render.preferences import preference_row
from ctxtui.render.text.lines import Line, Piece


class PreferenceSource(NumberedSource):
    """A row for each setting; the last of a group has the name of the next one below it."""

    def __init__(self, rows: Sequence[Preference], preferences: Preferences) -> None:
        self._rows = rows
        self._preferences = preferences

    def __len__(self) -> int:
        """Return how many settings there are."""
        return len(self._rows)

    def header(self, width: int) -> Line | None:
        """Return the name of the first group."""
        return [Piece(f" {self._rows[0].group}", "muted")]

    def line(self, at: int, width: int) -> Line:
        """Return one setting."""
        preference = self._rows[at]
        is_usual = getattr(self._preferences, preference.name) == getattr(
            Preferences(), preference.name
        )
        return preference_row(
            preference.label,
            shown_value(preference, self._preferences),
            is_usual=is_usual,
            is_turned=preference.choices is not None,
        )

    def blocks(self, width: int) -> Sequence[Block]:
        """Return how many rows each takes: three where another group follows."""
        return [Block(1, 3 if self._next_group(at) else 1) for at in range(len(self))]

    def below(self, at: int, width: int) -> list[Line]:
        """Return a blank row, and the name of the group that follows."""
        group = self._next_group(at)
        return [[], [Piece(f" {group}", "muted")]] if group else []

    def _next_group(self, at: int) -> str:
        if at + 1 == len(self._rows) or self._rows[at + 1].group == self._rows[at].group:
            return ""
        return self._rows[at + 1].group
