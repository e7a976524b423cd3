"""Proofs that a message stands for others: it holds an answer, or a provider says so."""

from __future__ import annotations

from collections.abc import Sequence

from ..messages.message import Message
from ..messages.parts import DataPart
from .asked import Sent
from .lanes import Lane
from .quoting import Quoted, Unclaimed
from .track import Track

COMPACTIONS = ("compaction", "compaction_summary")
"""Types of data that a provider puts in the place of messages."""


def proofs(
    track: Track, sent: Sequence[Sent], unclaimed: Unclaimed, lanes: Sequence[Lane]
) -> dict[int, str]:
    """Return for each new message that must be a summary what proves it."""
    found = {}
    start = track.memory.shared(sent)
    for place, one in enumerate(sent[start:], start):
        if track.memory.holds(one.key):
            continue
        said = _proof(track, one.message, unclaimed, lanes)
        if said is not None:
            found[place] = said
    return found


def _proof(
    track: Track, message: Message, unclaimed: Unclaimed, lanes: Sequence[Lane]
) -> str | None:
    if any(_is_compaction(part) for part in message.parts):
        return "which the provider made of them"
    if message.role == "tool" or message.calls or message.results:
        return None
    here = track.lane.id
    for quoted in unclaimed.quoted_in(message.text):
        # What the assistant said last in a lane comes back as its message: that is no summary.
        if message.role != "assistant" or quoted.lane != here:
            return f"which holds the answer of {_name(quoted, here, lanes)}"
    return None


def _is_compaction(part: object) -> bool:
    return isinstance(part, DataPart) and part.data.get("type") in COMPACTIONS


def _name(quoted: Quoted, here: int, lanes: Sequence[Lane]) -> str:
    number = quoted.call + 1
    if quoted.lane == here:
        return f"call {number}"
    lane = lanes[quoted.lane]
    where = lane.name if lane.parent != here else f"its {lane.name}"
    return f"call {number} of {where}"
