"""Watch: the lanes that other programs are writing right now, and one of them call by call."""

from __future__ import annotations

from asyncio import sleep
from collections.abc import Callable
from functools import partial
from typing import ClassVar, NamedTuple, TypeVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.command import Provider
from textual.containers import Horizontal, Vertical
from textual.screen import Screen

from ctxtui.clipboard import save_picture
from ctxtui.commands import LISTS, WATCH, Facts
from ctxtui.core.storage import Library
from ctxtui.core.values.times import milliseconds
from ctxtui.files.sessions import shown_folder
from ctxtui.lists.lanes import LaneSource
from ctxtui.messages import OpenLibrary, OpenSession
from ctxtui.models.describing import describe
from ctxtui.models.gaze import Gaze
from ctxtui.models.lane_steps import Mended, merge, split
from ctxtui.models.library_steps import Done, UndoStep
from ctxtui.models.run_tree import (
    FlightNode,
    LaneNode,
    Node,
    SideNode,
    run_tree,
    totals_of,
    unlisted,
)
from ctxtui.models.told import Told, done, failed, note
from ctxtui.models.watching import Lane, Watching
from ctxtui.palette import WatchProvider
from ctxtui.render.text.lines import Piece
from ctxtui.render.watch.flights import LATER
from ctxtui.render.watch.heads import plot_lines, totals_line, watch_head
from ctxtui.screens.help import HelpScreen
from ctxtui.screens.one_lane import OneLane
from ctxtui.screens.scene import Scene
from ctxtui.telling import tell
from ctxtui.widgets.inked import INKS
from ctxtui.widgets.key_line import KeyLine, keys_here
from ctxtui.widgets.lane_list import LaneList
from ctxtui.widgets.line_box import LineBox
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.prompt import Later, Prompt
from ctxtui.widgets.text_pane import TextPane
from ctxtui.words import plural

T = TypeVar("T")

READ_LANES, MEND = "read the threads", "change the threads"
QUEUE = "lanes"
"""In which lanes are read and changed, one thing after the other."""
BACK = ("u", "takes it back")
LOOK_SECONDS = 1.0
"""How often it is looked who writes what."""
NOBODY = "Nobody writes a session of this library right now."
READ = ("explained", "sent")
"""Where one reads a single call, which nothing that comes takes away."""


class WatchScreen(Scene, Screen[None]):
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
        self._clock = clock
        self._has_looked = False
        self._problem = ""
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
        if not self.background.is_running(READ_LANES, MEND) and self.app.screen is self:
            self.read(lambda: None)

    def read(self, then: Callable[[], None]) -> None:
        """Read in a thread what has come, and show it, some of it at a time.

        The first key waits for that, and so do keys after a change.
        """

        async def show(_: None) -> None:
            self._has_looked = True
            while self._take():
                await sleep(0)
            if self.watching.is_filling:
                self.read(then)
            else:
                self._problem = ""
                then()

        def complain(sentence: str) -> None:
            self._has_looked = True
            if sentence != self._problem:  # It is read again every second.
                self.background.complain(sentence)
            self._problem = sentence
            then()

        self.background.run(
            READ_LANES,
            lambda _: self.watching.read(),
            show,
            failed=complain,
            queue=QUEUE,
            holds_keys=self.mending.is_busy or not self._has_looked,
        )

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
            listed.frame("1 Threads", [Piece("newest run first ", "muted")])
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

    # Going elsewhere

    def action_pane(self, name: str) -> None:
        """Go to a pane, if it is there on a screen of this size."""
        pane = self.query_one(f"#{name}")
        if pane.is_on_screen and pane.focusable:
            self.set_focus(pane)

    def action_next_pane(self, by: int) -> None:
        """Go to the pane after or before this one."""
        (self.focus_next if by > 0 else self.focus_previous)()

    def action_library(self) -> None:
        """Show all sessions."""
        self.post_message(OpenLibrary())

    def action_picture(self) -> None:
        """Save a picture of the screen."""
        tell(self, save_picture(self.app))

    def action_help(self) -> None:
        """Show all keys."""
        self.app.push_screen(HelpScreen((*WATCH, *LISTS), keys_here(self)))

    # Changing

    def action_mend(self, way: str) -> None:
        """Rename, merge or split the lane, or take back what was done last."""
        self.mending.mend(way)

    def is_urgent(self, event: events.Event) -> bool:
        """Return whether an event need not wait for what is read or done to a lane."""
        is_leaving = isinstance(event, events.Key) and event.key in ("q", "escape")
        return super().is_urgent(event) or (is_leaving and not self._has_looked)


class _Step(NamedTuple):
    """Something that was done: how to take it back, what is said then, and what is shown again."""

    undo: UndoStep
    away: tuple[str, ...] = ()
    back: tuple[str, ...] = ()


