"""The head of the library: where one is, how far the review is, and what is shown."""

from __future__ import annotations

from typing import NamedTuple

from ctxtui.models.reviewing import VERDICTS, Progress
from ctxtui.models.session_sorting import Sort
from ctxtui.render.library.signs import NEEDS_WORK, REJECTED, STATUS, status_sign
from ctxtui.render.saved import READ_ONLY
from ctxtui.render.tabs import Tab, TabLine
from ctxtui.render.text.bars import FULL
from ctxtui.render.text.choosing import longest, size_of
from ctxtui.render.text.lines import Line, Piece, joined
from ctxtui.render.text.severity import PASSED
from ctxtui.symbols import visible
from ctxtui.words import plural

MOST_BAR, LEAST_BAR = 40, 6
FOLDER_CELLS = 200
TO_GO = "─"


def library_tabs(
    active: str, folder: str | None, under_way: str, trashed: int | None, width: int
) -> TabLine:
    """Return the tabs of the library, and what is under way or that all that was decided is safe.

    Without a folder, it is a library that can only be looked at.
    """
    saved = Piece(f"… {under_way} ", "warn") if under_way else PASSED.piece("saved ")
    tabs = [
        Tab("library", "Library"),
        Tab("samples", "Samples"),
        Tab("watch", "Watch"),
        Tab("trash", "Trash", amount=f"{trashed:,}" if trashed else "", kind="muted"),
    ]
    if folder is None:
        return TabLine(tabs, active, width, [READ_ONLY], " ctxtui  ")
    end = [Piece(f"{visible(folder, FOLDER_CELLS)}   ", "muted"), saved]
    line = TabLine(tabs, active, width, end, " ctxtui  ")
    if size_of(line.line) >= width and size_of([*end]) > width // 2:
        return TabLine(tabs, active, width, [saved], " ctxtui  ")
    return line


def progress_bar(progress: Progress, width: int) -> Line:
    """Return a bar in the colours of the verdicts on a track of all that is to be reviewed."""
    parts = (
        (progress.accepted, PASSED.kind),
        (progress.rejected, REJECTED.kind),
        (progress.needs_work, NEEDS_WORK.kind),
    )
    whole, seen = max(1, progress.whole), 0
    cells: Line = []
    for count, kind in parts:
        seen += count
        # Something that was decided is never shown as nothing.
        stop = max(round(width * seen / whole), len(cells) + 1) if count else len(cells)
        cells += [Piece(FULL, kind)] * (min(stop, width) - len(cells))
    return joined([*cells, *[Piece(TO_GO, "track")] * (width - len(cells))])


def review_line(progress: Progress, width: int) -> Line:
    """Return how far the review is: in words, as a bar, and by verdict."""
    if not progress.whole:
        return []
    left: Line = [
        Piece(" REVIEW  ", "bright"),
        Piece(f"{progress.reviewed:,}", "bright"),
        Piece(f" of {progress.whole:,} reviewed  ", "text"),
    ]
    counts = [
        (PASSED, progress.accepted, " accepted"),
        (REJECTED, progress.rejected, " rejected"),
        (NEEDS_WORK, progress.needs_work, " need work"),
        (STATUS["new"], progress.to_go, " to go"),
    ]
    if not progress.to_go:
        counts.pop()
    worded: Line = []
    short: Line = []
    for sign, count, word in counts:
        worded += [Piece(f"   {sign.text(f'{count:,}')}", sign.kind), Piece(word, "muted")]
        short.append(Piece(f"  {sign.text(f'{count:,}')}", sign.kind))
    for line in (worded, short):
        line.append(Piece(" "))
    for end in (worded, short):
        room = min(MOST_BAR, width - size_of(left) - size_of(end))
        if room >= LEAST_BAR:
            return [*left, *progress_bar(progress, room), *end]
    return longest([([*left, *short], []), (left, [])], width)


def review_corner(status: str, progress: Progress) -> Line:
    """Return the verdict on an open session, and how far the review of its library is."""
    sign = status_sign(status)
    verdict = [sign.piece(f"{status}   ")] if status in VERDICTS else []
    return [*verdict, Piece(f"{progress.reviewed:,} of {progress.whole:,} reviewed   ", "muted")]


class Shown(NamedTuple):
    """Which sessions are shown: of how many, by which filter, and what waits to be."""

    sessions: int
    whole: int
    where: str = ""
    newcomers: int = 0


def shown_line(shown: Shown, width: int) -> Line:
    """Return which sessions are shown, and what others have made meanwhile."""
    left: Line = [Piece(" &", "key")]
    if shown.where:
        counts = f"   {shown.sessions:,} of {plural(shown.whole, 'session')}   "
        left += [Piece(f" {visible(shown.where, 200)}", "bright"), Piece(counts, "muted")]
        left += [Piece("esc", "key"), Piece(" shows all", "muted")]
    else:
        left += [Piece(" all ", "muted"), Piece(f"{shown.whole:,}", "text")]
        left.append(Piece(" session" if shown.whole == 1 else " sessions", "muted"))
    if shown.newcomers:
        word = "it" if shown.newcomers == 1 else "them"
        right = [
            Piece(f"{shown.newcomers:,} new, ", "bright"),
            Piece("esc", "key"),
            Piece(f" shows {word} ", "text"),
        ]
    else:
        right = [Piece("the order stays as it is while you work ", "faint")]
    return longest([(left, right), (left, right if shown.newcomers else [])], width)


def sort_words(sort: Sort) -> Line:
    """Return what sessions are sorted by, and which way."""
    return [Piece(f"{sort.column} {'▴' if sort.is_reversed else '▾'}", "muted")]


def sessions_foot(selected: int, is_range: bool, first: int, last: int, whole: int) -> Line:
    """Return how many are selected, and which ones are in sight."""
    seen = f"all {whole:,}" if last - first >= whole else f"{first + 1:,}–{last:,} of {whole:,}"
    chosen = [Piece(f"{selected:,} selected   ", "bright")] if selected else []
    if is_range:
        chosen.append(Piece("v ends the range   ", "text"))
    return [*chosen, Piece(seen, "muted")] if whole else []
