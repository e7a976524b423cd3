"""Keeps the borders of the panes true: after a change, a step, a selection, a search, a scroll."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ctxtui.render import borders
from ctxtui.render.text.lines import Line, Piece
from ctxtui.widgets.text_pane import TextPane

if TYPE_CHECKING:
    from ctxtui.explorer.panes import Panes
    from ctxtui.models.look import Look

TITLES = {"raw": "1 Raw", "visible": "2 Visible", "message": "3 Message", "timeline": "4 Timeline"}


class PaneBorders:
    """Says in the borders of the four panes what each is, and how much of it there is."""

    def __init__(self, panes: Panes) -> None:
        self._panes = panes
        self._said: dict[str, str] = {}

    def forget(self) -> None:
        """Let the borders tell of the panes again, not of a search."""
        self._said.clear()

    def say(self, name: str, text: str) -> None:
        """Say something else at the bottom of a pane, until something is shown there anew."""
        self._said = {name: text}
        self.tell()

    def tell(self) -> None:
        """Say what there is to say of every pane."""
        panes, look = self._panes, self._panes.look
        if look is None:
            return
        raw, shown, timeline = (panes.pane(name) for name in ("raw", "visible", "timeline"))
        raw.frame(TITLES["raw"], borders.raw_about(look), partial(self._raw_foot, look))
        shown.frame(TITLES["visible"], borders.visible_about(look), partial(self._in_sight, look))
        steps = borders.timeline_foot(look)
        timeline.frame(TITLES["timeline"], borders.timeline_about(look), lambda: steps)
        self.tell_message()

    def tell_message(self) -> None:
        """Say which message is shown, and what can be done with it."""
        panes, look = self._panes, self._panes.look
        pane = panes.query_one("#message", TextPane)
        if look is None or panes.raw is None:
            pane.frame(TITLES["message"], [])
            return
        word = "as it is" if panes.is_markdown else "Markdown"
        foot = borders.keys_foot(("V", word), ("y", "copy"))
        pane.frame(TITLES["message"], borders.message_about(look, panes.raw), lambda: foot)

    def _raw_foot(self, look: Look) -> Line:
        return self._other_foot("raw") or borders.raw_foot(look)

    def _in_sight(self, look: Look) -> Line:
        """Return which positions are in sight; struck lines between them have none."""
        pane = self._panes.pane("visible")
        keys = (pane.source.key(at) for at in range(*pane.in_sight))
        seen = [at for at in map(look.view.position, keys) if at is not None]
        whole = borders.scroll_foot(seen[0], seen[-1], len(look.view)) if seen else []
        return self._other_foot("visible") or whole

    def _other_foot(self, name: str) -> Line:
        """Return what was found, narrowed to or selected, if anything was."""
        panes = self._panes
        if name in self._said:
            return [Piece(self._said[name], "text")]
        if panes.narrowed_to is not None:
            return borders.narrowed_foot(len(panes.pane(name).source), panes.narrowed_to)
        anchor = panes.pane(name).range_from
        if anchor is not None:
            return borders.range_foot(anchor)
        chosen = len(panes.selection.raws)
        return borders.chosen_foot(chosen) if chosen else []
