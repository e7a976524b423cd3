"""Hypothesis profiles: how many examples a property is tried on, and how long a life is.

`default` is quick and repeatable, for `make test`; `make test-slow` takes `full`, which repeats its
examples as well. `HYPOTHESIS_PROFILE=deep make test` hunts for hours, and `make mutants` has a
profile of its own.
"""

import os

from hypothesis import HealthCheck, Phase, settings

# Limits measured in seconds would make the outcome depend on how busy the machine is.
COMMON = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

settings.register_profile(
    "default", COMMON, max_examples=16, stateful_step_count=30, derandomize=True
)
settings.register_profile("full", COMMON, max_examples=60, stateful_step_count=30, derandomize=True)
settings.register_profile(
    "deep", COMMON, max_examples=5_000, stateful_step_count=100, print_blob=True
)
# For mutation testing: that something fails is all that has to be found, thousands of times.
settings.register_profile(
    "mutants",
    COMMON,
    max_examples=25,
    stateful_step_count=20,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def examples(times: float) -> settings:
    """Return settings for so many times the examples of the profile."""
    return settings(max_examples=max(1, round(times * settings().max_examples)))
