"""Labels on an axis: round numbers, and texts under what they are about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ctxtui.render.text.lines import Line, Piece


def round_steps() -> Iterator[int]:
    """Yield 1, 2, 5, 10, 20, 50, and so on."""
    power = 1
    while True:
        yield from (power, 2 * power, 5 * power)
        power *= 10


def round_step(most: int, whole: int) -> int:
    """Return the smallest round step that divides a whole into no more than so many parts."""
    return next(step for step in round_steps() if step * max(1, most) >= whole)


def bucket_of(at: int, whole: int, cells: int) -> int:
    """Return the cell whose bucket holds a place, where a whole is shared out among cells."""
    return ((at + 1) * cells - 1) // whole


def placed(texts: Iterable[tuple[int, Piece]], room: int) -> Line:
    """Return a line of texts around their middles, none of them past the room.

    The first ones given have the right of way; what would touch another one is left out.
    """
    taken: dict[int, Piece] = {}
    for middle, piece in texts:
        size = len(piece.text)
        start = max(0, min(middle - size // 2, room - size))
        free = all(
            start + size < other or other + len(there.text) < start
            for other, there in taken.items()
        )
        if free and size <= room:
            taken[start] = piece
    line: Line = []
    at = 0
    for start, piece in sorted(taken.items()):
        line += [Piece(" " * (start - at)), piece]
        at = start + len(piece.text)
    return line
