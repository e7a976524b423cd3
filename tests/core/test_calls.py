"""Calls: what was really sent, kept beside the history and never undone."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import Conversation, Redo, Refused, Undo
from ctxtui.core.engine.calls import Call, CallUsage
from ctxtui.core.formats import format_named
from ctxtui.core.formats.warnings import sentences
from tests.core.samples import Data, facts, five, refusal, refused, replayed, said, told

LOOK = {"name": "look", "parameters": {"type": "object", "properties": {"at": {}}}}
RUN = {"name": "run"}


def sent(conversation: Conversation, *models: str) -> None:
    """Record a call for each model."""
    for model in models:
        conversation.record_call(model=model)


def models(conversation: Any) -> list[str]:
    """Return the models of the calls on a path."""
    return [call.model for call in conversation.calls]


def branched() -> Conversation:
    """Return a conversation with calls in batch 0, on two branches, and at a revision twice."""
    conversation = five()
    sent(conversation, "start")
    conversation.execute({"operation": "TRUNCATE", "keepLast": 2})
    sent(conversation, "cut", "cut again")
    conversation.append("user", "m5")
    sent(conversation, "appended")
    conversation.rollback(0)
    conversation.execute({"operation": "CLEAR"})
    sent(conversation, "cleared")
    return conversation


def test_a_call_says_at_which_revision_and_when_it_was_sent() -> None:
    conversation = five()
    conversation.append("user", "m5")
    call = conversation.record_call(
        request="r1",
        model="m",
        parameters={"temperature": 0.2},
        usage={"input": 90, "cached": 60, "written": 20, "output": 7},
        answer=said("assistant", "m6"),
        wire={"0": {"cache_control": None}},
        outcome="cut",
        time=77,
    )
    assert (call.revision, call.time, call.outcome) == (1, 77, "cut")
    assert call.to_dict() == {
        "operation": "CALL",
        "revision": 1,
        "time": 77,
        "outcome": "cut",
        "request": "r1",
        "model": "m",
        "parameters": {"temperature": 0.2},
        "usage": {"input": 90, "cached": 60, "written": 20, "output": 7},
        "answer": {"role": "assistant", "content": "m6"},
        "wire": {"0": {"cache_control": None}},
    }
    assert Call.from_dict(json.loads(json.dumps(call.to_dict()))) == call
    assert list(conversation.calls) == [call]


def test_without_more_it_says_that_the_projection_was_sent_now() -> None:
    conversation = five()
    call = conversation.record_call()
    assert (call.revision, call.time, call.outcome) == (0, 1001, "complete")
    assert (call.tools, call.usage, call.answer) == (None, None, None)
    assert conversation.journal[-1].time == 1001


def test_the_calls_of_a_path_are_those_of_its_revisions_in_their_order() -> None:
    conversation = branched()
    assert models(conversation) == ["start", "cleared"]
    conversation.checkout(batch=1)
    assert models(conversation) == ["start", "cut", "cut again", "appended"]
    conversation.rollback(0)
    sent(conversation, "start again")
    conversation.checkout(batch=1)
    assert models(conversation) == ["start", "start again", "cut", "cut again", "appended"]
    everything = ["start", "cut", "cut again", "appended", "cleared", "start again"]
    assert [call.model for call in conversation.calls.all] == everything
    assert repr(conversation.calls) == "Calls(5 on this path, 6 in all)"


STEPS = st.one_of(
    st.just(("append", 0)),
    st.just(("call", 0)),
    st.tuples(st.sampled_from(["checkout", "ask"]), st.integers(0, 30)),
)


@given(st.lists(STEPS, max_size=30))
def test_the_calls_of_a_path_are_found_wherever_one_goes(steps: list[tuple[str, int]]) -> None:
    # What was found last is remembered, so that it matters what is asked and when.
    conversation = Conversation()
    for step, number in steps:
        revision = number % len(conversation.revisions)
        if step == "append":
            conversation.append("user", "more")
        elif step == "call":
            conversation.record_call()
        elif step == "checkout":
            conversation.checkout(revision=revision)
        else:
            above, at = set(), conversation.revisions[revision]
            while at.parent is not None:
                above.add(at.id)
                at = conversation.revisions[at.parent]
            on_path = [one for one in conversation.calls.all if one.revision in {0, *above}]
            expected = sorted(on_path, key=lambda call: call.revision)
            assert conversation.at(revision).calls == expected


def test_calls_read_like_a_sequence() -> None:
    conversation = branched()
    conversation.checkout(batch=1)
    calls = conversation.calls
    assert (len(calls), calls[0].model, calls[-1].model) == (4, "start", "appended")
    assert [call.model for call in calls[1:3]] == ["cut", "cut again"]
    assert calls == list(calls)
    assert calls != list(calls.all)
    assert calls[1] in calls
    with pytest.raises(IndexError):
        calls[4]


def test_what_was_asked_for_does_not_grow_afterwards() -> None:
    conversation = branched()
    before = conversation.calls
    conversation.record_call(tools=[LOOK])
    assert (len(before), len(before.all), before.tools) == (2, 5, {})
    assert (len(conversation.calls), len(conversation.calls.all)) == (3, 6)


def test_any_revision_has_the_calls_of_its_own_path() -> None:
    conversation = branched()
    assert models(conversation.at(0)) == ["start"]
    assert models(conversation.at(1)) == ["start", "cut", "cut again"]
    assert models(conversation.at(2)) == ["start", "cut", "cut again", "appended"]
    assert len(conversation.at(1).calls.all) == 5


def test_what_a_record_left_has_the_calls_of_then() -> None:
    conversation = five()
    sent(conversation, "one")
    conversation.append("user", "m5")
    conversation.record_call(model="two", tools=[LOOK])
    assert [models(conversation.at_record(place)) for place in range(4)] == [
        [],
        ["one"],
        ["one"],
        ["one", "two"],
    ]
    assert len(conversation.at_record(2).calls.all) == 1
    assert conversation.at_record(2).calls.tools == {}
    assert list(conversation.at_record(3).calls.tools.values()) == [(LOOK,)]
    assert models(conversation.at_record(2).at(0)) == ["one"]


def test_recording_a_call_is_no_undo_step_and_does_not_end_redo() -> None:
    conversation = five()
    conversation.append("user", "m5")
    sent(conversation, "appended")
    conversation.undo()
    assert models(conversation) == []
    sent(conversation, "undone")
    conversation.redo()
    assert models(conversation) == ["undone", "appended"]
    conversation.undo()
    refused(conversation, Undo())
    assert len(conversation.calls.all) == 2
    conversation.redo()
    refused(conversation, Redo())


def test_tool_definitions_are_kept_once_and_a_call_holds_their_key() -> None:
    conversation = five()
    first = conversation.record_call(tools=[LOOK, RUN])
    conversation.append("user", "m5")
    other_order_of_keys = {"parameters": LOOK["parameters"], "name": "look"}
    second = conversation.record_call(tools=[other_order_of_keys, RUN])
    other_order = conversation.record_call(tools=[RUN, LOOK])
    none = conversation.record_call(tools=[])
    assert first.tools == second.tools != other_order.tools != none.tools
    assert conversation.calls.tools == {
        first.tools: (LOOK, RUN),
        other_order.tools: (RUN, LOOK),
        none.tools: (),
    }
    written = json.dumps(conversation.to_dict())
    assert written.count('"definitions"') == 3
    assert Conversation.from_dict(json.loads(written)).calls.tools == conversation.calls.tools
    assert all(call.definitions is None for call in conversation.calls)


def test_the_key_of_tools_is_the_same_in_every_run() -> None:
    whole = sha256(b'[{"a":[1,null],"name":"run"}]').hexdigest()
    assert five().record_call(tools=[{"name": "run", "a": [1, None]}]).tools == whole[:16]
    assert five().record_call(tools=[{"name": "lone \ud800 漢"}]).tools is not None


def test_no_later_edit_of_what_was_given_reaches_a_call() -> None:
    conversation = five()
    tool, parameters, answer = {"name": "look", "in": [1]}, {"stop": ["a"]}, {"content": ["b"]}
    call = conversation.record_call(tools=[tool], parameters=parameters, answer=answer)
    tool["in"].append(2)  # type: ignore[attr-defined]
    parameters["stop"].append("c")
    answer["content"].append("d")
    assert call.to_dict()["parameters"] == {"stop": ["a"]}
    assert call.to_dict()["answer"] == {"content": ["b"]}
    assert conversation.calls.tools[call.tools or ""] == ({"name": "look", "in": (1,)},)
    with pytest.raises(TypeError):
        conversation.calls.tools[call.tools or ""][0]["name"] = "run"


@pytest.mark.parametrize(
    "answer", ["text", 3, 0.5, False, [], {"content": None}, [1, [2]]], ids=str
)
def test_an_answer_is_any_json_value(answer: Any) -> None:
    conversation = five()
    conversation.record_call(answer=answer)
    again = replayed(conversation)
    assert again == conversation
    assert again.calls[0].to_dict()["answer"] == answer


def test_what_a_call_cost_is_part_of_the_sums_once() -> None:
    conversation = five()
    conversation.record_call(usage={"input": 100, "cached": 90, "output": 7}, request="r1")
    conversation.record_usage(50, 5, total=60)
    conversation.record_call(usage=CallUsage(output=3))
    conversation.record_call(usage={})
    conversation.record_call(outcome="failed")
    usage = conversation.usage
    assert (usage.prompt, usage.completion, usage.total) == (150, 15, 170)
    assert [(one.prompt, one.request) for one in usage.requests] == [
        (100, "r1"),
        (50, None),
        (0, None),
    ]
    assert replayed(conversation).usage == usage
    assert conversation.copy().usage == usage


USAGE_KEYS = "input, cached, written, output"
BAD: dict[str, tuple[Data, str, str]] = {
    "unknown figure": ({"usage": {"prompt": 1}}, "usage.prompt", USAGE_KEYS),
    "negative figure": ({"usage": {"input": -1}}, "usage.input", "0 or more"),
    "figure is huge": ({"usage": {"output": 2**41}}, "usage.output", "0…1099511627776"),
    "figure is true": ({"usage": {"input": True}}, "usage.input", "a whole number"),
    "figure is text": ({"usage": {"input": "5"}}, "usage.input", "a whole number"),
    "usage is a number": ({"usage": 5}, "usage.usage", "an object"),
    "outcome": ({"outcome": "aborted"}, "outcome", "one of complete, cut, failed"),
    "no outcome": ({"outcome": None}, "outcome", "one of complete, cut, failed"),
    "tools are an object": ({"tools": {}}, "tools", "a list of tool definitions"),
    "tools are text": ({"tools": "look"}, "tools", "a list of tool definitions"),
    "a tool is text": ({"tools": [RUN, "look"]}, "tools[1]", "a JSON object"),
    "time": ({"time": -1}, "time", "0…253402214400000"),
    "time is text": ({"time": "now"}, "time", "a whole number of milliseconds"),
    "model is empty": ({"model": ""}, "model", "1 character or more"),
    "request is a number": ({"request": 5}, "request", "text"),
    "parameters": ({"parameters": [1]}, "parameters", "a JSON object"),
    "wire": ({"wire": "x"}, "wire", "a JSON object"),
    "answer is no JSON": ({"answer": {1, 2}}, "answer", "a JSON value"),
    "answer is infinite": ({"answer": [float("inf")]}, "answer", "a JSON number"),
}


@pytest.mark.parametrize(("given", "field", "legal"), BAD.values(), ids=BAD.keys())
def test_a_bad_call_is_refused_and_nothing_is_kept(given: Data, field: str, legal: str) -> None:
    conversation = branched()
    before = conversation.copy()
    caught = refusal(lambda: conversation.record_call(**{"tools": [LOOK], **given}))
    assert facts(caught)[0] == field
    assert str(facts(caught)[2]).startswith(legal)
    assert conversation == before
    assert (conversation.calls.tools, len(conversation.calls.all)) == ({}, 5)
    assert conversation.check() == []


def test_a_call_is_nothing_that_could_be_executed() -> None:
    conversation = five()
    assert "'CALL' is not an operation" in str(refused(conversation, {"operation": "CALL"}))
    assert "CALL" in str(refused(conversation, Call(revision=0, time=1)))


def test_a_copy_and_its_original_do_not_see_each_other_s_calls() -> None:
    conversation = branched()
    twin = conversation.copy()
    assert twin == conversation
    twin.record_call(tools=[LOOK])
    assert twin != conversation
    assert (len(conversation.calls.all), conversation.calls.tools) == (5, {})
    conversation.record_call(model="other")
    assert models(twin)[-1] is None
    assert models(conversation)[-1] == "other"


def test_two_conversations_differ_by_their_calls_alone() -> None:
    one, other, third = five(), five(), five()
    one.record_call(time=5, tools=[LOOK])
    other.record_call(time=5, tools=[RUN])
    third.record_call(time=5, tools=[LOOK])
    assert one != other
    assert one == third


def test_a_squashed_conversation_has_a_history_of_its_own_and_no_call() -> None:
    assert list(branched().squash().calls.all) == []


def test_reading_calls_leaves_no_trace_in_what_is_saved() -> None:
    conversation = branched()
    before = conversation.to_dict()
    for revision in conversation.revisions:
        assert len(conversation.at(revision).calls) <= 5
    assert conversation.to_dict() == before


def edit(place: int, **news: Any) -> Callable[[list[Data]], object]:
    """Return a damage: some fields of one record's operation are overwritten."""
    return lambda journal: journal[place]["operation"].update(news)


