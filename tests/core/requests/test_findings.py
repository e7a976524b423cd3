"""Findings over a run: what went wrong with its context, at which call."""

from __future__ import annotations

import pytest

from ctxtui.core import Conversation, Mark
from ctxtui.core.formats.bodies import BodyReader, run_calls
from ctxtui.core.requests import Recorder
from ctxtui.core.requests.exchange import Exchange
from ctxtui.core.requests.findings import RunFinding, findings_in
from tests.core.requests.test_seen import loaded
from tests.core.requests.traffic import Row, answer, called, chat, result, said

PROMPT = said("system", "You keep the minutes of the garden society.")
QUESTION = said("user", "Which of the plants in the beds needs water today?")
NEXT = [said("assistant", "The roses do."), said("user", "And tomorrow?")]


def recorded(*exchanges: Exchange) -> list[Conversation]:
    recorder = Recorder(BodyReader())
    for exchange in exchanges:
        recorder.record(exchange)
    talks = (recorder.conversation(one.id) for one in recorder.threads)
    return [talk for talk in talks if talk is not None]


def found(*exchanges: Exchange) -> list[RunFinding]:
    return findings_in(run_calls(recorded(*exchanges)))


def brief(findings: list[RunFinding]) -> list[tuple[str, int, str | None]]:
    return [(one.kind, one.call, one.operation) for one in findings if one.kind != "cacheBroken"]


def sends(*rows: Row) -> Exchange:
    return chat(*rows, response=answer("The roses do."), tag="t")


def test_what_only_grows_has_no_findings() -> None:
    assert found(sends(PROMPT, QUESTION), sends(PROMPT, QUESTION, *NEXT)) == []


def test_a_prompt_and_a_first_question_that_vanish_are_found_once() -> None:
    talk, calls = [PROMPT, QUESTION], []
    for n in range(6):
        reply = said("assistant", f"The roses in bed {n} do, and nothing else needs any.")
        sent = talk if n < 3 else talk[4:] if n < 5 else [PROMPT, *talk[4:]]
        calls.append(chat(*sent, response=answer(reply, id=f"r{n}"), tag="t"))
        talk = [*talk, reply, said("user", f"And on day {n} after today?")]
    assert brief(found(*calls)) == [
        ("promptVanished", 3, "TRUNCATE"),
        ("questionVanished", 3, "TRUNCATE"),
    ]


def test_a_question_that_was_rewritten_is_still_there() -> None:
    more = said("user", f"{QUESTION['content']} And why?")
    assert brief(found(sends(PROMPT, QUESTION, *NEXT), sends(PROMPT, more, *NEXT))) == []


def test_labelled_and_named_texts_that_vanish_are_found() -> None:
    rule = said("user", "Never water the cactus.")
    talks = recorded(
        sends(PROMPT, QUESTION, rule), sends(PROMPT, QUESTION, said("user", "And now what?"))
    )
    talks[0].execute(Mark(indices=[2], label="must"))
    findings = findings_in(run_calls(talks), ["the cactus"])
    assert [(one.kind, one.about) for one in findings if one.kind != "cacheBroken"] == [
        ("labelVanished", "must"),
        ("textVanished", "the cactus"),
    ]


def test_the_same_tool_call_again_and_again_is_a_loop() -> None:
    rows, calls = [QUESTION], []
    for n in range(5):
        rows += [called(f"c{n}"), result(f"c{n}")]
        calls.append(sends(*rows))
    assert brief(found(*calls)) == [("loop", 2, "APPEND")]
    other = [QUESTION]
    for n in range(5):
        other += [called(f"c{n}", f'{{"q": {n}}}'), result(f"c{n}")]
    assert brief(found(sends(QUESTION), sends(*other))) == []


@pytest.mark.parametrize(("status", "count"), [(400, 1), (200, 0), (429, 0), (None, 1)])
def test_a_request_that_is_or_would_be_refused_is_found(status: int | None, count: int) -> None:
    bad = Exchange(
        {"model": "m", "messages": [QUESTION, result("c9")]},
        None if status != 200 else answer("Yes."),
        "chat",
        "/v1/chat/completions",
        status=status,
        outcome="complete" if status in (200, None) else "failed",
    )
    refused = [one for one in found(bad) if one.kind == "refused"]
    assert [one.certainty for one in refused] == (["proven"] if status else ["likely"]) * count


