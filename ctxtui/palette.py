"""The palette: every command of the registry, found by typing a few letters."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import ClassVar

from textual.command import DiscoveryHit, Hit, Hits, Provider

from ctxtui.commands import INSPECTOR, LIBRARY, Command


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
        return partial(self.screen.run_action, command.action)


class InspectorProvider(CommandProvider):
    """The commands of the inspector."""

    commands = INSPECTOR


class LibraryProvider(CommandProvider):
    """The commands of the library."""

    commands = LIBRARY


def _help(command: Command) -> str:
    return f"{command.about} ({command.shown_keys()})"
