"""Titles of sessions in little room: what tells them apart stays."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import PurePath

from rich.cells import cell_len

from ctxtui.core.curation.digest import Row
from ctxtui.render.text.lines import fit
from ctxtui.symbols import visible

LONGEST = 200
LEAST_WORDS = 12
"""Cells that are worth it to begin with the first words of a conversation."""
KEPT = 20_000
"""Titles of which is remembered how they are told, since all are asked for at each step."""
MOST_WANTED = 60
"""Cells beyond which no column gives way to a title."""
END = re.compile(r"( \(\d+ of \d+\)| \((?:copy|squashed|recovered)\)| #\d+)+$")
"""What programs put behind a title to tell it from others."""


def short_title(title: str, width: int) -> str:
    """Return a title in exactly so many cells; one that is too long keeps its number."""
    text = visible(title, LONGEST)
    if cell_len(text) <= width:
        return fit(text, width)
    end = END.search(text)
    room = width - (0 if end is None else cell_len(end[0]))
    if end is None or room <= 1:
        return fit(text, width)
    return fit(text[: end.start()], room) + end[0]


def told_title(row: Row, width: int, *, is_of_many: bool = False) -> str:
    """Return what a session is called in a list, in exactly so many cells.

    Where it is only the name of its file, the first words of the conversation say more: behind it,
    or in its place where several are called so.
    """
    title, digest = row.entry.title, row.digest
    number = _number_in_file(title, row.entry.source)
    if number is None or digest is None or digest.first is None:
        return short_title(title, width)
    words = visible(" ".join(digest.first.text.split()), LONGEST)
    if number or is_of_many:
        return fit(f"{number or '#1'} {words}", width)
    name = visible(title, LONGEST)
    is_room = cell_len(name) + LEAST_WORDS <= width
    return fit(f"{name}  {words}", width) if is_room else short_title(title, width)


def wanted_cells(row: Row) -> int:
    """Return how many cells what a session is called would fill, or a bit more."""
    return _wanted_cells(row.entry.title, row.entry.source)


@lru_cache(maxsize=KEPT)
def _wanted_cells(title: str, source: str | None) -> int:
    is_file = _number_in_file(title, source) is not None
    return MOST_WANTED if is_file else min(MOST_WANTED, cell_len(visible(title, LONGEST)))


@lru_cache(maxsize=KEPT)
def _number_in_file(title: str, source: str | None) -> str | None:
    """Return the number behind the name of a file, if a title is just these; it may be none."""
    name = PurePath(source).name if source else ""
    if not name or not title.startswith(name):
        return None
    number = title.removeprefix(name)
    return number.strip() if re.fullmatch(r"( #\d+)?", number) else None
