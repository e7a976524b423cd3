"""The tokens view: how they went over the batches, who holds them, message by message."""

from __future__ import annotations

from ctxtui.models.look import Look
from ctxtui.render.text.lines import Line
from ctxtui.render.text.sections import GUTTER, beside, cropped, stacked_up
from ctxtui.render.tokens.calls import call_lines
from ctxtui.render.tokens.charts import batch_plot, message_plot
from ctxtui.render.tokens.tables import largest_lines, policy_lines, role_table_lines

WIDE_CELLS = 120
LOW_ROWS = 6
MIDDLE_ROWS = 11
HIGH_ROWS = 20
"""How many rows a plot has: at least, where nobody says how high the view is, and at the most."""
ROWS_AROUND = 11
"""Lines of both plots together that are no rows: heads, grounds, labels and the space between."""


def token_lines(look: Look, width: int, height: int = 0, raw: int | None = None) -> list[Line]:
    """Return plots and tables of the tokens; ``raw`` is the message under the cursor.

    Where there is room, the plots stand left and the tables right; ``height`` lets them fill it.
    """
    rows = max(LOW_ROWS, min(HIGH_ROWS, (height - ROWS_AROUND) // 2)) if height else MIDDLE_ROWS
    if width < WIDE_CELLS:
        rows = min(rows, LOW_ROWS + 1)
        sections = stacked_up(
            batch_plot(look, width, rows),
            role_table_lines(look, width),
            call_lines(look, width),
            message_plot(look, width, rows, raw),
            largest_lines(look, width, raw),
            policy_lines(look, width),
        )
        return cropped(sections, width)
    right = min(84, width * 4 // 9)
    left = width - right - GUTTER
    plots = stacked_up(batch_plot(look, left, rows), message_plot(look, left, rows, raw))
    tables = stacked_up(
        role_table_lines(look, right),
        call_lines(look, right),
        largest_lines(look, right, raw),
        policy_lines(look, right),
    )
    return beside(plots, tables, left)
