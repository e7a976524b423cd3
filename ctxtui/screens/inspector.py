"""The inspector: raw array, projection, message and timeline at once, all linked."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.reactive import reactive
from textual.screen import Screen
from textual.widgets import Footer, HelpPanel

from core import Conversation, Refused
from ctxtui.clipboard import copy_text, save_picture
from ctxtui.commands import INSPECTOR
from ctxtui.hits import Hits
from ctxtui.look import Look
from ctxtui.render.content import content_text
from ctxtui.render.detail import detail
from ctxtui.render.status import ribbon_line, status, viewing
from ctxtui.render.symbols import visible
from ctxtui.screens.views import PANES, Views
from ctxtui.widgets.ask_line import AskLine
from ctxtui.widgets.inked import INKS
from ctxtui.widgets.line_box import LineBox
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.tab_bar import VIEWS, TabBar


class InspectorScreen(Screen[None]):
    """Shows a conversation; stepping is looking, rolling back is acting."""

    CSS_PATH = "inspector.tcss"
    COMPONENT_CLASSES: ClassVar[set[str]] = INKS
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
        yield LineBox(id="status")
        yield LineBox(id="viewing")
        yield LineBox(id="ribbon")
        yield Views()
        yield LineBox(id="peek")
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
        self.query_one("#status", LineBox).show(partial(status, look))
        self.query_one("#viewing", LineBox).show(partial(viewing, look))
        raw, projection = self.views.list("raw"), self.views.list("visible")
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
        self.query_one("#ribbon", LineBox).show(partial(ribbon_line, self.look, raw))
        peek = self.query_one("#peek", LineBox)
        if not peek.display or raw is None or raw >= self.look.log_size:
            peek.show()
            return
        lines = detail(self.look, raw, max(20, self.size.width - 2))
        peek.show(*(partial(_same, line) for line in (lines[0], *lines[3:5])))

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

    # Time

    def look_at_batch(self, batch: int) -> None:
        """Look at a batch without changing anything; one of the path as the path left it."""
        found = self.conversation.batches[batch]
        revision = (
            self.conversation.on_path(found.number)
            if self._on_path(batch)
            else self.conversation.newest(found)
        )
        if revision.id != self.look.revision.id:
            self.show(Look(self.conversation, revision.id))

    def _on_path(self, batch: int) -> bool:
        path, number = self.conversation.path, self.conversation.batches[batch].number
        return number < len(path) and path[number].id == batch

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
        elif self._on_path(batch.id):
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

    @on(AskLine.Answered)
    def _answered(self, event: AskLine.Answered) -> None:
        self.action_view(self.views.current or "inspector")
        if event.text and event.what == "search":
            self._search(event.text)
        elif event.text:
            self._jump(event.text.strip())

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
        digits = text.removeprefix("#")
        if not (digits.isascii() and digits.isdigit()):
            self.notify(f"{visible(text, 40)!r} is no index.", severity="error", markup=False)
            return
        wanted, path = int(digits[:12]), self.conversation.path
        if not text.startswith("#"):
            self.go_to_raw(wanted)
        elif wanted < len(path):
            self.look_at_batch(path[wanted].id)
        else:
            sentence = f"batch {wanted} is outside 0…{len(path) - 1}"
            self.notify(sentence, severity="error", markup=False)

    def go_to_raw(self, raw: int) -> None:
        """Put the cursor on a message; on a hidden one in the raw array."""
        if not 0 <= raw < self.look.log_size:
            sentence = f"raw {raw} is outside 0…{self.look.log_size - 1}"
            self.notify(sentence, severity="error", markup=False)
            return
        hidden = self.look.view.position(raw) is None
        self.action_pane("raw" if hidden or self.pane == "raw" else "visible")
        self.views.list(self.pane).go_to(raw)
        self.raw = raw

    # Taking along

    def action_copy(self) -> None:
        """Copy the message; a large one goes to a file that the toast names."""
        if self.raw is not None:
            text = content_text(self.look.state.log[self.raw])
            self.notify(copy_text(self.app, f"raw-{self.raw}", text), markup=False)

    def action_picture(self) -> None:
        """Save a picture of the screen."""
        self.notify(save_picture(self.app), markup=False)

    def action_help(self) -> None:
        """Show or hide the help panel."""
        if self.query(HelpPanel):
            self.app.action_hide_help_panel()
        else:
            self.app.action_show_help_panel()


def _same(line: Any, _: int) -> Any:
    return line
