"""What if: the present state beside what several recipes would make of it; one becomes real.

It is the first of three sides: the others play policies through the run, and stand above this one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import ClassVar, NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.command import Provider
from textual.containers import Horizontal
from textual.content import Content

from ctxtui.background import BackgroundTask
from ctxtui.commands.command import Conditions, bindings
from ctxtui.core import Refused
from ctxtui.core.conversation.results import Result
from ctxtui.core.engine.operations import Checkout
from ctxtui.core.engine.tokens import is_exact
from ctxtui.core.policies import Prices
from ctxtui.core.storage import Session
from ctxtui.files.policies import RecipeFile, first_policies, list_recipes
from ctxtui.files.preferences import load_preferences
from ctxtui.help.palette import CommandProvider
from ctxtui.inspector.drawing.head import TabLine
from ctxtui.inspector.models.search import Spot
from ctxtui.notify import notify
from ctxtui.text.icons import ERROR
from ctxtui.text.lines import Piece, wrap
from ctxtui.text.plurals import plural
from ctxtui.text.symbols import printable
from ctxtui.text.toast import failed, note, refused, warned
from ctxtui.what_if.drawing.recipes import (
    SIDES,
    FigureScale,
    column_lines,
    in_short,
    name_told,
    now_lines,
    plan_for,
    side_tabs,
)
from ctxtui.what_if.keys import WHAT_IF
from ctxtui.what_if.lists import LETTERS, NOW, RecipeColumn, RibbonSource
from ctxtui.what_if.models.over_run import PolicyComparison
from ctxtui.what_if.models.recipes import Candidate, Ground, ground_at, tried
from ctxtui.what_if.models.sweep import PolicySweep, SweepCursor
from ctxtui.what_if.over_run import OverRunScreen, Side
from ctxtui.what_if.pickers import RecipePicker
from ctxtui.what_if.sweep import SweepScreen
from ctxtui.widgets.base_screen import BaseScreen
from ctxtui.widgets.footer import KeyFooter
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.panes import LineBox, TextPane

MOST_RECIPES = len(LETTERS)
FIRST_POLICIES = 5
"""Policies that are compared over the run before any is added: there is room for one more."""
OTHERS: dict[str, type[Side]] = {"over-run": OverRunScreen, "sweep": SweepScreen}
WIDE_COLUMNS = 110
SHORT_ROWS = 30
"""Columns of a screen below which borders go, and rows below which rules do."""
NOW_NARROW_CELLS = 25
NOW_WIDE_CELLS = 36
NARROWEST_CELLS = 19
ROOMY_CELLS = 24
WIDEST_CELLS = 46
"""Cells of the present state, and of a column; columns that don't fit are a key away."""


class Branch(NamedTuple):
    """A recipe that was applied to the session: the result, and what did it in a few words."""

    result: Result
    word: str


class WhatIfProvider(CommandProvider):
    """The commands of the what-if screen."""

    commands = WHAT_IF


