"""The batches of a lane with a block for each call, and its calls as sentences."""

from __future__ import annotations

from collections.abc import Sequence

from ctxtui.core import Batch
from ctxtui.models.call_figures import MOSTLY
from ctxtui.models.lane_story import ToldCall
from ctxtui.models.look import Look
from ctxtui.render.batch.calls import INK
from ctxtui.render.text.choosing import size_of
from ctxtui.render.text.lines import Line, Piece, fit, fit_pieces
from ctxtui.render.text.numbers import tokens
from ctxtui.render.text.severity import ERROR, PASSED
from ctxtui.render.text.times import time_of_day
from ctxtui.render.watch.hits import call_blocks
from ctxtui.symbols import visible
from ctxtui.words import percent, plural

NAME_CELLS = 10
NUMBER_CELLS = 8
FIGURES = f"{'vis':>6}{'tokens':>8}{'cached':>8}{'lint':>6} "
LEAST_ABOUT, MOST_ABOUT = 14, 36
LOOKED_AT = "the call you look at"


def batch_head(width: int) -> Line:
    """Return the names of the columns of batches."""
    lead = f"{'no.':>{NUMBER_CELLS - 1}} {fit('operation', NAME_CELLS)}"
    about = _about_cells(width)
    room = max(0, width - len(lead) - about - len(FIGURES))
    return [Piece(f"{lead}{'':{about}}{fit('calls', room)}{FIGURES}", "faint")]


def _about_cells(width: int) -> int:
    free = width - NUMBER_CELLS - NAME_CELLS - len(FIGURES)
    return max(0, min(MOST_ABOUT, free // 2)) if free // 2 >= LEAST_ABOUT else 0


def batch_row(
    look: Look,
    batch: Batch,
    calls: Sequence[ToldCall],
    width: int,
    *,
    is_looked_at: bool,
    is_on_path: bool,
) -> Line:
    """Return a batch: its operation, a block for each of its newest calls, and its figures."""
    state = look.conversation.moment
    is_now = batch.id == state.batch.id
    sign = "●" if is_looked_at else "◉" if is_now else "○" if is_on_path else "◌"
    faint = None if is_on_path else "faint"
    name = "START" if batch.operation is None else batch.operation.title
    said = "" if batch.operation is None else batch.description.removeprefix(name).strip()
    newest = look.conversation.newest(batch)
    about = _about_cells(width)
    room = max(0, width - NUMBER_CELLS - NAME_CELLS - about - len(FIGURES))
    lead = "key" if is_looked_at or is_now else "text"
    return [
        Piece(f" {sign} ", faint or lead),
        Piece(f"{batch.number:>{NUMBER_CELLS - 4}} ", faint or "bright"),
        Piece(fit(name, NAME_CELLS - 1) + " ", faint or ("bright" if is_looked_at else "text")),
        *_about(said, _certainty(batch, calls), about),
        *fit_pieces(call_blocks([one.call for one in calls], max(0, room - 1)), room),
        Piece(f"{len(newest.view):>6,}", faint or "text"),
        Piece(f"{tokens(state.total(newest)):>8}", faint or "text"),
        _cached(calls),
        _lint(calls),
        Piece(" "),
    ]


def _certainty(batch: Batch, calls: Sequence[ToldCall]) -> str:
    """Return how sure it is that an operation opened a batch; nothing where nobody has said."""
    name = None if batch.operation is None else batch.operation.title
    explained = calls[0].story.explained if calls else ()
    return next((visible(one.certainty, 10) for one in explained if one.operation == name), "")


def _about(said: str, sure: str, cells: int) -> Line:
    """Return the fields of an operation, and how sure it is that it was this one."""
    end = [Piece(f" {sure} ", INK.get(sure, "faint"))] if sure and cells else []
    room = max(0, cells - size_of(end))
    return [Piece(fit(visible(said, 200), room), "muted"), *end]


def _cached(calls: Sequence[ToldCall]) -> Piece:
    """Return which share of some calls was cached."""
    usages = [one.call.usage for one in calls if one.share is not None]
    sent = sum(usage.input or 0 for usage in usages if usage is not None)
    served = sum(usage.cached or 0 for usage in usages if usage is not None)
    if not sent:
        return Piece(f"{'':>8}")
    return Piece(f"{percent(served, sent):>8}", "ok" if served >= MOSTLY * sent else "error")


def _lint(calls: Sequence[ToldCall]) -> Piece:
    """Return how many of some calls sent something with an error."""
    bad = sum(bool(one.errors) for one in calls)
    if not calls:
        return Piece(f"{'':>6}")
    if not bad:
        return Piece(f"{PASSED.glyph:>6}", PASSED.kind)
    return Piece(f"{ERROR.glyph + tokens(bad):>6}", ERROR.kind)


def call_row(told: ToldCall, width: int, *, is_looked_at: bool) -> Line:
    """Return a call as a sentence: when, by which operation, why, and what it cost."""
    call, kind = told.call, "bright" if is_looked_at else "text"
    left: Line = [
        Piece(f"{told.number:>5}  ", "bright"),
        Piece(f"{time_of_day(call.time)}  ", "faint"),
    ]
    right: Line = []
    if is_looked_at and width >= 100:  # noqa: PLR2004 - where there is room to spare
        right.append(Piece(f"  {LOOKED_AT}", "key"))
    if told.errors:
        right.append(Piece(f"  {ERROR.text(plural(told.errors, 'error'))}", ERROR.kind))
    if call.outcome != "complete":
        right.append(Piece(f"  {call.outcome}", "warn"))
    if call.usage is not None and call.usage.input is not None:
        right.append(Piece(f"{tokens(call.usage.input):>7} in", "muted"))
    if told.share is not None:
        right.append(
            Piece(f"{percent(told.share, 1):>7}", "ok" if told.share >= MOSTLY else "error")
        )
    right.append(Piece(" "))
    room = max(0, width - size_of(left) - size_of(right))
    return [*left, *fit_pieces(_sentence(told, kind), room), *right]


def _sentence(told: ToldCall, kind: str) -> Line:
    """Return what explains a call; the same request again has nothing to explain."""
    line: Line = []
    for one in told.story.explained:
        line += [Piece("; " if line else "", kind), Piece(visible(one.operation, 20), kind)]
        line.append(Piece(f" {visible(one.reason, 200)}", kind if kind == "bright" else "muted"))
        if one.certainty == "likely":
            line.append(Piece(" likely", INK["likely"]))
    if told.story.explained:
        return line
    return [Piece(visible(told.done, 200), kind)]
