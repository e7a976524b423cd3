"""The head of a small screen: what it is, how full it is, and the panes as tabs."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len

from ctxtui.models.look import Look
from ctxtui.render.status import amount, lint, place
from ctxtui.render.text.choosing import longest, size_of
from ctxtui.render.text.lines import Line, Piece, fit
from ctxtui.render.text.numbers import tokens
from ctxtui.symbols import visible

GAUGE_CELLS = 14
LEAST_RIBBON = 12
LEAST_TITLE = 8


def session_line(look: Look, title: str, saved: Line, width: int) -> Line:
    """Return the session, whether it is saved, the batch and the errors."""
    shown = visible(title, 80)
    size = cell_len(shown)

    def ways() -> Iterator[tuple[Line, Line]]:
        ends = [[*place(look), Piece("   "), *lint(look), Piece(" ")]]
        ends.append([*place(look), Piece("  "), *lint(look, is_short=True), Piece(" ")])
        ends.append([*lint(look, is_short=True), Piece(" ")])
        for end in ends:
            left = Piece(f" {shown}  ", "bright")
            yield [left, *saved], end
            room = width - size_of([*saved, *end]) - len("    ")
            if LEAST_TITLE <= room < size:
                yield [Piece(f" {fit(shown, room)}  ", "bright"), *saved], end
        yield list(saved), ends[-1]

    return longest(ways(), width)


def narrow_ends(look: Look, width: int) -> tuple[Line, Line]:
    """Return what stands before and behind the ribbon of a small screen."""
    lead = [
        Piece(f" {tokens(len(look.view))}", "bright"),
        Piece(f" of {tokens(look.log_size)} ", "muted"),
    ]
    for cells in (GAUGE_CELLS, 8, 0):
        tail = [Piece(" "), *amount(look, cells)]
        if width - size_of([*lead, *tail]) >= LEAST_RIBBON:
            return lead, tail
    return lead, [Piece(" ")]
