"""Pane 3 while time is looked at: the batch under the timeline's cursor, or a journal's record."""

from __future__ import annotations

from dataclasses import dataclass

from textual.message import Message

from ctxtui.lists.story import StorySource
from ctxtui.models.error_counts import ErrorCounts
from ctxtui.models.look import Look
from ctxtui.models.story import Story
from ctxtui.render.batch.pane import pane_about, pane_title
from ctxtui.render.borders import keys_foot
from ctxtui.render.text.lines import Piece
from ctxtui.widgets.line_list import LineList

NAME = "batch"
ROWS_ABOVE = 1
"""How much stays in sight above the first message that moved: the ribbon."""


class BatchPane(LineList):
    """Tells a batch in short; once somebody has gone into it, it lists every message that moved.

    Its text is made for the room there is, and only while the pane is in sight.
    """

    @dataclass
    class CallChosen(Message):
        """A call of the batch was chosen, by its number on the path."""

        number: int

    def __init__(self) -> None:
        super().__init__(id=NAME, is_quiet=True)
        self._story: Story | None = None
        self._made_for: tuple[int, int] | None = None
        self.is_open = False
        self._is_new = False

    def tell(self, look: Look, errors: ErrorCounts) -> None:
        """Tell of another look."""
        self._story = Story(look, errors)
        self._made_for = None
        self._lay_out()

    def tell_again(self) -> None:
        """Tell the same with what has been counted meanwhile."""
        self._made_for = None
        self._lay_out()

    def on_focus(self) -> None:
        """Go into the batch: every message that moved is a line now."""
        self._open(True)

    def close(self) -> None:
        """Tell it in short again."""
        self._open(False)

    def _open(self, is_open: bool) -> None:
        if self.is_open != is_open:
            self.is_open, self._is_new = is_open, True
            self._made_for = None
            self._lay_out()

    def key_facts(self) -> dict[str, str | bool]:
        """Return whether there is a message or a call to go to under the cursor."""
        is_message = self.key is not None and self.key >= 0
        return {"on_message": is_message, "on_call": self.call is not None}

    @property
    def call(self) -> int | None:
        """Return the number of the call under the cursor, if there is one."""
        return self.source.call(self.cursor) if isinstance(self.source, StorySource) else None

    def watch_cursor(self, old: int, new: int) -> None:
        """Tell the line of keys whether there is a message under the cursor."""
        super().watch_cursor(old, new)
        self.refresh_bindings()

    def on_resize(self) -> None:
        """Make the text for the room there is now."""
        self._lay_out()

    def on_show(self) -> None:
        """Make what nobody could see before."""
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
