"""A data set before it is written: how many records, which files, and what is left out."""

from __future__ import annotations

from ctxtui.models.data_set import Prospect
from ctxtui.render.text.bars import bar
from ctxtui.render.text.lines import Line, Piece
from ctxtui.render.text.severity import PASSED
from ctxtui.render.text.wrap import wrap
from ctxtui.symbols import visible

NAME = 200
BAR = 24
BEFORE = 21
"""How many cells a name and a figure take."""


def export_lines(prospect: Prospect, is_forced: bool, width: int) -> list[Line]:
    """Return what would be written, and where."""
    plan = prospect.plan
    train, validation = len(plan.of("train")), len(plan.of("validation"))
    whole = max(1, train + validation)
    rows = [("train" if plan.order.ratio is not None else "records", train)]
    rows += [("validation", validation)] if plan.order.ratio is not None else []
    lines: list[Line] = [
        [
            Piece(f"{name:<12}", "muted"),
            Piece(f"{count:>7,}  ", "bright"),
            Piece(bar(count, whole, max(1, min(BAR, width - BEFORE))), "bar"),
        ]
        for name, count in rows
    ]
    if plan.left_out:
        about = ("below, with the reason of each", "below")
        lines.append(_counted("left out", len(plan.left_out), "warn", about, width))
    if plan.several and plan.order.ratio is not None:
        about = ("are alike, and stay on one side of the split", "not parted")
        lines.append(_counted("alike", plan.several, "bright", about, width))
    for group in plan.torn[:3]:
        names = visible(", ".join(one.entry.title for one in group[:3]), NAME)
        lines += [[Piece(row, "warn")] for row in wrap(f"▲ two verdicts: {names}", width)]
    lines.append([])
    if not prospect.files:
        lines.append([Piece("Name a file to write it.", "muted")])
    for name, is_there in prospect.files:
        sign, kind = ("▲ ", "warn") if is_there else ("→ ", "ok")
        for at, row in enumerate(wrap(visible(name, NAME), width - 2)):
            lines.append([Piece("  " if at else sign, kind), Piece(row, "bright")])
        if is_there:
            word = "would be written over" if is_forced else "is there already; nothing is written"
            lines.append([Piece(f"  {word}", kind)])
    return lines


def _counted(name: str, count: int, kind: str, about: tuple[str, str], width: int) -> Line:
    """Return a figure with its name, and words at its right: fewer where more don't fit."""
    words = about[0] if len(about[0]) <= width - BEFORE else about[1]
    return [Piece(f"{name:<12}", "muted"), Piece(f"{count:>7,}  ", kind), Piece(words, "muted")]


def left_out_lines(prospect: Prospect, width: int) -> list[Line]:
    """Return what would not be written, and why."""
    if not prospect.left_out:
        return [[PASSED.piece(), Piece("Nothing is left out.", "muted")]]
    lines: list[Line] = []
    for entry, reason in prospect.left_out:
        lines.append([Piece(visible(entry.title, max(1, width - 1)), "bright")])
        lines += [
            [Piece("  "), Piece(row, "muted")] for row in wrap(visible(reason, 400), width - 2)
        ]
    return lines
