"""Messages that would go, come or move, and the place where one takes another's stead."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from ctxtui.core.engine.state import State
from ctxtui.models.look import Look
from ctxtui.render.diff.words import Edit, edit_lines
from ctxtui.render.message.content import content_text
from ctxtui.render.message.preview import GLYPHS, WORDS, preview, tool_names
from ctxtui.render.outcome.prospect import Moves, Place, Prospect, Swap
from ctxtui.render.text.lines import Line, Piece, fit_pieces, on_row
from ctxtui.render.text.marks import star
from ctxtui.render.text.numbers import tokens
from ctxtui.render.text.wrap import wrap
from ctxtui.words import plural

LEAST_ROWS = 3
TAIL_CELLS = 7
MOST_TEXT = 2_000
"""Characters of a text that is shown whole because it can't be compared."""


def move_lines(prospect: Prospect, width: int, room: int | None) -> list[Line]:
    """Return all that would go, come or move in at most so many lines, or as many as there are."""
    moves = prospect.moves
    lines: list[Line] = []
    for at, move in enumerate(moves):
        left = len(moves) - at
        share = None if room is None else max(LEAST_ROWS + 3, (room - len(lines)) // left)
        lines += _section(prospect, move, width, share)
    return lines


def _section(prospect: Prospect, move: Moves, width: int, room: int | None) -> list[Line]:
    about = "oldest first" if move.number > 1 else ""
    head = [Piece(f"{plural(move.number, 'message')} {move.words}", "bright")]
    head.append(Piece(f"   {about}", "faint"))
    rows = list(move.places)
    fits = room is None or move.number <= room - 2
    shown = rows if fits else rows[: max(LEAST_ROWS, (room or 0) - 3)]
    lines: list[Line] = [head]
    lines += [
        on_row(_row(prospect, place, move.sign, move.kind, width), move.tint, width)
        for place in shown
    ]
    more = move.number - len(shown)
    if more:
        how = "   tab to here scrolls" if len(rows) > len(shown) else ""
        lines.append([Piece(f"  … {more:,} more{how}", "faint")])
    return [*lines, []]


def _row(prospect: Prospect, place: Place, sign: str, kind: str, width: int) -> Line:
    return message_row(prospect.look, prospect.result.moment, place, Piece(sign, kind), width)


def message_row(look: Look, state: State, place: Place, sign: Piece, width: int) -> Line:
    """Return a message with its place and its tokens; the sign says what becomes of it."""
    log, raw = state.log, place.raw
    message, cells = log[raw], len(str(len(log)))
    count = log.tokens(raw, state.counter)
    position = "" if place.position is None else f"{place.position:,}"
    mark = star(look, raw) if raw < look.log_size else None
    lead = [
        sign,
        mark or Piece(" "),
        Piece(f"{position:>{cells + 1}} ", "bright"),
        Piece(f"{raw:>{cells}} ", "muted"),
        Piece(f"{GLYPHS[message.role]} {WORDS[message.role]:<5}", message.role),
    ]
    tail = Piece(f" {f'{sign.text.strip()}{tokens(count)}':>{TAIL_CELLS - 1}}", sign.kind)
    used = sum(cell_len(piece.text) for piece in lead) + TAIL_CELLS
    body = preview(message, tool_names(log, raw))
    return [*lead, *fit_pieces(body, max(0, width - used)), tail]


def swap_lines(prospect: Prospect, swap: Swap, width: int) -> list[Line]:
    """Return where new messages stand among their neighbours, and how the text changes."""
    tints = {"−": ("hidden", "error"), "+": ("added", "ok"), " ": ("plain", "muted")}
    lines: list[Line] = [[Piece("Where it stands", "bright")]]
    for sign, place in swap.around:
        tint, kind = tints[sign]
        lines.append(on_row(_row(prospect, place, sign, kind, width), tint, width))
    return [*lines, [], *_text_lines(prospect, swap, width)]


def _text_lines(prospect: Prospect, swap: Swap, width: int) -> Sequence[Line]:
    if swap.old is None or swap.new is None:
        return []
    lines: list[Line] = [[Piece("What changes in the text", "bright")]]
    if swap.edits is None:
        told = "Too long or too different to be compared; this is the new text."
        lines += [[Piece(row, "muted")] for row in wrap(told, max(10, width))]
        text = content_text(prospect.result.moment.log[swap.new])[:MOST_TEXT]
        lines += edit_lines([Edit("in", text)], width)
    elif not swap.edits:
        lines.append([Piece("Nothing yet: it is the same text.", "muted")])
    else:
        lines += edit_lines(swap.edits, width)
    said = f"raw {swap.old} stays in the log; undo or roll back brings it in sight again."
    return [*lines, [], *([Piece(row, "faint")] for row in wrap(said, max(10, width)))]
