"""The stage: head, panes and views of the inspector, linked by the message under the cursor."""

from __future__ import annotations

from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.reactive import reactive
from textual.screen import Screen

from core.storage import Session
from ctxtui.commands import INSPECTOR
from ctxtui.look import Look
from ctxtui.screens.lint_view import LintView
from ctxtui.screens.scene import Scene
from ctxtui.screens.views import PANES, Views
from ctxtui.widgets.ask_line import AskLine
from ctxtui.widgets.head import Head
from ctxtui.widgets.inked import INKS
from ctxtui.widgets.key_line import KeyLine
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.peek import Peek
from ctxtui.widgets.tab_bar import VIEWS, TabBar

OFTEN, FEW = 0.5, 8
"""Seconds between two looks at what is left to lint in the timeline, and how much at once."""


class Stage(Scene, Screen[None]):
    """Lays out a look at a conversation and moves between its panes."""

    AUTO_FOCUS = "#visible"
    CSS_PATH = "stage.tcss"
    COMPONENT_CLASSES: ClassVar[set[str]] = INKS
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - declared so by Textual
        (0, "-narrow"),
        (100, "-medium"),
        (132, "-wide"),
        (180, "-huge"),
    ]

    raw: reactive[int | None] = reactive(None, init=False)
    pane = reactive("visible")
    known_errors: int | None = None
    """How many errors the present has, as far as lint has been through."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.conversation = session.conversation
        self.look = Look(self.conversation)

    def compose(self) -> ComposeResult:
        """Lay out head, views, input line and footer."""
        yield TabBar(self.session.title)
        yield Head()
        yield Views()
        yield Peek()
        yield AskLine()
        yield KeyLine(INSPECTOR)

    def on_mount(self) -> None:
        """Show the conversation, with the projection in focus."""
        self.show(self.look)
        self.action_pane("visible")
        self.set_interval(OFTEN, self._lint_timeline)

    @property
    def views(self) -> Views:
        """Return the panes and views."""
        return self.query_one(Views)

    def tell_saved(self) -> None:
        """Say in the head line whether everything done so far is safe."""
        self.query_one(TabBar).tell_saved(self.session)

    # Showing

    def show(self, look: Look) -> None:
        """Show another look: after a change, or while stepping."""
        self.look = look
        self.set_class(not look.is_live, "-stepping")
        self.views.show(look)
        self.query_one(Head).show(look)
        raw, projection = self.views.pane("raw"), self.views.pane("visible")
        focused = raw if raw.has_focus or projection.key is None else projection
        self.set_reactive(Stage.raw, focused.key)
        self.watch_raw(focused.key)
        if not look.is_linted:
            self._lint(look)
        if look.is_live:
            self.known_errors = look.errors if look.is_linted else None

    def look_at_batch(self, batch: int) -> None:
        """Look at a batch without changing anything."""
        look = Look.at_batch(self.conversation, batch)
        if look.revision.id != self.look.revision.id:
            self.show(look)

    @work(thread=True, exclusive=True, group="lint")
    def _lint(self, look: Look) -> None:
        look.lint()
        self.from_thread(self._linted, look)

    def _lint_timeline(self) -> None:
        """Count the errors of long batches in sight behind the scenes, a few at a time."""
        wanted, found = self.views.lints_wanted()
        if wanted and not any(one.group == "timeline" for one in self.workers):
            self._count_errors(wanted[:FEW], found)

    @work(thread=True, group="timeline")
    def _count_errors(self, wanted: list[int], found: dict[int, int]) -> None:
        for id in wanted:
            findings = self.conversation.at(id).lint()
            found[id] = sum(finding.severity == "error" for finding in findings)
        self.from_thread(self.views.pane("timeline").refresh)

    def _linted(self, look: Look) -> None:
        if look is self.look:
            self.views.refill("lint-view")
            self.views.fill_side()
            if look.is_live:
                self.known_errors = look.errors
            for widget in self.query("#status, #visible"):
                widget.refresh()

    def watch_raw(self, raw: int | None) -> None:
        """Show the message under the cursor in every pane."""
        self.views.show_message(raw)
        self.query_one(Head).show_message(self.look, raw)
        self.query_one(Peek).show_message(self.look, raw)

    # Moving

    @on(LineList.Moved, "#raw, #visible, #role-columns LineList")
    def _moved(self, event: LineList.Moved) -> None:
        if event.list.has_focus and event.list.id == "visible":
            self.views.show_ghost(None)
        key = event.list.key  # Where it stands by now, not when this was sent.
        if event.list.has_focus and key is not None and key >= 0:
            self.raw = key

    @on(LineList.Moved, "#lint")
    def _finding_chosen(self) -> None:
        self.query_one(LintView).show_finding()

    @on(TabBar.Chosen)
    def _chosen(self, event: TabBar.Chosen) -> None:
        self.action_view(event.view)

    def action_pane(self, pane: str) -> None:
        """Go to a pane of the inspector."""
        self.pane = pane
        self.action_view("inspector")

    def watch_pane(self, pane: str) -> None:
        """Tell the style sheet which pane is in front where only one fits."""
        others = [f"-pane-{name}" for name in PANES if name != pane]
        self.remove_class(*others, update=False)
        if pane in ("raw", "visible"):
            self.set_class(pane == "raw", "-raw-first", update=False)
        self.add_class(f"-pane-{pane}")

    def action_view(self, view: str) -> None:
        """Show the inspector or one of its other views, and give it the focus."""
        self.views.turn_to(view)
        self.query_one(TabBar).turn_to(view)
        self.set_class(view == "inspector", "-inspecting")
        names = {"inspector": self.pane, "roles": self._column(), "lint-view": "lint"}
        target = self.query_one(f"#{names.get(view, view)}")
        # At once, so that the next key already goes there; later, if it is not on the screen yet.
        self.set_focus(target)
        target.focus()

    def _column(self) -> str:
        """Return the column of the message under the cursor, with the cursor on it."""
        if self.raw is None or self.raw >= self.look.log_size:
            return "role-user"
        name = f"role-{self.look.state.log[self.raw].role}"
        self.views.pane(name).go_to(self.raw)
        return name

    def action_next_pane(self, by: int) -> None:
        """Go to the pane after or before this one; in other views to the next list."""
        if self.views.current == "inspector":
            names = list(PANES)
            self.action_pane(names[(names.index(self.pane) + by) % len(names)])
        elif by > 0:
            self.focus_next()
        else:
            self.focus_previous()

    def action_zoom(self) -> None:
        """Give the pane the whole screen, or take it back."""
        if self.maximized is not None:
            self.minimize()
        elif self.focused is not None:
            self.maximize(self.focused)

    def action_next_view(self) -> None:
        """Go to the next view."""
        names = list(VIEWS)
        here = names.index(self.views.current or "inspector")
        self.action_view(names[(here + 1) % len(names)])
