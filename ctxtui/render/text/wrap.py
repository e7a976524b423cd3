"""Wrapping: long texts as lines of a width, without measuring what nobody will look at."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len

CAREFUL = 10_000
FIRST_WIDE = 0x2E80
"""Where writings begin that have no spaces: there a line may end behind any character."""
NEVER_FIRST = frozenset("，。、：；？！）》」』】〉”’…")
NEVER_LAST = frozenset("（《「『【〈“‘")
"""Signs that a line of such a writing neither begins nor ends with."""


def wrap(text: str, width: int) -> list[str]:
    """Return a text as lines that fit; words stay whole where lines are of human length."""
    lines: list[str] = []
    for line in text.split("\n"):
        if len(line) <= width and (line.isascii() or cell_len(line) <= width):
            lines.append(line)
        elif len(line) > CAREFUL:
            # Every character takes two cells at most, so half as many always fit.
            step = width if line.isascii() else max(1, width // 2)
            lines += [line[i : i + step] for i in range(0, len(line), step)]
        else:
            lines += _words(line, width)
    return lines


def _words(line: str, width: int) -> Iterator[str]:
    """Yield a line in pieces, cut at spaces where there are any."""
    while line:
        end = _fitting(line, width)
        if end < len(line):
            end = _break(line, end) or end
        yield line[:end].rstrip(" ") if end < len(line) or end > width else line
        line = line[end:]


def _break(line: str, end: int) -> int:
    """Return the last place up to an end where a line may be cut, or 0."""
    space = line.rfind(" ", 1, end + 1) + 1
    if line[: end + 1].isascii():
        return space
    for at in range(end, max(space, 1), -1):
        before, after = line[at - 1], line[at]
        is_wide = ord(before) >= FIRST_WIDE or ord(after) >= FIRST_WIDE
        if is_wide and after not in NEVER_FIRST and before not in NEVER_LAST:
            return at
    return space


def _fitting(line: str, width: int) -> int:
    """Return how many characters at the start of a line fit."""
    piece = line[:width]
    if piece.isascii():
        return len(piece)
    while len(piece) > 1 and cell_len(piece) > width:
        piece = piece[: max(1, len(piece) - (cell_len(piece) - width + 1) // 2)]
    return len(piece)
