"""The raw array: every message ever added, hidden ones with the operation that hid them."""

from __future__ import annotations

from collections.abc import Container
from zlib import crc32

from ctxtui.core import Finding
from ctxtui.inspector.models.look import GoneRows, Look
from ctxtui.text.icons import NOTED_PIECE, icon_of, worst_of
from ctxtui.text.line_source import LineSource, NumberedSource
from ctxtui.text.lines import EDGE, Line, Piece, digits, fit_pieces, hanging, kept
from ctxtui.text.message import GLYPHS, WORDS, expanded, message_row
from ctxtui.text.numbers import tokens
from ctxtui.text.plots import bar

# Marks: the sign of a marked message, in the colour of its label.

COLOURS = ("mark", "mark-2", "mark-3", "mark-4")


def mark_kind(label: str) -> str:
    """Return the colour of a label, the same in every conversation."""
    return COLOURS[crc32(label.encode("utf-8", "surrogatepass")) % len(COLOURS)]


def finding_lines(look: Look, finding: Finding, width: int) -> list[Line]:
    """Return the rule of a finding, and behind it the sentence and the cause."""
    icon = icon_of(finding)
    lead = [Piece(f"{icon.glyph} {finding.rule}  ", icon.kind)]
    return hanging(lead, f"{finding.message} {look.cause(finding)}".strip(), width)


def star(look: Look, raw: int) -> Piece | None:
    """Return the sign of a marked message, in the colour of its first label."""
    labels = look.marked.get(raw)
    return None if labels is None else Piece("★", mark_kind(labels[0]))


def short_cause(look: Look, raw: int, elsewhere: str = "other branch") -> str:
    """Return what hid a message in two words: the operation and its batch."""
    hidden = look.blame(raw)
    if hidden is None or hidden.operation is None or hidden.batch is None:
        return elsewhere
    return f"{hidden.operation.title.lower()} {hidden.batch.number}"


LEAST_TEXT = 24
"""Cells of the message below which other columns give way."""
TOKEN_CELLS = 7
WORD_CELLS = 5
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
        return self.look.log_size

    def tint(self, at: int) -> str:
        if self._change is None:
            return ""
        if at in self._change.hidden:
            return "hidden"
        return "added" if at in self._change.added or at in self._change.shown else ""

    def header(self, width: int) -> Line | None:
        columns = self._columns(width)
        role = "role   " if "word" in columns else "  "
        lead = f"{'raw':>{self.digits + 2}} {role}"
        tail = " tokens" if "tokens" in columns else ""
        tail += f"{'sent':>{self._tail - EDGE}}{' ' * EDGE}"
        body = fit_pieces([Piece("message", "faint")], max(0, width - len(lead) - len(tail)))
        return [Piece(lead, "faint"), *body, Piece(tail, "faint")]

    def _columns(self, width: int) -> frozenset[str]:
        room = width - self._lead - self._tail - LEAST_TEXT
        return kept({"tokens": TOKEN_CELLS, "word": WORD_CELLS}, room)

    def line(self, at: int, width: int) -> Line:
        look = self.look
        message = look.state.log[at]
        position = look.view.position(at)
        hidden = position is None
        mark = star(look, at) or self._sign(at)
        number = Piece(f"{at:>{self.digits}} ", "faint" if hidden else "bright")
        columns = self._columns(width)
        word = f"{WORDS[message.role]:<{WORD_CELLS}}" if "word" in columns else ""
        role = Piece(f"{GLYPHS[message.role]} {word}", "faint" if hidden else message.role)
        tail = Piece(f" {self._hidden_tail(at)}{' ' * EDGE}", "faint")
        if position is not None:
            tail = Piece(self._sent_tail(at, position, "tokens" in columns), "muted")
        note = NOTED_PIECE if at in self._noted else Piece(" ")
        return message_row(
            look.state.log,
            at,
            [mark, note, number, role],
            [tail],
            width,
            finder=self.finder,
            kind="faint" if hidden else "",
        )

    def _sign(self, at: int) -> Piece:
        tint = self.tint(at)
        if tint == "hidden":
            return Piece("−", "error")
        if self._change is not None and at in self._change.moved:
            return Piece("~", "warn")
        return Piece("+", "ok") if tint == "added" else Piece(" ")

    def expanded(self, at: int, width: int) -> list[Line]:
        return expanded(self.look.state.log[at], width)

    def _cause(self, at: int) -> str:
        """Return what hid a message; nothing for one that is sent or not there."""
        if not 0 <= at < len(self) or self.look.view.position(at) is not None:
            return ""
        return short_cause(self.look, at, self.branch_words)

    def _hidden_tail(self, at: int) -> str:
        """Return a part of the bracket around a run of messages that one operation hid.

        Its name is at the top of the run, and again where the screen begins.
        """
        cause = self._cause(at)
        if self.is_scattered:
            return f"{cause} ─"
        starts, ends = self._cause(at - 1) != cause, self._cause(at + 1) != cause
        edge = "─" if starts and ends else "╮" if starts else "╯" if ends else "│"
        return f"{cause} {edge}" if starts or at == self.top else edge

    def _sent_tail(self, at: int, position: int, has_tokens: bool) -> str:
        count = f"{tokens(self.look.tokens(at)):>{TOKEN_CELLS}}" if has_tokens else ""
        return f"{count}  {ARROW} {position:>{self.digits_sent}}{' ' * EDGE}"


