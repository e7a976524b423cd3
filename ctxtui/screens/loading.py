"""The screen while a large file is read: something moves, and escape leaves."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Center, Middle
from textual.screen import Screen
from textual.widgets import ProgressBar, Static

from ctxtui.commands.dialogs import LOADING
from ctxtui.screens.scene import Scene
from ctxtui.symbols import visible
from ctxtui.widgets.inked import INKS
from ctxtui.widgets.key_line import KeyLine

OWN_KEYS = (*(key for one in LOADING for key in one.keys.split(",")), "ctrl+q", "ctrl+c")
"""What stops the reading, or the app."""


class LoadingScreen(Scene, Screen[None]):
    """Says what is being read, and how far that is."""

    BINDINGS: ClassVar[list[BindingType]] = [command.binding() for command in LOADING]
    COMPONENT_CLASSES: ClassVar[set[str]] = INKS
    URGENT = OWN_KEYS
    DEFAULT_CSS = "LoadingScreen Static { width: auto; margin-bottom: 1; }"

    def __init__(self, name: str) -> None:
        super().__init__()
        self._file = visible(name, 60)

    def awaits(self, event: events.Event) -> bool:
        """Tell whether an event is meant for this screen; keys wait for the one to come."""
        return not isinstance(event, events.Key | events.Paste)

    def compose(self) -> ComposeResult:
        """Lay out a sentence and a bar that moves."""
        with Middle():
            with Center():
                yield Static(f"Reading {self._file} …", markup=False)
            with Center():
                yield ProgressBar(total=1.0, show_eta=False)
        yield KeyLine()

    def tell(self, done: float) -> None:
        """Show which share has been read."""
        for bar in self.query(ProgressBar):
            bar.update(progress=done)
