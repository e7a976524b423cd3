"""A list that draws only the rows in sight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ctxtui.render.rows import Row


class RowList(ScrollView, can_focus=True):
    """Shows rows, one a line; the middle of a row is cut with an ellipsis where space ends."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "rows--system",
        "rows--user",
        "rows--assistant",
        "rows--tool",
        "rows--text",
        "rows--muted",
        "rows--dim",
    }
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "scroll_down", "Down", show=False),
        Binding("k", "scroll_up", "Up", show=False),
        Binding("g", "scroll_home", "Top", show=False),
        Binding("G", "scroll_end", "Bottom", show=False),
    ]

    def __init__(self, rows: Sequence[Row], empty: str, *, id: str) -> None:
        super().__init__(id=id)
        self._rows = rows
        self._empty = empty
        self.virtual_size = Size(0, max(1, len(rows)))

    def render_line(self, y: int) -> Strip:
        """Return one line of the list as it stands on the screen."""
        at = y + self.scroll_offset.y
        width = self.scrollable_content_region.width
        if not self._rows and at == 0:
            return self._strip([(self._empty, "muted")], width)
        if at >= len(self._rows):
            return self._strip([], width)
        row = self._rows[at]
        room = max(0, width - cell_len(row.lead) - cell_len(row.tail) - 2)
        pieces = [
            (row.lead, "dim" if row.dim else row.role or "text"),
            (fitted(row.text, room), "dim" if row.dim else "text"),
            (f"  {row.tail}", "dim" if row.dim else "muted"),
        ]
        return self._strip(pieces, width)

    def _strip(self, pieces: list[tuple[str, str]], width: int) -> Strip:
        segments = [
            Segment(text, self.get_visual_style(f"rows--{kind}").rich_style)
            for text, kind in pieces
        ]
        return Strip(segments).adjust_cell_length(width, self.visual_style.rich_style)


def fitted(text: str, width: int) -> str:
    """Return a text in exactly so many cells, with an ellipsis where it was cut."""
    if cell_len(text) <= width:
        return set_cell_size(text, width)
    return set_cell_size(text, max(0, width - 1)) + "…" * min(1, width)
