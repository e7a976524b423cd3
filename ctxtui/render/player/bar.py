"""The bar above the player: which record is shown, what it did, and how to get away."""

from __future__ import annotations

from rich.cells import cell_len

from ctxtui.models.frame import Frame
from ctxtui.models.playlist import Beat
from ctxtui.render.record_words import record_words
from ctxtui.render.text.lines import Line, Piece, fit_pieces
from ctxtui.symbols import visible

SPEEDS = (0.5, 1.0, 2.0, 4.0)
NAMES = (".5×", "1×", "2×", "4×")
WIDE_CELLS = 110


def player_bar(frame: Frame, beat: Beat, is_playing: bool, width: int) -> Line:
    """Return the bar; without the highlighter where now is shown and nothing plays."""
    is_now = frame.is_newest and not is_playing and (beat.step is None or beat.is_record)
    loud, calm = ("bright", "muted") if is_now else ("notice", "note")
    wide = width >= WIDE_CELLS
    sign, word = ("▶", "PLAYING ") if is_playing else ("●", "")
    right = [
        Piece("space", "key" if is_now else "notice"),
        Piece(" pause  " if is_playing else " play  ", calm),
    ]
    if not is_now:
        right += [Piece("esc", "notice"), Piece(" return to now " if wide else " now ", calm)]
    left = [
        Piece(f" {sign} {word}RECORD {frame.place} OF {frame.last}", loud),
        Piece(", now  " if is_now else "  read-only  " if wide else "  ", calm),
        Piece(f" {beat_words(frame, beat)}", loud),
        Piece(f"  {moved_words(frame)}", calm),
    ]
    room = width - sum(cell_len(piece.text) for piece in right)
    return [*fit_pieces(left, max(0, room)), *right]


def beat_words(frame: Frame, beat: Beat) -> str:
    """Return the record in a few words, or the step that left none."""
    if beat.step is None or beat.is_record:
        return record_words(frame.record)
    step = beat.step
    if step.kind == "operation":
        given = step.given[0] if isinstance(step.given, list) and step.given else step.given
        name = given.get("operation", "operation") if isinstance(given, dict) else "operation"
        return visible(f"step {step.index} {name}", 80)
    return visible(f"step {step.index} {step.kind} {', '.join(map(str, step.given))}", 80)


def moved_words(frame: Frame) -> str:
    """Return how many messages came and went."""
    diff = frame.difference
    if diff is None or frame.is_still:
        return ""
    told = []
    for view, word in (
        (diff.hidden, "went"),
        (diff.added, "came"),
        (diff.shown, "came back"),
        (diff.moved, "changed places"),
    ):
        if len(view):
            told.append(f"{len(view):,} {word}")
    return ", ".join(told) or "no message moved"


def speed_line(speed: int) -> Line:
    """Return the speeds there are, for a border; the chosen one stands out."""
    line = [Piece("speed", "muted")]
    for at, name in enumerate(NAMES):
        line.append(Piece(f" {name} ", "chip" if at == speed else "muted"))
    return line
