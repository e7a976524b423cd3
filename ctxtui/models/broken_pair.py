"""The messages around a finding: both halves of a broken exchange, and the cut between them."""

from __future__ import annotations

from typing import NamedTuple

from ctxtui.core import Finding
from ctxtui.models.causes import OtherHalf
from ctxtui.models.look import Look

AROUND = 1
AROUND_ALONE = 2
"""How many neighbours are shown of a pair, and of a message that is wrong by itself."""
MOST_BETWEEN = 3
"""How many messages between two halves are shown; more of them are a gap."""


class PairRow(NamedTuple):
    """A line of the picture: a message, or words about what is missing there."""

    raw: int | None = None
    words: str = ""
    is_cut: bool = False
    """Whether this is where an operation cut the exchange in two."""
    is_part: bool = False
    """Whether it is one of the halves, or stands for one."""


def pair_rows(look: Look, finding: Finding) -> list[PairRow]:
    """Return the messages a finding is about with their neighbours; none if it is about all."""
    raw, position = finding.raw_index, finding.position
    if raw is None or position is None:
        return []
    half = look.other_half(finding)
    if half is None:
        rows = _visible(look, position, position, AROUND_ALONE)
        return _with_ghost(look, [one._replace(is_part=one.raw == raw) for one in rows], finding)
    if half.blame is None:
        other = look.view.position(half.raw)
        assert other is not None
        rows = _visible(look, min(position, other), max(position, other), AROUND)
    else:
        first, last = sorted((raw, half.raw))
        rows = _folded(range(max(0, first - AROUND), min(look.log_size, last + AROUND + 1)), AROUND)
    parts = (raw, half.raw)
    rows = [one._replace(is_part=one.raw in parts) for one in rows]
    return rows if half.blame is None else _with_cut(look, rows, raw, half)


def _visible(look: Look, first: int, last: int, around: int) -> list[PairRow]:
    """Return what stands between two positions, and a little before and after."""
    places = range(max(0, first - around), min(len(look.view), last + around + 1))
    return [
        row if row.raw is None else PairRow(look.view[row.raw]) for row in _folded(places, around)
    ]


def _folded(places: range, around: int) -> list[PairRow]:
    """Return a line for each place; a long way between two halves is one line."""
    if len(places) <= MOST_BETWEEN + 2 + 2 * around:
        return [PairRow(place) for place in places]
    start, end = places[: around + 2], places[-around - 2 :]
    gap = PairRow(words=_gap(len(places) - len(start) - len(end)))
    return [*map(PairRow, start), gap, *map(PairRow, end)]


def _gap(count: int) -> str:
    return f"{count:,} more between"


def _with_ghost(look: Look, rows: list[PairRow], finding: Finding) -> list[PairRow]:
    """Return the rows with words where a half would stand that never was in the log."""
    raw = finding.raw_index
    if raw is None or not finding.repairs:
        return rows
    at = next(i for i, row in enumerate(rows) if row.raw == raw)
    if look.state.log.links(raw).calls:
        ghost = PairRow(words="no result of it was ever added", is_part=True)
        return [*rows[: at + 1], ghost, *rows[at + 1 :]]
    ghost = PairRow(words="its call was never added", is_part=True)
    return [*rows[:at], ghost, *rows[at:]]


def _with_cut(look: Look, rows: list[PairRow], raw: int, half: OtherHalf) -> list[PairRow]:
    """Return the rows with a line where the hidden half was cut off, beside the visible one."""
    blame = half.blame
    if blame is None:
        return rows
    if blame.batch is None:
        words = "never visible on this path"
    else:
        name = "" if blame.operation is None else f" {blame.operation.title}"
        words = f"batch {blame.batch.number}{name} cut here"
    cut = PairRow(words=words, is_cut=True)
    at = next(i for i, row in enumerate(rows) if row.raw == raw)
    towards = -1 if half.raw < raw else 1
    # From the half that is left, over what else is left, to the first one that is hidden.
    while _is_left(look, rows[at + towards]):
        at += towards
    place = at if towards < 0 else at + 1
    return [*rows[:place], cut, *rows[place:]]


def _is_left(look: Look, row: PairRow) -> bool:
    return row.raw is not None and look.view.position(row.raw) is not None