class LaneMending:
    """Does to the sessions of lanes what a user asks for; keys wait until it is done."""

    def __init__(self, screen: WatchScreen) -> None:
        self._screen = screen
        self._steps: list[_Step] = []
        self.is_busy = False
        self._goal: str | None = None
        """The session that is shown when something was done."""
        self.merging: Lane | None = None
        """The lane that is about to be merged into another, which is being picked."""

    @property
    def can_undo(self) -> bool:
        """Tell whether something can be taken back."""
        return bool(self._steps)

    # Asking

    def mend(self, way: str) -> None:
        """Rename, merge or split a lane, or take back what was done last."""
        ways = {"rename": self._ask, "merge": self._pick, "split": self._cut, "undo": self._undo}
        ways[way]()

    def _ask(self) -> None:
        """Ask for another name."""
        lane = self._free_lane("renamed")
        if lane is not None:
            self._screen.query_one(Prompt).ask(
                "rename",
                "the thread's new name",
                partial(self._rename, lane),
                verb="rename it",
                value=lane.title,
                takes_nothing=True,
            )

    def _pick(self) -> None:
        """Let the lane into which this one is merged be picked."""
        lane = self._free_lane("merged")
        if lane is not None:
            self.merging = lane
            self._screen.show()

    def leave(self) -> None:
        """Merge nothing."""
        self.merging = None
        self._screen.show()

    def picked(self, into: Lane) -> None:
        """Merge the lane into the one that was picked."""
        screen, lane = self._screen, self.merging
        if lane is None or self._is_written(into, "merged"):
            return
        if into is lane:
            tell(self._screen, note("This is the thread itself", "Go to another one."))
            return
        self.merging = None
        act = partial(merge, screen.library, into.session.id, [lane.session.id])
        self._do(act, partial(self._merged, lane, into))

    def _cut(self) -> None:
        """Split the lane at the call that is looked at."""
        screen, lane = self._screen, self._free_lane("split")
        if lane is None:
            return
        told = screen.gaze.call(lane)
        if told is None or told.number == 1 or not screen.gaze.is_past(lane):
            which = "first" if told and told.number == 1 else "newest"
            said = f"The {which} call is looked at" if told else "There is no call"
            tell(screen, note(said, "[ and ] go to the call where the new thread begins."))
            return
        act = partial(split, screen.library, lane.session.id, told.number)
        self._do(act, partial(self._split, lane, told.number))

    def _undo(self) -> None:
        """Take back what was done last."""
        if self._steps:
            self._do(self._steps[-1].undo.take_back, self._taken_back)
        else:
            tell(self._screen, note("Nothing was changed here yet"))

    def _free_lane(self, word: str) -> Lane | None:
        """Return the lane under the cursor, if it can be changed; else say why not."""
        screen, lane = self._screen, self._screen.chosen
        if lane is None:
            if screen.lane is not None:
                tell(screen, note("Several threads are folded", "enter shows them one by one."))
            return None
        return None if self._is_written(lane, word) else lane

    def _is_written(self, lane: Lane, word: str) -> bool:
        if lane.holder is None:
            return False
        said = f"{lane.title} is being written by {lane.holder}"
        tell(self._screen, note(said, f"It can be {word} when that has ended."))
        return True

    # Doing

    def _rename(self, lane: Lane, text: str) -> Later:
        library = self._screen.library
        act = partial(describe, library, [lane.entry], {"title": text.strip()})
        return Later(lambda _: act(), self._renamed, QUEUE)

    def _renamed(self, finished: Done) -> None:
        if finished.step is not None:
            self._steps.append(_Step(finished.step))
        if finished.told is not None:
            tell(self._screen, finished.told)
        self._screen.look()

    def _merged(self, lane: Lane, into: Lane, mended: Mended) -> Told:
        said = f"{plural(mended.made[0].calls, 'call')}; the old sessions are in the trash."
        back = f"{lane.title} and {into.title} are two threads again."
        return self._done(mended, f"Merged: {lane.title} into {into.title}", said, back)

    def _split(self, lane: Lane, number: int, mended: Mended) -> Told:
        first, second = mended.made
        said = f"{plural(first.calls, 'call')} and {plural(second.calls, 'call')}."
        back = f"{lane.title} is one thread again."
        return self._done(mended, f"Split: {lane.title} at call {number:,}", said, back)

    def _done(self, mended: Mended, title: str, said: str, back: str) -> Told:
        made = tuple(one.id for one in mended.made)

        def take_back() -> Done:
            mended.take_back()
            return Done(must_list=True)

        self._steps.append(_Step(UndoStep(take_back, back), made, mended.gone))
        self._screen.watching.replace(mended.gone, made)
        self._goal = made[-1]
        return done(title, said, BACK)

    def _taken_back(self, _: Done) -> Told:
        step = self._steps.pop()
        self._screen.watching.replace(step.away, step.back)
        self._goal = step.back[-1] if step.back else None
        return done("Taken back", step.undo.told)

    def _do(self, act: Callable[[], T], then: Callable[[T], Told]) -> None:
        """Do it in a thread while no lane is read, then read them and say what came of it."""
        screen = self._screen
        self.is_busy = True
        screen.show()

        def finish(told: Told) -> None:
            self.is_busy = False
            screen.go_to(self._goal)
            screen.show()
            tell(screen, told)

        def give_up(sentence: str) -> None:
            self.is_busy = False
            screen.show()
            tell(screen, failed(sentence, "Nothing was changed."))

        screen.background.run(
            MEND,
            lambda _: act(),
            lambda result: screen.read(partial(finish, then(result))),
            failed=give_up,
            queue=QUEUE,
            holds_keys=True,
        )
