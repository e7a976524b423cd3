"""Codex in detail: items of lines, compactions, turns that were taken back, changes."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import Conversation
from ctxtui.core.formats import Source, dump_json, format_named, load, read_json
from ctxtui.core.formats.warnings import sentences
from tests.core.formats.projecting import in_a_row
from tests.core.formats.vectors import FOLDER
from tests.core.message_strategies import beginnings
from tests.core.samples import said
from tests.core.test_formats_random import conversations

CODEX = format_named("codex")
ROLLOUT = FOLDER / "codex" / "rollout.jsonl"
Row = dict[str, Any]


def source(rows: list[Row]) -> Source:
    return Source.of_text("".join(f"{json.dumps(row)}\n" for row in rows))


def lines() -> list[Row]:
    return [value for _, value in Source.of_path(ROLLOUT).records()]


def texts(conversation: Conversation) -> list[str]:
    return [message.text for message in conversation.visible]


def test_compactions_are_batches_and_turns_taken_back_a_branch() -> None:
    found = load(Source.of_path(ROLLOUT)).conversation
    assert texts(found) == ["The oldest is Gand.", "Thanks."]
    said_of = [batch.description for batch in found.batches]
    assert said_of[1:] == ["branch 1 of 2", "compaction", "compaction"]
    first = found.at(found.newest(found.batches[2])).visible
    assert [message.text for message in first] == [
        "Count the sheets.",
        "Summary: 42 sheets were counted.",
        "Which is the oldest?",
        "Gand, of 1786.",
    ]
    assert "It is gone." in [message.text for message in found.log]


def test_calls_and_thoughts_are_one_message_with_its_time() -> None:
    found = load(Source.of_path(ROLLOUT)).conversation
    spoken = found.log[3]
    assert [part.type for part in spoken.parts] == ["thinking", "tool_use", "tool_use"]
    assert spoken.timestamp == 1_759_647_608_250
    assert [message.role for message in found.log[:3]] == ["system", "user", "user"]
    assert found.log[4].results == ("call_1",)


def test_a_session_that_went_on_keeps_its_lines() -> None:
    found = load(Source.of_path(ROLLOUT)).conversation
    found.append(said("assistant", "You are welcome."))
    *before, last = CODEX.write(found).data
    assert before == lines()
    content = [{"type": "output_text", "text": "You are welcome."}]
    assert last == {
        "timestamp": lines()[-1]["timestamp"],
        "type": "response_item",
        "payload": {"type": "message", "role": "assistant", "content": content},
    }


def test_what_was_hidden_is_not_written_and_told() -> None:
    found = load(Source.of_path(ROLLOUT)).conversation
    found.execute({"operation": "ROLLBACK", "targetBatchIndex": 1})
    found.execute({"operation": "DELETE", "indices": [found.view[0]]})
    written = CODEX.write(found)
    assert sentences(written.warnings)[0].startswith("hidden messages are left out (")
    assert [row["type"] for row in written.data] == ["session_meta", *["response_item"] * 4]
    again = load(source(written.data)).conversation
    assert texts(again) == texts(found)


def test_the_thoughts_of_a_rollout_go_to_responses_as_they_are() -> None:
    found = load(Source.of_path(FOLDER / "codex" / "short.jsonl")).conversation
    items = format_named("responses").write(found).data
    given = [row["payload"] for row in lines() if row["type"] == "response_item"]
    assert items == [given[2], given[8]]


payload = st.one_of(
    st.builds(
        lambda role, text: {"type": "message", "role": role, "content": text},
        st.sampled_from(["user", "assistant", "developer"]),
        st.sampled_from(["x", "", None])
        | st.lists(st.just({"type": "input_text", "text": "y"}), max_size=2),
    ),
    st.sampled_from(
        [
            {"type": "function_call", "name": "f", "arguments": "{}", "call_id": "c"},
            {"type": "function_call_output", "call_id": "c", "output": "o"},
            {"type": "reasoning", "summary": [], "encrypted_content": "e"},
            {"type": "ghost_snapshot"},
        ]
    ),
)
rollouts = st.lists(
    st.builds(lambda one: ("response_item", one), payload)
    | st.sampled_from(
        [
            ("event_msg", {"type": "thread_rolled_back", "num_turns": 1}),
            ("event_msg", {"type": "token_count"}),
            ("compacted", {"message": "s"}),
            ("compacted", {"message": "s", "replacement_history": [{"role": "user"}]}),
        ]
    ),
    max_size=9,
)


@given(rollouts)
def test_any_rollout_comes_back_line_by_line(drawn: list[tuple[str, Row]]) -> None:
    rows = [
        {"timestamp": f"t{i}", "type": type, "payload": one} for i, (type, one) in enumerate(drawn)
    ]
    sent = [one for type, one in drawn if type in ("response_item", "compacted")]
    if any(one.get("type") != "ghost_snapshot" for one in sent):
        found = load(source(rows), "codex").conversation
        assert found.check() == []
        written = CODEX.write(found)
        assert (written.data, sentences(written.warnings)) == (rows, ())


@given(conversations())
def test_any_conversation_is_written_in_a_way_that_can_be_read(conversation: Conversation) -> None:
    rows: Any = read_json(dump_json(CODEX.write(conversation).data))
    if rows:
        assert load(source(rows), "codex").conversation.check() == []


@given(beginnings.filter(bool))
def test_what_is_not_reported_is_held(messages: list[Any]) -> None:
    conversation = Conversation(messages)
    written = CODEX.write(conversation)
    again = load(source(written.data), "codex").conversation if written.data else Conversation()
    assert sentences(written.warnings) or in_a_row(again) == in_a_row(conversation)
