"""The head of a difference: both batches, and what of one a prompt cache has from the other."""

from __future__ import annotations

from collections.abc import Callable

from ctxtui.models.diff_sides import Sides
from ctxtui.models.look import Look
from ctxtui.models.measured_cache import MeasuredCache
from ctxtui.render.status import unlinted
from ctxtui.render.text.labels import placed
from ctxtui.render.text.lines import Line, Piece, fit_pieces
from ctxtui.render.text.numbers import tokens
from ctxtui.render.text.sections import beside
from ctxtui.render.text.severity import ERROR
from ctxtui.symbols import visible
from ctxtui.words import percent, plural

KEPT = "█"
TICK = "│"
AGAIN = "░"
LOW = "▄"
"""What was measured is half as high as what is computed, so that one sees which is which."""
NOTHING = "─"
TABLE_CELLS = 36
LABEL_CELLS = 10
FIGURE_CELLS = 8
LINES, BRIEF_LINES = 5, 3
"""Lines of the cache without what was measured."""


def title_line(sides: Sides, width: int) -> Line:
    """Return which two batches are compared, and the keys that choose others."""
    line = [Piece(" DIFF ", "bright"), Piece("  from ", "muted")]
    line += [Piece(sides.name(sides.left), "bright"), *_abandoned(sides, sides.left)]
    line += [Piece("  to ", "muted"), Piece(sides.name(sides.right), "bright")]
    line += _abandoned(sides, sides.right)
    keys: Line = []
    for key, word in (("[ ]", "from"), ("{ }", "to"), ("x", "swaps")):
        keys += [Piece(f"   {key}", "key"), Piece(f" {word}", "muted")]
    used, size = (sum(len(piece.text) for piece in one) for one in (line, keys))
    if used + size + 1 > width:
        return fit_pieces(line, width)
    return [*fit_pieces(line, width - size - 1), *keys, Piece(" ")]


def _abandoned(sides: Sides, look: Look) -> Line:
    return [Piece(" ◌ abandoned", "warn")] if sides.is_abandoned(look) else []


def cache_lines(sides: Sides, width: int) -> list[Line]:
    """Return the prompt cache at length: a ruler with its figures, and a table beside it.

    Where a provider said what it served, that is a second ruler, and a sentence below.
    """
    room = width - TABLE_CELLS - 5
    lines = [
        [Piece(" "), *line]
        for line in (
            [*_kept(sides), Piece(f"   {visible(sides.right.counter, 40)}", "faint")],
            _figures(sides, room),
            ruler(sides, room),
            *_measured_ruler(sides, room),
            _under_tick(sides, room),
            _resent(sides, room),
            *_measured_words(sides),
        )
    ]
    return beside(lines, [[], *table(sides)], room + 1)


def brief_lines(sides: Sides, width: int) -> list[Line]:
    """Return the prompt cache in three lines, for small screens; one more for what was measured."""
    room = width - 2
    line = _kept(sides, tokens)
    if sides.sent_again:
        line += [Piece("  │  ", "track"), Piece(_again(sides, tokens), _kind(sides))]
    words = Piece(broken(sides), "muted")
    rest = _measured_words(sides)
    return [[Piece(" "), *one] for one in (line, ruler(sides, room), [words], *rest)]


def _kept(sides: Sides, number: Callable[[int], str] = "{:,}".format) -> Line:
    kept = sides.prefix
    if not len(sides.right.view):
        return [Piece("nothing to keep", "muted")]
    share = percent(kept.tokens, sides.right.total)
    if not sides.sent_again:
        share = "100 %"
    elif share == "100 %":
        share = ">99 %"  # A message without tokens is sent again.
    return [
        Piece(f"{share} kept", "ok" if kept.messages else "error"),
        Piece(f"   {sides.about}{number(kept.tokens)} tokens", "text"),
        Piece(f"  in {plural(kept.messages, 'message')}", "muted"),
    ]


def _kind(sides: Sides) -> str:
    return "error" if sides.is_broken else "bright"


def _again(sides: Sides, number: Callable[[int], str] = "{:,}".format) -> str:
    """Return what is not in the cache, in tokens and messages."""
    word = "sent again" if sides.is_broken else "new"
    count = plural(sides.sent_again, "message")
    return f"{sides.about}{number(sides.found.resent)} tokens in {count} {word}"


def measured_words(found: MeasuredCache) -> str:
    """Return in words what a provider served, and of which call."""
    total = "" if found.input is None else f" of {found.input:,}"
    share = f", {percent(found.cached, found.input)}" if found.input else ""
    return f"{found.cached:,}{total} tokens served in call {found.call:,}{share}"


def _measured_ruler(sides: Sides, width: int) -> list[Line]:
    """Return what was served as a share of what was read; tools are part of both."""
    found = sides.measured
    if found is None or not found.input or width < 3:  # noqa: PLR2004 - as above
        return []
    share = min(1.0, found.cached / found.input)
    cells = round(width * share)
    cells = width if share == 1 else max(1 if found.cached else 0, min(cells, width - 1))
    return [[Piece(LOW * cells, "ok"), Piece(AGAIN * (width - cells), "muted")]]