def test_a_cache_that_broke_is_proven_where_it_was_in_use() -> None:
    usage = {"prompt_tokens": 2_000, "completion_tokens": 5}

    def call(*rows: Row, cached: int) -> Exchange:
        body = answer("Yes.")
        body["usage"] = {**usage, "prompt_tokens_details": {"cached_tokens": cached}}
        return chat(*rows, response=body, tag="t")

    changed = said("user", "Which of the trees needs water today?")
    first = call(PROMPT, QUESTION, *NEXT, cached=1_024)
    second = call(PROMPT, changed, *NEXT, cached=0)
    (broken,) = [one for one in found(first, second) if one.kind == "cacheBroken"]
    assert (broken.call, broken.operation, broken.certainty) == (1, "REPLACE", "proven")
    unused = call(PROMPT, QUESTION, *NEXT, cached=0)
    (likely,) = [one for one in found(unused, second) if one.kind == "cacheBroken"]
    assert likely.certainty == "likely"


def test_a_provider_that_clears_results_breaks_the_cache_of_what_only_grew() -> None:
    found = findings_in(run_calls(loaded("a_tools_grow")))
    broken = [
        (one.call, one.operation, one.certainty) for one in found if one.kind == "cacheBroken"
    ]
    assert broken == [(call, "CLEAR_RESULTS", "proven") for call in (3, 4, 5, 6, 7, 9)]


def test_what_the_provider_hid_has_vanished_for_the_model() -> None:
    talks = loaded("a_tools_grow")
    text = "export/part0.log 04:00 worker-0"
    talks[0].execute(Mark(indices=[3], label="must"))
    found = findings_in(run_calls(talks), [text])
    assert [one for one in found if one.kind in ("textVanished", "labelVanished")] == [
        RunFinding("labelVanished", 3, "CLEAR_RESULTS", "proven", "must"),
        RunFinding("textVanished", 3, "CLEAR_RESULTS", "proven", text),
    ]
    gone = [one for one in findings_in(run_calls(loaded("o_compact"))) if "question" in one.kind]
    assert [(one.call, one.operation) for one in gone] == [(2, "COMPACT")]


def test_what_a_provider_may_have_hidden_is_unknown_and_not_passed() -> None:
    asked = {
        "edits": [{"type": "clear_tool_uses_20250919", "keep": {"type": "tool_uses", "value": 1}}]
    }
    rows: list[Row] = [said("user", "Look into both logs, please.")]
    for name in ("one", "two"):
        use = {"type": "tool_use", "id": name, "name": "look", "input": {"log": name}}
        told = {"type": "tool_result", "tool_use_id": name, "content": f"log {name}: waiting"}
        rows += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [told]}]
    body = {"model": "claude-opus-4-8", "messages": rows, "context_management": asked}
    reply = {"id": "m1", "role": "assistant", "content": [{"type": "text", "text": "Fine."}]}
    talks = recorded(Exchange(body, reply, "messages", "/v1/messages", status=200))
    found = findings_in(run_calls(talks), ["log one: waiting", "Look into"])
    assert [one for one in found if one.kind == "textVanished"] == [
        RunFinding("textVanished", 0, None, "unknown", "log one: waiting")
    ]


def test_a_request_that_goes_back_breaks_no_cache() -> None:
    reply = said("assistant", "The tulips do, as ever.")
    whole = [PROMPT, QUESTION, *NEXT, reply, said("user", "And on Sunday then?")]
    other = [PROMPT, QUESTION, NEXT[0], said("user", "What about the trees in the yard?")]
    first, second = sends(*whole[:4]), sends(*whole)
    for last in (sends(*whole[:5]), sends(*whole[:4])):
        assert found(first, second, last) == []
    back = sends(*whole, said("assistant", "The same."), said("user", "And on Monday?"))
    broken = [one.call for one in found(first, second, sends(*other), back) if "cache" in one.kind]
    assert broken == [2]


def test_a_report_that_is_not_known_may_have_cut_something() -> None:
    body = {"model": "claude-opus-4-8", "messages": [QUESTION], "context_management": {"edits": []}}
    reply = {
        "id": "m1",
        "role": "assistant",
        "content": [{"type": "text", "text": "Fine."}],
        "context_management": {"applied_edits": [{"type": "shuffle_20270101"}]},
    }
    (cut,) = found(Exchange(body, reply, "messages", "/v1/messages", status=200))
    assert (cut.kind, cut.call, cut.certainty) == ("providerCut", 0, "unknown")
    assert "shuffle_20270101" in cut.about
