"""Watch: the sessions that other programs are writing right now, refreshed as they grow."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.command import Provider
from textual.containers import Horizontal
from textual.screen import Screen

from core.conversation.conversation import milliseconds
from core.storage import Library
from ctxtui.clipboard import save_picture
from ctxtui.commands import LISTS, WATCH, Facts
from ctxtui.lists.lanes import LaneSource
from ctxtui.messages import OpenLibrary, OpenSession
from ctxtui.models.watching import Lane, Watching
from ctxtui.palette import WatchProvider
from ctxtui.render.entry import problem_lines
from ctxtui.render.text.lines import Piece
from ctxtui.render.watch.lane import lane_lines, waiting_lines, watch_head
from ctxtui.screens.help import HelpScreen
from ctxtui.screens.scene import Scene
from ctxtui.symbols import visible
from ctxtui.telling import tell
from ctxtui.threads import from_thread
from ctxtui.widgets.inked import INKS
from ctxtui.widgets.key_line import KeyLine, keys_here
from ctxtui.widgets.line_box import LineBox
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.text_pane import TextPane

LOOK_SECONDS = 1.0
"""How often it is looked who writes what."""
NOBODY = "Nobody writes a session of this library right now."


class WatchScreen(Scene, Screen[None]):
    """Lists who writes what, and shows the session under the cursor at length."""

    AUTO_FOCUS = "#lanes"
    CSS_PATH = "watch.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [command.binding() for command in WATCH]
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {WatchProvider}
    COMPONENT_CLASSES: ClassVar[set[str]] = INKS
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012 - Textual's own

    def __init__(self, library: Library, clock: Callable[[], int] = milliseconds) -> None:
        super().__init__()
        self.library = library
        self.watching = Watching(library)
        self._clock = clock
        self._is_reading = False

    def compose(self) -> ComposeResult:
        """Lay out the list and one session."""
        yield LineBox(id="watch-head")
        with Horizontal():
            yield LineList(id="lanes", empty=NOBODY)
            yield TextPane(id="lane")
        yield KeyLine()

    def on_mount(self) -> None:
        """Look now, and from time to time."""
        self._show()
        self.set_interval(LOOK_SECONDS, self.look)
        self.look()

    def look(self) -> None:
        """See in a thread who writes what, unless somebody is at it already."""
        if not self._is_reading and self.app.screen is self:
            self._is_reading = True
            self.run_worker(self._read, group="watch", thread=True, exit_on_error=False)

    def _read(self) -> None:
        try:
            self.watching.read()
        except Exception:
            self._is_reading = False
            raise
        from_thread(self, self._take)

    def _take(self) -> None:
        """Show what was read; only then it is looked again."""
        self._is_reading = self.watching.take()
        if self._is_reading:
            self.call_later(self._take)
        self._show()

    def _show(self) -> None:
        lanes, written = self.watching.lanes, self.watching.written
        ended = len(lanes) - written
        folder = str(self.library.folder)
        self.query_one("#watch-head", LineBox).show(partial(watch_head, folder, written, ended))
        listed = self.query_one("#lanes", LineList)
        listed.show(LaneSource(list(lanes), self._clock()))
        listed.frame("Sessions", [Piece("newest first ", "muted")])
        self._show_lane()

    @on(LineList.Moved, "#lanes")
    def _show_lane(self) -> None:
        pane, lane = self.query_one("#lane", TextPane), self.lane
        if lane is not None:
            about = [Piece(lane.model and f"{visible(lane.model, 30)} ", "muted")]
            pane.frame(visible(lane.session.title, 40), about)
            pane.show(lambda width: lane_lines(lane, width, pane.size.height), top=False)
        else:
            problem = self.watching.problem
            pane.frame("Session", [])
            pane.show(waiting_lines if problem is None else partial(problem_lines, problem))
        self.refresh_bindings()

    @property
    def lane(self) -> Lane | None:
        """Return the session under the cursor."""
        lanes, at = self.watching.lanes, self.query_one("#lanes", LineList).cursor
        return lanes[at] if at < len(lanes) else None

    def key_facts(self) -> Facts:
        """Return what can be done here, for the line of keys."""
        lanes = self.watching.lanes
        return {"session": bool(lanes), "several": len(lanes) > 1}

    @on(LineList.Opened, "#lanes")
    def _opened(self) -> None:
        if self.lane is not None:
            self.post_message(OpenSession(self.lane.entry))

    def action_library(self) -> None:
        """Show all sessions."""
        self.post_message(OpenLibrary())

    def action_picture(self) -> None:
        """Save a picture of the screen."""
        tell(self, save_picture(self.app))

    def action_help(self) -> None:
        """Show all keys."""
        self.app.push_screen(HelpScreen((*WATCH, *LISTS), keys_here(self)))
