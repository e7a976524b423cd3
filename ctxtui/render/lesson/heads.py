"""The names of columns in another language, each where the English one stood.

A Chinese character takes two cells, so a name may need more room than the English one has; it takes
that from the space beside it, never from a neighbour.
"""

from __future__ import annotations

import re

from rich.cells import cell_len

from ctxtui.lessons.screen_words import HEADS
from ctxtui.render.text.lines import Line, Piece

LEFT = ("role", "message", "operation")
"""Columns whose names begin where their values do; the others end there."""
ELLIPSIS = "…"


def said_head(line: Line | None, language: str) -> Line | None:
    """Return a line of column names in a language; the English one as it is."""
    if line is None or language != "zh":
        return line
    text = "".join(piece.text for piece in line)
    found = list(re.finditer(r"\S+", text))
    said = ""
    for nth, match in enumerate(found):
        following = found[nth + 1].start() if nth + 1 < len(found) else len(text) + 1
        least = cell_len(said) + bool(said)
        start, name = _placed(match[0], match.start(), match.end(), least, following - 1)
        said += " " * (start - cell_len(said)) + name
    kind = line[0].kind if line else "faint"
    return [Piece(said + " " * (len(text) - cell_len(said)), kind)]


def _placed(word: str, start: int, end: int, least: int, most: int) -> tuple[int, str]:
    """Return where the longest name begins that fits between two cells, or the English one."""
    name = next((one for one in HEADS if _is_cut_from(word, one)), word)
    for said in HEADS.get(name, ()):
        size = cell_len(said)
        at = start if name in LEFT else end - size
        if at >= least and at + size <= most:
            return at, said
    return start, word


def _is_cut_from(word: str, name: str) -> bool:
    return word == name or (word.endswith(ELLIPSIS) and name.startswith(word[: -len(ELLIPSIS)]))
