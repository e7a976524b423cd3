"""Exchanges: which kind a request is of, and what of it is kept."""

import json

import pytest

from ctxtui.core.requests.exchange import Exchange, kind_of_path
from ctxtui.core.requests.secrets import SecretCleaner
from tests.core.requests.traffic import RECORDINGS, recorded


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/v1/chat/completions", "chat"),
        ("/openai/deployments/x/chat/completions?api-version=1", "chat"),
        ("/v1/responses", "responses"),
        ("/my-run/v1/responses/compact", "responses"),
        ("/v1/messages?beta=true", "messages"),
        ("/v1/messages/count_tokens", "messages"),
        ("/v1/models/m-1:streamGenerateContent?alt=sse", "gemini"),
        ("https://host/v1beta/models/m:countTokens", "gemini"),
        ("/api/chat", "ollama"),
        ("/v1/embeddings", None),
        ("/v1/chat/completions/stored", None),
        ("http://[broken", None),
    ],
)
def test_the_end_of_a_path_tells_the_kind(path: str, kind: str | None) -> None:
    assert kind_of_path(path) == kind


@pytest.mark.parametrize("name", RECORDINGS)
def test_the_paths_of_recordings_tell_what_was_noted(name: str) -> None:
    assert [kind_of_path(one["path"]) for one in recorded(name)] == [
        one["kind"] for one in recorded(name)
    ]


@pytest.mark.parametrize(
    ("path", "purpose"),
    [
        ("", "answer"),
        ("/v1/messages/count_tokens", "count"),
        ("/v1/models/m:countTokens", "count"),
        ("/v1/responses/input_tokens", "count"),
        ("/v1/responses/compact", "compact"),
    ],
)
def test_the_end_of_a_path_tells_what_a_request_is_for(path: str, purpose: str) -> None:
    assert Exchange({}, path=path).purpose == purpose


@pytest.mark.parametrize(
    ("outcome", "status", "passing"),
    [
        ("complete", 200, False),
        ("cut", 200, True),
        ("failed", None, True),
        ("failed", 429, True),
        ("failed", 503, True),
        ("failed", 400, False),
        ("failed", 413, False),
    ],
)
def test_a_refused_request_is_no_passing_failure(
    outcome: str, status: int | None, passing: bool
) -> None:
    assert Exchange({}, outcome=outcome, status=status).is_transient is passing  # type: ignore[arg-type]


def test_retries_are_counted_by_the_client() -> None:
    assert Exchange({}, headers={"x-stainless-retry-count": "2"}).attempts == 2
    assert Exchange({}, headers={"x-stainless-retry-count": "two"}).attempts == 0
    assert Exchange({}).attempts == 0


SECRET = "sk-do-not-keep"


def test_no_secret_is_kept_wherever_it_stands() -> None:
    tool = {
        "type": "mcp",
        "authorization": SECRET,
        "headers": {"X-Key": SECRET},
        "server_label": "s",
    }
    kept = SecretCleaner().clean(
        Exchange(
            {"tools": [tool, 7], "mcp_servers": [{"url": "u", "authorization_token": SECRET}]},
            {"tools": [tool]},
            path=f"https://{SECRET}@host/v1/models/m:generateContent?key={SECRET}&alt=sse",
            headers={"Authorization": SECRET, "X-Api-Key": SECRET, "Content-Type": "json"},
            envelope={"response_headers": {"Set-Cookie": SECRET, "Request-Id": "r"}, "t": 1},
        )
    )
    everything = json.dumps([kept.request, kept.response, kept.path, kept.headers, kept.envelope])
    assert SECRET not in everything
    assert kept.path == "https://host/v1/models/m:generateContent?alt=sse"
    assert kept.headers == {"content-type": "json"}
    assert kept.request["tools"][0]["server_label"] == "s"
    assert kept.envelope == {"response_headers": {"Request-Id": "r"}, "t": 1}


def test_a_body_without_secrets_stays_as_it_is() -> None:
    body = {"messages": [], "tools": [{"name": "look"}]}
    assert SecretCleaner().clean(Exchange(body)).request is body
