"""What providers counted for calls, beside what is counted here."""

from __future__ import annotations

from ctxtui.core.engine.calls import Call
from ctxtui.models.call_figures import CallFigures
from ctxtui.models.look import Look
from ctxtui.models.token_facts import off_by
from ctxtui.render.text.lines import Line, Piece
from ctxtui.render.text.numbers import tokens
from ctxtui.render.text.sections import cropped, head
from ctxtui.render.text.times import time_of_day
from ctxtui.render.text.wrap import wrap
from ctxtui.symbols import visible
from ctxtui.words import percent, plural

NAME_CELLS = 12
FIGURE_CELLS = 11
MODEL_CELLS = 30
UNSAID = "–"


def call_lines(look: Look, width: int) -> list[Line]:
    """Return the newest call of the path in figures; nothing where no call was recorded."""
    figures = look.call_figures
    if figures is None:
        return []
    usage, counted = figures.usage, figures.counted
    counter = visible(look.counter, FIGURE_CELLS - 1)
    rows = (
        ("input", counted.input, usage.input),
        ("cached", counted.cached, usage.cached),
        ("written", None, usage.written),
        ("output", None, usage.output),
    )
    names = f"{'':<{NAME_CELLS}}{counter:>{FIGURE_CELLS}}{'provider':>{FIGURE_CELLS}}"
    about = Piece(_about(look, figures.call), "faint")
    lines = [head("Newest call", [about], width), [Piece(names, "faint")]]
    lines += [_row(name, *both) for name, *both in rows if both != [None, None]]
    lines += [[Piece(row, "muted")] for row in wrap(_sums(figures), width)]
    return cropped(lines, width)


def _row(name: str, here: int | None, there: int | None) -> Line:
    """Return a figure as it is counted here and by the provider, and how far that is off."""
    apart = "" if here is None or there is None else off_by(there, here)
    return [
        Piece(f"{name:<{NAME_CELLS}}", "muted"),
        Piece(f"{_figure(here):>{FIGURE_CELLS}}", "text" if here is not None else "faint"),
        Piece(f"{_figure(there):>{FIGURE_CELLS}}", "bright" if there is not None else "faint"),
        Piece(f"   {apart}" if apart else "", "muted"),
    ]


def _figure(count: int | None) -> str:
    return UNSAID if count is None else tokens(count)


def _about(look: Look, call: Call) -> str:
    """Return which call it is: its model, its batch, when it was, and whether it broke off."""
    number = look.state.batches[look.state.revisions[call.revision].batch].number
    said = [visible(call.model or "", MODEL_CELLS), f"batch {number}", time_of_day(call.time)]
    said.append("" if call.outcome == "complete" else call.outcome)
    return "  ".join(one for one in said if one)


def _sums(figures: CallFigures) -> str:
    count, sent, cached = figures.sums
    told = plural(count, "call on this path", "calls on this path")
    return f"{told}: {tokens(sent)} in, {percent(cached, sent)} cached." if sent else f"{told}."
