"""Flows pieces of different kinds into lines of a width, measured in cells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby, takewhile

from rich.cells import cell_len

from ctxtui.render.text.lines import Line, Piece

# Scripts without spaces may be broken between any two characters, but a closing sign never begins
# a line and an opening one never ends it.
_OPENING = "\u3008\u300a\u300c\u300e\u3010\u3014\u3016\uff08\uff3b\uff5b"
_CLOSING = (
    "\u3001\u3002\u3009\u300b\u300d\u300f\u3011\u3015\u3017\u3099\u309a"
    "\uff01\uff09\uff0c\uff0e\uff1a\uff1b\uff1f\uff3d\uff5d"
)
_WIDE = "\u2e80-\ua4cf\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\U00020000-\U0003fffd"
_CHUNK = re.compile(f" +|[{_OPENING}]*[{_WIDE}][{_CLOSING}]*|[^ {_WIDE}]+")
_IS_WIDE = re.compile(f"[{_WIDE}]")
_AS_EMOJI = "\ufe0f"
"""The sign that makes the character before it a picture, which takes two cells."""


def cells(text: str) -> int:
    """Return how many cells a text takes at most, also when it follows another one."""
    if text.isascii():
        return len(text)
    marks = takewhile(lambda char: not cell_len(char), text)
    return cell_len(text) + (_AS_EMOJI in text and _AS_EMOJI in marks)


def line_cells(line: Iterable[Piece]) -> int:
    """Return how many cells the pieces of a line take."""
    return sum(cells(piece.text) for piece in line)


def hinted(text: str) -> str:
    """Return a text for lines of one cell, where a character of two can only be hinted at."""
    if text.isascii():
        return text
    return "".join("…" if cell_len(char) > 1 else char for char in text).replace(_AS_EMOJI, "")


def chopped(text: str, room: int, width: int) -> Iterator[str]:
    """Yield a text in parts that fit: the first in a room (maybe nothing), others in a width."""
    if text.isascii():
        yield text[:room]
        yield from (text[i : i + width] for i in range(room, len(text), width))
        return
    if width == 1:
        text = hinted(text)
    start = base = used = 0
    for i, char in enumerate(text):
        size = cell_len(char)
        if size:
            base = i
        elif char == _AS_EMOJI:
            size = 1
        # A character stays together with the marks on it, one of which may widen it.
        if used + size > room and (base > start or room < width):
            yield text[start:base]
            start, used, room = base, cells(text[base:i]), width
        used += size
    yield text[start:]


def flow(pieces: Iterable[Piece], width: int) -> list[Line]:
    """Return pieces as lines that fit; words stay whole where they can, line breaks stay."""
    lines: list[Line] = []
    for line in _broken(pieces):
        if all(text.isascii() for text, _ in line) and sum(len(t) for t, _ in line) <= width:
            lines.append(line)
        else:
            lines += _Flow(line, width).lines
    return lines


def _broken(pieces: Iterable[Piece]) -> Iterator[Line]:
    """Yield pieces line by line, with neighbours of one kind as one."""
    line: Line = []
    for text, kind in pieces:
        for i, part in enumerate(text.split("\n")):
            if i:
                yield _merged(line)
                line = []
            if part:
                line.append(Piece(part, kind))
    yield _merged(line)


def _merged(line: Line) -> Line:
    return [
        Piece("".join(piece.text for piece in group), kind)
        for kind, group in groupby(line, key=lambda piece: piece.kind)
    ]


def _put(line: Line, piece: Piece) -> None:
    """Add a piece to a line; it grows the last one if that is of the same kind."""
    if line and line[-1].kind == piece.kind:
        line[-1] = Piece(line[-1].text + piece.text, piece.kind)
    else:
        line.append(piece)


class _Flow:
    """One line on its way into several: what is placed, the spaces and the word that wait."""

    def __init__(self, pieces: Line, width: int) -> None:
        self.lines: list[Line] = [[]]
        self._width = width
        self._used = 0
        self._spaces: Line = []
        self._word: Line = []
        self._breakable = False
        for text, kind in pieces:
            for chunk in _CHUNK.findall(text):
                self._add(Piece(chunk, kind))
        self._place()

    def _add(self, chunk: Piece) -> None:
        first = chunk.text[0]
        if first == " ":
            self._place()
            self._spaces.append(chunk)
            return
        wide = _IS_WIDE.search(chunk.text) is not None
        if (self._breakable or wide) and first not in _CLOSING and cell_len(first):
            self._place()
        self._word.append(chunk)
        self._breakable = wide

    def _place(self) -> None:
        """Put the waiting word on this line, or on the next; spaces at a break are dropped."""
        self._breakable = False
        if not self._word:
            return
        size = line_cells(self._word)
        if self._used + line_cells(self._spaces) + size > self._width:
            self._spaces.clear()
            if self._used:
                self._next()
        for piece in (*self._spaces, *self._word):
            self._put(piece)
        self._spaces.clear()
        self._word.clear()

    def _put(self, piece: Piece) -> None:
        for i, part in enumerate(chopped(piece.text, self._width - self._used, self._width)):
            if i:
                self._next()
            if part:
                _put(self.lines[-1], Piece(part, piece.kind))
                self._used += cells(part)

    def _next(self) -> None:
        self.lines.append([])
        self._used = 0
