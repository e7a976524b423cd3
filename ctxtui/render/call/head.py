"""The head of the call screen: which call it is, and how it went."""

from __future__ import annotations

from ctxtui.core.engine.calls import Outcome
from ctxtui.models.call_sheet import CallSheet
from ctxtui.render.text.choosing import longest
from ctxtui.render.text.lines import Line, Piece
from ctxtui.render.text.severity import ERROR, PASSED, WARNING, Sign
from ctxtui.render.text.times import time_of_day
from ctxtui.symbols import visible
from ctxtui.words import plural

MODEL_CHARACTERS = 30
SIGNS: dict[Outcome, Sign] = {"complete": PASSED, "cut": WARNING, "failed": ERROR}
OTHERS = [Piece("← →", "key"), Piece(" other calls ", "muted")]


def head_line(sheet: CallSheet, live: str, width: int, *, has_keys: bool = True) -> Line:
    """Return which call it is, its model, when it was, its outcome and its size.

    ``live`` says of a session that somebody else writes what has come since; keys are told only
    where there are some.
    """
    call, sent = sheet.one.call, len(sheet.one.view)
    usage = call.usage
    first = [Piece(f" CALL {sheet.number:,}", "bright"), Piece(f" of {sheet.count:,}", "muted")]
    model = [Piece(f"   {visible(call.model, MODEL_CHARACTERS)}", "text")] if call.model else []
    when = [Piece(f"   {time_of_day(call.time)}", "muted")]
    sign = SIGNS[call.outcome]
    outcome = [Piece(f"   {sign.text(call.outcome)}", sign.kind)]
    count = [
        Piece(f"   {sent:,}", "bright"),
        Piece(f" {plural(sent, 'message').split()[-1]}", "muted"),
    ]
    figures: Line = []
    if usage is not None and usage.input is not None:
        figures += [Piece(f"   {usage.input:,}", "bright"), Piece(" tokens in", "muted")]
    else:
        figures += [Piece(f"   ~{sheet.cache.total:,}", "bright"), Piece(" tokens in", "muted")]
    if usage is not None and usage.output is not None:
        figures += [Piece(f"   {usage.output:,}", "bright"), Piece(" out", "muted")]
    news = [Piece(f"{live}   ", "ok")] if live else []
    whole = [*first, *model, *when, *outcome, *count, *figures]
    ways: tuple[tuple[Line, Line], ...] = (
        (whole, [*news, *(OTHERS if has_keys else [])]),
        (whole, news),
        ([*first, *model, *outcome, *count, *figures], news),
        ([*first, *outcome, *count, *figures], []),
        ([*first, *outcome, *figures], []),
    )
    return longest(ways, width)
