"""Hits of a dry run as lines: the text as it is, and below it as it would be."""

from __future__ import annotations

from collections.abc import Sequence

from core.curation.replacing import ReplaceHit
from ctxtui.models.replacing import Place
from ctxtui.render.message.preview import GLYPHS, WORDS
from ctxtui.render.text.lines import Line, Piece, line_width, on_paper
from ctxtui.render.text.severity import BOXES
from ctxtui.symbols import visible

LEAD = 26
"""Characters shown before the first match."""
GAP = 36
"""Characters between two matches from which on the middle is left out."""
CALL = 30
"""Characters of the call that a text is in."""
MATCH = 80
"""Characters of a match that are shown."""
OLD, NEW = on_paper("error", "hidden"), on_paper("ok", "added")
INDENT = 18


def heading(title: str, count: int, is_chosen: bool, width: int) -> Line:
    """Return the name of a session above its hits."""
    line = [
        Piece(" "),
        Piece(visible(title, max(1, width - 14)), "bright" if is_chosen else "faint"),
    ]
    rule = "─" * max(0, width - line_width(line) - 9)
    return [*line, Piece(f" {rule} ", "track"), Piece(f"{count:>4,}", "muted")]


def place_lines(place: Place, taken: Sequence[ReplaceHit], width: int) -> tuple[Line, Line]:
    """Return the two lines of a place: what is there, and what would be there or why it stays."""
    box = Piece(f" {BOXES[bool(taken)]}", "key" if taken else "faint")
    who = f"{GLYPHS[place.role]} {WORDS[place.role]:<5}"
    head: Line = [box, Piece(f"{place.raw:>4} ", "muted"), Piece(who, place.role)]
    room = width - INDENT
    if not taken:
        why = f"left out: {place.doubt}" if place.doubt else "left out by you"
        return (
            [*head, Piece("  "), *_text(place, place.hits, ("link", "link"), room, is_new=False)],
            [Piece(" " * INDENT), Piece(why, "faint")],
        )
    return (
        [*head, Piece("− ", "error"), *_text(place, taken, ("text", OLD), room, is_new=False)],
        [
            Piece(" " * (INDENT - 2)),
            Piece("+ ", "ok"),
            *_text(place, taken, ("text", NEW), room, is_new=True),
        ],
    )


def _text(
    place: Place, taken: Sequence[ReplaceHit], kinds: tuple[str, str], room: int, *, is_new: bool
) -> Line:
    """Return a text with its matches in another kind; what is far from them is left out."""
    tool, _, name = visible(place.call, CALL).partition(" ")
    pieces: Line = []
    if tool:
        pieces = [Piece("→ ", "muted"), Piece(tool, "bright"), Piece(f" {name} ", "muted")]
    at = 0
    for hit in taken:
        start, end = hit.start - place.start, hit.end - place.start
        between = place.text[at:start]
        pieces.append(Piece(_shortened(between, is_first=at == 0, begins=place.start == 0)))
        match = hit.after if is_new else hit.before
        pieces.append(Piece(visible(match, MATCH) or "(nothing)", kinds[1]))
        at = end
    pieces.append(Piece(visible(place.text[at:], max(1, room))))
    return pieces


def _shortened(text: str, *, is_first: bool, begins: bool) -> str:
    """Return what stands before a match, short enough that the match is in sight."""
    if is_first:
        cut = text[-LEAD:]
        return ("" if begins and len(text) <= LEAD else "…") + visible(cut, LEAD + 8)
    if len(text) <= GAP:
        return visible(text, GAP + 8)
    half = GAP // 2
    return f"{visible(text[:half], half)} … {visible(text[-half:], half)}"
