"""Finished calls become sessions of the library; nothing that goes wrong there reaches a call."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ctxtui.capture.calls import LONGEST, BodyCopy, CapturedCall
from ctxtui.capture.keeper import CaptureEvent, Keeper, StoredCall, UnrecordedCall
from ctxtui.capture.running import program_name
from ctxtui.core.storage import Library, NotSaved
from tests.capture import streams
from tests.capture.conftest import CHAT, Rig, asking
from tests.capture.provider import streamed, whole

ROOT = Path(__file__).parents[2]


def call(*texts: str) -> CapturedCall:
    """Return a finished call of the conversation called run."""
    made = CapturedCall("chat", CHAT, {}, 1_000, "run")
    messages = [{"role": "user", "content": text} for text in texts]
    made.asked.add(json.dumps({"model": "m", "messages": messages}).encode())
    made.status = 200
    made.answered.add(b"".join(streams.chat(["one"])))
    return made


async def test_a_run_is_one_session_with_a_call_for_each_request(rig: Rig) -> None:
    rig.server.answering = lambda came: streamed(streams.chat(["one ", "two"]))
    body = asking("first")
    for number in range(3):
        await rig.ask(json=body)
        await rig.until(number + 1)
        answer = {"role": "assistant", "content": "one two"}
        body["messages"] = [*body["messages"], answer, {"role": "user", "content": f"and {number}"}]
    assert len({kept.session for kept in rig.kept}) == 1
    conversation = rig.conversation()
    assert [call.outcome for call in conversation.calls] == ["complete"] * 3
    assert conversation.calls[0].usage is not None
    assert conversation.calls[0].usage.cached == 64
    assert [message.text for message in conversation.visible] == [
        *("first", "one two", "and 0", "one two", "and 1"),
    ]


async def test_a_name_in_front_of_the_path_keeps_conversations_apart(rig: Rig) -> None:
    for tag in ("red", "blue", "red"):
        await rig.ask(f"/{tag}{CHAT}")
    await rig.until(3)
    assert [came.path for came in rig.server.came] == [CHAT] * 3
    assert [kept.recorded.thread.name for kept in rig.kept] == ["red", "blue", "red"]
    assert {entry.title for entry in rig.library.list()} == {"red", "blue"}


async def test_a_failed_attempt_stands_beside_its_conversation(rig: Rig) -> None:
    replies = [whole({"error": {"message": "overloaded"}}, status=503), whole({"choices": []})]
    rig.server.answering = lambda came: replies[len(rig.server.came) - 1]
    await rig.ask(json=asking("try this"))
    await rig.ask(json=asking("try this"), headers={"x-stainless-retry-count": "1"})
    await rig.until(2)
    assert [kept.recorded.thread.role for kept in rig.kept] == ["attempts", "main"]
    assert {entry.title for entry in rig.library.list()} == {
        *("attempts that came to nothing: try this", "try this"),
    }


def finished(*rows: dict[str, Any], answer: dict[str, Any] | None = None) -> CapturedCall:
    """Return a finished call of nobody's conversation."""
    made = CapturedCall("chat", CHAT, {}, 1_000, None)
    made.asked.add(json.dumps({"model": "m", "messages": rows, "tools": TOOLS}).encode())
    made.status = 200
    message = answer or {"role": "assistant", "content": "It is in rates.csv, line 12, only."}
    made.answered.add(json.dumps({"id": "x", "choices": [{"message": message}]}).encode())
    made.answer_headers = {"content-type": "application/json"}
    return made


TOOLS = [{"type": "function", "function": {"name": "agent", "parameters": {}}}]


def test_each_session_knows_its_run_and_who_called_it(tmp_path: Path) -> None:
    """An agent is found out only when its answer comes back as the result of a call."""
    library = Library(tmp_path)
    keeper = Keeper(library, lambda _: None, program="books.py")
    function = {"name": "agent", "arguments": '{"task": 5}'}
    calls = [{"id": "c1", "type": "function", "function": function}]
    calling: dict[str, Any] = {"role": "assistant", "content": None, "tool_calls": calls}
    asked = {"role": "user", "content": "How much did we sell in March, all in all?"}
    keeper.take(finished(asked, answer=calling))
    keeper.take(finished({"role": "user", "content": "Find the rate."}))
    found = "It is in rates.csv, line 12, only."
    keeper.take(finished(asked, calling, {"role": "tool", "tool_call_id": "c1", "content": found}))
    keeper.close()
    opened = [library.open(entry.id, read_only=True) for entry in library.list()]
    places = sorted(place for one in opened if (place := one.details.thread) is not None)
    assert [(place.program, place.thread, place.role) for place in places] == [
        *(("books.py", 0, "main"), ("books.py", 1, "agent")),
    ]
    assert (places[1].parent, places[1].call) == (0, "c1")
    assert places[0].run == places[1].run


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ((), "capture"),
        (("agent",), "agent"),
        (("/usr/bin/agent", "--key", "sk-1"), "agent"),
        (("python3", "bots/coder.py", "--key", "sk-1"), "coder.py"),
        (("python3.12", "-u", "-m", "coder"), "coder"),
        (("python", "-c", "key = 'sk-1'"), "python"),
        (("uv", "run", "coder.py"), "coder.py"),
        (("bash", "-lc", "KEY=sk-1 agent"), "bash"),
        (("",), "capture"),
    ],
)
def test_a_run_is_called_by_its_program_and_by_no_other_argument(
    command: tuple[str, ...], name: str
) -> None:
    assert program_name(command) == name


