"""What recording one exchange gave: its lane, the operations that explain it, and its call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..conversation.conversation import Conversation
from ..errors import Refused
from ..operations import Operation
from ..values.frozen import freeze
from .asked import PROMPT
from .cache import Cache
from .change import Certainty
from .exchange import Outcome
from .finding import Evidence
from .lanes import Lane
from .patches import Patch
from .taken import Taken

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

    request: str | None = None
    model: str | None = None
    tools: tuple[Mapping[str, Any], ...] | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    usage: Mapping[str, int] | None = None
    answer: Any = None
    wire: Mapping[str, Any] = field(default_factory=dict)
    outcome: Outcome = "complete"
    time: int | None = None


NOTHING_KEPT = CallFacts()


@dataclass(frozen=True, slots=True)
class Recorded:
    """One exchange in its lane: ``number`` counts all exchanges, ``call`` those of the lane.

    ``by`` is what told the lane. At ``revision`` the projection is what was sent; ``notices`` say
    what else is to be known of how it was written.
    """

    number: int
    lane: Lane
    by: Evidence
    call: int
    revision: int
    operations: tuple[Operation, ...]
    explanations: tuple[Explanation, ...]
    cache: Cache
    notices: tuple[str, ...] = ()
    facts: CallFacts = NOTHING_KEPT


def facts_of(taken: Taken, recorded: Recorded, patches: Mapping[str, Patch]) -> CallFacts:
    """Return what is kept of a call, with all that is needed to write its body again."""
    exchange, asked, answered = taken.exchange, taken.asked, taken.answered
    wire = {
        "kind": asked.kind,
        "id": exchange.id,
        "path": exchange.path,
        "headers": dict(exchange.headers),
        "status": exchange.status,
        "tag": exchange.tag,
        "envelope": exchange.envelope,
        "source": exchange.source,
        "form": dict(asked.form),
        "prompt": int(any(one.place == PROMPT for one in asked.sent[:1])),
        "carried": [taken.carried.start, taken.carried.stop] if taken.carried else None,
        "by": recorded.by,
        "explained": [one.to_dict() for one in recorded.explanations],
        "noticed": list(recorded.notices),
        "removed": exchange.removed.to_dict() if exchange.removed else None,
        "warnings": [dict(one) for one in exchange.warnings],
        "cache": recorded.cache.to_dict(),
    }
    told = {key: value for key, value in wire.items() if value}
    return CallFacts(
        request=None if answered is None else answered.id,
        model=asked.model,
        tools=asked.tools,
        parameters=asked.parameters,
        usage=None if answered is None else answered.usage,
        answer=exchange.response,
        wire={**told, "number": recorded.number, "rows": patches},
        outcome=exchange.outcome,
        time=exchange.time,
    )


def note_call(conversation: Conversation, facts: CallFacts) -> None:
    """Keep a call with its conversation; what is nested too deep to be kept is left out."""
    conversation.record_call(
        request=facts.request or None,
        model=facts.model,
        tools=storable(facts.tools),
        parameters=_storable_keys(facts.parameters),
        usage=facts.usage,
        answer=storable(facts.answer),
        wire=_storable_keys(facts.wire),
        outcome=facts.outcome,
        time=facts.time,
    )


def _storable_keys(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that can be kept; null is one of them."""
    frozen = ((key, value, storable(value, depth=1)) for key, value in values.items())
    return {key: kept for key, value, kept in frozen if kept is not None or value is None}


def storable(value: Any, depth: int = 0) -> Any:
    """Return a value frozen, or None where it is nested deeper than anything is kept.

    ``depth`` is how deep it will be kept itself.
    """
    try:
        return freeze(value, "call", depth)
    except Refused:
        return None
