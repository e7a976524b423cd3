"""The format of recorded requests: what is told apart, detected, and written again."""

import json
from typing import Any

import pytest

from ctxtui.core import Conversation, Refused
from ctxtui.core.formats import Confidence, Loaded, Source, detect, format_named, load_all
from ctxtui.core.formats.warnings import WarningCollector, sentences
from tests.core.formats.vectors import FOLDER
from tests.core.requests.traffic import FOLDER as RECORDED
from tests.core.requests.traffic import RECORDINGS, recorded, said

REQUESTS = format_named("requests")
HI, HO = said("user", "hi"), said("assistant", "ho")
MORE = said("user", "and now?")


def lines(*values: Any) -> Source:
    return Source.of_text("\n".join(json.dumps(value) for value in values))


def read(source: Source) -> list[Loaded]:
    return list(load_all(source, "requests"))


def written(found: list[Loaded]) -> list[Any]:
    talks = [one.conversation for one in found]
    text = "".join(REQUESTS.write_all(talks, found[0].layout, WarningCollector()))
    return [json.loads(line) for line in text.splitlines()]


def chat(*rows: Any, **more: Any) -> dict[str, Any]:
    return {"model": "m", "messages": list(rows), **more}


@pytest.mark.parametrize("name", RECORDINGS)
def test_recordings_of_frameworks_are_detected_and_written_again(name: str) -> None:
    source = Source.of_path(RECORDED / f"{name}.jsonl")
    assert detect(source) is REQUESTS
    found = read(source)
    assert not sentences(source.warnings)
    assert written(found) == recorded(name)


def test_lanes_of_all_recordings_are_written_in_the_order_of_time() -> None:
    found = [one for name in RECORDINGS for one in read(Source.of_path(RECORDED / f"{name}.jsonl"))]
    times = [record["t"] for record in written(found)]
    assert times == sorted(times)
    assert len(times) == sum(len(recorded(name)) for name in RECORDINGS)


def test_each_lane_is_a_conversation_that_knows_what_it_is() -> None:
    found = read(Source.of_path(FOLDER / "requests" / "records.jsonl"))
    told = [one.conversation.meta["requests"] for one in found]
    assert [(lane["role"], lane["parent"]) for lane in told] == [
        ("main", None),
        ("counts", 0),
        ("attempts", 0),
    ]
    assert [one.title for one in found] == [
        "When did I sow the beans?",
        "token counts",
        "attempts that came to nothing",
    ]


def test_what_is_found_out_later_is_told_from_the_beginning() -> None:
    asks = {"id": "c1", "type": "function", "function": {"name": "agent", "arguments": "{}"}}
    calls = said("assistant", None, tool_calls=[asks])
    came = "The rate is in rates.csv, line 12."
    back = said("tool", came, tool_call_id="c1")
    found = read(
        lines(
            {"request": chat(HI), "response": {"choices": [{"message": calls}]}},
            {
                "request": chat(said("user", "Find the rate.")),
                "response": {"choices": [{"message": said("assistant", came)}]},
            },
            {"request": chat(HI, calls, back)},
        )
    )
    assert [one.conversation.meta["requests"]["role"] for one in found] == ["main", "agent"]
    assert found[1].conversation.meta["requests"]["call"] == "c1"
    assert len(written(found)) == 3


