"""What the sides of what-if that play policies through a run have in common."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import ClassVar, Protocol

from textual import on
from textual.screen import Screen

from ctxtui.background import BackgroundTask
from ctxtui.clipboard import save_picture
from ctxtui.commands import Command
from ctxtui.messages import Preferred
from ctxtui.models.places import Spot
from ctxtui.models.policy_comparison import Answer, PolicyComparison
from ctxtui.models.sweep_cursor import SweepCursor
from ctxtui.models.told import note
from ctxtui.render.text.lines import Line
from ctxtui.render.what_if.sides import SIDES, side_tabs
from ctxtui.screens.help import HelpScreen
from ctxtui.screens.scene import Scene
from ctxtui.telling import tell
from ctxtui.widgets.inked import INKS
from ctxtui.widgets.key_line import keys_here
from ctxtui.widgets.line_box import LineBox
from ctxtui.widgets.prompt import Prompt

WALK = "walk through the run"
PRICE_HINT = "per million tokens, such as input=3,cached=0.3,output=15; empty is none"


class Hub(Protocol):
    """The first side of what-if, which knows the others and what lies below all of them."""

    @property
    def cursor(self) -> SweepCursor:
        """Return where somebody stands in the sweep."""
        ...

    def turn_to(self, side: str) -> None:
        """Show another side."""
        ...

    def end(self, outcome: Spot | None = None) -> None:
        """Leave what-if altogether."""
        ...


class Side(Scene, Screen[None]):
    """Shows a comparison that outlives it: turning to another side loses nothing."""

    AUTO_FOCUS = ""
    COMPONENT_CLASSES: ClassVar[set[str]] = INKS
    side: ClassVar[str] = ""
    commands: ClassVar[tuple[Command, ...]] = ()

    def __init__(self, comparison: PolicyComparison, hub: Hub) -> None:
        super().__init__()
        self.comparison = comparison
        self.hub = hub

    def refill(self) -> None:
        """Show everything as it is known by now."""
        raise NotImplementedError

    def show_head(self, below: Callable[[int], Line]) -> None:
        """Show the sides as tabs, and below them what is asked."""
        title = self.comparison.title
        head = self.query_one("#side-head", LineBox)
        head.show(lambda width: side_tabs(self.side, title, width).line, below)

    # Finding out

    def find_out(self) -> None:
        """Find out what is not known yet, and show it as it comes; leaving stops it."""
        self.comparison.problem = ""
        self.background.run(WALK, self.walk, failed=self._failed)

    def walk(self, task: BackgroundTask) -> None:
        """Find out what is not known yet; this runs in a thread."""
        for answer in self.comparison.answers(task.is_wanted):
            task.show(self.found, answer)

    def found(self, answer: Answer) -> None:
        """Take what was found out, and show it."""
        self.comparison.take(answer)
        self.refill()

    def _failed(self, sentence: str) -> None:
        self.comparison.problem = sentence
        self.refill()
        self.background.complain(sentence)

    # Asking

    @property
    def prompt(self) -> Prompt:
        """Return the line that asks."""
        return self.query_one(Prompt)

    def action_prices(self) -> None:
        """Ask what a million tokens cost."""
        prices = self.comparison.prices
        value = ""
        if prices is not None:
            value = f"input={prices.input:g},cached={prices.cached:g},output={prices.output:g}"
        ask = partial(self.prompt.ask, "prices", PRICE_HINT, self._take_prices)
        ask(verb="take them", value=value, takes_nothing=True)

    def _take_prices(self, text: str) -> None:
        self.comparison.ask_prices(text)
        self.post_message(Preferred("prices", text.strip()))
        self.refill()

    def action_must(self) -> None:
        """Ask which labels must stay."""
        question = self.comparison.question
        if question is None or not question.run.marks:
            tell(self, note("Nothing is marked", "m marks a message in the inspector."))
            return
        hint = f"labels, of {', '.join(question.run.labels())}; empty is all of them"
        value = ", ".join(question.must) if question.must != question.run.labels() else ""
        ask = partial(self.prompt.ask, "must stay", hint, self._take_must)
        ask(verb="ask anew", value=value, takes_nothing=True)

    def _take_must(self, text: str) -> None:
        self.comparison.ask_must(text)
        self.refill()
        self.find_out()

    # Turning, leaving

    def action_turn(self, by: int) -> None:
        """Go to the next side, or to the one before."""
        if not self.prompt.is_open:
            names = list(SIDES)
            self.hub.turn_to(names[(names.index(self.side) + by) % len(names)])

    @on(LineBox.Clicked, "#side-head")
    def _tab_clicked(self, event: LineBox.Clicked) -> None:
        chosen = side_tabs(self.side, self.comparison.title, event.box.size.width).at(event.x)
        if chosen and event.y == 0 and chosen != self.side:
            self.hub.turn_to(chosen)

    def action_picture(self) -> None:
        """Save a picture of the screen."""
        tell(self, save_picture(self.app))

    def action_help(self) -> None:
        """Show all keys of this side."""
        self.app.push_screen(HelpScreen(self.commands, keys_here(self)))

    def action_leave(self) -> None:
        """Leave what-if, from whichever side, with nothing changed."""
        self.hub.end()
