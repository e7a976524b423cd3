"""The screen where a file can't be opened: what is wrong with it, and what to do."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Center, Middle, Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from ctxtui.commands.dialogs import PROBLEM
from ctxtui.core.formats import READABLE
from ctxtui.render.text.severity import ERROR
from ctxtui.screens.scene import Scene
from ctxtui.symbols import visible
from ctxtui.widgets.inked import INKS
from ctxtui.widgets.key_line import KeyLine

ADVICE = (
    f"The file was not changed. ctxtui opens scripts and these formats: {', '.join(READABLE)}. "
    "`ctxtui convert --help` and docs/file-format.md say more."
)


ALONE = 2
"""How many screens there are when nothing is below this one but Textual's own."""


class ProblemScreen(Scene, Screen[None]):
    """One sentence with the reason; leaving tells it again on standard error."""

    BINDINGS: ClassVar[list[BindingType]] = [command.binding() for command in PROBLEM]
    COMPONENT_CLASSES: ClassVar[set[str]] = INKS
    DEFAULT_CSS = """
    ProblemScreen #problem { width: 72; max-width: 90%; height: auto; padding: 1 2;
        border: heavy $error; border-title-color: $error; }
    ProblemScreen Static { height: auto; margin-bottom: 1; }
    ProblemScreen #advice { color: $muted; }
    """

    def __init__(self, name: str, sentence: str) -> None:
        super().__init__()
        self._file = visible(name, 50)
        self.sentence = sentence

    def compose(self) -> ComposeResult:
        """Lay out the reason and the advice."""
        with Middle(), Center():
            box = Vertical(
                Static(visible(self.sentence, 1_000), markup=False),
                Static(ADVICE, id="advice", markup=False),
                id="problem",
            )
            box.border_title = Content(ERROR.text(f"{self._file} can't be opened"))
            yield box
        yield KeyLine()

    def action_leave(self) -> None:
        """Return to the library, or leave the app with the sentence as its result."""
        if len(self.app.screen_stack) > ALONE:
            self.app.pop_screen()
        else:
            self.app.exit(self.sentence)
