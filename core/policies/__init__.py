"""Policies: when context is managed and how, and what that would mean for a run.

Start with ``policy.py`` (a policy, and the ``before_call`` that an agent's loop needs). ``runs.py``
finds the messages of a run and its calls, ``simulation.py`` simulates a policy or a sweep over it,
and ``figures.py`` has the figures of each.
"""

from .costs import Prices
from .figures import CallFigures, PolicyFigures
from .policy import Acted, Policy, RefusedStage

__all__ = ["Acted", "CallFigures", "Policy", "PolicyFigures", "Prices", "RefusedStage"]
