"""Secrets: what is known to be harmless stays as it was sent, everything else is not stored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ctxtui.core.capture import Capture
from ctxtui.core.formats import format_named, load
from ctxtui.core.formats.source import Source
from ctxtui.core.requests.exchange import Exchange, RemovedSecrets, kind_of_path
from ctxtui.core.requests.secrets import REMOVED, SecretCleaner, SecretMemory, is_plain, is_secret
from tests.core.requests.harmless import CALLS

VECTORS = Path(__file__).parents[2] / "vectors"
RECORDED = [
    *(
        one
        for folder in ("requests", "seen", "threads")
        for one in (VECTORS / folder).glob("*.jsonl")
    )
]


def harmless_in(path: Path) -> list[Exchange]:
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        kind = kind_of_path(record["path"])
        assert kind is not None
        rest = {key: one for key, one in record.items() if key not in ("request", "response")}
        answer = record.get("response") or record.get("error")
        headers = record["headers"]
        found.append(
            Exchange(record["request"], answer, kind, record["path"], headers, envelope=rest)
        )
    return found


def unchanged(exchange: Exchange) -> bool:
    """Return whether nothing is removed; what stays is the same object, so nothing is copied."""
    clean = SecretCleaner().clean(exchange)
    assert clean.removed.paths == ()
    assert clean.request is exchange.request
    assert clean.response is exchange.response
    return clean == exchange


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_recordings_without_secrets_stay_as_they_are(path: Path) -> None:
    every = harmless_in(path)
    assert every
    assert all(map(unchanged, every))


@pytest.mark.parametrize("name", CALLS)
def test_what_providers_know_and_what_was_said_stays_as_it_is(name: str) -> None:
    assert unchanged(CALLS[name])


# What is removed

SECRET = "s3cr3t-0123456789"


def kept(body: dict[str, Any]) -> Any:
    return SecretCleaner().clean(Exchange(body)).request


@pytest.mark.parametrize(
    "name",
    [
        *("api_key", "apiKey", "API-KEY", "x-api-key", "encoded_api_key", "api_secret", "password"),
        *("access_token", "github_token", "token", "client_secret", "secret", "authorization"),
        *("authorization_token", "authentication", "extra_headers", "headers", "cookie"),
        *("connection_string", "credentials", "privateKey", "secret_access_key", "pin", "otp"),
        *("aws_access_key_id", "apiKeyString", "dsn", "sig", "pat", "pwd", "webhook_url", "key"),
    ],
)
def test_names_of_secrets_are_known_however_they_are_written(name: str) -> None:
    assert is_secret(name)
    for value in (SECRET, 1234):
        assert kept({"extra_body": {name: value}}) == {"extra_body": {name: REMOVED}}


@pytest.mark.parametrize("name", ["note", "topic", "customer", "x", "APP_SETTING"])
def test_a_text_under_an_unknown_name_is_removed_and_a_number_stays(name: str) -> None:
    body = {"metadata": {name: "anything", "n": {name: 12, "b": True, "f": 0.5, "w": "auto"}}}
    assert kept(body) == {"metadata": {name: REMOVED, "n": body["metadata"]["n"]}}


@pytest.mark.parametrize(
    "name",
    [
        *("max_tokens", "token_count", "page_tokens", "tokenizer", "keywords", "monkey", "design"),
        *("sort_key", "eos_token", "max_token", "authors", "stop_token"),
    ],
)
def test_numbers_under_names_that_only_look_like_those_of_secrets_stay(name: str) -> None:
    body = {"metadata": {name: 1234}}
    assert kept(body) is body


@pytest.mark.parametrize(
    ("url", "clean"),
    [
        (f"https://me:{SECRET}@host/p", "https://host/p"),
        (f"https://{SECRET}@host:80/p?a=1", "https://host:80/p?a=1"),
        (f"https://host/p?a=1&api_key={SECRET}&b=2", "https://host/p?a=1&api_key=[removed]&b=2"),
        (f"https://host/p?a=1&what={SECRET}", "https://host/p?a=1&what=[removed]"),
        (f"https://host/#access_token={SECRET}", "https://host/#access_token=[removed]"),
        (f"wss://host?X-Amz-Signature={SECRET}", "wss://host?X-Amz-Signature=[removed]"),
        ("https://host/v1/sk-abcdefghijklmnop/x", "https://host/v1/[removed]/x"),
        ("https://host/bot12345:AAHdqTcvCH1vGWJxfSe/x", "https://host/[removed]/x"),
        ("https://host/me@there?page=2&model=gpt-4o", "https://host/me@there?page=2&model=gpt-4o"),
        ("https://api.example.com/openapi/v1.2/some-long-path-here/x.json", None),
    ],
)
def test_addresses_lose_who_is_logged_in_and_their_keys(url: str, clean: str | None) -> None:
    assert kept({"tools": [{"type": "mcp", "server_url": url}]}) == {
        "tools": [{"type": "mcp", "server_url": clean or url}]
    }


@pytest.mark.parametrize(
    ("url", "clean"),
    [
        (f"host.example/p?api_key={SECRET}", "host.example/p?api_key=[removed]"),
        (f"/p?token={SECRET}", "/p?token=[removed]"),
        (f"me:{SECRET}@host/p", "host/p"),
        (f"https://me:a/b#c?{SECRET}@host/p", "https://host/p"),
        (f"jdbc:mysql:thin/{SECRET}@host", "host"),
        (f"jdbc:oracle:thin:me/{SECRET}@//host:1521/x", REMOVED),
        (f"https://host/p?key= {SECRET}", REMOVED),
        (f"https://host/p?key='{SECRET}'", REMOVED),
        (f"https://host/p?key%3D{SECRET}", "https://host/p?key=[removed]"),
        (f"https://host/p?={SECRET}", "https://host/p?=[removed]"),
        ("https://host/p?Zq8kPw3nVx7LmT2rYb5c", "https://host/p?[removed]"),
        ("https://host/p?Zq8kPw3nVx7LmT2rYb5c=1", "https://host/p?[removed]=[removed]"),
        ("https://host/p?Zq8kPw3nVx7LmT2rYb5c=", "https://host/p?[removed]=[removed]"),
        ("https://host/p#Zq8kPw3nVx7LmT2rYb5c", "https://host/p#[removed]"),
        ("https://host/p;token=hunter-two/x", "https://host/[removed]/x"),
        ("host.example:8080/v1?page=2#top", None),
        ("https://[::1]:8080/v1", None),
    ],
)
def test_addresses_that_are_written_oddly_lose_their_secrets_too(
    url: str, clean: str | None
) -> None:
    assert kept({"tools": [{"type": "mcp", "server_url": url}]}) == {
        "tools": [{"type": "mcp", "server_url": clean or url}]
    }


WORDS = "correct-horse-battery"
"""A password that looks like words."""


@pytest.mark.parametrize(
    "text",
    [
        *(f"API_KEY={WORDS}", f"--api-key={WORDS}", f"run --password {WORDS}", f"pwd: {WORDS}"),
        *(f"Authorization: Bearer {WORDS}", json.dumps({"password": WORDS})),
        *(f' [{{"password": "{WORDS}"}}]', f'{{"password": "{WORDS}", "password": null}}'),
    ],
)
@pytest.mark.parametrize("name", ["name", "tags", "environment", "user_id", "model"])
def test_a_text_under_a_harmless_name_gives_no_value_to_one_of_a_secret(
    name: str, text: str
) -> None:
    for value in (text, ["first", text]):
        body = {"metadata": {name: value}, "tools": [{"type": "mcp", name: value}]}
        assert WORDS not in json.dumps(kept(body))


@pytest.mark.parametrize("name", ["name", "tags", "environment", "user_id", "model"])
def test_what_follows_an_option_that_asks_for_a_secret_is_removed(name: str) -> None:
    options = ["--api-key", WORDS, "--verbose", "on"]
    clean = ["--api-key", REMOVED, "--verbose", "on"]
    assert kept({"tools": [{name: options}]}) == {"tools": [{name: clean}]}


@pytest.mark.parametrize(
    "text",
    [
        *("auth:read", "token-usage", "Fix the token refresh: again", "app:key:v2", "a=b", "-v"),
        *("user_1:session_2", "auth0|5f7c8ec7c33c6c004bbafe82", "[draft] plan", "{name}"),
    ],
)
def test_harmless_texts_that_only_speak_of_secrets_stay(text: str) -> None:
    body = {"metadata": {"user_id": text}}
    assert kept(body) is body


KEY = "Zq8kPw3nVx7LmT2rYb5c"


@pytest.mark.parametrize(
    "body",
    [
        *({KEY: "text"}, {KEY: True}, {"messages": [{"role": "user", "content": "x", KEY: 1}]}),
        *({"metadata": {KEY: "text"}}, {"metadata": {"a": [[{KEY: {"b": "c"}}]]}}),
        *({"tools": [{"name": "f", KEY: "text"}]}, {"tools": [{"headers": {KEY: "text"}}]}),
        {"tools": [{"parameters": {"type": "object", KEY: True}}]},
        {"tools": [{"parameters": {"properties": {"a": {"default": {KEY: 1}}}}}]},
        *({"logit_bias": {"api_key": KEY}}, {"guided_choice": {"api_key": KEY}}),
        *({name: {"api_key": KEY}} for name in ("context", "images", "citations")),
        *({name: [{"a": {"api_key": KEY}}]} for name in ("images", "search_results")),
    ],
)
def test_neither_a_name_nor_what_was_found_holds_a_key(body: dict[str, Any]) -> None:
    for clean in (SecretCleaner().clean(Exchange(body)), SecretCleaner().clean(Exchange({}, body))):
        assert KEY not in repr(clean)
        assert clean.removed


def test_what_a_search_has_found_stays() -> None:
    found = [{"title": "T", "snippet": "any", "last_updated": "x", "more": {"text": KEY}}]
    answer = {"search_results": found, "images": [{"origin_url": "https://a"}]}
    assert SecretCleaner().clean(Exchange({}, answer)).response is answer


@pytest.mark.parametrize(
    "path",
    [
        *(f"/v1/chat/completions?{KEY}", f"/v1/chat/completions?{KEY}=1", f"/key={KEY}/v1/x"),
        *(f"/v1/chat/completions?{name}={KEY}" for name in ("alt", "beta", "api-version")),
        *(f"/api/{KEY[:size]}/v1/chat/completions" for size in range(12, 20)),
        f"/v1;token={KEY[:8]}/chat/completions",
    ],
)
def test_an_address_of_a_call_holds_no_key_and_neither_does_the_name_of_its_place(
    path: str,
) -> None:
    clean = SecretCleaner().clean(Exchange({"messages": []}, path=path))
    assert KEY[:8] not in repr(clean)
    assert clean.removed


def test_of_a_secret_that_is_repeated_no_part_remains() -> None:
    secret = "kDrjVskC6gFDesumgsea+b/c=d&e"
    said = json.dumps(json.dumps(secret)), repr(secret), f"'{secret}'"
    error = {"error": {"message": " ".join(said)}}
    clean: Any = SecretCleaner().clean(Exchange({}, error, headers={"x-api-key": secret})).response
    assert set(clean["error"]["message"]) <= set(f"{REMOVED} \"'\\")


@pytest.mark.parametrize(
    "secret", ["pw😀😀-long-one-123-é", "😀😀😀😀-😀😀😀😀", "пароль-секрет-7"]
)
def test_a_secret_in_any_script_is_known_again_in_json(secret: str) -> None:
    once = json.dumps({"x": secret})
    error = {"error": {"message": f"{once} {json.dumps(once)}"}}
    clean: Any = SecretCleaner().clean(Exchange({"api_key": secret}, error)).response
    assert clean["error"]["message"].count(REMOVED) == 2
    assert "\\u" not in clean["error"]["message"]


def test_what_looks_like_a_schema_hides_nothing() -> None:
    env = {"properties": {}, "type": "object", "API_KEY": SECRET, "properties2": {"a": SECRET}}
    clean = kept({"metadata": env, "tools": [{"name": "t", "parameters": env}]})
    assert SECRET not in repr(clean)
    assert clean["metadata"]["type"] == "object"


def test_values_that_a_schema_gives_to_a_secret_are_removed() -> None:
    properties = {
        "api_key": {"type": "string", "default": "hunter2"},
        "place": {"type": "string", "default": "Paris", "enum": ["Paris", "Rome"]},
        "hash": {"const": "Zq8kPw3nVx7LmT2rYb5c"},
        "token": {"examples": ["hunter2"], "enum": ["bearer", "basic"]},
    }
    clean = kept({"tools": [{"name": "t", "input_schema": {"properties": properties}}]})
    assert clean["tools"][0]["input_schema"]["properties"] == {
        "api_key": {"type": "string", "default": REMOVED},
        "place": properties["place"],
        "hash": {"const": REMOVED},
        "token": {"examples": [REMOVED], "enum": ["bearer", "basic"]},
    }


def test_a_secret_is_removed_wherever_else_it_stands_and_a_word_is_not() -> None:
    body = {
        "messages": [{"role": "user", "content": f"{SECRET} in production, as application/json"}],
        "tools": [
            {
                "headers": {
                    "Authorization": f"Bearer {SECRET}",
                    "Content-Type": "application/json",
                    "X-Place": "production",
                }
            }
        ],
    }
    clean = SecretCleaner().clean(Exchange(body, {"error": {"message": f"bad key {SECRET}"}}))
    assert SECRET not in repr(clean)
    said: Any = clean.request
    assert said["messages"][0]["content"] == "[removed] in production, as application/json"
    assert said["tools"][0]["headers"]["Content-Type"] == "application/json"
    assert clean.removed == RemovedSecrets(
        4,
        (
            *("tools.0.headers.Authorization", "tools.0.headers.X-Place"),
            *("messages.0.content", "response.error.message"),
        ),
    )


def test_what_is_clean_is_not_changed_again() -> None:
    url = f"https://me:{SECRET}@host/{SECRET}{SECRET}/p?api_key={SECRET}"
    body = {
        "metadata": {"api_key": SECRET, "note": "x"},
        "tools": [{"type": "mcp", "server_url": url, "args": ["--token", SECRET]}],
        "messages": [{"role": "user", "content": SECRET}],
    }
    path = f"/bot{SECRET}/v1/chat/completions?key={SECRET}&beta=true"
    once = SecretCleaner().clean(Exchange(body, path=path, headers={"x": SECRET}, tag=SECRET * 2))
    assert SECRET not in repr(once)
    assert SecretCleaner().clean(once) == once


def test_later_calls_know_what_was_logged_in_with_however_much_a_body_held() -> None:
    memory, key, cookie = SecretMemory(), "Zq8kPw3nVx7LmT2rYb5c", "tR6yUi9oPq2wEr4t"
    first = SecretCleaner(memory)
    many = {"api_keys": [f"secret-value-{at}" for at in range(200)]}
    first.clean(Exchange(many, headers={"x-api-key": key}))
    first.note_answer_headers({"set-cookie": cookie})
    error = {"error": {"message": f"{key} and {cookie} are unknown"}}
    later: Any = SecretCleaner(memory).clean(Exchange({}, error)).response
    assert later["error"]["message"] == "[removed] and [removed] are unknown"


def test_absurd_nesting_hides_nothing() -> None:
    deep: Any = {"api_key": SECRET}
    for _ in range(400):
        deep = {"a": [deep]}
    assert SECRET not in repr(kept({"metadata": deep}))
    assert SECRET not in repr(kept({"tools": [{"parameters": {"properties": deep}}]}))


def test_a_name_that_is_a_key_keeps_no_conversations_apart() -> None:
    clean = SecretCleaner().clean(Exchange({"messages": []}, tag="Zq8kPw3nVx7LmT2rYb5c"))
    assert (clean.tag, clean.removed.paths) == (None, ("tag",))


def test_thousands_of_secrets_are_found_again() -> None:
    values = [f"secret-{at}-{'x' * (at % 7)}" for at in range(3_000)]
    body = {"api_keys": values, "messages": [{"role": "user", "content": " ".join(values)}]}
    clean = kept(body)
    assert set(clean["messages"][0]["content"].split()) == {REMOVED}


@pytest.mark.parametrize(
    "name",
    [
        *(
            "ft:gpt-4o-mini-2024-07-18:my-org:custom:7p4lURel",
            "text_editor_20250728",
            "agent_4f2a9c",
        ),
        *("accounts/fireworks/models/llama-v3p1-405b-instruct", "2023-08-04T19:22:45.499127Z"),
        *("anthropic.claude-3-5-sonnet-20241022-v2:0", "HARM_CATEGORY_DANGEROUS_CONTENT"),
        *("Qwen2.5-Coder-32B-Instruct-GPTQ-Int4", "hf.co/x/Llama-3.2-3B-Instruct-GGUF:Q4_K_M"),
        *(
            "GetUserAccountSettingsV2Request",
            "run-1718700000",
            "Knightsbridge Strengths",
            "1024x1024",
        ),
        *("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "gpt-5.1"),
        *("mark_task_complete", "network_request_handler", "npm_install_package", "benchmark-run"),
        *("risk-assessment-2026", "mcp__disk_usage_reporting", "hf_search_models_list"),
    ],
)
def test_names_that_are_made_of_words_and_numbers_are_no_keys(name: str) -> None:
    assert is_plain(name)


@pytest.mark.parametrize(
    "key",
    [
        *(
            "Zq8kPw3nVx7LmT2rYb5c",
            "3f2b8c1e5d474a6b9c0e1f2a3b4c5d6e",
            "sk-proj-some-words-only-here",
        ),
        *(
            "qzkvxwjrbtnpqmdlfgwk",
            "aB3-xY9k_2Lm4-Qw8e",
            "AKIAIOSFODNN7EXAMPLE",
            "QmFzZVNpeHR5Rm91cg",
        ),
        *("123456:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw", "xoxb-1234567890-abcdefghij"),
    ],
)
def test_keys_are_known_by_their_look(key: str) -> None:
    assert not is_plain(key)


def test_a_tool_whose_name_begins_like_a_key_keeps_it_everywhere() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "mark_task_complete"}}
    body = {
        "messages": [
            {"role": "user", "content": "Call mark_task_complete, then npm_install_package."},
            {"role": "assistant", "content": "", "tool_calls": [call]},
        ],
        "tools": [
            {"type": "function", "function": {"name": name, "parameters": {}}}
            for name in ("mark_task_complete", "npm_install_package", "ask_user_question_now")
        ],
        "user": "task-force-berlin-mitte",
    }
    assert unchanged(Exchange(body, path="/disk-usage-reporting/v1/chat/completions"))


@pytest.mark.parametrize(
    "text",
    [
        *(f"{scheme} {KEY}" for scheme in ("Bearer", "Basic", "Token")),
        *(f"{name}{KEY}" for name in ("token:", "me/password/", "key-", "secret_", "connect.sid=")),
        *(f"{prefix}{KEY}" for prefix in ("whsec_", "SG.", "dapi1", "ATATT3", "lin_api_", "1//0")),
        *(f"{prefix}{KEY}" for prefix in ("pypi-", "GOCSPX-", "npm_", "hf_", "dckr_pat_", "pcsk_")),
    ],
)
def test_an_id_is_no_key(text: str) -> None:
    for body in ({"user": text}, {"metadata": {"user_id": text}}, {"tools": [{"name": text}]}):
        for clean in (
            SecretCleaner().clean(Exchange(body)),
            SecretCleaner().clean(Exchange({}, body)),
        ):
            assert KEY not in repr(clean)


@pytest.mark.parametrize(
    "header", ["user-agent", "accept", "openai-beta", "originator", "session-id", "x-request-id"]
)
@pytest.mark.parametrize("value", [f"bot/1.0 (token={KEY})", f"Bearer {KEY}", f"key: {KEY}"])
def test_a_header_that_is_stored_holds_no_key(header: str, value: str) -> None:
    error = {"error": {"message": f"got {KEY}"}}
    clean = SecretCleaner().clean(Exchange({}, error, headers={header: value}))
    assert KEY not in repr(clean)
    assert f"headers.{header}" in clean.removed.paths


@pytest.mark.parametrize(
    ("header", "value"),
    [
        *(("referer", f"https://a/?token={KEY}"), ("x-title", f"Bearer {KEY}")),
        *(("cf-access-jwt-assertion", KEY), ("x-goog-iap-jwt-assertion", KEY)),
    ],
)
def test_what_a_header_logs_in_with_is_found_elsewhere_whatever_it_is_called(
    header: str, value: str
) -> None:
    error = {"error": {"message": f"got {KEY}"}}
    assert KEY not in repr(SecretCleaner().clean(Exchange({}, error, headers={header: value})))


@pytest.mark.parametrize(
    "name",
    [
        *("otp_code", "verificationCode", "pin_code", "auth-code", "cvv2", "card_number"),
        *("密码", "验证码", "one_time_code", "recovery_code"),
    ],
)
def test_numbers_that_log_in_are_removed(name: str) -> None:
    assert kept({"metadata": {name: 48213377}}) == {"metadata": {name: REMOVED}}


@pytest.mark.parametrize(
    "answer",
    [
        {"citations": ["A book, p. 7", f"https://a/b?token={KEY}"]},
        {"citations": f"https://a/b?token={KEY}"},
        {"search_results": [{"title": "T", "url": f"https://a/b?access_token={KEY}"}]},
        {"images": [{"origin_url": f"https://me:{KEY}@a/b.png"}]},
        {"prompt": {"id": "p", "variables": {"api_key": KEY}}},
    ],
)
def test_addresses_that_were_found_hold_no_key(answer: dict[str, Any]) -> None:
    clean = SecretCleaner().clean(Exchange({}, answer))
    assert KEY not in repr(clean)
    assert repr(answer)[:20] in repr(clean)


def test_a_key_in_an_encoded_path_is_found_elsewhere() -> None:
    error = {"error": {"message": f"got {KEY}"}}
    assert KEY not in repr(
        SecretCleaner().clean(Exchange({}, error, path=f"/%62ot{KEY}/v1/messages"))
    )


# Where calls come from


def test_requests_that_are_read_or_handed_over_are_cleaned_too() -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": f"hi {SECRET}"}]}
    record = {
        "path": f"/v1/chat/completions?key={SECRET}",
        "headers": {"Authorization": f"Bearer {SECRET}"},
        "request": {**body, "api_key": SECRET},
        "response": {"error": {"message": SECRET}},
        "secrets": {"more": SECRET},
        "title": f"call {SECRET}",
    }
    entry = {
        "startedDateTime": "2025-06-18T10:00:00Z",
        "request": {
            "method": "POST",
            "url": f"https://me:{SECRET}@host/{SECRET}/v1/chat/completions?key={SECRET}",
            "headers": [{"name": "X-Api-Key", "value": SECRET}],
            "postData": {"text": json.dumps(record["request"])},
        },
        "response": {"status": 200, "content": {"text": json.dumps(record["response"])}},
    }
    for text in (json.dumps(record), json.dumps({"log": {"entries": [entry]}})):
        loaded = load(Source.of_text(text), "requests").conversation
        assert SECRET not in json.dumps(loaded.to_dict())
        assert SECRET not in json.dumps(format_named("requests").write(loaded).data)
        assert loaded.visible[0].text == "hi [removed]"
    capture = Capture()
    recorded = capture.record({**body, "api_key": SECRET}, tag=SECRET)
    assert SECRET not in repr(recorded)
    conversation = capture.conversation()
    assert conversation is not None
    assert SECRET not in json.dumps(conversation.to_dict())


def test_removal_breaks_neither_the_thread_nor_the_prefix() -> None:
    capture = Capture()
    rows = [{"role": "user", "content": "one", "metadata": {"who": SECRET}}]
    for number in range(3):
        body = {"model": "m", "messages": rows, "settings": {"token": f"{SECRET}{number}"}}
        recorded = capture.record(body, {"choices": [{"message": {"content": f"yes {number}"}}]})
        rows = [
            *rows,
            {"role": "assistant", "content": f"yes {number}"},
            {"role": "user", "content": f"and {number}", "metadata": {"who": SECRET}},
        ]
        names = [one.operation for one in recorded.explanations]
        assert names == (["APPEND"] if number else ["START"])
    assert len(capture.threads) == 1
    conversation = capture.conversation()
    assert conversation is not None
    written: Any = format_named("requests").write(conversation).data
    assert [len(one["request"]["messages"]) for one in written] == [1, 3, 5]
    assert written[2]["request"]["messages"][0]["metadata"] == {"who": REMOVED}
    assert written[2]["request"]["settings"] == {"token": REMOVED}


def test_what_a_provider_is_asked_to_edit_and_reports_is_no_secret() -> None:
    edits = [
        {"type": "clear_tool_uses_20250919", "clear_tool_inputs": ["read_file"]},
        {"type": "clear_thinking_20251015", "keep": "all"},
    ]
    binding = {"prefix_mismatch_behavior": "drop_block"}
    request = {
        "messages": [{"role": "system", "content": "hi", "clear_at": "next_user_message"}],
        "context_management": {"edits": edits},
        "compaction": {"type": "summarize", "instructions": "Keep all names."},
        "thinking": {"type": "enabled", "block_binding": binding},
        "reasoning": {"context": "all_turns"},
    }
    dropped = {"type": "thinking_dropped", "path": "messages.1.content.0", "reason": "x_mismatch"}
    removed = {"type": "reasoning", "id": "rs_1", "action": "removed", "reason": "turn_boundary"}
    response = {
        "input_transformations": [dropped, removed],
        "reasoning": {"context": "all_turns"},
        "context_management": {"applied_edits": [{"type": "x", "cleared_tool_uses": 1}]},
    }
    found = SecretCleaner(SecretMemory()).clean(Exchange(request, response, "messages"))
    assert (found.request, found.response) == (request, response)
    lost = {"error_code": "thread_unsupported_request", "unsupported": ["context_management"]}
    error = {"error": {"type": "invalid_request_error", "message": "no", "details": lost}}
    assert SecretCleaner(SecretMemory()).clean(Exchange(request, error)).response == error
