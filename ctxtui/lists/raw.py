"""The raw array: every message ever added, hidden ones with the operation that hid them."""

from __future__ import annotations

from collections.abc import Container

from ctxtui.lists.source import NumberedSource
from ctxtui.models.look import Look
from ctxtui.render.message.expanded import expanded
from ctxtui.render.message.preview import GLYPHS, WORDS, preview, tool_names
from ctxtui.render.text.columns import EDGE, digits, kept
from ctxtui.render.text.hits import lit
from ctxtui.render.text.lines import Line, Piece, fit_pieces, line_width
from ctxtui.render.text.marks import star
from ctxtui.render.text.numbers import tokens
from ctxtui.render.text.severity import NOTED_SIGN

LEAST_TEXT = 24
"""Cells of the message below which other columns give way."""
TOKENS = 7
WORD = 5
ARROW = "→"


class RawSource(NumberedSource):
    """A line for every message of the log; its key is the raw index."""

    def __init__(self, look: Look, noted: Container[int] = ()) -> None:
        self.look = look
        self._noted = noted
        self._change = look.change
        self.digits = digits(look.log_size)
        self.digits_sent = digits(len(look.view))
        self._lead = 1 + 1 + self.digits + 1 + len("§ ")
        self.branch_words = "other branch"
        """What is said to hide a message that another branch has."""
        self._tail = len(f"  {ARROW} ") + self.digits_sent + EDGE

    def __len__(self) -> int:
        """Return how many messages there were."""
        return self.look.log_size

    def tint(self, at: int) -> str:
        """Return the tint of a line that the batch shown has changed."""
        if self._change is None:
            return ""
        if at in self._change.hidden:
            return "hidden"
        return "added" if at in self._change.added or at in self._change.shown else ""

    def header(self, width: int) -> Line | None:
        """Return the names of the columns."""
        columns = self._columns(width)
        role = "role   " if "word" in columns else "  "
        lead = f"{'raw':>{self.digits + 2}} {role}"
        tail = " tokens" if "tokens" in columns else ""
        tail += f"{'sent':>{self._tail - EDGE}}{' ' * EDGE}"
        body = fit_pieces([Piece("message", "faint")], max(0, width - len(lead) - len(tail)))
        return [Piece(lead, "faint"), *body, Piece(tail, "faint")]

    def _columns(self, width: int) -> frozenset[str]:
        """Return which columns there is room for beside the message."""
        room = width - self._lead - self._tail - LEAST_TEXT
        return kept({"tokens": TOKENS, "word": WORD}, room)

    def line(self, at: int, width: int) -> Line:
        """Return one message."""
        look = self.look
        message = look.state.log[at]
        position = look.view.position(at)
        hidden = position is None
        mark = star(look, at) or self._sign(at)
        number = Piece(f"{at:>{self.digits}} ", "faint" if hidden else "bright")
        columns = self._columns(width)
        word = f"{WORDS[message.role]:<{WORD}}" if "word" in columns else ""
        role = Piece(f"{GLYPHS[message.role]} {word}", "faint" if hidden else message.role)
        tail = f" {self._hidden_tail(at)}{' ' * EDGE}"
        if position is not None:
            tail = self._sent_tail(at, position, "tokens" in columns)
        room = max(0, width - self._lead - len(word) - line_width([Piece(tail)]))
        shown = lit(preview(message, tool_names(look.state.log, at)), self.finder)
        body = fit_pieces(shown, room)
        if hidden:
            body = [Piece(text, kind if kind == "hit" else "faint") for text, kind in body]
        kind = "faint" if hidden else "muted"
        note = NOTED_SIGN if at in self._noted else Piece(" ")
        return [mark, note, number, role, *body, Piece(tail, kind)]

    def _sign(self, at: int) -> Piece:
        tint = self.tint(at)
        if tint == "hidden":
            return Piece("−", "error")
        if self._change is not None and at in self._change.moved:
            return Piece("~", "warn")
        return Piece("+", "ok") if tint == "added" else Piece(" ")

    def expanded(self, at: int, width: int) -> list[Line]:
        """Return the first lines of a message."""
        return expanded(self.look.state.log[at], width)

    def _cause(self, at: int) -> str:
        """Return what hid a message; nothing for one that is sent or not there."""
        if not 0 <= at < len(self) or self.look.view.position(at) is not None:
            return ""
        hidden = self.look.blame(at)
        if hidden is None or hidden.operation is None or hidden.batch is None:
            return self.branch_words
        return f"{hidden.operation.title.lower()} {hidden.batch.number}"

    def _hidden_tail(self, at: int) -> str:
        """Return a part of the bracket around a run of messages that one operation hid.

        Its name stands at the top of the run, and again where the screen begins.
        """
        cause = self._cause(at)
        if self.is_scattered:
            return f"{cause} ─"
        starts, ends = self._cause(at - 1) != cause, self._cause(at + 1) != cause
        edge = "─" if starts and ends else "╮" if starts else "╯" if ends else "│"
        return f"{cause} {edge}" if starts or at == self.top else edge

    def _sent_tail(self, at: int, position: int, has_tokens: bool) -> str:
        count = f"{tokens(self.look.tokens(at)):>{TOKENS}}" if has_tokens else ""
        return f"{count}  {ARROW} {position:>{self.digits_sent}}{' ' * EDGE}"
