"""Titles of sessions in little room: what tells them apart stays."""

from __future__ import annotations

import re
from pathlib import PurePath

from rich.cells import cell_len

from core.curation.catalog import Row
from ctxtui.render.text.lines import fit
from ctxtui.symbols import visible

LONGEST = 200
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


def told_title(row: Row, width: int) -> str:
    """Return what a session is called in a list, in exactly so many cells.

    Where it is only the name of its file, the first words of the conversation say more.
    """
    title, source, digest = row.entry.title, row.entry.source, row.digest
    name = PurePath(source).name if source else ""
    if not name or digest is None or digest.first is None or not title.startswith(name):
        return short_title(title, width)
    number = title.removeprefix(name)
    if number and not re.fullmatch(r" #\d+", number):
        return short_title(title, width)
    words = visible(" ".join(digest.first.text.split()), LONGEST)
    return fit(f"{number.strip() or '#1'} {words}", width)
