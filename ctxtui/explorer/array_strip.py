"""The index arrays below the player: what the shown record did to them."""

from __future__ import annotations

from functools import partial

from textual import work

from ctxtui.models.frame import Frame
from ctxtui.models.index_arrays import IndexArrays
from ctxtui.render.player.arrays import array_lines
from ctxtui.render.text.lines import Piece
from ctxtui.threads import from_thread
from ctxtui.widgets.text_pane import TextPane

MESSAGES_AT_ONCE = 10_000
"""How many messages are sorted into arrays without anybody noticing."""


class ArrayStrip(TextPane):
    """Shows the arrays of a frame; those of a long log are worked out behind the scenes."""

    def __init__(self) -> None:
        super().__init__(id="arrays")
        self.can_focus = False
        self._told: Frame | None = None

    def tell(self, frame: Frame) -> None:
        """Show what another record did; nothing is worked out where the strip has no place."""
        self._told = frame
        if not self.display:
            return
        did = [Piece(f"what record {frame.place} did", "muted")]
        self.frame("Index arrays", did)
        arrays = IndexArrays(frame)
        if frame.log_size > MESSAGES_AT_ONCE:
            self._work_out(frame, arrays)
        else:
            self._show(frame, arrays)

    def on_show(self) -> None:
        """Show what nobody could see before."""
        if self._told is not None:
            self.tell(self._told)

    @work(thread=True, group="arrays", exclusive=True)
    def _work_out(self, frame: Frame, arrays: IndexArrays) -> None:
        arrays.work_out()
        from_thread(self, self._show, frame, arrays)

    def _show(self, frame: Frame, arrays: IndexArrays) -> None:
        if frame is self._told:
            self.show(partial(array_lines, frame, arrays))