def _measured_words(sides: Sides) -> list[Line]:
    """Return the sentence of what was served; it may have come after another call than the left."""
    found = sides.measured
    if found is None:
        return []
    words = [Piece("measured  ", "bright"), Piece(measured_words(found), "text")]
    words += [Piece(", tools included", "muted")] if found.has_tools else []
    if found.after is not None and found.after != sides.left.revision.id:
        words.append(Piece(f"; it followed call {found.call - 1:,}, not the left side", "muted"))
    return [words]


def tick_of(sides: Sides, width: int) -> int | None:
    """Return the cell at which the cache ends; None where it holds all that is sent."""
    if not sides.sent_again:
        return None
    total = sides.right.total
    at = round(width * sides.prefix.tokens / total) if total else 0
    return max(1 if sides.prefix.messages else 0, min(at, width - 2))


def ruler(sides: Sides, width: int) -> Line:
    """Return the tokens of the right side in the order they are sent: kept, then sent again."""
    if width < 3:  # noqa: PLR2004 - kept, tick and again are a cell each
        return []
    if not len(sides.right.view):
        return [Piece(NOTHING * width, "track")]
    tick = tick_of(sides, width)
    if tick is None:
        return [Piece(KEPT * width, "ok")]
    kind = "error" if sides.is_broken else "muted"
    return [Piece(KEPT * tick, "ok"), Piece(TICK, "error"), Piece(AGAIN * (width - tick - 1), kind)]


def _figures(sides: Sides, width: int) -> Line:
    tick = tick_of(sides, width)
    ends = [(0, Piece("0", "faint")), (width, Piece(f"{sides.right.total:,}", "faint"))]
    if tick is None or not tick:
        return placed(ends, width)
    return placed([(tick, Piece(f"{sides.prefix.tokens:,}", "bright")), *ends], width)


def _under_tick(sides: Sides, width: int) -> Line:
    """Return where the cache breaks, said at the tick."""
    words = broken(sides)
    if tick_of(sides, width) is None:
        return [Piece(words, "muted")]
    indent, lead, tail = _beside_tick(sides, words, width)
    cached = "  cached" if indent > len("  cached ") else ""
    told = [Piece(lead, "error"), Piece(words, "bright"), Piece(tail, "error")]
    return [Piece(cached.ljust(indent), "ok"), *told]


def _resent(sides: Sides, width: int) -> Line:
    """Return what is sent again, below the sentence that says where the cache breaks."""
    if tick_of(sides, width) is None:
        return []
    above, words = broken(sides), _again(sides)
    indent, lead, tail = _beside_tick(sides, above, width)
    indent += len(above) - len(words) if tail else len(lead)
    return [Piece(" " * max(0, min(indent, width - len(words)))), Piece(words, _kind(sides))]


def _beside_tick(sides: Sides, words: str, width: int) -> tuple[int, str, str]:
    """Return where words begin, and the hook to the tick that stands before or behind them."""
    tick = tick_of(sides, width) or 0
    if tick + len(words) + 2 <= width:
        return tick, "╰ ", ""
    if tick > len(words):
        return tick - len(words) - 1, "", " ╯"
    return max(0, width - len(words)), "", ""


def broken(sides: Sides) -> str:
    """Return in a sentence where the cache breaks, or why it doesn't."""
    left, right, kept = sides.left, sides.right, sides.prefix.messages
    if not len(right.view):
        return f"Nothing is sent in batch {right.batch.number}."
    if not sides.sent_again:
        if kept == len(left.view):
            return "Both send the same: a prompt cache can keep all of it."
        return "All that is sent was at the start before: a prompt cache can keep it."
    if not sides.is_broken:
        return f"All of batch {left.batch.number} is kept; what is new comes after it."
    was, now = left.view[kept], right.view[kept]
    return f"breaks before position {kept}: raw {was} was there, raw {now} is now"


def table(sides: Sides) -> list[Line]:
    """Return messages, tokens, lint errors and marked messages, before and after."""
    left, right = sides.left, sides.right
    rows = [
        _figure("messages", len(left.view), len(right.view)),
        _figure(f"{sides.about}tokens", left.total, right.total),
    ]
    errors = ERROR.text("errors")
    if left.is_linted and right.is_linted:
        rows.append(_figure(errors, left.errors, right.errors))
    else:
        rows.append(
            [Piece(errors.ljust(LABEL_CELLS), "muted"), unlinted(right if left.is_linted else left)]
        )
    return [*rows, _figure("★ marked", *sides.marked)]


def _figure(label: str, before: int, after: int) -> Line:
    by = after - before
    change = f"{'+' if by > 0 else '−'}{tokens(abs(by))}" if by else "·"
    return [
        Piece(label.ljust(LABEL_CELLS), "muted"),
        Piece(tokens(before).rjust(FIGURE_CELLS), "text"),
        Piece(" → ", "muted"),
        Piece(tokens(after).rjust(FIGURE_CELLS - 2), "bright"),
        Piece(change.rjust(FIGURE_CELLS), "muted"),
    ]
