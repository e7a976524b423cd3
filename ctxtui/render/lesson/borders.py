"""What the borders of a lesson's panes say: what each shows, and what was picked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ctxtui.models.frame import Frame
from ctxtui.models.lesson_step import PickRow, ShownStep
from ctxtui.render.text.lines import Line, Piece
from ctxtui.render.text.severity import PASSED
from ctxtui.symbols import visible
from ctxtui.words import plural

MOST_TITLE = 50


def raw_about(frame: Frame) -> Line:
    """Return how many messages were ever added."""
    return [Piece("everything ever added ", "muted"), Piece(f"{frame.log_size:,} ", "bright")]


def visible_title(shown: ShownStep) -> str:
    """Return when what is sent is sent: before what comes is done, or after it."""
    if not shown.doing:
        return "Visible"
    return f"Visible {'before' if shown.pending else 'after'} {_operation(shown)}"


def visible_about(frame: Frame) -> Line:
    """Return how many messages are sent, and how many were before."""
    now = Piece(f"{len(frame.view):,} ", "bright")
    if frame.is_still or frame.before is None:
        return [Piece("what the model is sent ", "muted"), now]
    return [Piece(f"{len(frame.before.view):,} → ", "muted"), now]


def pick_title(shown: ShownStep) -> str:
    """Return what the rows are picked for."""
    asked = shown.player.question
    if asked is not None and asked.query is not None:
        return "Which rows"
    return f"Visible after {_operation(shown)}" if shown.doing else "Visible"


def _operation(shown: ShownStep) -> str:
    last = shown.doing[-1]
    return visible(f"{last.name} {last.argument}".strip(), MOST_TITLE)


def pick_about(rows: Sequence[PickRow], *, is_none: bool = False) -> Line:
    """Return how much was picked, or how much of it was right."""
    if rows and rows[0].verdict is not None:
        counts = Counter(row.verdict for row in rows)
        return [
            Piece(f"{counts['not sent']} not sent  ", "warn" if counts["not sent"] else "muted"),
            Piece(f"{counts['missed']} missed  ", "error" if counts["missed"] else "muted"),
            Piece(f"{counts['right']} right ", "text"),
        ]
    picked = sum(row.is_picked for row in rows)
    said = "none of them " if is_none else f"{picked} picked "
    return [Piece("your prediction: ", "muted"), Piece(said, "bright")]


def pick_foot(rows: Sequence[PickRow]) -> Line:
    """Return what was picked, or what the signs mean."""
    if rows and rows[0].verdict is not None:
        return [
            Piece(f"{PASSED.text('right')}  ", "text"),
            Piece("✗ missed  ", "error"),
            Piece("+ not sent", "warn"),
        ]
    picked = [row for row in rows if row.is_picked]
    tokens = sum(row.tokens for row in picked)
    return [Piece(f"picked {plural(len(picked), 'message')}, {tokens:,} tokens", "muted")]


def naive_about(shown: ShownStep) -> Line:
    """Return how many messages a simpler rule would send."""
    rows = shown.naive_rows()
    kept = sum(row.is_kept for row in rows)
    return [Piece(f"{kept:,} ", "bright")] if rows else []


def timeline_about(shown: ShownStep) -> Line:
    """Return how many batches there are, and what is still to come."""
    if shown.pending:
        return [Piece("not applied yet ", "muted")]
    return [Piece(f"{plural(len(shown.conversation.batches), 'batch', 'batches')} ", "muted")]


def arrays_about(*, is_covered: bool) -> Line:
    """Return whether the arrays are as they are, or covered."""
    return [Piece("covered " if is_covered else "live ", "muted")]
