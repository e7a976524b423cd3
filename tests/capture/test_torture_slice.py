"""A slice of the torture: a proxy is killed under load, again and again."""

from __future__ import annotations

import os

import pytest

from tests.torture import capture_kills

KILLS = int(os.environ.get("CTXTUI_CAPTURE_KILLS", "10"))


@pytest.mark.slow
def test_no_kill_of_a_proxy_loses_or_doubles_a_finished_call() -> None:
    report = capture_kills.run(KILLS, seed=15)
    assert report.failures == []
