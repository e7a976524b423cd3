"""The app: wires a conversation to its screen, and nothing more."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual import work
from textual.app import App, SystemCommand
from textual.screen import Screen
from textual.worker import get_current_worker

from core import Conversation
from ctxtui.preferences import load_preferences, save_preferences
from ctxtui.screens.inspector import InspectorScreen
from ctxtui.screens.loading import LoadingScreen
from ctxtui.screens.problem import ProblemScreen
from ctxtui.screens.views import Views
from ctxtui.theme import INK, PAPER, SIXTEEN
from ctxtui.watching import Stopped, Watch

if TYPE_CHECKING:
    from ctxtui.cli.inputs import Opened


FEW_COLOURS = ("standard", "windows")
"""What Rich calls terminals that know sixteen colours."""


class CtxtuiApp(App[str]):
    """The inspector for one conversation; a sentence as its result tells why there was none."""

    TITLE = "ctxtui"
    CSS_PATH = Path(__file__).parent / "screens" / "inks.tcss"

    def __init__(
        self, conversation: Conversation | Callable[[Watch], Opened], title: str = "untitled"
    ) -> None:
        super().__init__()
        self._conversation = conversation
        self._title = title
        self.register_theme(INK)
        self.register_theme(PAPER)
        self.register_theme(SIXTEEN)
        self.theme = INK.name
        self.preferences = load_preferences()
        if self.console.color_system in FEW_COLOURS:
            self.theme = SIXTEEN.name
        elif self.preferences.theme in self.available_themes:
            self.theme = self.preferences.theme
        self.set_class(self.preferences.is_ascii, "-ascii")

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Return our own colours, for themes that don't know them."""
        return dict(INK.variables)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Yield what the palette offers beside the registry: Textual's own are mostly in there."""
        yield SystemCommand(
            "Theme", "Choose colours; they are remembered", self.action_change_theme
        )

    def on_mount(self) -> None:
        """Show the inspector, and from now on remember which theme is chosen."""
        self.theme_changed_signal.subscribe(self, lambda theme: self._prefer(theme=theme.name))
        if isinstance(self._conversation, Conversation):
            self.push_screen(InspectorScreen(self._conversation, self._title))
        else:
            self.push_screen(LoadingScreen(self._title))
            self._load(self._conversation)

    def _prefer(self, **chosen: Any) -> None:
        self.preferences = replace(self.preferences, **chosen)
        save_preferences(self.preferences)

    def action_ascii(self) -> None:
        """Draw with plain ASCII signs, or with all of them again."""
        self._prefer(is_ascii=not self.preferences.is_ascii)
        self.set_class(self.preferences.is_ascii, "-ascii")
        self.refresh_css(animate=False)
        for widget in self.screen.walk_children():
            widget.refresh()
        for views in self.screen.query(Views):
            views.tell()

    @work(thread=True, group="load")
    def _load(self, read: Callable[[Watch], Opened]) -> None:
        """Read in a thread, with a bar that tells how far it is; leaving the app stops it."""
        worker = get_current_worker()
        watch = Watch(
            lambda done: self.call_from_thread(self._tell, done), lambda: worker.is_cancelled
        )
        try:
            opened = read(watch)
        except Stopped:
            return
        except Exception as problem:
            if not worker.is_cancelled:
                self.call_from_thread(self.switch_screen, ProblemScreen(self._title, str(problem)))
            return
        if not worker.is_cancelled:
            self.call_from_thread(self._show, opened)

    def _tell(self, done: float) -> None:
        if isinstance(self.screen, LoadingScreen):
            self.screen.tell(done)

    def _show(self, opened: Opened) -> None:
        self.switch_screen(InspectorScreen(opened.conversation, self._title))
        for problem in opened.problems[:5]:
            self.notify(problem, severity="warning", markup=False)

    async def action_quit(self) -> None:
        """Leave; whatever is being read is given up."""
        self.workers.cancel_all()
        self.exit()
