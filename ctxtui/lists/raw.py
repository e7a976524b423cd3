"""The raw array: every message ever added, hidden ones with the operation that hid them."""

from __future__ import annotations

from ctxtui.lists.source import NumberedSource
from ctxtui.models.look import Look
from ctxtui.render.message.expanded import expanded
from ctxtui.render.message.preview import GLYPHS, WORDS, preview, tool_names
from ctxtui.render.text.hits import lit
from ctxtui.render.text.lines import Line, Piece, fit_pieces
from ctxtui.render.text.marks import star
from ctxtui.render.text.numbers import tokens

NARROW = 56


class RawSource(NumberedSource):
    """A line for every message of the log; its key is the raw index."""

    def __init__(self, look: Look) -> None:
        self.look = look
        self._change = look.change
        self.digits = max(3, len(str(max(0, look.log_size - 1))))

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
        lead = f"{'raw':>{self.digits + 2}} {'role':<7}"
        tail = "tokens   sent  " if width >= NARROW else "sent  "
        body = fit_pieces([Piece("message", "faint")], max(0, width - len(lead) - len(tail) - 1))
        return [Piece(lead, "faint"), *body, Piece(" " + tail, "faint")]

    def line(self, at: int, width: int) -> Line:
        """Return one message."""
        look = self.look
        message = look.state.log[at]
        position = look.view.position(at)
        hidden = position is None
        mark = star(look, at) or self._sign(at)
        number = Piece(f"{at:>{self.digits}} ", "faint" if hidden else "bright")
        role = Piece(
            f"{GLYPHS[message.role]} {WORDS[message.role]:<5}", "faint" if hidden else message.role
        )
        tail = self._hidden_tail(at) if hidden else self._sent_tail(at, position or 0, width)
        room = max(0, width - 1 - 1 - self.digits - 1 - 7 - len(tail) - 1)
        shown = lit(preview(message, tool_names(look.state.log, at)), self.finder)
        body = fit_pieces(shown, room)
        if hidden:
            body = [Piece(text, kind if kind == "hit" else "faint") for text, kind in body]
        kind = "faint" if hidden else "muted"
        return [mark, Piece(" "), number, role, *body, Piece(" " + tail, kind)]

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
            return "other branch"
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

    def _sent_tail(self, at: int, position: int, width: int) -> str:
        if width < NARROW:
            return f"→ {position:>3}  "
        return f"{tokens(self.look.tokens(at)):>6}  → {position:>3}  "
