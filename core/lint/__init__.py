"""Lint: what makes a projection invalid for a provider.

Start with ``generic.py``: a rule is a function that yields its breaches, and one entry in the table
below the functions. To add one, write both; nothing else anywhere knows the rules by their ids.
``providers.py`` has the rules of single providers, ``training.py`` those of training data,
``limits.py`` those about the settings.
``rule.py`` says what an entry holds, ``registry.py`` has all of them, ``linting.py`` runs them.
``projection.py`` and ``pairing.py`` are what a check can ask; ``exchanges.py`` is for operations
that keep calls and results together.
"""

from .linting import RULES, lint_state, profile_rules, rule_named
from .rules import Rule

__all__ = ["RULES", "Rule", "lint_state", "profile_rules", "rule_named"]
