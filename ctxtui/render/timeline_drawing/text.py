"""The batch timeline as plain text, which shows wherever text does: a line for each batch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.cells import cell_len

from ctxtui.models.batch_tree import BatchNode
from ctxtui.render.text.lines import fit
from ctxtui.render.text.numbers import change
from ctxtui.symbols import visible

NOW, OTHER = "●", "○"
ABOUT_CELLS = 26
MOST_LANES = 8
"""Lanes that are set in by themselves; further branches share the last one."""


def timeline_text(nodes: Sequence[BatchNode]) -> str:
    """Return all batches, the first at the top: what each added, hid and sends.

    What was left stands further in; a batch that does not come from the one above says from which.
    """
    names = _names(nodes)
    rows = [
        (
            "  " * min(node.lane, MOST_LANES) + (NOW if node.is_now else OTHER),
            names[node.id],
            fit(visible(node.about, 200), ABOUT_CELLS).rstrip(),
            change(node.added, "+"),
            change(node.hidden, "−"),
            f"{node.visible:,}",
            _origin(nodes, at, names),
        )
        for at, node in enumerate(nodes)
    ]
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    return "".join(f"{_line(row, widths)}\n" for row in rows)


def _names(nodes: Sequence[BatchNode]) -> dict[int, str]:
    """Return how each batch is called; those of the same number are told apart by their ids."""
    numbers = Counter(node.number for node in nodes)
    return {
        node.id: f"{node.number} {node.name}" + (f" #{node.id}" * (numbers[node.number] > 1))
        for node in nodes
    }


def _origin(nodes: Sequence[BatchNode], at: int, names: dict[int, str]) -> str:
    parent = nodes[at].parent
    if parent is None or parent == nodes[at - 1].id:
        return ""
    return f"← {names[parent]}"


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    """Return the cells of a batch in columns, its figures to the right."""
    padded = [" " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True)]
    sign, name, about, *figures, origin = range(len(row))
    left = [f"{row[at]}{padded[at]}" for at in (sign, name, about)]
    right = [f"{padded[at]}{row[at]}" for at in figures]
    return "  ".join([*left, *right, row[origin]]).rstrip()
