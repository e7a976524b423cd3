"""Following: an explorer moves on with whoever writes the session, and never under the hand.

Where the present is looked at, what comes is shown; the cursor stays on its message, or at the end
if that is where it stood. While an earlier state is looked at, nothing moves, and what has come is
counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ctxtui.widgets.head import StatusHead
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.text_pane import TextPane

if TYPE_CHECKING:
    from ctxtui.explorer.explorer import Explorer


class Following:
    """Shows an explorer what has come into its conversation."""

    def __init__(self, explorer: Explorer) -> None:
        self._explorer = explorer
        self.is_on = False
        """Whether somebody else writes the session."""
        self._known = 0

    @property
    def is_at_now(self) -> bool:
        """Tell whether the present is looked at."""
        return self._explorer.travelling.looked_at.is_live

    @property
    def news(self) -> int:
        """Return how many records have come since the present was last looked at."""
        return 0 if self.is_at_now else len(self._explorer.conversation.journal) - self._known

    def note(self) -> None:
        """Take what there is by now for known, if it is looked at."""
        if self.is_at_now:
            self._known = len(self._explorer.conversation.journal)

    def begin(self) -> None:
        """Take all there is by now for known, whatever is looked at."""
        self._known = len(self._explorer.conversation.journal)
        self.tell_news()

    def take(self, apply: Callable[[], int]) -> int:
        """Let records come into the conversation, and show them; return how many came."""
        self.note()
        ends, was_at_now = self._at_ends(), self.is_at_now
        before = len(self._explorer.conversation.log)
        done = apply()
        if done:
            self._move_on(before, ends if was_at_now else [])
        return done

    def _at_ends(self) -> list[LineList]:
        """Return the lists of messages whose cursor is at the end and may move with it.

        Whoever reads a message in its own pane goes on reading it.
        """
        explorer = self._explorer
        is_reading = explorer.pane == "message" and explorer.views.current == "inspector"
        if is_reading or explorer.panes.is_narrowed:
            return []
        lists = (explorer.panes.pane("raw"), explorer.panes.pane("visible"))
        return [one for one in lists if one.cursor >= len(one.source) - 1]

    def _move_on(self, before: int, ends: list[LineList]) -> None:
        explorer = self._explorer
        with self._places_kept():
            explorer.show(explorer.look.again())
        self._go_to_ends(ends)
        if explorer.look.is_live:
            explorer.panes.flash(range(before, len(explorer.conversation.log)))

    def tell_news(self) -> None:
        """Say how much has come that is not looked at, if anybody writes."""
        if self.is_on:
            explorer, news = self._explorer, self.news
            explorer.tabs.show_news(news)
            explorer.query_one(StatusHead).show_news(explorer.look, news)
            explorer.refresh_bindings()

    @contextmanager
    def _places_kept(self) -> Iterator[None]:
        """Let panes of text stay where they were scrolled to."""
        panes = list(self._explorer.query(TextPane))
        for pane in panes:
            pane.keeps_place = True
        try:
            yield
        finally:
            for pane in panes:
                pane.keeps_place = False

    def _go_to_ends(self, ends: list[LineList]) -> None:
        for one in ends:
            if len(one.source):
                one.go_to(one.source.key(len(one.source) - 1))
        if ends:
            self._explorer.follow_cursor()

    def follow(self) -> None:
        """Go to the newest message of the present, with which the cursor moves on then."""
        explorer = self._explorer
        if explorer.panes.is_narrowed:
            explorer.narrow("", None)
        if not self.is_at_now:
            explorer.show_now()
        self._go_to_ends([explorer.panes.pane("raw"), explorer.panes.pane("visible")])
        self.note()
        self.tell_news()
