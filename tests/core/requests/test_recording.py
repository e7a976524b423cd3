"""Recording: what is kept of a call, and that one more request costs what is new."""

import json
from typing import Any

import pytest

from ctxtui.core import Conversation
from ctxtui.core.formats.bodies import BodyReader
from ctxtui.core.requests.exchange import Exchange
from ctxtui.core.requests.recording import Recorder
from ctxtui.core.values.frozen import thaw
from tests.core.requests.checking import checked
from tests.core.requests.traffic import Row, answer, called, chat, result, said

LONG = "many words about one thing " * 40
MARKER: Row = {"cache_control": {"type": "ephemeral"}}


def claude(*rows: Row, billing: int = 0) -> Exchange:
    """Return a request as a coding agent writes it: its newest message carries the marker."""
    line = {"type": "text", "text": f"x-anthropic-billing-header: cch={billing};"}
    *before, last = rows
    marked = {**last, "content": [{"type": "text", "text": last["content"], **MARKER}]}
    system = [line, {"type": "text", "text": "You write code.", **MARKER}]
    return Exchange(
        {"model": "m", "system": system, "messages": [*before, marked]}, kind="messages"
    )


def test_a_marker_that_moves_costs_the_same_however_long_the_run_is() -> None:
    rows = [said("user" if i % 2 == 0 else "assistant", f"{i}: {LONG}") for i in range(41)]
    found = checked(claude(*rows[: 2 * n + 1], billing=n) for n in range(20))
    assert found.operations() == ["START", *["APPEND"] * 19]
    sizes = [len(json.dumps(one.facts.wire["rows"])) for one in found.recorded]
    assert max(sizes) < 400
    assert all(message.metadata is None for message in found.conversation().log[1:])


def test_what_is_written_differently_once_is_told_once() -> None:
    plain, listed = said("user", "hi"), said("user", [{"type": "text", "text": "hi"}])
    rest = [said("assistant", "Hello to you as well."), said("user", "Good.")]
    found = checked(
        chat(*rows, tag="t")
        for rows in ([plain], [listed, *rest], [listed, *rest], [plain, *rest], [listed, *rest])
    )
    assert [one.facts.wire["rows"] for one in found.recorded] == [
        {},
        {"0": [{"at": [0, "content"], "wrap": {"type": "text"}}]},
        {},
        {"0": [{"at": [0, "content"], "unwrap": True}]},
        {"0": [{"at": [0, "content"], "wrap": {"type": "text"}}]},
    ]


def test_arguments_that_are_written_anew_are_kept_as_such() -> None:
    loose, tight = called("c", '{"q": 1, "p": 2}'), called("c", '{"p":2,"q":1}')
    found = checked(
        chat(said("user", "hi"), call, result("c"), tag="t") for call in (loose, tight, loose)
    )
    assert found.operations() == ["START", "REPEAT", "REPEAT"]
    news = [
        [place for place, patch in one.facts.wire["rows"].items() if "order" not in patch[0]]
        for one in found.recorded
    ]
    assert news == [[], ["1"], ["1"]]


def test_a_call_is_kept_with_its_conversation() -> None:
    tools: list[Row] = [{"type": "function", "function": {"name": "look", "parameters": {}}}]
    exchange = chat(
        said("user", "hi"),
        response=answer("ho", "chatcmpl-7", prompt_tokens=5, completion_tokens=2),
        tools=tools,
        temperature=0.5,
        time=1_234,
        path="/v1/chat/completions?key=secret",
        headers={"User-Agent": "test", "Authorization": "secret"},
    )
    talk = checked([exchange]).conversation()
    (call,) = talk.calls.all
    assert (call.request, call.model, call.time, call.outcome) == (
        *("chatcmpl-7", "m", 1_234),
        "complete",
    )
    assert (call.parameters, thaw(call.answer)) == ({"temperature": 0.5}, exchange.response)
    assert call.usage is not None
    assert call.usage.to_dict() == {"input": 5, "output": 2}
    assert call.wire is not None
    assert call.wire["path"] == "/v1/chat/completions"
    assert call.wire["headers"] == {"user-agent": "test"}
    assert "secret" not in json.dumps(talk.to_dict())
    assert talk.meta["tools"][0]["name"] == "look"
    assert talk.meta["requests"]["kind"] == "chat"


def test_the_explanation_is_kept_with_the_call() -> None:
    first, second = said("user", "hi"), said("user", "and now something else")
    found = checked(
        chat(*rows, tag="t") for rows in ([first], [first, said("assistant", "a"), second])
    )
    wires = [call.wire for call in found.conversation().calls.all]
    assert [wire and wire["explained"] for wire in wires] == [
        (
            {
                "operation": "START",
                "reason": "the first request, with 1 message",
                "certainty": "proven",
            },
        ),
        (
            {
                "operation": "APPEND",
                "reason": "2 messages were added; all before is unchanged",
                "certainty": "proven",
            },
        ),
    ]
    assert wires[1] is not None
    assert thaw(wires[1]["cache"]) == found.recorded[1].cache.to_dict()


def test_an_answer_is_no_message_before_it_is_sent_back() -> None:
    found = checked([chat(said("user", "hi"), response=answer("ho"))])
    assert len(found.conversation().log) == 1


def test_a_recorded_conversation_is_saved_and_opened() -> None:
    rows = [said("user", "hi"), said("assistant", "ho"), said("user", "ha")]
    talk = checked(chat(*rows[: 2 * n + 1]) for n in range(2)).conversation()
    assert Conversation.from_dict(json.loads(json.dumps(talk.to_dict()))) == talk


@pytest.mark.parametrize("depth", [100, 101, 200])
def test_what_is_nested_too_deep_is_left_out_of_the_call_alone(depth: int) -> None:
    deep: Any = "bottom"
    for _ in range(depth):
        deep = [deep]
    recorder = Recorder(BodyReader())
    body = {
        "messages": [said("user", "hi"), said("user", deep)],
        "odd": deep,
        "tools": [{"x": deep}],
    }
    recorder.record(Exchange(body))
    talk = recorder.conversation(0)
    assert talk is not None
    assert talk.calls.all[0].parameters == {}
    assert len(talk.visible) == 2


@pytest.mark.parametrize("size", [50, 400])
def test_messages_that_were_read_are_never_read_again(size: int) -> None:
    reads = 0

    class Counting(BodyReader):
        def rows(self, kind: Any, place: str, message: Any) -> list[Any]:
            nonlocal reads
            reads += 1
            return super().rows(kind, place, message)

    rows = [said("user" if i % 2 == 0 else "assistant", f"{i}: words") for i in range(size + 1)]
    recorder = Recorder(Counting())
    bodies = [rows[: n + 1] for n in range(0, size + 1, 2)]
    for body in bodies:
        recorder.record(chat(*body, tag="t"))
    assert reads == size + 1
    talk = recorder.conversation(0)
    assert talk is not None
    assert len(talk.log) == size + 1
