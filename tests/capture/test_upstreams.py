"""Calls go on to where their clients would have sent them, or to where somebody says."""

from __future__ import annotations

import pytest

from ctxtui.capture.upstreams import (
    Upstreams,
    program_environment,
    provider_of,
    proxy_for,
    split_tag,
)
from ctxtui.core import Refused

USUAL = Upstreams.of({})


@pytest.mark.parametrize(
    ("path", "headers", "provider"),
    [
        ("/v1/chat/completions", {}, "openai"),
        ("/openai/deployments/x/chat/completions?api-version=1", {}, "openai"),
        ("/v1/responses", {}, "openai"),
        ("/v1/responses/resp_1", {}, "openai"),
        ("/v1/conversations", {}, "openai"),
        ("/v1/threads/t/messages", {}, "openai"),
        ("/v1/models", {}, "openai"),
        ("/v1/messages?beta=true", {}, "anthropic"),
        ("/v1/messages/count_tokens", {}, "anthropic"),
        ("/v1/models", {"anthropic-version": "2023-06-01"}, "anthropic"),
        ("/v1/models/m:generateContent", {}, "google"),
        ("/v1beta/models/m:streamGenerateContent?alt=sse", {}, "google"),
        ("/v1beta/models", {}, "google"),
        ("/v1/models", {"x-goog-api-key": "k"}, "google"),
        ("/api/chat", {}, "ollama"),
        ("/api/tags", {}, "ollama"),
    ],
)
def test_a_call_goes_to_whose_path_it_has(
    path: str, headers: dict[str, str], provider: str
) -> None:
    assert provider_of(path, headers) == provider


@pytest.mark.parametrize(
    ("path", "tag", "rest"),
    [
        ("/red/v1/messages", "red", "/v1/messages"),
        ("/red%20one/v1beta/models/m:countTokens", "red one", "/v1beta/models/m:countTokens"),
        ("/red/api/chat", "red", "/api/chat"),
        ("/v1/api/chat", None, "/v1/api/chat"),
        ("/v1/messages", None, "/v1/messages"),
        ("/openai/deployments/x", None, "/openai/deployments/x"),
        ("/", None, "/"),
    ],
)
def test_a_name_stands_in_front_of_where_paths_begin(path: str, tag: str | None, rest: str) -> None:
    assert split_tag(path) == (tag, rest)


def test_without_a_word_calls_go_to_the_providers() -> None:
    assert USUAL.address("/v1/responses", {}) == "https://api.openai.com/v1/responses"
    assert USUAL.address("/v1/messages", {}) == "https://api.anthropic.com/v1/messages"
    assert USUAL.address("/api/chat", {}) == "http://127.0.0.1:11434/api/chat"


def test_addresses_that_were_set_before_are_where_calls_go_on_to() -> None:
    found = Upstreams.of(
        {
            "OPENAI_BASE_URL": "https://gateway.example/openai/v1/",
            "ANTHROPIC_BASE_URL": "https://gateway.example/claude",
            "OLLAMA_HOST": "0.0.0.0:9999",
        }
    )
    assert found.address("/v1/responses", {}) == "https://gateway.example/openai/v1/responses"
    assert found.address("/v1/messages", {}) == "https://gateway.example/claude/v1/messages"
    assert found.address("/api/chat", {}) == "http://127.0.0.1:9999/api/chat"
    assert found.variables("http://127.0.0.1:1")["OPENAI_BASE_URL"] == "http://127.0.0.1:1/v1"
    bare = Upstreams.of({"OPENAI_BASE_URL": "https://gateway.example/openai"})
    assert bare.address("/responses", {}) == "https://gateway.example/openai/responses"
    assert bare.variables("http://127.0.0.1:1")["OPENAI_BASE_URL"] == "http://127.0.0.1:1"


