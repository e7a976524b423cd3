"""A row of the library: one line for a session, in as many columns as there is room for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from rich.cells import cell_len

from ctxtui.core.curation.digest import Row
from ctxtui.render.library.ribbon import mini_ribbon
from ctxtui.render.library.signs import alike_words, is_dull, lint_piece, status_sign
from ctxtui.render.library.title import told_title, wanted_cells
from ctxtui.render.text.lines import Line, Piece, fit
from ctxtui.render.text.numbers import ago, tokens
from ctxtui.render.text.severity import ERROR, PASSED
from ctxtui.symbols import visible

MARK_CELLS, END_CELLS = 2, 1
LEAST_TITLE, ROOMY_TITLE = 18, 24
SMALL_CELLS = 70
"""Cells of a row below which a title gets along with fewer."""
LONG_RIBBON, RIBBON, SHORT_RIBBON = 36, 18, 10
FORMAT_CELLS, TAGS_CELLS = 11, 14
LONG_CELLS, SHORT_CELLS = 150, 84
"""Cells of a row from which on the ribbon is longer, and below which it is shorter."""


class Beside(NamedTuple):
    """What a row is drawn with: its neighbours, whether it is selected, the time, the cursor."""

    before: Row | None
    behind: Row | None
    is_selected: bool
    now: int
    is_here: bool = False
    is_of_many: bool = False
    """Whether its file holds other conversations, too."""


class Needs(NamedTuple):
    """How many cells titles, formats and tags of some sessions would fill."""

    title: int = 0
    format: int = FORMAT_CELLS
    tags: int = TAGS_CELLS


def needs_of(rows: Iterable[Row]) -> Needs:
    """Return what titles, formats and tags of sessions would fill, as far as that is known."""
    title = format = tags = 0
    for row in rows:
        title = max(title, wanted_cells(row))
        format = max(format, FORMAT_CELLS if row.digest is None else len(row.digest.format))
        if row.entry.tags:
            tags = max(tags, cell_len(_tag_words(row)))
    return Needs(title, format, tags)


class Column(NamedTuple):
    """A column: its name, its cells with the space before it, and how it is drawn."""

    name: str
    cells: int
    draw: Callable[[Row, Beside, int], Sequence[Piece]]
    rank: int
    """How long it stays as there is less room: the highest goes first."""
    is_left: bool = False


def _right(text: str, cells: int, kind: str, row: Row) -> Line:
    return [Piece(f"{text:>{cells}}", "faint" if is_dull(row) and kind != "error" else kind)]


def _left(text: str, cells: int, kind: str, row: Row) -> Line:
    room = cells - 2
    return [Piece("  "), Piece(fit(visible(text, 200), room), "faint" if is_dull(row) else kind)]


def _ribbon(row: Row, _: Beside, cells: int) -> Line:
    letters = "" if row.digest is None else row.digest.ribbon
    return [Piece(" "), *mini_ribbon(letters, cells - 1, is_dull=is_dull(row))]


def _format(row: Row, _: Beside, cells: int) -> Line:
    return _left("" if row.digest is None else row.digest.format, cells, "muted", row)


def _messages(row: Row, _: Beside, cells: int) -> Line:
    return _right(f"{row.entry.messages:,}", cells, "text", row)


def _sent(row: Row, _: Beside, cells: int) -> Line:
    entry = row.entry
    if entry.visible >= entry.messages:
        return _right("all", cells, "faint", row)
    return _right(f"{entry.visible:,}", cells, "bright", row)


def _batches(row: Row, _: Beside, cells: int) -> Line:
    return _right(f"{row.entry.batches:,}", cells, "muted", row)


def _tokens(row: Row, _: Beside, cells: int) -> Line:
    return _right(tokens(row.entry.tokens), cells, "text", row)


def _lint(row: Row, _: Beside, cells: int) -> Line:
    text, kind = lint_piece(row.digest)
    return [Piece(f"{text:>{cells}}", kind)]


def _alike(row: Row, beside: Beside, cells: int) -> Line:
    words = alike_words(row, beside.before, beside.behind)
    return [Piece(f"{words:>{cells}}", "warn" if words and words[0] != " " else "muted")]


def _status(row: Row, _: Beside, cells: int) -> Line:
    sign = status_sign(row.entry.status)
    word = row.entry.status if cells > len("  x ") else ""
    return [Piece(fit(f"  {sign.text(word)}", cells), sign.kind)]


def _tags(row: Row, _: Beside, cells: int) -> Line:
    return _left(_tag_words(row), cells, "muted", row)


def _tag_words(row: Row) -> str:
    return ", ".join(row.entry.tags)


def _updated(row: Row, beside: Beside, cells: int) -> Line:
    return [Piece(f"{ago(row.entry.updated, beside.now):>{cells}}", "faint")]


COLUMNS = (
    Column("what is in it", 1 + RIBBON, _ribbon, 4, is_left=True),
    Column("format", 2 + FORMAT_CELLS, _format, 8, is_left=True),
    Column("msgs", 6, _messages, 2),
    Column("sent", 6, _sent, 5),
    Column("batches", 9, _batches, 10),
    Column("tokens", 7, _tokens, 3),
    Column("lint", 6, _lint, 1),
    Column("alike", 6, _alike, 6),
    Column("status", 14, _status, 0, is_left=True),
    Column("tags", 2 + TAGS_CELLS, _tags, 7, is_left=True),
    Column("updated", 10, _updated, 9),
)
"""All columns behind the title, as they stand from left to right."""


ANY = Needs()
"""Where nobody has looked at the sessions."""


class Layout(NamedTuple):
    """The columns for a width: how many cells the title has, and what stands behind it."""

    title: int
    columns: tuple[Column, ...]


@lru_cache(maxsize=64)
def layout_of(width: int, needs: Needs = ANY) -> Layout:
    """Return the columns that fit beside a title one can read: the least important go first.

    What the others have to spare is the title's; tags have a column where something is tagged.
    """
    least = LEAST_TITLE if width < SMALL_CELLS else ROOMY_TITLE
    room = width - MARK_CELLS - END_CELLS
    fitted = [_fitted(one, needs) for one in (_ribbon_column(width), *COLUMNS[1:])]
    fitted = [one for one in fitted if one.cells]
    while fitted and room - sum(one.cells for one in fitted) < least:
        fitted.remove(max(fitted, key=lambda one: one.rank))
    title = room - sum(one.cells for one in fitted)
    if fitted and fitted[0].cells > 1 + RIBBON:
        given = min(fitted[0].cells - 1 - RIBBON, max(0, needs.title - title))
        fitted[0] = fitted[0]._replace(cells=fitted[0].cells - given)
        title += given
    return Layout(max(0, title), tuple(fitted))


def _fitted(column: Column, needs: Needs) -> Column:
    """Return a column with as many cells as it needs; where nothing is tagged that is none."""
    if column.draw is _format:
        return column._replace(cells=2 + min(FORMAT_CELLS, max(len(column.name), needs.format)))
    if column.draw is _tags:
        cells = 2 + min(TAGS_CELLS, max(len(column.name), needs.tags))
        return column._replace(cells=cells if needs.tags else 0)
    return column


def _ribbon_column(width: int) -> Column:
    """Return the column of the ribbon, which is longer or shorter with the width."""
    if width < SHORT_CELLS:
        return COLUMNS[0]._replace(name="in it", cells=1 + SHORT_RIBBON)
    return COLUMNS[0]._replace(cells=1 + (LONG_RIBBON if width >= LONG_CELLS else RIBBON))


def head_row(width: int, needs: Needs = ANY) -> Line:
    """Return the names of the columns."""
    layout = layout_of(width, needs)
    words = [" " * MARK_CELLS + "title".ljust(layout.title)]
    for one in layout.columns:
        name = one.name if len(one.name) < one.cells else one.name[: one.cells - 1]
        lead = " " if one.draw is _ribbon else "  "
        words.append(f"{lead}{name}".ljust(one.cells) if one.is_left else name.rjust(one.cells))
    return [Piece("".join(words)[:width], "faint")]


def session_row(row: Row, beside: Beside, width: int, needs: Needs = ANY) -> Line:
    """Return one session."""
    layout = layout_of(width, needs)
    mark = Piece(f"{PASSED.glyph} " if beside.is_selected else "  ", "key")
    kind = "bright" if beside.is_here else "faint" if is_dull(row) else "text"
    title = Piece(told_title(row, layout.title, is_of_many=beside.is_of_many), kind)
    if row.entry.problem is not None:
        rest = width - MARK_CELLS - layout.title
        return [mark, title, Piece(fit("  " + ERROR.text("can't be read"), rest), ERROR.kind)]
    line = [mark, title]
    for column in layout.columns:
        line += column.draw(row, beside, column.cells)
    return line
