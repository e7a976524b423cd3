"""The message under the cursor in a few lines, where the message pane has no room."""

from __future__ import annotations

from collections.abc import Iterator

from ctxtui.models.look import Look
from ctxtui.render.message.around import around_lines, hidden_by
from ctxtui.render.message.parts import part_lines
from ctxtui.render.message.preview import GLYPHS, tool_names
from ctxtui.render.message.strip import finding_strip
from ctxtui.render.text.choosing import size_of
from ctxtui.render.text.lines import Line, Piece, fit_pieces
from ctxtui.render.text.marks import star
from ctxtui.symbols import visible
from ctxtui.words import percent


def peek_lines(look: Look, raw: int, width: int, rows: int) -> list[Line]:
    """Return the heading of a message as a rule, what is wrong with it, and how it begins."""
    lines = [heading(look, raw, width)]
    for line in finding_strip(look, raw, width - 2):
        lines.append([Piece(" ", line[0].kind), *line, Piece(" ", line[-1].kind)])
    for part in look.state.log[raw].parts:
        if len(lines) >= rows:
            break
        said = part_lines(part, max(1, width - 2))[:rows]
        lines += [[Piece(" "), *line] for line in said]
    spare = rows - len(lines) - len(("rule", "before", "it"))
    if spare >= 0:
        lines += around_lines(look, raw, width, spare + 2)
    return lines[:rows]


def heading(look: Look, raw: int, width: int) -> Line:
    """Return who said it, where it is and how large it is, on a rule."""
    line: Line = []
    for left, right in _headings(look, raw):
        end = [Piece(" "), *right, Piece(" ─", "track")] if right else []
        line = [Piece("── ", "track"), *left, Piece(" ")]
        rule = width - size_of(line) - size_of(end)
        if rule >= 1:
            return [*line, Piece("─" * rule, "track"), *end]
    return fit_pieces(line, width)


def _headings(look: Look, raw: int) -> Iterator[tuple[Line, Line]]:
    message, position, count = look.state.log[raw], look.view.position(raw), look.tokens(raw)
    who = [Piece(f"{GLYPHS[message.role]} {message.role}", message.role)]
    mark = star(look, raw)
    marks = [] if mark is None else [Piece("  "), mark]
    names = ", ".join(tool_names(look.state.log, raw).values())
    tool = [Piece(f"  {visible(names, 24)}", "bright")] if names else []
    place = f"  position {position:,}" if position is not None else f"  {hidden_by(look, raw)}"
    where = [Piece(f"  raw {raw:,}", "muted"), Piece(place, "muted")]
    size = [Piece(f"{count:,} tokens", "text")]
    share = [] if position is None else [Piece(f"  {percent(count, look.total)}", "muted")]
    yield [*who, *tool, *where, *marks], [*size, *share]
    yield [*who, *where, *marks], [*size, *share]
    yield [*who, where[0], *marks], [*size, *share]
    yield [*who, where[0]], size
    yield [*who, where[0]], []
