"""Cache hits of calls: each a block, tall where it was mostly cached, and as a plot."""

from __future__ import annotations

from collections.abc import Sequence

from core.history.call import Call
from ctxtui.models.call_figures import cached_share
from ctxtui.render.calls import MOSTLY, UNMEASURED
from ctxtui.render.text.lines import Line, Piece, joined
from ctxtui.words import plural

CACHED, AGAIN = "▇", "▁"
EIGHTHS = "▁▂▃▄▅▆▇█"
LABEL_CELLS = 6


def call_blocks(calls: Sequence[Call], cells: int) -> Line:
    """Return a block for each of the newest calls, as many as there is room for."""
    return joined([_block(call) for call in calls[max(0, len(calls) - max(0, cells)) :]])


def _block(call: Call) -> Piece:
    share = cached_share(call)
    if call.outcome != "complete" or share is None:
        return Piece(UNMEASURED, "muted" if call.outcome == "complete" else "warn")
    return Piece(CACHED, "ok") if share >= MOSTLY else Piece(AGAIN, "error")


def hit_plot(calls: Sequence[Call], width: int, rows: int) -> list[Line]:
    """Return the cache hit of the newest calls as columns, one for each."""
    shown = [share for call in calls if (share := cached_share(call)) is not None]
    shown = shown[max(0, len(shown) - max(0, width - LABEL_CELLS)) :]
    if not shown or rows < 1:
        return []
    lines = []
    for row in reversed(range(rows)):
        cells = [_cell(share, row, rows) for share in shown]
        label = {rows - 1: " 100 %", 0: "   0 %"}[row] if row in (rows - 1, 0) else ""
        pad = " " * (width - LABEL_CELLS - len(cells))
        lines.append([*joined(cells), Piece(pad), Piece(label, "faint")])
    return lines


def _cell(share: float, row: int, rows: int) -> Piece:
    """Return a cell of a column, rows counted from below; every call has at least a line there."""
    eighths = round(len(EIGHTHS) * max(0.0, min(1.0, share * rows - row)))
    if row == 0:
        eighths = max(1, eighths)
    sign = EIGHTHS[eighths - 1] if eighths else " "
    return Piece(sign, "ok" if share >= MOSTLY else "error")


def again_words(calls: Sequence[Call]) -> str:
    """Return how many calls paid for most of the prompt again; nothing where none is measured."""
    shares = [share for call in calls if (share := cached_share(call)) is not None]
    again = sum(share < MOSTLY for share in shares)
    if not shares:
        return ""
    told = plural(len(shares), "measured call")
    paid = f"{again:,}" if again else "None"
    return f"{paid} of {told} paid for most of the prompt again."
