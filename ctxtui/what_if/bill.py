"""The bill: one card that says what a run costs, to be copied as text or saved as a picture."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType

from ctxtui.background import BackgroundTask
from ctxtui.clipboard import copy_text
from ctxtui.commands.command import Conditions, bindings
from ctxtui.commands.common import TEXT
from ctxtui.core.policies import PolicyFigures
from ctxtui.core.policies.runs import SimulationConfig
from ctxtui.notify import notify
from ctxtui.text.lines import breadcrumb, paragraph
from ctxtui.text.toast import note
from ctxtui.what_if.drawing.bill import bill_lines, bill_text
from ctxtui.what_if.drawing.words import missing_text
from ctxtui.what_if.keys import BILL
from ctxtui.what_if.models.bill import Bill, as_it_is, bill_of
from ctxtui.what_if.models.comparison import StrategyComparison
from ctxtui.what_if.side import Side
from ctxtui.widgets.footer import KeyFooter
from ctxtui.widgets.panes import LineBox, TextPane
from ctxtui.widgets.prompt import Prompt


class BillScreen(Side[None]):
    """Shows what a run costs as it is, and under the policies of a comparison."""

    CSS_PATH = "bill.tcss"
    HELP_COMMANDS = (*BILL, *TEXT)
    BINDINGS: ClassVar[list[BindingType]] = bindings(BILL)

    def __init__(self, comparison: StrategyComparison) -> None:
        super().__init__()
        self.comparison = comparison
        self.bill: Bill | None = None
        self._mine: PolicyFigures | None = None

    def compose(self) -> ComposeResult:
        yield LineBox(id="bill-head")
        yield TextPane(id="bill")
        yield Prompt()
        yield KeyFooter()

    def on_mount(self) -> None:
        self.set_focus(self.query_one("#bill"))
        self.refill()
        self.find_out()

    def refill(self) -> None:
        comparison, pane = self.comparison, self.query_one("#bill", TextPane)
        self.bill = bill_of(comparison, self._mine)
        head = partial(breadcrumb, comparison.title, "Bill")
        self.query_one("#bill-head", LineBox).show(head)
        bill = self.bill
        if bill is None:
            pane.show(lambda width: paragraph(missing_text(comparison) or "…", width, "muted"))
        else:
            pane.show(partial(bill_lines, bill), top=False)
        self.refresh_bindings()

    def walk(self, task: BackgroundTask) -> None:
        """Find out what the run costs as it is, then what policies would make of it."""
        question = self.comparison.question
        if question is not None:
            self._find_mine(question, task)
        for answer in self.comparison.answers(task.is_wanted):
            task.show(self._found, answer)
            if question is None and answer.run is not None:
                self._find_mine(SimulationConfig.about(answer.run), task)

    def _find_mine(self, question: SimulationConfig, task: BackgroundTask) -> None:
        if question.run.calls and self._mine is None:
            task.show(self._read, as_it_is(question, task.is_wanted))

    def _read(self, mine: PolicyFigures) -> None:
        self._mine = mine
        self.refill()

    def key_conditions(self) -> Conditions:
        return {"bill": self.bill is not None}

    def action_copy(self) -> None:
        if self.bill is None:
            notify(self, note("The run is still being read"))
        else:
            notify(self, copy_text(self.app, "the bill", bill_text(self.bill)))
