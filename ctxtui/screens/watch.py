"""Watch: the lanes that other programs are writing right now, and one of them call by call."""

from __future__ import annotations

from asyncio import Lock, sleep, to_thread
from collections.abc import Callable
from functools import partial
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.command import Provider
from textual.containers import Horizontal, Vertical
from textual.screen import Screen

from core.storage import Library
from core.values.times import milliseconds
from ctxtui.commands import WATCH, Facts
from ctxtui.files.sessions import shown_folder
from ctxtui.lists.lanes import LaneSource
from ctxtui.messages import OpenSession
from ctxtui.models.gaze import Gaze
from ctxtui.models.run_tree import (
    FlightNode,
    LaneNode,
    Node,
    SideNode,
    run_tree,
    totals_of,
    unlisted,
)
from ctxtui.models.told import note
from ctxtui.models.watching import Lane, Watching
from ctxtui.palette import WatchProvider
from ctxtui.render.text.lines import Piece
from ctxtui.render.watch.flights import LATER
from ctxtui.render.watch.heads import plot_lines, totals_line, watch_head
from ctxtui.screens.lane_mending import LaneMending
from ctxtui.screens.one_lane import OneLane
from ctxtui.screens.scene import Scene
from ctxtui.screens.watch_ways import WatchWays
from ctxtui.telling import tell
from ctxtui.widgets.inked import INKS
from ctxtui.widgets.key_line import KeyLine
from ctxtui.widgets.lane_list import LaneList
from ctxtui.widgets.line_box import LineBox
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.prompt import Prompt
from ctxtui.widgets.text_pane import TextPane

LOOK_SECONDS = 1.0
"""How often it is looked who writes what."""
NOBODY = "Nobody writes a session of this library right now."
READ = ("explained", "sent")
"""Where one reads a single call, which nothing that comes takes away."""


