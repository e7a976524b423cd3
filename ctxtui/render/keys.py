"""The line of keys at the bottom: as many words as fit, and never without the way to the rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len

from ctxtui.commands import Command, Group
from ctxtui.render.text.lines import Piece

ORDER: tuple[Group, ...] = ("change", "time", "look", "keep", "list", "rest")
"""Groups from left to right; words go from the left first."""
SHORT = {"escape": "esc"}
LAST = ("operations", "help")
"""What never goes: the ways to everything else."""


class Key(NamedTuple):
    """A piece of the line, and the command it stands for."""

    piece: Piece
    command: Command | None = None


def key_line(commands: Sequence[Command], width: int) -> list[Key]:
    """Return the keys for a width: all words, fewer words, and in the end fewer keys."""
    groups = [
        [command for command in commands if command.footer and command.group == group]
        for group in ORDER
    ]
    wordless: set[Group] = set()
    gone: set[str] = set()
    while True:
        line = _line(groups, wordless, gone)
        if sum(cell_len(key.piece.text) for key in line) <= width:
            return line
        left = [group for group in ORDER if group not in wordless and group != "rest"]
        if left:
            wordless.add(left[0])
            continue
        candidates = [
            command.action
            for members in groups
            for command in members
            if command.action not in LAST and command.action not in gone
        ]
        if not candidates:
            return line
        gone.add(candidates[-1])


def _line(groups: list[list[Command]], wordless: set[Group], gone: set[str]) -> list[Key]:
    line: list[Key] = []
    for members in groups:
        shown = [command for command in members if command.action not in gone]
        if shown and line:
            line.append(Key(Piece("│ ", "track")))
        for command in shown:
            key = SHORT.get(keys := command.shown_keys().split()[0], keys)
            line.append(Key(Piece(f" {key}", "key"), command))
            with_word = command.group not in wordless or command.action in LAST
            word = f" {command.title.lower()} " if with_word else " "
            line.append(Key(Piece(word, "muted"), command))
    return line
