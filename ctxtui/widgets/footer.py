"""The footer: the keys of what has the focus; fewer where the width is small."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Collection, Iterator
from itertools import groupby
from typing import Any, NamedTuple

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.dom import DOMNode
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from ctxtui.actions import run_at_focus
from ctxtui.commands.command import (
    ALWAYS,
    SYMBOLS,
    Command,
    Conditions,
    Key,
    Keys,
    keys_now,
    translated,
)
from ctxtui.commands.registry import CONTEXTS
from ctxtui.text.lines import Piece
from ctxtui.widgets.styled import Styled

BETWEEN = Piece("│", "track")
ARROWS = ("left", "right", "up", "down")


class KeyPiece(NamedTuple):
    """A piece of the line, and the command it represents."""

    piece: Piece
    command: Command | None = None


def key_line(keys: Keys, width: int) -> list[KeyPiece]:
    """Return the keys for a width.

    A key has its whole word or is dropped, those that matter least first; the ways back and to
    everything else are never dropped.
    """
    slots = [_Slot.of(key, number) for number, group in enumerate(keys) for key in group]
    shown = dict(enumerate(slots))
    for at, slot in sorted(shown.items(), key=lambda one: (-one[1].key.rank, -one[0])):
        if slot.key.rank != ALWAYS and _cells(shown.values()) > width:
            del shown[at]
    line: list[KeyPiece] = []
    for _, group in groupby(shown.values(), lambda slot: slot.group):
        line += [KeyPiece(BETWEEN)] if line else []
        line += [KeyPiece(piece, slot.key.command) for slot in group for piece in slot.pieces]
    return line


class _Slot(NamedTuple):
    """A key, the number of its group, and how it is drawn."""

    key: Key
    group: int
    pieces: tuple[Piece, Piece]

    @classmethod
    def of(cls, key: Key, group: int) -> _Slot:
        return cls(key, group, (Piece(f" {key.keys}", "key"), Piece(f" {key.word} ", "muted")))


def _cells(slots: Collection[_Slot]) -> int:
    between = max(0, len({slot.group for slot in slots}) - 1) * len(BETWEEN.text)
    return between + sum(cell_len(text) for slot in slots for text, _ in slot.pieces)


def spelled(keys: Keys) -> Keys:
    """Return the keys with words for arrows, which in ASCII would look like other keys."""
    table = str.maketrans({sign: name for name, sign in SYMBOLS.items() if name in ARROWS})
    return tuple(
        tuple(key._replace(keys=key.keys.translate(table)) for key in group) for group in keys
    )


# The footer of a screen: what the focus can do; a click does it, too.


class KeyFooter(Styled, Widget):
    """Shows the keys of what has the focus, as far as they can act and as the width goes.

    They are worked out when the focus moves and whenever code calls ``refresh_bindings``, as
    widgets do whose ``key_conditions`` have changed; drawing only draws.
    """

    def __init__(self, say: Callable[[str], str] = str) -> None:
        super().__init__(id="keys")
        self.keys: Keys = ()
        self._say = say
        """What gives a word in the language of the screen."""

    def on_mount(self) -> None:
        """Follow changed bindings; a screen reports them when its focus moves."""
        self.watch(self.screen, "maximized", self.update, init=False)
        self.screen.bindings_updated_signal.subscribe(self, lambda _: self.update(), immediate=True)

    def update(self) -> None:
        """Work out what can be done now, once everything that has a say is there."""
        if not (self.is_attached and self.screen.is_mounted):
            return
        keys = translated(keys_here(self.screen), self._say)
        if keys != self.keys:
            self.keys = keys
            self.refresh()

    def render_line(self, y: int) -> Strip:
        line = self._shown() if y == 0 else []
        return self.strip([one.piece for one in line], "plain", self.size.width)

    def _shown(self) -> list[KeyPiece]:
        keys = spelled(self.keys) if self.app.has_class("-ascii") else self.keys
        return key_line(keys, self.size.width)

    def _command_at(self, place: int) -> Command | None:
        x = 0
        for one in self._shown():
            x += cell_len(one.piece.text)
            if place < x:
                return one.command
        return None

    def on_mouse_move(self, event: events.MouseMove) -> None:
        command = self._command_at(event.x)
        self.tooltip = None if command is None else Content(command.about)

    async def on_click(self, event: events.Click) -> None:
        command = self._command_at(event.x)
        if command is not None:
            await run_at_focus(self.screen, command.action)


def keys_here(screen: Screen[Any]) -> Keys:
    """Return the keys of what has the focus on a screen, by the facts of everything around it."""
    focus: DOMNode = screen if screen.focused is None else screen.focused
    around = [node for node in focus.ancestors_with_self if node is not screen.app]
    facts: Conditions = ChainMap(*(_facts(node) for node in around))
    for node in around:
        for name in _names(node):
            if name in CONTEXTS:
                return keys_now(CONTEXTS[name], facts)
    return ()


def _facts(node: DOMNode) -> dict[str, str | bool]:
    conditions = getattr(node, "key_conditions", None)
    return {} if conditions is None else dict(conditions())


def _names(node: DOMNode) -> Iterator[str]:
    """Yield what a context may be called: an id, a class, or one it is made of."""
    if node.id is not None:
        yield f"#{node.id}"
    for kind in type(node).__mro__:
        yield kind.__name__
