"""The palette: every command of the registry and every theme, found by typing a few letters."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.command import Command as Option
from textual.command import CommandList, CommandPalette, Hit, Hits, Provider, SearchIcon
from textual.content import Content
from textual.css.styles import RulesMap
from textual.strip import Strip
from textual.style import Style
from textual.visual import RenderOptions, Visual

from ctxtui.actions import may_run, run_command
from ctxtui.commands.command import GROUPS, Command
from ctxtui.core.engine.operation import Operation
from ctxtui.core.engine.operations import ALL
from ctxtui.inspector.keys import FOLLOWING, INSPECTING, KEYS_OF_OPERATIONS
from ctxtui.messages import Preferred
from ctxtui.text.lines import fit
from ctxtui.text.symbols import printable
from ctxtui.theme import THEMES
from ctxtui.widgets.base_screen import BaseScreen
from ctxtui.widgets.footer import KeyFooter
from ctxtui.widgets.styled import STYLE_CLASSES

# What the palette finds: how well what was typed fits what an entry is called.


class PaletteEntry(NamedTuple):
    """A line of the palette: what it is called, what it does, and its keys."""

    title: str
    about: str
    keys: str = ""


def fit_of(typed: str, entry: PaletteEntry) -> float:
    """Return how well an entry fits, 0 for not at all; titles always come before descriptions."""
    wanted, title = typed.casefold().strip(), entry.title.casefold()
    if not wanted:
        return 0.0
    # Of two titles that fit equally well the shorter one is more likely meant.
    share = len(wanted) / (len(title) + len(wanted))
    if title.startswith(wanted):
        return 5.0 + share
    if f" {wanted}" in f" {title}".replace("-", " "):
        return 4.0 + share
    if wanted in title:
        return 3.0 + share
    if _is_scattered(wanted, title):
        return 2.0 + share
    if f" {wanted}" in f" {entry.about.casefold()}":
        return 1.0 + share
    return 0.0


def _is_scattered(wanted: str, title: str) -> bool:
    """Return whether a title has the letters in their order, the first at the start of a word."""
    if not any(word.startswith(wanted[0]) for word in title.split()):
        return False
    letters = iter(title)
    return all(letter in letters for letter in wanted.replace(" ", ""))


# A line of the palette: what a command is called, what it does, and its keys at the right.

LEAST_ABOUT_CELLS = 12


class PaletteRow(Visual):
    """Draws an entry in one line, whatever the width; what was typed is underlined in its title."""

    def __init__(self, entry: PaletteEntry, typed: str = "") -> None:
        self._entry = entry
        self._typed = typed.strip().casefold()

    def render_strips(
        self, width: int, height: int | None, style: Style, options: RenderOptions
    ) -> list[Strip]:
        return self._content(width).render_strips(width, 1, style, options)

    def _content(self, width: int) -> Content:
        title, about, keys = (printable(text) for text in self._entry)
        room = max(1, width - cell_len(keys) - 2) if keys else width
        named = max(19, cell_len(title) + 1)
        start = title.casefold().find(self._typed) if self._typed else -1
        name = Content(fit(title, min(named, room))).stylize("bold")
        if start >= 0:
            name = name.stylize("underline", start, start + len(self._typed))
        words = Content("")
        if room - named >= LEAST_ABOUT_CELLS:
            words = Content(fit(about, room - named)).stylize("$muted")
        else:
            name = name.pad_right(max(0, room - name.cell_length))
        return Content.assemble(name, words, "  " if keys else "", (keys, "bold $focus"))

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:
        return container_width

    def get_height(self, rules: RulesMap, width: int) -> int:
        return 1


Run = Callable[[], Awaitable[None] | None]
NOTHING = PaletteEntry("", "")


def sentence(operation: type[Operation]) -> str:
    """Return what an operation does, in one sentence."""
    return (operation.__doc__ or "").split("\n", 1)[0]


def _place(command: Command) -> int:
    """Return how far down a command is listed while nothing is typed."""
    is_extra = command not in INSPECTING and command.keys == "o"
    return len(GROUPS) if is_extra else list(GROUPS).index(command.group)


@dataclass(eq=False)
class EntryHit(Hit):
    """A hit that knows its line."""

    entry: PaletteEntry = NOTHING
    typed: str = ""


class EntryProvider(Provider):
    """Offers entries; all of them while nothing is typed."""

    unasked: ClassVar[float] = 0.0
    """How far up the entries are listed while nothing is typed."""

    def entries(self) -> Iterator[tuple[PaletteEntry, Run]]:
        raise NotImplementedError

    async def discover(self) -> Hits:
        for entry, run in self.entries():
            yield EntryHit(self.unasked, "", run, text=entry.title, entry=entry)

    async def search(self, query: str) -> Hits:
        for entry, run in self.entries():
            score = fit_of(query, entry)
            if score > 0:
                yield EntryHit(score, "", run, text=entry.title, entry=entry, typed=query)


class CommandProvider(EntryProvider):
    """Offers the commands of a screen with their keys."""

    def entries(self) -> Iterator[tuple[PaletteEntry, Run]]:
        screen = self.screen
        commands = screen.palette_commands() if isinstance(screen, BaseScreen) else ()
        able = [one for one in commands if may_run(screen, one.action)]
        for command in sorted(able, key=_place):
            entry = PaletteEntry(command.title, command.about, command.shown_keys())
            yield entry, self._run(command)

    def _run(self, command: Command) -> Run:
        """Return what runs a command, once however often enter is pressed."""
        todo = [command.action]

        async def run_once() -> None:
            if todo:
                await run_command(self.screen, todo.pop())

        return run_once


class ThemeProvider(EntryProvider):
    """Offers the themes that were made for this app, below everything else."""

    unasked = -1.0

    def entries(self) -> Iterator[tuple[PaletteEntry, Run]]:
        for name, about in THEMES.items():
            title = f"{name.capitalize()} theme"
            yield PaletteEntry(title, f"{about}; it is saved"), self._choose(name)

    def _choose(self, name: str) -> Run:
        def choose() -> None:
            self.screen.post_message(Preferred("theme", name))

        return choose


INSPECTOR_COMMANDS = (
    *INSPECTING,
    *FOLLOWING,
    *(
        Command("o", f"operate('{one.title}')", one.title, sentence(one), "change")
        for one in ALL
        if one.title not in KEYS_OF_OPERATIONS
    ),
)
"""The commands of the inspector, and the form of every operation."""


class Palette(CommandPalette, BaseScreen[None]):
    """Textual's palette, a line for each command; left once however often enter is pressed."""

    CSS_PATH = "palette.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pagedown", "page('down')", "Next page", show=False),
        Binding("pageup", "page('up')", "Previous page", show=False),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = STYLE_CLASSES
    URGENT = ("escape",)

    def compose(self) -> ComposeResult:
        yield from super().compose()
        yield KeyFooter()

    def on_mount(self) -> None:
        self.query_one(SearchIcon).icon = ">"

    def accepts_key(self, event: events.Event) -> bool:
        """Return whether an event may come now: enter is for what was typed, once that is found."""
        is_searching = any(one.node is self and not one.is_finished for one in self.workers)
        return not (isinstance(event, events.Key) and event.key == "enter" and is_searching)

    @property
    def commands(self) -> CommandList:
        return self.query_one(CommandList)

    def _refresh_command_list(
        self, command_list: CommandList, commands: list[Option], clear_current: bool
    ) -> None:
        """Show what was found, each on a line of its own, in an order that never changes."""
        rows = [
            Option(PaletteRow(one.hit.entry, one.hit.typed), one.hit, id=one.id)
            for one in commands
            if isinstance(one.hit, EntryHit)
        ]
        super()._refresh_command_list(command_list, rows, clear_current)

    async def action_page(self, direction: str) -> None:
        if self.commands.scrollable_content_region:
            await self.commands.run_action(f"page_{direction}")
