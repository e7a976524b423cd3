"""Mending recorded conversations: merged or split, every call is still exactly what was sent."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import Conversation, Refused
from ctxtui.core.formats.bodies import BodyReader, rewritten
from ctxtui.core.formats.merge_threads import merge_threads, split_thread
from ctxtui.core.requests.bodies import loose_key
from ctxtui.core.requests.exchange import Exchange
from ctxtui.core.requests.recording import Recorder
from ctxtui.core.values.frozen import same_json
from tests.core.requests.managers import Run
from tests.core.requests.traffic import RECORDINGS, chat, exchange_of, recorded, said


def conversations(exchanges: list[Exchange]) -> list[Conversation]:
    """Return the conversation of each thread that some exchanges make."""
    recorder = Recorder(BodyReader(), clock=lambda: 1_000)
    for exchange in exchanges:
        recorder.record(exchange)
    found = (recorder.conversation(thread.id) for thread in recorder.threads)
    return [one for one in found if one is not None]


def bodies(*talks: Conversation) -> list[Any]:
    """Return all that was sent in some conversations, in the order of time."""
    every = [one for talk in talks for one in rewritten(talk)]
    return [one.body for one in sorted(every, key=lambda one: (one.call.time, one.wire["number"]))]


def must_hold(talk: Conversation) -> None:
    """Check that a conversation is sound, and that each call's projection is its request."""
    assert talk.check() == []
    for call, body, wire, _ in rewritten(talk):
        if not wire.get("carried"):
            asked = BodyReader().parse_request(Exchange(body, kind=wire.get("kind", "chat")))
            shown = talk.at(call.revision).visible
            assert [loose_key(one) for one in shown] == [one.loose for one in asked.sent]


def all_same(some: list[Any], others: list[Any]) -> bool:
    return len(some) == len(others) and all(map(same_json, some, others))


def explained(talk: Conversation) -> list[str]:
    """Return how sure each summary of a conversation is."""
    wires: list[Any] = [call.wire for call in talk.calls.all]
    told = (one for wire in wires for one in wire["explained"])
    return [one["certainty"] for one in told if one["operation"] == "COMPRESS"]


@given(st.integers(0, 10_000))
def test_two_threads_become_one_and_every_call_is_what_was_sent(seed: int) -> None:
    chance = Random(seed)
    runs = [Run(Random(chance.random()), name) for name in ("red", "blue")]
    sent = [replace(chance.choice(runs).turn(), time=1_000 + at // 2, tag=None) for at in range(12)]
    tagged = [
        replace(one, tag="red" if "red" in str(one.request["messages"][0]) else "blue")
        for one in sent
    ]
    talks = conversations(tagged)
    if len(talks) < 2:
        return
    made = merge_threads(talks[0], talks[1:])
    must_hold(made)
    assert all_same(bodies(made), bodies(*talks))
    assert [call.time for call in made.calls.all] == sorted(
        call.time for talk in talks for call in talk.calls.all
    )


@pytest.mark.parametrize("name", RECORDINGS)
def test_a_recording_that_is_split_and_merged_says_the_same(name: str) -> None:
    talks = conversations([exchange_of(one) for one in recorded(name)])
    for place, talk in enumerate(talks):
        size = len(talk.calls.all)
        if size < 2:
            continue
        beside = [one for at, one in enumerate(talks) if at != place]
        first, second = split_thread(talk, size // 2, beside)
        for part in (first, second):
            must_hold(part)
        assert (len(first.calls.all), len(second.calls.all)) == (size // 2, size - size // 2)
        assert all_same([*bodies(first), *bodies(second)], bodies(talk))
        again = merge_threads(first, [second], beside)
        must_hold(again)
        assert all_same(bodies(again), bodies(talk))
        assert len(again.visible) == len(talk.visible)


def test_what_a_side_call_proved_stays_proven() -> None:
    talks = conversations([exchange_of(one) for one in recorded("lc_summarize")])
    talk = max(talks, key=lambda one: len(one.calls.all))
    beside = [one for one in talks if one is not talk]
    assert "proven" in explained(talk)
    first, second = split_thread(talk, 1, beside)
    assert explained(first) + explained(second) == explained(talk)
    alone = split_thread(talk, 1)
    assert "proven" not in explained(alone[1])


def test_settings_and_names_stay() -> None:
    talk = conversations(_talk("How much was it in March?"))[0]
    talk.execute({"operation": "CONFIGURE", "tokenLimit": 700})
    first, second = split_thread(talk, 1)
    assert first.settings.token_limit == second.settings.token_limit == 700
    assert first.meta["title"] == talk.meta["title"]


def _talk(text: str, kind: str = "chat") -> list[Exchange]:
    rows = [said("user", text)]
    more = [*rows, said("assistant", "It was a lot."), said("user", "And then?")]
    if kind == "chat":
        return [chat(*rows, tag=text), chat(*more, tag=text)]
    return [Exchange({"model": "m", "max_tokens": 9, "messages": rows}, kind="messages", tag=text)]


def test_what_can_not_be_mended_is_refused_in_a_sentence() -> None:
    talk = conversations(_talk("March?"))[0]
    other = conversations(_talk("April?", "messages"))[0]
    empty = Conversation([said("user", "hello")])
    for call in (0, 2, -1):
        with pytest.raises(Refused, match=r"call -?\d is outside 1…1"):
            split_thread(talk, call)
    with pytest.raises(Refused, match="no call is recorded in 'untitled'"):
        merge_threads(talk, [empty])
    with pytest.raises(Refused, match="'April\\?' is of the kind messages, 'March\\?' of chat"):
        merge_threads(talk, [other])
    with pytest.raises(Refused, match="nothing to merge"):
        merge_threads(talk, [])


def test_calls_that_nobody_read_from_a_body_are_mended_too() -> None:
    talk = Conversation([said("user", "hello")])
    odd = {"kind": 7, "path": [], "headers": "x", "status": "y", "number": None, "envelope": 1}
    talk.record_call(model="m", wire=odd, answer=[1], time=5)
    talk.execute({"operation": "APPEND", "messages": [said("user", "more")]})
    talk.record_call(model="m", time=4)
    first, second = split_thread(talk, 1)
    assert [one.text for one in first.visible] == ["hello"]
    assert [one.text for one in second.visible] == ["hello", "more"]
