"""A session that is being written, in two rows: who it is and when; how full and how cached."""

from __future__ import annotations

from ctxtui.models.figures import figures_of
from ctxtui.models.watching import Lane
from ctxtui.render.saved import ENDED, LIVE
from ctxtui.render.text.bars import bar
from ctxtui.render.text.choosing import spread
from ctxtui.render.text.lines import Line, Piece, fit, fit_pieces
from ctxtui.render.text.numbers import ago, percent, tokens
from ctxtui.render.text.ribbon import ABSENT, Ribbon, RibbonAxis
from ctxtui.symbols import visible
from ctxtui.words import plural

INDENT = 4
HIT_CELLS, FIGURE_CELLS = 5, 26
MODEL_CELLS = 16
MINUTE, SECOND = 60_000, 1_000
LOW = 0.5
HEADINGS = "tokens  cache hit  calls "


def since(then: int, now: int) -> str:
    """Return how long ago something was, to the second while that is not long."""
    apart = max(0, now - then)
    if apart < SECOND:
        return "now"
    return f"{apart // SECOND} s" if apart < MINUTE else ago(then, now)


def head_row(width: int) -> Line:
    """Return the names of the columns."""
    return spread([Piece("   session", "faint")], [Piece(HEADINGS, "faint")], width)


def first_row(lane: Lane, now: int, width: int) -> Line:
    """Return who it is, how many messages it has, its model, and when it was changed."""
    sign, kind = (LIVE, "ok") if lane.holder is not None else (ENDED, "muted")
    end: Line = [
        Piece(f"{visible(lane.model, MODEL_CELLS)}  " if lane.model else "", "muted"),
        Piece(plural(len(lane.look.conversation.log), "message"), "muted"),
        Piece(f"{since(lane.changed, now):>9} ", "text" if lane.holder is not None else "faint"),
    ]
    room = max(0, width - INDENT - sum(len(piece.text) for piece in end))
    name = "bright" if lane.holder is not None else "muted"
    return [
        Piece(f" {sign}  ", kind),
        Piece(fit(visible(lane.session.title, 200), room), name),
        *end,
    ]


def second_row(lane: Lane, width: int) -> Line:
    """Return its log as a ribbon, its tokens, the cache hit of the last calls, and all calls."""
    look, hit = lane.look, lane.hit
    room = max(0, width - INDENT - FIGURE_CELLS)
    axis = RibbonAxis(look.log_size, room)
    figures = figures_of(look.conversation, look.state)
    ribbon = Ribbon(look.state.log, figures, look.view).line(axis)
    calls = len(look.calls)
    end: Line = [Piece(f"  {tokens(look.total):>5} ", "bright"), *_hit(hit)]
    end.append(Piece(f"{tokens(calls) if calls else ABSENT:>5} ", "text" if calls else "faint"))
    return [Piece(" " * INDENT), *fit_pieces(ribbon, room), *end]


def _hit(hit: tuple[int, int] | None) -> Line:
    """Return which share of the last calls a cache served, as a bar and a figure."""
    if hit is None or not hit[1]:
        return [Piece(f"{ABSENT:>{HIT_CELLS + 7}}", "faint")]
    served, sent = hit
    kind = "ok" if served >= LOW * sent else "error"
    return [
        Piece(f"{bar(served, sent, HIT_CELLS):<{HIT_CELLS}}", kind),
        Piece(f"{percent(served, sent):>7}", kind),
    ]
