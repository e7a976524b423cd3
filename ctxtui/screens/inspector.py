"""The inspector: looking at a conversation, going through its history, finding things in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from textual import on, work
from textual.binding import BindingType
from textual.command import Provider
from textual.widgets import HelpPanel

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
from ctxtui.screens.stage import Stage
from ctxtui.widgets.ask_line import AskLine
from ctxtui.widgets.line_list import LineList


class InspectorScreen(Stage):
    """Shows a conversation; stepping is looking, rolling back is acting."""

    BINDINGS: ClassVar[list[BindingType]] = [command.binding() for command in INSPECTOR]
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {CommandProvider}

    def __init__(self, conversation: Conversation, title: str = "untitled") -> None:
        super().__init__(conversation, title)
        self.hits = Hits()

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

    def action_back(self) -> None:
        """Go one step out: of the whole screen, the past, a view, the message, the selection."""
        if self.maximized is not None:
            self.minimize()
        elif not self.look.is_live:
            self.show(Look(self.conversation))
        elif self.views.current != "inspector":
            self.action_view("inspector")
        elif self.pane == "message":
            self.action_pane("raw" if self.has_class("-raw-first") else "visible")
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
