"""The inspector: looking at a conversation, going through its history, finding things in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.command import Provider

from core.formats import dump_json
from ctxtui.clipboard import copy_text, save_picture
from ctxtui.commands import INSPECTOR, LISTS
from ctxtui.look import Look, is_on_path
from ctxtui.messages import OpenLibrary
from ctxtui.palette import InspectorProvider
from ctxtui.render.content import content_text
from ctxtui.render.status import ribbon_place, viewing_choice
from ctxtui.screens.branching import BranchingScreen
from ctxtui.screens.help import HelpScreen
from ctxtui.widgets.line_box import LineBox
from ctxtui.widgets.line_list import LineList


class InspectorScreen(BranchingScreen):
    """Shows a conversation; stepping is looking, rolling back is acting."""

    BINDINGS: ClassVar[list[BindingType]] = [command.binding() for command in INSPECTOR]
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {InspectorProvider}

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
        elif name.startswith("role-") and event.key >= 0:
            self.go_to_raw(event.key)
        elif name in ("raw", "visible"):
            self.action_pane("message")

    @on(LineBox.Clicked, "#ribbon")
    def _ribbon_clicked(self, event: LineBox.Clicked) -> None:
        raw = ribbon_place(self.look, event.box.size.width, event.x)
        if raw is not None and raw < self.look.log_size:
            self.go_to_raw(raw)

    @on(LineBox.Clicked, "#viewing")
    async def _viewing_clicked(self, event: LineBox.Clicked) -> None:
        chosen = viewing_choice(self.look, event.box.size.width, event.x)
        if chosen:
            await self.run_action(chosen)

    def action_back(self) -> None:
        """Go one step out: of the whole screen, the past, a view, the message, the selection."""
        if self.is_searching:
            self.stop_searching()
        elif self.maximized is not None:
            self.minimize()
        elif not self.look.is_live:
            self.show(Look(self.conversation))
        elif self.views.current != "inspector":
            self.action_view("inspector")
        elif self.pane == "message":
            self.action_pane("raw" if self.has_class("-raw-first") else "visible")
        elif self.views.selected or self.views.has_anchor:
            self.views.let_go()
        elif self.views.finder is not None:
            self.views.light(None)
        elif self.views.is_narrowed:
            self.views.narrow("", None)

    # Time

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

    # Selecting

    def action_select(self) -> None:
        """Select the message under the cursor, or take it out, and go on to the next."""
        if self.pane in ("raw", "visible") and self.raw is not None:
            self.views.toggle(self.raw)
            self.views.pane(self.pane).action_move(1)

    @on(LineList.Picked, "#raw, #visible")
    def _picked(self, event: LineList.Picked) -> None:
        self.views.toggle(event.key)

    @on(LineList.PickedTo, "#raw, #visible")
    def _picked_to(self, event: LineList.PickedTo) -> None:
        self.views.select_between(event.list, event.key)

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

    def action_markdown(self) -> None:
        """Lay the message out as Markdown, or show it as it is again."""
        self.views.toggle_markdown()
        self.views.show_message(self.raw)

    def action_help(self) -> None:
        """Show all keys."""
        self.app.push_screen(HelpScreen((*INSPECTOR, *LISTS)))

    def action_library(self) -> None:
        """Close the session and show the library."""
        self.post_message(OpenLibrary())
