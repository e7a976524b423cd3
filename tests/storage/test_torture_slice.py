"""A short slice of each torture of the library; ``make torture`` does a thousand of each."""

from __future__ import annotations

import os

import pytest

from tests.torture import storage_kills, storage_power, storage_saboteur

SEED = 7
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


@pytest.mark.slow
@needs_fork
def test_nothing_confirmed_is_lost_to_kills() -> None:
    report = storage_kills.run(25, SEED)
    assert (report.tried, report.failures) == (25, [])


def test_nothing_confirmed_is_lost_to_power_cuts() -> None:
    report = storage_power.run(60, SEED)
    assert (report.tried, report.failures) == (60, [])


@pytest.mark.slow
@needs_fork
def test_nothing_confirmed_is_lost_to_a_saboteur() -> None:
    report = storage_saboteur.run(40, SEED)
    assert (report.tried, report.failures) == (40, [])
