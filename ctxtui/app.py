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
from ctxtui.help.screen import HelpScreen
from ctxtui.inspector.models.search import Spot
from ctxtui.inspector.screen import InspectorScreen, PracticeScreen
from ctxtui.lessons.files import LessonFile, language_of, list_lessons, load_learner
from ctxtui.lessons.list_screen import LessonsScreen
from ctxtui.lessons.screen import LessonScreen
from ctxtui.library.models.library import LibraryState
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
from ctxtui.progress import TaskProgress
from ctxtui.settings.screen import SettingsScreen
from ctxtui.text.plurals import plural
from ctxtui.text.toast import Severity, Toast, failed, not_saved
from ctxtui.theme import CHOICES, INK, PAPER
from ctxtui.type_ahead import TypeAhead, Typed, as_meant
from ctxtui.watch.screen import WatchScreen
from ctxtui.what_if.models.over_run import rehearse_beside
from ctxtui.widgets.base_screen import OpenHelp
from ctxtui.widgets.footer import keys_here
from ctxtui.widgets.prompt import showable
from ctxtui.widgets.styled import Framed
from ctxtui.widgets.terminal_filter import ASCII_FILTER, OUTPUT_FILTER
from ctxtui.widgets.toasts import Toasts

MOST_TOASTS = 3
"""How many toasts are shown at once; the oldest is dropped."""
OPEN = "open it"
HOMES = (LibraryScreen, WatchScreen)
"""The screens that sessions are opened from, and return to."""
PATIENCE_SECONDS = 0.4
"""How long a session is shown while the next one is read, before the loading screen."""
Open = Callable[[TaskProgress], Session | FileFollower]


