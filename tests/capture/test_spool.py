"""What is finished is in the spool until its session is safe, and nowhere twice."""

from __future__ import annotations

import asyncio
import errno
import json
from collections.abc import Callable
from math import inf
from pathlib import Path
from threading import Event, Thread, current_thread, main_thread
from typing import Any

import pytest

from ctxtui.capture.calls import CapturedCall
from ctxtui.capture.keeper import CaptureEvent, Keeper, SpooledCall, SpoolProblem, StoredCall
from ctxtui.capture.proxy import StreamEnd
from ctxtui.core.errors import Refused
from ctxtui.core.requests.exchange import Kind
from ctxtui.core.storage import CrashSpool, Library, SpoolEntry
from tests.capture import streams
from tests.capture.conftest import CHAT, Rig, asking, nothing_recorded
from tests.capture.provider import event, streamed, whole
from tests.capture.spooled import slips
from tests.capture.test_recording import call

REPLIES: dict[str, Callable[[], Any]] = {
    "in one piece": lambda: whole({"choices": []}),
    "streamed": lambda: streamed(streams.chat(["one ", "two"])),
    "refused": lambda: whole({"error": {"message": "no"}}, status=400),
}


@pytest.mark.parametrize("name", REPLIES)
async def test_a_call_is_in_the_spool_when_its_client_has_the_end(
    rig: Rig, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig.server.answering = lambda came: REPLIES[name]()
    with nothing_recorded(monkeypatch):
        await rig.ask(json=asking("first"))
        (path,) = slips(rig.library.folder)
        head, *_, last = map(json.loads, path.read_bytes().splitlines())
    assert head["request"]["messages"][0]["content"] == "first"
    assert last["outcome"] == ("failed" if name == "refused" else "complete")
    await rig.until(1)
    assert slips(rig.library.folder) == []


async def test_the_last_event_is_passed_on_only_when_the_call_is_safe(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    pieces, gate = streams.chat(["one ", "two"]), asyncio.Event()
    rig.server.answering = lambda came: streamed([*pieces, b": the end is near\n\n"], gate=gate)
    with nothing_recorded(monkeypatch):
        async with rig.client.post(rig.address + CHAT, json=asking()) as answer:
            seen = b""
            while b"[DONE]" not in seen:
                seen += await answer.content.readany()
            (path,) = slips(rig.library.folder)
            last = json.loads(path.read_bytes().splitlines()[-1])
            gate.set()
    assert last["outcome"] == "complete"
    assert last["response"]["choices"][0]["message"]["content"] == "one two"


async def test_a_call_that_nobody_answers_is_in_the_spool_too(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rig.proxy._upstreams.__class__, "address", lambda *_: "http://127.0.0.1:1")
    with nothing_recorded(monkeypatch):
        answer, _ = await rig.ask()
        assert len(slips(rig.library.folder)) == 1
    assert answer.status == 502


@pytest.mark.parametrize("step", [(CrashSpool, "begin"), (SpoolEntry, "add")], ids=["begin", "add"])
async def test_a_spool_that_cannot_be_written_harms_no_call(
    rig: Rig, monkeypatch: pytest.MonkeyPatch, step: tuple[type, str]
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(step[0], step[1], full)
    for number in range(3):
        answer, _ = await rig.ask(json=asking(f"question {number}"))
        assert answer.status == 200
    await rig.until(4)
    warned = [one for one in rig.told if isinstance(one, SpoolProblem)]
    assert [one.reason for one in warned] == ["the disk is full"]
    assert len(rig.kept) == 3
    assert slips(rig.library.folder) == []


async def test_a_call_that_cannot_be_put_down_stops_no_other(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as broken:
        broken.setattr("ctxtui.capture.keeper.read_answer", failing)
        answer, _ = await rig.ask()
        await rig.until(1)
    assert answer.status == 200
    assert rig.lost[0].reason == "the recorder failed with ZeroDivisionError"
    await rig.ask()
    await rig.until(2)
    assert len(rig.kept) == 1


async def test_a_disk_that_was_slow_once_is_left_to_other_threads(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[Thread] = []
    add = SpoolEntry.add

    def noting(*given: Any) -> None:
        threads.append(current_thread())
        add(*given)

    await rig.ask()
    monkeypatch.setattr(SpoolEntry, "add", noting)
    monkeypatch.setattr("ctxtui.capture.keeper.SLOW", inf)
    rig.keeper._slow_until = 0.0
    await rig.ask()
    assert {*threads} == {main_thread()}
    monkeypatch.setattr("ctxtui.capture.keeper.SLOW", -1.0)
    monkeypatch.setattr("ctxtui.capture.keeper.SLOW_FOR", inf)
    await rig.ask()
    threads.clear()
    await rig.ask()
    assert main_thread() not in threads
    assert threads


async def test_a_disk_that_hangs_stops_no_call(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctxtui.capture.proxy.LONGEST_WAIT", 0.01)
    rig.keeper._slow_until = inf
    gate, add = Event(), SpoolEntry.add

    def hanging(*given: Any) -> None:
        gate.wait()
        add(*given)

    monkeypatch.setattr(SpoolEntry, "add", hanging)
    answer, _ = await rig.ask()
    assert answer.status == 200
    gate.set()
    await rig.until(1)
    assert len(rig.kept) == 1


def test_with_neither_spool_nor_memory_a_call_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(CrashSpool, "begin", full)
    warned: list[str] = []
    noted = SpooledCall(call("one"), Library(tmp_path).spool, warned.append)
    noted.finish(noted.call.answered.content)
    noted.unload()
    with pytest.raises(Refused, match="more calls come than can be recorded"):
        noted.exchange()
    assert warned == ["the disk is full"]


ENDS: dict[str, tuple[Kind, bytes, bytes]] = {
    "chat": ("chat", b'"finish_reason":null}]}\n\n', b"data: [DONE]\n\n"),
    "chat reason": ("chat", b'"finish_reason": null', b'"finish_reason": "stop"'),
    "chat text": ("chat", event({"content": "data: [DONE]"}), b"\ndata: [DONE]"),
    "responses": ("responses", b'"type":"response.created"', b'"type":"response.completed"'),
    "messages": ("messages", b'"type":"message_delta"', b'"type": "message_stop"'),
    "gemini": ("gemini", b'"finishReason":null', b'"finishReason": "STOP"'),
    "ollama": ("ollama", b'"done":false', b'"done": true'),
}


@pytest.mark.parametrize("name", ENDS)
def test_the_end_of_a_stream_is_seen_also_when_it_is_torn(name: str) -> None:
    kind, before, end = ENDS[name]
    assert not StreamEnd(kind, None).is_in(before)
    for place in range(len(end)):
        ending = StreamEnd(kind, None)
        ending.is_in(before)
        assert ending.is_in(end[:place]) or ending.is_in(end[place:])


def test_an_answer_of_known_length_ends_with_its_last_byte() -> None:
    ending = StreamEnd("chat", "10")
    assert [ending.is_in(b"12345"), ending.is_in(b"1234"), ending.is_in(b"5")] == [
        *(False, False, True),
    ]


def test_a_call_that_cannot_be_written_as_json_is_no_trouble(tmp_path: Path) -> None:
    told: list[CaptureEvent] = []
    keeper = Keeper(Library(tmp_path), told.append)
    made = CapturedCall("chat", CHAT, {}, 1_000, "run")
    made.asked.add(b'{"messages":[{"role":"user","content":"\\ud800"}],"n":' + b"9" * 400 + b"}")
    made.status = 200
    made.answered.add(b'{"choices":[],"x":"\\udc00"}')
    keeper.take(made)
    keeper.close()
    (kept,) = told
    assert isinstance(kept, StoredCall)
    assert kept.exchange.request["n"] == int("9" * 400)
    assert kept.exchange.request["messages"][0]["content"] == "\ud800"
