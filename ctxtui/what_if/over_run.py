"""Over the run: policies played through every call of a run, side by side, and one call of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar, Protocol

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.command import Provider
from textual.containers import Horizontal

from ctxtui.background import BackgroundTask
from ctxtui.commands.command import Command, Conditions, bindings
from ctxtui.files.policies import PolicyFile
from ctxtui.help.palette import CommandProvider
from ctxtui.inspector.models.search import Spot
from ctxtui.messages import OpenRehearsed, Preferred
from ctxtui.notify import notify
from ctxtui.text.lines import Line, Piece, wrap
from ctxtui.text.plurals import plural
from ctxtui.text.toast import failed, note
from ctxtui.what_if.drawing.over_run import (
    NO_POLICIES,
    DrawnRun,
    PolicySource,
    RunPicture,
    asked_line,
    brief_line,
    drawn_runs,
    labels_told,
    legend,
    missing_told,
    name_told,
    panel_lines,
    problem_told,
)
from ctxtui.what_if.drawing.recipes import SIDES, side_tabs
from ctxtui.what_if.keys import OVER_RUN
from ctxtui.what_if.models.over_run import MOST_POLICIES, Answer, PolicyComparison, Rehearsal
from ctxtui.what_if.models.sweep import SweepCursor
from ctxtui.what_if.pickers import PolicyPicker
from ctxtui.widgets.base_screen import BaseScreen
from ctxtui.widgets.footer import KeyFooter
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.panes import LineBox, Picture, TextPane
from ctxtui.widgets.prompt import Prompt

# What the sides of what-if that play policies through a run have in common.

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


class Side(BaseScreen[None]):
    """Shows a comparison that outlives it: turning to another side loses nothing."""

    AUTO_FOCUS = ""
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
            notify(self, note("Nothing is marked", "m marks a message in the inspector."))
            return
        hint = f"labels, of {', '.join(question.run.labels())}; empty is all of them"
        value = (
            ", ".join(question.required_labels)
            if question.required_labels != question.run.labels()
            else ""
        )
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

    def help_commands(self) -> Sequence[Command]:
        """Return the commands that the help explains."""
        return self.commands

    def action_leave(self) -> None:
        """Leave what-if, from whichever side, with nothing changed."""
        self.hub.end()


WIDE_COLUMNS, HUGE_COLUMNS = 100, 180
HIGH_ROWS = 30
"""Columns and rows from which on the call stands beside the plot, and has more room."""


class OverRunProvider(CommandProvider):
    """The commands of this side."""

    commands = OVER_RUN


class OverRunScreen(Side):
    """Shows what each policy would have sent at every call; nothing changes until one is opened."""

    CSS_PATH = "over_run.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings(OVER_RUN)
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {OverRunProvider}
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - Textual's own
        (0, "-narrow"),
        (WIDE_COLUMNS, "-wide"),
        (HUGE_COLUMNS, "-huge"),
    ]
    VERTICAL_BREAKPOINTS = [(0, "-short"), (HIGH_ROWS, "-high")]  # noqa: RUF012
    side = "over-run"
    commands = OVER_RUN
    _drawn: tuple[object, RunPicture] | None = None

    def compose(self) -> ComposeResult:
        """Lay out the policies, the plot, and the call under the cursor."""
        yield LineBox(id="side-head")
        yield LineList(id="policies", empty=NO_POLICIES)
        with Horizontal(id="over-run"):
            yield Picture(id="calls")
            yield TextPane(id="call")
        yield LineBox(id="call-brief")
        yield Prompt()
        yield KeyFooter()

    def on_mount(self) -> None:
        """Show what is known at once, and find out the rest."""
        for name in ("#policies", "#call"):
            self.query_one(name).can_focus = False
        self.set_focus(self.query_one(Picture))
        self.refill()
        self.find_out()

    def on_resize(self) -> None:
        """Use the room there is."""
        self.refill()

    # Showing

    def refill(self) -> None:
        """Show everything as it is known by now."""
        comparison = self.comparison
        count = plural(comparison.policy_count, "policy", "policies")
        self.show_head(partial(asked_line, comparison, f"{count} over the same run", ""))
        policies = self.query_one("#policies", LineList)
        policies.frame("Policies", [Piece("nothing is changed until you open one", "faint")])
        policies.show(PolicySource(comparison))
        has_border = not (self.has_class("-narrow") or self.has_class("-short"))
        policies.styles.height = max(2, len(comparison.contenders) + 1) + 2 * has_border
        if comparison.contenders:
            policies.go_to(comparison.chosen)
        self.show_call()

    def show_call(self) -> None:
        """Show the call under the cursor, in the plot and beside it."""
        plot, panel = self.query_one("#calls", Picture), self.query_one("#call", TextPane)
        comparison, runs = self.comparison, self.runs
        plot.frame("Tokens per call", legend(runs))
        missing = missing_told(comparison)
        if missing:
            plot.show(lambda width, _: [[Piece(row)] for row in wrap(missing, max(1, width))])
        else:
            plot.show(self._draw)
        current, facts = comparison.current, comparison.facts()
        letter = "" if current is None else comparison.letter(current)
        name = "" if current is None else name_told(current)
        about = [Piece(f"{letter} ", "bright"), Piece(name, "muted")]
        panel.frame(f"Call {comparison.call:,}" if comparison.calls else "Call", about)
        if facts is None:
            panel.show(self._no_facts)
        else:
            panel.show(partial(panel_lines, facts, runs, letter))
        self.query_one("#call-brief", LineBox).show(partial(brief_line, facts, letter))
        self.refresh_bindings()

    @property
    def runs(self) -> list[DrawnRun]:
        """Return the policies whose figures are known, as they are drawn."""
        return drawn_runs(self.comparison)

    def _no_facts(self, width: int) -> list[Line]:
        current = self.comparison.current
        told = "" if current is None else problem_told(current)
        return [[Piece(row, "error")] for row in wrap(told, max(1, width))] if told else []

    def _draw(self, width: int, height: int) -> list[Line]:
        return self.picture(width, height).lines(self.comparison.call)

    def picture(self, width: int, height: int) -> RunPicture:
        """Return the plot for a size; only its cursor moves often."""
        comparison, runs = self.comparison, self.runs
        figures = [id(run.figures.per_call) for run in runs]
        key = (width, height, [run[::2] for run in runs], figures)
        if self._drawn is None or self._drawn[0] != key:
            question = comparison.question
            must = labels_told(question.required_labels) if question is not None else ""
            made = RunPicture(
                runs, comparison.calls, (width, height), limit=comparison.limit, must=must
            )
            self._drawn = (key, made)
        return self._drawn[1]

    def key_conditions(self) -> Conditions:
        """Return what can be done here, for the line of keys."""
        comparison = self.comparison
        current, question = comparison.current, comparison.question
        figures = None if current is None else current.figures
        folded = self.has_class("-narrow") or self.has_class("-short")
        return {
            "calls": comparison.calls > 0,
            "walked": figures is not None,
            "failing": figures is not None and figures.failing > 0,
            "several": len(comparison.contenders) > 1,
            "policy": current is not None and not current.is_recorded,
            "room": comparison.has_room,
            "marked": question is not None and bool(question.run.marks),
            "folded": folded,
            "face": "the plot" if self.has_class("-turned") else "the call",
        }

    # Moving

    def action_call(self, by: int) -> None:
        """Go on by some calls, or back."""
        self._go_to(self.comparison.call + by)

    def action_edge(self, last: int) -> None:
        """Go to the first call or to the last one."""
        self._go_to(self.comparison.calls if last else 1)

    def action_failing(self, by: int) -> None:
        """Go to the next call that fails under the chosen policy, or to the one before."""
        self._go_or_tell(self.comparison.failing(by), by, "fails")

    def action_acting(self, by: int) -> None:
        """Go to the next call before which the chosen policy acts, or to the one before."""
        self._go_or_tell(self.comparison.acting(by), by, "is preceded by an act")

    def _go_or_tell(self, call: int | None, by: int, what: str) -> None:
        if call is None:
            notify(self, note(f"No {'later' if by > 0 else 'earlier'} call {what}"))
        else:
            self._go_to(call)

    def _go_to(self, call: int) -> None:
        if self.comparison.calls:
            self.comparison.go_to(call)
            self.show_call()

    @on(Picture.Clicked, "#calls")
    def _clicked(self, event: Picture.Clicked) -> None:
        if not missing_told(self.comparison):
            call = self.picture(*event.picture.size).call_at(event.x)
            self._go_to(self.comparison.call if call is None else call)

    def action_choose(self, by: int) -> None:
        """Choose the next policy, or the one before."""
        self.comparison.choose(self.comparison.chosen + by)
        self.refill()

    def action_letter(self, letter: str) -> None:
        """Choose a policy by its letter; the capitals have a meaning on every screen."""
        self.comparison.choose_letter(letter)
        self.refill()

    @on(LineList.Moved, "#policies")
    def _policy_clicked(self, event: LineList.Moved) -> None:
        if event.key != self.comparison.chosen:
            self.comparison.choose(event.key)
            self.refill()

    @on(LineList.Opened, "#policies")
    def _policy_opened(self) -> None:
        self.action_open()

    def action_turn_over(self) -> None:
        """Show the call instead of the plot, or the plot again, where there is room for one."""
        self.toggle_class("-turned")
        self.refill()

    def action_scroll(self, by: int) -> None:
        """Scroll what is said of the call, which may be more than there is room for."""
        panel = self.query_one("#call", TextPane)
        panel.scroll_relative(y=by * max(1, panel.size.height // 2), animate=False)

    # Which policies

    def action_add(self) -> None:
        """Pick a policy to compare with the others."""
        if not self.comparison.has_room:
            title = f"{MOST_POLICIES} policies are compared"
            notify(self, note(title, "There is no room for more.", ("-", "takes one out")))
            return
        files = (one.file for one in self.comparison.contenders)
        shown = {file.path for file in files if file is not None}
        self.app.push_screen(PolicyPicker(shown), self._picked)

    def _picked(self, file: PolicyFile | None) -> None:
        if file is not None:
            self.comparison.add_file(file)
            self.refill()
            self.find_out()

    def action_take_out(self) -> None:
        """Take the policy out of the comparison; its file stays."""
        if self.comparison.take_out():
            self.refill()
        elif self.comparison.contenders:
            notify(
                self, note("What was recorded stays", "It is what the others are compared with.")
            )

    # Opening

    def action_open(self) -> None:
        """Open what the chosen policy sends at this call, as a session of its own."""
        self._open(Spot())

    def action_why(self) -> None:
        """Open it where lint and blame tell why it fails."""
        facts = self.comparison.facts()
        if facts is None or not facts.figures.fails:
            notify(
                self, note("Nothing is wrong with this call", "", ("n", "goes to one that fails"))
            )
        elif facts.errors:
            self._open(Spot("lint-view", facts.errors[0].raw_index))
        else:
            self._open(Spot("inspector", facts.lacked[0].raw))

    def _open(self, spot: Spot) -> None:
        comparison = self.comparison
        current, question, call = comparison.current, comparison.question, comparison.call
        if not self.is_current or question is None or current is None or not comparison.calls:
            return
        if current.is_recorded:
            self.hub.end(spot._replace(batch=question.run.calls[call - 1].batch))
        elif current.policy is None or current.run is None:
            told = problem_told(current) or "It is still being walked through"
            notify(self, failed(told) if current.problem else note(told))
        else:
            asked = Rehearsal(question, current.policy, call, comparison.title, spot)
            self.post_message(OpenRehearsed(asked))
