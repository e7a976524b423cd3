"""Tabs in a line: the views of a conversation, and on a small screen its panes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ctxtui.models.look import Look
from ctxtui.render.text.choosing import size_of, spread
from ctxtui.render.text.lines import Line, Piece
from ctxtui.render.text.numbers import tokens

VIEWS = {
    "inspector": "Inspector",
    "roles": "Roles",
    "markmap": "Mark map",
    "journal": "Journal",
    "tokens": "Tokens",
    "lint-view": "Lint",
}


@dataclass(frozen=True)
class Tab:
    """Something to turn to: the key that does, its name, and how much it holds."""

    name: str
    title: str
    key: str = ""
    amount: str = ""
    kind: str = "text"

    def pieces(self, is_active: bool, *, has_amount: bool) -> Line:
        """Return the tab, as a chip if it is the active one."""
        key = f"{self.key} " if self.key else ""
        amount = f" {self.amount}" if has_amount and self.amount else ""
        if is_active:
            return [Piece(f" {key}{self.title}{amount} ", "chip")]
        words = [Piece(" "), Piece(key, "key"), Piece(self.title, "muted")]
        return [*words, Piece(amount, self.kind), Piece(" ")]


class Place(NamedTuple):
    """Where a tab stands on the line, from and up to."""

    first: int
    stop: int
    name: str


class TabLine:
    """Tabs for a width: names stay; the room between them, the hint and the amounts go first."""

    def __init__(
        self, tabs: list[Tab], active: str, width: int, hint: Line, lead: str = ""
    ) -> None:
        ways = [(" ", True, hint), ("", True, hint), ("", True, []), ("", False, [])]
        line: Line = []
        end: Line = []
        for apart, has_amount, end in ways:
            self.places, line = [], [Piece(lead, "bright")]
            for tab in tabs:
                first = size_of(line)
                line += tab.pieces(tab.name == active, has_amount=has_amount)
                self.places.append(Place(first, size_of(line), tab.name))
                line.append(Piece(apart))
            if size_of([*line, *end]) <= width:
                break
        self.line = spread(line, end, width)

    def at(self, x: int) -> str:
        """Return the name of the tab at a cell, or nothing."""
        return next((name for first, stop, name in self.places if first <= x < stop), "")


def view_tabs(look: Look | None, first: Tab | None = None) -> list[Tab]:
    """Return a tab for each view; lint tells how much it has found."""
    tabs = [Tab(name, title) for name, title in VIEWS.items()]
    found = 0 if look is None else len(look.findings)
    if look is not None and found:
        kind = "error" if look.errors else "warn"
        tabs[-1] = Tab("lint-view", VIEWS["lint-view"], amount=tokens(found), kind=kind)
    return tabs if first is None else [first, *tabs[1:]]


def pane_tabs(look: Look) -> list[Tab]:
    """Return a tab for each pane with how much it holds, and one for the views behind them."""
    return [
        Tab("raw", "Raw", "1", tokens(look.log_size)),
        Tab("visible", "Visible", "2", tokens(len(look.view))),
        Tab("message", "Message", "3"),
        Tab("timeline", "Timeline", "4", tokens(len(look.conversation.batches))),
        Tab("roles", "Views", "5"),
    ]


def narrow_tabs(look: Look, view: str, pane: str, width: int) -> TabLine:
    """Return the tabs of a small screen: its panes, or while a view is shown the views."""
    if view == "inspector":
        return TabLine(pane_tabs(look), pane, width, _hint("tab"))
    panes = Tab("inspector", "Panes", "esc")
    return TabLine(view_tabs(look, panes), view, width, _hint("5"))


def _hint(key: str) -> Line:
    return [Piece(key, "key"), Piece(" next ", "muted")]
