"""Calls as ticks, with the signs of the diff for what a prompt cache served, and in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ctxtui.calls.models.call import MOSTLY, RecordedCall
from ctxtui.core.engine.calls import Call
from ctxtui.text.icons import CACHED_BLOCK
from ctxtui.text.lines import Line, Piece, joined
from ctxtui.text.numbers import tokens
from ctxtui.text.plots import RESENT_BLOCK
from ctxtui.text.ribbon import ABSENT

if TYPE_CHECKING:
    from ctxtui.core import Seen

UNMEASURED = "╷"
SEEN_ALL, SEEN_UNKNOWN = "all", "unknown"
USAGE_WORDS = {"input": "in", "cached": "cached", "written": "written", "output": "out"}


def call_ticks(calls: Sequence[RecordedCall], cells: int) -> Line:
    """Return a tick for each call; where they don't fit, how many there are and the newest."""
    if not calls:
        return [Piece(ABSENT, "faint")]
    lead = "" if len(calls) <= cells else f"{tokens(len(calls))} "
    ticks = [call_tick(call) for call in calls[len(calls) - min(len(calls), cells - len(lead)) :]]
    return [Piece(lead), *joined(ticks)] if lead else joined(ticks)


def call_tick(one: RecordedCall, cached: str = CACHED_BLOCK, again: str = RESENT_BLOCK) -> Piece:
    """Return whether a call was mostly cached, where that was measured; red if it broke a cache."""
    call, share = one.call, one.share
    if call.outcome != "complete":
        return Piece(UNMEASURED, "warn")
    if share is None:
        return Piece(UNMEASURED, "error" if one.is_broken else "muted")
    kind = "error" if one.is_broken else "ok" if share >= MOSTLY else "muted"
    return Piece(cached if share >= MOSTLY else again, kind)


def call_words(call: Call) -> str:
    """Return what a provider counted for a call, and whether the call broke off; or nothing."""
    usage = {} if call.usage is None else call.usage.to_dict()
    said = [f"{usage[name]:,} {word}" for name, word in USAGE_WORDS.items() if name in usage]
    return ", ".join(said if call.outcome == "complete" else [*said, call.outcome])


def seen_words(seen: Seen) -> str:
    """Return in a few words how what the model saw differs from what was sent."""
    if seen.certainty == "unknown":
        return SEEN_UNKNOWN
    if seen.purpose in ("compact", "refused"):
        return {"compact": "summarised", "refused": "refused"}[seen.purpose]
    hidden, cleared = len(seen.hidden), len(seen.cleared)
    said = [f"\N{MINUS SIGN}{hidden:,}"] if hidden else []
    if cleared:
        said.append(f"\N{MINUS SIGN}{cleared:,} {'result' if cleared == 1 else 'results'}")
    if seen.before == "known":
        said.append("+ stored")
    words = ", ".join(said) or SEEN_ALL
    return f"{words} ?" if seen.certainty == "likely" and said else words
