"""A change: what was visible, what was sent, and the steps that lead from one to the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from ..messages.message import Message
from ..operations import Operation
from .asked import Sent
from .matching import Match

Certainty = Literal["proven", "likely"]


class Step(NamedTuple):
    """An operation, one sentence that says why it is this one, and how sure that is."""

    operation: Operation
    reason: str
    certainty: Certainty


@dataclass(frozen=True, slots=True)
class Change:
    """What was visible, what was sent, and what is known of the two.

    ``raws`` are those of the old messages. ``proofs`` say of new messages by which answer they are
    known to be a summary; ``copies`` which hidden message they are; ``fresh`` gives a new message
    as it goes into the log. From ``fence`` on all is new.
    """

    raws: Sequence[int]
    old: Sequence[Sent]
    new: Sequence[Sent]
    matches: Sequence[Match]
    fresh: Callable[[int], Message]
    proofs: Mapping[int, str] = field(default_factory=dict)
    copies: Mapping[int, int] = field(default_factory=dict)
    fence: int | None = None

    def raws_of(self, places: Sequence[int]) -> list[int]:
        """Return the raw indices of old messages."""
        return [self.raws[place] for place in places]
