"""The help: what can be done here, every key by what it is for, and what each sign means."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rich.cells import cell_len

from ctxtui.calls.words import UNMEASURED
from ctxtui.commands.command import GROUPS, Command, Keys
from ctxtui.inspector.drawing.head import ENDED, LIVE
from ctxtui.text.icons import CACHED_BLOCK, ERROR, NOTED, PASSED, WARNING
from ctxtui.text.lines import Line, Piece, fit_pieces, hanging
from ctxtui.text.message import GLYPHS
from ctxtui.text.plots import FULL, HALF, RESENT_BLOCK, SHORT_BAR
from ctxtui.text.ribbon import ABSENT, CURSOR, GONE, HEIGHTS, HIDDEN, SENT
from ctxtui.watch.drawing import AGAIN as HIT_AGAIN
from ctxtui.watch.drawing import CACHED

LONGEST_WITH_SYMBOL = 10
"""Characters of a symbol and its word; what is longer is a text."""

# The legend: every sign the screens draw, and what it means.


class LegendSign(NamedTuple):
    """A sign in the ink it is drawn with, and its meaning."""

    sign: str
    kind: str
    meaning: str


LEGEND: dict[str, tuple[LegendSign, ...]] = {
    "Messages": (
        LegendSign(GLYPHS["system"], "system", "system: instructions and rules"),
        LegendSign(GLYPHS["user"], "user", "user"),
        LegendSign(GLYPHS["assistant"], "assistant", "assistant"),
        LegendSign(GLYPHS["tool"], "tool", "tool: what a call gave"),
        LegendSign("→", "bright", "calls a tool; between two figures: before and after"),
        LegendSign("★", "mark", "marked; the colour is the label's"),
        LegendSign(NOTED.glyph, NOTED.kind, "has a note, shown above the message"),
        LegendSign("⋮", "muted", "messages between this one and the one above are not sent"),
        LegendSign("⏎", "muted", "a line ends here; ␣ is a space that matters"),
        LegendSign("▌", "key", "the cursor; ▏ is the same message in another pane"),
        LegendSign("• ‹ ›", "bright", "what is chosen; where the cursor is among choices"),
    ),
    "Hidden and changed": (
        LegendSign("╮ │ ╯", "faint", "hidden by one operation, which is named at the top"),
        LegendSign("─", "faint", "hidden alone"),
        LegendSign("┄", "muted", "where a hidden message would be; where a cache breaks"),
        LegendSign("╌", "muted", "hidden ones follow; a cut between two messages"),
        LegendSign("+", "ok", "was added"),
        LegendSign("−", "error", "was removed, or would be"),
        LegendSign("~ ±", "warn", "has moved; added and removed in one cell, or no change"),
    ),
    "Lint": (
        LegendSign(ERROR.glyph, "error", "error: a provider would refuse it"),
        LegendSign(WARNING.glyph, "warn", "warning; below a plot: the cursor"),
        LegendSign(PASSED.glyph, "ok", "no finding; what was expected"),
        LegendSign("╭ │ ╰", "faint", "a call and its result, the cut between them"),
    ),
    "Batches": (
        LegendSign("◉", "key", "the current state"),
        LegendSign("●", "key", "the batch that is shown"),
        LegendSign("○", "text", "a batch on the way here"),
        LegendSign("├╌◌", "faint", "a branch that was left; │ continues it"),
        LegendSign("!", "warn", "more tokens than the limit"),
        LegendSign(
            f"{CACHED_BLOCK} {RESENT_BLOCK} {UNMEASURED}",
            "muted",
            "calls: mostly cached, mostly sent again, not measured (amber: cut or failed)",
        ),
        LegendSign(f"{CACHED} {HIT_AGAIN}", "muted", "the same calls where they are watched"),
        LegendSign("▶", "key", "the journal is played; 2× is how fast"),
        LegendSign("╌ ┆", "faint", "in its curve: batches on a branch that was left"),
        LegendSign("≤", "muted", "up to this raw index"),
        LegendSign("╵ └ ┘", "muted", "where a stretch of indices begins and ends"),
    ),
    "The ribbon: the raw log as one line": (
        LegendSign(SENT, "assistant", "sent; the colour is the role with most tokens there"),
        LegendSign(HIDDEN, "faint", "hidden"),
        LegendSign(GONE, "error", "would go, or has just gone"),
        LegendSign(HEIGHTS, "tool", "a stretch of which some is sent: the higher, the more"),
        LegendSign(CURSOR, "chip", "the cursor"),
        LegendSign(ABSENT, "faint", "not yet in the log then; in a table: none"),
    ),
    "Bars, plots and the diff": (
        LegendSign(FULL + HALF + SHORT_BAR, "bar", "tokens: a whole cell, half of one, little"),
        LegendSign("─┼─", "track", "room that is left, and the threshold of the policy"),
        LegendSign("█ ▀ ▄ ■", "bar", "tokens in a plot, in the colour of the role"),
        LegendSign("┈ ┤ └", "muted", "the threshold in a plot; its scale; ┴ what is shown"),
        LegendSign(f"{CACHED_BLOCK} ═", "ok", "the same up to here: a prompt cache has it"),
        LegendSign(RESENT_BLOCK, "error", "sent again"),
        LegendSign("█ ▄", "ok", "kept as computed; as the provider measured it, in the diff"),
    ),
    "Policies over a run": (
        LegendSign("⡠⠔⠉", "bright", "tokens per call: bright is chosen, grey compared with it"),
        LegendSign("┈", "warn", "the limit; ┬ on the axis: a call whose number is below"),
        LegendSign("█ ▌ ▐", "error", "calls that a provider would refuse"),
        LegendSign("★", "error", "calls without a message that must stay"),
        LegendSign("▆", "ok", "all that the call before has sent is kept at the start"),
        LegendSign("▄ ▁", "warn", "some of it is kept; nothing is, all of it is sent again"),
    ),
    "Lessons": (
        LegendSign("▒", "faint", "covered until the answer is revealed"),
        LegendSign(f"{PASSED.glyph} ✗ +", "bright", "right; missed; picked, but not sent"),
        LegendSign(
            "● ◉ ○", "ok", "steps done, amber where the answer was wrong; here; still to come"
        ),
    ),
    "Sessions": (
        LegendSign("○", "text", "new"),
        LegendSign("◐", "text", "in review"),
        LegendSign(PASSED.glyph, "ok", "accepted"),
        LegendSign("✗", "error", "rejected; in a lint picture: missing"),
        LegendSign("!", "warn", "needs work"),
        LegendSign("≈ =", "warn", "how many duplicates; identical to those ╭ ╰ joined with it"),
        LegendSign("▾ ▴", "muted", "sorted by this, or by this the other way round"),
        LegendSign(LIVE, "ok", f"another program is writing it; {ENDED} it no longer does"),
    ),
}
"""Signs by where they are met, in the order in which a newcomer meets them."""


COLUMNS = {
    "pos": "its place among the visible messages",
    "raw": "its number for ever, in the log of every message that was added",
    "role": "who says it",
    "message": "how it begins, the tools it calls, or their result",
    "tokens": "how many tokens it has; ~ in the head line means estimated",
    "sent": "visible messages; of one message its position, or what hid it",
    "no.": "the number of the batch on its path",
    "operation": "what opened the batch",
    "calls": "recorded model calls",
    "add": "messages that became visible",
    "hide": "messages that were hidden",
    "vis": "visible messages at the end of the batch",
    "lint": "errors, by the rules of the profile",
    "title": "its title, or its first words",
    "in it": "the ribbon: tall is visible, low is hidden",
    "format": "the format of the file it was imported from",
    "msgs": "all messages that were ever added",
    "batches": "batches, with those of branches that were left",
    "alike": "duplicates and near duplicates",
    "status": "the verdict of the review",
    "tags": "its tags",
    "updated": "when it was changed",
}
"""What each column of a list shows."""


def about_place(line: Line, x: int, *, is_head: bool) -> str:
    """Return what the column head or the symbol at a place of a line means; else nothing."""
    before = 0
    for text, kind in line:
        cells = cell_len(text)
        if x < before + cells:
            return _about_head(text, x - before) if is_head else about_symbol(text, kind)
        before += cells
    return ""


def _about_head(text: str, at: int) -> str:
    for name, about in COLUMNS.items():
        for found in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text):
            if found.start() <= at < found.end():
                return f"{name}: {about}"
    return ""


def about_symbol(text: str, kind: str) -> str:
    """Return what a symbol means that is drawn in this kind, alone or before a word."""
    symbol = text.strip()[:1]
    if not symbol or symbol.isalnum() or len(text.strip()) > LONGEST_WITH_SYMBOL:
        return ""
    signs = (sign for signs in LEGEND.values() for sign in signs)
    meant = next((one.meaning for one in signs if symbol in one.sign and kind == one.kind), "")
    return f"{symbol} {meant}" if meant else ""


Row = tuple[Piece, str]
"""A key or a sign, and what it means."""


def help_lines(
    commands: Sequence[Command], here: Keys, width: int, *, sought: str = ""
) -> list[Line]:
    """Return the keys of where the help was opened, then all of them, then the legend.

    Of these only what has all words of ``sought``.
    """
    words = sought.casefold().split()

    def found(rows: list[Row]) -> list[Row]:
        texts = ((row, f"{row[0].text} {row[1]}".casefold()) for row in rows)
        return [row for row, text in texts if all(word in text for word in words)]

    now = [(Piece(key.keys, "key"), key.word) for group in here for key in group]
    keys: dict[str, list[Row]] = {title: [] for title in GROUPS.values()}
    for one in commands:
        if one.keys:
            keys[GROUPS[one.group]].append((Piece(one.shown_keys(), "key"), one.about))
    signs = {
        title: [(Piece(sign.sign, sign.kind), sign.meaning) for sign in members]
        for title, members in LEGEND.items()
    }
    sections = {
        "Here and now": [("", part) for part in _parts(found(now), width)],
        "All keys": [(title, rows) for title, all in keys.items() if (rows := found(all))],
        "Symbols": [(title, rows) for title, all in signs.items() if (rows := found(all))],
    }
    lines: list[Line] = []
    for title, blocks in sections.items():
        if blocks:
            lines += [*_section(title, width), *_columns(blocks, width)]
    return lines or [[Piece("Nothing here has these words.", "muted")]]


def _section(title: str, width: int) -> list[Line]:
    rule = "─" * max(0, width - cell_len(title) - 4)
    return [[Piece("─ ", "track"), Piece(title, "strong"), Piece(f" {rule}", "track")]]


def _count(width: int) -> int:
    return max(1, min(3, width // 48))


def _parts(rows: list[Row], width: int) -> Iterable[list[Row]]:
    each = -(-len(rows) // _count(width))
    return [rows[at : at + each] for at in range(0, len(rows), each)] if rows else []


def _columns(blocks: Sequence[tuple[str, list[Row]]], width: int) -> list[Line]:
    """Return blocks side by side, each where there is most room; a line is left below them."""
    room = width // _count(width)
    columns: list[list[Line]] = [[] for _ in range(_count(width))]
    for title, rows in blocks:
        shortest = min(columns, key=len)
        block = [line for row in rows for line in _row(row, room - 2)]
        heading: list[Line] = [[Piece(title, "bright")]] if title else []
        shortest += [*([[]] if shortest else []), *heading, *block]
    height = max(map(len, columns), default=0)
    lines = [[piece for one in columns for piece in _cell(one, at, room)] for at in range(height)]
    return [*lines, []]


def _row(row: Row, width: int) -> list[Line]:
    lead, meaning = row
    cells = max(12, cell_len(lead.text) + 2)
    return hanging([lead, Piece(" " * (cells - cell_len(lead.text)))], meaning, width)


def _cell(column: list[Line], at: int, room: int) -> Line:
    line = column[at] if at < len(column) else []
    return [*fit_pieces(line, room - 2), Piece("  ")]
