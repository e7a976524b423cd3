"""Lint: what makes a projection invalid for a provider.

Start with ``rules.py``: a rule is one decorated function. ``projection.py`` is what a check can
read, ``linting.py`` runs the rules.
"""

from .linting import lint_state
from .rules import RULES, Rule, profile_rules, rule_named

__all__ = ["RULES", "Rule", "lint_state", "profile_rules", "rule_named"]
