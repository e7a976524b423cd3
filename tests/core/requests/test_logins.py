"""Logins in bodies: found by name and in addresses; definitions and what was said stay."""

from __future__ import annotations

from typing import Any

import pytest

from core.requests.exchange import Exchange
from core.requests.logins import Logins, is_secret
from core.requests.secrets import cleaned

SECRET = "s3cr3t-0123456789"


def kept(body: dict[str, Any]) -> Any:
    return cleaned(Exchange(body)).request


@pytest.mark.parametrize(
    "name",
    [
        *("api_key", "apiKey", "API-KEY", "x-api-key", "encoded_api_key", "api_secret", "password"),
        *("access_token", "github_token", "token", "client_secret", "secret", "authorization"),
        *("authorization_token", "authentication", "extra_headers", "headers", "cookie"),
        *("connection_string", "credentials", "privateKey", "secret_access_key"),
    ],
)
def test_names_of_secrets_are_known_however_they_are_written(name: str) -> None:
    assert is_secret(name)
    assert kept({"extra_body": {name: SECRET}}) == {"extra_body": {name: "[removed]"}}


@pytest.mark.parametrize(
    "name",
    [
        *("prompt_cache_key", "max_tokens", "key", "eos_token", "nextPageToken", "user_id"),
        *("session_id", "author", "tokenizer", "secretary", "previous_response_id"),
    ],
)
def test_names_that_only_look_like_those_of_secrets_stay(name: str) -> None:
    body = {"metadata": {name: SECRET}}
    assert kept(body) is body


def test_a_tool_that_asks_for_a_key_keeps_its_definition() -> None:
    schema = {
        "type": "object",
        "properties": {
            "api_key": {"type": "string", "description": "your key"},
            "headers": {"description": "any"},
            "password": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        },
        "required": ["api_key", "password"],
        "dependentRequired": {"token": ["password"]},
    }
    body = {
        "tools": [
            {"type": "function", "function": {"name": "look", "parameters": schema}},
            {"name": "look", "input_schema": schema},
            {
                "functionDeclarations": [
                    {"name": "look", "parameters": {**schema, "type": "OBJECT"}}
                ]
            },
        ]
    }
    assert kept(body) is body


def test_what_was_said_stays_whatever_it_looks_like() -> None:
    text = "curl https://me:pw@host?api_key=abc"
    call = {"id": "c", "function": {"name": "f", "arguments": "{}"}, "api_key": SECRET}
    body = {"messages": [{"role": "user", "content": text, "tool_calls": [call]}], "system": text}
    assert kept(body) is body


@pytest.mark.parametrize(
    ("url", "clean"),
    [
        (f"https://me:{SECRET}@host/p", "https://host/p"),
        (f"https://{SECRET}@host:80/p?a=1", "https://host:80/p?a=1"),
        (f"https://host/p?a=1&api_key={SECRET}&b=2", "https://host/p?a=1&api_key=[removed]&b=2"),
        (f"https://host/#access_token={SECRET}", "https://host/#access_token=[removed]"),
        (f"wss://host?X-Amz-Signature={SECRET}", "wss://host?X-Amz-Signature=[removed]"),
        ("https://host/me@there?page=2", "https://host/me@there?page=2"),
    ],
)
def test_addresses_lose_who_is_logged_in_and_their_keys(url: str, clean: str) -> None:
    body = {"tools": [{"type": "mcp", "server_url": url}], "metadata": {"seen": [f"<{url}>"]}}
    assert kept(body)["tools"][0]["server_url"] == clean
    assert kept(body)["metadata"]["seen"] == [f"<{clean}>"]


def test_a_secret_is_removed_wherever_else_it_stands_and_a_word_is_not() -> None:
    body = {
        "messages": [{"role": "user", "content": f"{SECRET} in production, as application/json"}],
        "tools": [
            {
                "headers": {
                    "Authorization": f"Bearer {SECRET}",
                    "Content-Type": "application/json",
                    "X-Place": "production",
                    "X-Since": "2025-06-18",
                }
            }
        ],
        "metadata": {"note": f"as {SECRET} since 2025-06-18", "password": "password"},
    }
    clean = cleaned(Exchange(body, {"error": {"message": f"bad key {SECRET}"}}))
    assert SECRET not in repr(clean)
    told: Any = clean.request
    assert told["messages"][0]["content"] == "[removed] in production, as application/json"
    assert told["metadata"] == {"note": "as [removed] since 2025-06-18", "password": "[removed]"}
    assert told["tools"][0]["headers"]["Content-Type"] == "application/json"


def test_what_is_clean_is_not_changed_again() -> None:
    once = kept({"metadata": {"api_key": SECRET, "note": "[removed] stays"}})
    logins = Logins()
    assert logins.without(once) == once
    assert logins.found == set()
    assert kept(once) == once


def test_absurd_nesting_hides_nothing() -> None:
    deep: Any = {"api_key": SECRET}
    for _ in range(400):
        deep = {"a": [deep]}
    assert SECRET not in repr(kept({"metadata": deep}))
