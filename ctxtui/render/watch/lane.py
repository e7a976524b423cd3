"""One session that is being written, at length: its batches and calls, the newest of them last."""

from __future__ import annotations

from collections.abc import Sequence

from core import Batch
from core.history.call import Call
from ctxtui.models.call_figures import cached_share, calls_by_batch
from ctxtui.models.figures import figures_of
from ctxtui.models.look import Look
from ctxtui.models.watching import Lane
from ctxtui.render.batch.fields import operation_title
from ctxtui.render.calls import MOSTLY
from ctxtui.render.message.preview import GLYPHS, preview, tool_names
from ctxtui.render.text.choosing import spread
from ctxtui.render.text.lines import Line, Piece, fit, fit_pieces
from ctxtui.render.text.numbers import percent, tokens
from ctxtui.render.text.ribbon import Ribbon, RibbonAxis
from ctxtui.render.text.sections import cropped, head, stacked_up
from ctxtui.render.text.times import time_of_day
from ctxtui.render.text.wrap import wrap
from ctxtui.render.watch.hits import AGAIN, CACHED, again_words, call_blocks, hit_plot
from ctxtui.symbols import visible
from ctxtui.words import plural

LEAST_BATCHES, LEAST_CALLS, PLOT_ROWS, MOST_MESSAGES = 3, 4, 4, 6
FIXED_ROWS = 12
"""Rows that titles, the ribbon, the plot and the room between them take."""
NAME_CELLS, FIGURES_CELLS = 9, 23
PER_CENT = 100


