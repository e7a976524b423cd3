"""What is worked out of a recorded call: cache, request, tools, and what explains it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ctxtui.calls.drawing import agreement_words, break_words, difference_lines
from ctxtui.calls.models.call import (
    CallPath,
    RecordedCall,
    attempts,
    body_of,
    diagnosis_of,
    finish_of,
    path_of,
    refusal_of,
    tool_table,
)
from ctxtui.calls.models.sheet import (
    Agreement,
    CallSheet,
    RequestRow,
    call_cache,
    evidence_of,
    waited_text,
)
from ctxtui.core import Conversation
from ctxtui.core.formats import Source, load_all
from ctxtui.core.formats.bodies import BodyReader
from ctxtui.core.requests import Recorder
from tests.core.requests.test_revising import VECTORS
from tests.core.requests.traffic import (
    FOLDER,
    RECORDINGS,
    Row,
    answer,
    chat,
    exchange_of,
    recorded,
)
from tests.core.requests.traffic import said as request_row
from tests.ui.opening import LONG_AGO
from tests.ui.sent_calls import NAMES, coder, tool, tools, usage
from tests.ui.test_calls import said


def read(name: str) -> Conversation:
    """Return the first conversation of a recording."""
    data = (FOLDER / f"{name}.jsonl").read_bytes()
    return next(load_all(Source.of_bytes(data))).conversation


def sheet(number: int, conversation: Conversation | None = None) -> CallSheet:
    return CallSheet(CallPath(conversation or coder()).at(number))


def measured(sent: int, cached: int | None = None) -> dict[str, int]:
    return {"input": sent} if cached is None else {"input": sent, "cached": cached}


# The path


def test_calls_are_numbered_along_the_path_and_know_the_one_before() -> None:
    path = CallPath(coder())
    assert [one.number for one in path] == [1, 2, 3, 4, 5]
    assert path.at(1).before is None
    assert path.at(5).before is path.at(4).call
    assert [one.title for one in path.at(5).operations] == ["TRUNCATE", "APPEND"]
    assert path.at(5).waited == 8_000


def test_the_nearest_call_is_the_newest_up_to_a_revision() -> None:
    conversation = coder()
    path = CallPath(conversation)
    revisions = conversation.revisions
    assert path.nearest(revisions[path.at(3).call.revision]) == 3
    assert path.nearest(conversation.current) == 5
    assert CallPath(Conversation()).nearest(Conversation().current) is None


def test_a_branch_that_was_left_has_calls_of_its_own() -> None:
    conversation = Conversation([said("user", 9)])
    conversation.record_call(model="m")
    conversation.execute({"operation": "BATCH_START"})
    conversation.append("user", "hi")
    left = conversation.current.id
    conversation.record_call(model="left")
    conversation.rollback(0)
    conversation.append("user", "ho")
    conversation.record_call(model="now")
    assert [one.call.model for one in CallPath(conversation)] == ["m", "now"]
    assert [one.call.model for one in CallPath(conversation, left)] == ["m", "left"]


# The cache


def test_a_vanished_tool_breaks_the_cache_behind_those_before_it() -> None:
    cache = sheet(5).cache
    assert cache.is_strict
    assert (cache.broke.kind, cache.broke.position) == ("tools", 4)
    table = sheet(5).tools
    assert cache.kept is not None
    assert abs(cache.kept - table.served) <= len(table.rows)
    assert cache.read == 965 - 256


def test_a_call_that_goes_on_keeps_all_of_the_one_before() -> None:
    cache = sheet(4).cache
    assert cache.broke.kind == "whole"
    assert not cache.broke.is_loss
    before = sheet(3).cache
    assert cache.kept == before.total


def test_where_the_messages_part_both_are_named() -> None:
    found = [one.cache.broke for one in _sheets("lc_clear")]
    assert found[0].kind == "first"
    assert found[4][:4] == ("message", 3, 3, 9)
    assert [one.kind for one in found].count("message") == 3


def _sheets(name: str) -> list[CallSheet]:
    path = CallPath(read(name))
    return [CallSheet(path.at(number)) for number in range(1, len(path) + 1)]


def test_a_message_that_is_only_written_differently_breaks_the_cache_too() -> None:
    rows = [said("system", 5), said("user", 5)]
    other: list[Row] = [{**rows[0], "content": [{"type": "text", "text": rows[0]["content"]}]}]
    recorder = Recorder(BodyReader())
    recorder.record(chat(*rows))
    recorder.record_in(0, chat(*other, rows[1]))
    broke = sheet(2, recorder.conversation(0)).cache.broke
    assert (broke.kind, broke.position, broke.was, broke.now) == ("written", 0, 0, 0)


def test_what_is_written_as_before_the_last_time_breaks_the_cache_of_that_one() -> None:
    rows = [said("system", 5), said("user", 5)]
    other: list[Row] = [{**rows[0], "content": [{"type": "text", "text": rows[0]["content"]}]}]
    recorder = Recorder(BodyReader())
    for body in (chat(*rows), chat(*other, rows[1]), chat(*rows)):
        recorder.record_in(0, body) if recorder.threads else recorder.record(body)
    cache = sheet(3, recorder.conversation(0)).cache
    assert (cache.broke.kind, cache.broke.position) == ("written", 0)
    assert (cache.kept_messages, cache.source) == (2, 1)


def test_without_a_recorder_the_engine_estimates() -> None:
    conversation = Conversation([said("system", 100), said("user", 200)])
    conversation.record_call(model="m", tools=tools("a", "b"))
    conversation.append("user", "abcd" * 50)
    conversation.record_call(model="m", tools=tools("a", "b"), usage=measured(500, 440))
    cache = sheet(2, conversation).cache
    assert not cache.is_strict
    assert cache.kept == cache.total - 50
    conversation.record_call(model="other", tools=tools("a", "b"))
    assert sheet(3, conversation).cache.kept == 0
    assert sheet(3, conversation).cache.broke.names == ("m", "other")
    conversation.record_call(model="other", tools=tools("a"))
    assert sheet(4, conversation).cache.broke == ("tools", 1, None, None, ())
    conversation.record_call(model="other", tools=tools("a"), parameters={"tool_choice": "none"})
    assert sheet(5, conversation).cache.broke.kind == "parameters"
    conversation.execute({"operation": "TRUNCATE", "removeLast": 1})
    conversation.record_call(model="other", tools=tools("a"), parameters={"tool_choice": "none"})
    assert sheet(6, conversation).cache.broke[:3] == ("end", 2, 2)


@pytest.mark.parametrize(
    ("sent", "cached", "agreement"),
    [
        (2_500, None, "unsaid"),
        (2_500, 2_000, "agrees"),
        (2_500, 1_920, "blocks"),
        (2_500, 2_120, "counting"),
        (2_500, 1_901, "counting"),
        (2_500, 500, "less"),
        (2_500, 2_400, "more"),
    ],
)
def test_both_rulers_agree_or_there_is_a_reason(
    sent: int, cached: int | None, agreement: Agreement
) -> None:
    conversation = Conversation([said("system", 2_000)])
    conversation.record_call()
    conversation.append("user", "abcd" * 500)
    conversation.record_call(usage=measured(sent, cached))
    assert sheet(2, conversation).cache.agreement == agreement


@pytest.mark.parametrize(
    ("cached", "agreement"),
    [(64, "counting"), (20, "agrees"), (22, "agrees"), (16, "agrees"), (10, "counting")],
)
def test_what_is_near_in_a_small_request_is_a_share_of_it(
    cached: int, agreement: Agreement
) -> None:
    conversation = Conversation([said("system", 20)])
    conversation.record_call()
    conversation.append("user", "abcd" * 80)
    conversation.record_call(usage=measured(100, cached))
    assert sheet(2, conversation).cache.agreement == agreement


@pytest.mark.parametrize(
    ("model", "tokens", "minutes", "written", "agreement"),
    [
        ("claude-opus-4-6", 2_000, 1, 0, "short"),
        ("claude-opus-5-5", 2_000, 1, 0, "less"),
        ("claude-sonnet-4-6", 2_000, 6, 0, "expired"),
        ("claude-sonnet-4-6", 2_000, 4, 0, "less"),
        ("claude-sonnet-4-6", 2_000, 6, 9, "less"),
        ("claude-sonnet-4-6", 2_000, 61, 9, "expired"),
        ("gpt-6", 2_000, 31, 0, "expired"),
        ("gpt-6", 1_000, 31, 0, "short"),
    ],
)
def test_nothing_is_served_below_a_minimum_and_after_a_lifetime(
    model: str, tokens: int, minutes: int, written: int, agreement: Agreement
) -> None:
    kind = "messages" if model.startswith("claude") else "responses"
    wire = {"kind": kind, "cache": {"markers": [0]}}
    answer = {"usage": {"cache_creation": {"ephemeral_1h_input_tokens": written}}}
    conversation = Conversation([said("system", tokens)], clock=lambda: 0)
    conversation.record_call(
        model=model, wire=wire, time=0, answer=answer, parameters={"cache_control": {}}
    )
    conversation.append("user", "abcd" * 500)
    conversation.record_call(
        model=model,
        wire=wire,
        parameters={"cache_control": {}},
        usage=measured(tokens + 500, 0),
        time=minutes * 60_000,
    )
    assert sheet(2, conversation).cache.agreement == agreement
    assert "Nothing was served" in agreement_words(sheet(2, conversation)) or agreement == "less"


@pytest.mark.parametrize(
    ("marker", "agreement"), [({}, "unasked"), ({"cache_control": {}}, "less")]
)
def test_a_cache_that_has_to_be_asked_for_may_be_asked_for_with_a_tool(
    marker: dict[str, Any], agreement: Agreement
) -> None:
    conversation = Conversation([said("system", 2_000)])
    asked = [{"name": "look", "input_schema": {}, **marker}]
    for number in range(2):
        use = measured(2_000 + 500 * number, 0)
        conversation.record_call(tools=asked, wire={"kind": "messages"}, usage=use)
        conversation.append("user", "abcd" * 500)
    assert sheet(2, conversation).cache.agreement == agreement


def test_a_cache_that_was_asked_for_an_hour_lives_for_one() -> None:
    hour = {"at": [0, 0, "cache_control"], "set": {"type": "ephemeral", "ttl": "1h"}}
    wire = {"kind": "messages", "cache": {"markers": [0]}}
    conversation = Conversation([said("system", 2_000)], clock=lambda: 0)
    for at, minutes in enumerate((0, 6, 67)):
        rows = {"rows": {"0": [hour]}} if not at else {}
        conversation.record_call(
            model="claude-sonnet-4-6",
            wire={**wire, **rows},
            parameters={"cache_control": {}},
            usage=measured(2_000 + 500 * at, 0),
            time=minutes * 60_000,
        )
        conversation.append("user", "abcd" * 500)
    assert sheet(2, conversation).cache.agreement == "less"
    assert agreement_words(sheet(2, conversation)).endswith("why is unknown.")
    assert "may forget after 60 min" in agreement_words(sheet(3, conversation))


def test_little_is_not_kept_by_most_and_a_first_call_is_not_judged() -> None:
    conversation = Conversation([said("system", 200)])
    conversation.record_call(usage=measured(200, 64))
    conversation.append("user", "abcd" * 500)
    conversation.record_call(usage=measured(700, 0))
    assert sheet(1, conversation).cache.agreement == "first"
    assert sheet(1, conversation).cache.kept is None
    assert sheet(2, conversation).cache.agreement == "short"


def test_another_call_than_the_one_before_may_have_begun_in_the_same_way() -> None:
    conversation = read("ag_headtail")
    found = [sheet(number, conversation).cache.source for number in range(1, 10)]
    assert found[:4] == [None, None, 1, None]


@pytest.mark.parametrize("name", RECORDINGS)
def test_every_recorded_call_can_be_told(name: str) -> None:
    conversation = read(name)
    for one in CallPath(conversation):
        cache = call_cache(one)
        assert 0 <= (cache.kept or 0) <= cache.total
        assert cache.tools + cache.system <= cache.total
        assert cache.input is not None
        assert CallSheet(one).request[0].name == "model"


def test_the_ruler_of_a_recording_is_the_recorders_own() -> None:
    assert sheet(5, read("pa_keep")).cache.broke == ("message", 1, 5, 6, ())


# The request


def test_what_changed_since_the_call_before_is_told_with_what_it_was() -> None:
    rows = {row.name: row for row in sheet(5).request}
    assert rows["temperature"] == RequestRow("temperature", "0.2", "0")
    assert rows["tools"] == RequestRow("tools", "6", "7")
    assert rows["model"].was is None
    assert rows["endpoint"].now == "/v1/chat/completions"
    assert rows["sent"].now == "8.0 s after call 4"


def test_only_what_is_known_is_told() -> None:
    conversation = Conversation([said("user", 1)], clock=lambda: 0)
    conversation.record_call(parameters={"n": None, "stream": True, "stop": ["a"]})
    assert [row[:2] for row in sheet(1, conversation).request] == [
        ("n", "null"),
        ("stream", "yes"),
        ("stop", '["a"]'),
    ]


@pytest.mark.parametrize(
    ("answer", "finish"),
    [
        ({"choices": [{"finish_reason": "stop"}]}, "stop"),
        ({"stop_reason": "end_turn"}, "end_turn"),
        ({"candidates": [{"finishReason": "STOP"}]}, "STOP"),
        ({"object": "response", "status": "completed"}, "completed"),
        ({"done_reason": "length"}, "length"),
        ({"choices": []}, None),
        (["x"], None),
        (None, None),
    ],
)
def test_why_an_answer_ended_is_read_from_any_provider(answer: Any, finish: str | None) -> None:
    assert finish_of(answer) == finish


def test_a_provider_may_say_itself_why_its_cache_missed() -> None:
    assert diagnosis_of({"diagnostics": {"cache_miss_reason": "tools_changed"}}) == "tools_changed"
    said = {"prompt_cache_diagnostics": {"region": "tools"}}
    assert diagnosis_of(said) == '{"region": "tools"}'
    assert diagnosis_of({"diagnostics": None}) is None
    assert refusal_of({"error": {"message": "too long"}}) == "too long"
    assert refusal_of("no") is None


def test_notes_of_another_shape_are_passed_over() -> None:
    conversation = Conversation([said("user", 1)])
    wire = {"path": 7, "headers": [], "cache": {"messages": "x"}, "rows": {"x": 1, "9": [1]}}
    wire |= {"explained": 1, "noticed": "x", "status": "y", "carried": 1, "kind": "z"}
    conversation.record_call(wire=wire)
    conversation.record_call(wire={**wire, "headers": {"x-stainless-retry-count": "2"}})
    one = CallPath(conversation).at(2)
    assert (path_of(one.call), attempts(one.call)) == (None, 2)
    assert not call_cache(one).is_strict
    assert evidence_of(one).noticed == ()
    assert [fact.kind for fact in evidence_of(one).facts] == ["same"]


@pytest.mark.parametrize(
    ("waited", "told"), [(12, "12 ms"), (900, "0.9 s"), (300_000, "5 min"), (10**8, "28 h")]
)
def test_how_long_is_told_in_the_unit_that_fits(waited: int, told: str) -> None:
    assert waited_text(waited) == told


@pytest.mark.parametrize(
    "wire",
    [
        {"rows": [1], "prompt": "x", "form": [2], "carried": "y"},
        {"rows": {"0": [1], "1": "x"}, "prompt": None},
        {"rows": {"0": [{"at": "content", "set": 1}]}},
        {"rows": {"0": [{"at": [["deep"]], "set": 1}]}},
        {"rows": {"0": [{"at": ["content"], "splice": 3}]}},
        {"rows": {"0": [{"at": [], "wrap": 7}]}, "kind": "responses"},
    ],
)
def test_a_body_is_written_whatever_the_notes_of_a_call_are(wire: dict[str, Any]) -> None:
    conversation = Conversation([said("user", 1)])
    conversation.record_call(model="m", wire=wire)
    body = body_of(CallPath(conversation).at(1))
    assert body is not None
    assert body["model"] == "m"


@pytest.mark.parametrize("name", ["oa_chat", "lc_anthropic", "lc_responses"])
def test_the_body_of_a_request_can_be_written_again(name: str) -> None:
    bodies = [body_of(one) for one in CallPath(read(name))]
    assert bodies == [record["request"] for record in recorded(name)][: len(bodies)]


# The tools


def test_tools_are_told_in_their_order_with_what_vanished_where_it_stood() -> None:
    table = sheet(5).tools
    assert [(row.name, row.change, row.is_served) for row in table.rows] == [
        *((name, "same", True) for name in NAMES[:4]),
        ("run_tests", "vanished", False),
        ("run", "same", False),
        ("ask_user", "same", False),
    ]
    assert (table.before, table.now, table.breaks) == (7, 6, 4)


def test_new_changed_and_equally_named_tools_are_told_apart() -> None:
    before = [tool("a"), tool("b"), tool("b", "second")]
    now = [tool("a"), tool("b", "other"), tool("b", "second"), tool("c")]
    table = tool_table(before, now, "bytes/4")
    assert [row.change for row in table.rows] == ["same", "changed", "same", "new"]
    assert tool_table([tool("x")], [], "bytes/4").names("vanished") == ["x"]
    marked = [{**tool("a"), "cache_control": {"type": "ephemeral"}}]
    assert tool_table([tool("a")], marked, "bytes/4").breaks is None
    assert tool_table(None, [tool("a")], "bytes/4").served == 0


# What explains it


def test_the_facts_that_speak_for_an_operation_come_from_both_projections() -> None:
    evidence = sheet(5).evidence
    assert [(step.title, told.certainty) for step, told in evidence.steps if step and told] == [
        ("TRUNCATE", "likely"),
        ("APPEND", "proven"),
    ]
    facts = {fact.kind: (list(fact.raws), fact.size) for fact in evidence.facts}
    assert facts["gone"] == ([1, 2], 2)
    assert facts["stayed"][1] == 6
    assert facts["came"] == ([8, 9], 2)
    assert "alone" in facts
    assert evidence.lacking == "TRUNCATE"
    assert evidence.certainty == "likely"


def test_where_something_may_stand_in_their_place_nothing_is_claimed() -> None:
    conversation = read("ag_headtail")
    for number in range(2, 10):
        evidence = sheet(number, conversation).evidence
        if evidence.lacking == "COMPRESS":
            assert "alone" not in {fact.kind for fact in evidence.facts}


def test_only_what_explains_a_call_is_told_of_it() -> None:
    rows = [request_row("user", "Which bed?"), request_row("assistant", "The left one.")]
    more = [*rows, request_row("user", "And now?"), request_row("assistant", "The right one.")]
    recorder = Recorder(BodyReader())
    for sent in (rows[:1], more[:3], [*rows, request_row("user", "Or which tree?")]):
        recorder.record(chat(*sent, response=answer(more[len(sent)]), tag="t"))
    recorder.record(chat(*more, request_row("user", "Thank you."), tag="t"))
    conversation = recorder.conversation(recorder.threads[0].id)
    steps = evidence_of(sheet(3, conversation).one).steps
    assert [step and step.operation for _, step in steps] == ["ROLLBACK", "APPEND"]
    assert not sheet(3, conversation).one.is_broken


def test_what_was_done_here_needs_no_explanation() -> None:
    conversation = Conversation([said("user", 1), said("user", 1)])
    conversation.record_call()
    conversation.execute({"operation": "DELETE", "indices": [0]})
    conversation.record_call()
    ((operation, told),) = sheet(2, conversation).evidence.steps
    assert operation is not None
    assert (operation.title, told) == ("DELETE", None)
    assert sheet(2, conversation).evidence.certainty is None


def test_what_a_request_wrote_differently_is_a_fact_but_moved_markers_are_none() -> None:
    conversation = Conversation([said("user", 1), said("user", 1)])
    conversation.record_call()
    marks = {"0": [{"at": ["content", 0, "cache_control"], "drop": True}]}
    conversation.record_call(wire={"rows": {**marks, "1": [{"at": ["content"], "wrap": {}}]}})
    facts = {fact.kind: list(fact.raws) for fact in sheet(2, conversation).evidence.facts}
    assert facts["written"] == [1]


# Figures


def test_usage_is_told_as_counted_here_and_by_the_provider() -> None:
    rows = {row.name: row for row in sheet(5).usage}
    assert rows["input"].measured == 965
    assert rows["input"].estimated == sheet(5).cache.total
    assert rows["output"].estimated == 2
    assert sheet(5).sums.calls == 5


def test_a_recorded_call_is_found_by_identity_not_by_what_it_says() -> None:
    conversation = Conversation([said("user", 1)], clock=lambda: 0)
    for _ in range(3):
        conversation.record_call(model="m")
    path = CallPath(conversation)
    assert [path.place(RecordedCall(path, number).call) for number in (1, 2, 3)] == [0, 1, 2]
    assert path.number_at(7) is None


def test_the_cache_is_kept_up_to_the_first_word_that_differs() -> None:
    rules = "Answer in one sentence, and name the file that you mean. " * 40
    prompts = [f"{rules}It is {time} now." for time in ("10:15", "10:16")]
    recorder = Recorder(BodyReader(), clock=lambda: LONG_AGO)
    for number, prompt in enumerate(prompts):
        rows = [request_row("system", prompt), request_row("user", "Mend the parser, please.")]
        counted = {**answer("Done, the parser is mended.", f"a{number}"), "usage": usage(600, 0)}
        recorder.record(chat(*rows, response=counted, tag="t"))
    conversation = recorder.conversation(0)
    assert conversation is not None
    path = CallPath(conversation)
    found = CallSheet(path.at(2))
    cache = found.cache
    assert (cache.broke.kind, cache.broke.position) == ("message", 0)
    assert cache.kept == cache.inside
    assert cache.inside / cache.total > 0.95
    assert break_words(found)[0] == "breaks in position 0"
    lines = ["".join(piece.text for piece in line) for line in difference_lines(found, 80)]
    assert any("−15" in line and "+16" in line for line in lines)
    compared = conversation.compare(path.at(1).call.revision, path.at(2).call.revision)
    assert compared.inside == cache.inside
    assert compared.resent == cache.total - cache.inside


def test_the_cache_is_that_of_what_the_model_saw() -> None:
    path = CallPath(seen_run("a_tools_grow"))
    found = [CallSheet(path.at(number)).cache for number in range(1, len(path) + 1)]
    assert [one.broke.kind for one in found[1:]] == [
        *("whole", "whole", *["provider"] * 5, "whole", "provider"),
    ]
    assert found[3].broke.names == ("CLEAR_RESULTS", "proven")
    assert [one.is_seen for one in found] == [False] * 3 + [True] * 7
    cleared = found[3]
    assert cleared.kept is not None
    assert cleared.kept < cleared.total / 5


def test_a_message_thread_keeps_its_tools() -> None:
    path = CallPath(seen_run("a_thread"))
    assert [CallSheet(path.at(number)).cache.broke.kind for number in (1, 2, 3)] == [
        *("first", "whole", "whole"),
    ]


def seen_run(name: str) -> Conversation:
    """Return the first thread of a recording in which a provider edits what is seen."""
    recorder = Recorder(BodyReader(), clock=lambda: LONG_AGO)
    for line in (VECTORS / "seen" / f"{name}.jsonl").read_text("utf-8").splitlines():
        recorder.record(exchange_of(json.loads(line)))
    found = recorder.conversation(0)
    assert found is not None
    return found


def test_a_first_call_and_new_text_are_not_sent_again() -> None:
    recorder = Recorder(BodyReader(), clock=lambda: LONG_AGO)
    rows = [request_row("user", "Begin with the parser, please.")]
    for number, (sent, cached) in enumerate([(100, 0), (1_000, 100), (1_050, 0)]):
        counted = {**answer(f"Step {number} is done.", f"a{number}"), "usage": usage(sent, cached)}
        recorder.record(chat(*rows, response=counted, tag="t"))
        rows += [request_row("assistant", f"Step {number} is done."), request_row("user", "Go on")]
    conversation = recorder.conversation(0)
    assert conversation is not None
    assert [one.is_resent for one in CallPath(conversation)] == [None, False, True]
