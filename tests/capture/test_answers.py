"""Streamed answers become what the provider would have sent in one piece."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ctxtui.core.formats.bodies import assembled
from ctxtui.core.requests.exchange import Kind
from tests.capture import streams
from tests.capture.provider import event


def put(kind: Kind, pieces: list[bytes]) -> dict[str, Any]:
    answer, outcome = assembled(kind, b"".join(pieces))
    assert outcome == "complete"
    assert answer is not None
    return answer


def test_chat_joins_words_and_pieces_of_calls_that_take_turns() -> None:
    answer = put("chat", streams.chat(["one ", "two"], calls=2))
    (choice,) = answer["choices"]
    assert answer["object"] == "chat.completion"
    assert answer["usage"] == streams.USAGE
    assert choice["finish_reason"] == "tool_calls"
    assert choice["message"] == {
        "role": "assistant",
        "content": "one two",
        "tool_calls": [
            {
                "id": f"call_{place}",
                "type": "function",
                "function": {"name": "look", "arguments": f'{{"q": "q{place}"}}'},
            }
            for place in range(2)
        ],
    }


def test_chat_keeps_choices_and_reasoning_apart() -> None:
    def chunk(index: int, **delta: str) -> bytes:
        choice = {"index": index, "delta": delta, "finish_reason": None}
        return event({"id": "1", "choices": [choice]})

    pieces = [chunk(1, reasoning_content="a"), chunk(0, content="x"), chunk(1, content="y")]
    pieces += [chunk(1, reasoning_content="b"), event("[DONE]")]
    first, second = put("chat", pieces)["choices"]
    assert first["message"]["content"] == "x"
    assert (second["message"]["content"], second["message"]["reasoning_content"]) == ("y", "ab")


def test_chat_takes_what_is_said_in_every_piece_once() -> None:
    function = {"name": "look", "arguments": "{}"}
    call = {"index": 0, "id": "c1", "type": "function", "function": function}
    again = {"index": 0, "id": "c1", "type": "function", "function": {**function, "arguments": ""}}
    deltas = [{"role": "assistant", "tool_calls": [call]}, {"tool_calls": [again]}]
    pieces = [event({"choices": [{"index": 0, "delta": delta}]}) for delta in deltas]
    (choice,) = put("chat", [*pieces, event("[DONE]")])["choices"]
    (found,) = choice["message"]["tool_calls"]
    assert (found["id"], found["function"]) == ("c1", function)


def test_messages_have_blocks_with_signature_and_arguments() -> None:
    answer = put("messages", streams.messages(["He", "llo"], calls=2, is_thinking=True))
    assert answer["content"] == [
        {"type": "thinking", "thinking": "hmm so", "signature": "SIGNATURE=="},
        {"type": "text", "text": "Hello"},
        {"type": "tool_use", "id": "toolu_0", "name": "look", "input": {"q": "q0"}},
        {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"q": "q1"}},
    ]
    assert answer["stop_reason"] == "tool_use"
    assert answer["usage"] == {
        "input_tokens": 20,
        "cache_creation_input_tokens": 30,
        "cache_read_input_tokens": 50,
        "output_tokens": 7,
    }


def test_messages_skip_events_nobody_knows_and_replace_what_is_said_whole() -> None:
    deltas = [{"type": "compaction_delta", "content": text} for text in ("half", "whole")]
    told: list[dict[str, Any]] = [
        {"type": "message_start", "message": {"id": "m", "content": []}},
        {"type": "from_the_future", "index": 0},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "compaction"}},
        *({"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas),
        {"type": "content_block_delta", "index": 0, "delta": {"type": "unheard_of_delta"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_stop"},
    ]
    answer = put("messages", [event(one) for one in told])
    assert answer["content"] == [{"type": "compaction", "content": "whole"}]


def test_responses_are_the_object_of_the_last_event() -> None:
    pieces = streams.responses("Hello there", calls=2)
    last = json.loads(pieces[-1].split(b"data: ")[1])
    assert put("responses", pieces) == last["response"]


def test_responses_that_are_cut_off_have_what_came_so_far() -> None:
    pieces = streams.responses("Hello there", calls=1)
    answer = None
    for end in range(1, len(pieces)):
        answer, outcome = assembled("responses", b"".join(pieces[:end]))
        assert outcome == "cut"
        assert answer is not None
    whole, _ = assembled("responses", b"".join(pieces))
    assert whole is not None
    assert answer is not None
    assert answer["output"] == whole["output"]
    place = next(n for n, piece in enumerate(pieces) if b"output_text.delta" in piece)
    partly, _ = assembled("responses", b"".join(pieces[: place + 1]))
    assert partly is not None
    assert partly["output"][1]["content"] == [{"type": "output_text", "text": "Hel"}]


@pytest.mark.parametrize("is_listed", [True, False])
def test_gemini_joins_texts_of_one_kind_and_keeps_signatures(is_listed: bool) -> None:
    call = {"functionCall": {"name": "look", "args": {"q": 1}}, "thoughtSignature": "SIG"}
    chunks = streams.gemini(
        [
            [{"text": "hm", "thought": True}],
            [{"text": "m", "thought": True}, {"text": "He"}],
            [{"text": "llo"}, call],
            [{"text": "", "thoughtSignature": "END"}],
        ]
    )
    if is_listed:
        pieces = [json.dumps(chunks, indent=1).encode()]
    else:
        pieces = [b"data: " + json.dumps(chunk).encode() + b"\r\n\r\n" for chunk in chunks]
    answer = put("gemini", pieces)
    assert answer["candidates"][0]["content"] == {
        "role": "model",
        "parts": [
            {"text": "hmm", "thought": True},
            {"text": "Hello"},
            call,
            {"text": "", "thoughtSignature": "END"},
        ],
    }
    assert answer["candidates"][0]["finishReason"] == "STOP"
    assert answer["usageMetadata"]["promptTokenCount"] == 100


def test_gemini_that_is_a_list_cut_off_in_the_middle_is_read_so_far() -> None:
    content = json.dumps(streams.gemini([[{"text": "one "}], [{"text": "two"}]])).encode()
    answer, outcome = assembled("gemini", content[: content.index(b"two")])
    assert outcome == "cut"
    assert answer is not None
    assert answer["candidates"][0]["content"]["parts"] == [{"text": "one "}]


def test_a_prompt_that_gemini_blocks_is_an_answer() -> None:
    blocked = {"promptFeedback": {"blockReason": "SAFETY"}}
    assert put("gemini", [event(blocked)]) == blocked


def test_ollama_joins_lines() -> None:
    answer = put("ollama", streams.ollama(["one ", "two"]))
    assert answer["message"] == {"role": "assistant", "content": "one two"}
    assert (answer["done"], answer["prompt_eval_count"]) == (True, 100)


KINDS: dict[Kind, list[bytes]] = {
    "chat": streams.chat(["one ", "two"], calls=1),
    "responses": streams.responses("one two", calls=1),
    "messages": streams.messages(["one ", "two"], calls=1, is_thinking=True),
    "gemini": [event(chunk) for chunk in streams.gemini([[{"text": "one"}], [{"text": "two"}]])],
    "ollama": streams.ollama(["one ", "two"]),
}


@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_in_one_piece_is_taken_as_it_is(kind: Kind) -> None:
    answer, _ = assembled(kind, b"".join(KINDS[kind]))
    assert assembled(kind, json.dumps(answer).encode()) == (answer, "complete")


@pytest.mark.parametrize("kind", KINDS)
def test_a_stream_that_ends_at_any_byte_is_cut_and_never_fails(kind: Kind) -> None:
    content = b"".join(KINDS[kind])
    outcomes = [assembled(kind, content[:end]).outcome for end in range(0, len(content), 7)]
    done = outcomes.index("complete") if "complete" in outcomes else len(outcomes)
    assert set(outcomes[:done]) == {"cut"}
    assert set(outcomes[done:]) <= {"complete"}
    assert len(outcomes) - done < 200 / 7 * 3


HOSTILE = (
    b"",
    b"\x00\xff\xfe",
    b"data: \xff\n\n",
    b"data: [1, 2]\n\ndata: 7\n\ndata: null\n\ndata: {\n\n",
    b"[" * 50_000,
    b'{"a":' * 50_000,
    b"data: " + b'{"a":' * 5_000 + b"\n\n",
    b'data: {"choices": [{"index": "x", "delta": {"tool_calls": 3}}, 4, null]}\n\n',
    b'data: {"choices": [{"index": 0, "delta": {"content": {"a": 1}, "tool_calls": [7, {}]}}]}\n\n',
    b'data: {"type": "content_block_delta", "index": -4, "delta": {"type": 5}}\n\n',
    b'data: {"type": "content_block_delta", "delta": {"type": "input_json_delta"}}\n\n',
    b'data: {"type": "content_block_start", "index": 1e3, "content_block": {}}\n\n',
    b'data: {"type": "message_delta", "usage": [1], "delta": "x"}\n\n',
    b'data: {"type": "response.output_text.delta", "output_index": 9, "delta": "x"}\n\n',
    b'data: {"type": "response.output_item.added", "output_index": "a", "item": {"content": 1}}\n\n'
    b'data: {"type": "response.output_text.delta", "content_index": 1000000000, "delta": "x"}\n\n',
    b'data: {"candidates": [{"content": {"parts": [1, {"text": 2}]}}, {"content": 3}]}\n\n',
    b'data: {"candidates": 5, "error": null}\n\n',
    b'{"message": 5}\n{"message": {"content": 7, "tool_calls": {}}}\n{"done": "yes"}\n',
    b'data: {"choices": [{"delta": {"content": "\\ud800"}}]}\n\ndata: {"n": NaN}\n\n',
)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("content", HOSTILE, ids=range(len(HOSTILE)))
def test_nothing_a_server_sends_makes_it_fail(kind: Kind, content: bytes) -> None:
    assert assembled(kind, content).outcome in ("cut", "failed", "complete")


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("chat", {"error": {"message": "overloaded"}}),
        ("messages", {"type": "error", "error": {"type": "overloaded_error"}}),
        ("responses", {"type": "response.failed", "response": {"status": "failed"}}),
        ("responses", {"type": "error", "message": "overloaded"}),
        ("gemini", {"error": {"code": 503}}),
    ],
)
def test_an_error_in_the_middle_of_a_stream_is_a_failure(kind: Kind, told: Any) -> None:
    pieces = KINDS[kind][:3]
    assert assembled(kind, b"".join([*pieces, event(told)])).outcome == "failed"