class WhatIfScreen(BaseScreen[Branch | Spot | None]):
    """Tries recipes on a session, as it is or was; nothing changes until one is opened.

    Its result is the branch that was opened, a place to look at, or None if the user only looked.
    """

    AUTO_FOCUS = ""
    CSS_PATH = "what_if.tcss"
    HELP_COMMANDS = WHAT_IF
    BINDINGS: ClassVar[list[BindingType]] = bindings(WHAT_IF)
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {WhatIfProvider}
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE_COLUMNS, "-wide")]  # noqa: RUF012 - Textual's own
    VERTICAL_BREAKPOINTS = [(0, "-short"), (SHORT_ROWS, "-high")]  # noqa: RUF012

    def __init__(
        self,
        session: Session,
        recipes: Sequence[RecipeFile] | None = None,
        *,
        revision: int | None = None,
    ) -> None:
        super().__init__()
        self.session = session
        self.revision = revision
        chosen = list_recipes() if recipes is None else recipes
        self.candidates = [Candidate(file) for file in chosen[:MOST_RECIPES]]
        self.chosen = 0
        self.ground: Ground | None = None
        self.problem = ""
        """Why recipes could not be tried."""

    # Laying out

    def compose(self) -> ComposeResult:
        """Lay out the columns, the ribbons and the sentence."""
        yield LineBox(id="what-if-head")
        with Horizontal(id="compared"):
            yield TextPane(id="now")
            with Horizontal(id="recipes"):
                yield TextPane(id="no-recipe")
                for at in range(MOST_RECIPES):
                    yield RecipeColumn(at)
        yield LineList(id="ribbons", empty="… counting")
        yield TextPane(id="in-short")
        yield KeyFooter()

    def on_mount(self) -> None:
        """Show what is known at once, and try the recipes."""
        for name in ("#now", "#no-recipe", "#ribbons", "#in-short"):
            self.query_one(name).can_focus = False
        ribbons = self.query_one("#ribbons", LineList)
        ribbons.border_title = "Who keeps what"
        ribbons.border_subtitle = "tall is kept, half another in its place, low dropped"
        self.query_one("#in-short").border_title = "In short"
        self.show_tabs(lambda: f"{plural(len(self.candidates), 'recipe')} on the same state")
        self.refill()
        self._start()

    def on_resize(self) -> None:
        """Use the rows there are."""
        self.refill()

    def refill(self) -> None:
        """Show everything as it is known by now."""
        ground, candidates = self.ground, self.candidates
        scale = None if ground is None else FigureScale.of(ground, candidates)
        plan = plan_for(self.size.height)
        now = self.query_one("#now", TextPane)
        number = self.session.conversation.batch.number if ground is None else ground.batch
        now.border_title = f"{'Now, batch' if self.revision is None else 'Batch'} {number}"
        now.border_subtitle = Content(self._counter())
        now.show(partial(now_lines, ground, scale, plan, problem=self.problem), top=False)
        count = max(1, len(candidates))
        is_roomy = (self.size.width - NOW_WIDE_CELLS) // count >= ROOMY_CELLS
        now.styles.width = NOW_WIDE_CELLS if is_roomy else NOW_NARROW_CELLS
        width = (self.size.width - (NOW_WIDE_CELLS if is_roomy else NOW_NARROW_CELLS)) // count
        for column in self.query(RecipeColumn):
            column.display = column.at < len(candidates)
            if column.display:
                column.styles.width = max(NARROWEST_CELLS, min(width, WIDEST_CELLS))
                candidate = candidates[column.at]
                column.show(partial(column_lines, ground, scale, candidate, plan), top=False)
                column.border_title = Content(f"{LETTERS[column.at]} {name_told(candidate)}")
        self.set_class(not candidates, "-no-recipe")
        self.query_one("#no-recipe", TextPane).show(
            lambda _: [[Piece("No recipe yet. + adds one.")]]
        )
        ribbons = self.query_one("#ribbons", LineList)
        ribbons.show(RibbonSource(ground, candidates))
        border = (
            2 if self.size.width >= WIDE_COLUMNS else 1 if self.size.height >= SHORT_ROWS else 0
        )
        stars = ground is not None and bool(ground.marked)
        ribbons.styles.height = 1 + len(candidates) + stars + border
        self.query_one("#what-if-head").refresh()
        self.choose(min(self.chosen, max(0, len(candidates) - 1)))

    def _counter(self) -> str:
        name = self.session.conversation.settings.counter
        return f"{'' if is_exact(name) else '~ '}{printable(name, 20)}"

    # Trying

    def _start(self) -> None:
        self.background.run(
            "try the recipes", partial(self._try, list(self.candidates)), failed=self._failed
        )

    def _try(self, candidates: list[Candidate], task: BackgroundTask) -> None:
        """Try what has not been tried, on a copy, and show each outcome as it comes."""
        ground = self.ground or ground_at(self.session.conversation, self.revision)
        task.show(self._tried, ground)
        for candidate in candidates:
            if candidate.is_pending:
                task.show(self._tried, ground, tried(ground, candidate))

    def _tried(self, ground: Ground | None, *done: Candidate) -> None:
        self.ground = ground
        outcomes = {candidate.file: candidate for candidate in done}
        self.candidates = [outcomes.get(one.file, one) for one in self.candidates]
        self.refill()

    def _failed(self, sentence: str) -> None:
        """Show why in the columns of all recipes that were not tried."""
        self.problem = sentence
        self.query_one("#ribbons", LineList).empty = ERROR.text("not counted")
        pending = (one for one in self.candidates if one.is_pending)
        self._tried(self.ground, *(replace(one, problem=sentence) for one in pending))
        self.background.complain(sentence)

    # Choosing

    def choose(self, at: int) -> None:
        """Put the cursor on a recipe, in the columns and among the ribbons."""
        self.chosen = at
        self.refresh_bindings()
        for column in self.query(RecipeColumn):
            here = column.at == at
            column.border_subtitle = "enter opens" if here else self._origin(column.at)
            if here and column.display:
                self.set_focus(column)
        ribbons = self.query_one("#ribbons", LineList)
        if self.candidates:
            ribbons.go_to(at + 1)
        told = in_short(self.ground, self.candidates, at)
        short = self.query_one("#in-short", TextPane)
        short.show(lambda width: [[Piece(text)] for text in wrap(told, max(10, width))])

    def key_conditions(self) -> Conditions:
        """Return what can be done here, for the line of keys."""
        count = len(self.candidates)
        return {"recipe": count > 0, "several": count > 1, "room": count < MOST_RECIPES}

    def _origin(self, at: int) -> str:
        return self.candidates[at].file.origin if at < len(self.candidates) else ""

    def action_choose(self, by: int) -> None:
        """Go to the next recipe, or the one before."""
        if self.candidates:
            self.choose(max(0, min(self.chosen + by, len(self.candidates) - 1)))

    def on_descendant_focus(self) -> None:
        """Follow the mouse and the tab key."""
        here = self.focused  # Where it is by now, not when this was sent.
        if isinstance(here, RecipeColumn) and here.at != self.chosen:
            self.choose(here.at)

    @on(LineList.Moved, "#ribbons")
    def _ribbon_chosen(self, event: LineList.Moved) -> None:
        is_recipe = NOW < event.key <= len(self.candidates)
        self.choose(event.key - 1 if is_recipe else self.chosen)

    @on(LineList.Opened, "#ribbons")
    def _ribbon_opened(self, event: LineList.Opened) -> None:
        if event.key != NOW:
            self.action_open_branch()

    # Which recipes

    def action_add(self) -> None:
        """Pick a recipe to compare with the others."""
        if len(self.candidates) == MOST_RECIPES:
            title = f"{MOST_RECIPES} recipes are compared"
            notify(self, note(title, "There is no room for more.", ("-", "takes one out")))
            return
        shown = {candidate.file.path for candidate in self.candidates}
        self.app.push_screen(RecipePicker(shown), self._picked)

    def _picked(self, file: RecipeFile | None) -> None:
        if file is None:
            return
        paths = [candidate.file.path for candidate in self.candidates]
        if file.path in paths:
            self.choose(paths.index(file.path))
            return
        self.candidates = [*self.candidates, Candidate(file)]
        self.chosen = len(self.candidates) - 1
        self.refill()
        self._start()

    def action_take_out(self) -> None:
        """Take the recipe out of the comparison; its file stays."""
        if self.candidates:
            del self.candidates[self.chosen]
            self.refill()

    # The other sides

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

    # Leaving

    def action_open_branch(self) -> None:
        """Apply the recipe under the cursor, as one change that one undo takes back."""
        if not self.candidates or not self.is_current:
            return
        candidate = self.candidates[self.chosen]
        if candidate.outcome is None or candidate.recipe is None:
            said = in_short(self.ground, self.candidates, self.chosen)
            notify(self, failed(said) if candidate.problem else warned(said))
        elif self.session.read_only:
            notify(self, failed("Read-only", "Nothing can be changed here."))
        else:
            try:
                result = self.session.change([*self._way_back(), *candidate.recipe])
            except Refused as refusal:
                notify(self, refused(refusal))
                return
            if not result.changed:
                notify(self, note("This recipe changes nothing here"))
                return
            self.dismiss(Branch(result, f"Recipe {name_told(candidate)}"))

    def _way_back(self) -> list[Checkout]:
        """Return the step to where the recipe was tried, if that is not the present."""
        now = self.session.conversation.current.id
        return [] if self.revision in (None, now) else [Checkout(revision=self.revision)]
