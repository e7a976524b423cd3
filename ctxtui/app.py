"""The app: wires sessions to their screens, and nothing more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from time import monotonic
from typing import Any, ClassVar

from textual import events, on
from textual.app import App
from textual.command import CommandPalette, Provider
from textual.filter import LineFilter
from textual.notifications import SeverityLevel
from textual.screen import Screen
from textual.timer import Timer

from ctxtui.background import Background
from ctxtui.core import Refused
from ctxtui.core.storage import Library, MemoryLibrary, Session
from ctxtui.files.following import FileFollower
from ctxtui.files.preferences import Preferences, load_preferences, save_preferences
from ctxtui.files.sessions import open_session, open_target
from ctxtui.help.palette import Palette, ThemeProvider
from ctxtui.inspector.models.search import Spot
from ctxtui.inspector.screen import InspectorScreen, PracticeScreen
from ctxtui.lessons.files import LessonFile, language_of, list_lessons, load_learnt
from ctxtui.lessons.list_screen import LessonsScreen
from ctxtui.lessons.screen import LessonScreen
from ctxtui.library.models.library import Desk
from ctxtui.library.models.steps import squash_beside, squashed_at
from ctxtui.library.screen import LibraryScreen
from ctxtui.messages import (
    LeaveLesson,
    OpenLesson,
    OpenLessons,
    OpenLibrary,
    OpenOther,
    OpenPractice,
    OpenRehearsed,
    OpenSession,
    OpenSettings,
    OpenSquashed,
    OpenTarget,
    OpenWatch,
    Preferred,
)
from ctxtui.opening import ALONE, LoadingScreen, ProblemScreen
from ctxtui.progress import Watch
from ctxtui.settings.screen import SettingsScreen
from ctxtui.text.plurals import plural
from ctxtui.text.toast import Severity, Told, failed, not_saved
from ctxtui.theme import CHOICES, INK, PAPER, SIXTEEN
from ctxtui.type_ahead import TypeAhead, Typed, as_meant
from ctxtui.watch.screen import WatchScreen
from ctxtui.what_if.models.over_run import rehearse_beside
from ctxtui.widgets.framed import Framed
from ctxtui.widgets.prompt import showable
from ctxtui.widgets.terminal_filter import GATE, PLAIN_SIGNS
from ctxtui.widgets.toasts import Toasts

# An app that tells things in passing: toasts with a place and a time of their own.

MOST_TOASTS = 3
"""How many toasts are shown at once; then the oldest goes."""


class TellingApp(App[str]):
    """Keeps what was told and shows it on whatever screen is in front."""

    NOTIFICATION_TIMEOUT = 4.0
    """Seconds for which a toast is shown; a warning for twice as long."""

    def __init__(self) -> None:
        super().__init__()
        self.told: tuple[Told, ...] = ()
        self._told_at = 0.0
        self._leaving: dict[Told, Timer] = {}

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = True,
    ) -> None:
        """Show what Textual itself has to tell, as our own toasts are."""
        kinds: dict[SeverityLevel, Severity] = {"warning": "warning", "error": "error"}
        kind = kinds.get(severity, "note")
        self.tell(Told(kind, title, message) if title else Told(kind, message))

    def tell(self, told: Told) -> None:
        """Show a toast for a while, or an error until a key is pressed."""
        kept = [one for one in self.told if one != told][1 - MOST_TOASTS :]
        self.told = (*kept, told)
        self._told_at = monotonic()
        if told.severity != "error":
            seconds = self.NOTIFICATION_TIMEOUT * (1 + (told.severity == "warning"))
            self._stop_leaving(told)
            self._leaving[told] = self.set_timer(seconds, partial(self.forget, told))
        self._show_told()

    def forget(self, told: Told) -> None:
        """Take a toast away; an equal one that came later stays its own time."""
        self._stop_leaving(told)
        self.told = tuple(one for one in self.told if one != told)
        self._show_told()

    def _stop_leaving(self, told: Told) -> None:
        """Stop the timer of a toast; told again, it stays as long as any other."""
        timer = self._leaving.pop(told, None)
        if timer is not None:
            timer.stop()

    def forget_errors(self, key: events.Key) -> None:
        """Take away the errors that were to be seen when a key was pressed."""
        if key.time > self._told_at and any(one.severity == "error" for one in self.told):
            self.told = tuple(one for one in self.told if one.severity != "error")
            self._show_told()

    def _show_told(self) -> None:
        if self.screen_stack:
            for toasts in self.screen.query(Toasts):
                toasts.update()


# The app's settings: what was chosen counts on every screen, and is remembered.

FEW_COLOURS = ("standard", "windows")
"""What Rich calls terminals that know sixteen colours."""


class PreferringApp(TellingApp):
    """An app that looks as its user has chosen; style sheets know of signs and density."""

    keeps_preferences: ClassVar[bool] = True

    def __init__(self) -> None:
        super().__init__()
        for theme in (INK, PAPER, SIXTEEN):
            self.register_theme(theme)
        self.theme = INK.name
        self.preferences = self.recall()
        if self.preferences.theme not in CHOICES:  # Who reads the file knows no colours.
            self.preferences = replace(self.preferences, theme=INK.name)
        if self.console.color_system in FEW_COLOURS:
            self.theme = SIXTEEN.name
        else:
            self.theme = self.preferences.theme
        self._classify()

    def recall(self) -> Preferences:
        """Return what was chosen last."""
        return load_preferences()

    def remember(self, preferences: Preferences) -> None:
        """Keep what was chosen for the next time."""
        save_preferences(preferences)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Return our own colours, for themes that don't know them."""
        return dict(INK.variables)

    def on_mount(self) -> None:
        """From now on remember which theme is chosen."""
        self.theme_changed_signal.subscribe(self, lambda theme: self._prefer(theme=theme.name))

    @on(OpenSettings)
    def _open_settings(self) -> None:
        if not isinstance(self.screen, SettingsScreen):
            self.push_screen(
                SettingsScreen(self.preferences, CHOICES, are_kept=self.keeps_preferences)
            )

    @on(Preferred)
    def _preferred(self, event: Preferred) -> None:
        self._prefer(**{event.name: event.value})
        if event.name == "theme":
            self.theme = event.value
        elif event.name in ("is_ascii", "density"):
            self._draw_as_preferred()

    def _prefer(self, **chosen: Any) -> None:
        self.preferences = replace(self.preferences, **chosen)
        self.remember(self.preferences)

    def action_ascii(self) -> None:
        """Draw with plain ASCII signs, or with all of them again."""
        self._prefer(is_ascii=not self.preferences.is_ascii)
        self._draw_as_preferred()

    def _classify(self) -> None:
        self.set_class(self.preferences.is_ascii, "-ascii")
        self.set_class(self.preferences.density == "compact", "-compact")

    def _draw_as_preferred(self) -> None:
        """Draw with the signs and in the density that are preferred by now."""
        self._classify()
        self.refresh_css(animate=False)
        for widget in self.screen.walk_children():
            widget.notify_style_update()
            widget.refresh(layout=True)
            if isinstance(widget, Framed):
                widget.draw_frame()


