"""The footer: shorter words where the width is small, then fewer keys."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from rich.cells import cell_len
from textual import events
from textual.dom import DOMNode
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from ctxtui.actions import run_at_focus
from ctxtui.commands.command import (
    ALWAYS,
    LUXURY,
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


class KeyPiece(NamedTuple):
    """A piece of the line, and the command it represents."""

    piece: Piece
    command: Command | None = None


def key_line(keys: Keys, width: int) -> list[KeyPiece]:
    """Return the keys for a width.

    Where not all words fit, luxuries go and words get shorter; where that is not enough the keys
    that matter least go, and what room that leaves is for whole words again. Each key has
    a word, and the ways to everything else are never dropped.
    """
    slots = [_Slot.of(key, number) for number, group in enumerate(keys) for key in group]
    shown, short = set(range(len(slots))), set[int]()
    most_first = sorted(shown, key=lambda at: slots[at].key.rank)
    least_first = most_first[::-1]

    def fits() -> bool:
        groups = {slots[at].group for at in shown}
        cells = sum(slots[at].short if at in short else slots[at].whole for at in shown)
        return cells + max(0, len(groups) - 1) * len(BETWEEN.text) <= width

    for at in least_first:
        if slots[at].key.rank >= LUXURY and not fits():
            shown.remove(at)
    for at in least_first:
        if not fits():
            short.add(at)
    for at in least_first:
        if at in shown and slots[at].key.rank != ALWAYS and not fits():
            shown.remove(at)
    for at in most_first:
        if at in short:
            short.remove(at)
            if not fits():
                short.add(at)
    return _line([(slots[at], at in short) for at in sorted(shown)])


class _Slot(NamedTuple):
    """A key, the number of its group, and its cells with the whole word and with the short one."""

    key: Key
    group: int
    whole: int
    short: int

    @classmethod
    def of(cls, key: Key, group: int) -> _Slot:
        cells = [
            sum(cell_len(piece.text) for piece in _pieces(key, word))
            for word in (key.word, key.short)
        ]
        return cls(key, group, *cells)


def _pieces(key: Key, word: str) -> tuple[Piece, Piece]:
    return Piece(f" {key.keys}", "key"), Piece(f" {word} ", "muted")


def _line(slots: list[tuple[_Slot, bool]]) -> list[KeyPiece]:
    """Return keys, each with whether its word is short, as pieces with a line between groups."""
    line: list[KeyPiece] = []
    group = None
    for slot, is_short in slots:
        if group not in (None, slot.group):
            line.append(KeyPiece(BETWEEN))
        group, key = slot.group, slot.key
        pieces = _pieces(key, key.short if is_short else key.word)
        line += [KeyPiece(piece, key.command) for piece in pieces]
    return line


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
        line = key_line(self.keys, self.size.width) if y == 0 else []
        return self.strip([one.piece for one in line], "plain", self.size.width)

    async def on_click(self, event: events.Click) -> None:
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
