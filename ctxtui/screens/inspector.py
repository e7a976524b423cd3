"""The inspector: raw array, projection, message and timeline at once, all linked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.command import Provider
from textual.reactive import reactive
from textual.screen import Screen
from textual.widgets import Footer, HelpPanel

from core import Conversation, Refused
from core.formats import dump_json
from ctxtui.clipboard import copy_text, save_picture
from ctxtui.commands import INSPECTOR
from ctxtui.hits import Hits
from ctxtui.look import Look, is_on_path
from ctxtui.palette import CommandProvider
from ctxtui.places import read_place
from ctxtui.render.content import content_text
from ctxtui.render.symbols import visible
from ctxtui.screens.views import PANES, Views
from ctxtui.widgets.ask_line import AskLine
from ctxtui.widgets.head import Head
from ctxtui.widgets.inked import INKS
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.peek import Peek
from ctxtui.widgets.tab_bar import VIEWS, TabBar


class InspectorScreen(Screen[None]):
    """Shows a conversation; stepping is looking, rolling back is acting."""

    AUTO_FOCUS = "#visible"
    CSS_PATH = "inspector.tcss"
    COMPONENT_CLASSES: ClassVar[set[str]] = INKS
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {CommandProvider}
    BINDINGS: ClassVar[list[BindingType]] = [command.binding() for command in INSPECTOR]
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - declared so by Textual
        (0, "-narrow"),
        (100, "-medium"),
        (132, "-wide"),
        (180, "-huge"),
    ]

    raw: reactive[int | None] = reactive(None, init=False)
    pane = reactive("visible")

    def __init__(self, conversation: Conversation) -> None:
        super().__init__()
        self.conversation = conversation
        self.look = Look(conversation)
        self.hits = Hits()

    def compose(self) -> ComposeResult:
        """Lay out head, views, input line and footer."""
        yield TabBar(str(self.conversation.meta.get("title", "untitled")))
        yield Head()
        yield Views()
        yield Peek()
        yield AskLine()
        yield Footer()

    def on_mount(self) -> None:
        """Show the conversation, with the projection in focus."""
        self.show(self.look)
        self.action_pane("visible")

    @property
    def views(self) -> Views:
        """Return the panes and views."""
        return self.query_one(Views)

    # Showing

    def show(self, look: Look) -> None:
        """Show another look: after a change, or while stepping."""
        self.look = look
        self.set_class(not look.is_live, "-stepping")
        self.views.show(look)
        self.query_one(Head).show(look)
        raw, projection = self.views.pane("raw"), self.views.pane("visible")
        focused = raw if raw.has_focus or projection.key is None else projection
        self.set_reactive(InspectorScreen.raw, focused.key)
        self.watch_raw(focused.key)
        if not look.is_linted:
            self._lint(look)

    @work(thread=True, exclusive=True, group="lint")
    def _lint(self, look: Look) -> None:
        look.lint()
        self.app.call_from_thread(self._linted, look)

    def _linted(self, look: Look) -> None:
        if look is self.look:
            self.views.refill("lint")
            for widget in self.query("#status, #visible"):
                widget.refresh()

    def watch_raw(self, raw: int | None) -> None:
        """Show the message under the cursor in every pane."""
        self.views.show_message(raw)
        self.query_one(Head).show_message(self.look, raw)
        self.query_one(Peek).show_message(self.look, raw)

    # Moving

    @on(LineList.Moved, "#raw, #visible")
    def _moved(self, event: LineList.Moved) -> None:
        self.raw = event.key

    @on(LineList.Moved, "#timeline")
    def _stepped(self, event: LineList.Moved) -> None:
        self.look_at_batch(event.key)

    @on(LineList.Opened)
    def _opened(self, event: LineList.Opened) -> None:
        name = event.list.id or ""
        if name == "lint":
            raw = self.look.findings[event.key].raw_index
            if raw is not None:
                self.go_to_raw(raw)
        elif name.startswith("role-"):
            self.go_to_raw(event.key)
        elif name in ("raw", "visible"):
            self.action_pane("message")

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
        name = {"inspector": self.pane, "roles": "role-user"}.get(view, view)
        self.query_one(f"#{name}").focus()

    def action_next_view(self) -> None:
        """Go to the next view."""
        names = list(VIEWS)
        here = names.index(self.views.current or "inspector")
        self.action_view(names[(here + 1) % len(names)])

    def action_back(self) -> None:
        """Return to the present, or from another view to the inspector."""
        if not self.look.is_live:
            self.show(Look(self.conversation))
        elif self.views.current != "inspector":
            self.action_view("inspector")
        else:
            self.views.let_go()

    # Time

    def look_at_batch(self, batch: int) -> None:
        """Look at a batch without changing anything."""
        look = Look.at_batch(self.conversation, batch)
        if look.revision.id != self.look.revision.id:
            self.show(look)

    def action_step(self, by: int) -> None:
        """Look at the batch before or after the one that is shown, on its own path."""
        number = self.look.batch.number + by
        own = self.look.state.path
        path = own if number < len(own) else self.conversation.path
        if 0 <= number < len(path):
            self.look_at_batch(path[number].id)

    def action_roll_back(self) -> None:
        """Go back to the batch that is looked at, for real."""
        batch = self.look.batch
        if self.look.is_live:
            self.notify("Look at an earlier batch first, with [ or in the timeline.", markup=False)
        elif is_on_path(self.conversation, batch):
            self.change({"operation": "ROLLBACK", "targetBatchIndex": batch.number}, "Rolled back")
        else:
            self.change({"operation": "CHECKOUT", "batch": batch.id}, "Checked out")

    def action_undo(self) -> None:
        """Take back the newest change."""
        self.change({"operation": "UNDO"}, "Undone")

    def action_redo(self) -> None:
        """Make the change again that was undone last."""
        self.change({"operation": "REDO"}, "Redone")

    def change(self, operation: dict[str, Any], word: str) -> None:
        """Change the conversation and say what happened, or why it was refused."""
        try:
            result = self.conversation.execute(operation)
        except Refused as refusal:
            self.notify(f"Refused: {refusal}", severity="error", markup=False)
            return
        self.show(Look(self.conversation))
        key = "U redoes it" if operation["operation"] == "UNDO" else "u undoes it"
        where = f"batch {result.affected_batch_index}, {len(self.look.view)} visible"
        self.notify(f"{word}: {where}. {key}.", markup=False)

    # Finding

    def action_search(self) -> None:
        """Ask for a text to find."""
        self.query_one(AskLine).ask("search", "text to find in every message")

    def action_go_to(self) -> None:
        """Ask for a place."""
        self.query_one(AskLine).ask("go to", "a raw index, or # and a batch number")

    def action_filter(self) -> None:
        """Ask for a text to narrow the lists to; an empty one shows all again."""
        self.query_one(AskLine).ask("filter", "text that messages must hold; nothing shows all")

    @on(AskLine.Answered)
    def _answered(self, event: AskLine.Answered) -> None:
        self.action_view(self.views.current or "inspector")
        if event.what == "filter":
            self._filter(event.text)
        elif event.text and event.what == "search":
            self._search(event.text)
        elif event.text:
            self._jump(event.text.strip())

    @work(thread=True, exclusive=True, group="filter")
    def _filter(self, text: str) -> None:
        found = self.conversation.query.search(text, scope="raw") if text else None
        self.app.call_from_thread(self.views.narrow, text, found)

    @work(thread=True, exclusive=True)
    def _search(self, text: str) -> None:
        found = self.conversation.query.search(text, scope="raw")
        self.app.call_from_thread(self._found, Hits(text, tuple(found)))

    def _found(self, hits: Hits) -> None:
        self.hits = hits
        if len(hits):
            self._go_to_hit(hits.next((self.raw or 0) - 1, 1))
        else:
            size = len(self.conversation.log)
            sentence = f'No match for "{visible(hits.text, 40)}" in {size} raw messages.'
            self.notify(sentence, markup=False)

    def action_next_hit(self, by: int) -> None:
        """Go to the next or previous message found."""
        if len(self.hits):
            self._go_to_hit(self.hits.next(-1 if self.raw is None else self.raw, by))
        else:
            self.notify("Nothing was searched for yet: / searches.", markup=False)

    def _go_to_hit(self, raw: int) -> None:
        self.go_to_raw(raw)
        place = f"match {self.hits.place(raw)} of {len(self.hits)} · n N"
        self.query_one(f"#{self.pane}").border_subtitle = place

    def _jump(self, text: str) -> None:
        try:
            place = read_place(self.conversation, text)
        except Refused as refusal:
            self.notify(str(refusal), severity="error", markup=False)
            return
        if place.batch is not None:
            self.look_at_batch(place.batch)
        elif place.raw is not None:
            self.go_to_raw(place.raw)

    def go_to_raw(self, raw: int) -> None:
        """Put the cursor on a message; on a hidden one in the raw array."""
        if not 0 <= raw < self.look.log_size:
            sentence = f"raw {raw} is outside 0…{self.look.log_size - 1}"
            self.notify(sentence, severity="error", markup=False)
            return
        hidden = self.look.view.position(raw) is None
        self.action_pane("raw" if hidden or self.pane == "raw" else "visible")
        self.views.pane(self.pane).go_to(raw)
        self.raw = raw

    # Selecting

    def action_select(self) -> None:
        """Select the message under the cursor, or take it out, and go on to the next."""
        if self.pane in ("raw", "visible") and self.raw is not None:
            self.views.toggle(self.raw)
            self.views.pane(self.pane).action_move(1)

    def action_select_range(self) -> None:
        """Select from the message where this was pressed first to the one here."""
        if self.pane in ("raw", "visible") and not self.views.select_to(self.pane):
            self.notify("Range started: move, then press v again.", markup=False)

    # Taking along

    def action_copy(self) -> None:
        """Copy the message; a large one goes to a file that the toast names."""
        if self.raw is not None:
            text = content_text(self.look.state.log[self.raw])
            self.notify(copy_text(self.app, f"raw-{self.raw}", text), markup=False)

    def action_copy_all(self) -> None:
        """Copy the visible projection as a list of messages."""
        shown = [self.look.state.log[raw].to_dict() for raw in self.look.view]
        self.notify(copy_text(self.app, "projection", dump_json(shown)), markup=False)

    def action_picture(self) -> None:
        """Save a picture of the screen."""
        self.notify(save_picture(self.app), markup=False)

    def action_help(self) -> None:
        """Show or hide the help panel."""
        if self.query(HelpPanel):
            self.app.action_hide_help_panel()
        else:
            self.app.action_show_help_panel()
