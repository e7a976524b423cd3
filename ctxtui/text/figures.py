"""Before → after: figures below each other, each with a bar and a word on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ctxtui.text.lines import Line, Piece, line_width
from ctxtui.text.numbers import tokens
from ctxtui.text.plots import on_track

LABEL_CELLS = 10
VALUE_CELLS = 5
LONGEST_BAR = 24
SHORTEST_BAR = 6
NOTE_CELLS = 26
"""How wide names, values and bars are, and what is left for a word on each."""


class Figure(NamedTuple):
    """One line: its name, both values, a word on it, and a share of a whole as a bar."""

    name: str
    before: str
    """Nothing where there is no value before."""
    after: str
    note: Line
    share: tuple[int, int] | None = None
    kind: str = "bright"
    bars: tuple[str, str] = ("bright", "track")
    arrow: str = "→"


def count_figure(name: str, before: int | None, after: int, note: Line | None = None) -> Figure:
    """Return two counts with the larger one as the whole; the note is by how much they differ."""
    shown = "" if before is None else tokens(before)
    note = [change_piece(before or 0, after)] if note is None else note
    return Figure(name, shown, tokens(after), note, (after, max(before or 0, after, 1)))


def change_piece(before: int, after: int) -> Piece:
    """Return by how much a count went up or down."""
    if after == before:
        return Piece("the same", "faint")
    down = after < before
    return Piece(f"{'−' if down else '+'}{tokens(abs(after - before))}", "error" if down else "ok")


def cache_figure(kept: int, messages: int, sizes: tuple[int, int], total: int) -> Figure:
    """Return what a prompt cache keeps: tokens and messages of the sizes before and after."""
    before, after = sizes
    again = tokens(total - kept)
    if messages >= before:
        note = [Piece(f"holds, {again} new" if again != "0" else "holds", "muted")]
    elif messages >= after:
        note = [Piece("holds, nothing again", "muted")]
    else:
        note = [Piece(f"breaks at {messages:,}", "bright"), Piece(f", {again} again", "muted")]
    bars = ("ok", "error" if total else "track")
    return Figure("cache", "kept", tokens(kept), note, (kept, max(total, 1)), bars=bars, arrow=" ")


def figure_table(figures: Sequence[Figure], width: int) -> list[Line]:
    """Return the figures in columns; a note that has no room has a line of its own."""
    left = max(len(one.before) for one in figures)
    left = max(VALUE_CELLS, left) if left else 0
    right = max(VALUE_CELLS, *(len(one.after) for one in figures))
    room = width - LABEL_CELLS - left - right - 5 - NOTE_CELLS
    room = min(LONGEST_BAR, room) if room >= SHORTEST_BAR and left else 0
    lines: list[Line] = []
    for one in figures:
        lead = [Piece(f"{one.name:<{LABEL_CELLS}}", "muted")]
        if left:
            arrow = one.arrow if one.before else " "
            lead.append(Piece(f"{one.before:>{left}} {arrow} ", "muted"))
        lead.append(Piece(f"{one.after:>{right}}  ", one.kind))
        if room:
            bar = (
                [Piece(" " * room)] if one.share is None else on_track(*one.share, room, *one.bars)
            )
            lead += [*bar, Piece("  ")]
        if line_width(lead) + line_width(one.note) <= width:
            lines.append([*lead, *one.note])
        else:
            lines += [lead, [Piece(" " * LABEL_CELLS), *one.note]]
    return lines
