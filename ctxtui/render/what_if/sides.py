"""The sides of what-if as tabs: what recipes make of now, and what policies make of the run."""

from __future__ import annotations

from ctxtui.render.tabs import Tab, TabLine
from ctxtui.render.text.lines import Line, Piece, fit
from ctxtui.symbols import visible

SIDES = {"now": "Now", "over-run": "Over the run", "sweep": "Sweep"}
TITLE_CELLS = 40


def side_tabs(active: str, title: str, width: int, about: str = "") -> TabLine:
    """Return the tabs, and at the right whose conversation it is."""
    tabs = [Tab(name, word) for name, word in SIDES.items()]
    right: Line = [
        Piece(f"{about}   " if about else "", "muted"),
        Piece(f"{fit(visible(title, TITLE_CELLS + 1), TITLE_CELLS).rstrip()} ", "bright"),
    ]
    return TabLine(tabs, active, width, right, " ctxtui   ")
