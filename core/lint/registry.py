"""All rules, by profile and by id."""

from __future__ import annotations

from ..settings import PROFILES
from ..values.models import read_choice
from . import generic, limits, providers, training
from .rule import Rule

RULES: tuple[Rule, ...] = (*generic.RULES, *providers.RULES, *training.RULES, *limits.RULES)
"""Every rule, in the order in which rules are listed."""

_BY_ID = {rule.id: rule for rule in RULES}
_BY_PROFILE = {name: tuple(rule for rule in RULES if name in rule.profiles) for name in PROFILES}


def profile_rules(profile: str) -> tuple[Rule, ...]:
    """Return the rules of a profile, or refuse one that is unknown."""
    return _BY_PROFILE[read_choice(profile, "profile", PROFILES)]


def rule_named(id: str) -> Rule:
    """Return the rule of an id, or refuse one that is unknown."""
    return _BY_ID[read_choice(id, "rule", tuple(_BY_ID))]
