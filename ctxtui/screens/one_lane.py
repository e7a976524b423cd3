"""One lane on the screen that watches them: its batches and calls, and one call explained."""

from __future__ import annotations

from functools import partial

from textual.app import ComposeResult
from textual.containers import Vertical

from ctxtui.lists.lane_calls import BatchSource, CallSource
from ctxtui.lists.source import Nothing
from ctxtui.lists.visible import VisibleSource
from ctxtui.models.call_page import CallPage, page_of
from ctxtui.models.call_request import waited_text
from ctxtui.models.flights import Flight
from ctxtui.models.gaze import Gaze
from ctxtui.models.lane_story import ToldCall
from ctxtui.models.watching import Lane
from ctxtui.render.entry import problem_lines
from ctxtui.render.text.lines import Line, Piece
from ctxtui.render.text.times import time_of_day
from ctxtui.render.watch.explained import explained_lines, uncalled_lines
from ctxtui.render.watch.flights import flight_lines, flying_words
from ctxtui.render.watch.heads import Where, bar_line, sent_line, waiting_lines
from ctxtui.render.watch.hits import AGAIN, CACHED
from ctxtui.symbols import visible
from ctxtui.widgets.line_box import LineBox
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.text_pane import TextPane
from ctxtui.words import plural

BLOCKS: Line = [
    Piece("a block is a call  ", "faint"),
    Piece(CACHED, "text"),
    Piece(" cached  ", "faint"),
    Piece(AGAIN, "error"),
    Piece(" sent again ", "faint"),
]
ENTER: Line = [Piece(" enter", "key"), Piece(" the whole call ", "text")]
Seen = tuple[int, int | None, int, str | None]
"""What is shown of a lane: which one, at which call, how far it is, and what is wrong with it."""


class OneLane(Vertical):
    """Shows a lane at the call that is looked at; while that stays the same, nothing moves."""

    def __init__(self) -> None:
        super().__init__(id="one-lane")
        self._page: CallPage | None = None
        self._seen: Seen | None = None

    def compose(self) -> ComposeResult:
        """Lay out the bar, the ribbon, two lists, and what explains and was sent in a call."""
        yield LineBox(id="watch-bar")
        yield LineBox(id="watch-ribbon")
        yield LineList(id="batches", is_quiet=True)
        yield LineList(id="calls", empty="No call is recorded.")
        yield TextPane(id="explained")
        yield LineList(id="sent", is_quiet=True)

    def _list(self, name: str) -> LineList:
        return self.query_one(f"#{name}", LineList)

    @property
    def _pane(self) -> TextPane:
        return self.query_one("#explained", TextPane)

    # What is shown

    def show_nothing(self, problem: str | None, flight: Flight | None = None, now: int = 0) -> None:
        """Say that nobody writes anything, what is wrong with the library, or what is in flight."""
        self._page, self._seen = None, None
        for name in ("batches", "calls", "sent"):
            self._list(name).show(Nothing())
        for name in ("watch-bar", "watch-ribbon"):
            self.query_one(f"#{name}", LineBox).show()
        self.query_one("#watch-bar").remove_class("-past")
        self._pane.frame("Watch" if flight is None else "3 In flight", [])
        if flight is not None and problem is None:
            self._pane.show(partial(flight_lines, flight, now), top=False)
            return
        self._pane.show(waiting_lines if problem is None else partial(problem_lines, problem))

    def show(self, lane: Lane, gaze: Gaze) -> None:
        """Show a lane at the call that is looked at."""
        told = gaze.call(lane)
        number = None if told is None else told.number
        size = len(lane.session.conversation.journal)
        seen = (lane.key, number, size, lane.follower.problem)
        if seen == self._seen:
            return
        is_other = self._seen is None or seen[:2] != self._seen[:2]
        self._seen = seen
        self._show_lists(lane, told)
        if told is None:
            self._show_uncalled(lane)
        elif is_other or self._page is None:
            before = lane.story.calls[told.number - 2] if told.number > 1 else None
            self._page = page_of(lane.session.conversation, told, before)
            self._show_page(self._page)
        if self._page is not None:
            drawn = partial(explained_lines, self._page, lane.follower.problem)
            self._pane.show(drawn, top=is_other)
        ribbon = () if self._page is None else (partial(sent_line, self._page.look),)
        self.query_one("#watch-ribbon", LineBox).show(*ribbon)

    def show_flying(self, lane: Lane, now: int) -> None:
        """Say in the border how many calls there are, and how long one has been in flight."""
        flying = flying_words(lane.flights, now)
        calls = plural(len(lane.story.calls), "call")
        about = [Piece(f"{calls}, " if flying else f"{calls} ", "muted")]
        about += [Piece(f"{flying} ", "bright")] if flying else []
        self._list("calls").frame("5 Calls", about)

    def show_bar(
        self, lane: Lane, gaze: Gaze, merging: Lane | None = None, *, is_busy: bool = False
    ) -> None:
        """Say what is looked at; ``merging`` is a lane that is about to become part of this one."""
        bar, is_past = self.query_one("#watch-bar", LineBox), gaze.is_past(lane)
        bar.set_class(is_past or merging is not None or is_busy, "-past")
        told = gaze.call(lane)
        where = Where(
            lane.title,
            0 if told is None else told.number,
            len(lane.story.calls),
            is_past,
            gaze.news(lane),
            None if merging is None else merging.title,
            is_busy,
        )
        bar.show(partial(bar_line, where))

    def _show_lists(self, lane: Lane, told: ToldCall | None) -> None:
        batches, calls = self._list("batches"), self._list("calls")
        batches.show(BatchSource(lane.story, lane.look, None if told is None else told.batch))
        batches.frame("4 Timeline", BLOCKS)
        calls.show(CallSource(lane.story, None if told is None else told.number))
        if told is not None:
            batches.go_to(told.batch)
            calls.go_to(told.number)

    def _show_page(self, page: CallPage) -> None:
        told, sent = page.told, self._list("sent")
        model = visible(told.call.model or "", 30)
        about = [Piece(f"{model}  " if model else "", "muted")]
        about.append(Piece(f"{time_of_day(told.call.time)} ", "muted"))
        if page.took is not None:
            about.append(Piece(f" {waited_text(page.took.whole)} ", "muted"))
        self._pane.frame(f"3 Call {told.number:,} explained", about, lambda: ENTER)
        sent.show(VisibleSource(page.look))
        words = Piece(f"what was sent in call {told.number:,} ", "faint")
        sent.frame("2 Visible", [words, Piece(f"{len(page.look.view):,} ", "muted")])
        if page.first_change is not None:
            sent.go_to(page.first_change, 1)

    def _show_uncalled(self, lane: Lane) -> None:
        """Show a session of which no call is recorded: the end of what is visible in it."""
        sent = self._list("sent")
        self._page = None
        self._pane.frame("3 No call", [])
        self._pane.show(partial(uncalled_lines, lane.follower.problem))
        sent.show(VisibleSource(lane.look))
        sent.frame("2 Visible", [Piece(f"{len(lane.look.view):,} ", "muted")])
        if len(sent.source):
            sent.go_to(sent.source.key(len(sent.source) - 1))
