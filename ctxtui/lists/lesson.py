"""The lists of a lesson: log, rows to be picked, what a simpler rule leaves, and the timeline."""

from __future__ import annotations

from collections.abc import Sequence

from ctxtui.core import Batch
from ctxtui.lessons.doing import Doing
from ctxtui.lessons.screen_words import say
from ctxtui.lists.heights import Block
from ctxtui.lists.raw import RawSource
from ctxtui.lists.source import LineSource, NumberedSource
from ctxtui.lists.timeline import TimelineSource
from ctxtui.lists.visible import VisibleSource
from ctxtui.models.error_counts import ErrorCounts
from ctxtui.models.frame import Frame
from ctxtui.models.lesson_step import NaiveRow, PickRow, ShownStep
from ctxtui.models.look import Look
from ctxtui.render.lesson.heads import said_head
from ctxtui.render.message.preview import GLYPHS, WORDS, preview, tool_names
from ctxtui.render.text.columns import EDGE, digits
from ctxtui.render.text.lines import Line, Piece, fit, fit_pieces, line_width
from ctxtui.render.text.numbers import tokens
from ctxtui.render.text.severity import BOXES, ERROR, PASSED, worst_of
from ctxtui.render.text.wrap import wrap
from ctxtui.symbols import visible
from ctxtui.words import plural

WORD = 5
TOKENS = 7
LEAST_WORD, LEAST_TOKENS = 50, 36
"""Cells of a row below which the role has no word, and the message no tokens."""
SIGNS = {
    "right": (f"{PASSED.glyph}  ", "ok", "added"),
    "missed": ("✗  ", "error", "finding"),
    "not sent": ("+  ", "warn", "warning"),
    "left": ("   ", "faint", ""),
}
"""A row after the reveal: its sign, the ink of that, and the tint of the row."""
TEXT_LENGTH = 300


class LessonRaw(RawSource):
    """The log, with the words of a lesson's language."""

    def __init__(self, look: Look, language: str) -> None:
        super().__init__(look)
        self._language = language
        self.branch_words = say("other branch", language)

    def header(self, width: int) -> Line | None:
        """Return the names of the columns."""
        return said_head(super().header(width), self._language)


class LessonVisible(VisibleSource):
    """What is sent, with the words of a lesson's language."""

    def __init__(self, look: Look, language: str) -> None:
        super().__init__(look)
        self._language = language

    def header(self, width: int) -> Line | None:
        """Return the names of the columns."""
        return said_head(super().header(width), self._language)


class PickSource(LineSource):
    """A row for each message that can be picked, with a box; after the reveal with a verdict."""

    def __init__(self, shown: ShownStep, language: str) -> None:
        self._language = language
        self.rows: list[PickRow] = shown.pick_rows()
        self._log = shown.player.run.conversation.log
        self._places = {row.raw: at for at, row in enumerate(self.rows)}
        self._findings = {} if shown.player.is_covered else shown.frame.findings_at
        self.digits = digits(len(self._log))

    def __len__(self) -> int:
        """Return how many rows there are."""
        return len(self.rows)

    def key(self, at: int) -> int:
        """Return the raw index of a row."""
        return self.rows[at].raw

    def find(self, key: int) -> int | None:
        """Return the row of a raw index."""
        return self._places.get(key)

    def tint(self, at: int) -> str:
        """Return the tint of a row that was judged."""
        verdict = self.rows[at].verdict
        return "" if verdict is None else SIGNS[verdict][2]

    def header(self, width: int) -> Line | None:
        """Return the names of the columns."""
        is_judged = bool(self.rows) and self.rows[0].verdict is not None
        first = "     " if is_judged else "sent "
        role = "role   " if width >= LEAST_WORD else "  "
        lead = f"{first}{'raw':>{self.digits}} {role}"
        tail = f"{'tokens':>{TOKENS}}{' ' * EDGE}" if width >= LEAST_TOKENS else " " * EDGE
        body = fit_pieces([Piece("message", "faint")], max(0, width - len(lead) - len(tail)))
        return said_head([Piece(lead, "faint"), *body, Piece(tail, "faint")], self._language)

    def line(self, at: int, width: int) -> Line:
        """Return one row."""
        row = self.rows[at]
        lead = [self._box(row), Piece(f" {row.raw:>{self.digits}} ", "muted")]
        is_bright = row.is_picked if row.verdict is None else row.verdict in ("right", "missed")
        dull = "muted" if row.verdict is None else "faint"
        role = row.message.role
        word = f"{WORDS[role]:<{WORD}}" if width >= LEAST_WORD else ""
        glyph = Piece(f"{GLYPHS[role]} {word}", role if is_bright else dull)
        tail = self._tail(row, is_bright, has_tokens=width >= LEAST_TOKENS)
        body = preview(row.message, tool_names(self._log, row.raw))
        room = max(0, width - line_width([*lead, glyph, *tail]))
        shown = fit_pieces(body, room)
        if not is_bright:
            shown = [Piece(text, dull) for text, _ in shown]
        return [*lead, glyph, *shown, *tail]

    def _box(self, row: PickRow) -> Piece:
        if row.verdict is not None:
            sign, kind, _ = SIGNS[row.verdict]
            return Piece(f" {sign}", kind)
        return Piece(f" {BOXES[row.is_picked]}", "key" if row.is_picked else "text")

    def _tail(self, row: PickRow, is_bright: bool, *, has_tokens: bool) -> Line:
        new = [Piece(f" {say('new', self._language)}", "ok")] if row.is_new else []
        new += worst_of(self._findings.get(row.position, []) if row.position is not None else [])
        count = Piece(f"{tokens(row.tokens):>{TOKENS}}", "text" if is_bright else "faint")
        return [*new, *([count] if has_tokens else []), Piece(" " * EDGE)]


