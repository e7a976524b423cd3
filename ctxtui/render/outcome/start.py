"""The start of a form: how things stand now, and cuts to start from with their outcome."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.cells import cell_len

from ctxtui.commands import FORM
from ctxtui.core.suggestions import Suggestion
from ctxtui.render.message.preview import WORDS
from ctxtui.render.outcome.figures import now_line
from ctxtui.render.outcome.prospect import Place, Start
from ctxtui.render.outcome.rows import message_row
from ctxtui.render.outcome.settings import held_lines
from ctxtui.render.text.lines import Line, Piece, fit_pieces, on_row
from ctxtui.render.text.numbers import tokens
from ctxtui.render.text.severity import ERROR, PASSED
from ctxtui.render.text.wrap import wrap
from ctxtui.symbols import visible
from ctxtui.words import plural

KEYS = {command.action: command.shown_keys() for command in FORM}
CHANGE_CELLS = 15
LINT_CELLS = 6
LABEL_CELLS = 24
LEAST_NAME = 12
NOW_CELLS = 10
NEARBY = 8
"""How many messages are shown: around a place, or the newest ones."""
SMALL = 16
"""Lines below which there is no room for blank ones."""


def start_lines(start: Start, width: int, height: int | None = None) -> list[Line]:
    """Return a friendly start: a sentence, the present, and what one could begin with.

    Where there are few lines, blank ones and what only explains give way.
    """
    is_small = height is not None and height < SMALL
    gap: list[Line] = [] if is_small else [[]]
    lines: list[Line] = [[Piece(row, "bright")] for row in wrap(start.sentence, max(10, width))]
    if not is_small:
        lines += [[Piece(row, "muted")] for row in wrap(start.about, max(10, width)) if row]
    look = start.look
    if start.held is not None:
        return [*lines, *gap, *held_lines(start.held, width)]
    if look.log_size:
        lines += [*gap, now_line(look, width), *_standing(start, width)]
    if start.suggestions:
        lines += [*gap, *_head(width), *gap, *([] if is_small else [_columns(width)])]
        for at, suggestion in enumerate(start.suggestions):
            lines += _suggestion(suggestion, width, is_chosen=at == start.chosen)
            lines += gap
    elif not start.is_looking:
        lines += _nearby(start, width, gap)
    else:
        lines += [*gap, [Piece("… looking for cuts to start from", "faint")]]
    return lines


def _nearby(start: Start, width: int, gap: list[Line]) -> list[Line]:
    """Return the messages around the place that is meant, or the newest ones that are sent."""
    look, size, place = start.look, len(start.look.view), start.position
    if not size:
        return []
    title, first = "What is sent last", max(0, size - NEARBY)
    if place is not None and place < size:
        title, first = f"Around position {place:,}", max(0, min(place - NEARBY // 2, first))
    places = [Place(look.view[at], at) for at in range(first, min(size, first + NEARBY))]
    rows = [message_row(look, look.state, one, Piece(" ", "muted"), width) for one in places]
    return [*gap, [Piece(title, "bright")], *rows]


def _standing(start: Start, width: int) -> list[Line]:
    look = start.look
    line = [
        Piece(" " * NOW_CELLS),
        Piece(f"{len(look.view):,}", "bright"),
        Piece(f" {'message' if len(look.view) == 1 else 'messages'}   ", "muted"),
        Piece(tokens(look.total), "bright"),
        Piece(" tokens   ", "muted"),
    ]
    if not look.is_linted:
        return [line]
    sign = ERROR.piece(plural(look.errors, "error")) if look.errors else PASSED.piece("no error")
    if sum(cell_len(piece.text) for piece in (*line, sign)) <= width:
        return [[*line, sign]]
    return [line, [Piece(" " * NOW_CELLS), sign]]


def _head(width: int) -> list[Line]:
    title = Piece("Or start from one of these", "bright")
    keys = [
        Piece(f"{KEYS['next_suggestion']} ", "key"),
        Piece("next  ", "muted"),
        Piece(f"{KEYS['take']} ", "key"),
        Piece("take it", "muted"),
    ]
    room = width - sum(cell_len(piece.text) for piece in keys)
    if cell_len(title.text) >= room:
        return [[title], keys]
    return [[*fit_pieces([title], room), *keys]]


def _name_cells(width: int) -> int:
    return max(LEAST_NAME, width - 2 * CHANGE_CELLS - LINT_CELLS)


def _columns(width: int) -> Line:
    cells = (
        f"{'messages':>{CHANGE_CELLS}}",
        f"{'tokens':>{CHANGE_CELLS}}",
        f"{'lint':>{LINT_CELLS}}",
    )
    return [Piece(" " * _name_cells(width)), Piece("".join(cells), "faint")]


def _suggestion(suggestion: Suggestion, width: int, *, is_chosen: bool) -> list[Line]:
    outcome = suggestion.outcome
    before, errors = outcome.before, outcome.error_count
    messages = f"{tokens(before.messages)} → {tokens(outcome.messages)}"
    sums = f"{tokens(before.tokens)} → {tokens(outcome.tokens)}"
    kind, tint = ("bright", "select") if is_chosen else ("text", "plain")
    sign = ERROR.text(str(errors)) if errors else PASSED.glyph
    name = Piece(cut_told(suggestion.operation), kind)
    figures = [
        Piece(f"{messages:>{CHANGE_CELLS}}{sums:>{CHANGE_CELLS}}", kind),
        Piece(f"{sign:>{LINT_CELLS}}", ERROR.kind if errors else PASSED.kind),
    ]
    cells = _name_cells(width)
    if cell_len(name.text) < cells:
        rows: list[Line] = [[*fit_pieces([name], cells), *figures]]
    else:
        rows = [[name], [Piece(" " * cells), *figures]]
    rows.append([_consequence(suggestion)])
    return [on_row(row, tint, width) for row in rows]


def cut_told(operation: Mapping[str, Any]) -> str:
    """Return a cut in a few words, such as ``keep last 9, system and marks``."""
    words = []
    if operation.get("role"):
        others = "" if operation.get("keepOthers") else " and nothing else"
        words.append(f"only {_role(operation['role'])}{others}")
    for name, word in (("keepLast", "keep last"), ("maxTokens", "max tokens")):
        if name in operation:
            words.append(f"{word} {operation[name]:,}")
    kept = [
        word
        for name, word in (("keepSystem", "system"), ("keepMarks", "marks"))
        if operation.get(name)
    ]
    if kept:
        words.append(f"keep {kept[0]}" if len(kept) == 1 else " and ".join(kept))
    return ", ".join(words)


def _role(role: str) -> str:
    return "tool results" if role == "tool" else WORDS[role]


def _consequence(suggestion: Suggestion) -> Piece:
    """Return what speaks against a cut, or that nothing does."""
    outcome = suggestion.outcome
    if outcome.error_count:
        return Piece(
            f"{plural(outcome.error_count, 'error')}: {outcome.in_words('error')}", "muted"
        )
    if outcome.lost:
        labels = ", ".join(visible(label, LABEL_CELLS) for label in list(outcome.lost)[:3])
        stays = "" if outcome.system_lost else ", the prompt stays"
        return Piece(f"★ {labels} would go{stays}", "warn")
    if outcome.system_lost:
        return Piece(f"{plural(len(outcome.system_lost), 'system message')} would go", "warn")
    marked = bool(suggestion.operation.get("keepMarks"))
    told = "nothing that you marked would go" if marked else "no system message would go"
    return Piece(told, "muted")
