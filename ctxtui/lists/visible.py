"""The visible projection: what a model would be sent, by position."""

from __future__ import annotations

from collections.abc import Container

from ctxtui.lists.source import LineSource
from ctxtui.models.gone_rows import GoneRows
from ctxtui.models.look import Look
from ctxtui.render.message.expanded import expanded
from ctxtui.render.message.preview import GLYPHS, WORDS, preview, tool_names
from ctxtui.render.text.bars import bar
from ctxtui.render.text.columns import EDGE, digits, kept
from ctxtui.render.text.hits import lit
from ctxtui.render.text.lines import Line, Piece, fit_pieces
from ctxtui.render.text.marks import star
from ctxtui.render.text.numbers import tokens
from ctxtui.render.text.severity import NOTED_SIGN, worst_of

BAR_CELLS = 8
LEAST_TEXT = 24
"""Cells of the message below which other columns give way."""
TOKENS = 7
WORD = 5


class VisibleSource(LineSource):
    """A line for every visible message; while stepping also one for each the batch hid."""

    def __init__(self, look: Look, noted: Container[int] = ()) -> None:
        self.look = look
        self._noted = noted
        self.digits = digits(look.log_size)
        self.digits_sent = digits(len(look.view))
        self._change = look.change
        self._gone: GoneRows | None = None
        if look.change is not None and len(look.change.hidden) and look.before is not None:
            self._gone = GoneRows(look.before.view, look.view, look.change.hidden)

    def __len__(self) -> int:
        """Return how many lines there are."""
        return len(self.look.view) + (0 if self._gone is None else len(self._gone))

    def _at(self, at: int) -> tuple[int | None, int]:
        """Return the position and raw index of a line; no position for a hidden message."""
        return (at, self.look.view[at]) if self._gone is None else self._gone.at(at)

    def key(self, at: int) -> int:
        """Return the raw index of a line."""
        return self._at(at)[1]

    def find(self, key: int) -> int | None:
        """Return the line of a raw index, or None where it does not stand here."""
        return self.look.view.position(key) if self._gone is None else self._gone.line(key)

    def tint(self, at: int) -> str:
        """Return the tint of a line that came, went or is broken."""
        position, raw = self._at(at)
        if position is None:
            return "hidden"
        change = self._change
        return "added" if change and (raw in change.added or raw in change.shown) else ""

    def header(self, width: int) -> Line | None:
        """Return the names of the columns."""
        columns = self._columns(width)
        raw = f"{'raw':>{self.digits + 3}}" if "raw" in columns else ""
        role = "role" if "word" in columns else ""
        lead = f"{'pos':>{2 + self.digits_sent}}{raw} {role:<{WORD * ('word' in columns) + 2}}"
        tail = f"{'tokens':>{TOKENS}}{' ' * EDGE}"
        body = fit_pieces([Piece("message", "faint")], max(0, width - len(lead) - len(tail)))
        return [Piece(lead, "faint"), *body, Piece(tail, "faint")]

    def _columns(self, width: int) -> frozenset[str]:
        """Return which columns there is room for beside the message."""
        fixed = len("★ ") + self.digits_sent + len(" § ") + TOKENS + EDGE
        columns = {"bar": 1 + BAR_CELLS, "raw": self.digits + 3, "word": WORD}
        return kept(columns, width - fixed - LEAST_TEXT)

    def line(self, at: int, width: int) -> Line:
        """Return one message."""
        look = self.look
        position, raw = self._at(at)
        message = look.state.log[raw]
        gone = position is None
        role = message.role
        columns = self._columns(width)
        word = f"{WORDS[role]:<{WORD}}" if "word" in columns else ""
        glyph = Piece(f"{GLYPHS[role]} {word}", "faint" if gone else role)
        tail = self._tail(raw, position, "bar" in columns)
        lead = [self._sign(at, raw), *self._place(position, raw in self._noted)]
        lead += [*(self._raw(at, raw) if "raw" in columns else []), Piece(" "), glyph]
        used = sum(len(piece.text) for piece in [*lead, *tail])
        shown = lit(preview(message, tool_names(look.state.log, raw)), self.finder)
        body = fit_pieces(shown, max(0, width - used))
        if gone:
            body = [Piece(text, kind if kind == "hit" else "struck") for text, kind in body]
        return [*lead, *body, *tail]

    def expanded(self, at: int, width: int) -> list[Line]:
        """Return the first lines of a message."""
        return expanded(self.look.state.log[self.key(at)], width)

    def _sign(self, at: int, raw: int) -> Piece:
        tint = self.tint(at)
        if tint == "hidden":
            return Piece("−", "error")
        mark = star(self.look, raw)
        if mark is not None:
            return mark
        if self._change is not None and raw in self._change.moved:
            return Piece("~", "warn")
        return Piece("+", "ok") if tint == "added" else Piece(" ")

    def _place(self, position: int | None, is_noted: bool) -> Line:
        text = f"{'–' if position is None else position:>{self.digits_sent}}"
        kind = "faint" if position is None else "bright"
        return [NOTED_SIGN, Piece(text, kind)] if is_noted else [Piece(f" {text}", kind)]

    def _raw(self, at: int, raw: int) -> Line:
        gap = at > 0 and not self._gone and self.look.view[at - 1] != raw - 1
        gap = gap or (at == 0 and raw > 0)
        return [Piece(" ⋮" if gap else "  ", "faint"), Piece(f"{raw:>{self.digits + 1}}", "muted")]

    def _tail(self, raw: int, position: int | None, has_bar: bool) -> Line:
        count = self.look.tokens(raw)
        found = self.look.findings_at.get(position, []) if position is not None else []
        tail = worst_of(found)
        if has_bar:
            role = self.look.state.log[raw].role
            text = bar(count, self.look.largest, BAR_CELLS)
            tail.append(Piece(f" {text:<{BAR_CELLS}}", "faint" if position is None else role))
        sign = "−" if position is None else ""
        kind = "error" if position is None else "muted"
        return [*tail, Piece(f"{sign + tokens(count):>{TOKENS}}{' ' * EDGE}", kind)]
