"""The rows and heads of the roles view: who said what, its position, and what hid it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Container, Sequence
from typing import NamedTuple

from ctxtui.core import Message
from ctxtui.inspector.drawing.lists import mark_kind, short_cause, star
from ctxtui.inspector.models.look import Look
from ctxtui.inspector.models.roles import RoleMessages
from ctxtui.text.icons import NOTED_PIECE, highlighted, worst_of
from ctxtui.text.line_source import LineSource, RowBlock
from ctxtui.text.lines import Line, Piece, fit_pieces, line_width
from ctxtui.text.message import message_row, preview, tool_names, who
from ctxtui.text.numbers import tokens
from ctxtui.text.plots import bar
from ctxtui.text.plurals import percent

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
    whole, line, used = found.look.total, [Piece(" ")], 0
    for role, count in found.tokens:
        text = bar(count, whole, width)[: width - used]
        line.append(Piece(text, role))
        used += len(text)
    return [*line, Piece("─" * (width - used), "track")]


class RoleRow(NamedTuple):
    """A message of a column: whether its role is shown, and whether it has a note."""

    look: Look
    raw: int
    position: int | None
    """Where it is sent, if it is."""
    has_role: bool
    is_noted: bool

    @property
    def message(self) -> Message:
        return self.look.state.log[self.raw]

    @property
    def digits(self) -> int:
        return len(str(max(0, self.look.log_size - 1)))

    @property
    def tool_names(self) -> dict[str, str]:
        return tool_names(self.look.state.log, self.raw)


def tall_lines(row: RoleRow, width: int) -> list[Line]:
    """Return a message in two rows: where it is and what is the matter, then what it says."""
    names = row.tool_names
    tail = _tail(row)
    more = _signs(row)
    for label in row.look.marked.get(row.raw, [])[:1]:
        more.append(Piece(f" ★ {label[:LABEL_CHARACTERS]}", mark_kind(label)))
    if row.has_role:
        more = [*_who(row), *more]
    elif names:
        more.append(Piece(f" {', '.join(names.values())[:40]}", "muted"))
    room = max(0, width - line_width(tail))
    first = [*fit_pieces([*_place(row), *more], room), *tail]
    indent = Piece(" " * (row.digits + 2))
    words = preview(row.message, names if row.has_role else None)
    said = fit_pieces([indent, *words], max(0, width - 1))
    if row.position is None:
        return [_faint(first), _faint(said)]
    return [first, said]


def wide_line(row: RoleRow, width: int) -> Line:
    """Return a message in one row."""
    if row.position is None:
        return hidden_line(row, width)
    mark = star(row.look, row.raw) or Piece(" ")
    lead = [mark, *_place(row), Piece(" "), *_who(row)]
    tail = [*_signs(row), *_tail(row)]
    return message_row(row.look.state.log, row.raw, lead, tail, width)


def hidden_line(row: RoleRow, width: int) -> Line:
    """Return a hidden message in one row, with the operation that hid it."""
    mark = star(row.look, row.raw) or Piece(" ")
    lead = [*_place(row), Piece(" "), *_who(row)]
    tail = [*_signs(row), *_tail(row)]
    room = max(0, width - 1 - line_width([*lead, *tail]))
    said = fit_pieces(preview(row.message), room)
    return [mark, *fit_pieces(_faint([*lead, *said, *tail]), max(0, width - 1))]


def _place(row: RoleRow) -> Line:
    raw, position, digits = row.raw, row.position, row.digits
    if position is None:
        return [Piece(f"{raw:>{digits}}", "faint")]
    return [Piece(f"{position:>{digits}}", "bright"), Piece(f" ‹{raw:<{digits}}", "faint")]


def _who(row: RoleRow) -> Line:
    role = row.message.role
    return [who(role)] if row.has_role else []


def _signs(row: RoleRow) -> Line:
    position = row.position
    found = row.look.findings_at.get(position, []) if position is not None else []
    note = [Piece(" "), NOTED_PIECE] if row.is_noted else []
    return [*note, *worst_of(found)]


def _tail(row: RoleRow) -> Line:
    """Return the tokens of a message that is sent, or what hid one that is not."""
    if row.position is not None:
        return [Piece(f"{tokens(row.look.tokens(row.raw)):>{TOKEN_CELLS}} ", "muted")]
    return [Piece(f" {short_cause(row.look, row.raw)} ", "faint")]


def _faint(line: Line) -> Line:
    kept = ("mark", "mark-2", "mark-3", "mark-4", NOTED_PIECE.kind)
    return [Piece(text, kind if kind in kept else "faint") for text, kind in line]


# One column of the roles view: what a role said that is sent, and below it what is hidden.

RULE = -1
"""The key of the line between what is sent and what is hidden."""
WIDE_CELLS = 56
"""Cells from which on a message has room on one line."""


class RoleSource(LineSource):
    """Lines for the messages of some roles that a filter lets through; keys are raw indices.

    A message takes two rows in a narrow column, and one in a wide one.
    """

    def __init__(self, found: RoleMessages, noted: Container[int] = ()) -> None:
        self.found = found
        self._noted = noted
        self.look = found.look
        self._below = [] if found.is_mixed else found.hidden

    def headers(self, width: int) -> list[Line]:
        return head_lines(self.found, width)

    def __len__(self) -> int:
        return len(self.found.listed) + (1 + len(self._below) if self._below else 0)

    def blocks(self, width: int) -> Sequence[RowBlock]:
        return () if width >= WIDE_CELLS else (RowBlock(len(self.found.listed), 2),)

    def key(self, at: int) -> int:
        below = at - len(self.found.listed)
        if below < 0:
            return self.found.listed[at]
        return RULE if below == 0 else self._below[below - 1]

    def find(self, key: int) -> int | None:
        if key == RULE:
            return None
        listed = self.found.listed
        if not self.found.is_mixed and self.look.view.position(key) is None:
            below = bisect_left(self._below, key)
            known = below < len(self._below) and self._below[below] == key
            return len(listed) + 1 + below if known else None
        try:
            return listed.index(key)
        except ValueError:
            return None

    def line(self, at: int, width: int) -> Line:
        raw = self.key(at)
        if raw == RULE:
            rule = f"╌ {len(self._below):,} hidden "
            return [Piece(rule.ljust(width - 1, "╌"), "faint")]
        is_below = at > len(self.found.listed)
        if width >= WIDE_CELLS or is_below:
            make = wide_line if not is_below else hidden_line
            return highlighted(make(self._row(raw), width), self.finder)
        return self._tall(raw, width)[0]

    def below(self, at: int, width: int) -> list[Line]:
        return [self._tall(self.key(at), width)[1]]

    def _tall(self, raw: int, width: int) -> list[Line]:
        return [highlighted(line, self.finder) for line in tall_lines(self._row(raw), width)]

    def _row(self, raw: int) -> RoleRow:
        return RoleRow(
            self.look,
            raw,
            self.look.view.position(raw),
            has_role=len(self.found.roles) > 1,
            is_noted=raw in self._noted,
        )
