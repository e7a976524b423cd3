"""What the screens of what-if have in common: tabs, finding out, prices and labels."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import ClassVar, TypeVar

from textual import on

from ctxtui.background import BackgroundTask
from ctxtui.inspector.drawing.head import TabLine
from ctxtui.messages import Preferred
from ctxtui.notify import notify
from ctxtui.text.lines import Line
from ctxtui.text.toast import note
from ctxtui.what_if.drawing.words import side_tabs
from ctxtui.what_if.models.comparison import Answer, StrategyComparison
from ctxtui.widgets.base_screen import BaseScreen
from ctxtui.widgets.panes import LineBox
from ctxtui.widgets.prompt import Prompt

T = TypeVar("T")
WALK = "walk through the run"
LEAST_SWEPT = 50
"""Calls from which on a sweep is offered; the palette always does."""


class Side(BaseScreen[T]):
    """Shows a comparison, and what is found out about it in the background."""

    AUTO_FOCUS = ""
    side: ClassVar[str] = ""
    """The name of its tab."""
    comparison: StrategyComparison

    def refill(self) -> None:
        raise NotImplementedError

    def action_turn(self) -> None:
        raise NotImplementedError

    def show_head(self, below: Callable[[int], Line]) -> None:
        head = self.query_one("#side-head", LineBox)
        head.show(lambda width: self._tabs(width).line, below)

    def _tabs(self, width: int) -> TabLine:
        is_long = self.side == "sweep" or self.comparison.calls >= LEAST_SWEPT
        return side_tabs(self.side, self.comparison.title, width, is_long=is_long)

    @on(LineBox.Clicked, "#side-head")
    def _tab_clicked(self, event: LineBox.Clicked) -> None:
        chosen = self._tabs(event.box.size.width).at(event.x)
        if chosen and event.y == 0 and chosen != self.side:
            self.action_turn()

    # Finding out

    def find_out(self) -> None:
        """Find out what is not known yet, and show it as it is found; leaving stops it."""
        self.comparison.problem = ""
        self.background.run(WALK, self.walk, failed=self._failed)

    def walk(self, task: BackgroundTask) -> None:
        """Find out what is not known yet; this runs in a thread."""
        for answer in self.comparison.answers(task.is_wanted):
            task.show(self._found, answer)

    def _found(self, answer: Answer) -> None:
        self.comparison.take(answer)
        self.refill()

    def _failed(self, sentence: str) -> None:
        self.comparison.problem = sentence
        self.refill()
        self.background.complain(sentence)

    # Asking

    @property
    def prompt(self) -> Prompt:
        return self.query_one(Prompt)

    def action_prices(self) -> None:
        prices = self.comparison.prices
        value = ""
        if prices is not None:
            value = str(prices)
        ask = partial(
            self.prompt.ask,
            "prices",
            "per million tokens, such as input=3,cached=0.3,output=15; empty is none",
            self._take_prices,
        )
        ask(verb="take them", value=value, takes_nothing=True)

    def _take_prices(self, text: str) -> None:
        self.comparison.ask_prices(text)
        self.post_message(Preferred("prices", text.strip()))
        self.refill()

    def action_must(self) -> None:
        question = self.comparison.question
        if question is None or not question.run.marks:
            notify(self, note("Nothing is marked", "m marks a message in the inspector."))
            return
        known, required = question.run.labels(), question.required_labels
        hint = f"labels, of {', '.join(known)}; empty is all of them"
        value = ", ".join(required) if required != known else ""
        ask = partial(self.prompt.ask, "must stay", hint, self._take_must)
        ask(verb="ask again", value=value, takes_nothing=True)

    def _take_must(self, text: str) -> None:
        self.comparison.ask_must(text)
        self.refill()
        self.find_out()
