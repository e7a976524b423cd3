"""The lanes of a run: a heading, two rows for each lane, and one for what was asked aside."""

from __future__ import annotations

from ctxtui.models.call_figures import MOSTLY
from ctxtui.models.run_tree import LaneNode, RunHead, SideNode
from ctxtui.render.text.bars import bar
from ctxtui.render.text.choosing import size_of, spread
from ctxtui.render.text.lines import Line, Piece, fit, fit_pieces
from ctxtui.render.text.numbers import ago, tokens
from ctxtui.render.text.ribbon import ABSENT, Ribbon, RibbonAxis
from ctxtui.render.text.times import time_of_day
from ctxtui.symbols import visible
from ctxtui.words import percent, plural

SIGNS = {"running": ("●", "ok"), "waiting": ("◐", "warn"), "done": ("○", "muted")}
"""How it is with a lane, as a sign and its ink."""
SIDE_SIGN = "┄"
STEP = 3
"""Cells by which an agent stands further in than who called it."""
LEAD = 3
HIT_CELLS, FIGURE_CELLS = 5, 25
MODEL_CELLS = 18
MINUTE, SECOND = 60_000, 1_000
HEADINGS = "tokens  cache hit  calls "


def since(then: int, now: int) -> str:
    """Return how long ago something was, to the second while that is not long."""
    apart = max(0, now - then)
    if apart < SECOND:
        return "now"
    return f"{apart // SECOND} s" if apart < MINUTE else ago(then, now)


def head_row(width: int) -> Line:
    """Return the names of the columns."""
    return spread([Piece(" thread", "faint")], [Piece(HEADINGS, "faint")], width)


def run_row(head: RunHead, width: int) -> Line:
    """Return the heading of a run."""
    when = "" if head.began is None else f"since {time_of_day(head.began)}, "
    about = [Piece(f" {when}{plural(head.lanes, 'thread')} ", "faint")]
    name = Piece(fit(visible(head.name, 200), max(0, width - size_of(about) - 2)), "bright")
    return spread([Piece(" "), name], about, width)


def first_row(node: LaneNode, now: int, width: int) -> Line:
    """Return who it is, its model, and when it was changed."""
    lane, state = node.lane, node.state(now)
    sign, kind = SIGNS[state]
    age = since(lane.figures.changed, now)
    if lane.flights:
        age = f"  in flight {since(lane.flights[0].time, now)}"
    model = visible(lane.story.model, MODEL_CELLS)
    end: Line = [
        Piece(f"  {model}" if model else "", "muted"),
        Piece(f"{age:>8} ", "faint" if state == "done" else "text"),
    ]
    lead: Line = [*_branch(node.depth, is_last=node.is_last), Piece(f"{sign} ", kind)]
    room = max(0, width - size_of(lead) - size_of(end))
    name = Piece(fit(visible(lane.title, 200), room), "muted" if state == "done" else "bright")
    return [*lead, name, *end]


def second_row(node: LaneNode, width: int) -> Line:
    """Return its log as a ribbon, its tokens, the cache hit of the last calls, and all calls."""
    look, told = node.lane.look, node.lane.figures
    lead = _trunk(node.depth, is_last=node.is_last)
    room = max(0, width - size_of(lead) - FIGURE_CELLS)
    ribbon = Ribbon(look.state.log, look.figures, look.view).line(RibbonAxis(look.log_size, room))
    calls = Piece(f"{tokens(told.calls):>4} ") if told.calls else Piece(f"{ABSENT:>4} ", "faint")
    figures = [Piece(f"  {tokens(told.tokens):>5} ", "bright"), *_hit(told.hit), calls]
    return [*lead, *fit_pieces(ribbon, room), *figures]


def side_row(node: SideNode, now: int, width: int) -> Line:
    """Return how much was asked beside a conversation, and what it was."""
    age = Piece(f"{since(node.lane.figures.changed, now):>8} ", "faint")
    many = Piece(plural(node.calls, "side call"), "muted")
    lead = [*_branch(node.depth, is_last=True), Piece(f"{SIDE_SIGN} ", "faint"), many]
    room = max(0, width - size_of(lead) - size_of([age]))
    return fit_pieces([*lead, Piece(fit(f"  {node.about}", room), "faint"), age], width)


def _branch(depth: int, *, is_last: bool) -> Line:
    if not depth:
        return [Piece(" ")]
    return [Piece(" " * (1 + STEP * (depth - 1)) + ("└─ " if is_last else "├─ "), "track")]


def _trunk(depth: int, *, is_last: bool) -> Line:
    """Return what stands below a branch: the trunk goes on, unless that was its end."""
    if not depth:
        return [Piece(" " * LEAD)]
    sign = " " if is_last else "│"
    return [Piece(" " * (1 + STEP * (depth - 1)) + f"{sign}    ", "track")]


def _hit(hit: tuple[int, int] | None) -> Line:
    """Return which share of the last calls a cache served, as a bar and a figure."""
    if hit is None or not hit[1]:
        return [Piece(f"{ABSENT:>{HIT_CELLS + 7}}", "faint")]
    served, sent = hit
    kind = "ok" if served >= MOSTLY * sent else "error"
    return [
        Piece(f"{bar(served, sent, HIT_CELLS):<{HIT_CELLS}}", kind),
        Piece(f"{percent(served, sent):>7}", kind),
    ]
