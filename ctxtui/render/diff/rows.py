"""Rows of a difference: one line with a half for each side and what joins them in the middle."""

from __future__ import annotations

from ctxtui.models.diff_sides import SIGNS, Pair, Sides, operation_of
from ctxtui.models.look import Look
from ctxtui.render.message.preview import GLYPHS, WORDS, preview, tool_names
from ctxtui.render.text.lines import Line, Piece, fit, fit_pieces
from ctxtui.render.text.numbers import tokens
from ctxtui.render.text.severity import CACHED_BLOCK, RESENT_BLOCK, worst_of
from ctxtui.symbols import visible
from ctxtui.words import plural

ROOMY_CELLS = 50
WORDY_CELLS = 42
CUT = "┄"
INKS = {"hidden": "error", "added": "ok", "shown": "ok", "moved": "warn"}


def halves(width: int) -> tuple[int, int, int]:
    """Return the cells of the left half, the middle and the right half; one cell stays free."""
    middle = 4 if width >= 2 * WORDY_CELLS else 2
    left = max(0, width - middle - 1) // 2
    return left, middle, max(0, width - middle - left - 1)


def row(sides: Sides, pair: Pair, note: str, width: int) -> Line:
    """Return one line; a half without a message holds a note."""
    left, middle, right = halves(width)
    digits = len(str(max(len(sides.left.view), len(sides.right.view)) - 1))
    digits = max(3, digits)
    return [
        *_half(sides, sides.left, pair, pair.left, (left, digits), note),
        *_middle(sides, pair, middle),
        *_half(sides, sides.right, pair, pair.right, (right, digits), note),
    ]


def _half(
    sides: Sides, look: Look, pair: Pair, position: int | None, room: tuple[int, int], note: str
) -> Line:
    width, digits = room
    if position is None:
        return [Piece(fit(f"  {note}", width), "muted")]
    raw = look.view[position]
    message = look.state.log[raw]
    role = message.role
    lead = [_sign(pair, look is sides.left)]
    lead.append(Piece("★", "mark") if raw in sides.right.marked else Piece(" "))
    lead.append(Piece(f"{position:>{digits}} ", "bright"))
    if width >= ROOMY_CELLS:
        size = max(3, len(str(len(look.state.log) - 1)))
        lead.append(Piece(f"{raw:>{size}} ", "muted"))
    word = f"{GLYPHS[role]} {WORDS[role]:<5}" if width >= WORDY_CELLS else f"{GLYPHS[role]} "
    lead.append(Piece(word, role))
    tail = worst_of(look.findings_at.get(position, []))
    tail.append(Piece(f"{tokens(look.tokens(raw)):>6}", "muted"))
    used = sum(len(piece.text) for piece in (*lead, *tail))
    body = preview(message, tool_names(look.state.log, raw))
    return fit_pieces([*lead, *fit_pieces(body, max(0, width - used)), *tail], width)


def _sign(pair: Pair, is_left: bool) -> Piece:
    if pair.kind == "replaced":
        return Piece("−", "error") if is_left else Piece("+", "ok")
    if pair.kind == "same":
        return Piece(" ")
    return Piece(SIGNS[pair.kind], INKS[pair.kind])


def _middle(sides: Sides, pair: Pair, width: int) -> Line:
    """Return what joins the halves, and whether a cache would have the right one."""
    is_kept = pair.right is not None and pair.right < sides.prefix.messages
    join = Piece(" ")
    if pair.kind == "same":
        join = Piece("═", "ok") if is_kept else Piece("─", "faint")
    elif pair.kind == "replaced":
        join = Piece("→", "muted")
    lead = [Piece(" "), join, Piece(" ")] if width > 2 else [Piece(" ")]  # noqa: PLR2004
    return [*lead, gutter(sides, pair.right)]


def gutter(sides: Sides, position: int | None) -> Piece:
    """Return whether a cache would have a message: double line for kept, dots for sent again."""
    if position is None:
        return Piece(" ")
    if position < sides.prefix.messages:
        return Piece(CACHED_BLOCK, "ok")
    return Piece(RESENT_BLOCK, "error" if sides.is_broken else "muted")


def cut_row(sides: Sides, width: int) -> Line:
    """Return the line where a prompt cache breaks."""
    left, middle, right = halves(width)
    kept = sides.prefix
    same = f"same up to here: {plural(kept.messages, 'message')}, {kept.tokens:,} tokens"
    if len(same) + len(CUT * 4) > left:
        same = f"{plural(kept.messages, 'message')} the same"
    if not kept.messages:
        same = "not the same from the start"
    then, kind = ("cache breaks here", "error") if sides.is_broken else ("new from here", "ok")
    return [
        *_ruled(Piece(same, "ok" if kept.messages else "muted"), left, kind),
        Piece(CUT * middle, kind),
        *_ruled(Piece(then, kind), right, kind),
    ]


def _ruled(words: Piece, width: int, kind: str) -> Line:
    lead = CUT * 2 + " "
    room = max(0, width - len(lead) - len(words.text) - 1)
    line = [Piece(lead, kind), words, Piece(" " + CUT * room, kind)]
    return fit_pieces(line, width) if not room else line


def fold_row(sides: Sides, first: Pair, size: int, is_open: bool, width: int) -> Line:
    """Return the line that stands for many that are the same."""
    left, middle, right = halves(width)
    told = f"{CUT} {size:,} the same, enter folds them" if is_open else f"… {size:,} the same"
    return [
        Piece(fit(f"     {told}", left + middle - 1), "muted"),
        gutter(sides, first.right),
        Piece(" " * right),
    ]


def side_heads(sides: Sides, width: int) -> Line:
    """Return what each half is: its batch, its messages, its tokens."""
    left, middle, right = halves(width)
    return [
        *_side_head(sides, sides.left, left),
        Piece(" " * middle),
        *_side_head(sides, sides.right, right),
    ]


def _side_head(sides: Sides, look: Look, width: int) -> Line:
    tail = f"  {plural(len(look.view), 'message')}  {sides.about}{tokens(look.total)} "
    title = sides.name(look)
    told = look.batch.description.removeprefix(operation_of(look.batch)).strip()
    words = [Piece(f" {title}", "bright")]
    if sides.is_abandoned(look):
        words.append(Piece("  ◌ abandoned", "warn"))
    words.append(Piece(f"  {visible(told, width)}", "muted"))
    room = max(0, width - len(tail))
    return fit_pieces([*fit_pieces(words, room), Piece(tail, "muted")], width)
