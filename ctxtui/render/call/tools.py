"""The tools of a call: what became of each since the call before, and which could be served."""

from __future__ import annotations

from ctxtui.models.call_tools import ToolRow, ToolTable
from ctxtui.render.text.lines import Line, Piece, fit, on_row
from ctxtui.render.text.numbers import tokens
from ctxtui.render.text.wrap import wrap
from ctxtui.symbols import visible
from ctxtui.words import plural

NAME_CHARACTERS = 60
TOKEN_CELLS = 7
WORD_CELLS = 12
SIGNS = {"vanished": "−", "new": "+", "changed": "~", "same": " "}
INKS = {"vanished": "error", "new": "ok", "changed": "warn", "same": "text"}
PAPERS = {"vanished": "hidden", "new": "added", "changed": "warning"}


def tool_lines(table: ToolTable, width: int) -> list[Line]:
    """Return a row for each tool, then how many are as they were."""
    if not table.rows:
        return [[Piece("No tools are sent.", "muted")]]
    lines = [_row(row, table, width) for row in table.rows]
    return [*lines, [], *([Piece(row, "muted")] for row in wrap(_told(table), max(10, width)))]


def tools_about(table: ToolTable) -> str:
    """Return how many there were and are, for the border."""
    return f"{table.now:,}" if table.before == table.now else f"{table.before:,} → {table.now:,}"


def _row(row: ToolRow, table: ToolTable, width: int) -> Line:
    ink = INKS[row.change]
    sign = "│" if row.is_served else "░" if row.change == "same" and _is_broken(table) else ""
    lead = Piece(f"{sign or SIGNS[row.change]} ", "ok" if row.is_served else ink)
    name = visible(row.name, NAME_CHARACTERS)
    room = max(0, width - TOKEN_CELLS - WORD_CELLS - 2)
    figure = f"{'−' if row.change == 'vanished' else ''}{tokens(row.tokens)}"
    line = [
        lead,
        Piece(fit(name, room), "struck" if row.change == "vanished" else ink),
        Piece(f"{figure:>{TOKEN_CELLS}}", "error" if row.change == "vanished" else "muted"),
        Piece(f"{_word(row, table):>{WORD_CELLS}}", ink if row.change != "same" else "faint"),
    ]
    return on_row(line, PAPERS[row.change], width) if row.change in PAPERS else line


def _is_broken(table: ToolTable) -> bool:
    return table.breaks is not None


def _word(row: ToolRow, table: ToolTable) -> str:
    if row.change != "same":
        return row.change
    return "same" if row.is_served else "sent again" if _is_broken(table) else "sent"


def _told(table: ToolTable) -> str:
    """Return in a sentence what could be served."""
    total = sum(row.tokens for row in table.rows if row.change != "vanished")
    if table.breaks is None:
        is_first = not any(row.is_served for row in table.rows)
        end = "." if is_first else ", as in the call before."
        return f"{plural(table.now, 'tool')} of {total:,} tokens{end}"
    if not table.breaks:
        if not table.now:
            return "None are sent."
        return f"After the call before, none of the {total:,} tokens could be served."
    return f"The first {table.breaks:,} are unchanged: {table.served:,} tokens could be served."
