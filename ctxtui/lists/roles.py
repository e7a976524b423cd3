"""One column of the roles view: what a role said that is sent, and below it what is hidden."""

from __future__ import annotations

from bisect import bisect_left

from core.history.log import role_table
from ctxtui.lists.source import LineSource
from ctxtui.models.look import Look
from ctxtui.models.role_filter import RoleFilter
from ctxtui.render.message.expanded import expanded
from ctxtui.render.message.preview import preview
from ctxtui.render.text.bars import bar
from ctxtui.render.text.hits import lit
from ctxtui.render.text.lines import Line, Piece, fit_pieces
from ctxtui.render.text.marks import star
from ctxtui.render.text.numbers import percent, tokens

RULE = -1
"""The key of the line between what is sent and what is hidden."""


class RoleSource(LineSource):
    """Lines for the messages of a role that a filter lets through; keys are raw indices."""

    def __init__(self, look: Look, role: str, chosen: RoleFilter) -> None:
        self.look = look
        self.role = role
        found = [raw for raw in chosen.ask(look.state, role) if raw < look.log_size]
        position = look.view.position
        self.sent = [raw for raw in found if position(raw) is not None]
        self.hidden = [raw for raw in found if position(raw) is None]
        if chosen.scope == "visible" and chosen.kind == "all":
            whole = RoleFilter("raw").ask(look.state, role)
            self.hidden = [raw for raw in whole if raw < look.log_size and position(raw) is None]
        self.is_mixed = chosen.scope == "raw"
        self._raws = found if self.is_mixed else self.sent
        self._places = {raw: at for at, raw in enumerate(self._raws)}

    def header(self, width: int) -> Line | None:
        """Return counts, tokens, and the share of the visible tokens with a bar."""
        look = self.look
        codes = look.view.column(look.state.log.roles)
        sent = codes.translate(role_table([self.role])).count(1)
        raw = look.state.log.roles(0, look.log_size).translate(role_table([self.role])).count(1)
        count = look.role_tokens[self.role]
        share = percent(count, look.total)
        line = [Piece(f" {sent}", "bright"), Piece(f" of {raw}  ", "muted")]
        line += [Piece(tokens(count), "bright"), Piece(f" tokens  {share}  ", "muted")]
        room = width - sum(len(piece.text) for piece in line)
        return [*line, Piece(bar(count, look.total, max(0, room)), self.role)]

    def __len__(self) -> int:
        """Return how many lines there are."""
        below = 0 if self.is_mixed or not self.hidden else 1 + len(self.hidden)
        return len(self._raws) + below

    def key(self, at: int) -> int:
        """Return the raw index of a line."""
        below = at - len(self._raws)
        if below < 0:
            return self._raws[at]
        return RULE if below == 0 else self.hidden[below - 1]

    def find(self, key: int) -> int | None:
        """Return the line of a raw index."""
        if key == RULE:
            return None
        at = self._places.get(key)
        if at is not None or self.is_mixed:
            return at
        below = bisect_left(self.hidden, key)
        known = below < len(self.hidden) and self.hidden[below] == key
        return len(self._raws) + 1 + below if known else None

    def expanded(self, at: int, width: int) -> list[Line]:
        """Return the first lines of a message."""
        raw = self.key(at)
        return [] if raw == RULE else expanded(self.look.state.log[raw], width)

    def line(self, at: int, width: int) -> Line:
        """Return one message, or the rule above the hidden ones."""
        raw = self.key(at)
        if raw == RULE:
            rule = f" ─ {len(self.hidden)} hidden "
            return [Piece(rule + "─" * max(0, width - len(rule)), "faint")]
        position = self.look.view.position(raw)
        mark = star(self.look, raw) or Piece(" ")
        tail = self._tail(raw, position)
        lead = self._lead(raw, position)
        room = max(0, width - 1 - sum(len(piece.text) for piece in (*lead, tail)))
        body = fit_pieces(lit(preview(self.look.state.log[raw]), self.finder), room)
        if position is None:
            body = [Piece(text, kind if kind == "hit" else "faint") for text, kind in body]
        return [mark, *lead, *body, tail]

    def _lead(self, raw: int, position: int | None) -> Line:
        if position is None:
            return [Piece(f"{raw:>4}  ", "faint")]
        return [Piece(f"{position:>4} ", self.role), Piece(f"‹{raw} ", "faint")]

    def _tail(self, raw: int, position: int | None) -> Piece:
        if position is not None:
            return Piece(f" {tokens(self.look.tokens(raw)):>5}", "muted")
        hidden = self.look.blame(raw)
        if hidden is None or hidden.operation is None or hidden.batch is None:
            return Piece(" other branch", "faint")
        return Piece(f" {hidden.operation.title.lower()} {hidden.batch.number}", "faint")
