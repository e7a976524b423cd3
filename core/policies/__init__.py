"""Policies over a run: when context is managed, how, and what that would have meant.

Start with ``policy.py`` (a policy, and the ``before_call`` that an agent's loop needs) and
``stages.py`` (when it acts). ``runs.py`` finds out what was said and when the model was called,
``simulation.py`` lets that come again under a policy, ``recorded.py`` is what really was sent, and
``figures.py`` what is told of each. ``sweeps.py`` compares a family of settings.
"""

from .figures import CallFigures, PolicyFigures, Prices
from .policy import Acted, Policy, RefusedStage

__all__ = ["Acted", "CallFigures", "Policy", "PolicyFigures", "Prices", "RefusedStage"]