def test_all_variables_that_frameworks_read_lead_here() -> None:
    assert USUAL.variables("http://h:1") == {
        "OPENAI_BASE_URL": "http://h:1/v1",
        "OPENAI_API_BASE": "http://h:1/v1",
        "ANTHROPIC_BASE_URL": "http://h:1",
        "ANTHROPIC_API_URL": "http://h:1",
        "ANTHROPIC_API_BASE": "http://h:1",
        "GOOGLE_GEMINI_BASE_URL": "http://h:1",
        "OLLAMA_HOST": "http://h:1",
        "OLLAMA_API_BASE": "http://h:1",
    }
    found = Upstreams.of({"OPENAI_API_BASE": "https://gateway.example/llm/v1"})
    assert found.address("/v1/responses", {}) == "https://gateway.example/llm/v1/responses"
    assert found.variables("http://h:1")["OPENAI_BASE_URL"] == "http://h:1/v1"
    both = {"OPENAI_API_BASE": "https://old.example", "OPENAI_BASE_URL": "https://new.example/v1"}
    assert Upstreams.of(both).address("/v1/x", {}) == "https://new.example/v1/x"


def test_azure_is_used_where_its_address_is_set() -> None:
    azure = Upstreams.of({"AZURE_OPENAI_ENDPOINT": "https://me.openai.azure.com/"})
    for name in ("AZURE_OPENAI_ENDPOINT", "AZURE_API_BASE"):
        assert azure.variables("http://h:1")[name] == "http://h:1"
    for path in ("/openai/deployments/d/chat/completions?api-version=1", "/openai/v1/responses"):
        assert azure.split(path) == (None, path)
        assert azure.address(path, {}) == f"https://me.openai.azure.com{path}"
    assert azure.address("/v1/responses", {}) == "https://api.openai.com/v1/responses"
    assert "AZURE_OPENAI_ENDPOINT" not in USUAL.variables("http://h:1")
    assert USUAL.split("/openai/v1/responses") == ("openai", "/v1/responses")
    elsewhere = Upstreams.of({"AZURE_OPENAI_ENDPOINT": "https://me"}, "https://x.example")
    assert elsewhere.variables("http://h:1")["AZURE_OPENAI_ENDPOINT"] == "http://h:1"


@pytest.mark.parametrize("given", ["https://x.example/api", "https://x.example/api/v1/"])
def test_an_upstream_takes_all_calls_with_or_without_its_version(given: str) -> None:
    found = Upstreams.of({"OPENAI_BASE_URL": "https://elsewhere.example"}, given)
    assert found.address("/v1/messages", {}) == "https://x.example/api/v1/messages"
    assert found.address("/api/chat", {}) == "https://x.example/api/api/chat"


@pytest.mark.parametrize(
    "given",
    [
        "",
        "notaurl",
        "host:80",
        "ftp://x",
        "https://",
        "http://x:port",
        "https://x?y=z",
        "http://me:pw@x",
    ],
)
def test_an_upstream_that_is_no_address_is_refused(given: str) -> None:
    with pytest.raises(Refused, match="is no address"):
        Upstreams.of({}, given)


def test_a_program_is_told_to_come_here_and_through_no_proxy() -> None:
    found = program_environment({"NO_PROXY": "a", "X": "y"}, USUAL, "http://127.0.0.1:5")
    assert found["X"] == "y"
    assert found["NO_PROXY"] == "a,127.0.0.1,localhost"
    assert found["OPENAI_BASE_URL"] == "http://127.0.0.1:5/v1"
    assert found["ANTHROPIC_BASE_URL"] == "http://127.0.0.1:5"
    assert found["GOOGLE_GEMINI_BASE_URL"] == "http://127.0.0.1:5"
    assert found["OLLAMA_HOST"] == "http://127.0.0.1:5"


def test_a_proxy_of_the_system_is_used_but_not_for_this_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("https_proxy", "gateway:8080")
    monkeypatch.setenv("http_proxy", "http://gateway:8080")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    assert proxy_for("https://api.openai.com/v1") == "http://gateway:8080"
    assert proxy_for("http://127.0.0.1:11434/api/chat") is None
