"""Batch snapshots in lines: what a state holds, and one of them as JSON."""

from __future__ import annotations

import json

from ctxtui.core import Batch, Message
from ctxtui.core.engine.log import LogReader
from ctxtui.core.engine.queries import Stats
from ctxtui.core.engine.views import View
from ctxtui.render.message.preview import plain_preview
from ctxtui.render.text.lines import Line, Piece, fit_pieces
from ctxtui.render.text.long_text import Lines
from ctxtui.render.text.times import to_the_second
from ctxtui.symbols import visible

INDEX_CELLS = 7
TIME_CELLS = 21
COUNT_CELLS = 10
MOST_CHARACTERS = 400
"""How much of a text is looked at for a line; no line is as long."""
AROUND = 3
"""Lines of a snapshot that are no messages: its fields, the start of the list, and the end."""


def head_lines(totals: Stats, width: int) -> list[Line]:
    """Return the totals as ``state()`` and ``stats()`` name them, and the names of the columns."""
    state = (
        ("totalMessageCount", totals.total_messages),
        ("currentBatchIndex", totals.current_batch_index),
        ("batchSnapshots", totals.total_batches),
    )
    figures = (
        ("totalMessages", totals.total_messages),
        ("currentBatchMessages", totals.current_batch_messages),
        ("totalBatches", totals.total_batches),
    )
    names = f"{'batch':>{INDEX_CELLS}}  {'timestamp':<{TIME_CELLS}}{'messages':>{COUNT_CELLS}}  "
    return [
        fit_pieces(_totals("state()", state), width),
        fit_pieces(_totals("stats()", figures), width),
        [Piece(f"{names}description", "faint")],
    ]


def _totals(name: str, figures: tuple[tuple[str, int], ...]) -> Line:
    line = [Piece(f" {name}", "muted")]
    for word, count in figures:
        line += [Piece(f"  {word} ", "muted"), Piece(f"{count:,}", "bright")]
    return line


def snapshot_line(batch: Batch, count: int, is_current: bool) -> Line:
    """Return a snapshot: batchIndex, timestamp, messageCount, description."""
    kind = "bright" if is_current else "text"
    sign = "◉" if is_current else "○"
    return [
        Piece(f" {sign} ", "key" if is_current else "muted"),
        Piece(f"{batch.number:>{INDEX_CELLS - 3},}  ", kind),
        Piece(f"{to_the_second(batch.time):<{TIME_CELLS}}", "muted"),
        Piece(f"{count:>{COUNT_CELLS},}  ", kind),
        Piece(visible(batch.description, MOST_CHARACTERS), kind),
    ]


class SnapshotLines(Lines):
    """A snapshot as JSON with a line for each message; each is written when it is looked at."""

    def __init__(self, log: LogReader, batch: Batch, view: View, width: int) -> None:
        self._log = log
        self._batch = batch
        self._view = view
        self._width = width

    def __len__(self) -> int:
        """Return how many lines there are."""
        return AROUND + len(self._view)

    def line(self, at: int) -> Line:
        """Return one line."""
        batch, count = self._batch, len(self._view)
        if at == 0:
            text = f'  {{"batchIndex": {batch.number}, "timestamp": {batch.time}, '
            text += f'"messageCount": {count}, "description": {_text(batch.description)},'
            return self._fitted([Piece(text, "muted")])
        if at == 1:
            return [Piece('   "messages": [', "muted")]
        place = at - AROUND + 1
        if place == count:
            return [Piece("   ]}", "muted")]
        raw = self._view[place]
        comma = "," if place < count - 1 else ""
        return self._fitted(_message(self._log[raw], comma))

    def _fitted(self, line: Line) -> Line:
        return fit_pieces(line, max(1, self._width - 1))


def _message(message: Message, comma: str) -> Line:
    """Return a message as JSON; parts are named, with the start of what they say behind them."""
    lead = [
        Piece('     {"role": ', "faint"),
        Piece(f'"{message.role}"', message.role),
        Piece(', "content": ', "faint"),
    ]
    if isinstance(message.content, str):
        return [*lead, Piece(_text(message.content)), Piece(f"}}{comma}", "faint")]
    kinds = ", ".join(f'"{part.type}"' for part in message.parts[:AROUND])
    more = ", …" if len(message.parts) > AROUND else ""
    said = visible(plain_preview(message), MOST_CHARACTERS)
    return [*lead, Piece(f"[{kinds}{more}]}}{comma}  ", "faint"), Piece(said, "muted")]


def _text(text: str) -> str:
    """Return the start of a text as JSON writes it, safe to show."""
    cut = text[:MOST_CHARACTERS]
    written = json.dumps(cut, ensure_ascii=False)
    return visible(written if len(cut) == len(text) else f'{written[:-1]}…"')
