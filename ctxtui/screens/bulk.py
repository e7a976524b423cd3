"""What screens have in common that change or write many sessions: look first, then do it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen

from ctxtui.commands import BULK, LISTS, Command, Facts
from ctxtui.commands.bulk import LEAVING_OUT
from ctxtui.commands.options import TURNS
from ctxtui.core.storage import Entry, Library
from ctxtui.lists.options import OptionSource
from ctxtui.lists.source import LineSource
from ctxtui.models.library_steps import Done
from ctxtui.models.option import Option
from ctxtui.models.told import failed, note
from ctxtui.progress import Watch
from ctxtui.render.bulk import BulkHead, bulk_head
from ctxtui.render.text.lines import Line, Piece
from ctxtui.screens.help import HelpScreen
from ctxtui.screens.scene import Scene
from ctxtui.telling import tell
from ctxtui.widgets.framed import Framed
from ctxtui.widgets.inked import INKS
from ctxtui.widgets.key_line import KeyLine, keys_here
from ctxtui.widgets.line_box import LineBox
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.option_list import OptionList
from ctxtui.widgets.prompt import Prompt
from ctxtui.widgets.text_pane import TextPane

DO = "do it"


class HitList(LineList):
    """A list whose rows can be left out."""

    BINDINGS: ClassVar[list[BindingType]] = [command.binding() for command in LEAVING_OUT]

    def action_leave_out(self) -> None:
        """Leave the row out, or take it in again."""
        if self.key is not None:
            self.post_message(self.Picked(self, self.key))


class BulkScreen(Scene, Screen[Done | None]):
    """Shows what would be done to sessions, found out in a thread, and does it when asked.

    Whoever stands on it says what can be chosen, how to find out, what to show, and how to do it.
    """

    CSS_PATH = "bulk.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        command.binding() for command in BULK if command not in TURNS
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = INKS
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012 - Textual's own
    AUTO_FOCUS = "#options"
    HEAD: ClassVar[BulkHead]
    EMPTY: ClassVar[str] = ""
    """What the list says while there is nothing in it."""
    FRAMES: ClassVar[dict[str, tuple[str, str]]] = {}
    """The titles of the parts by their ids, and what stands at the right of each."""

    def __init__(self, library: Library, entries: Sequence[Entry]) -> None:
        super().__init__()
        self.library = library
        self.chosen = tuple(entries)
        self.progress: float | None = None
        """How far it is found out what would be done; None when it is known."""

    # What each of them is

    @abstractmethod
    def options(self) -> list[Option]:
        """Return what can be chosen, as it is now."""

    @abstractmethod
    def find_out(self, watch: Watch) -> Any:
        """Find out what would be done; this runs in a thread."""

    @abstractmethod
    def take(self, found: Any) -> None:
        """Take what was found out."""

    @abstractmethod
    def show(self) -> None:
        """Show what is known by now."""

    @abstractmethod
    def choose(self, option: Option, by: int) -> None:
        """Turn an option, or switch it."""

    @abstractmethod
    def typed(self, name: str, text: str) -> None:
        """Take what was typed for an option, or refuse it."""

    @abstractmethod
    def ask_of(self, option: Option) -> tuple[str, str]:
        """Return what a prompt says of an option that is typed, and what it starts with."""

    @abstractmethod
    def work(self, watch: Watch) -> Done:
        """Do it; this runs in a thread."""

    @property
    @abstractmethod
    def deed(self) -> str:
        """Return what would be done in a few words; nothing where there is nothing to do."""

    @property
    def so_far_words(self) -> str:
        """Return how far finding out is, in words; nothing where the share of it says enough."""
        return ""

    # Laying out

    def compose(self) -> ComposeResult:
        """Lay out what is chosen and what it comes to at the left, one list at the right."""
        yield LineBox(id="bulk-head")
        with Horizontal(id="bulk-body"):
            with Vertical(id="bulk-left"):
                yield OptionList(id="options")
                yield TextPane(id="would")
            with Vertical(id="bulk-right"):
                yield HitList(id="hits", empty=self.EMPTY)
        yield Prompt()
        yield KeyLine()

    def show_listed(self, source: LineSource, would: Callable[[int], list[Line]]) -> None:
        """Show the list, and what all of it comes to."""
        self.show_progress()
        self.query_one("#hits", HitList).show(source)
        self.query_one("#would", TextPane).show(would)
        for id, (title, about) in self.FRAMES.items():
            pane = self.query_one(f"#{id}")
            assert isinstance(pane, Framed)
            pane.frame(title, [Piece(about, "muted")] if about else [])
        self.refresh_bindings()

    # Options

    def on_mount(self) -> None:
        """Find out what would be done with what is chosen at first."""
        self.look()

    def show_options(self) -> None:
        """Show the options as they are now."""
        self.query_one("#options", OptionList).show(OptionSource(self.options()))

    @property
    def option(self) -> Option:
        """Return the option under the cursor."""
        rows = self.options()
        return rows[min(self.query_one("#options", OptionList).cursor, len(rows) - 1)]

    @on(OptionList.Turned, "#options")
    def _turned(self, event: OptionList.Turned) -> None:
        self._choose(event.by)

    @on(LineList.Opened, "#options")
    def _opened_option(self) -> None:
        self._choose(1)

    @on(LineList.Moved, "#options")
    def _moved_option(self) -> None:
        self.refresh_bindings()

    def _choose(self, by: int) -> None:
        option = self.option
        if option.kind != "typed":
            self.choose(option, by)
            self.look()
            return
        hint, value = self.ask_of(option)
        self.query_one(Prompt).ask(
            option.label,
            hint,
            partial(self._typed, option.name),
            verb="take it",
            value=value,
            takes_nothing=True,
        )

    def _typed(self, name: str, text: str) -> None:
        self.typed(name, text)
        self.look()

    # Looking

    def look(self) -> None:
        """Find out in a thread what would be done; what was being found out before is given up."""
        self.progress = 0.0
        self.show_options()
        self.show()
        self.background.run(
            "find out what would be done",
            self.find_out,
            self._take,
            failed=self._failed,
            progress=self._tell,
        )

    def _tell(self, done: float) -> None:
        self.progress = done
        self.show_progress()

    def show_progress(self) -> None:
        """Show in the head how far it is."""
        head = partial(
            bulk_head, self.HEAD, len(self.chosen), self.progress, so_far=self.so_far_words
        )
        self.query_one("#bulk-head", LineBox).show(head)

    def _take(self, found: Any) -> None:
        self.progress = None
        self.take(found)
        self.show_options()
        self.show()
        self.refresh_bindings()

    def _failed(self, sentence: str) -> None:
        self.progress = None
        tell(self, failed(sentence))
        self.show()

    # Doing

    def awaits(self, event: events.Event) -> bool:
        """Return whether an event may come now: choosing waits until it is known what there is."""
        is_doing = isinstance(event, events.Key) and event.key == "space"
        return super().awaits(event) and not (is_doing and self.progress is not None)

    @property
    def is_doing(self) -> bool:
        """Return whether it is being done."""
        return self.background.is_running(DO)

    def action_apply(self) -> None:
        """Do it in a thread, then leave with what came of it."""
        if self.progress is not None and not self.is_doing:
            # What has not been seen is not done: the key must be pressed again.
            tell(self, note("Not done yet: this is still being found out"))
            return
        if self.deed and self.progress is None and not self.is_doing:
            self.background.run(
                DO,
                lambda task: self.work(task.to_the_end),
                self.dismiss,
                failed=self._failed,
                progress=self._tell,
                holds_keys=True,
            )

    def action_leave(self) -> None:
        """Leave; nothing was changed."""
        if not self.is_doing:
            self.dismiss(None)

    def key_facts(self) -> Facts:
        """Return what can be done here, for the line of keys."""
        option = self.option
        return {
            "do": self.deed if self.progress is None else False,
            option.kind: True,
            "hit": True,
        }

    @property
    def commands(self) -> tuple[Command, ...]:
        """Return what the help tells of."""
        return (*BULK, *LISTS)

    def action_help(self) -> None:
        """Show all keys."""
        self.app.push_screen(HelpScreen(self.commands, keys_here(self)))
