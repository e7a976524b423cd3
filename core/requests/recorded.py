"""What recording one exchange gave: its lane, the operations that explain it, and its call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from core.conversation.conversation import Conversation
from core.errors import Refused
from core.operations import Operation
from core.requests.cache import Cache
from core.requests.change import Certainty
from core.requests.exchange import Outcome
from core.requests.finding import Evidence
from core.requests.lanes import Lane
from core.values.frozen import freeze

START = "START"


class Explanation(NamedTuple):
    """The name of an operation, one sentence that says why it is this one, and how sure it is."""

    operation: str
    reason: str
    certainty: Certainty

    def to_dict(self) -> dict[str, str]:
        """Return it as JSON-ready data."""
        return self._asdict()


@dataclass(frozen=True, slots=True)
class CallFacts:
    """What is kept of a call; the fields are those of ``Conversation.record_call``."""

    request: str | None
    model: str | None
    tools: tuple[Mapping[str, Any], ...] | None
    parameters: Mapping[str, Any]
    usage: Mapping[str, int] | None
    answer: Any
    wire: Mapping[str, Any]
    outcome: Outcome
    time: int | None


@dataclass(frozen=True, slots=True)
class Recorded:
    """One exchange in its lane: ``number`` counts all exchanges, ``call`` those of the lane.

    ``by`` is what told the lane. At ``revision`` the projection is what was sent.
    """

    number: int
    lane: Lane
    by: Evidence
    call: int
    revision: int
    operations: tuple[Operation, ...]
    explanations: tuple[Explanation, ...]
    cache: Cache
    facts: CallFacts


def note_call(conversation: Conversation, facts: CallFacts) -> None:
    """Keep a call with its conversation; what can't be kept, nested too deep, is left out."""
    conversation.record_call(
        request=facts.request or None,
        model=facts.model,
        tools=storable(facts.tools),
        parameters=storable(facts.parameters),
        usage=facts.usage,
        answer=storable(facts.answer),
        wire=storable(facts.wire),
        outcome=facts.outcome,
        time=facts.time,
    )


def storable(value: Any) -> Any:
    """Return a value frozen, or None where it is nested deeper than anything is kept."""
    try:
        return freeze(value, "call")
    except Refused:
        return None
