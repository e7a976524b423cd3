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
            Piece(bar(count, whole, BAR), "bar"),
        ]
        for name, count in rows
    ]
    if plan.left_out:
        lines.append(
            [
                Piece(f"{'left out':<12}", "muted"),
                Piece(f"{len(plan.left_out):>7,}  ", "warn"),
                Piece("below, with the reason of each", "muted"),
            ]
        )
    if plan.several and plan.order.ratio is not None:
        words = "are alike, and stay on one side of the split"
        lines.append(
            [
                Piece(f"{'alike':<12}", "muted"),
                Piece(f"{plan.several:>7,}  ", "bright"),
                Piece(words, "muted"),
            ]
        )
    for group in plan.torn[:3]:
        names = visible(", ".join(one.entry.title for one in group[:3]), NAME)
        lines += [[Piece(row, "warn")] for row in wrap(f"▲ two verdicts: {names}", width)]
    lines.append([])
    if not prospect.files:
        lines.append([Piece("Name a file at the left to write it.", "muted")])
    for name, is_there in prospect.files:
        sign, kind = ("▲ ", "warn") if is_there else ("→ ", "ok")
        for at, row in enumerate(wrap(visible(name, NAME), width - 2)):
            lines.append([Piece("  " if at else sign, kind), Piece(row, "bright")])
        if is_there:
            word = "would be written over" if is_forced else "is there already; nothing is written"
            lines.append([Piece(f"  {word}", kind)])
    return lines


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
