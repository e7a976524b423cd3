"""Turns pieces of text into coloured strips; every colour is a component class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from ctxtui.text.icons import plain_signs
from ctxtui.text.lines import ON, Line, Piece, fit_pieces

if TYPE_CHECKING:
    from textual.widget import Widget

    Base = Widget
else:
    Base = object

KINDS = (
    *("system", "user", "assistant", "tool"),
    *("text", "bright", "muted", "faint", "dim", "struck", "key"),
    *(
        "error",
        "warn",
        "ok",
        "mark",
        "mark-2",
        "mark-3",
        "mark-4",
        "bar",
        "track",
        "chip",
        "pill",
        "picked",
        "note",
        "notice",
        "hit",
    ),
    *("heading", "strong", "emphasis", "code", "quote", "link"),
)
TINTS = (
    *("cursor", "twin", "select", "added", "hidden", "finding", "warning", "hover", "opened"),
    "plain",
)

INKS = {*(f"ink--{kind}" for kind in KINDS), *(f"paper--{tint}" for tint in TINTS)}
"""Component classes of a screen: styled once there, used by every inked widget on it."""


class Inked(Base):
    """A widget that draws lines of pieces; its screen has the colours, looked up once a theme."""

    _inks: dict[tuple[str, str], Style] | None = None

    def notify_style_update(self) -> None:
        """Forget colours that a theme has changed."""
        super().notify_style_update()
        self._inks = None

    def strip(self, line: Line, tint: str, width: int) -> Strip:
        """Return a line as a strip of exactly so many cells."""
        pieces = fit_pieces(line, width)
        if self.app.has_class("-ascii"):
            pieces = [Piece(plain_signs(text), kind) for text, kind in pieces]
        return Strip([Segment(text, self._ink(kind, tint)) for text, kind in pieces if text], width)

    def _ink(self, kind: str, tint: str) -> Style:
        if self._inks is None:
            self._inks = {}
        found = self._inks.get((kind, tint))
        if found is None:
            found = self._inks[kind, tint] = self._mixed(kind, tint)
        return found

    def _mixed(self, kind: str, tint: str) -> Style:
        kind, on, own = kind.partition(ON)
        tint = own if on else tint
        ink = self.screen.get_visual_style(f"ink--{kind}").rich_style
        if kind in ("chip", "pill", "picked", "hit"):
            return ink  # These bring their own background.
        if tint == "plain":
            return ink + Style(bgcolor=self.visual_style.rich_style.bgcolor)
        paper = self.screen.get_visual_style(f"paper--{tint}").rich_style
        return ink + Style(bgcolor=paper.bgcolor)
