"""What stands beside the timeline on a very large screen: tokens over batches, lint and marks."""

from __future__ import annotations

from functools import partial

from textual.widget import Widget

from ctxtui.models.look import Look
from ctxtui.render.text.lines import Line
from ctxtui.render.tokens.charts import batch_plot
from ctxtui.render.worries import worry_lines
from ctxtui.widgets.text_pane import TextPane

LOWEST_PLOT_ROWS = 4
PLOT_LABEL_ROWS = 5


def fill_side(panes: Widget, look: Look) -> None:
    """Fill both panes with what a look says."""
    over = _text(panes, "over-batches", "Tokens")
    over.show(partial(_over_batches, look, over))
    _text(panes, "worries", "Lint and marks").show(partial(worry_lines, look))


def _text(panes: Widget, name: str, title: str) -> TextPane:
    pane = panes.query_one(f"#{name}", TextPane)
    pane.frame(title, [])
    return pane


def _over_batches(look: Look, pane: TextPane, width: int) -> list[Line]:
    """Return the plot of the tokens over batches, as high as its pane."""
    return batch_plot(look, width, max(LOWEST_PLOT_ROWS, pane.size.height - PLOT_LABEL_ROWS))
