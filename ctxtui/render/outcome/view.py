"""The preview of an operation: figures, ribbons, warnings, what moves, lint and a hint."""

from __future__ import annotations

from ctxtui.render.outcome.figures import figure_lines, legend, ribbon_lines
from ctxtui.render.outcome.findings import hint_lines, lint_lines, worry_lines
from ctxtui.render.outcome.prospect import Prospect
from ctxtui.render.outcome.rows import move_lines, swap_lines
from ctxtui.render.outcome.settings import held_lines
from ctxtui.render.text.lines import Line, Piece, on_row
from ctxtui.render.text.sections import cropped, stacked_up
from ctxtui.render.text.severity import ERROR, PASSED, WARNING
from ctxtui.render.text.wrap import wrap
from ctxtui.symbols import visible
from ctxtui.words import plural

SMALL = 20
"""Lines below which there is no room for blank ones and for explanations."""


def outcome_lines(prospect: Prospect, width: int, height: int | None = None) -> list[Line]:
    """Return the preview; with a height the rows give way, so that lint and hint are in sight."""
    is_small = height is not None and height < SMALL and not _has_room(prospect, width, height)
    notes = [line for note in prospect.notes for line in _note(note, width)]
    top = [figure_lines(prospect, width), ribbon_lines(prospect, width)]
    if not is_small and prospect.result.diff.hidden and prospect.swap is None:
        top[1].append([Piece(" " * 10), *legend()])
    worries = worry_lines(prospect, width)
    hint = hint_lines(prospect, width)
    lint = [*lint_lines(prospect, width), *([[], *hint] if hint and not is_small else hint)]
    if prospect.held is not None:
        return cropped(stacked_up(held_lines(prospect.held, width), notes, lint), width)
    stack = _together if is_small else stacked_up
    head = stack(*top, notes, worries)
    if prospect.swap is not None:
        rows = swap_lines(prospect, prospect.swap, width)
        if is_small:
            return cropped([*_together(top[0], notes, worries, rows), *lint], width)
        return cropped(stacked_up(head, lint, rows), width)
    if not prospect.moves:
        same: list[Line] = [[Piece("What is sent stays the same.", "muted")]]
        return cropped(stacked_up(head, same, lint), width)
    gaps = 0 if is_small else 2
    room = None if height is None else height - len(head) - len(lint) - gaps
    rows = move_lines(prospect, width, room)
    if is_small:
        return cropped([*head, *lint, *rows], width)
    return cropped([*head, [], *rows, *lint], width)


def _has_room(prospect: Prospect, width: int, height: int) -> bool:
    """Tell whether all of it fits into a few lines, blank ones too; long ones are not tried."""
    listed = sum(len(move.places) for move in prospect.moves)
    return listed < height and len(outcome_lines(prospect, width)) <= height


def _together(*sections: list[Line]) -> list[Line]:
    return [line for section in sections for line in section]


def _note(note: str, width: int) -> list[Line]:
    rows = wrap(visible(WARNING.text(note), 400), max(10, width))
    return [on_row([Piece(row, WARNING.kind)], "warning", width) for row in rows]


def price(prospect: Prospect) -> Line:
    """Return what applying costs, in the words that stand behind the button."""
    outcome = prospect.outcome
    told: Line = []
    for move in prospect.moves:
        verb = move.words.removeprefix("would ")
        verb = f"{verb}es" if move.number == 1 and verb.endswith("o") else verb
        verb = f"{verb}s" if move.number == 1 and not verb.endswith("s") else verb
        told.append(Piece(f"{move.number:,} {verb}", move.kind))
    come = [one for one in outcome.findings_come if one.severity == "error"]
    gone = [one for one in outcome.findings_gone if one.severity == "error"]
    for findings, verb, kind in ((come, "come", ERROR.kind), (gone, "go", PASSED.kind)):
        if findings:
            single = {"come": "comes", "go": "goes"}[verb] if len(findings) == 1 else verb
            told.append(Piece(f"{plural(len(findings), 'error')} {single}", kind))
    if not told:
        return [Piece("nothing that is sent changes", "muted")]
    line: Line = []
    for piece in told:
        line += [Piece(", ", "muted"), piece] if line else [piece]
    return line
