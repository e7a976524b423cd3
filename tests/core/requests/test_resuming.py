"""Threads of an earlier recorder go on as if there had been no end."""

import pytest

from ctxtui.core import Conversation
from ctxtui.core.engine.operations import Append
from ctxtui.core.formats.bodies import BodyReader, exchanges_of, rewritten
from ctxtui.core.requests.exchange import Exchange
from ctxtui.core.requests.recording import EarlierThread, Recorder
from ctxtui.core.requests.threads import Thread
from ctxtui.core.values.frozen import same_json
from tests.core.requests.checking import titles
from tests.core.requests.traffic import (
    RECORDINGS,
    answer,
    called,
    chat,
    exchange_of,
    recorded,
    result,
    said,
)


def past_of(recorder: Recorder, thread: int) -> EarlierThread | None:
    """Return a thread as it is on disk."""
    talk = recorder.conversation(thread)
    if talk is None:
        return None
    read = Conversation.from_dict(talk.to_dict())
    sides = (past_of(recorder, one.id) for one in recorder.threads if _is_beside(one, thread))
    beside = tuple(side for side in sides if side is not None)
    return EarlierThread(recorder.threads[thread], read, list(exchanges_of(read)), beside=beside)


def _is_beside(thread: Thread, other: int) -> bool:
    return thread.is_side and thread.parent == other


def restarted(recorder: Recorder) -> Recorder:
    """Return a recorder that knows the conversations of another."""
    new = Recorder(BodyReader(), clock=lambda: 1_000)
    for thread in recorder.threads:
        past = None if thread.is_side else past_of(recorder, thread.id)
        if past is not None:
            assert new.resume(past) is not None
    return new


def mains(recorder: Recorder) -> list[Conversation]:
    """Return the conversations of a recorder, without what was asked beside them."""
    talks = [recorder.conversation(one.id) for one in recorder.threads if not one.is_side]
    return [talk for talk in talks if talk is not None]


@pytest.mark.parametrize("name", RECORDINGS)
def test_a_recording_with_a_restart_after_each_request_is_the_same(name: str) -> None:
    straight = Recorder(BodyReader(), clock=lambda: 1_000)
    told = [titles(straight.record(exchange_of(record))) for record in recorded(name)]
    again, told_again = Recorder(BodyReader(), clock=lambda: 1_000), []
    for record in recorded(name):
        again = restarted(again)
        told_again.append(titles(again.record(exchange_of(record))))
    assert told_again == told
    assert [one.view for one in mains(again)] == [one.view for one in mains(straight)]
    for one, other in zip(mains(again), mains(straight), strict=True):
        assert list(one.log) == list(other.log)
        assert [call.revision for call in one.calls.all] == [
            call.revision for call in other.calls.all
        ]


@pytest.mark.parametrize("name", RECORDINGS)
def test_bodies_are_written_again_as_they_were_also_with_restarts(name: str) -> None:
    again = Recorder(BodyReader(), clock=lambda: 1_000)
    given: dict[int, list[Exchange]] = {}
    for record in recorded(name):
        again = restarted(again)
        exchange = exchange_of(record)
        found = again.record(exchange)
        if not found.thread.is_side:
            given.setdefault(found.thread.id, []).append(exchange)
    for thread, exchanges in given.items():
        talk = again.conversation(thread)
        assert talk is not None
        bodies = [one.body for one in rewritten(talk)][-len(exchanges) :]
        for body, exchange in zip(bodies, exchanges, strict=True):
            assert same_json(body, dict(exchange.request))


HI, HO = said("user", "look around, please"), called("call_1")


def begun() -> Recorder:
    recorder = Recorder(BodyReader(), clock=lambda: 1_000)
    recorder.record(chat(HI, response=answer(HO)))
    return recorder


def test_an_id_of_a_call_tells_where_it_goes_on() -> None:
    found = restarted(begun()).record(chat(HI, HO, result("call_1")))
    assert (found.by, found.call) == ("tool ids", 1)


def test_a_thread_that_was_changed_is_not_taken_up() -> None:
    past = past_of(begun(), 0)
    assert past is not None
    past.conversation.execute(Append(messages=[{"role": "user", "content": "mine"}]))
    recorder = Recorder(BodyReader(), clock=lambda: 1_000)
    assert recorder.resume(past) is None
    assert recorder.threads == ()


def test_calls_that_do_not_make_the_conversation_are_not_taken_up() -> None:
    past = past_of(begun(), 0)
    assert past is not None
    recorder = Recorder(BodyReader(), clock=lambda: 1_000)
    other = chat(said("user", "something else"))
    for exchanges in ([], [other], [other, other]):
        assert recorder.resume(past._replace(exchanges=exchanges)) is None
    assert recorder.threads == ()


def test_a_thread_that_does_not_wake_up_is_followed_by_a_new_one() -> None:
    past = past_of(begun(), 0)
    assert past is not None
    recorder = Recorder(BodyReader(), clock=lambda: 1_000)
    recorder.resume(past._replace(reopen=lambda: None))
    found = recorder.record(chat(HI, HO, result("call_1")))
    assert (found.thread.id, found.call) == (1, 0)
    again = recorder.record(chat(HI, HO, result("call_1"), said("user", "and now?")))
    assert (again.thread.id, again.call) == (1, 1)


def test_a_thread_wakes_up_once_with_the_conversation_it_is_given() -> None:
    past = past_of(begun(), 0)
    assert past is not None
    given = Conversation.from_dict(past.conversation.to_dict())
    asked: list[int] = []

    def wake() -> Conversation:
        asked.append(1)
        return given

    recorder = Recorder(BodyReader(), clock=lambda: 1_000)
    recorder.resume(past._replace(reopen=wake))
    for number in range(3):
        more = [said("user", f"more {n}") for n in range(number)]
        recorder.record(chat(HI, HO, result("call_1"), *more))
    assert asked == [1]
    assert recorder.conversation(0) is given
    assert len(given.calls.all) == 4


def test_earlier_threads_are_asked_for_only_where_a_new_one_would_begin() -> None:
    asked: list[int] = []
    past = past_of(begun(), 0)
    assert past is not None

    def earlier(_: object) -> list[EarlierThread]:
        asked.append(1)
        return [past] if len(asked) == 1 else []

    recorder = Recorder(BodyReader(), clock=lambda: 1_000, earlier=earlier)
    for number in range(3):
        more = [said("user", f"more {n}") for n in range(number)]
        assert recorder.record(chat(HI, HO, result("call_1"), *more)).call == number + 1
    assert asked == [1]