class CtxtuiApp(App[str]):
    """The inspector and the library; its result is a sentence if something can't be opened.

    It starts with a session, with a way to open one that may take a while, with a lesson, or in
    the library; there with all sessions, or with those that other programs are writing.
    """

    TITLE = "ctxtui"
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {ThemeProvider}
    CSS_PATH = Path(__file__).parent / "styles.tcss"
    NOTIFICATION_TIMEOUT = 4.0
    """Seconds for which a toast is shown; a warning is shown twice as long."""
    keeps_preferences: ClassVar[bool] = True

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
        for theme in (INK, PAPER):
            self.register_theme(theme)
        self.theme = INK.name
        self.preferences = self.load_preferences()
        if self.preferences.theme not in CHOICES:  # The file of preferences is read unchecked.
            self.preferences = replace(self.preferences, theme=INK.name)
        self.theme = self.preferences.theme
        self.set_class(self.preferences.is_ascii, "-ascii")
        self.toasts: tuple[Toast, ...] = ()
        self._toasted_at = 0.0
        self._toast_timers: dict[Toast, Timer] = {}
        self.library = MemoryLibrary() if library is None else library
        self.library_state = LibraryState(self.library)
        self.type_ahead = TypeAhead(self, super().on_event)
        self._start = start
        self._title = title
        self._is_watching = is_watching
        self._lesson = lesson
        self._language = language
        self._left: InspectorScreen | None = None
        """A session that is closed and still shown, until another one is open."""

    def on_mount(self) -> None:
        """Show the first screen, and remember each theme that is chosen from now on."""
        self.theme_changed_signal.subscribe(self, lambda theme: self._prefer(theme=theme.name))
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
        """Handle an event; keys, pastes and clicks wait for the effects of those before."""
        if isinstance(event, Typed) and not event.is_forwarded:
            typed = as_meant(event)
            if isinstance(typed, events.Key):
                self._remove_errors(typed)
            self.type_ahead.put(typed)
        else:
            await super().on_event(event)

    def on_unmount(self) -> None:
        self.type_ahead.stop()
        self.library_state.catalog.close()

    # Toasts

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = True,
    ) -> None:
        """Show Textual's own notifications as toasts."""
        kinds: dict[SeverityLevel, Severity] = {"warning": "warning", "error": "error"}
        kind = kinds.get(severity, "note")
        self.show_toast(Toast(kind, title, message) if title else Toast(kind, message))

    def show_toast(self, toast: Toast) -> None:
        """Show a toast for a while, or an error until a key is pressed."""
        others = [one for one in self.toasts if one != toast][1 - MOST_TOASTS :]
        self.toasts = (*others, toast)
        self._toasted_at = monotonic()
        if toast.severity != "error":
            seconds = self.NOTIFICATION_TIMEOUT * (1 + (toast.severity == "warning"))
            self._stop_timer(toast)
            self._toast_timers[toast] = self.set_timer(seconds, partial(self.remove_toast, toast))
        self._update_toasts()

    def remove_toast(self, toast: Toast) -> None:
        """Remove a toast and stop its timer, so that an equal one is shown for its full time."""
        self._stop_timer(toast)
        self.toasts = tuple(one for one in self.toasts if one != toast)
        self._update_toasts()

    def _stop_timer(self, toast: Toast) -> None:
        timer = self._toast_timers.pop(toast, None)
        if timer is not None:
            timer.stop()

    def _remove_errors(self, key: events.Key) -> None:
        """Remove the errors that were shown before a key was pressed."""
        if key.time > self._toasted_at and any(one.severity == "error" for one in self.toasts):
            self.toasts = tuple(one for one in self.toasts if one.severity != "error")
            self._update_toasts()

    def _update_toasts(self) -> None:
        if self.screen_stack:
            for toasts in self.screen.query(Toasts):
                toasts.update()

    # Preferences

    def load_preferences(self) -> Preferences:
        """Return the preferences of the last run."""
        return load_preferences()

    def save_preferences(self, preferences: Preferences) -> None:
        """Save the preferences for the next run."""
        save_preferences(preferences)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Return our own colours, for themes that don't define them."""
        return dict(INK.variables)

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
        elif event.name == "is_ascii":
            self._redraw()

    def _prefer(self, **chosen: Any) -> None:
        self.preferences = replace(self.preferences, **chosen)
        self.save_preferences(self.preferences)

    def action_ascii(self) -> None:
        self._prefer(is_ascii=not self.preferences.is_ascii)
        self._redraw()

    def _redraw(self) -> None:
        """Draw everything with the preferred symbols."""
        self.set_class(self.preferences.is_ascii, "-ascii")
        self.refresh_css(animate=False)
        for widget in self.screen.walk_children():
            widget.notify_style_update()
            widget.refresh(layout=True)
            if isinstance(widget, Framed):
                widget.draw_frame()

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

    def _read_other(self, id: str, watch: TaskProgress) -> Session:
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
        """Return the inspector that is shown, or that is below other screens."""
        inspectors = (one for one in self.screen_stack if isinstance(one, InspectorScreen))
        return next(inspectors, None)

    def _library_screen(self) -> LibraryScreen:
        return LibraryScreen(self.library, library_state=self.library_state)

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
        """Close a session; if that would lose something, warn, and close it the second time."""
        problem = screen.workspace.saver.close()
        if problem is not None:
            self.show_toast(not_saved(problem, "The same key again leaves all the same."))
        return problem is None

    async def action_quit(self) -> None:
        for screen in self.screen_stack:
            if isinstance(screen, InspectorScreen) and not self._is_closed(screen):
                return
        self.background.cancel(OPEN)
        self.exit()

    # Lessons

    def lesson_screen(self, found: LessonFile, language: str | None = None) -> LessonScreen:
        """Return the screen of a lesson, which knows those of its series."""
        series = [one for one in list_lessons()[0] if one.lesson.series == found.lesson.series]
        return LessonScreen(found, language_of(load_learner(), language), series)

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
            self.show_toast(failed(f"{event.found.name}: {refusal}"))

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
        """Show the loading screen if reading takes a while."""
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
        self.library_state.open(session.id)
        return InspectorScreen(
            session, spot, follower, library_state=self.library_state, came_by_review=came_by_review
        )

    @cached_property
    def background(self) -> Background:
        """Return what runs the work of the app, whatever screen is shown."""
        return Background(self)

    def _load(
        self, read: Open, title: str, spot: Spot | None = None, *, came_by_review: bool = False
    ) -> None:
        """Read in a thread, with a progress bar; leaving stops it."""
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
        """Replace the loading screen, and all that is above it, with another screen."""
        while len(self.screen_stack) > 1 and not self._is_awaiting:
            if isinstance(self.screen, (InspectorScreen, *HOMES)):
                return  # The user has left the loading screen.
            self.pop_screen()
        if self._is_awaiting:
            self._left = None
            self.switch_screen(screen)

    @property
    def _is_awaiting(self) -> bool:
        """Return whether a session is awaited: behind the loading screen, or a closed session."""
        return isinstance(self.screen, LoadingScreen) or self.screen is self._left

    def action_give_up(self) -> None:
        self.background.cancel(OPEN)
        self.type_ahead.clear()
        if len(self.screen_stack) > ALONE:
            self.pop_screen()
        else:
            self.exit()

    # Looking

    @property
    def clipboard(self) -> str:
        """Return what was copied here, without control characters."""
        return showable(super().clipboard)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return the filters that every line passes on its way to the terminal."""
        plain = [ASCII_FILTER] if self.has_class("-ascii") else []
        return [*super().get_line_filters(), *plain, OUTPUT_FILTER]

    @on(OpenHelp)
    def _open_help(self, event: OpenHelp) -> None:
        self.push_screen(HelpScreen(event.commands, keys_here(self.screen)))

    def action_command_palette(self) -> None:
        if self.use_command_palette and not isinstance(self.screen, CommandPalette):
            self.push_screen(Palette(id="--command-palette"))

    def search_themes(self) -> None:
        """Show the themes, in our palette."""
        self.push_screen(Palette(providers=[ThemeProvider], placeholder="Search for themes…"))