class NaiveSource(NumberedSource):
    """What a simpler rule leaves, with what it keeps wrongly, and struck what it loses."""

    def __init__(self, shown: ShownStep, language: str) -> None:
        self.rows: list[NaiveRow] = shown.naive_rows()
        self._log = shown.frame.state.log
        naive = shown.player.step.naive
        error = naive.error if naive else None
        self._error = visible(error.to(language)) if error else ""

    def __len__(self) -> int:
        """Return how many rows there are; what happens instead of rows is one."""
        return 1 if self._error else len(self.rows)

    def blocks(self, width: int) -> Sequence[Block]:
        """Return how many rows it takes to say what happens."""
        return [Block(1, len(self._said(width)))] if self._error else ()

    def below(self, at: int, width: int) -> list[Line]:
        """Return the rest of what happens."""
        return self._said(width)[1:] if self._error else []

    def _said(self, width: int) -> list[Line]:
        rows = wrap(self._error, max(4, width - len(ERROR.text(" "))))
        return [
            [Piece("  " if nth else ERROR.text(""), ERROR.kind), Piece(row)]
            for nth, row in enumerate(rows)
        ]

    def tint(self, at: int) -> str:
        """Return the tint of a row in which the rule and the engine differ."""
        if self._error:
            return ""
        row = self.rows[at]
        if row.is_shared:
            return ""
        return "warning" if row.is_kept else "hidden"

    def line(self, at: int, width: int) -> Line:
        """Return one row."""
        if self._error:
            return self._said(width)[0]
        row = self.rows[at]
        lead, body = [_sign(row)], [Piece(f" {visible(row.text, TEXT_LENGTH)}")]
        if row.raw is not None and row.role is not None:
            kind = row.role if row.is_kept else "faint"
            lead += [Piece(f" {row.raw:>2} ", "muted"), Piece(f"{GLYPHS[row.role]} ", kind)]
            body = preview(self._log[row.raw], tool_names(self._log, row.raw))
        if not row.is_kept:
            body = [Piece(text, "struck") for text, _ in body]
        return [*lead, *fit_pieces(body, max(0, width - line_width(lead)))]


def _sign(row: NaiveRow) -> Piece:
    """Return how a row of a simpler rule differs from what the engine sends."""
    if row.is_shared:
        return Piece(" ")
    return Piece("+", "warn") if row.is_kept else Piece("−", "error")


class LessonBatches(TimelineSource):
    """The batches so far, with the words of a lesson's language."""

    def __init__(self, look: Look, errors: ErrorCounts, language: str) -> None:
        super().__init__(look, errors)
        self._language = language

    def header(self, width: int) -> Line | None:
        """Return the names of the columns."""
        return said_head(super().header(width), self._language)

    def about(self, batch: Batch) -> str:
        """Return the arguments of a batch, or how many messages it all began with."""
        if batch.operation is not None:
            return super().about(batch)
        count = len(self.conversation.revisions[0].view)
        messages = plural(count, "message")
        return say("{messages}", self._language, messages=messages, count=count)


class LessonTimeline(LineSource):
    """The batches so far, and what is about to be done, with a question mark."""

    def __init__(self, batches: LessonBatches, pending: Sequence[Doing]) -> None:
        self._batches = batches
        self._pending = pending

    def __len__(self) -> int:
        """Return how many batches and coming operations there are."""
        return len(self._batches) + len(self._pending)

    def key(self, at: int) -> int:
        """Return the id of a batch; what comes has numbers behind those."""
        return at

    def find(self, key: int) -> int | None:
        """Return the line of a batch."""
        return key if 0 <= key < len(self) else None

    def tint(self, at: int) -> str:
        """Return the tint of the batch that the step has opened."""
        look = self._batches.look
        if not isinstance(look, Frame) or look.was is None or at >= len(self._batches):
            return ""
        return "added" if at >= len(look.was.batches) else ""

    def header(self, width: int) -> Line | None:
        """Return the names of the columns."""
        return self._batches.header(width)

    def blocks(self, width: int) -> Sequence[Block]:
        """Return rows for arguments that don't fit beside the figures."""
        return self._batches.blocks(width)

    def below(self, at: int, width: int) -> list[Line]:
        """Return the arguments of a batch that don't fit beside its figures."""
        return self._batches.below(at, width) if at < len(self._batches) else []

    def line(self, at: int, width: int) -> Line:
        """Return one batch, or something that is not applied yet."""
        if at < len(self._batches):
            return self._batches.line(at, width)
        coming = self._pending[at - len(self._batches)]
        layout = self._batches.layout(width)
        lead = [
            Piece(fit(" ◌", layout.graph + 3), "key"),
            Piece(f"{coming.name} ", "text"),
            Piece(visible(coming.argument), "muted"),
        ]
        return [*fit_pieces(lead, max(0, width - 3)), Piece(" ? ", "key")]
