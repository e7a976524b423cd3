"""The app: wires a conversation to its screen, and nothing more."""

from __future__ import annotations

from textual.app import App

from core import Conversation
from ctxtui.preferences import load_theme, save_theme
from ctxtui.screens.inspector import InspectorScreen
from ctxtui.theme import INK, PAPER


class CtxtuiApp(App[None]):
    """The inspector for one conversation."""

    TITLE = "ctxtui"

    def __init__(self, conversation: Conversation, title: str = "untitled") -> None:
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
        self.push_screen(InspectorScreen(self._conversation, self._title))
        self.theme_changed_signal.subscribe(self, lambda theme: save_theme(theme.name))
