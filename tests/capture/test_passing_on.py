"""The proxy changes neither a request nor an answer, and passes on whatever happens to either."""

from __future__ import annotations

import asyncio
import gzip
import io
import json
import zlib
from importlib import import_module
from typing import Any

import pytest
import zstandard
from aiohttp import ClientPayloadError, ClientSession, ServerDisconnectedError

from tests.capture import streams
from tests.capture.conftest import CHAT, Rig, asking
from tests.capture.provider import Reply, streamed, whole

ANSWER = {"id": "1", "choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}]}
HOP_BY_HOP = {"connection", "transfer-encoding", "keep-alive", "host", "accept-encoding"}


def packed(content: bytes, encoding: str) -> bytes:
    match encoding:
        case "gzip":
            return gzip.compress(content)
        case "deflate":
            return zlib.compress(content)
        case "br":
            return bytes(import_module("brotli").compress(content))
    return zstandard.ZstdCompressor().compress(content)


async def test_a_request_arrives_with_the_same_bytes_and_headers(rig: Rig) -> None:
    body = b'{ "model":"m",\n "messages" : [ {"role":"user","content":"\\u00e9 \xc3\xa9"} ] }'
    sent = {"X-Odd-Case": "1", "x-twice": "a", "Content-Type": "application/json", "Accept": "x/y"}
    await rig.ask(f"{CHAT}?a=%2F&b=c+d", data=body, headers=sent, skip_auto_headers=["User-Agent"])
    (came,) = rig.server.came
    assert came.body == body
    assert came.path == f"{CHAT}?a=%2F&b=c+d"
    told = [(name, value) for name, value in came.headers if name.lower() not in HOP_BY_HOP]
    assert sorted(told) == sorted([*sent.items(), ("Content-Length", str(len(body)))])
    assert dict(came.headers)["Accept-Encoding"] == "identity"


async def test_a_path_that_is_not_recorded_is_passed_on_untouched(rig: Rig) -> None:
    rig.server.answering = lambda came: whole({"data": []})
    async with rig.client.get(f"{rig.address}/v1/models", headers={"Accept-Encoding": "br"}) as got:
        assert await got.json() == {"data": []}
    assert dict(rig.server.came[0].headers)["Accept-Encoding"] == "br"
    await rig.ask()
    await rig.until(1)
    assert len(rig.told) == 1


async def test_an_answer_comes_back_with_the_same_bytes_and_headers(rig: Rig) -> None:
    headers = {"X-Odd-Case": "1", "Set-Cookie": "a=b", "Server": "theirs", "Date": "then"}
    rig.server.answering = lambda came: whole(ANSWER, status=418, headers=headers)
    answer, body = await rig.ask()
    assert answer.status == 418
    assert body == rig.server.answering(rig.server.came[0]).pieces[0]
    told = {name: value for name, value in answer.headers.items() if name not in ("Connection",)}
    assert told == {**headers, "Content-Type": "application/json", "Content-Length": str(len(body))}


async def test_an_answer_without_a_body_has_none(rig: Rig) -> None:
    rig.server.answering = lambda came: Reply([], status=204)
    async with rig.client.delete(f"{rig.address}/v1/responses/r1") as answer:
        assert (answer.status, await answer.read()) == (204, b"")
    rig.server.answering = lambda came: whole({"ok": True})
    async with rig.client.head(f"{rig.address}/v1/models") as answer:
        assert (answer.status, await answer.read()) == (200, b"")


async def test_a_redirect_is_the_clients_business(rig: Rig) -> None:
    rig.server.answering = lambda came: Reply([], status=307, headers={"Location": "/elsewhere"})
    async with rig.client.post(rig.address + CHAT, json=asking(), allow_redirects=False) as answer:
        assert (answer.status, answer.headers["Location"]) == (307, "/elsewhere")
    assert len(rig.server.came) == 1


async def test_pieces_of_a_stream_go_on_as_they_come(rig: Rig) -> None:
    gate = asyncio.Event()
    pieces = streams.chat(["one ", "two"])
    rig.server.answering = lambda came: streamed(pieces, gate=gate)
    async with rig.client.post(rig.address + CHAT, json=asking(stream=True)) as answer:
        early = b""
        while early != b"".join(pieces[:-1]):  # All but the last, which is still held back.
            early += await answer.content.readany()
        gate.set()
        assert early + await answer.read() == b"".join(pieces)


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd"])
async def test_a_packed_answer_stays_packed_and_is_read_all_the_same(
    rig: Rig, encoding: str
) -> None:
    content = packed(b"".join(streams.chat(["one ", "two"])), encoding)
    rig.server.answering = lambda came: streamed([content], headers={"Content-Encoding": encoding})
    answer, body = await rig.ask()
    assert (body, answer.headers["Content-Encoding"]) == (content, encoding)
    await rig.until(1)
    assert _said(rig) == "one two"


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
async def test_a_packed_request_stays_packed_and_is_read_all_the_same(
    rig: Rig, encoding: str
) -> None:
    content = packed(b'{"model":"m","messages":[{"role":"user","content":"packed"}]}', encoding)
    await rig.ask(data=content, headers={"Content-Encoding": encoding})
    assert rig.server.came[0].body == content
    await rig.until(1)
    assert rig.conversation().visible[0].text == "packed"


@pytest.mark.parametrize("is_streamed", [True, False])
async def test_an_answer_that_is_cut_off_is_cut_off_for_the_client_too(
    rig: Rig, is_streamed: bool
) -> None:
    pieces = streams.chat(["one ", "two"])[:3]
    rig.server.answering = lambda came: Reply(pieces, cut=True, is_streamed=is_streamed)
    with pytest.raises(ClientPayloadError):
        await rig.ask()
    await rig.until(1)
    (kept,) = rig.kept
    assert (kept.exchange.outcome, _said(rig)) == ("cut", "one two")


async def test_a_provider_that_hangs_up_without_a_word_is_passed_on_as_that(rig: Rig) -> None:
    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.transport.abort()

    server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    rig.proxy._upstreams = rig.proxy._upstreams.of(
        {}, f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    )
    with pytest.raises((ServerDisconnectedError, ConnectionResetError)):
        await rig.ask()
    server.close()
    await server.wait_closed()


async def test_a_provider_that_cannot_be_reached_is_told_and_the_request_recorded(
    rig: Rig,
) -> None:
    rig.proxy._upstreams = rig.proxy._upstreams.of({}, "http://127.0.0.1:9")
    answer, body = await rig.ask()
    assert answer.status == 502
    assert b"http://127.0.0.1:9: Connection refused" in body
    await rig.until(1)
    assert (rig.kept[0].exchange.outcome, rig.kept[0].exchange.status) == ("failed", None)


async def test_a_client_that_leaves_ends_the_call_and_what_came_is_kept(rig: Rig) -> None:
    gate = asyncio.Event()
    rig.server.answering = lambda came: streamed(streams.chat(["one ", "two"])[:4], gate=gate)
    async with rig.client.post(rig.address + CHAT, json=asking()) as answer:
        await answer.content.readany()
        answer.close()
    await rig.until(1)
    assert rig.kept[0].exchange.outcome == "cut"


async def test_a_client_that_leaves_after_the_last_event_has_had_all(rig: Rig) -> None:
    gate = asyncio.Event()
    pieces = [*streams.chat(["one"]), b": the connection stays open\n\n"]
    rig.server.answering = lambda came: streamed(pieces, gate=gate)
    async with rig.client.post(rig.address + CHAT, json=asking()) as answer:
        while b"[DONE]" not in await answer.content.readany():
            continue
        answer.close()
    await rig.until(1)
    assert rig.kept[0].exchange.outcome == "complete"


async def test_a_web_socket_is_refused_so_that_clients_fall_back(rig: Rig) -> None:
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket"}
    async with rig.client.get(f"{rig.address}/v1/responses", headers=upgrade) as answer:
        assert answer.status == 426
    assert rig.server.came == []


async def test_a_hundred_streams_at_once_all_arrive_and_are_recorded(rig: Rig) -> None:
    def answering(came: Any) -> Reply:
        return streamed(streams.chat(["to ", *_asked(came.body)], id=_asked(came.body)[-1]))

    async def one(number: int) -> bytes:
        _, body = await rig.ask(json=asking(f"question {number}"))
        return body

    rig.server.answering = answering
    bodies = await asyncio.gather(*(one(number) for number in range(100)))
    for number, body in enumerate(bodies):
        assert body == b"".join(streams.chat(["to ", str(number)], id=str(number)))
    await rig.until(100)
    assert rig.lost == []
    assert {_said(rig, place) for place in range(100)} == {f"to {number}" for number in range(100)}


def _asked(body: bytes) -> list[str]:
    return [body.decode().split("question ")[1].split('"')[0]]


async def test_bodies_of_eight_megabytes_pass_and_are_recorded_once(rig: Rig) -> None:
    text = "some words " * 800_000
    rig.server.answering = lambda came: whole(
        {"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}
    )
    _, body = await rig.ask(data=io.BytesIO(json.dumps(asking(text)).encode()))
    assert len(body) > 8_000_000
    assert len(rig.server.came[0].body) > 8_000_000
    await rig.until(1)
    assert rig.lost == []
    assert rig.conversation().visible[0].text == text


async def test_a_client_that_reads_slowly_gets_all_of_it(rig: Rig) -> None:
    pieces = [bytes([number]) * 200_000 for number in range(40)]
    rig.server.answering = lambda came: streamed(pieces)
    got = b""
    async with rig.client.post(rig.address + CHAT, json=asking()) as answer:
        while piece := await answer.content.read(100_000):
            got += piece
            await asyncio.sleep(0)
    assert got == b"".join(pieces)


async def test_nothing_is_remembered_between_clients(rig: Rig) -> None:
    rig.server.answering = lambda came: whole(ANSWER, headers={"Set-Cookie": "who=me"})
    await rig.ask()
    async with ClientSession() as other, other.post(rig.address + CHAT, json=asking()):
        pass
    assert "Cookie" not in dict(rig.server.came[1].headers)


def _said(rig: Rig, place: int = -1) -> str:
    answer: Any = rig.kept[place].exchange.response
    return str(answer["choices"][0]["message"]["content"])
