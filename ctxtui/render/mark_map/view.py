"""The mark map: the index arrays as runs, and what the shown batch did to them."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from rich.cells import cell_len

from ctxtui.core.values.models import ROLES
from ctxtui.models.index_arrays import Array, IndexArrays
from ctxtui.models.look import Look
from ctxtui.render.mark_map.axis import IndexAxis
from ctxtui.render.mark_map.boundaries import boundary_lines
from ctxtui.render.mark_map.json_text import json_lines
from ctxtui.render.mark_map.runs import RunListing, listing
from ctxtui.render.message.preview import GLYPHS, WORDS
from ctxtui.render.text.lines import Line, Piece
from ctxtui.render.text.numbers import change
from ctxtui.render.text.sections import GUTTER, beside, cropped, head, stacked_up
from ctxtui.symbols import visible
from ctxtui.words import plural

LEAD = 10
RUN_CELLS = 5
ARRAY_ROWS = 4
ROLE_ROWS = 2
"""How wide a short run is in writing, and how many rows of them an array may take."""
WIDE_CELLS = 120
STRIPS_CELLS = 100
CAME = "ok"
LEFT = "struck"

_KEPT: WeakKeyDictionary[Look, IndexArrays] = WeakKeyDictionary()


def mark_map_lines(look: Look, width: int) -> list[Line]:
    """Return the arrays of the source documents, compared with the batch before the shown one."""
    arrays = _KEPT.get(look)
    if arrays is None:
        arrays = _KEPT[look] = IndexArrays(look)
    axis = IndexAxis(arrays.log, look.figures, max(1, width - LEAD))
    original = _original(arrays, axis, width)
    types = _types(arrays, axis, width)
    if width < WIDE_CELLS:
        bounds = boundary_lines(arrays, width)
        return cropped(stacked_up(original, types, bounds, _json(arrays, width)), width)
    right = width * 2 // 5
    left = width - right - GUTTER
    below = beside(boundary_lines(arrays, left), _json(arrays, right), left)
    return stacked_up(original, types, below)


def _original(arrays: IndexArrays, axis: IndexAxis, width: int) -> list[Line]:
    was, (old_runs, runs) = arrays.was, arrays.run_counts
    about = f"visible {_counted(len(arrays.view), runs)}"
    if was is not None:
        about += f", was {_counted(len(was), old_runs)}"
    lines = [
        head("originalIndices", [Piece(about, "faint")], width),
        *_about(arrays, width),
        _led("", axis.numbers()),
    ]
    if was is not None and arrays.was_batch is not None:
        lines.append(_led(f"was {arrays.was_batch.number}", axis.ribbon(was, arrays.was_size)))
        lines.append(_led("change", axis.change(*arrays.change_masks)))
    now = axis.ribbon(arrays.view, arrays.size)
    lines.append(_led(f"now {arrays.batch.number}", now, "bright"))
    lines += [_led("", line) for line in axis.brackets(arrays.view)]
    if was is not None:
        lines += _rows(_led("was", []), arrays.before, ("muted", LEFT), width, ARRAY_ROWS)
    lines += _rows(_led("now", [], "bright"), arrays.now, ("text", CAME), width, ARRAY_ROWS)
    return cropped(lines, width)


def _counted(count: int, runs: int) -> str:
    return f"{count:,} in {plural(runs, 'run')}" if runs else "nothing"


def _about(arrays: IndexArrays, width: int) -> list[Line]:
    """Return what the shown batch is and how much it changed, in two lines if it takes them."""
    batch, diff, was = arrays.batch, arrays.diff, arrays.was_batch
    name = "START" if batch.operation is None else batch.operation.title
    said = visible(batch.description.removeprefix(name).strip(), 60)
    line = [Piece(f"batch {batch.number} ", "muted"), Piece(name, "bright")]
    line.append(Piece(f" {said}" if said else "", "text"))
    if was is None:
        return [[*line, Piece("   the first batch: nothing before it to compare with", "faint")]]
    changes = [Piece(f"compared with batch {was.number}:", "muted")]
    if not diff:
        changes.append(Piece(" nothing left, came or moved", "muted"))
    for view, sign, word, kind in (
        (diff.hidden, "−", "left", "error"),
        (arrays.come, "+", "came", "ok"),
        (diff.moved, "~", "moved", "warn"),
    ):
        if len(view):
            changes.append(Piece(f"  {sign}{len(view):,} {word}", kind))
    together = [*line, Piece("   "), *changes]
    size = sum(cell_len(piece.text) for piece in together)
    return [together] if size <= width else [line, changes]


def _types(arrays: IndexArrays, axis: IndexAxis, width: int) -> list[Line]:
    about = [Piece("the same for each role, in visible order", "faint")]
    lines = [head("typeIndices", about, width)]
    for role in ROLES:
        now, before = arrays.roles_now[role], arrays.roles_before[role]
        name = Piece(f"{GLYPHS[role]} {WORDS[role]}".ljust(LEAD), role)
        if width >= STRIPS_CELLS:
            lines.append([name, *axis.role(role, arrays.shown_mask, arrays.size)])
            name = Piece(" " * LEAD)
        counts = _counts(now, before if arrays.was is not None else None)
        lines += _rows([name, *counts], now, ("text", CAME), width, ROLE_ROWS)
        if (gone := before.flagged()).indices:
            lead = [Piece(" " * LEAD), Piece("− left  ", "error")]
            lines += _rows(lead, gone, ("text", LEFT), width, ROLE_ROWS)
    return cropped(lines, width)


def _counts(now: Array, before: Array | None) -> Line:
    line = [Piece(f"{len(now.indices):,}  ", "bright")]
    if before is None:
        return line
    left, came = before.flags.count(1), now.flags.count(1)
    return [
        *line,
        Piece(f"was {len(before.indices):,}  ", "muted"),
        Piece(f"{change(left, '−')} ", "error" if left else "faint"),
        Piece(f"{change(came, '+')}  ", "ok" if came else "faint"),
    ]


def _json(arrays: IndexArrays, width: int) -> list[Line]:
    most = max(6, 2 * width // (len(str(arrays.whole)) + 2))
    lines = [head("As JSON", [Piece("live", "faint")], width)]
    return [*lines, *([Piece(text, "muted")] for text in json_lines(arrays, width, most))]


def _led(name: str, line: Line, kind: str = "muted") -> Line:
    return [Piece(name.ljust(LEAD), kind), *line]


def _rows(lead: Line, array: Array, kinds: tuple[str, str], width: int, most: int) -> list[Line]:
    """Return an array as runs, in so many rows at the most, behind what leads it.

    The second of the kinds is for what differs from the other state's array.
    """
    wanted = most * width // RUN_CELLS
    lines = _flowed(lead, _words(listing(*array, wanted), kinds), width)
    while len(lines) > most and wanted > 1:
        # Some runs take more room than others: fewer of them, once more.
        wanted = max(1, min(wanted * 7 // 8, wanted * most // len(lines)))
        lines = _flowed(lead, _words(listing(*array, wanted), kinds), width)
    return lines


def _words(found: RunListing, kinds: tuple[str, str]) -> Line:
    start = [Piece(str(one), kinds[flag]) for one, flag in found.start]
    end = [Piece(str(one), kinds[flag]) for one, flag in found.end]
    more = [Piece(f"… {found.between:,} more …", "faint")] if found.between else []
    return [Piece("[", "faint"), *start, *more, *end, Piece("]", "faint")]


def _flowed(lead: Line, words: Line, width: int) -> list[Line]:
    """Return words in as many rows as it takes."""
    lines = [[*lead]]
    used, gap = sum(len(piece.text) for piece in lead), ""
    for word in words:
        gap = gap[1:] if word.text == "]" else gap
        if used + len(gap + word.text) > width and len(lines[-1]) > 1:
            lines.append([Piece(" " * (LEAD + 2))])
            used, gap = LEAD + 2, ""
        lines[-1] += [Piece(gap), word]
        used += len(gap + word.text)
        gap = " " if word.text == "[" else "  "
    return lines
