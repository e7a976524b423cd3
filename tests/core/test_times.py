"""Times are bounded wherever they come in, so that every one of them can be shown as a date."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from ctxtui.core import Conversation, Message, Refused
from ctxtui.core.engine.journal import Record
from ctxtui.core.formats import load
from ctxtui.core.values.times import LATEST
from tests.core.samples import facts, five, told

LEGAL = "0…253402214400000"
FAR = 10**17


def journal_with(time: Any) -> list[dict[str, Any]]:
    """Return a journal of two records, the second of which tells of this time."""
    conversation = five()
    conversation.append("user", "m5")
    records = told(conversation)
    records[1]["time"] = time
    return records


def first_record(time: int) -> Record:
    return five().journal[0]._replace(time=time)


ENTRANCES: dict[str, tuple[str, Callable[[int], Any]]] = {
    "a message": ("timestamp", lambda t: Message("user", "x", timestamp=t)),
    "a message as data": (
        "messages[0].timestamp",
        lambda t: Conversation([{"role": "user", "content": "x", "timestamp": t}]),
    ),
    "an appended message": (
        "messages[0].timestamp",
        lambda t: five().append("user", "x", timestamp=t),
    ),
    "the clock": ("clock", lambda t: Conversation(clock=lambda: t)),
    "a replayed journal": ("journal[1].time", lambda t: Conversation.replay(journal_with(t))),
    "a replayed record": ("journal[0].time", lambda t: Conversation.replay([first_record(t)])),
    "a native file": (
        "messages[0].timestamp",
        lambda t: load([{"role": "user", "content": "x", "timestamp": t}], "native"),
    ),
}


@pytest.mark.parametrize("way", ENTRANCES)
@pytest.mark.parametrize("time", [LATEST + 1, FAR, -1, 10**5000], ids=["just", "far", "-1", "huge"])
def test_a_time_no_date_can_show_is_refused(way: str, time: int) -> None:
    field, enter = ENTRANCES[way]
    with pytest.raises(Refused, match="milliseconds, up to the year 9999") as caught:
        enter(time)
    assert facts(caught.value) == (field, time, LEGAL)


@pytest.mark.parametrize("way", ENTRANCES)
def test_the_first_and_the_last_time_are_taken(way: str) -> None:
    for time in (0, LATEST):
        assert ENTRANCES[way][1](time) is not None


def test_a_clock_that_runs_too_far_is_refused_and_nothing_changes() -> None:
    times = iter([5, FAR, 6])
    conversation = Conversation(clock=lambda: next(times))
    with pytest.raises(Refused, match=f"clock {FAR} is outside {LEGAL}"):
        conversation.append("user", "x")
    assert len(conversation.log) == 0
    conversation.append("user", "x")
    assert conversation.current.time == 6


def test_every_time_zone_can_show_the_last_time() -> None:
    for hours in (-12, 0, 14):
        zone = timezone(timedelta(hours=hours))
        assert datetime.fromtimestamp(LATEST / 1000, zone).year == 9999
