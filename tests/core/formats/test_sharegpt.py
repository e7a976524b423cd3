"""ShareGPT and Alpaca: training data, whose calls are texts without ids."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import Conversation, Redact
from core.formats import Source, detect, format_named, load
from tests.core.formats.exchanges import JSON, exchanges, part_call, part_result, projection
from tests.core.samples import refusal, said

SHAREGPT = format_named("sharegpt")


def rows(*pairs: tuple[str, Any]) -> dict[str, Any]:
    return {"conversations": [{"from": who, "value": what} for who, what in pairs]}


CALL = '{"name": "f", "arguments": {"a": 1}}'


def test_calls_and_results_are_paired_by_their_order() -> None:
    both = '[{"name": "f", "arguments": {}}, {"name": "g", "arguments": {}}]'
    data = rows(("human", "u"), ("function_call", both), ("observation", "1"), ("observation", "2"))
    made = load(data).conversation
    assert [message.calls or message.results for message in made.visible] == [
        (),
        ("call_1_0", "call_1_1"),
        ("call_1_0",),
        ("call_1_1",),
    ]
    assert made.lint() == []
    assert SHAREGPT.write(made).data == data


def test_a_call_without_a_result_takes_none_of_a_later_call() -> None:
    data = rows(("function_call", CALL), ("gpt", "no"), ("function_call", CALL), ("tool", "1"))
    made = load(data).conversation
    assert made.visible[3].results == made.visible[2].calls
    assert SHAREGPT.write(made).data == data


@pytest.mark.parametrize(
    "text",
    [
        CALL,
        f"[{CALL}]",
        CALL.replace(" ", ""),
        '{"arguments": "{\\"a\\": 1}", "name": "f"}',
        '{"name": "f"}',
        '{"name": "f", "arguments": null, "thought": "x", "id": "c"}',
        '{"name": "f", "arguments": "no JSON"}',
        '{"name": "f", "arguments": {"a": 1, "a": 2}}',
        "no JSON",
        "[]",
        '{"arguments": {}}',
    ],
)
def test_a_call_is_given_back_as_it_was(text: str) -> None:
    data = rows(("human", "u"), ("function_call", text), ("observation", "1"))
    assert SHAREGPT.write(load(data).conversation).data == data


def test_the_prompt_beside_the_rows_stays_there_when_it_is_changed() -> None:
    data = {**rows(("human", "u"), ("gpt", "a")), "system": "Be brief."}
    made = load(data).conversation
    assert made.visible[0].text == "Be brief."
    made.execute(Redact(indices=[0], text="X"))
    assert SHAREGPT.write(made).data == {**data, "system": "X"}


def test_messages_of_others_become_rows_and_what_these_can_not_hold_is_told() -> None:
    made = Conversation(
        [
            said("user", "u"),
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": {"text": "hm", "signature": "s"}},
                    {"type": "text", "text": "a"},
                    part_call("c1", "f", {"a": 1}),
                    part_call("c2", "g", {}),
                ],
            },
            {"role": "user", "content": [part_result("c2", "2"), part_result("c1", "1")]},
        ],
        meta={"tools": [{"name": "f", "parameters": {}}]},
    )
    made.record_usage(1)
    written = SHAREGPT.write(made)
    both = '[{"name": "f", "arguments": {"a": 1}}, {"name": "g", "arguments": {}}]'
    assert written.data == {
        **rows(
            ("human", "u"),
            ("gpt", "a"),
            ("function_call", both),
            ("observation", "2"),
            ("observation", "1"),
        ),
        "tools": '[{"name": "f", "parameters": {}}]',
    }
    assert written.problems == (
        "what providers said of the costs is left out (requests: 1)",
        "thinking parts are left out (message 1)",
        "ids of tool calls are left out (message 1)",
        "messages are split into a row for each text, call and result (messages 1, 2)",
        "results follow their calls in another order, by which alone they are told apart "
        "(message 2)",
    )


@given(exchanges())
def test_a_conversation_is_the_same_after_writing_and_reading(messages: Any) -> None:
    made = Conversation(messages)
    again = load(json.loads(SHAREGPT.write(made).text), "sharegpt").conversation
    assert projection(again, ids=False) == projection(made, ids=False)
    assert again.lint() == made.lint()


SPEAKERS = ["human", "gpt", "system", "function_call", "observation", "tool_call", "narrator"]
ROWS = st.fixed_dictionaries(
    {"from": st.sampled_from(SPEAKERS)},
    optional={
        "value": st.none()
        | st.text(max_size=5)
        | st.sampled_from([CALL, f"[{CALL}, {CALL}]"])
        | JSON.map(json.dumps),
        "weight": JSON,
    },
)


@given(
    st.fixed_dictionaries(
        {"conversations": st.lists(ROWS, min_size=1)},
        optional={
            "id": JSON,
            "system": st.none() | st.text(max_size=5),
            "tools": JSON | JSON.map(json.dumps) | st.just('[{"name":"f","parameters":{}}]'),
        },
    )
)
def test_data_is_the_same_after_reading_and_writing(data: Any) -> None:
    assert SHAREGPT.write(load(data, "sharegpt").conversation).data == data


def test_alpaca_is_a_question_with_what_it_is_about_and_an_answer() -> None:
    example = {"instruction": "Add.", "input": "1 1", "output": "2", "history": [["q", "a"]]}
    found = load({**example, "system": "Be kind.", "score": 5})
    assert [(one.role, one.text) for one in found.conversation.visible] == [
        ("system", "Be kind."),
        ("user", "q"),
        ("assistant", "a"),
        ("user", "Add.\n1 1"),
        ("assistant", "2"),
    ]
    assert found.conversation.meta["alpaca"] == {"score": 5}
    assert found.problems == ("keys are kept in meta.alpaca: score",)


def test_what_is_no_text_in_alpaca_is_refused() -> None:
    caught = refusal(lambda: load({"instruction": 5, "output": "x"}))
    assert str(caught) == "instruction 5 is not text"


@pytest.mark.parametrize("extra", [{"conversations": []}, {"conversations": [{"x": 1}]}])
def test_rows_nobody_knows_are_no_sharegpt(extra: dict[str, Any]) -> None:
    refusal(lambda: detect(Source.of_data(extra)))
