"""The rows and heads of the roles view: who said what, where it stands, and what hid it."""

from __future__ import annotations

from ctxtui.models.look import Look
from ctxtui.models.role_messages import RoleMessages
from ctxtui.render.message.preview import GLYPHS, WORDS, preview, tool_names
from ctxtui.render.text.bars import bar
from ctxtui.render.text.lines import Line, Piece, fit_pieces, line_width
from ctxtui.render.text.marks import mark_kind, star
from ctxtui.render.text.numbers import percent, tokens
from ctxtui.render.text.severity import worst_of
from ctxtui.symbols import visible

LABEL_CHARACTERS = 12
TOKEN_CELLS = 6


def head_lines(found: RoleMessages, width: int) -> list[Line]:
    """Return how many messages, how many tokens and which share, as figures and as a bar."""
    total = found.look.total
    mine = sum(count for _, count in found.tokens)
    share = percent(mine, total)
    counts = [Piece(f" {found.sent_count:,}", "bright"), Piece(f" of {found.raw_count:,}", "muted")]
    forms: list[Line] = [
        [*counts, Piece(f"   {tokens(mine)}", "bright"), Piece(f" tokens   {share}", "muted")],
        [*counts, Piece(f"  {tokens(mine)}", "bright"), Piece(f" tokens  {share}", "muted")],
        [*counts, Piece(f"  {tokens(mine)}", "bright"), Piece(f"  {share}", "muted")],
        [*counts, Piece(f"  {share}", "muted")],
    ]
    fitting = (form for form in forms if line_width(form) <= width)
    return [next(fitting, counts), _share(found, max(0, width - 2))]


def _share(found: RoleMessages, width: int) -> Line:
    """Return the share of each role on one track."""
    whole, line, used = found.look.total, [Piece(" ")], 0
    for role, count in found.tokens:
        text = bar(count, whole, width)[: width - used]
        line.append(Piece(text, role))
        used += len(text)
    return [*line, Piece("─" * (width - used), "track")]


def rule_line(count: int, width: int) -> Line:
    """Return the line above the hidden messages."""
    rule = f"╌ {count:,} hidden "
    return [Piece(rule + "╌" * max(0, width - 1 - len(rule)), "faint")]


def tall_lines(look: Look, raw: int, width: int, with_role: bool) -> list[Line]:
    """Return a message in two rows: where it stands and what is the matter, then what it says."""
    position = look.view.position(raw)
    names = tool_names(look.state.log, raw)
    digits = len(str(max(0, look.log_size - 1)))
    lead = _place(look, raw, position, digits)
    tail = _tail(look, raw, position)
    more = [*_flags(look, raw, position), *_label(look, raw)]
    if with_role:
        more = [*_who(look, raw), *more]
    elif names:
        more.append(Piece(f" {visible(', '.join(names.values()), 40)}", "muted"))
    room = max(0, width - line_width(tail))
    first = [*fit_pieces([*lead, *more], room), *tail]
    indent = Piece(" " * (digits + 2))
    words = preview(look.state.log[raw], names if with_role else None)
    said = fit_pieces([indent, *words], max(0, width - 1))
    if position is None:
        return [_faint(first), _faint(said)]
    return [first, said]


def wide_line(look: Look, raw: int, width: int, with_role: bool) -> Line:
    """Return a message in one row."""
    position = look.view.position(raw)
    if position is None:
        return hidden_line(look, raw, width, with_role)
    digits = len(str(max(0, look.log_size - 1)))
    mark = star(look, raw) or Piece(" ")
    lead = [mark, *_place(look, raw, position, digits), Piece(" ")]
    who = _who(look, raw) if with_role else []
    tail = [*_flags(look, raw, position), *_tail(look, raw, position)]
    room = max(0, width - line_width([*lead, *who, *tail]))
    said = preview(look.state.log[raw], tool_names(look.state.log, raw))
    return [*lead, *who, *fit_pieces(said, room), *tail]


def hidden_line(look: Look, raw: int, width: int, with_role: bool) -> Line:
    """Return a hidden message in one row, with the operation that hid it."""
    digits = len(str(max(0, look.log_size - 1)))
    mark = star(look, raw) or Piece(" ")
    lead = [Piece(f"{raw:>{digits}} ", "faint"), *(_who(look, raw) if with_role else [])]
    tail = _tail(look, raw, None)
    room = max(0, width - 1 - line_width([*lead, *tail]))
    said = fit_pieces(preview(look.state.log[raw]), room)
    return [mark, *fit_pieces(_faint([*lead, *said, *tail]), max(0, width - 1))]


def _place(look: Look, raw: int, position: int | None, digits: int) -> Line:
    if position is None:
        return [Piece(f"{raw:>{digits}}", "faint")]
    return [Piece(f"{position:>{digits}}", "bright"), Piece(f" ‹{raw:<{digits}}", "faint")]


def _who(look: Look, raw: int) -> Line:
    role = look.state.log[raw].role
    return [Piece(f"{GLYPHS[role]} {WORDS[role]:<5}", role)]


def _flags(look: Look, raw: int, position: int | None) -> Line:
    found = look.findings_at.get(position, []) if position is not None else []
    return worst_of(found)


def _label(look: Look, raw: int) -> Line:
    labels = look.marked.get(raw, [])
    return (
        [Piece(f" ★ {visible(labels[0], LABEL_CHARACTERS)}", mark_kind(labels[0]))]
        if labels
        else []
    )


def _tail(look: Look, raw: int, position: int | None) -> Line:
    """Return the tokens of a message that is sent, or what hid one that is not."""
    if position is not None:
        return [Piece(f"{tokens(look.tokens(raw)):>{TOKEN_CELLS}} ", "muted")]
    hidden = look.blame(raw)
    if hidden is None or hidden.operation is None or hidden.batch is None:
        return [Piece(" other branch ", "faint")]
    return [Piece(f" {hidden.operation.title.lower()} {hidden.batch.number} ", "faint")]


def _faint(line: Line) -> Line:
    kept = ("mark", "mark-2", "mark-3", "mark-4")
    return [Piece(text, kind if kind in kept else "faint") for text, kind in line]
