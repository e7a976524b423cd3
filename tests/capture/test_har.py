"""Answers that stand in a HAR file as they were streamed are put together."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from ctxtui.core.formats import Source, load_all
from ctxtui.core.formats.warnings import sentences
from ctxtui.core.requests.exchange import Kind
from tests.capture import streams
from tests.capture.provider import event

ASKED = [{"role": "user", "content": "hello"}]
PATHS: dict[Kind, tuple[str, dict[str, Any]]] = {
    "chat": ("/v1/chat/completions", {"model": "m", "messages": ASKED}),
    "responses": ("/v1/responses", {"model": "m", "input": ASKED}),
    "messages": ("/v1/messages", {"model": "m", "max_tokens": 9, "messages": ASKED}),
    "gemini": (
        "/v1beta/models/m:streamGenerateContent?alt=sse",
        {"contents": [{"role": "user", "parts": [{"text": "hello"}]}]},
    ),
}
STREAMS: dict[Kind, bytes] = {
    "chat": b"".join(streams.chat(["one ", "two ✓"])),
    "responses": b"".join(streams.responses("one two ✓")),
    "messages": b"".join(streams.messages(["one ", "two ✓"])),
    "gemini": b"".join(map(event, streams.gemini([[{"text": "one "}], [{"text": "two ✓"}]]))),
}


def har(kind: Kind, content: dict[str, Any], status: int = 200, **more: Any) -> Source:
    """Return a HAR file of one call."""
    path, body = PATHS[kind]
    request = {
        "method": "POST",
        "url": f"https://example.com{path}",
        "headers": [],
        "postData": {"text": json.dumps(body)},
    }
    response = {"status": status, "headers": [], "content": content}
    entry = {"startedDateTime": "2026-01-01T00:00:01Z", "request": request, "response": response}
    entry |= more
    return Source.of_text(json.dumps({"log": {"version": "1.2", "entries": [entry]}}))


def call_in(source: Source) -> Any:
    """Return the only call of a file."""
    (found,) = load_all(source, "requests")
    (call,) = found.conversation.calls.all
    return call


@pytest.mark.parametrize("kind", STREAMS)
@pytest.mark.parametrize("is_packed", [False, True], ids=["plain", "base64"])
def test_an_answer_that_was_streamed_is_read(kind: Kind, is_packed: bool) -> None:
    stream = STREAMS[kind]
    content = (
        {"text": base64.b64encode(stream).decode(), "encoding": "base64"}
        if is_packed
        else {"text": stream.decode()}
    )
    source = har(kind, content)
    call = call_in(source)
    assert call.outcome == "complete"
    assert "two ✓" in json.dumps(call.to_dict()["answer"], ensure_ascii=False)
    assert call.usage is not None
    assert sentences(source.warnings) == ()


@pytest.mark.parametrize("kind", STREAMS)
def test_a_stream_that_ends_in_the_middle_is_cut(kind: Kind) -> None:
    stream = STREAMS[kind]
    end = stream.rindex(b"data:", 0, len(stream) // 2)
    call = call_in(har(kind, {"text": stream[:end].decode("utf-8", "ignore")}))
    assert call.outcome == "cut"


@pytest.mark.parametrize(
    "content", [{}, {"text": ""}, {"text": "<html>"}, {"text": "!", "encoding": "base64"}, 5]
)
def test_an_answer_that_is_not_there_is_told(content: Any) -> None:
    source = har("chat", content)
    call = call_in(source)
    assert (call.answer, call.outcome) == (None, "complete")
    assert sentences(source.warnings) == (
        "responses that are missing or can't be read were left out (entry 1)",
    )


def test_an_error_stays_a_failure_whatever_stands_in_it() -> None:
    call = call_in(har("chat", {"text": STREAMS["chat"].decode()}, status=500))
    assert call.outcome == "failed"
