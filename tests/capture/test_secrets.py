"""No secret that a call holds, in whatever place, is found in anything that is written or told."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ctxtui.capture.secrets import keys_of
from ctxtui.cli.captured import call_data, call_line
from tests.capture.conftest import CHAT, Rig, asking, nothing_recorded
from tests.capture.provider import event, streamed, whole

SECRET = re.compile(rb"PLANTED[\w-]*", re.IGNORECASE)


def planted(place: str) -> str:
    return f"sk-planted-{place}-0123456789"


HEADERS = {
    "Authorization": f"Bearer {planted('authorization')}",
    "Proxy-Authorization": f"Basic {planted('proxy')}",
    "X-Api-Key": planted("x-api-key"),
    "x-goog-api-key": planted("google"),
    "Api-Key": planted("azure"),
    "Cookie": f"session={planted('cookie')}; theme=dark",
    "OpenAI-Organization": planted("organization"),
    "X-Unheard-Of": planted("unheard-of"),
    "chatgpt-account-id": planted("account"),
}
TOOLS: list[dict[str, Any]] = [
    {
        "type": "mcp",
        "server_label": "x",
        "server_url": f"https://me:{planted('userinfo')}@example.com?api_key={planted('url')}",
        "authorization": planted("tool"),
        "headers": {"X-Key": planted("tool-header"), "X-Other": [planted("tool-other")]},
    }
]
SERVERS = [
    {
        "type": "url",
        "url": f"https://a/mcp?token={planted('server-url')}&v=1",
        "authorization_token": planted("server"),
    }
]
NESTED = {
    "extra_headers": {"X-Anything": planted("extra-header")},
    "headers": {"Authorization": f"Bearer {planted('body-header')}"},
    "web_search_options": {"authorization": planted("search")},
    "metadata": {
        "note": f"{planted('tool')} and {planted('tool-header')} once more",
        "apiKey": planted("camel"),
        "Access-Token": planted("dashed"),
        "deep": [{"github_token": planted("list"), "db": {"password": planted("deep")}}],
    },
    "extra_body": {"api_secret": planted("api-secret"), "client_secret": planted("client")},
    "data_sources": [
        {
            "type": "azure_search",
            "parameters": {
                "endpoint": "https://search.example",
                "authentication": {"type": "api_key", "key": planted("azure-source")},
            },
        }
    ],
}
GEMINI_TOOLS = [
    {
        "mcpServers": [
            {
                "streamableHttpTransport": {
                    "url": f"https://b?sig={planted('signature')}",
                    "headers": {"X-Goog": planted("gemini-header")},
                }
            }
        ]
    }
]
BODIES: dict[str, dict[str, Any]] = {
    CHAT: {**asking(tools=TOOLS, api_key=planted("body")), **NESTED},
    "/v1/responses": {"model": "m", "input": "hi", "tools": TOOLS, **NESTED},
    "/v1/messages": {**asking(tools=TOOLS), "max_tokens": 5, "mcp_servers": SERVERS, **NESTED},
    "/v1beta/models/m:generateContent": {
        "contents": [{"role": "user", "parts": [{"text": "hi"}]}],
        "tools": GEMINI_TOOLS,
    },
    "/api/chat": {**asking(tools=TOOLS), "options": NESTED},
}


def everything_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def secrets_in(files: dict[str, bytes]) -> dict[str, list[bytes]]:
    return {name: found for name, data in files.items() if (found := SECRET.findall(data))}


@pytest.mark.parametrize("path", BODIES)
@pytest.mark.parametrize("status", [200, 401])
async def test_nothing_written_or_told_holds_a_secret(
    rig: Rig, path: str, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    repeated = f"Incorrect API key provided: {planted('authorization')} and {planted('google')}"
    echo = {"error": {"message": repeated}, "tools": TOOLS, "mcp_servers": SERVERS}
    headers = {"Set-Cookie": planted("set-cookie"), "X-Their-Key": planted("theirs")}
    rig.server.answering = lambda came: whole(echo, status=status, headers=headers)
    query = f"?key={planted('query')}&beta=true&access_token={planted('query-token')}"
    with nothing_recorded(monkeypatch):
        _, body = await rig.ask(path + query, json=BODIES[path], headers=HEADERS)
        spooled = everything_in(rig.library.folder / "spool")
    assert any(name.endswith(".slip") and data for name, data in spooled.items())
    assert secrets_in(spooled) == {}
    assert planted("authorization").encode() in body  # The client gets what was sent.
    assert planted("query") in rig.server.came[0].path
    await rig.until(1)
    (kept,) = rig.kept
    told = call_line(kept) + json.dumps(call_data(kept)) + repr(kept)
    assert SECRET.findall(told.encode()) == []
    rig.keeper.close()
    files = everything_in(rig.library.folder)
    assert files
    assert secrets_in(files) == {}


async def test_a_key_that_is_split_over_a_stream_is_found_when_it_is_whole(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = planted("authorization")
    chunks = [
        {"choices": [{"index": 0, "delta": {"content": part}}]} for part in (key[:9], key[9:])
    ]
    rig.server.answering = lambda came: streamed([*map(event, chunks), event("[DONE]")])
    with nothing_recorded(monkeypatch):
        await rig.ask(headers=HEADERS)
        assert secrets_in(everything_in(rig.library.folder)) == {}
    await rig.until(1)
    answer: Any = rig.kept[0].exchange.response
    assert answer["choices"][0]["message"]["content"] == "[removed]"


async def test_a_key_that_somebody_wrote_into_a_prompt_or_a_name_is_removed(rig: Rig) -> None:
    key = planted("authorization")
    await rig.ask(f"/{key}{CHAT}", json=asking(f"my key is {key}"), headers=HEADERS)
    await rig.until(1)
    (kept,) = rig.kept
    assert rig.conversation().visible[0].text == "my key is [removed]"
    assert kept.exchange.tag == "[removed]"


def test_words_that_are_no_keys_stay() -> None:
    assert keys_of({"authorization": "Bearer ollama", "x-api-key": "none"}, "/api/chat") == set()
    assert keys_of({"user-agent": "a-long-name-of-a-client/1.0"}, "/v1/x?alt=sse") == set()
