"""The four panes: raw array, projection, message and timeline, linked by one message."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.message import Message
from textual.widget import Widget

from ctxtui.background import background_of
from ctxtui.commands.command import bindings
from ctxtui.core.engine.text_search import TextFinder
from ctxtui.inspector.borders import PaneBorders
from ctxtui.inspector.drawing.batch import StorySource, pane_about, pane_title
from ctxtui.inspector.drawing.head import (
    keys_foot,
    message_about,
    nothing_there,
    raw_about,
    raw_foot,
    scroll_foot,
    timeline_about,
    timeline_foot,
    visible_about,
)
from ctxtui.inspector.drawing.lint import attention_lines
from ctxtui.inspector.drawing.lists import RawSource, VisibleSource
from ctxtui.inspector.drawing.message import around_lines, detail, remark_lines
from ctxtui.inspector.drawing.timeline import TimelineSource
from ctxtui.inspector.head import NARROW_COLUMNS, BatchStrip
from ctxtui.inspector.keys import PANES as PANE_COMMANDS
from ctxtui.inspector.models.batch_story import BatchStory
from ctxtui.inspector.models.lint import ErrorCounts
from ctxtui.inspector.models.look import Look
from ctxtui.inspector.models.workspace import Selection
from ctxtui.notify import notify
from ctxtui.text.line_source import Filtered, LineSource, WithPlaceholder
from ctxtui.text.lines import Joined, Line, Piece
from ctxtui.text.message import looks_like_markdown
from ctxtui.text.symbols import printable
from ctxtui.text.toast import note
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.panes import TextPane
from ctxtui.widgets.styled import Framed

# Pane 3 while stepping: the batch under the timeline's cursor, or a journal's record.

NAME = "batch"
ROWS_ABOVE = 1
"""How much stays in sight above the first message that moved: the ribbon."""


class BatchPane(LineList):
    """Shows a batch in short; once it has the focus, it lists every message that moved.

    Its text is made for the room there is, and only while the pane is in sight.
    """

    @dataclass
    class CallChosen(Message):
        """A call of the batch was chosen, by its number on the path."""

        number: int

    def __init__(self) -> None:
        super().__init__(id=NAME, is_quiet=True)
        self._story: BatchStory | None = None
        self._made_for: tuple[int, int] | None = None
        self.is_open = False
        self._is_new = False

    def show_look(self, look: Look, errors: ErrorCounts) -> None:
        self._story = BatchStory(look, errors)
        self._made_for = None
        self._lay_out()

    def show_again(self) -> None:
        self._made_for = None
        self._lay_out()

    def on_focus(self) -> None:
        self._open(True)

    def close(self) -> None:
        self._open(False)

    def _open(self, is_open: bool) -> None:
        if self.is_open != is_open:
            self.is_open, self._is_new = is_open, True
            self._made_for = None
            self._lay_out()

    def key_conditions(self) -> dict[str, str | bool]:
        is_message = self.key is not None and self.key >= 0
        return {"on_message": is_message, "on_call": self.call is not None}

    @property
    def call(self) -> int | None:
        return self.source.call(self.cursor) if isinstance(self.source, StorySource) else None

    def watch_cursor(self, old: int, new: int) -> None:
        super().watch_cursor(old, new)
        self.refresh_bindings()

    def on_resize(self) -> None:
        self._lay_out()

    def on_show(self) -> None:
        self._lay_out()

    def _lay_out(self) -> None:
        region = self.scrollable_content_region
        room = (region.width - 2, region.height)
        if self._story is None or not self.is_on_screen or room[0] < 1 or room == self._made_for:
            return
        self._made_for = room
        source = StorySource(self._story, *room, is_open=self.is_open)
        self.show(source)
        if self._is_new:
            self._is_new = False
            first = source.first_moved if self.is_open else 0
            self.go_to(source.key(first), ROWS_ABOVE if first else 0)
        self._title()

    def _title(self) -> None:
        story = self._story
        assert story is not None
        count, calls = story.moved_count, len(story.calls)
        keys = [("enter", f"lists all {count:,}")] if count and not self.is_open else []
        keys += [("I", "the call" if calls == 1 else f"its {calls:,} calls")] if calls else []
        foot = keys_foot(*keys)
        self.frame(f"3 {pane_title(story)}", [Piece(pane_about(story), "muted")], lambda: foot)


PANES = {"raw": "1 Raw", "visible": "2 Visible", "message": "3 Message", "timeline": "4 Timeline"}

# What is next to the timeline on a very large screen: tokens over batches, lint and marks.

LOWEST_PLOT_ROWS = 4
PLOT_LABEL_ROWS = 5


def fill_side(panes: Widget, look: Look) -> None:
    """Fill both panes with what a look says."""
    over = _text(panes, "over-batches", "Tokens")
    over.show(partial(_over_batches, look, over))
    _text(panes, "attention", "Lint and marks").show(partial(attention_lines, look))


def _text(panes: Widget, name: str, title: str) -> TextPane:
    pane = panes.query_one(f"#{name}", TextPane)
    pane.frame(title, [])
    return pane


def _over_batches(look: Look, pane: TextPane, width: int) -> list[Line]:
    from ctxtui.inspector.drawing.tokens import batch_plot

    return batch_plot(look, width, max(LOWEST_PLOT_ROWS, pane.size.height - PLOT_LABEL_ROWS))


COUNT_ERRORS_SECONDS = 0.5
HUGE_COLUMNS = 180


class Panes(Container):
    """Shows a look from four sides; the message under the cursor is found in all of them."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(PANE_COMMANDS)

    class Counted(Message):
        """The errors of more batches are known."""

    def __init__(self, selection: Selection) -> None:
        super().__init__(id="inspector")
        self.look: Look | None = None
        self.selection = selection
        self.finder: TextFinder | None = None
        self.errors: ErrorCounts | None = None
        self._narrowed: tuple[str, list[int]] | None = None
        self.is_markdown: bool | None = None
        """Whether texts are laid out; None means where they are Markdown."""
        self.raw: int | None = None
        self.picked_batches: tuple[int, ...] = ()
        """The batches that were picked to be compared, two at most."""
        self.remarks: Mapping[int, str] = {}
        """Notes about messages, by raw index."""
        self._in_border: dict[str, str] = {}
        """What the border of a pane says, such as how far a search is."""
        self.borders = PaneBorders(self)
        self._placeholder: int | None = None
        """The hidden message that has a line where it would be visible."""

    def compose(self) -> ComposeResult:
        panes = [LineList(id=name) for name in ("raw", "visible", "timeline")]
        texts = [TextPane(id=name) for name in ("message", "over-batches", "attention")]
        for pane in (*panes, *texts):
            pane.add_class(Framed.FRAMED, update=False)
        yield from panes
        yield texts[0]
        yield BatchPane()
        yield from texts[1:]

    def on_mount(self) -> None:
        self.set_interval(COUNT_ERRORS_SECONDS, self.count_errors)
        visible_pane = self.pane("visible")
        self.watch(visible_pane, "scroll_y", visible_pane.draw_frame, init=False)

    def on_resize(self) -> None:
        """Put the panes in the order of the layout: by columns and rows."""
        order = ["raw", "visible", "timeline", "message", "batch"]
        is_medium, is_tall = (self.screen.has_class(one) for one in ("-medium", "-tall"))
        if is_medium and is_tall:
            order = ["raw", "message", "batch", "visible", "timeline"]
        elif is_medium or self.size.width >= HUGE_COLUMNS:
            order = ["raw", "visible", "message", "batch", "timeline"]
        if [child.id for child in self.children[: len(order)]] != order:
            for before, name in pairwise(order):
                self.move_child(self.query_one(f"#{name}"), after=self.query_one(f"#{before}"))
        self.borders.apply()
        self.fill_side()

    def pane(self, name: str) -> LineList:
        return self.query_one(f"#{name}", LineList)

    @property
    def batch_pane(self) -> BatchPane:
        return self.query_one(BatchPane)

    @property
    def _lists(self) -> tuple[LineList, LineList]:
        return self.pane("raw"), self.pane("visible")

    # What is shown

    def show(self, look: Look) -> None:
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
        batches = TimelineSource(look, self.errors)
        batches.picked = self.picked_batches
        timeline.show(batches)
        timeline.go_to(look.batch.id)
        self.batch_pane.show_look(look, self.errors)
        self.fill_side()
        self._placeholder = None
        self._in_border.clear()
        self.draw_borders()

    def note(self, remarks: Mapping[int, str]) -> None:
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
        if self.look is not None:
            fill_side(self, self.look)

    def flash(self, raws: Iterable[int]) -> None:
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
        self.batch_pane.show_again()
        self.post_message(self.Counted())

    # Searching, filtering

    def highlight(self, finder: TextFinder | None) -> None:
        self.finder = finder
        self.query_one("#message", TextPane).finder = finder
        self._show_again()

    @property
    def is_narrowed(self) -> bool:
        return self._narrowed is not None

    def narrow(self, text: str, found: list[int] | None) -> None:
        self._narrowed = None if found is None else (text, found)
        self._show_again()

    # Selecting

    @property
    def _lines(self) -> LineList | None:
        return next((lines for lines in self._lists if lines.has_focus), None)

    def action_select(self) -> None:
        timeline = self.pane("timeline")
        if timeline.has_focus and timeline.key is not None:
            self.pick_batch(timeline.key)
            return
        lines = self._lines
        if lines is not None and lines.key is not None:
            self.selection.toggle(lines.key)
            self.show_selection()
            lines.action_move(1)

    def pick_batch(self, batch: int) -> None:
        """Pick a batch to compare, or no longer; a third one takes the place of the first."""
        picked = [one for one in self.picked_batches if one != batch]
        if len(picked) == len(self.picked_batches):
            picked = [*picked[-1:], batch]
        self._pick(tuple(picked))

    def drop_batches(self) -> None:
        self._pick(())

    def _pick(self, picked: tuple[int, ...]) -> None:
        self.picked_batches = picked
        source = self.pane("timeline").source
        if isinstance(source, TimelineSource):
            source.picked = self.picked_batches
        self.pane("timeline").refresh()
        self.refresh_bindings()

    def action_select_range(self) -> None:
        lines = self._lines
        if lines is None:
            return
        if self.selection.mark_or_extend(lines.source, lines.key):
            self.show_selection()
        else:
            lines.range_from = self.selection.anchor
            self.draw_borders()
            self.refresh_bindings()
            notify(
                self, note("The range starts here", "Move to its other end.", ("v", "selects it"))
            )

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
        self.selection.clear()
        self.show_selection()

    def show_selection(self) -> None:
        for pane in self._lists:
            pane.selected = set(self.selection.raws)
            pane.range_from = None
            pane.refresh()
        self._in_border.clear()
        self.draw_borders()
        self.refresh_bindings()

    # The message under the cursor

    def toggle_markdown(self) -> None:
        self.is_markdown = not self.shows_markdown
        self.show_message(self.raw)

    @property
    def shows_markdown(self) -> bool:
        """Return whether the message is laid out: as chosen, or because it is Markdown."""
        if self.is_markdown is not None or self.look is None or self.raw is None:
            return bool(self.is_markdown)
        log = self.look.state.log
        return self.raw < len(log) and looks_like_markdown(log[self.raw].text)

    def show_message(self, raw: int | None) -> None:
        self.raw = raw
        look, message = self.look, self.query_one("#message", TextPane)
        focused = self.screen.focused
        row = next((one.cursor_row for one in self._lists if one is focused), None)
        self.show_placeholder(raw)
        for pane in self._lists:
            if raw is not None and pane is not focused:
                pane.go_to(raw, row)
            pane.mark_twin(raw)
        self._draw_message_border()
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

    def show_placeholder(self, raw: int | None) -> None:
        """Show where a hidden message would be visible, unless its list has the focus."""
        pane, look = self.pane("visible"), self.look
        if look is None:
            return
        is_hidden = raw is not None and raw < look.log_size and look.view.position(raw) is None
        is_free = look.is_live and not self.is_narrowed and pane is not self.screen.focused
        raw = raw if is_hidden and is_free else None
        if raw == self._placeholder:
            return
        self._placeholder = raw
        source = pane.source.source if isinstance(pane.source, WithPlaceholder) else pane.source
        if raw is not None:
            text = f"raw {raw} would be here, {look.blame(raw)}"
            source = WithPlaceholder(source, look.place_of_hidden(raw), raw, printable(text))
        pane.show(source)

    # Borders

    def show_in_border(self, name: str, text: str) -> None:
        """Show something at the bottom of a pane, until something else is shown in the pane."""
        self._in_border = {name: text}
        self.draw_borders()

    def draw_borders(self) -> None:
        look = self.look
        if look is None:
            return
        raw, shown, timeline = (self.pane(name) for name in ("raw", "visible", "timeline"))
        raw.frame(PANES["raw"], raw_about(look), lambda: self._foot("raw") or raw_foot(look))
        shown.frame(PANES["visible"], visible_about(look), partial(self._visible_foot, look))
        steps = timeline_foot(look)
        timeline.frame(PANES["timeline"], timeline_about(look), lambda: steps)
        self._draw_message_border()

    def _draw_message_border(self) -> None:
        pane = self.query_one("#message", TextPane)
        if self.look is None or self.raw is None:
            pane.frame(PANES["message"], [])
            return
        foot = keys_foot(("V", "markdown"), ("y", "copy"))
        pane.frame(PANES["message"], message_about(self.look, self.raw), lambda: foot)

    def _visible_foot(self, look: Look) -> Line:
        """Return which positions are in sight; struck lines between them have none."""
        pane = self.pane("visible")
        keys = (pane.source.key(at) for at in range(*pane.in_sight))
        seen = [at for at in map(look.view.position, keys) if at is not None]
        whole = scroll_foot(seen[0], seen[-1], len(look.view)) if seen else []
        return self._foot("visible") or whole

    def _foot(self, name: str) -> Line:
        """Return what was found, narrowed to or selected, if anything was."""
        pane, chosen = self.pane(name), len(self.selection.raws)
        if name in self._in_border:
            return [Piece(self._in_border[name], "text")]
        if self._narrowed is not None:
            told = f"{len(pane.source):,} with '{printable(self._narrowed[0], 20)}', "
            return [Piece(told, "text"), *keys_foot(("esc", "show all"))]
        if pane.range_from is not None:
            told = f"from raw {pane.range_from:,}, "
            return [Piece(told, "text"), *keys_foot(("v", "end range"))]
        if chosen:
            return [Piece(f"{chosen:,} selected, ", "text"), *keys_foot(("esc", "clear selection"))]
        return []