OPEN = "open it"
HOMES = (LibraryScreen, WatchScreen)
"""The screens that sessions are opened from, and come back to."""
PATIENCE_SECONDS = 0.4
"""How long a session stays in sight while the next one is read, before that is told."""
Open = Callable[[Watch], Session | FileFollower]


class CtxtuiApp(PreferringApp):
    """The inspector and the library; a sentence as its result tells what could not be opened.

    It starts with a session, with a way to open one that may take a while, or in the library;
    there with all sessions, or with those that others are writing.
    """

    TITLE = "ctxtui"
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {ThemeProvider}
    CSS_PATH = Path(__file__).parent / "inks.tcss"

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
        self._left: InspectorScreen | None = None
        """A session that is closed and still shown, until another one is there."""

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
        self.background.cancel(OPEN)
        self.exit()

    # Lessons

    def lesson_screen(self, found: LessonFile, language: str | None = None) -> LessonScreen:
        """Return the screen of a lesson, which knows those of its series."""
        series = [one for one in list_lessons()[0] if one.lesson.series == found.lesson.series]
        return LessonScreen(found, language_of(load_learnt(), language), series)

    @on(OpenLessons)
    def _open_lessons(self) -> None:
        if isinstance(self.screen, LibraryScreen):
            self.push_screen(LessonsScreen())

    @on(OpenLesson)
    def _open_lesson(self, event: OpenLesson) -> None:
        try:
            if isinstance(self.screen, LessonsScreen):
                self.push_screen(self.lesson_screen(event.found))
            elif isinstance(self.screen, LessonScreen):
                self.switch_screen(self.lesson_screen(event.found, self.screen.language))
        except Refused as refusal:
            self.tell(failed(f"{event.found.name}: {refusal}"))

    @on(LeaveLesson)
    def _leave_lesson(self, event: LeaveLesson) -> None:
        if not isinstance(self.screen, LessonScreen):
            return
        if isinstance(self.screen_stack[-2], LessonsScreen):
            self.pop_screen()
        else:
            self.switch_screen(LessonsScreen(event.name))

    @on(OpenPractice)
    def _open_practice(self, event: OpenPractice) -> None:
        if isinstance(self.screen, LessonScreen):
            self.push_screen(PracticeScreen(event.conversation, event.title))

    # Reading

    def _open(self, read: Open, title: str, spot: Spot | None = None) -> None:
        self.push_screen(LoadingScreen(title))
        self._load(read, title, spot)

    def _tell_of_loading(self, left: InspectorScreen, title: str) -> None:
        """Say that a session is being read, where that takes a while."""
        if self._left is left and self.screen is left:
            self.switch_screen(LoadingScreen(title))

    def _inspector_of(
        self,
        found: Session | FileFollower,
        spot: Spot | None = None,
        *,
        came_by_review: bool = False,
    ) -> InspectorScreen:
        """Return the screen of a session, or of one that grows with a file."""
        follower = found if isinstance(found, FileFollower) else None
        session = found.session if isinstance(found, FileFollower) else found
        self.desk.open(session.id)
        return InspectorScreen(
            session, spot, follower, desk=self.desk, came_by_review=came_by_review
        )

    @cached_property
    def background(self) -> Background:
        """Return what runs the work of the app, whatever screen is shown."""
        return Background(self)

    def _load(
        self, read: Open, title: str, spot: Spot | None = None, *, came_by_review: bool = False
    ) -> None:
        """Read in a thread, with a bar that tells how far it is; leaving stops it."""
        self.background.run(
            OPEN,
            read,
            partial(self._show_session, spot, came_by_review),
            failed=lambda sentence: self._show(ProblemScreen(title, sentence)),
            progress=self._tell,
        )

    def _tell(self, done: float) -> None:
        for screen in self.screen_stack:
            if isinstance(screen, LoadingScreen):
                screen.tell(done)

    def _show_session(
        self, spot: Spot | None, came_by_review: bool, found: Session | FileFollower
    ) -> None:
        self._show(self._inspector_of(found, spot, came_by_review=came_by_review))

    def _show(self, screen: Screen[Any]) -> None:
        """Show a screen instead of the one that told of the loading, and of what is above that."""
        while len(self.screen_stack) > 1 and not self._is_awaiting:
            if isinstance(self.screen, (InspectorScreen, *HOMES)):
                return  # Somebody has left the loading meanwhile.
            self.pop_screen()
        if self._is_awaiting:
            self._left = None
            self.switch_screen(screen)

    @property
    def _is_awaiting(self) -> bool:
        """Tell whether what is shown waits for a session: it says so, or is left already."""
        return isinstance(self.screen, LoadingScreen) or self.screen is self._left

    def action_give_up(self) -> None:
        """Stop loading: return to the library, or leave."""
        self.background.cancel(OPEN)
        self.type_ahead.clear()
        if len(self.screen_stack) > ALONE:
            self.pop_screen()
        else:
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
