"""The request and its figures: what was asked for, what changed, and what it cost."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from ctxtui.models.call_request import RequestRow
from ctxtui.models.call_sheet import CallSheet, UsageRow
from ctxtui.models.token_facts import off_by
from ctxtui.render.text.bars import bar
from ctxtui.render.text.choosing import spread
from ctxtui.render.text.lines import Line, Piece, fit, fit_pieces
from ctxtui.render.text.numbers import tokens
from ctxtui.render.text.sections import cropped
from ctxtui.render.text.wrap import wrap
from ctxtui.symbols import visible
from ctxtui.words import percent, plural

NAME_CELLS = 12
NAME_CHARACTERS = 30
VALUE_CHARACTERS = 200
FIGURE_CELLS = 11
CHANGED = "~ changed"
UNSAID = "–"


def request_lines(rows: Sequence[RequestRow], width: int) -> list[Line]:
    """Return what was asked for, row by row; what changed says what it was."""
    return [_request(row, width) for row in rows]


def _request(row: RequestRow, width: int) -> Line:
    name = visible(row.name, NAME_CHARACTERS)
    lead = [Piece(fit(name, max(NAME_CELLS, min(cell_len(name), width // 2))) + " ", "muted")]
    now = visible(row.now, VALUE_CHARACTERS)
    if row.was is None:
        return fit_pieces([*lead, Piece(now)], width)
    was = visible(row.was, VALUE_CHARACTERS)
    body = [*lead, Piece(was, "muted"), Piece(" → ", "muted"), Piece(now or "none", "bright")]
    room = max(0, width - len(CHANGED) - 1)
    return spread(fit_pieces(body, room), [Piece(f" {CHANGED}", "warn")], width)


def request_about(sheet: CallSheet) -> str:
    """Return what changes are told against, for the border."""
    return "" if sheet.one.before is None else f"changes since {sheet.number - 1:,}"


def usage_lines(sheet: CallSheet, width: int) -> list[Line]:
    """Return what is counted here beside what the provider says, and the sums of the path."""
    cells = FIGURE_CELLS if width >= NAME_CELLS + 3 * FIGURE_CELLS else FIGURE_CELLS - 2
    name = max(8, min(NAME_CELLS, width - 3 * cells))
    heads = "".join(f"{one:>{cells}}" for one in ("estimated", "measured", "off by"))
    lines: list[Line] = [[Piece(" " * name), Piece(heads, "faint")]]
    lines += [_usage(row, name, cells) for row in sheet.usage]
    return cropped([*lines, *_bars(sheet.usage[0], width), *_sums(sheet, width)], width)


def _usage(row: UsageRow, name: int, cells: int) -> Line:
    both = row.estimated is not None and row.measured is not None
    apart = off_by(row.measured or 0, row.estimated) if both else ""
    return [
        Piece(f"{row.name:<{name}}", "muted"),
        Piece(f"{_figure(row.estimated):>{cells}}", "text" if row.estimated else "faint"),
        Piece(f"{_figure(row.measured):>{cells}}", "faint" if row.measured is None else "bright"),
        Piece(f"{apart or '·':>{cells}}", "muted" if apart else "faint"),
    ]


def _figure(count: int | None) -> str:
    if count is None:
        return UNSAID
    return f"{count:,}" if count < 10**8 else tokens(count)


def _bars(row: UsageRow, width: int) -> list[Line]:
    """Return the two figures of the input as bars on one scale."""
    if row.estimated is None or row.measured is None:
        return []
    most, room = max(row.estimated, row.measured), width - NAME_CELLS - 8
    if room < NAME_CELLS:
        return []
    return [
        [],
        *(
            [
                Piece(f"{name:<{NAME_CELLS}}", "muted"),
                Piece(f"{bar(count, most, room):<{room}}", kind),
                Piece(f"{tokens(count):>7}", "bright"),
            ]
            for name, count, kind in (
                ("estimate", row.estimated, "bar"),
                ("provider", row.measured, "bright"),
            )
        ),
    ]


def _sums(sheet: CallSheet, width: int) -> list[Line]:
    count, sent, cached = sheet.sums
    told = plural(count, "call on this path", "calls on this path")
    if sent:
        told += f": {tokens(sent)} in, {percent(cached, sent)} of them cached"
    by = f"counted here by {visible(sheet.look.counter, 30)}"
    rows = [(row, "faint") for row in wrap(by, width)] + [
        (row, "text") for row in wrap(told, width)
    ]
    return [[], *([Piece(row, kind)] for row, kind in rows)]