async def test_a_recorder_that_fails_is_told_and_breaks_no_call(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> None:
        raise ZeroDivisionError

    await rig.ask(json=asking("before"))
    await rig.until(1)
    with monkeypatch.context() as broken:
        broken.setattr("ctxtui.core.requests.recording.Recorder.record", failing)
        answer, _ = await rig.ask(json=asking("meanwhile"))
        await rig.until(2)
    assert answer.status == 200
    assert rig.lost[0].reason == "the recorder failed with ZeroDivisionError"
    await rig.ask(json=asking("after"))
    await rig.until(3)
    assert [message.text for message in rig.conversation().visible] == ["after"]


@pytest.mark.parametrize("name", ["asked", "ending", "take"])
async def test_a_keeper_that_can_do_nothing_breaks_no_call(
    rig: Rig, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refusing(_: CapturedCall) -> None:
        raise RuntimeError

    monkeypatch.setattr(rig.keeper, name, refusing)
    answer, _ = await rig.ask()
    assert answer.status == 200


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"no json",
        b"[]",
        b"7",
        b'{"messages": 5}',
        b"{" * 3_000,
        b'{"a":' * 50_000,
        b"\xff\xfe",
        b'{"model": "m"}',
    ],
)
async def test_a_request_that_is_none_is_passed_on_and_told(rig: Rig, body: bytes) -> None:
    answer, _ = await rig.ask(data=body)
    assert answer.status == 200
    assert rig.server.came[0].body == body
    await rig.until(1)
    assert len(rig.lost) == 1


@pytest.mark.parametrize(
    "message",
    [
        5,
        None,
        {},
        {"role": [], "content": {"a": 1}},
        {"role": "user", "content": [1, {"type": 3}, {"type": "text", "text": "\ud800"}]},
        {"role": "assistant", "tool_calls": "x"},
        {"role": "user", "content": "x", "big": 10**400},
    ],
)
async def test_messages_that_are_none_are_recorded_as_they_are(rig: Rig, message: Any) -> None:
    await rig.ask(json={"model": "m", "messages": [message]})
    await rig.until(1)
    assert rig.lost == []


def test_a_library_that_cannot_be_written_is_told_and_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise NotSaved("the disk is full")

    told: list[CaptureEvent] = []
    keeper = Keeper(Library(tmp_path), told.append)
    with monkeypatch.context() as broken:
        broken.setattr("ctxtui.core.storage.session.Session.sync", full)
        keeper.take(call("one"))
        while not told:
            continue
    keeper.take(call("one"))
    keeper.close()
    assert isinstance(told[0], UnrecordedCall)
    assert "the disk is full" in told[0].reason
    (entry,) = Library(tmp_path).list()
    assert len(Library(tmp_path).open(entry.id, read_only=True).conversation.calls) == 2


def test_more_calls_than_fit_into_memory_wait_in_the_spool(tmp_path: Path) -> None:
    told: list[CaptureEvent] = []
    keeper = Keeper(Library(tmp_path), told.append, most=0)
    for number in range(20):
        keeper.take(call(*(f"question {n}" for n in range(number + 1))))
    keeper.close()
    assert [one.recorded.call for one in told if isinstance(one, StoredCall)] == list(range(20))
    answers = [one.exchange.response for one in told if isinstance(one, StoredCall)]
    assert all(answer is not None for answer in answers)


def test_a_long_run_is_stored_small_and_nothing_stays_in_the_spool(tmp_path: Path) -> None:
    texts = [f"{number}: " + "words of a message " * 200 for number in range(120)]
    keeper = Keeper(Library(tmp_path), lambda _: None)
    sent = 0
    for number in range(1, len(texts) + 1):
        made = call(*texts[:number])
        sent += made.size
        keeper.take(made)
    keeper.close()
    stored = sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file())
    assert sent > 40 * stored
    assert list((tmp_path / "spool").iterdir()) == []


def test_a_body_that_is_too_long_is_passed_on_and_forgotten() -> None:
    tape = BodyCopy(longest=10)
    for _ in range(4):
        tape.add(b"12345")
    assert (tape.is_too_long, tape.content, tape.size) == (True, b"", 20)
    assert not BodyCopy(LONGEST).is_too_long


KILLED = """
import sys
from ctxtui.core.storage import Library
from ctxtui.capture.keeper import Keeper
from tests.capture.test_recording import call
keeper = Keeper(Library(sys.argv[1]), lambda told: print(told.recorded.call, flush=True))
for number in range(200):
    keeper.take(call(*(f"question {n}" for n in range(number + 1))))
keeper.close()
"""


@pytest.mark.slow
def test_what_was_told_as_recorded_survives_being_killed(tmp_path: Path) -> None:
    for count in (1, 23):
        folder = tmp_path / str(count)
        with subprocess.Popen(
            [sys.executable, "-c", KILLED, str(folder)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdout is not None
            told = [int(process.stdout.readline()) for _ in range(count)]
            process.send_signal(signal.SIGKILL)
        assert told == list(range(count))
        library = Library(folder)
        (entry,) = library.list()
        with library.open(entry.id) as session:
            calls = len(session.conversation.calls)
            assert calls >= count
            assert [message.text for message in session.conversation.visible] == [
                f"question {number}" for number in range(calls)
            ]
            assert session.conversation.check() == []
