"""Gemini's contents: both spellings, calls with and without ids, thoughts with signatures."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import Conversation, Delete, Redact
from ctxtui.core.formats import format_named, load
from ctxtui.core.formats.warnings import sentences
from tests.core.formats.exchanges import JSON, exchanges, part_call, part_result, projection
from tests.core.samples import said

GEMINI = format_named("gemini")


def content(role: str, *parts: Any) -> dict[str, Any]:
    return {"role": role, "parts": list(parts)}


def test_responses_without_ids_answer_the_calls_of_their_name() -> None:
    data = {
        "contents": [
            content("user", {"text": "u"}),
            content("model", *({"functionCall": {"name": name, "args": {}}} for name in "fg")),
            content(
                "user",
                {"functionResponse": {"name": "g", "response": {"result": "2"}}},
                {"functionResponse": {"name": "f", "response": {"a": 1}}},
            ),
        ]
    }
    made = load(data).conversation
    assert made.visible[2].role == "tool"
    assert made.visible[2].results == made.visible[1].calls[::-1]
    assert made.lint() == []
    assert GEMINI.write(made).data == data
    made.execute(Redact(indices=[2], text="X"))
    answers = GEMINI.write(made).data["contents"][2]["parts"]
    assert [one["functionResponse"]["response"] for one in answers] == [{"result": "X"}] * 2


@pytest.mark.parametrize("key", ["thoughtSignature", "thought_signature"])
def test_thoughts_are_thinking_with_their_signature(key: str) -> None:
    thought = {"text": "hm", "thought": True, key: "s"}
    data = {"contents": [content("user", {"text": "u"}), content("model", thought, {"text": "a"})]}
    made = load(data).conversation
    (first, _) = made.visible[1].to_dict()["content"]
    assert first == {"type": "thinking", "thinking": {"text": "hm", "signature": "s"}}
    assert GEMINI.write(made).data == data


def test_messages_of_others_become_contents_and_what_these_can_not_hold_is_told() -> None:
    url = "data:image/png;base64,AA=="
    made = Conversation(
        [
            said("system", "s"),
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "u"},
                    {"type": "image", "image_url": {"url": url}},
                ],
            },
            {"role": "assistant", "content": [part_call("a", "f", {}), part_call("b", "g", {})]},
            {"role": "tool", "content": [part_result("a", "1")]},
            {"role": "tool", "content": [part_result("b", "2")]},
            said("system", "later"),
        ],
        meta={"tools": [{"name": "f", "parameters": {}}]},
    )
    made.record_usage(1)
    written = GEMINI.write(made)
    assert written.data == {
        "systemInstruction": {"parts": [{"text": "s"}]},
        "contents": [
            content(
                "user", {"text": "u"}, {"inlineData": {"mimeType": "image/png", "data": "AA=="}}
            ),
            content(
                "model",
                {"functionCall": {"id": "a", "name": "f", "args": {}}},
                {"functionCall": {"id": "b", "name": "g", "args": {}}},
            ),
            content(
                "user",
                {"functionResponse": {"id": "a", "name": "f", "response": {"result": "1"}}},
                {"functionResponse": {"id": "b", "name": "g", "response": {"result": "2"}}},
            ),
            content("user", {"text": "later"}),
        ],
        "tools": [{"functionDeclarations": [{"name": "f", "parameters": {}}]}],
    }
    assert sentences(written.warnings) == (
        "recorded token usage is left out (requests: 1)",
        "system messages after other messages become user messages (message 5)",
    )


@pytest.mark.parametrize("input", [[1], "text", None, 0])
def test_an_input_that_is_no_object_is_put_into_one_and_told(input: Any) -> None:
    calls = [part_call("a", "f", input), part_call("b", "f", {})]
    written = GEMINI.write(Conversation([{"role": "assistant", "content": calls}]))
    (first, _) = written.data["contents"][0]["parts"]
    assert first["functionCall"]["args"] == {"input": input}
    assert sentences(written.warnings) == (
        "tool inputs that are not objects are put into one, as input (message 0)",
    )


def test_a_result_has_the_name_of_its_call_or_is_told() -> None:
    made = Conversation(
        [
            said("user", "u"),
            {"role": "assistant", "content": [part_call("a", "f", {})]},
            {"role": "tool", "content": [part_result("a", "1"), part_result("b", "2")]},
        ]
    )
    made.execute(Delete(indices=[1]))
    written = GEMINI.write(made)
    names = [part["functionResponse"]["name"] for part in written.data["contents"][1]["parts"]]
    assert names == ["f", "unknown"]
    told = "results without a call are given the name unknown (message 2)"
    assert told in sentences(written.warnings)


def test_an_instruction_alone_is_read_again() -> None:
    made = Conversation([said("system", "s")])
    assert projection(load(GEMINI.write(made).data).conversation) == projection(made)


@given(exchanges())
def test_a_conversation_is_the_same_after_writing_and_reading(messages: Any) -> None:
    made = Conversation(messages)
    again = load(json.loads(GEMINI.write(made).text), "gemini").conversation
    assert projection(again) == projection(made)
    # Results of one turn are one content, so that what is found stands elsewhere.
    assert [one.rule for one in again.lint()] == [one.rule for one in made.lint()]


def spelled(*names: str) -> st.SearchStrategy[str]:
    camel = [name.split("_")[0] + "".join(map(str.title, name.split("_")[1:])) for name in names]
    return st.sampled_from([*names, *camel])


BODIES = st.dictionaries(
    st.sampled_from(["id", "name", "args", "response", "data", "x"]) | spelled("mime_type"),
    JSON | st.sampled_from(["image/png", "f"]) | st.dictionaries(st.just("result"), JSON),
)
PARTS = st.dictionaries(
    st.sampled_from(["text", "thought", "x"])
    | spelled(
        "thought_signature", "function_call", "function_response", "inline_data", "file_data"
    ),
    JSON | BODIES | st.just(True),
    max_size=3,
)
ROWS = st.fixed_dictionaries(
    {},
    optional={
        "role": JSON | st.sampled_from(["user", "model", "function"]),
        "parts": st.none() | st.lists(PARTS | JSON, max_size=3),
        "x": JSON,
    },
)
BESIDE = st.dictionaries(
    spelled("system_instruction") | st.just("tools"),
    JSON
    | st.fixed_dictionaries({"parts": st.lists(PARTS, max_size=2)})
    | st.lists(st.dictionaries(spelled("function_declarations"), st.lists(BODIES, max_size=2))),
)


@given(st.lists(ROWS, min_size=1, max_size=4), BESIDE)
def test_data_is_the_same_after_reading_and_writing(rows: Any, beside: Any) -> None:
    data = {"contents": rows, **beside}
    assert GEMINI.write(load(data, "gemini").conversation).data == data
