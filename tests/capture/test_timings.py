"""How long an answer took is measured by the proxy, kept with the call, and told with it."""

from __future__ import annotations

import json
from itertools import count
from typing import Any

import pytest

from ctxtui.calls.models.call import Took, took
from ctxtui.core import Conversation
from ctxtui.core.formats import Source, load
from ctxtui.core.formats.bodies import rewritten
from ctxtui.core.formats.requests import write_exchange
from ctxtui.watch.drawing import explained_lines
from ctxtui.watch.models import ThreadCalls, WatchedSheet
from tests.capture import streams
from tests.capture.conftest import Rig
from tests.capture.provider import streamed
from tests.capture.test_har import STREAMS, call_in, har
from tests.ui.test_call_models import sheet

TICK = 100


def timed(wait: Any, receive: Any) -> dict[str, Any]:
    return {"envelope": {"timings": {"wait": wait, "receive": receive}}}


async def test_the_proxy_measures_when_an_answer_begins_and_ends(rig: Rig) -> None:
    ticks = count(0, TICK)
    rig.proxy._clock = lambda: next(ticks)
    rig.server.answering = lambda came: streamed(streams.chat(["one ", "two ", "three"]))
    await rig.ask()
    await rig.until(1)
    (call,) = rig.conversation().calls.all
    found = took(call)
    assert call.time == 0
    assert found is not None
    assert found.first == TICK
    assert found.whole == next(ticks) - TICK


async def test_what_was_measured_is_written_with_requests_and_read_again(rig: Rig) -> None:
    await rig.ask()
    await rig.until(1)
    conversation = rig.conversation()
    again = load(Source.of_text(written(conversation)), "requests").conversation
    assert took(conversation.calls[0]) is not None
    assert took(again.calls[0]) == took(conversation.calls[0])


def written(conversation: Conversation) -> str:
    return "".join(json.dumps(write_exchange(*one[:3])) + "\n" for one in rewritten(conversation))


def test_a_har_file_says_it_too() -> None:
    timings = {"send": 1, "wait": 400.4, "receive": 2_000.2}
    source = har("chat", {"text": STREAMS["chat"].decode()}, timings=timings)
    assert took(call_in(source)) == Took(400, 2_400)


@pytest.mark.parametrize("wait", ["1", None, -1, []])
def test_times_that_are_none_are_passed_over(wait: Any) -> None:
    conversation = Conversation()
    conversation.record_call(wire=timed(wait, 1))
    assert took(conversation.calls[0]) is None


def test_the_call_is_told_with_how_long_it_took() -> None:
    conversation = Conversation([{"role": "user", "content": "hello"}], clock=lambda: 0)
    conversation.record_call(wire=timed(400, 100))
    conversation.record_call(wire=timed(2_300, 600))
    rows = {row.name: row.now for row in sheet(2, conversation).request}
    assert (rows["first byte"], rows["took"]) == ("after 2.3 s", "2.9 s")
    story = ThreadCalls(conversation)
    story.catch_up()
    watched = WatchedSheet(story.calls[1])
    drawn = "\n".join(
        "".join(one.text for one in line) for line in explained_lines(watched, None, 80)
    )
    assert "took     0.4 s → 2.3 s to the first byte, 2.9 s in all" in drawn