# The visible projection: what a model would be sent, by position.

BAR_CELLS = 8


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
        return len(self.look.view) + (0 if self._gone is None else len(self._gone))

    def _at(self, at: int) -> tuple[int | None, int]:
        """Return the position and raw index of a line; no position for a hidden message."""
        return (at, self.look.view[at]) if self._gone is None else self._gone.at(at)

    def key(self, at: int) -> int:
        return self._at(at)[1]

    def find(self, key: int) -> int | None:
        return self.look.view.position(key) if self._gone is None else self._gone.line(key)

    def tint(self, at: int) -> str:
        position, raw = self._at(at)
        if position is None:
            return "hidden"
        change = self._change
        return "added" if change and (raw in change.added or raw in change.shown) else ""

    def header(self, width: int) -> Line | None:
        columns = self._columns(width)
        raw = f"{'raw':>{self.digits + 3}}" if "raw" in columns else ""
        role = "role" if "word" in columns else ""
        lead = (
            f"{'pos':>{2 + self.digits_sent}}{raw} {role:<{WORD_CELLS * ('word' in columns) + 2}}"
        )
        tail = f"{'tokens':>{TOKEN_CELLS}}{' ' * EDGE}"
        body = fit_pieces([Piece("message", "faint")], max(0, width - len(lead) - len(tail)))
        return [Piece(lead, "faint"), *body, Piece(tail, "faint")]

    def _columns(self, width: int) -> frozenset[str]:
        fixed = len("★ ") + self.digits_sent + len(" § ") + TOKEN_CELLS + EDGE
        columns = {"bar": 1 + BAR_CELLS, "raw": self.digits + 3, "word": WORD_CELLS}
        return kept(columns, width - fixed - LEAST_TEXT)

    def line(self, at: int, width: int) -> Line:
        look = self.look
        position, raw = self._at(at)
        message = look.state.log[raw]
        gone = position is None
        role = message.role
        columns = self._columns(width)
        word = f"{WORDS[role]:<{WORD_CELLS}}" if "word" in columns else ""
        glyph = Piece(f"{GLYPHS[role]} {word}", "faint" if gone else role)
        tail = self._tail(raw, position, "bar" in columns)
        lead = [self._sign(at, raw), *self._place(position, raw in self._noted)]
        lead += [*(self._raw(at, raw) if "raw" in columns else []), Piece(" "), glyph]
        kind = "struck" if gone else ""
        return message_row(look.state.log, raw, lead, tail, width, finder=self.finder, kind=kind)

    def expanded(self, at: int, width: int) -> list[Line]:
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
        return [NOTED_PIECE, Piece(text, kind)] if is_noted else [Piece(f" {text}", kind)]

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
        return [*tail, Piece(f"{sign + tokens(count):>{TOKEN_CELLS}}{' ' * EDGE}", kind)]
