"""The corner of the head line: whether all is safe on disk, and whether somebody writes on."""

from __future__ import annotations

from ctxtui.core.storage import Session
from ctxtui.models.live import Liveness
from ctxtui.render.text.lines import Line, Piece
from ctxtui.render.text.severity import PASSED, WARNING

LIVE, ENDED = "●", "○"
READ_ONLY = Piece("read-only ", "warn")


def saved_line(session: Session, live: Liveness | None = None, has_failed: bool = False) -> Line:
    """Return whether what was done is safe, and who else may do something."""
    is_file = live is not None and live.is_file
    return [_saved(session, has_failed, is_file), *([] if live is None else live_line(live))]


def _saved(session: Session, has_failed: bool, is_file: bool) -> Piece:
    if session.read_only or (is_file and session.problem is None):
        return READ_ONLY
    if not session.is_lasting:
        return Piece("not kept ", "warn")
    if session.problem is not None or (has_failed and not session.is_saved):
        return WARNING.piece("not saved ")
    return PASSED.piece("saved ") if session.is_saved else Piece("… saving ", "muted")


def practice_line() -> Line:
    """Return that nothing of this is kept."""
    return [Piece("practice copy, not saved ", "warn")]


def live_line(live: Liveness) -> Line:
    """Return that the session is being written, or no longer."""
    if live.is_over:
        return [Piece(" "), WARNING.piece("not followed ")]
    sign, word, kind = (LIVE, "live", "ok") if live.is_written else (ENDED, "ended", "muted")
    return [Piece(f" {sign} {word} ", kind)]


def news_line(news: int) -> Line:
    """Return how much has come that is not looked at."""
    return [Piece(f" {news:,} new ", "bright")] if news else []
