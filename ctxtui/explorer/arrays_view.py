"""The mark map and, on its other side, the state with its batch snapshots."""

from __future__ import annotations

from functools import partial

from textual.app import ComposeResult
from textual.widget import Widget
from textual.widgets import ContentSwitcher

from ctxtui.lists.snapshots import SnapshotSource
from ctxtui.models.look import Look
from ctxtui.render.mark_map.view import mark_map_lines
from ctxtui.render.text.lines import Piece
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.text_pane import TextPane

ARRAYS, SNAPSHOTS = "index-arrays", "snapshots"


class ArraysView(ContentSwitcher):
    """Shows a look as the source documents would have it: as index arrays, or as snapshots."""

    def __init__(self) -> None:
        super().__init__(id="markmap", initial=ARRAYS)
        self._look: Look | None = None

    def compose(self) -> ComposeResult:
        """Lay out both sides."""
        yield TextPane(id=ARRAYS)
        yield LineList(id=SNAPSHOTS)

    @property
    def front(self) -> Widget:
        """Return the side that is in sight."""
        return self.query_one(f"#{self.current or ARRAYS}")

    def show(self, look: Look) -> None:
        """Show another look on the side that is in sight."""
        self._look = look
        if self.current == SNAPSHOTS:
            snapshots = self.query_one(f"#{SNAPSHOTS}", LineList)
            snapshots.frame("State", [Piece("a snapshot for each batch of the path", "faint")])
            number = look.batch.number
            snapshots.show(SnapshotSource(look), opened=(number,))
            snapshots.go_to(number)
        else:
            arrays = self.query_one(f"#{ARRAYS}", TextPane)
            arrays.frame("Mark map", [Piece("the index arrays, before and now", "faint")])
            arrays.show(partial(mark_map_lines, look))

    def turn_over(self) -> None:
        """Show the other side."""
        self.current = ARRAYS if self.current == SNAPSHOTS else SNAPSHOTS
        if self._look is not None:
            self.show(self._look)
