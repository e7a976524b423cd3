"""Figures about tokens: what is visible now, and what providers have charged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ..history.call import CallUsage
from ..history.journal import Noted, Usage
from ..history.state import State
from ..messages.facts import UNCOUNTED
from ..tokens.counters import is_exact
from ..values.plain import Plain, Readers


@dataclass(frozen=True, slots=True)
class TokenTotal(Plain):
    """The visible tokens, by which counter, and how many parts it could not see."""

    total: int
    counter: str
    exact: bool
    not_counted: int


@dataclass(frozen=True, slots=True)
class UsageTotal(Plain):
    """What providers said the requests of this conversation cost, over its whole life."""

    READERS: ClassVar[Readers] = {
        "requests": lambda found: tuple(Usage.from_dict(one) for one in found)
    }

    requests: Sequence[Usage]
    prompt: int
    completion: int
    total: int


def token_total(state: State) -> TokenTotal:
    """Return the figures of what is visible."""
    unseen = state.log.with_flag(state.view, UNCOUNTED)
    return TokenTotal(
        state.total(state.current),
        state.counter,
        is_exact(state.counter),
        sum(state.log[raw].uncounted for raw in unseen),
    )


def usage_total(requests: Sequence[Usage]) -> UsageTotal:
    """Return the sums of recorded requests."""
    return UsageTotal(
        tuple(requests),
        sum(usage.prompt for usage in requests),
        sum(usage.completion for usage in requests),
        sum(usage.tokens for usage in requests),
    )


def charged(noted: Noted) -> Usage | None:
    """Return what a provider charged for a request; None for a call of which it said nothing."""
    if isinstance(noted, Usage):
        return noted
    if noted.usage is None or noted.usage == CallUsage():
        return None
    prompt, completion = noted.usage.input or 0, noted.usage.output or 0
    return Usage(prompt=prompt, completion=completion, request=noted.request)