class WatchScreen(WatchWays, Scene, Screen[None]):
    """Lists who writes what, and shows the lane under the cursor at one of its calls."""

    AUTO_FOCUS = "#lanes"
    CSS_PATH = "watch.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [command.binding() for command in WATCH]
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {WatchProvider}
    COMPONENT_CLASSES: ClassVar[set[str]] = INKS
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012 - Textual's own
    VERTICAL_BREAKPOINTS = [(0, "-short"), (34, "-tall")]  # noqa: RUF012 - Textual's own

    def __init__(self, library: Library, clock: Callable[[], int] = milliseconds) -> None:
        super().__init__()
        self.library = library
        self.watching = Watching(library)
        self.gaze = Gaze()
        self.mending = LaneMending(self)
        self.looking = Lock()
        """Is held while sessions are read or changed: one thing after the other."""
        self._clock = clock
        self._has_looked = False
        self._opened: set[int] = set()

    def compose(self) -> ComposeResult:
        """Lay out the lanes with the plot on the left, one lane on the right."""
        yield LineBox(id="watch-head")
        with Horizontal():
            with Vertical(id="all-lanes"):
                yield LaneList(id="lanes", empty=NOBODY)
                yield TextPane(id="hits")
            yield OneLane()
        yield Prompt()
        yield KeyLine()

    def on_mount(self) -> None:
        """Look now, and from time to time."""
        self.query_one("#hits", TextPane).can_focus = False
        self.show()
        self.set_interval(LOOK_SECONDS, self.look)
        self.look()

    # Looking

    def look(self) -> None:
        """See who writes what, unless somebody is at it already."""
        if not self.looking.locked() and self.app.screen is self:
            self.run_worker(self._look(), group="watch", exit_on_error=False)

    async def _look(self) -> None:
        async with self.looking:
            await self.look_now()

    async def look_now(self) -> None:
        """Read in a thread what has come, and show it, some of it at a time."""
        is_more = True
        while is_more:
            try:
                await to_thread(self.watching.read)
            finally:
                self._has_looked = True
            while self._take():
                await sleep(0)
            is_more = self.watching.is_filling

    def _take(self) -> bool:
        """Show what was read; whoever reads a call in its own pane goes on reading it."""
        lane = self.lane if self.focused is not None and self.focused.id in READ else None
        told = None if lane is None else self.gaze.call(lane)
        is_more = self.watching.take()
        if lane is not None and told is not None:
            self.gaze.hold(lane, told.number)
        self.show()
        return is_more

    def show(self) -> None:
        """Show the lanes as they are by now."""
        watching = self.watching
        lanes, totals = watching.lanes, totals_of(watching.lanes, watching.flights)
        head = partial(watch_head, shown_folder(self.library), watching.written, totals.flying)
        self.query_one("#watch-head", LineBox).show(head, partial(totals_line, totals))
        listed, now = self.query_one("#lanes", LineList), self._clock()
        source = listed.source
        nodes = [*unlisted(watching.flights, lanes), *run_tree(lanes, self._opened)]
        if isinstance(source, LaneSource) and source.renew(nodes, now):
            listed.refresh()  # Whoever has scrolled away from the cursor stays there.
        else:
            listed.show(LaneSource(nodes, now))
            listed.frame("1 Lanes", [Piece("newest run first ", "muted")])
        self._show_lane()

    @on(LineList.Moved, "#lanes")
    def _show_lane(self) -> None:
        lane, one, hits = self.lane, self.query_one(OneLane), self.query_one("#hits", TextPane)
        if lane is None:
            flight = self.node.flight if isinstance(self.node, FlightNode) else None
            one.show_nothing(self.watching.problem, flight, self._clock())
            hits.show(lambda _: [])
        else:
            one.show(lane, self.gaze)
            one.show_flying(lane, self._clock())
            mending = self.mending
            one.show_bar(lane, self.gaze, mending.merging, is_busy=mending.is_busy)
            told = self.gaze.call(lane)
            number = told.number if told is not None and self.gaze.is_past(lane) else None
            hits.show(partial(plot_lines, lane.story, lane.title, number), top=False)
        self.refresh_bindings()

    def go_to(self, id: str | None) -> None:
        """Put the cursor on the lane of a session, if it is here."""
        if id is not None and self.query_one("#lanes", LineList).go_to(int(id, 36)):
            self._show_lane()

    @property
    def node(self) -> Node | None:
        """Return the line under the cursor."""
        listed = self.query_one("#lanes", LineList)
        source, at = listed.source, listed.cursor
        return source.nodes[at] if isinstance(source, LaneSource) and at < len(source) else None

    @property
    def lane(self) -> Lane | None:
        """Return the lane that is shown; of side calls, the one with the newest."""
        return self.node.lane if isinstance(self.node, LaneNode | SideNode) else None

    @property
    def chosen(self) -> Lane | None:
        """Return the lane under the cursor, if there is exactly one."""
        return self.node.lane if isinstance(self.node, LaneNode) else None

    def key_facts(self) -> Facts:
        """Return what can be done here, for the line of keys."""
        lane, lanes = self.lane, self.watching.lanes
        is_merging = self.mending.merging is not None
        return {
            "session": bool(lanes),
            "several": len(lanes) > 1,
            "calls": lane is not None and bool(lane.story.calls),
            "past": not is_merging and lane is not None and self.gaze.is_past(lane),
            "newest": "" if lane is None else f"{len(lane.story.calls):,}",
            "aside": isinstance(self.node, SideNode),
            "ended": not is_merging and self.chosen is not None and self.chosen.holder is None,
            "merging": is_merging,
            "undo": self.mending.can_undo,
            "list": isinstance(self.focused, LineList),
            "text": isinstance(self.focused, TextPane),
        }

    # The past

    @on(LineList.Moved, "#calls")
    def _call_chosen(self, event: LineList.Moved) -> None:
        lane = self.lane
        told = None if lane is None else self.gaze.call(lane)
        if lane is not None and told is not None and told.number != event.key:
            self.gaze.look_at(lane, event.key)
            self._show_lane()

    @on(LineList.Moved, "#batches")
    def _batch_chosen(self, event: LineList.Moved) -> None:
        """Look at the call that a batch was opened by, unless one of its calls is looked at."""
        lane = self.lane
        told = None if lane is None else self.gaze.call(lane)
        calls = [] if lane is None else lane.story.by_batch.get(event.key, [])
        if lane is not None and told is not None and calls and told.batch != event.key:
            self.gaze.look_at(lane, calls[0].number)
            self._show_lane()

    def action_step(self, by: int) -> None:
        """Look at the call before or after."""
        if self.lane is not None:
            self.gaze.step(self.lane, by)
            self._show_lane()

    def action_follow(self) -> None:
        """Look at the newest call of the lane, and stay at the end."""
        if self.lane is not None:
            self.gaze.follow(self.lane)
            self._show_lane()

    @on(LineBox.Clicked, "#watch-bar")
    def _bar_clicked(self) -> None:
        """Leave what the bar says: the past, or a merge."""
        if self.mending.merging is not None:
            self.mending.leave()
        else:
            self.action_follow()

    def action_back(self) -> None:
        """Merge nothing, look at the newest call again, or else show all sessions."""
        if self.mending.merging is not None:
            self.mending.leave()
        elif self.lane is not None and self.gaze.is_past(self.lane):
            self.action_follow()
        else:
            self.action_library()

    # Opening

    @on(LineList.Opened)
    def _list_opened(self, event: LineList.Opened) -> None:
        lane, node = self.lane, self.node
        is_lane = event.list.id == "lanes"
        if is_lane and self.mending.merging is not None and self.chosen is not None:
            self.mending.picked(self.chosen)
        elif is_lane and isinstance(node, SideNode):
            self._fold(node.key, not node.is_open)
        elif isinstance(node, FlightNode):
            tell(self, note("It is in flight", LATER))
        elif lane is not None:
            raw = event.key if event.list.id == "sent" else None
            spot = self.gaze.spot(lane, raw, is_whole=not is_lane and raw is None)
            self.post_message(OpenSession(lane.entry, spot))

    def action_whole_call(self) -> None:
        """Open the call that is explained, where no list has the focus."""
        if self.lane is not None and not isinstance(self.node, FlightNode):
            spot = self.gaze.spot(self.lane, None, is_whole=True)
            self.post_message(OpenSession(self.lane.entry, spot))

    @on(LaneList.Folded)
    def _folded(self, event: LaneList.Folded) -> None:
        if isinstance(self.node, SideNode):
            self._fold(event.key, event.is_open)

    def _fold(self, key: int, is_open: bool) -> None:
        self._opened = self._opened | {key} if is_open else self._opened - {key}
        self.show()

    # Changing

    def action_mend(self, way: str) -> None:
        """Rename, merge or split the lane, or take back what was done last."""
        self.mending.mend(way)

    def awaits(self, event: events.Event) -> bool:
        """Tell whether an event may come now: the first key, and one after a change, must wait."""
        return self._has_looked and not self.mending.is_busy

    def is_urgent(self, event: events.Event) -> bool:
        """Tell whether an event need not wait for what is read or done to a lane."""
        keys = ("ctrl+q",) if self._has_looked else ("ctrl+q", "q", "escape")
        return isinstance(event, events.Key) and event.key in keys
