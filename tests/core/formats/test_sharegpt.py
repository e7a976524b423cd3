"""ShareGPT and Alpaca: training data, whose calls are texts without ids."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import Conversation, Redact
from ctxtui.core.formats import Source, detect, format_named, load
from ctxtui.core.formats.warnings import sentences
from ctxtui.core.values.frozen import thaw
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


BOTH = f"[{CALL}, {CALL}]"


@pytest.mark.parametrize(
    ("text", "results"),
    [
        ('["1", {"é": [2.0]}]', ["1", '{"é": [2.0]}']),
        ('["1","\\u00e9"]', ["1", "é"]),
    ],
)
def test_one_list_of_results_answers_as_many_calls(text: str, results: list[str]) -> None:
    data = rows(("human", "u"), ("function_call", BOTH), ("observation", text), ("gpt", "a"))
    found = load(data)
    made = found.conversation
    assert made.visible[2].results == made.visible[1].calls
    parts = made.visible[2].to_dict()["content"]
    assert [part["tool_result"]["content"] for part in parts] == results
    assert made.lint() == []
    assert SHAREGPT.write(made).data == data
    made.execute(Redact(indices=[2], text="X"))
    assert "é" not in json.dumps(made.visible[2].to_dict(), ensure_ascii=False)
    redacted = SHAREGPT.write(made).data["conversations"][2]["value"]
    assert json.loads(redacted) == ["X", "X"]


@pytest.mark.parametrize("text", ["both went well", "[1]", "[1,  2]", "[1, 2, 3]"])
def test_one_result_for_several_calls_is_told(text: str) -> None:
    data = rows(("human", "u"), ("function_call", BOTH), ("observation", text))
    found = load(data)
    made = found.conversation
    assert made.visible[2].results == made.visible[1].calls[:1]
    told = "there are fewer results than calls; the first calls have them (message 2)"
    assert told in sentences(found.warnings)
    assert SHAREGPT.write(made).data == data


def test_a_list_is_one_result_where_each_call_has_its_own() -> None:
    data = rows(
        ("human", "u"), ("function_call", BOTH), ("observation", "[1, 2]"), ("observation", "3")
    )
    found = load(data)
    assert [len(message.results) for message in found.conversation.visible] == [0, 0, 1, 1]
    assert not any("fewer" in problem for problem in sentences(found.warnings))


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
    assert sentences(written.warnings) == (
        "recorded token usage is left out (requests: 1)",
        "parts are left out: thinking (message 1)",
        "ids of tool calls are left out (message 1)",
        "messages with several kinds of parts are split (messages 1, 2)",
        "tool results are out of order; this format matches them by order only (message 2)",
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
        | st.sampled_from([CALL, f"[{CALL}, {CALL}]", "[1, 2]", '["a","b"]'])
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
    assert found.conversation.meta == {"alpaca": {}, "fields": {"score": 5}}
    assert found.warnings == ()


def test_what_alpaca_has_beside_one_question_and_its_answer_are_other_fields() -> None:
    example = {"instruction": "Add.", "output": ["2", "two"], "history": [["q", "a"], "odd"]}
    found = load({**example, "tools": "see above"})
    assert [one.text for one in found.conversation.visible] == ["q", "a", "Add.", "2"]
    assert thaw(found.conversation.meta["fields"]) == {
        "tools": "see above",
        "output": ["two"],
        "history": ["odd"],
    }
    assert sentences(found.warnings) == (
        "pairs of the history that can't be read are in the field history (message 1)",
        "only the first answer is a message; the others are in the field output (1)",
    )


def test_what_is_no_text_in_alpaca_is_refused() -> None:
    caught = refusal(lambda: load({"instruction": 5, "output": "x"}))
    assert str(caught) == "instruction 5 is not text"


@pytest.mark.parametrize("extra", [{"conversations": []}, {"conversations": [{"x": 1}]}])
def test_rows_nobody_knows_are_no_sharegpt(extra: dict[str, Any]) -> None:
    refusal(lambda: detect(Source.of_data(extra)))


@pytest.mark.parametrize("keys", [("from", "value"), ("role", "content")])
def test_where_there_are_chat_messages_too_they_are_the_conversation(keys: tuple[str, str]) -> None:
    copy = {"conversations": [dict(zip(keys, ("user", "a copy"), strict=True))]}
    chat = {"messages": [{"role": "user", "content": "hello"}]}
    for data in ({**copy, **chat}, [{**chat, **copy}]):
        assert detect(Source.of_data(data)).name == "openai"
    assert load({**copy, **chat}).conversation.visible[0].text == "hello"


@pytest.mark.parametrize("messages", [[], "none", [7], [{"role": []}], [{"role": "x"}]])
def test_messages_that_are_no_chat_don_t_keep_rows_from_being_read(messages: Any) -> None:
    data = {"messages": messages, **rows(("human", "hello"))}
    assert detect(Source.of_data(data)).name == "sharegpt"
