"""What if: strategies compared on the state now and over every call of the run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from typing import ClassVar, NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal

from ctxtui.calls.models.call import is_managed
from ctxtui.commands.command import Conditions, bindings
from ctxtui.core import Conversation, Refused
from ctxtui.core.conversation.conversation import Result
from ctxtui.core.engine.operations import Checkout
from ctxtui.core.storage import Session
from ctxtui.diff.screen import DiffScreen
from ctxtui.files.policies import PolicyFile
from ctxtui.inspector.models.search import Spot
from ctxtui.messages import OpenSimulated
from ctxtui.notify import notify
from ctxtui.text.lines import Line, Piece, paragraph, wrap
from ctxtui.text.plurals import plural
from ctxtui.text.symbols import printable
from ctxtui.text.toast import failed, note, refused, warned
from ctxtui.what_if.bill import BillScreen
from ctxtui.what_if.drawing.over_run import (
    RunPicture,
    brief_line,
    drawn_runs,
    legend,
    panel_lines,
)
from ctxtui.what_if.drawing.strategies import NowPicture, StrategySource, now_panel
from ctxtui.what_if.drawing.words import (
    NO_CALLS,
    NO_STRATEGIES,
    NOT_PLAYED,
    asked_line,
    in_short,
    labels_text,
    missing_text,
    name_text,
)
from ctxtui.what_if.keys import WHAT_IF
from ctxtui.what_if.models.comparison import (
    MOST_STRATEGIES,
    SimulatedCall,
    Strategy,
    compare_session,
)
from ctxtui.what_if.models.sweep import PolicySweep, SweepCursor
from ctxtui.what_if.picker import StrategyPicker
from ctxtui.what_if.side import LEAST_SWEPT, WALK, Side
from ctxtui.what_if.sweep import SweepScreen
from ctxtui.widgets.footer import KeyFooter
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.panes import LineBox, Picture, TextPane
from ctxtui.widgets.prompt import Prompt


class Branch(NamedTuple):
    """A strategy that was applied to the session: the result, and what did it in a few words."""

    result: Result
    word: str


class WhatIfScreen(Side[Branch | Spot | None]):
    """Shows what each strategy makes of the state now, and would have sent at every call.

    Nothing is changed until one is opened. The result is the branch that was opened, what to show
    in the inspector, or None.
    """

    CSS_PATH = "what_if.tcss"
    HELP_COMMANDS = WHAT_IF
    BINDINGS: ClassVar[list[BindingType]] = bindings(WHAT_IF)
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - Textual's own
        (0, "-narrow"),
        (100, "-wide"),
        (180, "-huge"),
    ]
    VERTICAL_BREAKPOINTS = [(0, "-short"), (30, "-high")]  # noqa: RUF012
    side = "what-if"
    _run_drawn: tuple[object, RunPicture] | None = None
    _now_drawn: tuple[object, NowPicture] | None = None

    def __init__(
        self,
        session: Session,
        files: Sequence[PolicyFile] | None = None,
        *,
        revision: int | None = None,
    ) -> None:
        super().__init__()
        self.session = session
        self.comparison = compare_session(session, files, revision)

    @cached_property
    def cursor(self) -> SweepCursor:
        """Return the cursor of the sweep, which is the same as long as what-if is open."""
        return SweepCursor(PolicySweep(self.comparison))

    def compose(self) -> ComposeResult:
        yield LineBox(id="side-head")
        yield LineList(id="strategies", empty=NO_STRATEGIES)
        with Horizontal(id="what-if"):
            yield Picture(id="run-calls")
            yield TextPane(id="call")
        yield LineBox(id="call-brief")
        yield Prompt()
        yield KeyFooter()

    def on_mount(self) -> None:
        for name in ("#strategies", "#call"):
            self.query_one(name).can_focus = False
        self.set_focus(self.query_one(Picture))
        self.refill()
        self.find_out()

    def on_resize(self) -> None:
        self.refill()

    # Showing

    def refill(self) -> None:
        comparison = self.comparison
        count = plural(comparison.strategy_count, "strategy", "strategies")
        read = "as seen" if comparison.reads_seen else ""
        self.show_head(
            partial(asked_line, comparison, "  ".join(filter(None, (count, read))), read)
        )
        table = self.query_one("#strategies", LineList)
        table.frame("Strategies", [Piece("nothing is changed until ctrl+s", "faint")])
        table.show(StrategySource(comparison))
        has_border = not (self.has_class("-narrow") or self.has_class("-short"))
        table.styles.height = max(2, len(comparison.strategies) + 1) + 2 * has_border
        if comparison.strategies:
            table.go_to(comparison.chosen)
        self.show_cursor()

    def show_cursor(self) -> None:
        (self._show_now if self.comparison.is_now else self._show_call)()
        self.refresh_bindings()

    def _show_now(self) -> None:
        comparison, brief = self.comparison, self.query_one("#call-brief", LineBox)
        plot, panel = self.query_one("#run-calls", Picture), self.query_one("#call", TextPane)
        plot.frame(
            "Who keeps what",
            [Piece("tall is kept, half another in its place, low dropped", "faint")],
        )
        plot.show(lambda width, _: self.ribbons(width).lines())
        ground = comparison.ground
        number = self.session.conversation.batch.number if ground is None else ground.batch
        word = "Now, batch" if comparison.revision is None else "Batch"
        panel.frame(f"{word} {number}", self._about())
        panel.show(partial(now_panel, comparison))
        why = NO_CALLS if comparison.question is not None and not comparison.calls else ""
        brief.show(lambda width: [Piece(row) for row in wrap(f" {why}", width)[:1]])

    def _show_call(self) -> None:
        comparison, runs = self.comparison, drawn_runs(self.comparison)
        plot, panel = self.query_one("#run-calls", Picture), self.query_one("#call", TextPane)
        plot.frame("Tokens per call", legend(runs))
        missing = missing_text(comparison)
        if missing:
            plot.show(lambda width, _: paragraph(missing, width))
        else:
            plot.show(lambda width, height: self.picture(width, height).lines(comparison.call))
        current, facts = comparison.current, comparison.facts()
        letter = "" if current is None else comparison.letter(current)
        panel.frame(f"Call {comparison.call:,}", self._about())
        if facts is None:
            panel.show(self._no_facts)
        else:
            panel.show(partial(panel_lines, facts, runs, letter))
        self.query_one("#call-brief", LineBox).show(partial(brief_line, facts, letter))

    def _about(self) -> Line:
        current = self.comparison.current
        if current is None:
            return []
        letter = Piece(f"{self.comparison.letter(current)} ", "bright")
        return [letter, Piece(name_text(current), "muted")]

    def _no_facts(self, width: int) -> list[Line]:
        current = self.comparison.current
        problem = "" if current is None else printable(current.problem or "")
        if problem or current is None or current.recipe is None:
            return paragraph(problem, width, "error") if problem else []
        return paragraph(NOT_PLAYED, width, "muted")

    def picture(self, width: int, height: int) -> RunPicture:
        """Return the plot for a size; only its cursor moves often."""
        comparison, runs = self.comparison, drawn_runs(self.comparison)
        key = (width, height, [(run.letter, run.kind, id(run.figures.per_call)) for run in runs])
        if self._run_drawn is None or self._run_drawn[0] != key:
            question = comparison.question
            must = labels_text(question.required_labels) if question is not None else ""
            size = (width, height)
            made = RunPicture(runs, comparison.calls, size, limit=comparison.limit, must=must)
            self._run_drawn = (key, made)
        return self._run_drawn[1]

    def ribbons(self, width: int) -> NowPicture:
        """Return the ribbons for a width; only their cursor moves often."""
        comparison = self.comparison
        known = [
            (one.id, one.name, one.is_untried, id(one.outcome)) for one in comparison.strategies
        ]
        key = (width, comparison.ground, comparison.problem, known)
        if self._now_drawn is None or self._now_drawn[0] != key:
            self._now_drawn = (key, NowPicture(comparison, width))
        return self._now_drawn[1]

    def key_conditions(self) -> Conditions:
        comparison = self.comparison
        current, question = comparison.current, comparison.question
        figures = None if current is None else current.figures
        is_now = comparison.is_now
        return {
            "now": is_now,
            "call": not is_now,
            "calls": comparison.calls > 0,
            "seen": self._may_be_seen,
            "long": comparison.calls >= LEAST_SWEPT,
            "walked": not is_now and figures is not None,
            "failing": not is_now and figures is not None and figures.failing > 0,
            "several": len(comparison.strategies) > 1,
            "strategy": current is not None and not current.is_recorded,
            "branch": current is not None and bool(current.operations),
            "recipe": current is not None and current.recipe is not None,
            "room": comparison.has_room,
            "marked": question is not None and bool(question.run.marks),
            "folded": self.has_class("-narrow") or self.has_class("-short"),
            "face": "the plot" if self.has_class("-turned") else "the call",
        }

    @property
    def _may_be_seen(self) -> bool:
        question = self.comparison.question
        is_recorded = question is not None and question.run.is_recorded
        return is_recorded and is_managed(self.session.conversation)

    def reading_changed(self) -> None:
        """Show the recorded run as it was sent, or as its model saw it."""
        is_seen = self.shows_seen and is_managed(self.session.conversation)
        self.comparison.read_as(seen=is_seen)
        self.refill()
        self.find_out()

    # Moving

    def action_call(self, by: int) -> None:
        """Go on by some calls, or back; now follows the last one."""
        if self.comparison.calls:
            self.comparison.step(by)
            self.show_cursor()

    def action_edge(self, last: int) -> None:
        self._go_to(self.comparison.calls if last else 1)

    def action_now(self) -> None:
        """Go from now to the calls, or back; while they are read, as soon as they are known."""
        comparison = self.comparison
        if comparison.calls or (comparison.question is None and not comparison.problem):
            comparison.turn()
            self.show_cursor()
        else:
            notify(self, note("There is no call to go to", missing_text(comparison)))

    def action_failing(self, by: int) -> None:
        self._go_or_tell(self.comparison.failing(by), by, "fails")

    def action_acting(self, by: int) -> None:
        self._go_or_tell(self.comparison.acting(by), by, "is preceded by an act")

    def _go_or_tell(self, call: int | None, by: int, what: str) -> None:
        if call is None:
            notify(self, note(f"No {'later' if by > 0 else 'earlier'} call {what}"))
        else:
            self._go_to(call)

    def _go_to(self, call: int) -> None:
        if self.comparison.calls:
            self.comparison.go_to(call)
            self.show_cursor()

    @on(Picture.PlaceClicked, "#run-calls")
    def _clicked(self, event: Picture.PlaceClicked) -> None:
        comparison, size = self.comparison, event.picture.size
        if comparison.is_now:
            self._choose(self.ribbons(size.width).strategy_at(event.y))
        elif not missing_text(comparison):
            call = self.picture(*size).call_at(event.x)
            self._go_to(comparison.call if call is None else call)

    def _choose(self, at: int | None) -> None:
        if at is not None and at != self.comparison.chosen:
            self.comparison.choose(at)
            self.refill()

    def action_choose(self, by: int) -> None:
        self._choose(self.comparison.chosen + by)

    def action_letter(self, letter: str) -> None:
        """Choose a strategy by its letter; the capitals have a meaning on every screen."""
        self.comparison.choose_letter(letter)
        self.refill()

    @on(LineList.Moved, "#strategies")
    def _strategy_clicked(self, event: LineList.Moved) -> None:
        self._choose(event.key)

    @on(LineList.Opened, "#strategies")
    def _strategy_opened(self) -> None:
        self.action_open()

    def action_turn_over(self) -> None:
        self.toggle_class("-turned")
        self.refill()

    def action_scroll(self, by: int) -> None:
        panel = self.query_one("#call", TextPane)
        panel.scroll_relative(y=by * max(1, panel.size.height // 2), animate=False)

    # Which strategies

    def action_add(self) -> None:
        if not self.comparison.has_room:
            title = f"{MOST_STRATEGIES} strategies are compared"
            notify(self, note(title, "No more can be added.", ("del", "removes one")))
            return
        files = (one.file for one in self.comparison.strategies)
        shown = {file.path for file in files if file is not None}
        self.app.push_screen(StrategyPicker(shown), self._picked)

    def _picked(self, file: PolicyFile | None) -> None:
        if file is not None:
            self.comparison.add_file(file)
            self.refill()
            self.find_out()

    def action_take_out(self) -> None:
        """Take the strategy out of the comparison; its file stays."""
        if self.comparison.take_out():
            self.refill()
        elif self.comparison.strategies:
            about = "It is what the others are compared with."
            notify(self, note("The recorded run can't be removed", about))

    def action_play(self) -> None:
        if self.comparison.play():
            self.refill()
            self.find_out()
        else:
            notify(self, note("Only a recipe can be played before every call"))

    # The bill and the sweep

    def action_bill(self) -> None:
        if not self.prompt.is_open:
            self.background.cancel(WALK)
            self.app.push_screen(BillScreen(self.comparison), lambda _: self._turned_back(False))

    def action_turn(self) -> None:
        if not self.prompt.is_open:
            self.background.cancel(WALK)
            self.app.push_screen(SweepScreen(self.cursor), self._turned_back)

    def _turned_back(self, is_over: bool | None) -> None:
        if is_over:
            self.dismiss()
        else:
            self.refill()
            self.find_out()

    # Opening

    def action_open(self) -> None:
        if self.comparison.is_now:
            self._look()
        else:
            self._open(Spot())

    def _look(self) -> None:
        """Show what the strategy would change, in a diff with now; nothing is changed."""
        current = self.comparison.current
        if current is None or current.is_recorded or not self._acts(current):
            return
        name = f"{self.session.name} › {name_text(current)}"
        self.background.run(
            "show what it changes",
            lambda _: self._applied(current),
            lambda found: self.app.push_screen(DiffScreen(*found, name)),
        )

    def _applied(self, strategy: Strategy) -> tuple[Conversation, int, int]:
        """Return a copy in which a strategy is applied, and its revisions before and after."""
        copy, revision = self.session.conversation.copy(), self.comparison.revision
        if revision is not None:
            copy.checkout(revision=revision)
        before = copy.current.id
        copy.execute(list(strategy.operations))
        return copy, before, copy.current.id

    def _acts(self, strategy: Strategy) -> bool:
        """Return whether a strategy would do something now; say so where it would not."""
        if not strategy.operations:
            comparison = self.comparison
            said = in_short(comparison.ground, comparison.strategies, comparison.chosen)
            is_refused = strategy.problem is not None or strategy.refusal is not None
            notify(self, failed(said) if is_refused else warned(said))
        return bool(strategy.operations)

    def action_branch(self) -> None:
        comparison, current = self.comparison, self.comparison.current
        if current is None or current.is_recorded or not self.is_current:
            return
        if not self._acts(current):
            return
        if self.session.read_only:
            notify(self, failed("Read-only", "Nothing can be changed here."))
        else:
            try:
                now, revision = self.session.conversation.current.id, comparison.revision
                way = [] if revision in (None, now) else [Checkout(revision=revision)]
                result = self.session.change([*way, *current.operations])
            except Refused as refusal:
                notify(self, refused(refusal))
                return
            if not result.changed:
                notify(self, note("This changes nothing here"))
                return
            kind = "Recipe" if current.recipe is not None else "Policy"
            self.dismiss(Branch(result, f"{kind} {name_text(current)}"))

    def action_why(self) -> None:
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
        if not self.is_current or question is None or current is None:
            return
        if current.is_recorded:
            self.dismiss(spot._replace(batch=question.run.calls[call - 1].batch))
        elif current.policy is None or current.run is None:
            problem = printable(current.problem or "")
            waiting = "A recipe is tried on the state now" if current.recipe else "It is still read"
            notify(self, failed(problem) if problem else note(waiting))
        else:
            asked = SimulatedCall(question, current.policy, call, comparison.title, spot)
            self.post_message(OpenSimulated(asked))
