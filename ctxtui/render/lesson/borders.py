"""What the borders of a lesson's panes say: what each shows, and what was picked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ctxtui.lessons.screen_words import say
from ctxtui.models.frame import Frame
from ctxtui.models.lesson_step import PickRow, ShownStep
from ctxtui.render.text.lines import Line, Piece
from ctxtui.render.text.severity import PASSED
from ctxtui.symbols import visible
from ctxtui.words import plural

MOST_TITLE = 50


def raw_about(frame: Frame, language: str) -> Line:
    """Return how many messages were ever added."""
    said = say("everything ever added", language)
    return [Piece(f"{said} ", "muted"), Piece(f"{frame.log_size:,} ", "bright")]


def visible_title(shown: ShownStep, language: str) -> str:
    """Return when what is sent is sent: before what comes is done, or after it."""
    if not shown.doing:
        return say("Visible", language)
    when = "Visible before {operation}" if shown.pending else "Visible after {operation}"
    return say(when, language, operation=_operation(shown))


def visible_about(frame: Frame, language: str) -> Line:
    """Return how many messages are sent, and how many were before."""
    now = Piece(f"{len(frame.view):,} ", "bright")
    if frame.is_still or frame.before is None:
        return [Piece(f"{say('what the model is sent', language)} ", "muted"), now]
    return [Piece(f"{len(frame.before.view):,} → ", "muted"), now]


def pick_title(shown: ShownStep, language: str) -> str:
    """Return what the rows are picked for."""
    asked = shown.player.question
    if asked is not None and asked.query is not None:
        return say("Which rows", language)
    if not shown.doing:
        return say("Visible", language)
    return say("Visible after {operation}", language, operation=_operation(shown))


def _operation(shown: ShownStep) -> str:
    last = shown.doing[-1]
    return visible(f"{last.name} {last.argument}".strip(), MOST_TITLE)


def pick_about(rows: Sequence[PickRow], language: str, *, is_none: bool) -> Line:
    """Return how much was picked, or how much of it was right."""
    if rows and rows[0].verdict is not None:
        counts = Counter(row.verdict for row in rows)
        extra, missed, right = (counts[one] for one in ("not sent", "missed", "right"))
        said = say("{count} not sent", language, count=extra)
        told = [Piece(f"{said}  ", "warn" if extra else "muted")]
        said = say("{count} missed", language, count=missed)
        told.append(Piece(f"{said}  ", "error" if missed else "muted"))
        return [*told, Piece(f"{say('{count} right', language, count=right)} ", "text")]
    picked = sum(row.is_picked for row in rows)
    said = "none of them" if is_none else "{count} picked"
    yours = Piece(say("your prediction: ", language), "muted")
    return [yours, Piece(f"{say(said, language, count=picked)} ", "bright")]


def pick_foot(rows: Sequence[PickRow], language: str) -> Line:
    """Return what was picked, or what the signs mean."""
    if rows and rows[0].verdict is not None:
        return [
            Piece(f"{PASSED.text(say('right', language))}  ", "text"),
            Piece(f"✗ {say('missed', language)}  ", "error"),
            Piece(f"+ {say('not sent', language)}", "warn"),
        ]
    picked = [row for row in rows if row.is_picked]
    said = say(
        "picked {messages}, {tokens} tokens",
        language,
        messages=plural(len(picked), "message"),
        count=len(picked),
        tokens=f"{sum(row.tokens for row in picked):,}",
    )
    return [Piece(said, "muted")]


def naive_about(shown: ShownStep) -> Line:
    """Return how many messages a simpler rule would send."""
    rows = shown.naive_rows()
    kept = sum(row.is_kept for row in rows)
    return [Piece(f"{kept:,} ", "bright")] if rows else []


def timeline_about(shown: ShownStep, language: str) -> Line:
    """Return how many batches there are, and what is still to come."""
    if shown.pending:
        return [Piece(f"{say('not applied yet', language)} ", "muted")]
    count = len(shown.conversation.batches)
    said = say("{batches}", language, batches=plural(count, "batch", "batches"), count=count)
    return [Piece(f"{said} ", "muted")]


def arrays_about(language: str, *, is_covered: bool) -> Line:
    """Return whether the arrays are as they are, or covered."""
    return [Piece(f"{say('covered' if is_covered else 'live', language)} ", "muted")]
