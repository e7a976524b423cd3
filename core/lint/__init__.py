"""Lint: what makes a projection invalid for a provider.

Start with ``rules.py``: a rule is one decorated function. ``projection.py`` is what a check can
read, ``linting.py`` runs the rules. ``provider_edits.py`` has those about what a model did not see.
"""

from .linting import lint_state
from .provider_edits import SEEN_RULES, lint_seen
from .rules import RULES, Rule, profile_rules, rule_named

__all__ = ["RULES", "SEEN_RULES", "Rule", "lint_seen", "lint_state", "profile_rules", "rule_named"]
