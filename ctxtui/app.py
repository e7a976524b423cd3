"""The app: wires sessions to their screens, and nothing more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual import events, on
from textual.command import CommandPalette, Provider
from textual.filter import LineFilter

from core.storage import Library, MemoryLibrary, Session
from ctxtui.files.growing import FileFollower
from ctxtui.files.lessons import LessonFile
from ctxtui.files.sessions import open_session, open_target
from ctxtui.loading_app import HOMES, PATIENCE_SECONDS, LoadingApp, Open
from ctxtui.messages import (
    OpenLibrary,
    OpenOther,
    OpenRehearsed,
    OpenSession,
    OpenSquashed,
    OpenTarget,
    OpenWatch,
)
from ctxtui.models.desk import Desk
from ctxtui.models.rehearsing import rehearse_beside
from ctxtui.models.squashing import squash_beside, squashed_at
from ctxtui.models.told import not_saved
from ctxtui.palette import Palette, ThemeProvider
from ctxtui.progress import Watch
from ctxtui.screens.inspector import InspectorScreen
from ctxtui.screens.lesson import LessonScreen
from ctxtui.screens.lessons import LessonsScreen
from ctxtui.screens.library import LibraryScreen
from ctxtui.screens.loading import LoadingScreen
from ctxtui.screens.watch import WatchScreen
from ctxtui.type_ahead import TypeAhead, Typed, as_meant
from ctxtui.widgets.gate import GATE, PLAIN_SIGNS
from ctxtui.widgets.inputs import showable
from ctxtui.words import plural


class CtxtuiApp(LoadingApp):
    """The inspector and the library; a sentence as its result tells what could not be opened.

    It starts with a session, with a way to open one that may take a while, or in the library;
    there with all sessions, or with those that others are writing.
    """

    TITLE = "ctxtui"
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {ThemeProvider}
    CSS_PATH = Path(__file__).parent / "screens" / "inks.tcss"

    def __init__(
        self,
        start: Session | FileFollower | Open | None = None,
        library: Library | None = None,
        title: str = "untitled",
        *,
        is_watching: bool = False,
        lesson: LessonFile | None = None,
        language: str | None = None,
    ) -> None:
        super().__init__()
        self.library = MemoryLibrary() if library is None else library
        self.desk = Desk(self.library)
        self.type_ahead = TypeAhead(self, super().on_event)
        self._start = start
        self._title = title
        self._is_watching = is_watching
        self._lesson = lesson
        self._language = language

    def on_mount(self) -> None:
        """Show the first screen."""
        if isinstance(self._start, Session | FileFollower):
            self.push_screen(self._inspector_of(self._start))
        elif self._lesson is not None:
            self.push_screen(self.lesson_screen(self._lesson, self._language))
        elif self._start is None:
            home = WatchScreen(self.library) if self._is_watching else self._library_screen()
            self.push_screen(home)
        else:
            self.push_screen(LoadingScreen(self._title))
            self._load(self._start, self._title)

    # Typing

    async def on_event(self, event: events.Event) -> None:
        """Handle an event; what a hand did waits until what it did before has had its effect."""
        if isinstance(event, Typed) and not event.is_forwarded:
            typed = as_meant(event)
            if isinstance(typed, events.Key):
                self.forget_errors(typed)
            self.type_ahead.put(typed)
        else:
            await super().on_event(event)

    def on_unmount(self) -> None:
        """Forget what is typed by now, and let go of the library."""
        self.type_ahead.stop()
        self.desk.catalog.close()

    # Opening

    @on(OpenSession)
    def _open_session(self, event: OpenSession) -> None:
        if not isinstance(self.screen, HOMES):
            return  # The second of two clicks: it is being opened already.
        id = event.entry.id
        self._open(lambda _: open_session(self.library, id), event.entry.title, event.spot)

    @on(OpenOther)
    def _open_other(self, event: OpenOther) -> None:
        screen = self.screen
        if not isinstance(screen, InspectorScreen):
            return
        if not self._is_closed(screen):
            screen.review.stop()
            return
        self._left = screen
        self.set_timer(PATIENCE_SECONDS, partial(self._tell_of_loading, screen, event.title))
        read = partial(self._read_other, event.id)
        self._load(read, event.title, came_by_review=event.is_review)

    def _read_other(self, id: str, watch: Watch) -> Session:
        return open_session(self.library, id)

    @on(OpenTarget)
    def _open_target(self, event: OpenTarget) -> None:
        if not isinstance(self.screen, LibraryScreen):
            return
        name = event.name
        self._open(lambda watch: open_target(self.library, name, watch), Path(name).name)

    @on(OpenSquashed)
    def _open_squashed(self, event: OpenSquashed) -> None:
        screen = self.screen
        if isinstance(screen, InspectorScreen) and self._is_closed(screen):
            self.switch_screen(LoadingScreen(event.title))
            self._load(lambda _: self._squash(event), event.title)

    def _squash(self, event: OpenSquashed) -> Session:
        made = squashed_at(event.conversation, event.revision)
        session = squash_beside(self.library, made, event.title, event.tags)
        counts = f"{len(made.log):,} of {plural(len(event.conversation.log), 'message')}"
        session.notes = (*session.notes, f"Squashed: {counts}. {event.title} stays as it was.")
        return session

    @on(OpenRehearsed)
    def _open_rehearsed(self, event: OpenRehearsed) -> None:
        asked, found = event.rehearsal, self._inspector
        if found is None or not self._is_closed(found):
            return
        while self.screen is not found:
            self.pop_screen()
        self.switch_screen(LoadingScreen(asked.name))
        self._load(lambda _: rehearse_beside(self.library, asked), asked.name, asked.spot)

    @property
    def _inspector(self) -> InspectorScreen | None:
        """Return the inspector that is shown, or that other screens stand above."""
        inspectors = (one for one in self.screen_stack if isinstance(one, InspectorScreen))
        return next(inspectors, None)

    def _library_screen(self) -> LibraryScreen:
        return LibraryScreen(self.library, desk=self.desk)

    # Leaving

    @on(OpenLibrary)
    def _open_library(self) -> None:
        if isinstance(self.screen, WatchScreen):
            self.switch_screen(self._library_screen())
        elif isinstance(self.screen, LessonsScreen) or (
            isinstance(self.screen, InspectorScreen) and self._is_closed(self.screen)
        ):
            below = self.screen_stack[-2] if len(self.screen_stack) > 1 else None
            if isinstance(below, (*HOMES, LessonScreen)):
                self.pop_screen()
            else:
                self.switch_screen(self._library_screen())

    @on(OpenWatch)
    def _open_watch(self) -> None:
        if isinstance(self.screen, LibraryScreen):
            self.switch_screen(WatchScreen(self.library))

    def _is_closed(self, screen: InspectorScreen) -> bool:
        """Close a session; if that would lose something, say so, and do it when asked again."""
        problem = screen.workspace.saver.close()
        if problem is not None:
            self.tell(not_saved(problem, "The same key again leaves all the same."))
        return problem is None

    async def action_quit(self) -> None:
        """Leave; whatever is being read is given up, whatever was done is saved."""
        for screen in self.screen_stack:
            if isinstance(screen, InspectorScreen) and not self._is_closed(screen):
                return
        self.workers.cancel_group(self, "load")
        self.exit()

    # Looking

    @property
    def clipboard(self) -> str:
        """Return what was copied here, without what a terminal would act on."""
        return showable(super().clipboard)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return what every line goes through on its way to the terminal."""
        plain = [PLAIN_SIGNS] if self.has_class("-ascii") else []
        return [*super().get_line_filters(), *plain, GATE]

    def action_command_palette(self) -> None:
        """Show the palette, which two keys in a row leave once."""
        if self.use_command_palette and not isinstance(self.screen, CommandPalette):
            self.push_screen(Palette(id="--command-palette"))

    def search_themes(self) -> None:
        """Show the themes, in our palette."""
        self.push_screen(Palette(providers=[ThemeProvider], placeholder="Search for themes…"))
