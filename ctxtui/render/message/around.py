"""What stands around a message in the raw log: its neighbours, sent or hidden."""

from __future__ import annotations

from ctxtui.models.look import Look
from ctxtui.render.message.preview import GLYPHS, WORDS, preview, tool_names
from ctxtui.render.text.columns import digits
from ctxtui.render.text.lines import Line, Piece, fit_pieces, on_paper
from ctxtui.render.text.marks import star

TITLE = "around it in the raw log"
NEIGHBOURS = 5
LEAST_TEXT = 20


def around_lines(look: Look, raw: int, width: int, count: int = NEIGHBOURS) -> list[Line]:
    """Return a rule and some lines of the log, with the message as near to their middle as it goes.

    Only these are looked at, however long the log is.
    """
    shown = min(count, look.log_size)
    first = max(0, min(raw - shown // 2, look.log_size - shown))
    rule = "─" * max(0, width - len(TITLE) - len("──  "))
    head = [Piece("── ", "track"), Piece(TITLE, "muted"), Piece(f" {rule}", "track")]
    lines = [_line(look, at, width, is_it=at == raw) for at in range(first, first + shown)]
    return [fit_pieces(head, width), *lines]


def hidden_by(look: Look, raw: int) -> str:
    """Return in a few words what hid a message."""
    blame = look.blame(raw)
    if blame is None or blame.batch is None or blame.operation is None:
        return "on another branch"
    return f"hidden by batch {blame.batch.number} {blame.operation.title}"


def _line(look: Look, raw: int, width: int, *, is_it: bool) -> Line:
    message, position = look.state.log[raw], look.view.position(raw)
    hidden = position is None
    where = f" {hidden_by(look, raw)} " if hidden else f" position {position:,} "
    mark = star(look, raw) or Piece(" ")
    lead = [
        Piece("▏" if is_it else " ", "key"),
        mark,
        Piece(f"{raw:>{digits(look.log_size)}} ", "faint" if hidden else "bright"),
        Piece(
            f"{GLYPHS[message.role]} {WORDS[message.role]:<5}", "faint" if hidden else message.role
        ),
    ]
    used = sum(len(piece.text) for piece in lead)
    tail = where if width - used - len(where) >= LEAST_TEXT else ""
    said = preview(message, tool_names(look.state.log, raw))
    body = fit_pieces(said, max(0, width - used - len(tail)))
    if hidden:
        body = [Piece(text, "faint") for text, _ in body]
    line = [*lead, *body, Piece(tail, "faint" if hidden else "muted")]
    if is_it:
        return [Piece(text, on_paper(kind, "twin")) for text, kind in line]
    return line
