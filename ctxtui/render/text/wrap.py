"""Wrapping: long texts as lines of a width, without measuring what nobody will look at."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len

CAREFUL = 10_000


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
            space = line.rfind(" ", 1, end + 1)
            end = space + 1 if space > 0 else end
        yield line[:end].rstrip(" ") if end < len(line) or end > width else line
        line = line[end:]


def _fitting(line: str, width: int) -> int:
    """Return how many characters at the start of a line fit."""
    piece = line[:width]
    if piece.isascii():
        return len(piece)
    while len(piece) > 1 and cell_len(piece) > width:
        piece = piece[: max(1, len(piece) - (cell_len(piece) - width + 1) // 2)]
    return len(piece)
