"""The narration on the screen, and what is said of the journal or script as a whole."""

from __future__ import annotations

from ctxtui.models.playlist import Playlist
from ctxtui.render.player.narration import Told
from ctxtui.render.text.lines import Line, Piece, fit
from ctxtui.render.text.severity import ERROR, PASSED
from ctxtui.render.text.wrap import wrap
from ctxtui.words import plural

EDGE = "▌ "


def told_line(told: Told, rows: int, at: int, width: int) -> Line:
    """Return one of the rows of a narration; sentences that its rows can't hold are left out."""
    room = max(10, width - len(EDGE) - 1)
    lines = _fitting(told, rows, room)
    text = lines[at] if at < len(lines) else ""
    if at == rows - 1 and len(lines) > rows:
        text = fit(f"{text} {lines[at + 1]}", room)
    line = [Piece(EDGE, "key")]
    if at == 0 and text.startswith(told.title):
        return [*line, Piece(told.title, "bright"), Piece(text[len(told.title) :], "text")]
    return [*line, Piece(text, "text")]


def _fitting(told: Told, rows: int, room: int) -> list[str]:
    words = f"{told.title}{told.words}"
    lines = wrap(words, room)
    while len(lines) > rows and ". " in words:
        words = words[: words.rindex(". ") + 1]
        lines = wrap(words, room)
    return lines


def journal_foot(playlist: Playlist) -> Line:
    """Return what the signs mean, or how the script went."""
    if not playlist.is_script:
        return [Piece("○ on the way to now  ◌ left behind", "muted")]
    steps, failed = plural(playlist.steps, "step"), playlist.failed
    if failed:
        return [Piece("script: ", "muted"), ERROR.piece(f"{failed} of {steps} failed")]
    return [Piece(f"script: {PASSED.text(f'{steps} as expected')}", "muted")]
