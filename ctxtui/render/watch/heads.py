"""What stands above and beside the lanes: all of them in figures, and which call is looked at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ctxtui.models.call_look import CallLook
from ctxtui.models.lane_story import LaneStory
from ctxtui.models.run_tree import Totals
from ctxtui.render.saved import ENDED, LIVE, READ_ONLY
from ctxtui.render.text.choosing import longest, size_of, spread
from ctxtui.render.text.lines import Line, Piece, fit
from ctxtui.render.text.ribbon import Ribbon, RibbonAxis
from ctxtui.render.text.sections import head
from ctxtui.render.text.severity import ERROR, PASSED, WARNING
from ctxtui.render.text.wrap import wrap
from ctxtui.render.watch.hits import again_words, hit_plot
from ctxtui.symbols import visible
from ctxtui.words import plural

PLOT_ROWS = 4
NARROWEST = 10


class Where(NamedTuple):
    """Which call of which lane is looked at, of how many, and how many came meanwhile."""

    title: str
    call: int
    calls: int
    is_past: bool
    news: int
    merging: str | None = None
    """The lane that is about to be merged into the one under the cursor."""
    is_busy: bool = False
    """Whether calls are being recorded again."""


def watch_head(folder: str | None, written: int, flying: int, width: int) -> Line:
    """Return the head line: whether anybody writes, and where the sessions are.

    Without a folder, they are those of a library that can only be looked at.
    """
    left: Line = [Piece(" ctxtui  ", "bright"), Piece(" Watch ", "chip")]
    if written:
        left += [Piece(f"  {LIVE} live  ", "ok"), Piece(f"{plural(written, 'session')} written")]
    elif flying:
        left += [Piece(f"  {LIVE} live  ", "ok"), Piece("no session is written yet")]
    else:
        left.append(Piece(f"  {ENDED} no session is written right now", "muted"))
    where = READ_ONLY if folder is None else Piece(f"{visible(folder)} ", "muted")
    return spread(left, [where], width)


def totals_line(totals: Totals, width: int) -> Line:
    """Return how many lanes and requests there are, and how many of these went wrong."""
    return longest(_totals(totals), width)


def _totals(totals: Totals) -> Iterator[tuple[Line, Line]]:
    counts: Line = []
    for count, noun in ((totals.conversations, "conversation"), (totals.lanes, "thread")):
        counts += _counted(count, noun)
    flying = [Piece(f" {totals.flying:,}", "bright"), Piece(" in flight  ", "muted")]
    counts += [*_counted(totals.requests, "request"), *(flying if totals.flying else [])]
    broken = [WARNING.piece(f"{totals.broken:,}"), Piece(" broke the cache   ")]
    bad = [ERROR.piece(f"{totals.refused:,}"), Piece(" with a lint error   ")]
    fine = [PASSED.piece("no lint error")] if totals.requests else []
    wrong = [*(broken if totals.broken else []), *(bad if totals.refused else fine)]
    yield [*counts, *wrong], []
    yield [*_counted(totals.requests, "request"), *wrong], []


def _counted(count: int, noun: str) -> Line:
    number, _, word = plural(count, noun).partition(" ")
    return [Piece(f" {number}", "bright"), Piece(f" {word}  ", "muted")]


def bar_line(where: Where, width: int) -> Line:
    """Return which call is looked at; in the past also what came meanwhile, and the ways back."""
    name = visible(where.title, 60)
    if where.is_busy:
        return spread([Piece(" … RECORDING THE CALLS AGAIN", "notice")], [], width)
    if where.merging is not None:
        return longest(_merging(visible(where.merging, 60), name), width)
    if where.is_past:
        return longest(_past(where, name), width)
    said = f"call {where.calls:,}, the newest" if where.calls else "no call is recorded"
    end = [Piece(f"  {said} ", "muted")]
    room = max(0, width - size_of(end) - 2)
    return [Piece(" "), Piece(fit(name, room), "bright"), Piece(" "), *end]


def _merging(lane: str, into: str) -> Iterator[tuple[Line, Line]]:
    keys = [Piece(" enter", "notice"), Piece(" merge ", "note"), Piece(" esc", "notice")]
    for size in (60, 40, 24, 12):
        yield _into(lane, into, size), [*keys, Piece(" leave it ", "note")]
    yield _into(lane, into, 12), []


def _into(lane: str, into: str, size: int) -> Line:
    gone, target = (Piece(fit(name, size).rstrip(), "note") for name in (lane, into))
    return [Piece(" MERGE ", "notice"), gone, Piece(" INTO ", "notice"), target]


def _past(where: Where, name: str) -> Iterator[tuple[Line, Line]]:
    place = Piece(f" ● LOOKING AT CALL {where.call:,} OF {where.calls:,}", "notice")
    news = [Piece(f" {where.news:,} new ", "notice")] if where.news else []
    follow = [Piece(" f", "notice"), Piece(" follow ", "note")]
    back = [Piece(" esc", "notice"), Piece(f" to {where.calls:,} ", "note")]
    yield [place, Piece(f"  {name}, read-only", "note")], [*news, *follow, *back]
    for size in (40, 24, 12):
        yield [place, Piece(f"  {fit(name, size).rstrip()}", "note")], [*news, *follow, *back]
    yield [place], [*news, *follow, *back]
    yield [place], [*news, *back]
    yield [Piece(f" ● CALL {where.call:,} OF {where.calls:,}", "notice")], news


def sent_line(look: CallLook, width: int) -> Line:
    """Return all that the lane ever held as a ribbon, tall where the call sent it."""
    lead: Line = [Piece(f" sent {len(look.view):,} ", "bright")]
    size = len(look.conversation.log)
    end: Line = [Piece(f" of {size:,} ", "faint")]
    axis = RibbonAxis(size, max(0, width - size_of(lead) - size_of(end)))
    went = None if look.change is None else look.change.hidden
    log = look.conversation.moment.log
    ribbon = Ribbon(log, look.figures, look.view, size=look.log_size, went=went)
    return [*lead, *ribbon.line(axis), *end]


def plot_lines(story: LaneStory, title: str, looked_at: int | None, width: int) -> list[Line]:
    """Return the cache hit of the newest calls as a plot, and a sentence about it."""
    plot = hit_plot(story.calls, width, PLOT_ROWS, looked_at)
    if not plot:
        said = "No provider has said yet what a cache served."
        return [[Piece(row, "faint")] for row in wrap(said, max(NARROWEST, width))]
    about = [Piece(visible(title, 24), "muted")]
    return [
        head("Cache hit of the last calls", about, width),
        *plot,
        *([Piece(row, "muted")] for row in wrap(again_words(story), max(NARROWEST, width))),
    ]


def waiting_lines(width: int) -> list[Line]:
    """Return what is said while nobody writes anything."""
    said = (
        "Nothing in this library is being written. As soon as a program opens a session of it to "
        "write, it is listed here and followed. ctxtui capture records what an agent sends."
    )
    return [[Piece(row, "muted")] for row in wrap(said, max(NARROWEST, width))]
