"""The batches of a path in one line, with what lint says of each: which operation did it."""

from __future__ import annotations

from collections.abc import Sequence

from ctxtui.core import Batch
from ctxtui.models.error_counts import ErrorCounts
from ctxtui.models.look import Look, is_on_path
from ctxtui.render.text.choosing import size_of
from ctxtui.render.text.lines import Line, Piece, fit_pieces
from ctxtui.render.text.numbers import tokens
from ctxtui.render.text.severity import ERROR, PASSED

MORE = Piece("… ", "faint")
BETWEEN = Piece(" ─ ", "track")
ABANDONED = [Piece(" ─", "track"), Piece("◌", "faint"), Piece("╌ ", "faint")]
TITLE, HINT = " batches ", " looks at them "


def strip_head(look: Look, width: int) -> Line:
    """Return the rule above the strip, with the keys that step through the batches."""
    keys = [Piece(" [ ]", "key"), Piece(HINT, "muted"), Piece("─", "track")]
    if len(look.conversation.batches) == 1:
        keys = []
    lead = [Piece("─", "track"), Piece(TITLE, "muted")]
    rule = max(0, width - size_of([*lead, *keys]))
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
        before = size_of(line)
        if low > 0:
            longer = [*_item(look, errors, path, low - 1), *_link(path, low), *line]
            if size_of(longer) + _ends(low - 1, high, path) <= room:
                line, low = longer, low - 1
        if high < len(path) - 1:
            longer = [*line, *_link(path, high + 1), *_item(look, errors, path, high + 1)]
            if size_of(longer) + _ends(low, high + 1, path) <= room:
                line, high = longer, high + 1
        if size_of(line) == before:
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
    count = errors.of(look.conversation.newest(batch))
    if count is None:
        return [*line, Piece("…", "faint")]
    sign = ERROR if count else PASSED
    return [*line, Piece(f"{sign.glyph}{tokens(count) if count else ''}", sign.kind)]
