"""The app: wires sessions to their screens, and nothing more."""

from __future__ import annotations

import gc
import sys
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeGuard

from textual import events, on
from textual.app import App
from textual.command import CommandPalette, Provider
from textual.driver import Driver
from textual.filter import LineFilter
from textual.notifications import SeverityLevel
from textual.screen import Screen
from textual.timer import Timer

from ctxtui.background import Background
from ctxtui.core import Refused
from ctxtui.core.storage import Library, MemoryLibrary, Session
from ctxtui.core.values.times import milliseconds
from ctxtui.files.preferences import Preferences, load_preferences, save_preferences
from ctxtui.messages import (
    LeaveLesson,
    OpenLesson,
    OpenLessons,
    OpenLibrary,
    OpenOther,
    OpenPractice,
    OpenSession,
    OpenSettings,
    OpenSimulated,
    OpenSquashed,
    OpenTarget,
    OpenWatch,
    Preferred,
)
from ctxtui.progress import TaskProgress
from ctxtui.terminal import BackgroundKnown, asking
from ctxtui.text.plurals import plural
from ctxtui.text.toast import Notice, Toast, ToastSeverity, failed, not_saved
from ctxtui.theme import AUTO, INK, PAPER, THEMES
from ctxtui.type_ahead import TypeAhead, Typed, as_meant
from ctxtui.widgets.base_screen import OpenHelp
from ctxtui.widgets.footer import keys_here
from ctxtui.widgets.prompt import showable
from ctxtui.widgets.styled import Framed
from ctxtui.widgets.terminal_filter import ASCII_FILTER, OUTPUT_FILTER
from ctxtui.widgets.toasts import Toasts

if TYPE_CHECKING:
    from ctxtui.files.following import FileFollower
    from ctxtui.inspector.models.search import Spot
    from ctxtui.inspector.screen import InspectorScreen
    from ctxtui.lessons.files import LessonFile
    from ctxtui.lessons.list_screen import LessonsScreen
    from ctxtui.lessons.screen import LessonScreen
    from ctxtui.library.models.library import LibraryState
    from ctxtui.library.screen import LibraryScreen
    from ctxtui.watch.screen import WatchScreen

MOST_TOASTS = 3
"""How many toasts are shown at once; the oldest is dropped."""
MOST_NOTICES = 500
"""How many past notices can be read again."""
OPEN = "open it"
PATIENCE_SECONDS = 0.4
"""How long a session is shown while the next one is read, before the loading screen."""
Open = Callable[[TaskProgress], "Session | FileFollower"]


def _is_shown(screen: object, module: str, name: str) -> bool:
    """Return whether a screen is of a class, without importing it: then it can't be."""
    loaded = sys.modules.get(f"ctxtui.{module}")
    return loaded is not None and isinstance(screen, getattr(loaded, name))


def is_inspector(screen: object) -> TypeGuard[InspectorScreen]:
    """Return whether a session is shown."""
    return _is_shown(screen, "inspector.screen", "InspectorScreen")


def is_library(screen: object) -> TypeGuard[LibraryScreen]:
    """Return whether the library is shown."""
    return _is_shown(screen, "library.screen", "LibraryScreen")


def is_watch(screen: object) -> TypeGuard[WatchScreen]:
    """Return whether the sessions that others write are shown."""
    return _is_shown(screen, "watch.screen", "WatchScreen")


def is_home(screen: object) -> bool:
    """Return whether sessions are opened from a screen, and return to it."""
    return is_library(screen) or is_watch(screen)


def is_lesson(screen: object) -> TypeGuard[LessonScreen]:
    """Return whether a lesson is played."""
    return _is_shown(screen, "lessons.screen", "LessonScreen")


def is_lesson_list(screen: object) -> TypeGuard[LessonsScreen]:
    """Return whether the list of lessons is shown."""
    return _is_shown(screen, "lessons.list_screen", "LessonsScreen")


def _themes() -> type[Provider]:
    from ctxtui.help.palette import ThemeProvider

    return ThemeProvider


