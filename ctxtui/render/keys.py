"""The line of keys at the bottom: shorter words where there is little room, then fewer keys."""

from __future__ import annotations

from collections.abc import Collection
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
    shown = [key for group in keys for key in group]
    most_first = sorted(shown, key=lambda key: key.rank)
    least_first = most_first[::-1]
    short: list[Key] = []
    for key in least_first:
        if key.rank >= LUXURY and not _fits(keys, shown, short, width):
            shown.remove(key)
    for key in least_first:
        if not _fits(keys, shown, short, width):
            short.append(key)
    for key in least_first:
        if key in shown and key.rank != ALWAYS and not _fits(keys, shown, short, width):
            shown.remove(key)
    for key in most_first:
        longer = [one for one in short if one is not key]
        if _fits(keys, shown, longer, width):
            short = longer
    return _line(keys, shown, short)


def _fits(keys: Keys, shown: Collection[Key], short: Collection[Key], width: int) -> bool:
    line = _line(keys, shown, short)
    return sum(cell_len(one.piece.text) for one in line) <= width


def _line(keys: Keys, shown: Collection[Key], short: Collection[Key]) -> list[KeyPiece]:
    line: list[KeyPiece] = []
    for group in keys:
        members = [key for key in group if key in shown]
        if members and line:
            line.append(KeyPiece(BETWEEN))
        for key in members:
            word = key.short if key in short else key.word
            line.append(KeyPiece(Piece(f" {key.keys}", "key"), key.command))
            line.append(KeyPiece(Piece(f" {word} ", "muted"), key.command))
    return line
