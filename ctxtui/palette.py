"""The palette: every command of the registry, found by typing a few letters."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider

from core.operations import ALL, Operation
from ctxtui.actions import run_command
from ctxtui.commands import INSPECTING, KEYS_OF_OPERATIONS, LIBRARY, Command
from ctxtui.screens.scene import Scene


def sentence(operation: type[Operation]) -> str:
    """Return what an operation does, in one sentence."""
    return (operation.__doc__ or "").split("\n", 1)[0]


class CommandProvider(Provider):
    """Offers the commands of a screen with their keys."""

    commands: ClassVar[tuple[Command, ...]] = ()

    async def discover(self) -> Hits:
        """Yield all commands, for a palette nothing was typed into."""
        for command in self.commands:
            yield DiscoveryHit(command.title, self._run(command), help=_help(command))

    async def search(self, query: str) -> Hits:
        """Yield the commands that match."""
        matcher = self.matcher(query)
        for command in self.commands:
            text = f"{command.title}: {command.about}"
            score = matcher.match(text)
            if score > 0:
                help_text = _help(command)
                yield Hit(score, matcher.highlight(text), self._run(command), help=help_text)

    def _run(self, command: Command) -> Callable[[], Awaitable[None]]:
        """Return what runs a command, once however often enter is pressed."""
        todo = [command.action]

        async def run_once() -> None:
            if todo:
                await run_command(self.screen, todo.pop())

        return run_once


class InspectorProvider(CommandProvider):
    """The commands of the inspector, and the form of every operation."""

    commands = (
        *INSPECTING,
        *(
            Command("o", f"operate('{one.title}')", one.title, sentence(one), "change")
            for one in ALL
            if one.title not in KEYS_OF_OPERATIONS
        ),
    )


class LibraryProvider(CommandProvider):
    """The commands of the library."""

    commands = LIBRARY


class Palette(Scene, CommandPalette):
    """Textual's palette, left once however often enter is pressed, at home in any terminal."""

    # Nothing can be wrapped to less than a cell: in so narrow a terminal the rest is out of sight.
    DEFAULT_CSS = "Palette CommandList { min-width: 12; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pagedown", "page('down')", "Next page", show=False),
        Binding("pageup", "page('up')", "Previous page", show=False),
    ]

    def awaits(self, event: events.Event) -> bool:
        """Tell whether an event may come now: enter is for what was typed, once that is found."""
        is_searching = any(one.node is self and not one.is_finished for one in self.workers)
        return not (isinstance(event, events.Key) and event.key == "enter" and is_searching)

    def is_urgent(self, event: events.Event) -> bool:
        """Tell whether an event may overtake an enter that waits: only leaving may."""
        return isinstance(event, events.Key) and event.key == "escape"

    @property
    def commands(self) -> CommandList:
        """Return the list of what was found."""
        return self.query_one(CommandList)

    async def action_page(self, direction: str) -> None:
        """Go through the commands by a page, once they have a place on the screen."""
        if self.commands.scrollable_content_region:
            await self.commands.run_action(f"page_{direction}")


def _help(command: Command) -> str:
    return f"{command.about} ({command.shown_keys()})"
