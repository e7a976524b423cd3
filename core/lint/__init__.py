"""Lint: what makes a projection invalid for a provider."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from core.history.state import State
from core.lint import generic, providers
from core.lint.findings import Finding
from core.lint.projection import Projection
from core.settings import PROFILES
from core.values.models import read_choice

Rule = Callable[[Projection], Iterator[Finding]]

EXTRA: dict[str, tuple[Rule, ...]] = {
    "generic": (),
    "openai": (providers.o1,),
    "anthropic": (
        providers.a1,
        providers.a2,
        providers.a3,
        providers.a4,
        providers.a6,
        providers.a7,
        providers.a8,
    ),
    "gemini": (providers.m1, providers.m3, providers.m4),
    "strict-template": (providers.t1, providers.t2, providers.t3),
    "fine-tuning": (providers.f1, providers.f2, providers.f3),
}
"""What each profile adds to the rules all share."""


def lint_state(state: State, profile: str | None = None) -> list[Finding]:
    """Return the findings of a profile about what is visible, from top to bottom."""
    own = state.head.settings.profile
    name = read_choice(own if profile is None else profile, "profile", PROFILES)
    if not state.current.log_size:
        return []  # Nothing was said yet: that is no fault.
    projection = Projection(state.log, state.view)
    found = [*_over_limit(state)]
    for rule in (*generic.RULES, *EXTRA[name]):
        found += rule(projection)
    return sorted(found, key=lambda one: -1 if one.position is None else one.position)


def _over_limit(state: State) -> Iterator[Finding]:
    limit, tokens = state.head.settings.token_limit, state.total(state.current)
    if limit is not None and tokens > limit:
        sentence = f"{tokens:,} tokens are above the limit of {limit:,}."
        yield Finding("G9", "warning", None, None, sentence)
