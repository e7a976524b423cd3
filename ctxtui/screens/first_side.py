"""The first side of what-if, as far as it knows the others: they stand above it and share a run."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from textual import on

from core import Refused
from core.policies import Prices
from core.storage import Session
from ctxtui.files.policies import first_policies
from ctxtui.files.preferences import load_preferences
from ctxtui.models.places import Spot
from ctxtui.models.policy_comparison import PolicyComparison
from ctxtui.models.policy_sweep import PolicySweep
from ctxtui.models.sweep_cursor import SweepCursor
from ctxtui.render.tabs import TabLine
from ctxtui.render.what_if.sides import SIDES, side_tabs
from ctxtui.screens.over_run import OverRunScreen
from ctxtui.screens.side import Side
from ctxtui.screens.sweep import SweepScreen
from ctxtui.widgets.line_box import LineBox

if TYPE_CHECKING:
    from textual.screen import Screen

    Base = Screen[Any]
else:
    Base = object

FIRST_POLICIES = 5
"""Policies that are compared over the run before any is added: there is room for one more."""
OTHERS: dict[str, type[Side]] = {"over-run": OverRunScreen, "sweep": SweepScreen}


class FirstSide(Base):
    """Turns to the other sides and back; leaving any of them leaves what-if."""

    session: Session
    revision: int | None
    _about: Callable[[], str]

    @cached_property
    def comparison(self) -> PolicyComparison:
        """Return what the other sides share; it is made when one is turned to first."""
        session = self.session
        try:
            prices = Prices.read(load_preferences().prices)
        except Refused:
            prices = None
        files = first_policies(FIRST_POLICIES)
        source = session.details.source
        return PolicyComparison(
            session.conversation,
            session.title,
            files,
            revision=self.revision,
            prices=prices,
            source=None if source is None else source.path,
        )

    @cached_property
    def cursor(self) -> SweepCursor:
        """Return where somebody stands in the sweep, which is kept as long as what-if is open."""
        return SweepCursor(PolicySweep(self.comparison))

    def show_tabs(self, about: Callable[[], str]) -> None:
        """Show all sides as tabs, and what this one is about."""
        self._about = about
        self.query_one("#what-if-head", LineBox).show(lambda width: self._tabs(width).line)

    def _tabs(self, width: int) -> TabLine:
        return side_tabs("now", self.session.title, width, self._about())

    @on(LineBox.Clicked, "#what-if-head")
    def _tab_clicked(self, event: LineBox.Clicked) -> None:
        self.turn_to(self._tabs(event.box.size.width).at(event.x))

    def action_turn(self, by: int) -> None:
        """Go to the next side, or to the one before."""
        self.turn_to(list(SIDES)[by % len(SIDES)])

    def turn_to(self, side: str) -> None:
        """Show another side, above this one and instead of any other."""
        if side in OTHERS:
            show = self.app.push_screen if self.app.screen is self else self.app.switch_screen
            show(OTHERS[side](self.comparison, self))
        elif side == "now" and isinstance(self.app.screen, Side):
            self.app.pop_screen()

    def end(self, outcome: Spot | None = None) -> None:
        """Leave what-if altogether, from whichever side."""
        if isinstance(self.app.screen, Side):
            self.app.pop_screen()
        self.dismiss(outcome)
