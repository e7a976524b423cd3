"""The batches in one line, where the timeline has no room."""

from __future__ import annotations

from functools import partial

from ctxtui.models.error_counts import ErrorCounts
from ctxtui.models.look import Look
from ctxtui.render.batch_strip import batch_strip, strip_head
from ctxtui.widgets.line_box import LineBox


class BatchStrip(LineBox):
    """Shows the batches around the one that is looked at, with the errors of each."""

    def __init__(self) -> None:
        super().__init__(id="batches")

    def show_path(self, look: Look, errors: ErrorCounts | None) -> None:
        """Show the path of another look."""
        if errors is not None:
            self.show(partial(strip_head, look), partial(batch_strip, look, errors))
