"""Turns pieces of text into coloured strips; every colour is a component class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from ctxtui.render.lines import Line, fit_pieces

if TYPE_CHECKING:
    from textual.widget import Widget

    Base = Widget
else:
    Base = object

KINDS = (
    *("system", "user", "assistant", "tool"),
    *("text", "bright", "muted", "faint", "struck", "key"),
    *("error", "warn", "ok", "mark", "bar", "track", "chip"),
)
TINTS = ("cursor", "twin", "select", "added", "hidden", "finding", "hover", "hit", "plain")

INKS = {*(f"ink--{kind}" for kind in KINDS), *(f"paper--{tint}" for tint in TINTS)}
"""The component classes of every inked widget; Textual takes them only from widgets themselves."""


class Inked(Base):
    """A widget that draws lines of pieces; styles are looked up once for each theme."""

    _inks: dict[tuple[str, str], Style] | None = None

    def notify_style_update(self) -> None:
        """Forget colours that a theme has changed."""
        super().notify_style_update()
        self._inks = None

    def strip(self, line: Line, tint: str, width: int) -> Strip:
        """Return a line as a strip of exactly so many cells."""
        pieces = fit_pieces(line, width)
        return Strip([Segment(text, self._ink(kind, tint)) for text, kind in pieces if text], width)

    def _ink(self, kind: str, tint: str) -> Style:
        if self._inks is None:
            self._inks = {}
        found = self._inks.get((kind, tint))
        if found is None:
            ink = self.get_visual_style(f"ink--{kind}").rich_style
            paper = self.get_visual_style(f"paper--{tint}").rich_style
            found = self._inks[kind, tint] = ink + Style(bgcolor=paper.bgcolor)
        return found
