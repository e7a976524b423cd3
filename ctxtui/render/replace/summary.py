"""What a replacement would come to, and where the old text still is."""

from __future__ import annotations

from ctxtui.models.replacing import DryRun, ReplaceFigures
from ctxtui.render.text.lines import Line, Piece
from ctxtui.render.text.numbers import change
from ctxtui.render.text.severity import PASSED
from ctxtui.render.text.wrap import wrap
from ctxtui.symbols import visible


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
        ("sessions", figures.sessions, "bright", f"of {run.sessions:,}"),
        ("accepted", figures.accepted, "warn", "go back to in review"),
    ]
    lines: list[Line] = [
        [Piece(f"{name:<10}", "muted"), Piece(f"{count:>7,}  ", kind), Piece(words, "muted")]
        for name, count, kind, words in rows
        if count or name != "accepted"
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


def stays_lines(run: DryRun, figures: ReplaceFigures, width: int) -> list[Line]:
    """Return where the old text still is afterwards, before anything is done."""
    if not figures.hits and not any((*run.stays, run.trash.hits)):
        return [[PASSED.piece(), Piece("Nothing of it is anywhere else either.", "muted")]]
    about = "A replaced message stays in the log, so that u can bring it back."
    rows = (
        ("log and journal of the sessions", figures.hits),
        ("hidden messages, not searched now", run.stays.hidden),
        ("trash, deleted sessions", run.trash.hits),
        ("titles, tags and notes", run.stays.about),
        ("names of fields, pictures, data", run.stays.beside),
    )
    rows_of_about = wrap(about, width - 2)
    lines: list[Line] = [
        [Piece("  " if at else "▲ ", "warn"), Piece(row)] for at, row in enumerate(rows_of_about)
    ]
    lines += [
        [Piece(f"  {name:<36}", "muted"), Piece(f"{count:>6,}", "warn")]
        for name, count in rows
        if count
    ]
    end = "Before you give the data away, Q in the library writes new sessions of what is visible "
    end += "and removes the originals for good."
    return [*lines, *([Piece(row, "muted")] for row in wrap(end, width))]
