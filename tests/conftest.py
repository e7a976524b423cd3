"""Hypothesis profiles: a quick and repeatable one for every run, a deep one for long hunts.

`HYPOTHESIS_PROFILE=deep make test` picks the second; `make mutants` has one of its own.
"""

import gc
import os

from hypothesis import HealthCheck, Phase, settings

# Every app that a test starts is a large web of objects; looking through it again and again for
# garbage took up to a third of the time of such a test.
gc.set_threshold(50_000, 50, 50)

# Limits measured in seconds would make the outcome depend on how busy the machine is.
settings.register_profile(
    "default",
    max_examples=60,
    stateful_step_count=30,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "deep",
    max_examples=5_000,
    stateful_step_count=100,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)
# For mutation testing: that something fails is all that has to be found, thousands of times.
settings.register_profile(
    "mutants",
    max_examples=25,
    stateful_step_count=20,
    derandomize=True,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

pytest_plugins = ["tests.settling", "tests.style_sheets"]
