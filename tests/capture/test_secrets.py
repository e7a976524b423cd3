"""No secret that a call holds, in whatever place, is found in anything that is written or told."""

from __future__ import annotations

import base64
import json
import re
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from ctxtui.calls.models.call import removed_of
from ctxtui.capture.calls import CapturedCall
from ctxtui.capture.keeper import CaptureEvent, Keeper, StoredCall
from ctxtui.cli.capture import call_data, call_line
from ctxtui.core.errors import Refused
from ctxtui.core.formats.registry import FORMATS
from ctxtui.core.requests.exchange import KINDS, Kind, RemovedSecrets
from ctxtui.core.requests.secrets import REMOVED
from ctxtui.core.storage import Library
from ctxtui.text.plurals import removed_words
from tests.capture import planted as plants
from tests.capture.conftest import CHAT, Rig, asking, nothing_recorded
from tests.capture.planted import PATHS, QUERIES, SAID, Place, bodies, forms_of, repeated, value_of
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
    assert kept.exchange.tag is None


def exported(library: Library) -> dict[str, bytes]:
    """Return all sessions of a library in every format that can be written, and as data."""
    found: dict[str, bytes] = {}
    for entry in library.list():
        with library.open(entry.id, read_only=True) as session:
            told = session.conversation
        found[f"{entry.id} data"] = json.dumps([entry.title, told.to_dict()]).encode()
        for one in FORMATS:
            with suppress(Refused):
                found[f"{entry.id} {one.name}"] = json.dumps(one.write(told).data).encode()
    return found


def stored(
    folder: Path, calls: list[CapturedCall], monkeypatch: pytest.MonkeyPatch
) -> dict[str, bytes]:
    """Return all that is written of calls: in the spool, in the library, in exports."""
    told: list[CaptureEvent] = []
    library = Library(folder)
    with nothing_recorded(monkeypatch):
        keeper = Keeper(library, told.append)
        for one in calls:
            keeper.asked(one)
            keeper.ending(one).result()
            keeper.take(one)
        found = {f"spool {name}": data for name, data in everything_in(folder).items()}
    keeper.close()
    assert all(isinstance(one, StoredCall) for one in told)
    found |= everything_in(folder) | exported(library)
    words = [
        call_line(one) + json.dumps(call_data(one)) for one in told if isinstance(one, StoredCall)
    ]
    return found | {"words": "\n".join(words).encode(), "told": repr(told).encode()}


def leaks(files: dict[str, bytes], places: list[Place], *, are_words: bool = False) -> list[str]:
    """Return the places whose secret is found in any file, in any form.

    Of secrets that are words, only the different words of the files are searched.
    """
    everything = b"\n".join(files.values())
    if are_words:
        everything = b"\n".join(set(re.split(rb"[\s\"]+", everything)))
    return [one.name for one in places if any(form in everything for form in forms_of(one.value))]


def call_of(kind: Kind, request: Any, answer: Any, **more: Any) -> CapturedCall:
    """Return a finished call; ``more`` are its other fields."""
    status = more.pop("status", 200)
    given = {"path": PATHS[kind], "headers": {}, "time": 1_000, **more}
    made = CapturedCall(kind, **given)
    made.asked.add(json.dumps(request).encode())
    made.status = status
    made.answered.add(json.dumps(answer).encode())
    return made


@pytest.mark.parametrize("kind", KINDS)
def test_of_all_planted_secrets_none_is_stored(
    kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request, answer, places = plants.planted(kind)
    assert len(places) > 250
    files = stored(tmp_path, [call_of(kind, request, answer)], monkeypatch)
    assert leaks(files, places, are_words=True) == []
    everything = b"".join(files.values())
    assert everything.count(SAID.encode()) > 2
    assert b"Look something up." in everything
    assert REMOVED.encode() in everything


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_call_logs_in_with_is_stored_nowhere(
    kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = [Place(name, value_of(f"{kind} {name}")) for name in (*plants.HEADERS, *QUERIES)]
    in_path, tag = Place("path", value_of(f"{kind} path")), Place("tag", value_of(f"{kind} tag"))
    values = dict(places)
    headers = {name.lower(): f"Bearer {values[name]}" for name in plants.HEADERS}
    headers["cookie"] = f"theme=dark; sid={values['Cookie']}"
    headers["x-auth"] = base64.b64encode(f"me:{values['X-Auth']}".encode()).decode()
    query = "&".join(f"{name}={values[name]}" for name in QUERIES)
    places += [in_path, tag]
    request, _, _ = bodies(kind, {})
    said = " and ".join(value for _, value in places)
    error = {"error": {"message": said, "type": "x"}}
    path = f"/bot{in_path.value}{PATHS[kind]}?{query}&beta=true"
    for rows in ("messages", "contents", "input"):
        for one in request.get(rows, [])[:1]:
            (part,) = one.get("content") or one["parts"]
            part["text"] = f"{SAID} {said}"
    calls = [
        call_of(kind, request, error, path=path, headers=headers, tag=tag.value, status=401),
        # What the thread has logged in with is known in later calls too.
        call_of(kind, request, error, tag="a-name"),
    ]
    files = stored(tmp_path, calls, monkeypatch)
    assert leaks(files, places) == []
    assert SAID.encode() in b"".join(files.values())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("where", ["header", "query", "body"])
def test_a_secret_is_known_again_in_every_encoding(
    kind: Kind, where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = list(repeated(kind))
    places = [Place(way, value) for way, value, _ in every]
    request, answer, _ = bodies(kind, {})
    headers, path = {}, PATHS[kind]
    if where == "header":
        headers = {f"x-a-{at}": value for at, (_, value) in enumerate(places)}
    elif where == "query":
        pairs = (f"a{at}={quote(value, safe='')}" for at, (_, value) in enumerate(places))
        path += "?" + "&".join(pairs)
    else:
        request["settings"] = {f"{at}_api_key": value for at, (_, value) in enumerate(places)}
    answer = {"error": {"message": " | ".join(["refused", *(text for *_, text in every)])}}
    calls = [call_of(kind, request, answer, headers=headers, path=path, status=401)]
    files = stored(tmp_path, calls, monkeypatch)
    assert leaks(files, places) == []
    assert b"refused" in b"".join(files.values())


def test_what_was_removed_is_named_by_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = {**asking("hi"), "tools": [{"env": {"API_KEY": "hunter2-hunter2"}}]}
    one = call_of("chat", request, {"choices": []}, headers={"x-api-key": "k" * 20})
    stored(tmp_path, [one], monkeypatch)
    library = Library(tmp_path)
    (entry,) = library.list()
    with library.open(entry.id, read_only=True) as session:
        (call,) = session.conversation.calls.all
    removed = RemovedSecrets(2, ("headers.x-api-key", "tools.0.env.API_KEY"))
    assert removed_of(call) == removed
    assert removed_words(removed) == "2 values removed: headers.x-api-key, tools.0.env.API_KEY"
