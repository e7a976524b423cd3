"""The prompt cache of a call: computed above measured on one scale, the call before below."""

from __future__ import annotations

from ctxtui.models.call_cache import CallCache
from ctxtui.models.call_sheet import CallSheet
from ctxtui.render.call.words import (
    agreement_words,
    break_words,
    cached_words,
    computed_by,
    kept_words,
    read_words,
    scale_words,
    source_words,
)
from ctxtui.render.text.lines import Line, Piece, fit, line_width
from ctxtui.render.text.wrap import wrap
from ctxtui.symbols import visible
from ctxtui.words import percent, plural

KEPT, TICK, AGAIN = "█", "│", "░"
NAME_CELLS = 10
FIGURE_CELLS = 22
LEAST_RULER = 12
"""Cells of a ruler below which its figures stand on a line of their own."""
SAID_CHARACTERS = 300
GAP = 2


def cache_lines(sheet: CallSheet, width: int) -> list[Line]:
    """Return the rulers with their scale, where the cache breaks and why, and the call before."""
    cache, before = sheet.cache, sheet.cache_before
    room = width - NAME_CELLS - GAP - FIGURE_CELLS
    is_wide = room >= LEAST_RULER
    room = room if is_wide else max(3, width - 1)
    drawn = 0 if before is None else before.total if before.input is None else before.input
    scale = max(cache.scale, drawn, 1)
    lines = _scale(cache, len(sheet.one.view), scale, room) if is_wide else []
    lines = [[Piece(" " * NAME_CELLS), *line] for line in lines]
    between = room if is_wide else None
    kept = ruler(cache.kept or 0, cache.total, scale, room, is_new=not cache.broke.is_loss)
    lines += _row("computed", kept, kept_words(cache), _share(cache.kept, cache.total), between)
    served = _measured(cache, scale, room)
    share = _share(cache.cached, cache.input)
    lines += _row("measured", served, cached_words(cache), share, between)
    indent = NAME_CELLS if is_wide else 0
    lines += [[Piece(" " * indent), *line] for line in _told(sheet, width - indent)]
    if before is not None:
        line, figure, share = _before(before, scale, room)
        lines += [[], *_row(f"call {sheet.number - 1:,}", line, figure, share, between)]
    return lines


def cache_about(sheet: CallSheet) -> str:
    """Return what the rulers are of, for the border."""
    return f"tokens of call {sheet.number:,} in the order they are sent"


# The rulers


def ruler(kept: int, total: int, scale: int, room: int, *, is_new: bool, dim: str = "") -> Line:
    """Return a line of tokens: what is kept, a tick where that ends, and the rest.

    What is only new is grey; what a cache has lost is red.
    """
    if room < 3 or not total:  # noqa: PLR2004 - kept, tick and the rest are a cell each
        return []
    cells = max(1, min(room, round(room * total / scale)))
    if kept >= total:
        return [Piece(KEPT * cells, dim or "ok")]
    cells = max(3, cells)
    tick = max(1 if kept else 0, min(round(room * kept / scale), cells - 2))
    rest = "muted" if is_new else "error"
    return [
        Piece(KEPT * tick, dim or "ok"),
        Piece(TICK, dim or "error"),
        Piece(AGAIN * (cells - tick - 1), dim or rest),
    ]


def _measured(cache: CallCache, scale: int, room: int) -> Line:
    """Return what a provider served; nothing can be drawn where it did not say how much it read."""
    if cache.cached is None:
        return []
    total = max(cache.cached, cache.total if cache.input is None else cache.input)
    return ruler(cache.cached, total, scale, room, is_new=not cache.broke.is_loss)


def _scale(cache: CallCache, messages: int, scale: int, room: int) -> list[Line]:
    """Return what stands where: tools, the system's messages, the others."""
    tools = round(room * cache.tools / scale)
    system = round(room * (cache.tools + cache.system) / scale)
    end = max(1, min(room, round(room * cache.total / scale))) - 1
    marks = sorted({0, *(at for at in (tools, system) if 0 < at < end), end})
    axis = "".join(
        ("├" if at == 0 else "┤" if at == end else "┼") if at in marks else "─"
        for at in range(end + 1)
    )
    return [_scale_words(cache, messages, tools, end + 1), [Piece(axis, "track")]]


