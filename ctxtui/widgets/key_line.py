"""The line of keys at the bottom of a screen: what the focus can do; a click does it, too."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterator
from typing import Any

from rich.cells import cell_len
from textual import events
from textual.dom import DOMNode
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from ctxtui.actions import run_at_focus
from ctxtui.commands import CONTEXTS, Facts, Keys, keys_now
from ctxtui.commands.hints import said_keys
from ctxtui.render.keys import key_line
from ctxtui.widgets.inked import Inked


class KeyLine(Inked, Widget):
    """Shows the keys of what has the focus, as far as they can act and as the width goes.

    They are worked out when the focus moves and whenever somebody calls ``refresh_bindings``, as
    widgets do whose ``key_facts`` have changed; drawing only draws.
    """

    def __init__(self, say: Callable[[str], str] = str) -> None:
        super().__init__(id="keys")
        self.keys: Keys = ()
        self._say = say
        """What gives a word in the language of the screen."""

    def on_mount(self) -> None:
        """Follow what is told to have changed; a screen does so when its focus moves."""
        self.watch(self.screen, "maximized", self.update, init=False)
        self.screen.bindings_updated_signal.subscribe(self, lambda _: self.update(), immediate=True)

    def update(self) -> None:
        """Work out what can be done now, once everything that has a say is there."""
        if not (self.is_attached and self.screen.is_mounted):
            return
        keys = said_keys(keys_here(self.screen), self._say)
        if keys != self.keys:
            self.keys = keys
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """Return the line."""
        line = key_line(self.keys, self.size.width) if y == 0 else []
        return self.strip([one.piece for one in line], "plain", self.size.width)

    async def on_click(self, event: events.Click) -> None:
        """Run the command under the mouse."""
        x = 0
        for one in key_line(self.keys, self.size.width):
            x += cell_len(one.piece.text)
            if event.x < x:
                if one.command is not None:
                    await run_at_focus(self.screen, one.command.action)
                return


def keys_here(screen: Screen[Any]) -> Keys:
    """Return the keys of what has the focus on a screen, by the facts of everything around it."""
    focus: DOMNode = screen if screen.focused is None else screen.focused
    around = [node for node in focus.ancestors_with_self if node is not screen.app]
    facts: Facts = ChainMap(*(_facts(node) for node in around))
    for node in around:
        for name in _names(node):
            if name in CONTEXTS:
                return keys_now(CONTEXTS[name], facts)
    return ()


def _facts(node: DOMNode) -> dict[str, str | bool]:
    told = getattr(node, "key_facts", None)
    return {} if told is None else dict(told())


def _names(node: DOMNode) -> Iterator[str]:
    """Yield what a context may be called: an id, a class, or one it is made of."""
    if node.id is not None:
        yield f"#{node.id}"
    for kind in type(node).__mro__:
        yield kind.__name__
