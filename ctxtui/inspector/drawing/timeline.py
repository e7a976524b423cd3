"""The batch timeline: one line for each batch, abandoned branches greyed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ctxtui.calls.models.call import calls_by_batch
from ctxtui.calls.words import call_ticks
from ctxtui.core import Batch
from ctxtui.inspector.models.lint import ErrorCounts
from ctxtui.inspector.models.look import Look, is_on_path
from ctxtui.inspector.models.timeline import about_of, changes_of, name_of
from ctxtui.text.icons import errors_piece
from ctxtui.text.line_source import NumberedSource
from ctxtui.text.lines import (
    EDGE,
    Line,
    Piece,
    digits,
    fit,
    fit_pieces,
    kept,
    line_width,
)
from ctxtui.text.numbers import change, tokens, widest
from ctxtui.text.plots import bar
from ctxtui.text.symbols import printable

BAR_CELLS = 5
ABOUT_CELLS, LEAST_ABOUT = 24, 8
"""Cells of the arguments below which the bar gives way, and below which all else does."""
LEAST_NAME = 9
GRAPH, NARROW_GRAPH = 5, 3
CALL_CELLS = 6
"""Cells of the calls of a batch: as many ticks, or a count and the newest."""
FIGURES = ("calls", "add", "hide", "vis", "tokens", "bar", "lint")


class TimelineLayout(NamedTuple):
    """How wide the parts of a line are before its figures, and which figures there are."""

    graph: int
    name: int
    about: int
    figures: frozenset[str]


class TimelineSource(NumberedSource):
    """A line for every batch in the order they were made; its key is the batch's id."""

    def __init__(self, look: Look, errors: ErrorCounts) -> None:
        self.look = look
        self.errors = errors
        self.picked: tuple[int, ...] = ()
        self.conversation = conversation = look.conversation
        self.on_path = {batch.id for batch in conversation.path}
        self.calls = calls_by_batch(conversation)
        self._limit = conversation.settings.token_limit
        self._number = digits(len(conversation.path), 2)
        self._name = 1 + max(len(name_of(batch)) for batch in conversation.batches)
        log = look.state.log
        count = 2 + widest(len(log))
        most = widest(log.tokens_before(len(log), look.counter))
        signs = 0 if self._limit is None else len("! ")
        # The first ones go first where there is no room.
        self._widths = {
            "bar": 1 + BAR_CELLS,
            **({"calls": 1 + CALL_CELLS} if self.calls else {}),
            "vis": max(4, count - 1),
            "tokens": 1 + max(len("tokens"), most + signs),
            "add": max(5, count),
            "hide": max(5, count),
            "lint": max(5, count),
        }
        self._layouts: dict[int, TimelineLayout] = {}

    def __len__(self) -> int:
        return len(self.conversation.batches)

    def tint(self, at: int) -> str:
        return "select" if at in self.picked else ""

    def layout(self, width: int) -> TimelineLayout:
        """Return the layout for a width: bars and calls give way, then arguments, then figures."""
        if width not in self._layouts:
            self._layouts[width] = self._layout(width)
        return self._layouts[width]

    def _layout(self, width: int) -> TimelineLayout:
        figures, graph, name = dict(self._widths), GRAPH, self._name
        room = width - GRAPH - self._number - 1 - EDGE - name
        for one, least in (("bar", ABOUT_CELLS), ("calls", LEAST_ABOUT)):
            if room - sum(figures.values()) < least:
                figures.pop(one, None)
        if room - sum(figures.values()) < LEAST_ABOUT:
            graph, name = NARROW_GRAPH, min(name, LEAST_NAME)
            room += GRAPH - graph + self._name - name
        for one in ("tokens", "vis"):
            if room - sum(figures.values()) < LEAST_ABOUT:
                del figures[one]
        names = kept(figures, room)
        about = max(0, room - sum(figures[one] for one in names))
        return TimelineLayout(graph, name, about, names)

    def header(self, width: int) -> Line | None:
        layout = self.layout(width)
        lead = f"{'no.':>{layout.graph + self._number}} operation"
        tail = [
            f"{'' if name == 'bar' else name:>{self._widths[name]}}"
            for name in FIGURES
            if name in layout.figures
        ]
        room = width - sum(map(len, tail)) - EDGE
        return [Piece(fit(lead, max(0, room)) + "".join(tail) + " " * EDGE, "faint")]

    def line(self, at: int, width: int) -> Line:
        batch = self.conversation.batches[at]
        layout = self.layout(width)
        on_path = at in self.on_path
        now = batch.id == self.conversation.batch.id
        faint = None if on_path else "faint"
        figures = self._figures(batch, faint)
        return [
            self._graph(at, on_path, now, layout.graph),
            Piece(f"{batch.number:>{self._number}} ", faint or "bright"),
            Piece(
                fit(name_of(batch), layout.name - 1) + " ", faint or ("bright" if now else "text")
            ),
            Piece(fit(self.about(batch), layout.about), faint or "muted"),
            *(piece for one in FIGURES if one in layout.figures for piece in figures[one]),
            Piece(" " * EDGE),
        ]

    def _figures(self, batch: Batch, faint: str | None) -> dict[str, Line]:
        newest = self.conversation.newest(batch)
        count = self.look.state.total(newest)
        over = self._limit is not None and count > self._limit
        added, hidden = changes_of(self.conversation, batch)
        made = {
            "add": Piece(change(added, "+"), "ok" if added else "faint"),
            "hide": Piece(change(hidden, "−"), "error" if hidden else "faint"),
            "vis": Piece(tokens(len(newest.view))),
            "tokens": Piece(f"{'! ' if over else ''}{tokens(count)}", "warn" if over else "text"),
            "bar": Piece(
                f"{bar(count, self.look.peak, BAR_CELLS):<{BAR_CELLS}}", "warn" if over else "bar"
            ),
            "lint": errors_piece(self.errors.of(newest)),
        }
        figures: dict[str, Line] = {
            name: [Piece(f"{text:>{self._widths[name]}}", faint or kind)]
            for name, (text, kind) in made.items()
        }
        if self.calls:
            ticks = call_ticks(self.calls.get(batch.id, ()), CALL_CELLS)
            lead = Piece(" " * (self._widths["calls"] - line_width(ticks)))
            figures["calls"] = [lead, *(Piece(text, faint or kind) for text, kind in ticks)]
        return figures

    def about(self, batch: Batch) -> str:
        return printable(about_of(self.conversation, batch), 200)

    def _graph(self, at: int, on_path: bool, now: bool, width: int) -> Piece:
        viewed = not self.look.is_live and at == self.look.batch.id
        if on_path:
            glyph = "●" if viewed else "◉" if now else "○"
            return Piece(fit(f" {glyph}", width), "key" if viewed or now else "text")
        branch = "├╌" if at - 1 in self.on_path else "│ "
        drawn = f" {branch}" if width >= GRAPH else branch[0]
        return Piece(fit(drawn + ("●" if viewed else "◌"), width), "faint")