class CtxtuiApp(App[str]):
    """The inspector and the library; its result is a sentence if something can't be opened.

    It starts with a session, with a way to open one that may take a while, with a lesson or the
    list of them, or in the library; there with all sessions, or with those that other programs are
    writing.
    """

    TITLE = "ctxtui"
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {_themes}
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
        home: Literal["library", "watch", "lessons"] = "library",
        lesson: LessonFile | None = None,
        language: str | None = None,
    ) -> None:
        super().__init__()
        for theme in (INK, PAPER):
            self.register_theme(theme)
        self.theme = INK.name
        self.preferences = self.load_preferences()
        if self.preferences.theme not in THEMES:  # The file of preferences is read unchecked.
            self.preferences = replace(self.preferences, theme=AUTO)
        self._suiting = INK.name
        """The theme that suits the background of the terminal, dark until that is known."""
        self._use_theme(self.preferences.theme)
        self.set_class(self.preferences.is_ascii, "-ascii")
        self.toasts: tuple[Toast, ...] = ()
        self.notices: deque[Notice] = deque(maxlen=MOST_NOTICES)
        """What was said since the start, the newest last."""
        self._toasted_at = 0.0
        self._toast_timers: dict[Toast, Timer] = {}
        self.library = MemoryLibrary() if library is None else library
        self.type_ahead = TypeAhead(self, super().on_event)
        self._start = start
        self._title = title
        self._home = home
        self._lesson = lesson
        self._language = language
        self._left: InspectorScreen | None = None
        """A session that is closed and still shown, until another one is open."""

    def on_mount(self) -> None:
        """Show the first screen, and remember each theme that is chosen from now on."""
        self.theme_changed_signal.subscribe(self, lambda theme: self._theme_changed(theme.name))
        self.call_after_refresh(gc.enable)  # Collecting garbage would only delay the first frame.
        start = self._start
        if self._lesson is not None:
            self.push_screen(self.lesson_screen(self._lesson, self._language))
        elif start is None:
            ways = {"watch": self._watch_screen, "lessons": self._lessons_screen}
            self.push_screen(ways.get(self._home, self._library_screen)())
        elif callable(start):
            from ctxtui.opening import LoadingScreen

            self.push_screen(LoadingScreen(self._title))
            self._load(start, self._title)
        else:
            self.push_screen(self._inspector_of(start))

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
        if self._known_state is not None:
            self._known_state.catalog.close()

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
        kinds: dict[SeverityLevel, ToastSeverity] = {"warning": "warning", "error": "error"}
        kind = kinds.get(severity, "note")
        self.show_toast(Toast(kind, title, message) if title else Toast(kind, message))

    def show_toast(self, toast: Toast) -> None:
        """Show a toast for a while, or an error until a key is pressed."""
        others = [one for one in self.toasts if one != toast][1 - MOST_TOASTS :]
        self.toasts = (*others, toast)
        self.notices.append(Notice(milliseconds(), toast))
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
        return load_preferences()

    def save_preferences(self, preferences: Preferences) -> None:
        save_preferences(preferences)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Return our own colours, for themes that don't define them."""
        return dict(INK.variables)

    @on(OpenSettings)
    def _open_settings(self) -> None:
        from ctxtui.settings.screen import SettingsScreen

        if not isinstance(self.screen, SettingsScreen):
            self.push_screen(
                SettingsScreen(self.preferences, THEMES, are_kept=self.keeps_preferences)
            )

    @on(Preferred)
    def _preferred(self, event: Preferred) -> None:
        self._prefer(**{event.name: event.value})
        if event.name == "theme":
            self._use_theme(event.value)
        elif event.name == "is_ascii":
            self._redraw()

    def get_driver_class(self) -> type[Driver]:
        return asking(super().get_driver_class())

    @on(BackgroundKnown)
    def _background_known(self, event: BackgroundKnown) -> None:
        self._suiting = PAPER.name if event.is_light else INK.name
        self._use_theme(self.preferences.theme)

    def _use_theme(self, name: str) -> None:
        self.theme = self._suiting if name == AUTO else name

    def _theme_changed(self, name: str) -> None:
        """Remember a theme that was chosen, not one that only suits the terminal."""
        if self.preferences.theme != AUTO or name != self._suiting:
            self._prefer(theme=name)

    def _prefer(self, **chosen: Any) -> None:
        self.preferences = replace(self.preferences, **chosen)
        self.save_preferences(self.preferences)

    def action_ascii(self) -> None:
        self._prefer(is_ascii=not self.preferences.is_ascii)
        self._redraw()

    def _redraw(self) -> None:
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
        from ctxtui.files.sessions import open_session

        if not is_home(self.screen):
            return  # The second of two clicks: it is being opened already.
        id = event.entry.id
        self._open(lambda _: open_session(self.library, id), event.entry.name, event.spot)

    @on(OpenOther)
    def _open_other(self, event: OpenOther) -> None:
        from ctxtui.files.sessions import open_session

        screen = self.screen
        if not is_inspector(screen):
            return
        if not self._is_closed(screen):
            screen.review.stop()
            return
        self._left = screen
        self.set_timer(PATIENCE_SECONDS, partial(self._tell_of_loading, screen, event.title))
        self._load(
            lambda _: open_session(self.library, event.id),
            event.title,
            came_by_review=event.is_review,
        )

    @on(OpenTarget)
    def _open_target(self, event: OpenTarget) -> None:
        from ctxtui.files.sessions import open_target

        if not is_library(self.screen):
            return
        name = event.name
        self._open(lambda watch: open_target(self.library, name, watch), Path(name).name)

    @on(OpenSquashed)
    def _open_squashed(self, event: OpenSquashed) -> None:
        from ctxtui.opening import LoadingScreen

        screen = self.screen
        if is_inspector(screen) and self._is_closed(screen):
            self.switch_screen(LoadingScreen(event.title))
            self._load(lambda _: self._squash(event), event.title)

    def _squash(self, event: OpenSquashed) -> Session:
        from ctxtui.library.models.steps import squash_beside, squashed_at

        made = squashed_at(event.conversation, event.revision)
        session = squash_beside(self.library, made, event.title, event.tags)
        counts = f"{len(made.log):,} of {plural(len(event.conversation.log), 'message')}"
        session.notes = (*session.notes, f"Squashed: {counts}. {event.title} stays as it was.")
        return session

    @on(OpenSimulated)
    def _open_simulated(self, event: OpenSimulated) -> None:
        from ctxtui.opening import LoadingScreen
        from ctxtui.what_if.models.comparison import open_simulated

        asked, found = event.call, self._inspector
        if found is None or not self._is_closed(found):
            return
        while self.screen is not found:
            self.pop_screen()
        self.switch_screen(LoadingScreen(asked.name))
        self._load(lambda _: open_simulated(self.library, asked), asked.name, asked.spot)

    @property
    def _inspector(self) -> InspectorScreen | None:
        """Return the inspector that is shown, or that is below other screens."""
        inspectors = (one for one in self.screen_stack if is_inspector(one))
        return next(inspectors, None)

    def _watch_screen(self) -> Screen[Any]:
        """Return the screen that watches, which is the same one whenever it is shown again."""
        from ctxtui.watch.screen import WatchScreen

        if not self.is_screen_installed("watch"):
            self.install_screen(WatchScreen(self.library), "watch")
        return self.get_screen("watch")

    def _library_screen(self) -> LibraryScreen:
        from ctxtui.library.screen import LibraryScreen

        return LibraryScreen(self.library, library_state=self.library_state)

    # Leaving

    @on(OpenLibrary)
    def _open_library(self) -> None:
        if (
            is_watch(self.screen)
            or is_lesson_list(self.screen)
            or (is_inspector(self.screen) and self._is_closed(self.screen))
        ):
            below = self.screen_stack[-2] if len(self.screen_stack) > 1 else None
            if is_home(below) or is_lesson(below):
                self.pop_screen()
            else:
                self.switch_screen(self._library_screen())

    @on(OpenWatch)
    def _open_watch(self) -> None:
        if is_library(self.screen):
            self.push_screen(self._watch_screen())

    def _is_closed(self, screen: InspectorScreen) -> bool:
        """Close a session; if that would lose something, warn, and close it the second time."""
        problem = screen.workspace.saver.close()
        if problem is not None:
            self.show_toast(not_saved(problem, "The same key again leaves all the same."))
        return problem is None

    async def action_quit(self) -> None:
        for screen in self.screen_stack:
            if is_inspector(screen) and not self._is_closed(screen):
                return
        self.background.cancel(OPEN)
        self.exit()

    # Lessons

    def lesson_screen(self, found: LessonFile, language: str | None = None) -> LessonScreen:
        from ctxtui.lessons.files import language_of, list_lessons, load_learner
        from ctxtui.lessons.screen import LessonScreen

        series = [one for one in list_lessons()[0] if one.lesson.series == found.lesson.series]
        return LessonScreen(found, language_of(load_learner(), language), series)

    def _lessons_screen(self, name: str = "") -> LessonsScreen:
        from ctxtui.lessons.list_screen import LessonsScreen

        return LessonsScreen(name)

    @on(OpenLessons)
    def _open_lessons(self) -> None:
        if is_library(self.screen):
            self.push_screen(self._lessons_screen())

    @on(OpenLesson)
    def _open_lesson(self, event: OpenLesson) -> None:
        try:
            if is_lesson_list(self.screen):
                self.push_screen(self.lesson_screen(event.found))
            elif is_lesson(self.screen):
                self.switch_screen(self.lesson_screen(event.found, self.screen.language))
        except Refused as refusal:
            self.show_toast(failed(f"{event.found.name}: {refusal}"))

    @on(LeaveLesson)
    def _leave_lesson(self, event: LeaveLesson) -> None:
        if not is_lesson(self.screen):
            return
        if is_lesson_list(self.screen_stack[-2]):
            self.pop_screen()
        else:
            self.switch_screen(self._lessons_screen(event.name))

    @on(OpenPractice)
    def _open_practice(self, event: OpenPractice) -> None:
        from ctxtui.inspector.screen import PracticeScreen

        if is_lesson(self.screen):
            self.push_screen(PracticeScreen(event.conversation, event.title))

    # Reading

    def _open(self, read: Open, title: str, spot: Spot | None = None) -> None:
        from ctxtui.opening import LoadingScreen

        self.push_screen(LoadingScreen(title))
        self._load(read, title, spot)

    def _tell_of_loading(self, left: InspectorScreen, title: str) -> None:
        from ctxtui.opening import LoadingScreen

        if self._left is left and self.screen is left:
            self.switch_screen(LoadingScreen(title))

    def _inspector_of(
        self,
        found: Session | FileFollower,
        spot: Spot | None = None,
        *,
        came_by_review: bool = False,
    ) -> InspectorScreen:
        from ctxtui.inspector.screen import InspectorScreen

        follower = None if isinstance(found, Session) else found
        session = found if isinstance(found, Session) else found.session
        state = self._known_state or (lambda: self.library_state)
        screen = InspectorScreen(
            session, spot, follower, library_state=state, came_by_review=came_by_review
        )
        if self._known_state is not None:
            self._known_state.open(session.id)
        else:
            screen.call_after_refresh(lambda: self.library_state.open(session.id))
        return screen

    @cached_property
    def library_state(self) -> LibraryState:
        """Return the library as its screen knows it; the first frame of a session needs none."""
        from ctxtui.library.models.library import LibraryState

        return LibraryState(self.library)

    @property
    def _known_state(self) -> LibraryState | None:
        return vars(self).get("library_state")

    @cached_property
    def background(self) -> Background:
        return Background(self)

    def _load(
        self, read: Open, title: str, spot: Spot | None = None, *, came_by_review: bool = False
    ) -> None:
        from ctxtui.opening import ProblemScreen

        self.background.run(
            OPEN,
            read,
            lambda found: self._show(
                self._inspector_of(found, spot, came_by_review=came_by_review)
            ),
            failed=lambda sentence: self._show(ProblemScreen(title, sentence)),
            progress=self._show_progress,
        )

    def _show_progress(self, done: float) -> None:
        from ctxtui.opening import LoadingScreen

        for screen in self.screen_stack:
            if isinstance(screen, LoadingScreen):
                screen.show_progress(done)

    def _show(self, screen: Screen[Any]) -> None:
        """Replace the loading screen, and all that is above it, with another screen."""
        while len(self.screen_stack) > 1 and not self._is_awaiting:
            if is_inspector(self.screen) or is_home(self.screen):
                return  # The user has left the loading screen.
            self.pop_screen()
        if self._is_awaiting:
            self._left = None
            self.switch_screen(screen)

    @property
    def _is_awaiting(self) -> bool:
        """Return whether a session is awaited: behind the loading screen, or a closed session."""
        from ctxtui.opening import LoadingScreen

        return isinstance(self.screen, LoadingScreen) or self.screen is self._left

    def action_give_up(self) -> None:
        from ctxtui.opening import ALONE

        self.background.cancel(OPEN)
        self.type_ahead.clear()
        if len(self.screen_stack) > ALONE:
            self.pop_screen()
        else:
            self.exit()

    # Looking

    @property
    def clipboard(self) -> str:
        return showable(super().clipboard)

    def get_line_filters(self) -> Sequence[LineFilter]:
        plain = [ASCII_FILTER] if self.has_class("-ascii") else []
        return [*super().get_line_filters(), *plain, OUTPUT_FILTER]

    @on(OpenHelp)
    def _open_help(self, event: OpenHelp) -> None:
        from ctxtui.help.screen import HelpScreen

        self.push_screen(HelpScreen(event.commands, keys_here(self.screen)))

    def action_notices(self) -> None:
        from ctxtui.help.screen import HelpScreen, NoticesScreen

        if not isinstance(self.screen, HelpScreen):
            self.push_screen(NoticesScreen(self.notices))

    def action_command_palette(self) -> None:
        from ctxtui.help.palette import Palette

        if self.use_command_palette and not isinstance(self.screen, CommandPalette):
            self.push_screen(Palette(id="--command-palette"))

    def search_themes(self) -> None:
        from ctxtui.help.palette import Palette, ThemeProvider

        self.push_screen(Palette(providers=[ThemeProvider], placeholder="Search for themes…"))