SURE = {
    "records": ([{"request": chat(HI)}, {"request": chat(HI, HO)}], Confidence.LIKELY),
    "a record": ([{"method": "POST", "path": "/v1", "request": {}}], Confidence.LIKELY),
    "a har": ([{"log": {"version": "1.2", "entries": []}}], Confidence.LIKELY),
    "bodies that go on": ([chat(HI), chat(HI, HO, MORE)], Confidence.CERTAIN),
    "messages that go on": ([[HI], [HI, HO, MORE]], Confidence.CERTAIN),
    "contents that go on": (
        [{"contents": [{"parts": []}]}, {"contents": [{"parts": []}, {"parts": []}]}],
        Confidence.CERTAIN,
    ),
    "bodies that write the same anew": (
        [
            chat(said("user", [{"type": "text", "text": "Hi.", "cache_control": {}}])),
            chat(said("user", "Hi."), said("assistant", "Ho.", refusal=None), MORE),
        ],
        Confidence.CERTAIN,
    ),
    "bodies of two in turn": (
        [chat(HI), chat(MORE), chat(HI, HO, MORE), chat(MORE, HO, HI)],
        Confidence.CERTAIN,
    ),
    "bodies with a message put in between": (
        [chat(HI, HO, MORE), chat(HI, HO, said("user", "Mind the frost."), MORE)],
        Confidence.CERTAIN,
    ),
    "other conversations": ([chat(HI), chat(MORE, HO)], Confidence.NO),
    "the same conversation twice, with answers": (
        [chat(HI, HO, MORE, HO), chat(HI, HO, MORE, HO)],
        Confidence.NO,
    ),
    "the same question asked of many": ([chat(HI), chat(HI), chat(HI)], Confidence.NO),
    "a training file": ([{"messages": [HI]}, {"messages": [HI, HO]}], Confidence.NO),
    "one body": ([chat(HI, HO)], Confidence.NO),
}


@pytest.mark.parametrize(("values", "confidence"), SURE.values(), ids=SURE)
def test_requests_are_told_from_data_sets(values: list[Any], confidence: Confidence) -> None:
    assert REQUESTS.confidence(lines(*values).sample) == confidence


def test_a_list_of_bodies_is_read_as_lines_are() -> None:
    found = read(Source.of_data([chat(HI), chat(HI, HO, MORE)]))
    assert [len(one.conversation.calls.all) for one in found] == [2]


def test_a_har_file_gives_its_requests_without_secrets() -> None:
    source = Source.of_path(FOLDER / "requests" / "dirt.har")
    (found,) = read(source)
    assert sentences(source.warnings) == (
        "requests that do not go to a model were left out (entry 1)",
        "responses that are missing or can't be read were left out (entry 3)",
    )
    first, second = written([found])
    assert first["path"] == "https://example.com/v1/chat/completions"
    assert first["headers"] == {"user-agent": "browser"}
    assert (first["time"], second["time"]) == (1767225601000, 1767225602000)
    assert "Bearer" not in json.dumps(found.conversation.to_dict())
    assert second["request"]["messages"][:2] == first["request"]["messages"]


def test_what_can_not_be_read_is_left_out_and_told() -> None:
    source = lines({"request": chat(HI)}, {"request": {"model": "m"}}, 7, {"request": chat(HI, HO)})
    (found,) = read(source)
    assert len(found.conversation.calls.all) == 2
    assert sentences(source.warnings) == (
        "requests that can't be read were left out: there are no messages in it, exchange 7 is not "
        "an object with a request or with messages (lines 2, 3)",
    )


def test_a_file_without_requests_is_refused_by_its_first_line() -> None:
    with pytest.raises(Refused, match="line 1: there are no messages in it"):
        read(lines({"a": 1}, {"b": 2}))


def test_a_conversation_that_was_never_sent_is_written_as_one_request() -> None:
    found = REQUESTS.write(Conversation([HI, HO]))
    assert found.data == [{"messages": [HI, HO]}]
    assert sentences(found.warnings) == (
        "no request was recorded; the visible messages are written as one",
    )


def test_calls_that_others_recorded_are_written_as_chats() -> None:
    talk = Conversation([HI])
    talk.record_call(model="m", parameters={"seed": 1}, time=5)
    talk.append("assistant", "ho")
    talk.record_call(model="m", answer={"choices": []}, time=6)
    assert REQUESTS.write(talk).data == [
        {"time": 5, "outcome": "complete", "request": chat(HI, seed=1)},
        {
            "time": 6,
            "outcome": "complete",
            "request": chat(HI, HO),
            "response": {"choices": []},
        },
    ]