# The batches of a path in one line, with what lint says of each: which operation did it.

MORE = Piece("… ", "faint")
BETWEEN = Piece(" ─ ", "track")
ABANDONED = [Piece(" ─", "track"), Piece("◌", "faint"), Piece("╌ ", "faint")]
TITLE, HINT = " batches ", " batch "


def strip_head(look: Look, width: int) -> Line:
    """Return the rule above the strip, with the keys that step through the batches."""
    keys = [Piece(" [ ]", "key"), Piece(HINT, "muted"), Piece("─", "track")]
    if len(look.conversation.batches) == 1:
        keys = []
    lead = [Piece("─", "track"), Piece(TITLE, "muted")]
    rule = max(0, width - line_width([*lead, *keys]))
    return fit_pieces([*lead, Piece("─" * rule, "track"), *keys], width)


def batch_strip(look: Look, errors: ErrorCounts, width: int) -> Line:
    """Return as many batches around the shown one as fit; costs don't follow their number."""
    conversation = look.conversation
    path = conversation.path if is_on_path(conversation, look.batch) else look.state.path
    if not look.state.batches or look.batch.number >= len(path):
        return []
    here = look.batch.number
    low = high = here
    line = _item(look, errors, path, here)
    room = width - 2
    while low > 0 or high < len(path) - 1:
        before = line_width(line)
        if low > 0:
            longer = [*_item(look, errors, path, low - 1), *_link(path, low), *line]
            if line_width(longer) + _ends(low - 1, high, path) <= room:
                line, low = longer, low - 1
        if high < len(path) - 1:
            longer = [*line, *_link(path, high + 1), *_item(look, errors, path, high + 1)]
            if line_width(longer) + _ends(low, high + 1, path) <= room:
                line, high = longer, high + 1
        if line_width(line) == before:
            break
    left = [MORE] if low > 0 else []
    right = [Piece(" …", "faint")] if high < len(path) - 1 else []
    return fit_pieces([Piece(" "), *left, *line, *right], width)


def _ends(low: int, high: int, path: Sequence[Batch]) -> int:
    return 2 * (low > 0) + 2 * (high < len(path) - 1)


def _link(path: Sequence[Batch], at: int) -> Line:
    """Return what joins a batch with the one before it; others between them were abandoned."""
    return ABANDONED if path[at].id - path[at - 1].id > 1 else [BETWEEN]


def _item(look: Look, errors: ErrorCounts, path: Sequence[Batch], at: int) -> Line:
    batch = path[at]
    shown = batch.id == look.batch.id
    now = batch.id == look.conversation.batch.id
    glyph = "●" if shown and not look.is_live else "◉" if now else "○"
    name = "START" if batch.operation is None else batch.operation.title
    line = [
        Piece(f"{glyph} ", "key" if shown or now else "text"),
        Piece(f"{batch.number} ", "bright"),
        Piece(f"{name} ", "bright" if shown else "muted"),
    ]
    return [*line, errors_piece(errors.of(look.conversation.newest(batch)))]