DAMAGES: dict[str, tuple[Callable[[list[Data]], object], str]] = {
    "other revision": (edit(3, revision=0), "journal[3]: revision 0 is not 1"),
    "unknown revision": (edit(3, revision=9), "journal[3]: revision 9 is not 1"),
    "no revision": (lambda journal: journal[3]["operation"].pop("revision"), "has no revision"),
    "unknown tools": (edit(3, tools="feed"), "journal[3]: tools 'feed' are defined neither"),
    "definitions lost": (
        lambda journal: journal[1]["operation"].pop("definitions"),
        "are defined neither by this call nor by one before it",
    ),
    "other definitions": (edit(1, definitions=[RUN]), "is not the key of the definitions"),
    "definitions alone": (edit(4, definitions=[RUN]), "tools null is not the key"),
    "definitions are text": (edit(1, definitions="x"), "is not a list of tool definitions"),
    "outcome": (edit(1, outcome="lost"), "outcome 'lost' is not one of complete, cut, failed"),
    "unknown field": (edit(1, colour="red"), "'colour' is not a field of CALL; it takes revision"),
    "order": (lambda journal: journal.insert(1, journal.pop(3)), "journal[1]: revision 1 is not 0"),
}


@pytest.mark.parametrize(("damage", "words"), DAMAGES.values(), ids=DAMAGES.keys())
def test_a_journal_with_a_call_that_cannot_have_been_is_refused(
    damage: Callable[[list[Data]], object], words: str
) -> None:
    conversation = five()
    conversation.record_call(tools=[LOOK])
    conversation.append("user", "m5")
    conversation.record_call(tools=[LOOK])
    conversation.record_call()
    journal = told(conversation)
    assert Conversation.replay(journal) == conversation
    damage(journal)
    with pytest.raises(Refused) as caught:
        Conversation.replay(journal)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_format_of_messages_says_that_calls_are_left_out() -> None:
    conversation = five()
    conversation.record_call(usage={"input": 5})
    conversation.record_call()
    assert sentences(format_named("openai").write(conversation).warnings) == (
        "recorded token usage is left out (requests: 1)",
        "recorded calls are left out (2)",
    )
    assert format_named("native").write(conversation).warnings == ()
