"""The app: wires a conversation to its screen, and nothing more."""

from __future__ import annotations

from collections.abc import Callable

from textual import work
from textual.app import App

from core import Conversation
from ctxtui.preferences import load_theme, save_theme
from ctxtui.screens.inspector import InspectorScreen
from ctxtui.screens.loading import LoadingScreen
from ctxtui.theme import INK, PAPER


class CtxtuiApp(App[str]):
    """The inspector for one conversation; a sentence as its result tells why there was none."""

    TITLE = "ctxtui"

    def __init__(
        self, conversation: Conversation | Callable[[], Conversation], title: str = "untitled"
    ) -> None:
        super().__init__()
        self._conversation = conversation
        self._title = title
        self.register_theme(INK)
        self.register_theme(PAPER)
        self.theme = load_theme(set(self.available_themes), INK.name)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Return our own colours, for themes that don't know them."""
        return dict(INK.variables)

    def on_mount(self) -> None:
        """Show the inspector, and from now on remember which theme is chosen."""
        self.theme_changed_signal.subscribe(self, lambda theme: save_theme(theme.name))
        if isinstance(self._conversation, Conversation):
            self.push_screen(InspectorScreen(self._conversation, self._title))
        else:
            self.push_screen(LoadingScreen(self._title))
            self._load(self._conversation)

    @work(thread=True)
    def _load(self, read: Callable[[], Conversation]) -> None:
        try:
            conversation = read()
        except Exception as problem:
            self.call_from_thread(self.exit, str(problem))
            return
        screen = InspectorScreen(conversation, self._title)
        self.call_from_thread(self.switch_screen, screen)
