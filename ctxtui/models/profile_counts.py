"""How many errors and warnings each profile finds: what another provider would say."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ctxtui.core.engine.settings import PROFILES
from ctxtui.core.engine.state import State
from ctxtui.core.lint import lint_state


class ProfileCount(NamedTuple):
    """The findings of one profile."""

    errors: int
    warnings: int


def count_profiles(
    state: State, tell: Callable[[str, ProfileCount], object], is_wanted: Callable[[], bool]
) -> None:
    """Lint a state by the rules of each profile and tell of every one; this may be in a thread."""
    for profile in PROFILES:
        if not is_wanted():
            return
        findings = lint_state(state, profile)
        errors = sum(finding.severity == "error" for finding in findings)
        tell(profile, ProfileCount(errors, len(findings) - errors))
