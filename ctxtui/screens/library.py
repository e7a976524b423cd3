"""The library: all sessions in a list that stands still, and the one under the cursor at length."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.command import Provider
from textual.containers import Horizontal

from core.storage import Entry, Library
from core.values.times import milliseconds
from ctxtui.commands import LIBRARY, LISTS, Facts
from ctxtui.messages import OpenLessons, OpenSession, OpenSettings, OpenTarget, OpenWatch
from ctxtui.models.desk import Desk
from ctxtui.models.library_steps import (
    PROBLEMS,
    Done,
    delete,
    duplicate,
    make,
    restore,
    sentence_of,
)
from ctxtui.models.told import failed, note
from ctxtui.palette import LibraryProvider
from ctxtui.screens.help import HelpScreen
from ctxtui.screens.library_asking import LibraryAsking
from ctxtui.screens.library_bulk import LibraryBulk
from ctxtui.screens.library_learning import Learning
from ctxtui.screens.library_reviewing import LibraryReviewing
from ctxtui.screens.library_work import LibraryWork
from ctxtui.screens.sessions import SessionsScreen
from ctxtui.screens.sorting import SortPicker
from ctxtui.telling import tell
from ctxtui.widgets.inked import INKS
from ctxtui.widgets.key_line import KeyLine, keys_here
from ctxtui.widgets.line_box import LineBox
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.prompt import Prompt
from ctxtui.widgets.text_pane import TextPane


class LibraryScreen(SessionsScreen):
    """Shows the sessions of a library; an empty one offers the samples to start with."""

    AUTO_FOCUS = "#sessions"
    CSS_PATH = "library.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [command.binding() for command in LIBRARY]
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {LibraryProvider}
    COMPONENT_CLASSES: ClassVar[set[str]] = INKS
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (120, "-wide")]  # noqa: RUF012 - Textual's own

    def __init__(
        self, library: Library, clock: Callable[[], int] = milliseconds, desk: Desk | None = None
    ) -> None:
        super().__init__(library, clock, desk)
        self.work = LibraryWork(self)
        self.asking = LibraryAsking(self)
        self.learning = Learning(self)
        self.bulk = LibraryBulk(self)
        self.reviewing = LibraryReviewing(self)
        self._was_left = True

    def compose(self) -> ComposeResult:
        """Lay out the head, the list and what is known of one session."""
        yield LineBox(id="library-head")
        yield TextPane(id="welcome")
        with Horizontal(id="library-body"):
            yield LineList(id="sessions")
            yield TextPane(id="entry")
        yield Prompt()
        yield KeyLine()

    def on_mount(self) -> None:
        """Look after what others do, and keep the border true while the list is scrolled."""
        self.watch(self.listed, "scroll_y", self.learning.scrolled, init=False)
        self.learning.start()

    def on_screen_resume(self) -> None:
        """Show what there is: at first, and whenever a session was closed; not after help."""
        if self._was_left:
            self._was_left = False
            self.refill()

    def on_unmount(self) -> None:
        """Remember for tomorrow where this is left."""
        self.desk.leave()

    # Showing

    def refill(self, *, anew: bool = False) -> None:
        """Show the sessions as they are on disk now, those that are shown where they stand."""
        try:
            rows = self.desk.read()
        except PROBLEMS as problem:
            self._show_problem(sentence_of(problem))
            return
        self.desk.lay(rows, anew=anew)
        here = self.desk.here
        self.show()
        self.go_to(here)
        self.learning.look_in()

    def update(self) -> None:
        """Show what is new of the sessions, each where it stands."""
        self.refill()

    def learned(self, ids: Collection[str]) -> None:
        """Show what was found out of some sessions, where they stand."""
        self.listed.refresh()
        if self.entry is not None and self.entry.id in ids:
            self.panes.show_entry()

    def _show_problem(self, sentence: str) -> None:
        self.is_unreadable = True
        self.panes.show_problem(sentence)
        tell(self, failed(sentence))
        self.refresh_bindings()

    def key_facts(self) -> Facts:
        """Return what can be done here, for the line of keys."""
        mode, shelf = self.panes.mode, self.desk.shelf
        is_session = self.entry is not None and mode in ("library", "hits")
        return {
            "session": is_session,
            "changeable": self.entry is not None and self.library.may_change(self.entry.id),
            "writable": not self.library.is_read_only,
            "sessions": bool(shelf.known) and mode != "trash",
            "library": mode == "library" or self.has_class("-first-run"),
            "hits": mode == "hits",
            "trash": mode == "trash" and self.entry is not None,
            "openable": self.listed.key is not None and mode != "trash",
            "undo": bool(self.desk.steps),
            "selected": bool(self.selection) and mode == "library",
            "elsewhere": mode != "library" and not self.has_class("-first-run"),
            "narrowed": bool(shelf.where),
            "news": f"{shelf.newcomers:,}" if shelf.newcomers else False,
            "unreadable": self.is_unreadable,
        }

    # Opening

    @on(LineList.Opened, "#sessions")
    def _opened(self, event: LineList.Opened) -> None:
        entry, mode = self.entry, self.panes.mode
        if mode == "samples" and event.key < len(self.panes.samples):
            self._was_left = True
            self.panes.turn_to("library")
            self.post_message(OpenTarget(str(self.panes.samples[event.key].path)))
        elif mode == "trash":
            tell(self, note("It is in the trash", "", ("p", "puts it back")))
        elif entry is not None:
            self._was_left = True
            self.desk.here = entry.id
            self.post_message(OpenSession(entry, self.panes.spot))

    def action_watch(self) -> None:
        """Show the sessions that others are writing."""
        self.post_message(OpenWatch())

    def action_lessons(self) -> None:
        """Show the lessons."""
        self.post_message(OpenLessons())

    def action_samples(self) -> None:
        """Show the samples, which are always there."""
        self.panes.turn_to("samples")
        self.show()

    def action_trash(self) -> None:
        """Show what was deleted, or all sessions again."""
        if self.panes.mode == "trash":
            self.action_back()
        else:
            self.panes.turn_to("trash")
            self.work.do(self.panes.read_trash)

    @on(LineBox.Clicked, "#library-head")
    def _head_clicked(self, event: LineBox.Clicked) -> None:
        turns = {
            "library": self.action_back,
            "samples": self.action_samples,
            "watch": self.action_watch,
            "trash": self.action_trash,
        }
        name = self.panes.tabs(event.box.size.width).at(event.x) if event.y == 0 else ""
        if name and name != self.panes.mode:
            turns[name]()

    def action_back(self) -> None:
        """Let go of a selection; come back to the sessions; show all of them, in order anew."""
        if self.selection and self.panes.mode == "library":
            self.select(self.selection.clear)
        elif self.panes.mode != "library" and not self.has_class("-first-run"):
            self.panes.turn_to("library")
            self.show()
            self.go_to(self.desk.here)
        else:
            self.desk.shelf.where = ""
            self.refill(anew=True)

    # Reviewing

    def action_judge(self, status: str) -> None:
        """Give a verdict on the session or the selected ones, and go on to the next without."""
        self.reviewing.judge(status)

    def action_other(self, by: int) -> None:
        """Go to the conversation before or behind this one."""
        self.listed.action_move(by)

    # Changing

    def action_new(self) -> None:
        """Start a session without messages; among what was found, go to the next."""
        if self.panes.mode == "hits":
            self.panes.next_hit(1)
        else:
            self.work.do(partial(make, self.library))

    def action_next_hit(self, by: int) -> None:
        """Go to what was found before this."""
        self.panes.next_hit(by)

    def action_ask(self, what: str) -> None:
        """Ask for something to do with the sessions, or to find."""
        self.asking.ask(what)

    def action_duplicate(self) -> None:
        """Make sessions with the same history."""
        self._act(duplicate)

    def action_delete(self) -> None:
        """Put the sessions into the trash."""
        self._act(delete)

    def _act(self, act: Callable[[Library, Sequence[Entry]], Done]) -> None:
        self.end_range()
        entries = self.chosen
        if entries and self.panes.mode == "library":
            self.work.do(partial(act, self.library, entries), lambda _: self._let_go())

    def _let_go(self) -> None:
        self.selection.clear()
        self.show()

    def action_put_back(self) -> None:
        """Take the session under the cursor out of the trash."""
        if self.panes.mode == "trash" and self.entry is not None:
            act = partial(restore, self.library, [self.entry])
            self.work.do(partial(self.panes.then_read_trash, act))

    def action_undo(self) -> None:
        """Take back what was done last, to all sessions it was done to."""
        steps = self.desk.steps
        ids = steps[-1].ids if steps else ()
        self.work.do(self.desk.take_back, lambda _: self.go_to(ids[0]) if ids else None)

    def action_sort(self) -> None:
        """Choose what sessions are sorted by."""
        if self.panes.mode == "library":
            self.app.push_screen(SortPicker(self.desk.shelf.sort), self._sorted)

    def _sorted(self, column: str | None) -> None:
        if column is not None:
            self.desk.shelf.sort = self.desk.shelf.sort.chosen(column)
            here = self.desk.here
            self.desk.shelf.arrange()
            self.show()
            self.go_to(here)
            self.desk.leave()

    # Typing

    @property
    def under_way(self) -> str:
        """Return what is being done that keys wait for, in a few words."""
        return self.work.under_way

    def awaits(self, event: events.Event) -> bool:
        """Tell whether an event may come now: the next key is for the list as it is then."""
        return not self.work.awaited

    def is_urgent(self, event: events.Event) -> bool:
        """Tell whether an event need not wait for what is done to a session."""
        return isinstance(event, events.Key) and event.key == "ctrl+q"

    def action_bulk(self, what: str) -> None:
        """Look at what would be done to the selected sessions, or to all that are shown."""
        self.bulk.open(what)

    def action_settings(self) -> None:
        """Show the settings of the app."""
        self.post_message(OpenSettings())

    def action_help(self) -> None:
        """Show all keys of the library."""
        self.app.push_screen(HelpScreen((*LIBRARY, *LISTS), keys_here(self)))