def lane_lines(lane: Lane, width: int, height: int) -> list[Line]:
    """Return what is known of a session, for the room there is."""
    look = lane.look
    calls = list(look.calls)
    free = max(LEAST_BATCHES + LEAST_CALLS, height - FIXED_ROWS - (PLOT_ROWS if calls else 0))
    batches = max(LEAST_BATCHES, free // 2)
    rest = max(LEAST_CALLS, free - min(batches, len(look.state.path)))
    told = _calls(look, calls, width, rest) if calls else _messages(look, width)
    sections = (_top(lane, width), _batches(look, width, batches), told, _hits(calls, width))
    return cropped(stacked_up(*sections), width)


def _top(lane: Lane, width: int) -> list[Line]:
    look = lane.look
    who = lane.holder or "nobody writes it any more"
    counts = f"{len(look.view):,} visible of {plural(look.log_size, 'message')}"
    lines = [[Piece(fit(visible(who, 200), width), "faint")], [Piece(counts, "text")]]
    if lane.follower.problem is not None:
        told = wrap(visible(lane.follower.problem, 400), max(10, width))
        lines += [[Piece(row, "error")] for row in told]
    figures = figures_of(look.conversation, look.state)
    axis = RibbonAxis(look.log_size, width)
    return [*lines, Ribbon(look.state.log, figures, look.view).line(axis)]


def _batches(look: Look, width: int, most: int) -> list[Line]:
    """Return the newest batches of the path, each with a block for every call."""
    about = [
        Piece("a block is a call  ", "faint"),
        Piece(CACHED, "ok"),
        Piece(" cached  ", "faint"),
        Piece(AGAIN, "error"),
        Piece(" sent again", "faint"),
    ]
    path, calls = look.state.path, calls_by_batch(look.conversation)
    first = max(0, len(path) - most)
    lines = [head("Timeline", about, width)]
    if first:
        lines.append([Piece(f"  … {plural(first, 'batch', 'batches')} before", "faint")])
    for batch in path[first:]:
        lines.append(_batch(look, look.state.named(batch), calls.get(batch.id, ()), width))
    return lines


def _batch(look: Look, batch: Batch, calls: Sequence[Call], width: int) -> Line:
    is_now = batch.id == look.batch.id
    name = "START" if batch.operation is None else operation_title(batch.operation)
    said = "" if batch.operation is None else batch.description.removeprefix(name).strip()
    newest = look.state.on_path(batch.number)
    room = max(0, width - NAME_CELLS - 6 - FIGURES_CELLS)
    blocks = call_blocks(calls, room * 2 // 3)
    used = sum(len(piece.text) for piece in blocks)
    return [
        Piece("◉ " if is_now else "○ ", "key" if is_now else "text"),
        Piece(f"{batch.number:>3} ", "bright" if is_now else "text"),
        Piece(fit(name, NAME_CELLS), "bright" if is_now else "text"),
        Piece(fit(visible(said, 200), max(0, room - used - 1)), "muted"),
        Piece(" "),
        *blocks,
        Piece(f"{len(newest.view):>7,}", "text"),
        Piece(f"{tokens(look.state.total(newest)):>8}", "text"),
        _cached(calls),
    ]


def _cached(calls: Sequence[Call]) -> Piece:
    """Return which share of some calls was cached."""
    usages = [call.usage for call in calls if cached_share(call) is not None]
    sent = sum(usage.input or 0 for usage in usages if usage is not None)
    served = sum(usage.cached or 0 for usage in usages if usage is not None)
    if not sent:
        return Piece(f"{'':>8}")
    return Piece(f"{percent(served, sent):>8}", "ok" if served >= MOSTLY * sent else "error")


def _calls(look: Look, calls: Sequence[Call], width: int, most: int) -> list[Line]:
    """Return the newest calls: when, after which operation, and what was sent."""
    first = max(0, len(calls) - most)
    lines = [head("Calls", [Piece(f"{len(calls):,} on this path", "faint")], width)]
    return [*lines, *(_call(look, at, calls[at], width) for at in range(first, len(calls)))]


def _call(look: Look, number: int, call: Call, width: int) -> Line:
    operation = look.state.revisions[call.revision].operation
    said = "START" if operation is None else operation.sentence()
    usage = call.usage
    sent = "" if usage is None or usage.input is None else f"{tokens(usage.input)} in"
    share = cached_share(call)
    hit = Piece(f"{'':>8}")
    if share is not None:
        hit = Piece(f"{round(PER_CENT * share):>6} %", "ok" if share >= MOSTLY else "error")
    left = [Piece(f"{number + 1:>5}  ", "bright"), Piece(f"{time_of_day(call.time)}  ", "faint")]
    broken = [] if call.outcome == "complete" else [Piece(f"{call.outcome}  ", "warn")]
    right: Line = [*broken, Piece(f"{sent:>10}", "text"), hit]
    room = max(0, width - sum(len(one.text) for one in (*left, *right)))
    return [*left, Piece(fit(visible(said, 200), room), "text"), *right]


def _messages(look: Look, width: int) -> list[Line]:
    """Return the newest messages, where no call is recorded that would tell more."""
    about = [Piece("no call is recorded", "faint")]
    lines = [head("Newest messages", about, width)]
    for raw in look.view[max(0, len(look.view) - MOST_MESSAGES) :]:
        message = look.state.log[raw]
        said = preview(message, tool_names(look.state.log, raw))
        lead = [Piece(f"{raw:>5} ", "faint"), Piece(f"{GLYPHS[message.role]} ", message.role)]
        lines.append(fit_pieces([*lead, *said], width))
    return lines


def _hits(calls: Sequence[Call], width: int) -> list[Line]:
    """Return the cache hit of the newest calls as a plot, and a sentence about it."""
    plot = hit_plot(calls, width, PLOT_ROWS)
    if not plot:
        return []
    return [
        head("Cache hit of the last calls", [], width),
        *plot,
        *([Piece(row, "muted")] for row in wrap(again_words(calls), max(10, width))),
    ]


def watch_head(folder: str, written: int, ended: int, width: int) -> Line:
    """Return the head line: how many sessions are written, and where they are."""
    left: Line = [Piece(" ctxtui  ", "bright"), Piece(" Watch ", "chip")]
    if written:
        left += [Piece("  ● live  ", "ok"), Piece(f"{plural(written, 'session')} written", "text")]
    else:
        left.append(Piece("  no session is written right now", "muted"))
    if ended:
        left.append(Piece(f"   {ended:,} ended", "muted"))
    return spread(left, [Piece(f"{visible(folder)} ", "muted")], width)


def waiting_lines(width: int) -> list[Line]:
    """Return what is said while nobody writes anything."""
    said = (
        "Nothing in this library is being written. As soon as a program opens a session of it to "
        "write, it is listed here and followed."
    )
    return [[Piece(row, "muted")] for row in wrap(said, max(10, width))]