def _scale_words(cache: CallCache, messages: int, tools: int, room: int) -> Line:
    """Return what is what above the scale, each where it begins if that leaves room for all."""
    first = [Piece("tools", "tool")] if cache.tools else []
    second = [Piece("system", "system")] if cache.system else []
    lead = ", then " if second else "then " if first else ""
    second.append(Piece(f"{lead}{plural(messages, 'message')}", "muted"))
    total, size = f"{cache.total:,}", line_width(second)
    start = line_width(first) + bool(first)
    start = max(start, min(tools, room - size - len(total) - 1)) if first else 0
    gap = Piece(" " * (start - line_width(first)))
    tail = max(GAP, room - start - size - len(total))
    return [*first, gap, *second, Piece(" " * tail), Piece(total, "faint")]


def _share(part: int | None, whole: int | None) -> tuple[str, str]:
    """Return a share and its ink: green from half on."""
    if part is None or not whole:
        return "", "muted"
    return percent(min(part, whole), whole), "ok" if 2 * part >= whole else "error"


def _row(
    name: str, line: Line, figure: str, share: tuple[str, str], room: int | None
) -> list[Line]:
    """Return a ruler between its name and its figures, or below them where there is no room."""
    kind = "faint" if name not in ("computed", "measured") else "bright"
    tail = [Piece(f"{share[0]:>6}", share[1] if kind == "bright" else "faint")]
    words = "muted" if kind == "bright" else "faint"
    if room is None:
        return [[Piece(fit(name, NAME_CELLS), kind), Piece(f"{figure} ", words), *tail], line]
    gap = Piece(" " * (room - line_width(line) + GAP))
    figures = Piece(f"{figure:<{FIGURE_CELLS - 6}}", words)
    return [[Piece(fit(name, NAME_CELLS), kind), *line, gap, figures, *tail]]


def _before(cache: CallCache, scale: int, room: int) -> tuple[Line, str, tuple[str, str]]:
    """Return the call before, dim, with its figures: measured where that is known."""
    if cache.cached is not None and cache.input is not None:
        line = ruler(cache.cached, cache.input, scale, room, is_new=True, dim="faint")
        return line, cached_words(cache), _share(cache.cached, cache.input)
    line = ruler(cache.kept or 0, cache.total, scale, room, is_new=True, dim="faint")
    return line, kept_words(cache), _share(cache.kept, cache.total)


# The words


def _told(sheet: CallSheet, width: int) -> list[Line]:
    cache = sheet.cache
    place, why = break_words(sheet)
    lead = f"{place}: " if place else ""
    rows = wrap(f"{lead}{why}", max(10, width - 2))
    hook = "╰ " if cache.broke.is_loss else "  "
    lines: list[Line] = [_first(rows[0], lead, hook)]
    lines += [[Piece("  "), Piece(row)] for row in rows[1:]]
    said = [agreement_words(sheet), scale_words(cache), source_words(cache)]
    if cache.diagnosis is not None:
        said.append(f"The provider says: {visible(cache.diagnosis, SAID_CHARACTERS)}")
    told = "  ".join(one for one in said if one)
    lines += [[Piece("  "), Piece(row, "muted")] for row in wrap(told, max(10, width - 2))]
    figure = Piece(read_words(cache), "error" if cache.broke.is_loss else "bright")
    return [*lines, [Piece("  "), figure, Piece(f"   {computed_by(cache)}", "faint")]]


def _first(row: str, lead: str, hook: str) -> Line:
    ink = "bright" if lead else "text"
    cut = min(len(lead), len(row))
    return [Piece(hook, "error"), Piece(row[:cut], ink), Piece(row[cut:], "text")]
