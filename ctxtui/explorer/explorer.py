"""The explorer: looks at a conversation, steps through its batches, searches and selects."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.reactive import reactive

from ctxtui.background import background_of
from ctxtui.commands import EXPLORER, FOLLOWING, Facts
from ctxtui.core import Conversation
from ctxtui.core.engine.text_search import Finder
from ctxtui.explorer.arrays_view import FIELDS
from ctxtui.explorer.copying import copy_message, copy_projection
from ctxtui.explorer.entering import enter
from ctxtui.explorer.facts import explorer_facts
from ctxtui.explorer.following import Following
from ctxtui.explorer.panes import PANES
from ctxtui.explorer.searching import Searching
from ctxtui.explorer.travelling import Travelling
from ctxtui.explorer.views import Views
from ctxtui.explorer.ways_out import way_out
from ctxtui.models.look import Look
from ctxtui.models.selection import Selection
from ctxtui.render.tabs import VIEWS
from ctxtui.widgets.batch_strip import BatchStrip
from ctxtui.widgets.choice_bar import ChoiceBar
from ctxtui.widgets.head import StatusHead
from ctxtui.widgets.line_box import LineBox
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.peek import Peek
from ctxtui.widgets.prompt import Prompt
from ctxtui.widgets.tab_bar import PaneTabs, TabBar


class Explorer(Vertical):
    """Shows a look at a conversation in linked panes and views; nothing in it changes anything."""

    BINDINGS: ClassVar[list[BindingType]] = [
        command.binding() for command in (*EXPLORER, *FOLLOWING)
    ]

    raw: reactive[int | None] = reactive(None, init=False)
    """The message under the cursor, by raw index."""
    pane = reactive("visible")
    known_errors: int | None = None
    """How many errors the present has, as far as lint has been through."""

    def __init__(self, conversation: Conversation, title: str) -> None:
        super().__init__(id="explorer")
        self.conversation = conversation
        self.look = Look(conversation)
        self.selection = Selection()
        self.views = Views(self.selection)
        self.panes = self.views.panes
        self.prompt = Prompt()
        self.tabs = TabBar(title)
        self.searching = Searching(self)
        self.travelling = Travelling(self)
        self.following = Following(self)

    def compose(self) -> ComposeResult:
        """Lay out tabs, head, views and the prompt."""
        yield self.tabs
        yield StatusHead()
        yield self.views
        yield Peek()
        yield BatchStrip()
        yield self.prompt

    def on_mount(self) -> None:
        """Show the conversation, with the projection in focus."""
        self.show(self.look)
        self.action_pane("visible")

    # Showing

    def show(self, look: Look) -> None:
        """Show another look: after a change, or while stepping."""
        self.look = look
        self.set_class(not look.is_live, "-stepping")
        self.views.show(look)
        self.query_one(StatusHead).show(look)
        self.tabs.show(look)
        self.query_one(BatchStrip).show_path(look, self.panes.errors)
        self.follow_cursor()
        if not look.is_linted:
            background_of(self).run(
                "lint",
                lambda _: look.lint(),
                lambda _: self._linted(look),
                failed=partial(self._not_linted, look),
            )
        if look.is_live:
            self.known_errors = look.errors if look.is_linted else None
            self.following.note()
        self.following.tell_news()

    def follow_cursor(self) -> None:
        """Take the message under the cursor of the list in focus for the one that is meant."""
        raw, projection = self.panes.pane("raw"), self.panes.pane("visible")
        focused = raw if raw.has_focus or projection.key is None else projection
        self.set_reactive(Explorer.raw, focused.key)
        self.watch_raw(focused.key)

    def narrow(self, text: str, found: list[int] | None) -> None:
        """Show only some messages in both lists, or all of them again."""
        self.panes.narrow(text, found)
        self.follow_cursor()

    def show_now(self) -> None:
        """Show the conversation as it is."""
        self.show(Look(self.conversation))
        if self.views.current == "journal":
            self.views.player.return_to_now()

    def light(self, finder: Finder | None) -> None:
        """Light up what was searched for, or nothing."""
        self.panes.light(finder)
        self.views.refill("roles")
        self.refresh_bindings()

    def watch_raw(self, raw: int | None) -> None:
        """Show the message under the cursor in every pane."""
        self.panes.show_message(raw)
        self.query_one(StatusHead).show_message(self.look, raw)
        self.query_one(Peek).show_message(self.look, raw)
        self.refresh_bindings()

    def _linted(self, look: Look) -> None:
        if look is self.look:
            self.views.refill("lint-view")
            self.panes.fill_side()
            if look.is_live:
                self.known_errors = look.errors
            self.query_one(StatusHead).show_linted()
            for widget in self.query("#tabs, #visible"):
                widget.refresh()
            self.refresh_bindings()

    def _not_linted(self, look: Look, sentence: str) -> None:
        look.is_unlintable = True
        self._linted(look)
        background_of(self).complain(sentence)

    # Moving

    @on(LineList.Moved, "#raw, #visible, #role-columns LineList")
    def _moved(self, event: LineList.Moved) -> None:
        if event.list.has_focus and event.list.id == "visible":
            self.panes.ghost.show(None)
        key = event.list.key  # Where it stands by now, not when this was sent.
        if event.list.has_focus and key is not None and key >= 0:
            self.raw = key

    @on(LineList.Moved, "#lint")
    def _finding_chosen(self) -> None:
        self.views.lint.show_finding()

    @on(LineList.Moved, "#records")
    def _played(self) -> None:
        self.following.tell_news()

    @on(LineList.Moved, "#timeline")
    def _stepped(self, event: LineList.Moved) -> None:
        self.travelling.look_at_batch(event.key)

    @on(LineList.Opened)
    def _opened(self, event: LineList.Opened) -> None:
        enter(self, event.list.id or "", event.key)

    def on_descendant_focus(self) -> None:
        """Take the pane that was clicked for the one that is worked in."""
        here = self.screen.focused  # Where it is by now, not when this was sent.
        name = None if here is None else "message" if here.id == "batch" else here.id
        if name in PANES:
            self.pane = name

    @on(LineBox.Clicked, "#ribbon")
    def _ribbon_clicked(self, event: LineBox.Clicked) -> None:
        raw = self.query_one(StatusHead).ribbon(self.look, event.box.size.width).raw(event.x)
        if raw is not None and raw < self.look.log_size:
            self.go_to_raw(raw)

    @on(TabBar.Chosen)
    def _chosen(self, event: TabBar.Chosen) -> None:
        self.action_view(event.view)

    @on(PaneTabs.Chosen)
    def _pane_chosen(self, event: PaneTabs.Chosen) -> None:
        turn = self.action_pane if event.name in PANES else self.action_view
        turn(event.name)

    @on(ChoiceBar.Chosen, "#role-choices")
    def _role_choice(self, event: ChoiceBar.Chosen) -> None:
        self.searching.choose_roles(event.group, event.name)

    def go_to_raw(self, raw: int) -> None:
        """Put the cursor on a message of this look; on a hidden one in the raw array."""
        hidden = self.look.view.position(raw) is None
        self.action_pane("raw" if hidden or self.pane == "raw" else "visible")
        self.panes.pane(self.pane).go_to(raw)
        self.raw = raw

    def action_pane(self, pane: str) -> None:
        """Go to one of the four panes."""
        self.pane = pane
        self.action_view("inspector")

    def watch_pane(self, pane: str) -> None:
        """Tell the style sheet which pane is in front where only one fits."""
        self.travelling.pane_chosen(pane)
        others = [f"-pane-{name}" for name in PANES if name != pane]
        self.remove_class(*others, update=False)
        if pane in ("raw", "visible"):
            self.set_class(pane == "raw", "-raw-first", update=False)
        self.add_class(f"-pane-{pane}")

    def action_view(self, view: str) -> None:
        """Show the panes or one of the other views, and give it the focus."""
        self.travelling.turn_to(view)
        self.tabs.turn_to(view)
        self.query_one(PaneTabs).turn_to(view, self.pane)
        self.set_class(view == "inspector", "-inspecting")
        inside = "batch" if self.travelling.is_inside else self.pane
        target = self.views.entrance(view, inside, self.raw)
        # At once, so that the next key already goes there; later, if it is not on the screen yet.
        self.screen.set_focus(target)
        target.focus()

    def action_next_pane(self, by: int) -> None:
        """Go to the pane after or before this one; in other views to the next list."""
        if self.views.current == "inspector":
            names = list(PANES)
            self.action_pane(names[(names.index(self.pane) + by) % len(names)])
        elif by > 0:
            self.screen.focus_next()
        else:
            self.screen.focus_previous()

    def action_next_view(self) -> None:
        """Go to the next view."""
        names = list(VIEWS)
        here = names.index(self.views.current or "inspector")
        self.action_view(names[(here + 1) % len(names)])

    def action_turn_over(self) -> None:
        """Show the index arrays, or, where they are in sight already, their other side."""
        if self.views.current == "markmap":
            self.views.arrays.turn_over()
        self.action_view("markmap")

    def action_fields(self) -> None:
        """Show the other fields."""
        self.show_fields()

    def show_fields(self, finder: Finder | None = None) -> None:
        """Show the other fields, with what was searched for lit."""
        self.views.arrays.turn_to(FIELDS, finder)
        self.action_view("markmap")

    def action_zoom(self) -> None:
        """Give the pane the whole screen, or take it back."""
        if self.screen.maximized is not None:
            self.screen.minimize()
        elif self.screen.focused is not None:
            self.screen.maximize(self.screen.focused)
        self.refresh_bindings()

    def action_step(self, by: int) -> None:
        """Look at the batch before or after the one that is shown, on its own path."""
        self.travelling.step(by)

    def action_back(self) -> None:
        """Go one step out: of a search, the whole screen, the past, a view, the selection."""
        way = way_out(self)
        if way is not None:
            way.go()
            self.refresh_bindings()

    def action_follow(self) -> None:
        """Go to the newest message, and move on with it."""
        self.following.follow()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Tell whether a key may act: there is nothing to follow where nobody else writes."""
        return action != "follow" or self.following.is_on

    def minimize(self) -> None:
        """Take the whole screen back from a pane."""
        self.screen.minimize()

    def key_facts(self) -> Facts:
        """Return what can be done from here, for the line of keys."""
        return explorer_facts(self)

    # Finding

    def action_search(self) -> None:
        """Ask for a text to find."""
        self.searching.ask_text()

    def action_filter(self) -> None:
        """Choose what a view shows; in the inspector, ask for a text to narrow the lists to."""
        bars = self.query_one(f"#{self.views.current}").query(ChoiceBar)
        if bars:
            self.screen.set_focus(bars.first())
        else:
            self.searching.ask_filter()

    def action_go_to(self) -> None:
        """Ask for a place."""
        self.searching.ask_place()

    def action_bisect(self) -> None:
        """Ask what to look for, and go to the first batch of the path in which it is so."""
        self.searching.ask_culprit()

    def action_next_hit(self, by: int) -> None:
        """Go to the next or previous message found."""
        self.searching.next(by)

    def action_copy(self) -> None:
        """Copy the message; a large one goes to a file that the toast names."""
        copy_message(self)

    def action_copy_all(self) -> None:
        """Copy the visible projection as a list of messages."""
        copy_projection(self)

    def action_markdown(self) -> None:
        """Lay the message out as Markdown, or show it as it is again."""
        self.panes.toggle_markdown()
        self.refresh_bindings()
