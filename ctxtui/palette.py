"""The palette: every command of the registry, found by typing a few letters."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider

from ctxtui.commands import INSPECTOR, Command


class CommandProvider(Provider):
    """Offers the inspector's commands with their keys."""

    async def discover(self) -> Hits:
        """Yield all commands, for a palette nothing was typed into."""
        for command in INSPECTOR:
            yield DiscoveryHit(command.title, self._run(command), help=_help(command))

    async def search(self, query: str) -> Hits:
        """Yield the commands that match."""
        matcher = self.matcher(query)
        for command in INSPECTOR:
            text = f"{command.title}: {command.about}"
            score = matcher.match(text)
            if score > 0:
                help_text = _help(command)
                yield Hit(score, matcher.highlight(text), self._run(command), help=help_text)

    def _run(self, command: Command) -> Callable[[], Awaitable[None]]:
        return partial(self.screen.run_action, command.action)


def _help(command: Command) -> str:
    return f"{command.about} ({command.shown_keys()})"
