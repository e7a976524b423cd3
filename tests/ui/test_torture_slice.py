"""A short slice of the tortures that otherwise run for minutes."""

from __future__ import annotations

from tests.torture.keys import run


def test_random_keys_break_nothing() -> None:
    report = run(100, 7)
    assert (report.tried, report.failures) == (100, [])
