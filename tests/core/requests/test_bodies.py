"""Bodies: every kind is read into messages and can be written again as it was."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import Conversation, Refused
from ctxtui.core.formats import Source, bodies, load_all
from ctxtui.core.formats.bodies import BodyReader, body_of
from ctxtui.core.formats.request_codecs import GivenForm
from ctxtui.core.formats.responses import GivenItem, grouped, read_items
from ctxtui.core.formats.warnings import WarningCollector
from ctxtui.core.requests.exchange import Exchange, Kind
from ctxtui.core.values.frozen import same_json
from ctxtui.core.values.patches import patch_between, patched
from tests.core.requests.traffic import FOLDER, RECORDINGS, Row, asked, exchange_of, recorded, said
from tests.profiles import examples

BODIES: dict[str, tuple[Kind, Row]] = {
    "chat": (
        "chat",
        {
            "model": "m",
            "temperature": 0.5,
            "stop": None,
            "tools": [{"type": "function", "function": {"name": "look", "parameters": {}}}],
            "messages": [
                said("developer", "You help."),
                said("user", [{"type": "text", "text": "hi", "cache_control": {"type": "e"}}]),
                said("assistant", "", reasoning_content="hm", refusal=None),
            ],
        },
    ),
    "old functions": (
        "chat",
        {
            "messages": [
                said("assistant", None, function_call={"name": "look", "arguments": "{}"}),
                said("function", "found", name="look"),
            ]
        },
    ),
    "messages": (
        "messages",
        {
            "model": "m",
            "max_tokens": 5,
            "system": [{"type": "text", "text": "You help.", "cache_control": {"type": "e"}}],
            "messages": [
                said("user", "hi"),
                said("assistant", [{"type": "tool_use", "id": "t", "name": "look", "input": {}}]),
                said("user", [{"type": "tool_result", "tool_use_id": "t", "content": None}]),
                said("user", [{"type": "tool_result", "tool_use_id": "t", "content": "x"}]),
                said("system", "Mind the gap."),
            ],
        },
    ),
    "responses": (
        "responses",
        {
            "model": "m",
            "instructions": "You help.",
            "input": [
                said("user", "hi"),
                {"type": "reasoning", "id": "r", "summary": []},
                {"type": "function_call", "call_id": "c", "name": "look", "arguments": "{}"},
                {"type": "function_call_output", "call_id": "c", "output": "found"},
                said("assistant", [{"type": "output_text", "text": "a"}], type="message", id="x"),
            ],
        },
    ),
    "a text": ("responses", {"model": "m", "input": "hi"}),
    "nothing new": ("responses", {"model": "m", "previous_response_id": "r"}),
    "gemini": (
        "gemini",
        {
            "systemInstruction": {"parts": [{"text": "You help."}]},
            "generationConfig": {"temperature": 1},
            "contents": [
                {"role": "user", "parts": [{"text": "hi"}]},
                {"role": "model", "parts": [{"functionCall": {"name": "look", "args": {}}}]},
                {
                    "role": "user",
                    "parts": [{"functionResponse": {"name": "look", "response": {"result": "f"}}}],
                },
            ],
        },
    ),
    "snake": (
        "gemini",
        {
            "system_instruction": {"parts": [{"text": "You help."}]},
            "contents": [{"parts": [{"inline_data": {"mime_type": "image/png", "data": "AA"}}]}],
        },
    ),
    "ollama": (
        "ollama",
        {
            "model": "m",
            "messages": [
                said("user", "hi", images=["AA"]),
                said("assistant", "", tool_calls=[{"function": {"name": "look", "arguments": {}}}]),
                said("tool", "found", tool_name="look"),
            ],
        },
    ),
    "nonsense": ("chat", {"messages": [7, None, {"content": 5}, {"role": "user"}, said("", "x")]}),
}


def rewritten(kind: Kind, body: Row) -> Row:
    """Return a body that was read and is written from its messages, with patches."""
    reader = BodyReader()
    read = reader.parse_request(Exchange(body, kind=kind))
    given = []
    for one in read.sent:
        base = reader.rows(kind, one.place, one.message)
        given.append(GivenForm(patched(base, patch_between(base, one.rows)), one.place))
    return body_of(read, given)


@pytest.mark.parametrize(("kind", "body"), BODIES.values(), ids=BODIES)
def test_a_body_is_written_again_as_it_was(kind: Kind, body: Row) -> None:
    assert same_json(rewritten(kind, body), body)


@pytest.mark.parametrize("name", RECORDINGS)
def test_recordings_are_written_again_as_they_were(name: str) -> None:
    for record in recorded(name):
        assert same_json(rewritten(record["kind"], record["request"]), record["request"])


@pytest.mark.parametrize("name", RECORDINGS)
def test_stored_bodies_have_the_keys_of_those_that_were_sent_in_their_order(name: str) -> None:
    rows = recorded(name)
    for one in load_all(Source.of_path(FOLDER / f"{name}.jsonl"), "requests"):
        stored = Conversation.from_dict(json.loads(json.dumps(one.conversation.to_dict())))
        for call in bodies.rewritten(stored):
            sent = rows[call.wire["number"]]["request"]
            assert json.dumps(call.body) == json.dumps(sent)


@pytest.mark.parametrize("name", RECORDINGS)
def test_a_recorded_message_needs_no_patch_but_for_its_markers(name: str) -> None:
    reader = BodyReader()
    for record in recorded(name):
        for one in reader.parse_request(exchange_of(record)).sent:
            base = reader.rows(record["kind"], one.place, one.message)
            edits = patch_between(base, one.rows)
            assert all(edit["at"][-1] == "cache_control" or "order" in edit for edit in edits)


@pytest.mark.parametrize("name", RECORDINGS)
def test_what_was_counted_is_read_whatever_it_is_called(name: str) -> None:
    for record in recorded(name):
        answered = BodyReader().parse_response(exchange_of(record))
        assert answered is not None
        told = {key: count for key, count in record["usage"].items() if count is not None}
        named = {"cached": "read", "written": "write"}
        assert {named.get(key, key): count for key, count in (answered.usage or {}).items()} == told


@pytest.mark.parametrize(
    ("kind", "response", "text"),
    [
        ("ollama", {"message": said("assistant", "yes"), "eval_count": 3}, "yes"),
        ("gemini", {"candidates": [{"content": {"role": "model", "parts": [{"text": "y"}]}}]}, "y"),
        ("chat", {"error": {"message": "no"}}, ""),
        ("chat", {"choices": []}, ""),
        ("messages", {"content": 7}, ""),
        ("responses", {"output": [7]}, ""),
    ],
)
def test_answers_are_read(kind: Kind, response: Row, text: str) -> None:
    answered = BodyReader().parse_response(Exchange({}, response, kind))
    assert answered is not None
    assert answered.text == text


def test_the_prompt_stands_before_the_messages() -> None:
    for name in ("messages", "responses", "gemini"):
        first = asked(*BODIES[name]).sent[0]
        assert (first.message.role, first.message.text) == ("system", "You help.")


def test_the_model_may_stand_in_the_path() -> None:
    read = asked("gemini", BODIES["gemini"][1], path="/v1/models/g-2:generateContent")
    assert read.model == "g-2"
    assert "model" not in body_of(read, [])


def test_what_is_beside_the_messages_is_told_apart() -> None:
    read = asked(*BODIES["chat"])
    assert (read.model, read.parameters) == ("m", {"temperature": 0.5, "stop": None})
    assert [tool["type"] for tool in read.tools or ()] == ["function"]


@pytest.mark.parametrize("kind", ["chat", "messages", "gemini"])
def test_a_body_without_messages_is_refused(kind: Kind) -> None:
    with pytest.raises(Refused, match="is not a list of"):
        asked(kind, {"model": "m"})


def test_a_message_that_was_read_before_is_shared() -> None:
    reader = BodyReader()
    rows = [said("user", "hi"), said("assistant", "ho")]
    first = reader.parse_request(Exchange({"messages": rows[:1]}))
    second = reader.parse_request(Exchange({"messages": rows}))
    assert first.sent[0] is second.sent[0]


def test_a_caller_who_changes_a_body_later_changes_nothing_here() -> None:
    body = {"messages": [said("user", "hi")]}
    read = asked("chat", body)
    body["messages"][0]["content"] = "ho"
    assert read.sent[0].message.text == "hi"
    assert read.sent[0].rows == [said("user", "hi")]


@pytest.mark.parametrize(
    ("headers", "body", "hints"),
    [
        ({"x-claude-code-session-id": "s", "x-claude-code-agent-id": "a"}, {}, (None, "s", "a")),
        ({"session-id": "s"}, {}, (None, "s", None)),
        ({}, {"metadata": {"user_id": '{"session_id": "s"}'}}, (None, "s", None)),
        ({}, {"metadata": {"user_id": "user_1_account__session_s"}}, (None, "s", None)),
        ({}, {"metadata": {"user_id": "{broken"}, "prompt_cache_key": "k"}, (None, None, None)),
    ],
)
def test_hints_are_found_in_headers_and_body(headers: Row, body: Row, hints: Any) -> None:
    assert asked("chat", {"messages": [], **body}, headers=headers).hints == hints


ITEMS = st.sampled_from(
    [
        said("user", "hi"),
        said("assistant", "ho"),
        said("assistant", ""),
        said("assistant", [{"type": "output_text", "text": "a"}], type="message"),
        {"type": "reasoning", "summary": []},
        {"type": "function_call", "call_id": "c", "name": "look", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "found"},
        {"type": "function_call_output", "call_id": "c", "output": 5},
        {"type": "web_search_call", "id": "w"},
    ]
)


@given(st.lists(ITEMS, max_size=12))
@examples(3.4)
def test_items_are_grouped_as_they_are_read(items: list[Row]) -> None:
    together, bad = read_items(
        [GivenItem(item, i) for i, item in enumerate(items)], WarningCollector()
    )
    assert not bad
    alone = [
        read_items([GivenItem(one, 0) for one in group], WarningCollector())[0]
        for group in grouped(items)
    ]
    assert alone == [[message] for message in together]


def test_an_instruction_that_no_message_can_hold_stays_a_parameter() -> None:
    deep: Any = []
    for _ in range(150):
        deep = [deep]
    body = {"systemInstruction": {"parts": [{"text": deep}]}, "contents": [{"parts": []}]}
    parsed = BodyReader().parse_request(Exchange(body, kind="gemini"))
    assert [one.place for one in parsed.sent] == ["messages"]
    assert parsed.parameters == {"systemInstruction": body["systemInstruction"]}
