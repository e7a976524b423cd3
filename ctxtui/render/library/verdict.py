"""Whom a verdict is for: said before the keys that give one, at the foot of the preview."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ctxtui.core.curation.digest import Row
from ctxtui.models.reviewing import VERDICTS
from ctxtui.render.library.signs import NEEDS_WORK, REJECTED, status_sign
from ctxtui.render.library.title import short_title
from ctxtui.render.text.lines import Line, Piece, line_width, on_paper, on_row
from ctxtui.render.text.sections import cropped, head
from ctxtui.render.text.severity import PASSED

MOST_TITLES, MOST_ALIKE = 3, 4
KEYS = (("+", "accept", PASSED), ("-", "reject", REJECTED), ("!", "needs work", NEEDS_WORK))


class Newest(NamedTuple):
    """What u would take back: what was done, in a word, and to what."""

    word: str
    title: str


def verdict_lines(chosen: Sequence[Row], newest: Newest | None, width: int) -> list[Line]:
    """Return whom a verdict is for, its keys, and what would be taken back."""
    lines: list[Line] = []
    if chosen:
        lines += [*_chosen(chosen, width), []]
    for_whom = "verdict"
    if chosen:
        for_whom = "verdict for it" if len(chosen) == 1 else f"verdict for the {len(chosen):,}"
    words = f"{for_whom}, then on to the next"
    lines.append([Piece(f"{words} ", "muted"), Piece("─" * (width - len(words) - 1), "track")])
    keys: Line = []
    for key, word, sign in KEYS:
        gap = Piece("  " if keys else "")
        keys += [
            gap,
            Piece(f" {key} ", on_paper(sign.kind, "select")),
            Piece(f" {word}", sign.kind),
        ]
    lines.append(keys)
    if newest is not None:
        what = Piece(f"{newest.word}: ", "muted")
        if newest.word in VERDICTS:
            what = status_sign(newest.word).piece()
        lead = [Piece("u", "key"), Piece("  takes back ", "muted"), what]
        lines.append([*lead, Piece(short_title(newest.title, max(1, width - line_width(lead))))])
    return cropped(lines, width)


def _chosen(chosen: Sequence[Row], width: int) -> list[Line]:
    """Return who is selected, and what is odd about it."""
    lines: list[Line] = [head(f"{len(chosen):,} selected", [], width)]
    lines += [[Piece(short_title(row.entry.title, width), "text")] for row in chosen[:MOST_TITLES]]
    if len(chosen) > MOST_TITLES:
        lines.append([Piece(f"and {len(chosen) - MOST_TITLES:,} more", "muted")])
    split = split_groups(chosen)
    if split:
        lines.append(_two_verdicts(split[0]))
    return lines


def alike_lines(row: Row, group: Sequence[Row], width: int) -> list[Line]:
    """Return the others of a session's group, and that two verdicts in it don't agree."""
    others = [one for one in group if one.entry.id != row.entry.id]
    if not others:
        return []
    lines: list[Line] = [[Piece("Alike", "muted")]]
    for one in others[:MOST_ALIKE]:
        title = short_title(one.entry.title, width - 2)
        lines.append([status_sign(one.entry.status).piece(), Piece(title)])
    if len(others) > MOST_ALIKE:
        lines.append([Piece(f"and {len(others) - MOST_ALIKE:,} more", "muted")])
    split = split_groups(group)
    if split:
        lines.append(on_row(_two_verdicts(split[0]), "warning", width))
    return lines


def _two_verdicts(verdicts: Sequence[str]) -> Line:
    """Return that sessions of a group were decided differently, with the sign of each verdict."""
    line: Line = []
    for verdict in verdicts:
        line += [*([Piece("and ", "muted")] if line else []), status_sign(verdict).piece()]
    return [*line, Piece("in one group of duplicates", "text")]


def split_groups(rows: Sequence[Row]) -> list[tuple[str, ...]]:
    """Return the verdicts of each group of duplicates that was not decided in one way."""
    found: dict[int, set[str]] = {}
    for row in rows:
        if row.alike is not None:
            found.setdefault(row.alike.group, set()).add(row.entry.status)
    given = [tuple(one for one in VERDICTS if one in statuses) for statuses in found.values()]
    return [verdicts for verdicts in given if len(verdicts) > 1]
