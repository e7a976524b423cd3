"""What a replacement would come to, and where the old text still is."""

from __future__ import annotations

from ctxtui.core.curation.replacing import EVERYWHERE, OTHER_ROLES, PURGE
from ctxtui.models.replacing import DryRun, ReplaceFigures
from ctxtui.render.text.lines import Line, Piece
from ctxtui.render.text.numbers import change
from ctxtui.render.text.wrap import wrap
from ctxtui.symbols import visible
from ctxtui.words import plural


def would_lines(run: DryRun, figures: ReplaceFigures, width: int) -> list[Line]:
    """Return what it would do, in figures."""
    share = f"of {run.visible:,} visible"
    rows: list[tuple[str, int, str, str]] = [
        (
            "hits",
            figures.hits,
            "bright",
            f"{figures.left_out:,} left out" if figures.left_out else "",
        ),
        ("messages", figures.messages, "bright", share),
        ("beside", figures.beside, "bright", "titles, labels, tools, fields …"),
        ("sessions", figures.sessions, "bright", f"of {run.sessions:,}"),
        ("accepted", figures.accepted, "warn", "go back to in review"),
    ]
    lines: list[Line] = [
        [Piece(f"{name:<10}", "muted"), Piece(f"{count:>7,}  ", kind), Piece(words, "muted")]
        for name, count, kind, words in rows
        if count or name not in ("accepted", "beside")
    ]
    if figures.hits:
        lines.append(_tokens(figures.tokens_before, figures.tokens_after))
    if run.problems:
        lines.append([])
        lines += [
            [Piece(row, "error")]
            for problem in run.problems[:3]
            for row in wrap(visible(problem, 300), width)
        ]
    return lines


def _tokens(before: int, after: int) -> Line:
    """Return what would be visible in the sessions that change, before and after."""
    name = Piece(f"{'tokens':<10}", "muted")
    less = change(abs(after - before), "+" if after > before else "−")
    return [
        name,
        Piece(f"{before:>7,}  "),
        Piece(f"→ {after:,}", "bright"),
        Piece(f"   {less}", "muted"),
    ]


def searching_words(searched: int, sessions: int, hits: int) -> str:
    """Return how far a search is."""
    return f"searched {searched:,} of {plural(sessions, 'session')}, {plural(hits, 'hit')} so far"


def searching_lines(words: str, width: int) -> list[Line]:
    """Return how far a search is, where its outcome will be: before its end nothing is known."""
    return [[Piece(row, "muted")] for row in wrap(words, width)]


def stays_lines(run: DryRun, figures: ReplaceFigures, width: int) -> list[Line]:
    """Return where the old text still is afterwards, before anything is done."""
    if not run.is_searched:
        return []
    about = "A replaced message stays in the log, so that u can bring it back."
    rows = (
        ("log and journal of the sessions", figures.hits),
        ("names of fields, ids, types, numbers", run.stays.total(EVERYWHERE)),
        ("hidden messages, recorded calls", run.stays.total(PURGE)),
        ("other roles, beside messages", run.stays.total(OTHER_ROLES)),
        ("trash, deleted sessions", run.trash.hits),
    )
    lines: list[Line] = []
    if figures.hits:
        lines += [
            [Piece("  " if at else "▲ ", "warn"), Piece(row)]
            for at, row in enumerate(wrap(about, width - 2))
        ]
    lines += [
        [Piece(f"  {name:<36}", "muted"), Piece(f"{count:>6,}", "warn")]
        for name, count in rows
        if count
    ]
    told = [] if any(count for _, count in rows) else ["Found nowhere else in these sessions."]
    unsearched = ["the history of changes", "sessions that are not chosen"]
    if run.stays.sealed:
        unsearched.insert(0, plural(run.stays.sealed, "encrypted or encoded part"))
    if run.problems:
        unsearched.insert(0, f"{plural(len(run.problems), 'session')} that can't be read")
    told.append(f"Not searched: {', '.join(unsearched)}.")
    if figures.hits or run.stays.total(PURGE):
        told.append(
            "Before you give the data away, Q in the library writes new sessions of what is "
            "visible and removes the originals for good."
        )
    return [*lines, *([Piece(row, "muted")] for one in told for row in wrap(one, width))]
