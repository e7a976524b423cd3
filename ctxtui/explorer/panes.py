"""The four panes: raw array, projection, message and timeline, linked by one message."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.message import Message

from ctxtui.background import background_of
from ctxtui.commands import PANES as PANE_COMMANDS
from ctxtui.core.engine.text_search import Finder
from ctxtui.explorer.batch_pane import BatchPane
from ctxtui.explorer.borders import TITLES, PaneBorders
from ctxtui.explorer.ghost import Ghost
from ctxtui.explorer.side import fill_side
from ctxtui.lists.filtered import Filtered
from ctxtui.lists.raw import RawSource
from ctxtui.lists.source import LineSource
from ctxtui.lists.timeline import TimelineSource
from ctxtui.lists.visible import VisibleSource
from ctxtui.models.error_counts import ErrorCounts
from ctxtui.models.look import Look
from ctxtui.models.selection import Selection
from ctxtui.models.told import note
from ctxtui.render.borders import nothing_there
from ctxtui.render.message.around import around_lines
from ctxtui.render.message.detail import detail
from ctxtui.render.message.remark import remark_lines
from ctxtui.render.text.lines import Line
from ctxtui.render.text.long_text import Joined
from ctxtui.telling import tell
from ctxtui.widgets.batch_strip import BatchStrip
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.tab_bar import NARROW_COLUMNS
from ctxtui.widgets.text_pane import TextPane

COUNT_ERRORS_SECONDS = 0.5
HUGE_COLUMNS = 180
PANES = TITLES


class Panes(Container):
    """Shows a look from four sides; the message under the cursor is found in all of them."""

    BINDINGS: ClassVar[list[BindingType]] = [command.binding() for command in PANE_COMMANDS]

    class Counted(Message):
        """The errors of more batches are known."""

    def __init__(self, selection: Selection) -> None:
        super().__init__(id="inspector")
        self.look: Look | None = None
        self.selection = selection
        self.finder: Finder | None = None
        self.errors: ErrorCounts | None = None
        self._narrowed: tuple[str, list[int]] | None = None
        self.is_markdown = False
        self.raw: int | None = None
        self.remarks: Mapping[int, str] = {}
        """Notes about messages, by raw index."""
        self.borders = PaneBorders(self)
        self.ghost = Ghost(self)

    def compose(self) -> ComposeResult:
        """Lay out the panes, and what stands beside them where there is room."""
        for name in ("raw", "visible", "timeline"):
            yield LineList(id=name)
        yield TextPane(id="message")
        yield BatchPane()
        yield TextPane(id="over-batches")
        yield TextPane(id="worries")

    def on_mount(self) -> None:
        """Look from time to time whether errors are left to count."""
        self.set_interval(COUNT_ERRORS_SECONDS, self.count_errors)
        visible_pane = self.pane("visible")
        self.watch(visible_pane, "scroll_y", visible_pane.draw_frame, init=False)

    def on_resize(self) -> None:
        """Put the message beside the lists where three columns fit, else below them."""
        message, timeline = self.query_one("#message"), self.query_one("#timeline")
        if self.size.width >= HUGE_COLUMNS:
            self.move_child(timeline, after=self.batch_pane)
        else:
            self.move_child(message, after=timeline)
            self.move_child(self.batch_pane, after=message)
        self.fill_side()

    def pane(self, name: str) -> LineList:
        """Return a list by its name."""
        return self.query_one(f"#{name}", LineList)

    @property
    def batch_pane(self) -> BatchPane:
        """Return what pane 3 shows while time is looked at."""
        return self.query_one(BatchPane)

    @property
    def _lists(self) -> tuple[LineList, LineList]:
        return self.pane("raw"), self.pane("visible")

    # What is shown

    def show(self, look: Look) -> None:
        """Show another look."""
        self.look = look
        conversation = look.conversation
        if self.errors is None:
            self.errors = ErrorCounts(conversation)
        newest = reversed(conversation.batches)
        self.errors.prepare(conversation.newest(batch) for batch in newest)
        for name, words in nothing_there(look).items():
            self.pane(name).empty = words
        self._fill_list("raw", RawSource(look, self.remarks))
        self._fill_list("visible", VisibleSource(look, self.remarks))
        timeline = self.pane("timeline")
        timeline.show(TimelineSource(look, self.errors))
        timeline.go_to(look.batch.id)
        self.batch_pane.tell(look, self.errors)
        self.fill_side()
        self.ghost.forget()
        self.borders.forget()
        self.tell()

    def note(self, remarks: Mapping[int, str]) -> None:
        """Show other notes about messages: a sign in the lists, the words with the message."""
        self.remarks = remarks
        self._show_again()
        self.show_message(self.raw)

    def _show_again(self) -> None:
        if self.look is not None:
            self.show(self.look)

    def _fill_list(self, name: str, source: LineSource) -> None:
        source.finder = self.finder
        narrowed = self._narrowed
        self.pane(name).show(source if narrowed is None else Filtered(source, narrowed[1]))

    def fill_side(self) -> None:
        """Fill what stands beside the timeline where there is room for it."""
        if self.look is not None:
            fill_side(self, self.look)

    def flash(self, raws: Iterable[int]) -> None:
        """Tint lines that have just come, for a moment."""
        if self.app.animation_level != "none":
            for pane in self._lists:
                pane.flash(raws)

    # Errors in the timeline

    def count_errors(self) -> None:
        """Count the errors of long batches in sight behind the scenes, a few at a time."""
        errors, name = self.errors, "count errors"
        background = background_of(self)
        if errors is not None and errors.is_wanting and not background.is_running(name):
            background.run(name, lambda _: errors.count_some(), self._counted)

    def _counted(self, _: None) -> None:
        self.pane("timeline").refresh()
        for strip in self.screen.query(BatchStrip):
            strip.refresh()
        self.batch_pane.tell_again()
        self.post_message(self.Counted())

    # Searching, filtering

    def light(self, finder: Finder | None) -> None:
        """Light up what was searched for, wherever it is in sight."""
        self.finder = finder
        self.query_one("#message", TextPane).finder = finder
        self._show_again()

    @property
    def is_narrowed(self) -> bool:
        """Tell whether only some messages are shown."""
        return self._narrowed is not None

    @property
    def narrowed_to(self) -> str | None:
        """Return the text that the lists are narrowed to."""
        return None if self._narrowed is None else self._narrowed[0]

    def narrow(self, text: str, found: list[int] | None) -> None:
        """Show only some messages in both lists, or all of them again."""
        self._narrowed = None if found is None else (text, found)
        self._show_again()

    # Selecting

    @property
    def _lines(self) -> LineList | None:
        """Return the list of messages in focus, if one is."""
        return next((lines for lines in self._lists if lines.has_focus), None)

    def action_select(self) -> None:
        """Select the message under the cursor, or take it out, and go on to the next."""
        lines = self._lines
        if lines is not None and lines.key is not None:
            self.selection.toggle(lines.key)
            self.show_selection()
            lines.action_move(1)

    def action_select_range(self) -> None:
        """Select from the message where this was pressed first to the one here."""
        lines = self._lines
        if lines is None:
            return
        if self.selection.mark_or_extend(lines.source, lines.key):
            self.show_selection()
        else:
            lines.range_from = self.selection.anchor
            self.tell()
            self.refresh_bindings()
            tell(self, note("The range starts here", "Move to its other end.", ("v", "selects it")))

    @on(LineList.Picked, "#raw, #visible")
    def _picked(self, event: LineList.Picked) -> None:
        self.selection.toggle(event.key)
        self.show_selection()

    @on(LineList.PickedTo, "#raw, #visible")
    def _picked_to(self, event: LineList.PickedTo) -> None:
        if event.list.key is not None:
            self.selection.extend(event.list.source, event.list.key, event.key)
            self.show_selection()

    def clear_selection(self) -> None:
        """Forget the selection."""
        self.selection.clear()
        self.show_selection()

    def show_selection(self) -> None:
        """Show which messages are selected by now."""
        for pane in self._lists:
            pane.selected = set(self.selection.raws)
            pane.range_from = None
            pane.refresh()
        self.borders.forget()
        self.tell()
        self.refresh_bindings()

    # The message under the cursor

    def toggle_markdown(self) -> None:
        """Lay messages out as Markdown from now on, or as they are."""
        self.is_markdown = not self.is_markdown
        self.show_message(self.raw)

    def show_message(self, raw: int | None) -> None:
        """Show a message in the message pane, and where it stands in the lists."""
        self.raw = raw
        look, message = self.look, self.query_one("#message", TextPane)
        focused = self.screen.focused
        row = next((one.cursor_row for one in self._lists if one is focused), None)
        self.ghost.show(raw)
        for pane in self._lists:
            if raw is not None and pane is not focused:
                pane.go_to(raw, row)
            pane.mark_twin(raw)
        self.borders.tell_message()
        if look is None or raw is None or raw >= len(look.state.log):
            message.show(lambda _: [])
        else:
            message.show(partial(self._message_lines, look, raw))

    def _message_lines(self, look: Look, raw: int, width: int) -> Sequence[Line]:
        """Return a message; with its neighbours where the raw array is far away or room is left."""
        told = detail(look, raw, width, is_markdown=self.is_markdown)
        if raw in self.remarks:
            told = Joined([remark_lines(self.remarks[raw], width), [[]], told])
        if raw >= look.log_size or NARROW_COLUMNS <= self.size.width < HUGE_COLUMNS:
            return told
        return Joined([told, [[]], around_lines(look, raw, width)])

    # Borders

    def tell(self) -> None:
        """Say in the borders what each pane is, and how much of it there is."""
        self.borders.tell()

    def say(self, name: str, text: str) -> None:
        """Say something at the bottom of a pane, such as how far a search is."""
        self.borders.say(name, text)
