"""Logs of gateways and tracers: threads with a call for each request, and the last answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ctxtui.core import Refused
from ctxtui.core.engine.calls import CallUsage
from ctxtui.core.formats import Loaded, Source, detect, load_all
from tests.core.formats.vectors import FOLDER
from tests.core.samples import said

ASKED, GOOD = "Which sheet shows the harbour of Cork?", "Sheet 81 shows the harbour of Cork."
NEXT, LAST = "And which one is of the year 1902?", "That is sheet 112 of the second survey."
RUN = [ASKED, GOOD, NEXT, LAST]


def texts(loaded: Loaded) -> list[str]:
    return [row.text for row in loaded.conversation.visible if row.role in ("user", "assistant")]


def counted(loaded: Loaded) -> list[tuple[int | None, int | None]]:
    """Return what went in and came out of each call."""
    usages = [call.usage or CallUsage() for call in loaded.conversation.calls.all]
    return [(usage.input, usage.output) for usage in usages]


@pytest.mark.parametrize(
    ("file", "figures"),
    [
        ("litellm/payloads.jsonl", [(22, 9), (50, 12)]),
        ("langsmith/runs.jsonl", [(13, 8), (13, 8)]),
        ("langfuse/trace.json", [(20, 9), (40, 9)]),
        ("lhar/recording.jsonl", [(41, 9), (41, 9)]),
    ],
)
def test_requests_that_go_on_are_one_thread_with_its_calls(file: str, figures: Any) -> None:
    (found,) = load_all(Source.of_path(FOLDER / file))
    assert texts(found) == RUN
    assert counted(found) == figures
    talk = found.conversation
    assert [talk.at(call.revision).visible[-1].text for call in talk.calls.all] == [ASKED, NEXT]


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("litellm/completion.json", [[ASKED, GOOD]]),
        ("openai-batch/requests.jsonl", [[ASKED], [NEXT]]),
        ("openai-batch/answers.jsonl", [[GOOD], [LAST]]),
        ("openai-batch/joined.jsonl", [[ASKED, GOOD]]),
        ("stored-completions/list.json", [[GOOD]]),
        ("claude-tap/traces.jsonl", [[ASKED, GOOD], [NEXT, LAST]]),
        ("langsmith/upload.json", [[ASKED, GOOD]]),
        ("langfuse/rows.jsonl", [[ASKED, GOOD]]),
        ("http-recording/chat.json", [[ASKED, GOOD], [NEXT, LAST]]),
        ("bedrock-log/log.json", [[ASKED, GOOD]]),
    ],
)
def test_each_request_is_read_with_its_answer(file: str, expected: list[list[str]]) -> None:
    assert [texts(one) for one in load_all(Source.of_path(FOLDER / file))] == expected


def test_what_a_log_says_around_a_request_is_a_field_and_no_credential_is() -> None:
    record = {
        "upstream_base_url": "https://llm.example.org",
        "request": {
            "path": "/v1/messages",
            "headers": {"x-api-key": "sk-very-secret-key-of-somebody"},
            "body": {"model": "m", "max_tokens": 9, "messages": [said("user", "hi")]},
        },
        "response": {"status": 200, "body": None},
    }
    (found,) = load_all(Source.of_data([record]))
    assert found.format == "claude-tap"
    assert found.conversation.meta["fields"]["records"][0]["upstream_base_url"].endswith(".org")
    assert "very-secret" not in json.dumps(found.conversation.to_dict())


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (
            {"type": "entry", "gen_ai": {}, "raw": {"request_body": None}},
            "CONTEXT_LENS_PRIVACY=full",
        ),
        (
            {"call_type": "completion", "messages": {}, "response": {}},
            "storing prompts is a setting of LiteLLM",
        ),
        (
            {"id": "o", "traceId": "t", "type": "GENERATION", "input": {"content": "role"}},
            "no list of messages",
        ),
    ],
    ids=["lhar", "litellm", "langfuse"],
)
def test_a_log_without_content_is_refused_with_the_reason(data: Any, words: str) -> None:
    with pytest.raises(Refused, match=words):
        list(load_all(Source.of_data([data])))


def frame(event: dict[str, Any]) -> bytes:
    """Return a frame of an event stream, without headers; its checksums are not looked at."""
    body = json.dumps(event).encode()
    size = 12 + len(body) + 4
    return size.to_bytes(4) + (0).to_bytes(4) + bytes(4) + body + bytes(4)


def test_a_binary_stream_of_bedrock_is_an_answer() -> None:
    import base64  # noqa: PLC0415 - only here

    events: list[dict[str, Any]] = [
        {"contentBlockIndex": 0, "delta": {"text": "Let me "}},
        {"contentBlockIndex": 0, "delta": {"text": "look."}},
        {"contentBlockIndex": 1, "start": {"toolUse": {"toolUseId": "u1", "name": "find"}}},
        {"contentBlockIndex": 1, "delta": {"toolUse": {"input": '{"a":'}}},
        {"contentBlockIndex": 1, "delta": {"toolUse": {"input": " 1}"}}},
        {"usage": {"inputTokens": 12, "outputTokens": 2}},
    ]
    body = {"modelId": "m", "messages": [{"role": "user", "content": [{"text": "hi"}]}]}
    one = {
        "request": {"url": "https://x/model/m/converse-stream", "body": json.dumps(body)},
        "response": {
            "status": 200,
            "body": base64.b64encode(b"".join(frame(event) for event in events)).decode(),
            "bodyEncoding": "base64",
        },
    }
    (found,) = load_all(Source.of_data({"version": 1, "interactions": [one]}))
    asked, answer = found.conversation.visible
    assert (asked.text, answer.text, answer.calls) == ("hi", "Let me look.", ("u1",))
    assert counted(found) == [(12, 2)]


@pytest.mark.parametrize("path", sorted(FOLDER.glob("bedrock/*")), ids=lambda path: str(path.name))
def test_results_of_converse_are_messages_of_their_own(path: Path) -> None:
    source = Source.of_path(path)
    assert detect(source).name == "bedrock"
    (found,) = load_all(source)
    roles = [row.role for row in found.conversation.log if row.role != "system"]
    assert roles == ["user", "assistant", "tool", "tool", "user", "assistant"]
    (call,) = found.conversation.calls.all
    assert call.usage is not None
    assert (call.usage.input, call.usage.cached, call.usage.output) == (40, 10, 12)
