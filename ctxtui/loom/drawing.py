"""The loom as lines: one ribbon for each row, with the labelled messages as threads."""

from __future__ import annotations

from functools import lru_cache

from ctxtui.inspector.models.look import Look
from ctxtui.inspector.models.timeline import name_of
from ctxtui.loom.models import Loom, LoomRow
from ctxtui.text.icons import ERROR
from ctxtui.text.line_source import NumberedSource
from ctxtui.text.lines import Line, Piece, fit, fit_pieces, joined, spread
from ctxtui.text.message import plain_preview
from ctxtui.text.numbers import time_of_day, tokens
from ctxtui.text.plurals import plural
from ctxtui.text.ribbon import ABSENT, HIDDEN, SENT, Ribbon, RibbonAxis

STAR, ENDED, THREAD = "★", ERROR.glyph, "│"
ABANDONED, NOW, ON_PATH = "◌", "◉", "○"
FIGURES = 14
"""Cells of the columns at the right: visible messages and tokens."""
LEAD, TIME = 16, 6
"""Cells of the columns at the left: the batch, and the time where there is room."""
ROOMY = 110
TICK = 50
MOST_TEXT = 48


class LoomSource(NumberedSource):
    """The rows of a loom; ``raw`` is the message that the cursor is on."""

    def __init__(self, loom: Loom, raw: int = 0) -> None:
        self.loom = loom
        self.raw = raw
        self._line = lru_cache(maxsize=512)(self._drawn)

    def __len__(self) -> int:
        return len(self.loom.rows)

    def axis(self, width: int) -> RibbonAxis:
        """Return where each message is on a line of so many cells."""
        return RibbonAxis(self.loom.log_size, max(1, width - self.lead(width) - FIGURES))

    @staticmethod
    def lead(width: int) -> int:
        """Return the cells before the ribbon."""
        return LEAD + (TIME if width >= ROOMY else 0)

    def headers(self, width: int) -> list[Line]:
        axis, lead = self.axis(width), self.lead(width)
        scale = [" "] * axis.width
        step = max(1, TICK * max(1, self.loom.log_size // 400))
        for raw in range(0, self.loom.log_size, step):
            at, text = axis.place(raw), str(raw)
            if at + len(text) <= axis.width and not "".join(scale[max(0, at - 1) : at + 1]).strip():
                scale[at : at + len(text)] = text
        left = ("time  " if width >= ROOMY else "") + "batch"
        return [
            [
                Piece(left.ljust(lead), "faint"),
                Piece("".join(scale), "faint"),
                Piece("   vis tokens", "faint"),
            ]
        ]

    def line(self, at: int, width: int) -> Line:
        cells = list(self._line(at, width))
        if at == self.cursor and self.loom.log_size:
            place = self.lead(width) + self.axis(width).place(self.raw)
            return _with_chip(joined(cells), place)
        return joined(cells)

    def _drawn(self, at: int, width: int) -> tuple[Piece, ...]:
        row = self.loom.rows[at]
        kind = "faint" if row.is_abandoned else "muted"
        figures = f"{len(row.revision.view):>6,}{tokens(row.revision.tokens):>7} "
        cells = [*self._lead(row, width), *self._ribbon(at, row, self.axis(width))]
        return (*cells, Piece(figures, kind))

    def _lead(self, row: LoomRow, width: int) -> Line:
        is_now = row.revision.id == self.loom.conversation.current.id
        time = time_of_day(row.revision.time)[:5] if row.name and width >= ROOMY else ""
        line = [Piece(time.ljust(TIME), "faint")] if width >= ROOMY else []
        if not row.name:
            return [*line, Piece("│".ljust(LEAD), "track")]
        symbol = NOW if is_now else ABANDONED if row.is_abandoned else ON_PATH
        kind = "faint" if row.is_abandoned else "bright" if row.name.isupper() else "muted"
        worst = self.loom.most_hidden
        if worst is not None and worst.batch.id == row.batch.id and row.name.isupper():
            kind = "error"
        number = Piece(f"{row.batch.number:>3} ", "faint" if row.is_abandoned else "muted")
        return [*line, Piece(symbol, "faint"), number, Piece(fit(row.name, LEAD - 5), kind)]

    def _ribbon(self, at: int, row: LoomRow, axis: RibbonAxis) -> Line:
        conversation = self.loom.conversation
        look = Look(conversation, row.revision.id)
        size = row.revision.log_size
        ribbon = Ribbon(look.state.log, look.figures, row.revision.view, size=size, went=row.went)
        cells = [self._cell(piece, row) for piece in ribbon.cells(axis)]
        for thread in self.loom.threads:
            symbol = self._thread(at, row, thread.raw, size)
            if symbol is not None:
                cells[axis.place(thread.raw)] = symbol
        return cells

    @staticmethod
    def _cell(piece: Piece, row: LoomRow) -> Piece:
        if piece.text == ABSENT:
            return Piece(" ")
        if piece.kind == "error":
            return Piece(SENT, "dim" if row.is_abandoned else "error")
        if row.is_abandoned:
            return Piece(piece.text, "track" if piece.text == HIDDEN else "faint")
        return Piece(piece.text, "track") if piece.text == HIDDEN else piece

    def _thread(self, at: int, row: LoomRow, raw: int, size: int) -> Piece | None:
        if raw >= size:
            return None
        if raw in row.went:
            return Piece(ENDED, "faint" if row.is_abandoned else "error")
        if raw not in row.revision.view:
            return None
        above = self.loom.rows[at - 1].revision if at else None
        is_first = above is None or raw >= above.log_size
        return Piece(STAR if is_first else THREAD, "faint" if row.is_abandoned else "mark")


def _with_chip(line: Line, place: int) -> Line:
    """Return a line in which one cell is the cursor."""
    made: Line = []
    for text, kind in line:
        at = place
        place -= len(text)
        if 0 <= at < len(text):
            made += [Piece(text[:at], kind), Piece(text[at], "chip"), Piece(text[at + 1 :], kind)]
        else:
            made.append(Piece(text, kind))
    return [piece for piece in made if piece.text]


def title_line(loom: Loom, lead: Line, width: int) -> Line:
    """Return how much history there is, behind what it is of."""
    conversation = loom.conversation
    left = sum(1 for row in loom.rows if row.is_abandoned and row.name.isupper())
    said = [
        plural(loom.log_size, "message"),
        *([plural(len(conversation.calls), "call")] if conversation.calls else []),
        plural(len(conversation.batches), "batch", "batches"),
        *([f"{left} abandoned"] if left else []),
    ]
    return spread([*lead, Piece(f"   {'   '.join(said)}", "muted")], [], width)


def story_line(loom: Loom, width: int) -> Line:
    """Return the one sentence that matters most: which batch hid the most."""
    worst = loom.most_hidden
    if worst is None:
        return fit_pieces([Piece(" No batch on this path hid a message.", "muted")], width)
    name = f" batch {worst.batch.number} {name_of(worst.batch)}"
    if not worst.raws:
        about = f" hid the most: {plural(worst.messages, 'message')}, {tokens(worst.tokens)} tokens"
        end = ". No labelled message was hidden." if loom.threads else ". No message has a label."
        return fit_pieces([Piece(name, "bright"), Piece(about + end, "text")], width)
    quoted = fit(plain_preview(loom.conversation.log[worst.raws[0]]), MOST_TEXT).rstrip()
    about = f" hid {len(worst.raws)} of {plural(len(loom.threads), 'labelled message')}"
    among = ", among them " if len(worst.raws) > 1 else ": "
    line = [Piece(name, "error"), Piece(about + among, "text"), Piece(f"“{quoted}”", "bright")]
    if worst.calls:
        line.append(Piece(f". {plural(worst.calls, 'call')} without it.", "muted"))
    return fit_pieces(line, width)


def legend_line(loom: Loom, width: int) -> Line:
    """Return what the colours and symbols mean, and how many messages a cell is."""
    cells = max(1, width - LoomSource.lead(width) - FIGURES)
    each = -(-loom.log_size // cells) if loom.log_size else 1
    line = [Piece(" ▆ ", role) for role in ("system", "user", "assistant", "tool")]
    words = ("system ", "user ", "assistant ", "tool  ")
    legend = [piece for pair in zip(line, map(Piece, words), strict=True) for piece in pair]
    legend += [Piece("▆ ", "error"), Piece("hidden by this batch  ", "muted")]
    legend += [Piece("★│ ", "mark"), Piece("labelled  ", "muted")]
    legend += [Piece(f"{ENDED} ", "error"), Piece("hidden here  ", "muted")]
    if each > 1:
        legend.append(Piece(f"a cell is up to {each} messages", "faint"))
    return fit_pieces(legend, width)


def loom_text(loom: Loom, title: str, width: int = 140) -> str:
    """Return the whole loom as text."""
    source = LoomSource(loom)
    lines = [
        title_line(loom, [Piece(f" {title}", "bright")], width),
        story_line(loom, width),
        *source.headers(width),
        *(source.line(at, width) for at in range(len(source))),
        legend_line(loom, width),
    ]
    return "\n".join("".join(piece.text for piece in line).rstrip() for line in lines) + "\n"
