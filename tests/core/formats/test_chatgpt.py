"""ChatGPT's export: trees that come back whole, also after changes."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import Append, Checkout, Conversation, Delete, Insert, Redact
from ctxtui.core.formats import format_named, load
from ctxtui.core.formats.warnings import sentences
from tests.core.formats.exchanges import JSON, exchanges, part_call, part_result, projection
from tests.core.samples import said

CHATGPT = format_named("chatgpt")


def says(role: str, text: str, **more: Any) -> dict[str, Any]:
    content = {"content_type": "text", "parts": [text]}
    return {"author": {"role": role}, "content": content, **more}


def tree(*nodes: tuple[str, str | None, Any], **more: Any) -> dict[str, Any]:
    mapping: dict[str, Any] = {}
    for key, parent, message in nodes:
        row = None if message is None else {"id": key, **message}
        mapping[key] = {"id": key, "parent": parent, "children": [], "message": row}
        if parent in mapping:
            mapping[parent]["children"].append(key)
    return {"title": "t", **more, "mapping": mapping}


FORKED = tree(
    ("root", None, None),
    ("a", "root", says("user", "a")),
    ("b", "a", says("assistant", "b")),
    ("c", "b", says("user", "c")),
    ("d", "b", says("user", "d")),
    current_node="c",
)


def texts(conversation: Conversation) -> list[str]:
    return [message.text for message in conversation.visible]


def test_the_current_branch_is_current_and_the_others_are_batches() -> None:
    made = load(FORKED).conversation
    assert made.meta["title"] == "t"
    assert texts(made) == ["a", "b", "c"]
    assert [message.text for message in made.log] == ["a", "b", "c", "d"]
    assert len(made.batches) == 3
    assert CHATGPT.write(made).data == FORKED


def test_another_branch_is_the_current_one_after_a_checkout() -> None:
    made = load(FORKED).conversation
    branch = next(one for one in made.revisions if 3 in one.view)
    made.execute(Checkout(revision=branch.id))
    written = CHATGPT.write(made)
    assert written.data == {**FORKED, "current_node": "d"}
    assert sentences(written.warnings) == ()
    assert texts(load(written.data).conversation) == ["a", "b", "d"]


def test_a_deleted_message_goes_and_its_children_hang_from_its_parent() -> None:
    made = load(FORKED).conversation
    made.execute(Delete(indices=[1]))
    written = CHATGPT.write(made)
    assert sorted(written.data["mapping"]) == ["a", "b", "c", "d", "root"]
    made = load({**FORKED, "mapping": load_without_d()}).conversation
    made.execute(Delete(indices=[1]))
    written = CHATGPT.write(made)
    assert sorted(written.data["mapping"]) == ["a", "c", "root"]
    assert written.data["mapping"]["a"]["children"] == ["c"]
    assert sentences(written.warnings) == (
        "messages that are on no branch are left out (1)",
        "the history is left out (changes: 1)",
    )
    assert texts(load(written.data).conversation) == ["a", "c"]


def load_without_d() -> dict[str, Any]:
    mapping: dict[str, Any] = json.loads(json.dumps(FORKED["mapping"]))
    del mapping["d"]
    mapping["b"]["children"] = ["c"]
    return mapping


def test_a_redacted_text_is_nowhere_in_the_file() -> None:
    made = load(FORKED).conversation
    made.execute(Redact(indices=[1], text="X"))
    written = CHATGPT.write(made)
    assert sentences(written.warnings) == (
        "messages that are on no branch are left out (1)",
        "the history is left out (changes: 1)",
    )
    mapping = written.data["mapping"]
    assert mapping["b"]["message"]["content"]["parts"] == ["X"]
    assert {key: node["parent"] for key, node in mapping.items()} == {
        "root": None,
        "a": "root",
        "b": "a",
        "c": "b",
        "d": "b",
    }


def test_new_messages_hang_from_the_last() -> None:
    made = load(FORKED).conversation
    made.execute(Append(messages=[said("assistant", "new")]))
    written = CHATGPT.write(made)
    (new,) = set(written.data["mapping"]) - set(FORKED["mapping"])
    assert written.data["current_node"] == new
    assert written.data["mapping"]["c"]["children"] == [new]
    assert texts(load(written.data).conversation) == ["a", "b", "c", "new"]


def test_what_goes_to_a_tool_is_a_call_and_the_tool_answers_it() -> None:
    code = {"content_type": "code", "language": "python", "text": "1+1"}
    data = tree(
        ("u", None, says("user", "u")),
        ("c", "u", {**says("assistant", ""), "content": code, "recipient": "python"}),
        ("r", "c", says("tool", "2")),
        ("e", "r", says("assistant", "two", recipient="all")),
        current_node="e",
    )
    made = load(data).conversation
    assert made.visible[1].to_dict()["content"] == [part_call("c", "python", {"text": "1+1"})]
    assert made.visible[2].to_dict()["content"] == [part_result("c", "2")]
    assert made.lint() == []
    assert CHATGPT.write(made).data == data


def test_messages_of_others_are_split_and_what_can_not_be_held_is_told() -> None:
    parts = [
        {"type": "thinking", "thinking": {"text": "hm", "signature": "s"}},
        {"type": "text", "text": "a"},
        part_call("c1", "f", {"a": 1}),
    ]
    rows = [said("user", "u"), {"role": "assistant", "content": parts}]
    rows.append({"role": "tool", "content": [part_result("c1", "1")]})
    made = Conversation(rows)
    made.record_usage(1)
    written = CHATGPT.write(made)
    again = load(written.data).conversation
    assert projection(again) == [(role, without_signature(part)) for role, part in projection(made)]
    assert sentences(written.warnings) == (
        "recorded token usage is left out (requests: 1)",
        "signatures of thinking are left out (message 1)",
        "messages with several kinds of parts are split (message 1)",
    )


def without_signature(part: Any) -> Any:
    if part["type"] == "thinking":
        return {**part, "thinking": {"text": part["thinking"]["text"]}}
    return part


def test_results_of_calls_made_at_once_answer_their_own_call() -> None:
    calls = [part_call("c1", "f", {"a": 1}), part_call("c2", "f", {"a": 2})]
    rows: list[Any] = [said("user", "u"), {"role": "assistant", "content": calls}]
    rows += [{"role": "tool", "content": [part_result(id, id)]} for id in ("c2", "c1")]
    made = Conversation(rows)
    again = load(CHATGPT.write(made).data).conversation
    assert projection(again) == projection(made)


def test_a_result_still_answers_its_call_when_something_comes_between() -> None:
    data = tree(
        ("u", None, says("user", "u")),
        ("c", "u", says("assistant", "{}", recipient="python")),
        ("r", "c", says("tool", "2", metadata={"x": 1})),
        current_node="r",
    )
    made = load(data).conversation
    made.execute(Insert(position=2, messages=[said("user", "wait")]))
    written = CHATGPT.write(made).data["mapping"]["r"]["message"]
    assert written["metadata"] == {"x": 1, "tool_call_id": "c"}


@pytest.mark.parametrize("given", [{"text": "{}"}, {"text": "a"}, {"text": "a", "b": 1}])
def test_an_input_of_one_text_is_not_taken_for_its_json(given: Any) -> None:
    made = Conversation([{"role": "assistant", "content": [part_call("c", "f", given)]}])
    assert projection(load(CHATGPT.write(made).data).conversation) == projection(made)


@pytest.mark.parametrize(
    ("message", "told"),
    [
        (
            {"role": "user", "content": [part_call("c", "f", {})]},
            "tool calls of other roles become assistant messages",
        ),
        (
            {"role": "assistant", "content": [part_call("c", "f", [1])]},
            "tool inputs that are not objects become text",
        ),
        (
            {"role": "assistant", "content": [part_call("c", "all", {})]},
            "tool calls without a name, or to all, become text",
        ),
        (
            {"role": "user", "content": [{"type": "text", "text": "a", "metadata": {"x": 1}}]},
            "metadata is left out",
        ),
        (
            {"role": "user", "content": [part_result("c", "1")]},
            "tool results become messages of the role tool",
        ),
    ],
)
def test_what_becomes_of_messages_that_it_has_not_is_told(message: Any, told: str) -> None:
    written = CHATGPT.write(Conversation([message]))
    assert sentences(written.warnings) == (f"{told} (message 0)",)


def test_a_message_of_which_nothing_can_be_held_keeps_its_place() -> None:
    data = {"role": "user", "content": [{"type": "data", "data": {"x": 1}}]}
    written = CHATGPT.write(Conversation([data, said("assistant", "a")]))
    assert sentences(written.warnings) == ("parts are left out: data (message 0)",)
    assert texts(load(written.data).conversation) == ["", "a"]


def test_ids_of_messages_are_kept() -> None:
    made = Conversation([{**said("user", "u"), "id": "m1"}])
    written = CHATGPT.write(made)
    assert load(written.data).conversation.visible[0].id == "m1"
    assert sentences(written.warnings) == ()


@given(exchanges())
def test_what_is_said_is_the_same_after_writing_and_reading(messages: Any) -> None:
    made = Conversation(messages)
    again = load(json.loads(CHATGPT.write(made).text), "chatgpt").conversation
    assert projection(again) == projection(made)


@pytest.mark.parametrize(
    "mapping",
    [
        {"a": {"message": {**says("user", "a"), "content": {"thoughts": [{"content": ""}]}}}},
        {
            "d": {"message": says("user", "d"), "parent": None, "children": ["f"]},
            "e": {"message": None, "children": ["f"]},
            "f": {"message": says("user", "f")},
        },
    ],
    ids=["a bare thought", "a child of two"],
)
def test_odd_nodes_come_back_as_they_were(mapping: Any) -> None:
    assert CHATGPT.write(load({"mapping": mapping}, "chatgpt").conversation).data == {
        "mapping": mapping
    }


CONTENTS = (
    st.fixed_dictionaries(
        {"parts": st.lists(st.text(max_size=4) | JSON, max_size=3)}, optional={"content_type": JSON}
    )
    | st.fixed_dictionaries(
        {"thoughts": st.lists(st.fixed_dictionaries({"content": JSON}), max_size=2)}
    )
    | st.dictionaries(st.sampled_from(["text", "content", "result", "x"]), JSON)
    | JSON
)
MESSAGES = st.none() | st.fixed_dictionaries(
    {
        "author": st.fixed_dictionaries(
            {"role": st.sampled_from(["user", "assistant", "tool", "system", "critic"])},
            optional={"name": JSON},
        )
    },
    optional={
        "id": JSON,
        "content": CONTENTS,
        "recipient": JSON | st.sampled_from(["all", "python"]),
        "create_time": JSON | st.floats(0, 2e9),
        "weight": JSON,
    },
)
KEYS = st.sampled_from("abcdef")
NODES = st.fixed_dictionaries(
    {"message": MESSAGES},
    optional={"id": JSON, "parent": st.none() | KEYS, "children": st.lists(KEYS, max_size=3)},
)


@given(
    st.dictionaries(KEYS, NODES, min_size=1),
    st.fixed_dictionaries(
        {}, optional={"current_node": st.none() | KEYS, "title": JSON, "x": JSON}
    ),
)
def test_data_is_the_same_after_reading_and_writing(mapping: Any, beside: Any) -> None:
    data = {"mapping": mapping, **beside}
    found = load(data, "chatgpt")
    written = CHATGPT.write(found.conversation)
    if not {"parent-missing", "parent-cycle"} & {one.code for one in found.warnings}:
        assert written.data == data
