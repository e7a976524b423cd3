"""The ghost: a line of the projection where a hidden message would stand, while it is looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxtui.lists.filtered import WithGhost
from ctxtui.models.look import Look
from ctxtui.symbols import visible
from ctxtui.widgets.line_list import LineList

if TYPE_CHECKING:
    from ctxtui.explorer.panes import Panes


class Ghost:
    """Puts the line into the visible list, and takes it out again."""

    def __init__(self, panes: Panes) -> None:
        self._panes = panes
        self._raw: int | None = None

    def forget(self) -> None:
        """Take note that the list was filled anew, without a ghost."""
        self._raw = None

    def show(self, raw: int | None) -> None:
        """Show where a hidden message would stand; none where it is sent or its list in focus."""
        pane, look = self._panes.pane("visible"), self._panes.look
        if look is not None and not self._is_ghostly(look, pane, raw):
            raw = None
        if raw == self._raw or look is None:
            return
        self._raw = raw
        source = pane.source.source if isinstance(pane.source, WithGhost) else pane.source
        if raw is not None:
            text = f"raw {raw} would stand here, {look.blame(raw)}"
            source = WithGhost(source, look.place_of_hidden(raw), raw, visible(text))
        pane.show(source)

    def _is_ghostly(self, look: Look, pane: LineList, raw: int | None) -> bool:
        if raw is None or raw >= look.log_size or look.view.position(raw) is not None:
            return False
        panes = self._panes
        return look.is_live and not panes.is_narrowed and pane is not panes.screen.focused
