"""The mark map, the state with its batch snapshots, and the other fields, one at a time."""

from __future__ import annotations

from functools import partial

from textual.app import ComposeResult
from textual.widget import Widget
from textual.widgets import ContentSwitcher

from ctxtui.core.engine.meta_fields import other_fields
from ctxtui.core.engine.text_search import Finder
from ctxtui.lists.snapshots import SnapshotSource
from ctxtui.models.look import Look
from ctxtui.render.fields import field_lines
from ctxtui.render.mark_map.view import mark_map_lines
from ctxtui.render.text.lines import Piece
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.text_pane import TextPane

ARRAYS, SNAPSHOTS, FIELDS = "index-arrays", "snapshots", "other-fields"


class ArraysView(ContentSwitcher):
    """Shows a look as the source documents would have it: as index arrays, or as snapshots.

    What the file had beside its messages is a third side.
    """

    def __init__(self) -> None:
        super().__init__(id="markmap", initial=ARRAYS)
        self._look: Look | None = None

    def compose(self) -> ComposeResult:
        """Lay out all sides."""
        yield TextPane(id=ARRAYS)
        yield LineList(id=SNAPSHOTS)
        yield TextPane(id=FIELDS)

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
        elif self.current == FIELDS:
            fields = other_fields(look.conversation.meta)
            pane = self.query_one(f"#{FIELDS}", TextPane)
            pane.frame("Other fields", [Piece("what the file had beside its messages", "faint")])
            pane.show(partial(field_lines, fields))
        else:
            arrays = self.query_one(f"#{ARRAYS}", TextPane)
            arrays.frame("Mark map", [Piece("the index arrays, before and now", "faint")])
            arrays.show(partial(mark_map_lines, look))

    def turn_over(self) -> None:
        """Show the snapshots instead of the arrays, or the arrays."""
        self.turn_to(SNAPSHOTS if self.current == ARRAYS else ARRAYS)

    def turn_to(self, side: str, finder: Finder | None = None) -> None:
        """Show one side; in the other fields what was searched for is lit."""
        self.current = side
        self.query_one(f"#{FIELDS}", TextPane).finder = finder
        if self._look is not None:
            self.show(self._look)
