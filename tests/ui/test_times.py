"""Moments that no calendar has."""

from __future__ import annotations

import pytest

from ctxtui.text.numbers import time_of_day, to_the_minute, to_the_second

ODD = [10**17, 10**400, 253_402_300_800_000 * 2]


@pytest.mark.parametrize("stamp", ODD, ids=["far", "huge", "late"])
def test_a_moment_that_no_calendar_has_is_shown_as_its_number(stamp: int) -> None:
    for write in (time_of_day, to_the_minute, to_the_second):
        assert write(stamp) == f"{stamp} ms"


def test_a_moment_is_written_for_people() -> None:
    assert len(time_of_day(0)) == len("00:00:00")
    assert len(to_the_minute(0)) == len("1970-01-01 00:00")
    assert to_the_second(0).startswith(to_the_minute(0))
    for stamp in ODD:
        assert to_the_second(stamp) == f"{stamp} ms"
