"""Cache hits of calls: each a block, tall where it was mostly cached, and as a plot."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat

from ctxtui.core.engine.calls import Call
from ctxtui.models.call_figures import MOSTLY, cached_share
from ctxtui.models.lane_story import LaneStory, ToldCall
from ctxtui.render.calls import UNMEASURED
from ctxtui.render.text.lines import Line, Piece, joined
from ctxtui.words import plural

CACHED, AGAIN = "▇", "▁"
EIGHTHS = "▁▂▃▄▅▆▇█"
LABEL_CELLS = 6
TICK = "┴"


def call_blocks(calls: Sequence[Call], cells: int) -> Line:
    """Return a block for each of the newest calls, as many as there is room for.

    Where all fit so, there is room between them.
    """
    blocks = [_block(call) for call in calls[max(0, len(calls) - max(0, cells)) :]]
    if 2 * len(blocks) <= cells:
        return [piece for block in blocks for piece in (block, Piece(" "))]
    return joined(blocks)


def _block(call: Call) -> Piece:
    share = cached_share(call)
    if call.outcome != "complete" or share is None:
        return Piece(UNMEASURED, "muted" if call.outcome == "complete" else "warn")
    return Piece(CACHED, "ok") if share >= MOSTLY else Piece(AGAIN, "error")


def hit_plot(
    calls: Sequence[ToldCall], width: int, rows: int, looked_at: int | None = None
) -> list[Line]:
    """Return the cache hit of some calls as columns, the newest last, and their numbers below.

    Those are shown that fit, around the one that is looked at; one that nobody measured is blank.
    """
    room = max(0, width - LABEL_CELLS)
    stop = len(calls) if looked_at is None else min(len(calls), max(looked_at + room // 3, room))
    shown = calls[max(0, stop - room) : stop]
    if rows < 1 or not any(one.share is not None for one in shown):
        return []
    wide = max(1, min(3, room // len(shown)))
    lines = []
    for row in reversed(range(rows)):
        cells = [cell for one in shown for cell in repeat(_cell(one.share, row, rows), wide)]
        label = {rows - 1: " 100 %", 0: "   0 %"}[row] if row in (rows - 1, 0) else ""
        pad = " " * (room - len(cells))
        lines.append([*joined(cells), Piece(pad), Piece(label, "faint")])
    return [*lines, _axis(shown, wide, room, looked_at)]


def _axis(shown: Sequence[ToldCall], wide: int, room: int, looked_at: int | None) -> Line:
    """Return the numbers of the first and the last call, and of the one that is looked at."""
    first, last = str(shown[0].number), str(shown[-1].number)
    size = wide * len(shown)
    if len(shown) == 1 or size < len(first) + len(last) + 1:
        return [Piece(last, "faint"), Piece(" " * max(0, room - len(last)))]
    line = [Piece(first, "faint"), Piece(" " * (size - len(first) - len(last)))]
    if looked_at is not None and shown[0].number < looked_at < shown[-1].number:
        at = wide * (looked_at - shown[0].number) + (wide - 1) // 2
        label = f"{TICK}{looked_at}"
        if len(first) < at and at + len(label) + len(last) < size:
            between = size - at - len(label) - len(last)
            line = [Piece(first, "faint"), Piece(" " * (at - len(first))), Piece(label, "key")]
            line.append(Piece(" " * between))
    return [*line, Piece(last, "faint"), Piece(" " * (room - size))]


def _cell(share: float | None, row: int, rows: int) -> Piece:
    """Return a cell of a column, rows counted from below; every call has at least a line there."""
    if share is None:
        return Piece(" ")
    eighths = round(len(EIGHTHS) * max(0.0, min(1.0, share * rows - row)))
    if row == 0:
        eighths = max(1, eighths)
    sign = EIGHTHS[eighths - 1] if eighths else " "
    return Piece(sign, "ok" if share >= MOSTLY else "error")


def again_words(story: LaneStory) -> str:
    """Return how many calls paid for most of the prompt again; nothing where none is measured."""
    if not story.measured:
        return ""
    told = plural(story.measured, "measured call")
    paid = f"{story.again:,}" if story.again else "None"
    return f"{paid} of {told} paid for most of the prompt again."
