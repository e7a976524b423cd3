"""The line of keys at the bottom: shorter words where there is little room, then fewer keys."""

from __future__ import annotations

from typing import NamedTuple

from rich.cells import cell_len

from ctxtui.commands import Command, Key, Keys
from ctxtui.commands.hints import ALWAYS, LUXURY
from ctxtui.render.text.lines import Piece

BETWEEN = Piece("│", "track")


class KeyPiece(NamedTuple):
    """A piece of the line, and the command it stands for."""

    piece: Piece
    command: Command | None = None


def key_line(keys: Keys, width: int) -> list[KeyPiece]:
    """Return the keys for a width.

    Where not all words fit, luxuries go and words get shorter; where that is not enough the keys
    that matter least go, and what room that leaves is for whole words again. No key stands without
    a word, and the ways to everything else never go.
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
