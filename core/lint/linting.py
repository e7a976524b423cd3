"""Linting: the rules of a profile over what is visible."""

from __future__ import annotations

from ..history.state import State
from .findings import Finding
from .projection import Projection
from .registry import profile_rules


def lint_state(state: State, profile: str | None = None) -> list[Finding]:
    """Return the findings of a profile about what is visible, from top to bottom."""
    rules = profile_rules(state.head.settings.profile if profile is None else profile)
    if not state.current.log_size:  # Nothing was said yet: few mind that.
        rules = tuple(rule for rule in rules if rule.of_empty)
    projection = Projection(state)
    found: list[Finding] = []
    for rule in sorted(rules, key=lambda rule: not rule.leads):
        found += rule.findings(projection)
    return sorted(found, key=lambda one: -1 if one.position is None else one.position)
