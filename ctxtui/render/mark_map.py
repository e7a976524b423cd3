"""The mark map: the index arrays as runs, with what the newest step changed."""

from __future__ import annotations

from core.shapes import mark_map
from core.view import View
from ctxtui.look import Look
from ctxtui.render.lines import Line, Piece
from ctxtui.render.status import ribbon_line
from ctxtui.render.wrap import wrap

NAME = 18


def mark_map_lines(look: Look, width: int) -> list[Line]:
    """Return the arrays of the source documents, one after the other."""
    found = mark_map(look.state)
    before = look.before
    lines: list[Line] = []
    if before is not None:
        was = type(look)(look.conversation, before.id)
        lines += [ribbon_line(was, None, width, "was"), ribbon_line(look, None, width, "now"), []]
    lines += _runs("originalIndices", look.view, width, "bright")
    for role, indices in found.type_indices.items():
        lines += _runs(f"  {role}", View.of(indices), width, role)
    lines.append([])
    lines += _pairs("batchBoundaries", found.batch_boundaries, width)
    lines += _pairs("boundaryToBatch", found.boundary_to_batch, width)
    lines.append(
        [Piece(f"{'currentBatch':<{NAME}}", "muted"), Piece(str(found.current_batch), "bright")]
    )
    batch = look.batch
    low = look.state.revisions[batch.opened].view.low
    why = "nothing was visible" if low is None else f"raw {low} was the first visible message"
    sentence = f"Boundary {batch.boundary}: when batch {batch.number} was opened, {why}."
    return [*lines, [], *[[Piece(text, "muted")] for text in wrap(sentence, width)]]


def _runs(name: str, view: View, width: int, kind: str) -> list[Line]:
    text = str(view) or "none"
    return _named(name, f"{text}   ({len(view)})", width, kind)


def _pairs(name: str, values: list[int], width: int) -> list[Line]:
    shown = values if len(values) <= 200 else values[-200:]  # noqa: PLR2004
    dots = "… " if len(shown) < len(values) else ""
    return _named(name, dots + "  ".join(str(value) for value in shown), width, "text")


def _named(name: str, text: str, width: int, kind: str) -> list[Line]:
    rows = wrap(text, max(10, width - NAME))
    return [
        [Piece(f"{name if i == 0 else '':<{NAME}}", "muted"), Piece(row, kind)]
        for i, row in enumerate(rows)
    ]
