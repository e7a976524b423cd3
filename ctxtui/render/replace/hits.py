"""Hits of a dry run as lines: the text as it is, and below it as it would be."""

from __future__ import annotations

from rich.cells import cell_len

from ctxtui.core.curation.texts import REACHED
from ctxtui.models.replacing import Place
from ctxtui.render.message.preview import GLYPHS, WORDS
from ctxtui.render.text.lines import Line, Piece, line_width, on_paper
from ctxtui.render.text.severity import BOXES
from ctxtui.symbols import visible

LEAD = 26
"""Cells before a match, where there is more text than room: not fewer, unless the match is long."""
LEAST = 6
CALL = 30
"""Characters of the tool that a text is given to or comes from."""
MATCH = 80
"""Characters of a match that are shown."""
OLD, NEW = on_paper("error", "hidden"), on_paper("ok", "added")
INDENT = 18
SAID = ("", "text", "thinking", "tool result")
"""Places that need no word: what is said there is what the message says."""


def heading(title: str, count: int, is_chosen: bool, width: int) -> Line:
    """Return the name of a session above its hits."""
    line = [
        Piece(" "),
        Piece(visible(title, max(1, width - 14)), "bright" if is_chosen else "faint"),
    ]
    rule = "─" * max(0, width - line_width(line) - 9)
    return [*line, Piece(f" {rule} ", "track"), Piece(f"{count:>4,}", "muted")]


def place_lines(place: Place, width: int, *, is_chosen: bool) -> tuple[Line, Line]:
    """Return the two lines of a hit: what is there, and what would be there or why it stays.

    The message it is in is named at its first hit only.
    """
    box = Piece(f" {BOXES[is_chosen]}", "key" if is_chosen else "faint")
    raw, who = " " * 5, " " * 7
    if place.raw is not None:
        raw, who = f"{place.raw:>4} ", f"{GLYPHS[place.role]} {WORDS[place.role]:<5}"
    if not place.is_first:
        raw, who = " " * len(raw), " " * cell_len(who)
    head: Line = [box, Piece(raw, "muted"), Piece(who, place.role or "muted")]
    room = width - INDENT
    if not is_chosen:
        why = f"left out: {place.hit.doubt}" if place.hit.doubt else "left out by you"
        return (
            [*head, Piece("  "), *_text(place, place.hit.before, "link", room)],
            [Piece(" " * INDENT), Piece(why, "faint")],
        )
    return (
        [*head, Piece("− ", "error"), *_text(place, place.hit.before, OLD, room)],
        [
            Piece(" " * (INDENT - 2)),
            Piece("+ ", "ok"),
            *_text(place, place.hit.after, NEW, room),
        ],
    )


def _text(place: Place, match: str, kind: str, room: int) -> Line:
    """Return a text with something in place of its hit; what is far from it is left out."""
    label = _label(place)
    before, after = visible(place.before), visible(place.after)
    found = max(cell_len(_match(one)) for one in (place.hit.before, place.hit.after))
    free = room - line_width(label) - found
    lead = max(LEAST, min(LEAD, free), free - cell_len(after), free // 2)
    start = _tail(before, lead - 1) if cell_len(before) > lead or place.is_cut else before
    is_whole = start == before and not place.is_cut
    return [
        *label,
        Piece(("" if is_whole else "…") + start),
        Piece(_match(match), kind),
        Piece(after),
    ]


def _label(place: Place) -> Line:
    """Return the tool that is called with the text or answered it, or which text it is."""
    hit = place.hit
    if hit.where not in SAID and (hit.kind not in REACHED or not (place.call or place.tool)):
        return [Piece(f"{visible(hit.where, CALL)}  ", "muted")]
    if place.call:
        tool, _, name = visible(place.call, CALL).partition(" ")
        return [Piece("→ ", "muted"), Piece(tool, "bright"), Piece(f" {name} ", "muted")]
    return [Piece(f"{visible(place.tool, CALL)}  ", "muted")] if place.tool else []


def _match(text: str) -> str:
    return visible(text, MATCH) or "(nothing)"


def _tail(text: str, cells: int) -> str:
    """Return the end of a text, as much of it as fits."""
    start, free = len(text), cells
    while start and (free := free - cell_len(text[start - 1])) >= 0:
        start -= 1
    return text[start:]
