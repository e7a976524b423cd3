"""Why a finding is one: the rule, both halves of the exchange with the cut, and when it came."""

from __future__ import annotations

from collections.abc import Sequence

from ctxtui.core import Finding
from ctxtui.models.broken_pair import PairRow, pair_rows
from ctxtui.models.causes import reason
from ctxtui.models.error_history import BatchErrors
from ctxtui.models.look import Look
from ctxtui.render.message.preview import GLYPHS, WORDS, preview, tool_names
from ctxtui.render.text.lines import Line, Piece, fit_pieces, line_width
from ctxtui.render.text.severity import ERROR, PASSED, sign_of
from ctxtui.render.text.wrap import wrap
from ctxtui.symbols import visible

BRACKET_CELLS = 2
LEAST_ROOM = 12
"""Cells of a message below which its place is not told beside it."""


def why_lines(look: Look, finding: Finding, width: int, *, is_tight: bool = True) -> list[Line]:
    """Return why there is such a rule, and the messages this finding is about."""
    lines: list[Line] = [[Piece(row, "bright")] for row in wrap(reason(finding), width)]
    rows = pair_rows(look, finding)
    space: list[Line] = [] if is_tight or not rows else [[]]
    return [*lines, *space, *_picture(look, finding, rows, width)]


def cause_lines(
    look: Look, finding: Finding, history: Sequence[BatchErrors], width: int
) -> list[Line]:
    """Return the sentence of a finding with its cause, and the errors of the batches before."""
    lines = _sentence(look, finding, width)
    return [*lines, [], *_history(history, look.batch.number, width)] if len(history) > 1 else lines


def _sentence(look: Look, finding: Finding, width: int) -> list[Line]:
    sign = sign_of(finding)
    lead = f"{sign.glyph} {finding.rule}  "
    told = visible(f"{finding.message} {look.cause(finding)}".strip())
    return [
        [Piece(lead, sign.kind) if i == 0 else Piece(" " * len(lead)), Piece(text)]
        for i, text in enumerate(wrap(told, max(10, width - len(lead))))
    ]


# The picture


def _picture(look: Look, finding: Finding, rows: Sequence[PairRow], width: int) -> list[Line]:
    """Return the messages in their order, the two halves joined by a bracket."""
    if not rows:
        return []
    parts = [at for at, row in enumerate(rows) if row.is_part]
    first, last = (parts[0], parts[-1]) if len(parts) > 1 else (-1, -1)
    digits = max(3, len(str(max(row.raw or 0 for row in rows))))
    kind = sign_of(finding).kind
    lines = []
    for at, row in enumerate(rows):
        mark = "╭" if at == first else "╰" if at == last else "│" if first < at < last else " "
        arm = "╌" if at in (first, last) else " "
        lead = [Piece(f"{mark}{arm}", kind)]
        room = width - BRACKET_CELLS
        if row.is_cut:
            line = _cut(row.words, room)
        elif row.raw is None:
            line = _words(row, digits)
        else:
            line = _message(look, row.raw, row.raw == finding.raw_index, (digits, room))
        lines.append(fit_pieces([*lead, *line], width))
    return lines


def _cut(words: str, room: int) -> Line:
    """Return the line along which an exchange was cut."""
    told = f" {visible(words, 60)} "
    rest = max(2, room - len(told))
    return [
        Piece("╌" * (rest // 2), "error"),
        Piece(told, "error"),
        Piece("╌" * (rest - rest // 2), "error"),
    ]


def _words(row: PairRow, digits: int) -> Line:
    if row.is_part:
        return [Piece(f"{'✗':>{digits + 2}} {row.words}", "error")]
    return [Piece(f"{'⋮':>{digits + 2}} {row.words}", "faint")]


def _message(look: Look, raw: int, is_meant: bool, sizes: tuple[int, int]) -> Line:
    """Return a message with where it stands; hidden ones are faint, with what hid them."""
    digits, room = sizes
    message, position = look.state.log[raw], look.view.position(raw)
    sign = ERROR.glyph if is_meant else " "
    place = _place(look, raw) if position is None else f"position {position}"
    lead = [
        Piece(sign, ERROR.kind),
        Piece(f"{raw:>{digits + 1}} ", "muted" if position is not None else "faint"),
        Piece(f"{GLYPHS[message.role]} {WORDS[message.role]:<5}", message.role),
    ]
    free = room - line_width(lead) - len(place) - 2
    body = preview(message, tool_names(look.state.log, raw))
    if free < LEAST_ROOM:
        line = [*lead, *body]
    else:
        line = [*lead, *fit_pieces(body, free), Piece(f"  {place}", "muted")]
    return line if position is not None else [Piece(text, "faint") for text, _ in line]


def _place(look: Look, raw: int) -> str:
    """Return what hid a message, in two words."""
    hidden = look.blame(raw)
    if hidden is None or hidden.batch is None:
        return "other branch"
    return f"hidden by {hidden.batch.number}"


# When it came


def _history(history: Sequence[BatchErrors], shown: int, width: int) -> list[Line]:
    """Return how many errors each batch of the path had, in as many rows as that takes."""
    lead = "Errors  "
    lines: list[Line] = [[Piece(lead, "muted")]]
    used = len(lead)
    for number, errors in history:
        told = "…" if errors is None else f"{ERROR.glyph}{errors}" if errors else PASSED.glyph
        kind = "faint" if errors is None else ERROR.kind if errors else PASSED.kind
        size = len(f"{number} {told}   ")
        if used + size > width and len(lines[-1]) > 1:
            lines.append([Piece(" " * len(lead))])
            used = len(lead)
        name = Piece(f"{number} ", "bright" if number == shown else "muted")
        lines[-1] += [name, Piece(f"{told}   ", kind)]
        used += size
    return lines
