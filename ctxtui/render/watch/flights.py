"""Calls in flight: as lines of a list, beside the calls of a lane, and one at length."""

from __future__ import annotations

from collections.abc import Sequence

from ctxtui.models.flights import Flight
from ctxtui.render.message.preview import GLYPHS, WORDS
from ctxtui.render.text.choosing import size_of, spread
from ctxtui.render.text.lines import Line, Piece, fit, fit_pieces
from ctxtui.render.text.times import time_of_day
from ctxtui.render.text.wrap import wrap
from ctxtui.render.watch.rows import LEAD, MODEL_CELLS, SIGNS, since
from ctxtui.symbols import visible
from ctxtui.words import plural

NARROWEST = 12
FLYING = "in flight"
LATER = "Its conversation is listed, and the call explained, when its answer has ended."


def flight_row(flight: Flight, now: int, width: int) -> Line:
    """Return a call of a conversation that has no session yet: its model, and since when."""
    sign, kind = SIGNS["running"]
    model = visible(flight.model, MODEL_CELLS)
    lead = [Piece(f" {sign} ", kind), Piece("first call ", "bright"), Piece(FLYING, "text")]
    end = [Piece(f"  {model}", "muted"), Piece(f"{since(flight.time, now):>8} ", "text")]
    return fit_pieces(spread(lead, end, width), width)


def asked_row(flight: Flight, width: int) -> Line:
    """Return what is to be answered."""
    count = f"  {plural(flight.messages, 'message')} " if flight.messages else " "
    lead: Line = [Piece(" " * LEAD), *_role(flight.role)]
    room = max(0, width - size_of(lead) - len(count))
    return [*lead, Piece(fit(visible(flight.text, 200), room), "muted"), Piece(count, "faint")]


def _role(role: str) -> Line:
    return [Piece(f"{GLYPHS.get(role, '·')} ", role)] if role else []


def flying_words(flights: Sequence[Flight], now: int) -> str:
    """Return how many calls of a lane are in flight, and for how long the oldest is."""
    if not flights:
        return ""
    return f"{len(flights):,} {FLYING} for {_age(flights[0], now)}"


def flight_lines(flight: Flight, now: int, width: int) -> list[Line]:
    """Return all that is known of a call in flight."""
    told = [
        (f"asked at {time_of_day(flight.time)}, {FLYING} for {_age(flight, now)}", "bright"),
        (f"{visible(flight.model, 200)}  {plural(flight.messages, 'message')}".strip(), "text"),
        (f"{WORDS.get(flight.role, flight.role)}: {visible(flight.text, 300)}", "text"),
        (LATER, "muted"),
    ]
    return [[Piece(row, kind)] for said, kind in told for row in wrap(said, max(NARROWEST, width))]


def _age(flight: Flight, now: int) -> str:
    told = since(flight.time, now)
    return "less than a second" if told == "now" else told.removesuffix(" ago")
