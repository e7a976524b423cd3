"""The screen while a large file is read: something moves, and escape leaves."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Center, Middle, Vertical
from textual.content import Content
from textual.widgets import ProgressBar, Static

from ctxtui.commands.command import bindings
from ctxtui.commands.dialogs import LOADING, PROBLEM
from ctxtui.core.formats import READABLE
from ctxtui.text.icons import ERROR
from ctxtui.text.symbols import printable
from ctxtui.widgets.base_screen import BaseScreen
from ctxtui.widgets.footer import KeyFooter

OWN_KEYS = (*(key for one in LOADING for key in one.keys.split(",")), "ctrl+q", "ctrl+c")
"""What stops the reading, or the app."""


class LoadingScreen(BaseScreen[None]):
    """Says what is being read, and how far that is."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(LOADING)
    URGENT = OWN_KEYS
    DEFAULT_CSS = "LoadingScreen Static { width: auto; margin-bottom: 1; }"

    def __init__(self, name: str) -> None:
        super().__init__()
        self._file = printable(name, 60)

    def accepts_key(self, event: events.Event) -> bool:
        """Return whether an event is meant for this screen; keys wait for the one to come."""
        return not isinstance(event, events.Key | events.Paste)

    def compose(self) -> ComposeResult:
        with Middle():
            with Center():
                yield Static(f"Reading {self._file} …", markup=False)
            with Center():
                yield ProgressBar(total=1.0, show_eta=False)
        yield KeyFooter()

    def show_progress(self, done: float) -> None:
        for bar in self.query(ProgressBar):
            bar.update(progress=done)


# The screen where a file can't be opened: what is wrong with it, and what to do.

ADVICE = (
    f"The file was not changed. ctxtui opens scripts and these formats: {', '.join(READABLE)}. "
    "`ctxtui export --help` and docs/file-format.md say more."
)


ALONE = 2
"""How many screens there are when nothing is below this one but Textual's own."""


class ProblemScreen(BaseScreen[None]):
    """One sentence with the reason; leaving says it again on standard error."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(PROBLEM)
    DEFAULT_CSS = """
    ProblemScreen #problem { width: 72; max-width: 90%; height: auto; padding: 1 2;
        border: heavy $error; border-title-color: $error; }
    ProblemScreen Static { height: auto; margin-bottom: 1; }
    ProblemScreen #advice { color: $muted; }
    """

    def __init__(self, name: str, sentence: str) -> None:
        super().__init__()
        self._file = printable(name, 50)
        self.sentence = sentence

    def compose(self) -> ComposeResult:
        with Middle(), Center():
            box = Vertical(
                Static(printable(self.sentence, 1_000), markup=False),
                Static(ADVICE, id="advice", markup=False),
                id="problem",
            )
            box.border_title = Content(ERROR.text(f"{self._file} can't be opened"))
            yield box
        yield KeyFooter()

    def action_leave(self) -> None:
        if len(self.app.screen_stack) > ALONE:
            self.app.pop_screen()
        else:
            self.app.exit(self.sentence)
