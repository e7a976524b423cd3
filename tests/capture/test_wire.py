"""What a client and a provider send and get byte by byte, with the proxy between them."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from ctxtui.capture.proxy import is_closed
from tests.capture.conftest import CHAT, Rig, asking
from tests.capture.test_passing_on import ANSWER

BODY = json.dumps(asking()).encode()
GOOD = json.dumps(ANSWER).encode()
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
FIRST = b'data: {"id":"1","choices":[{"index":0,"delta":{"content":"one"}}]}\n\n'
SECRET = b"sk-a-secret"
Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def post(headers: bytes = b"", body: bytes = BODY) -> bytes:
    """Return a request; the address of the proxy is put in when it is sent."""
    length = b"Content-Length: %d\r\n" % len(body)
    return f"POST {CHAT} HTTP/1.1\r\nHost: ADDRESS\r\n".encode() + headers + length + b"\r\n" + body


def answered(body: bytes = GOOD, headers: bytes = b"", status: bytes = b"200 OK") -> bytes:
    length = b"Content-Length: %d\r\n" % len(body)
    return b"HTTP/1.1 " + status + b"\r\n" + headers + length + b"\r\n" + body


def chunk(content: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(content), content)


async def read_request(reader: asyncio.StreamReader) -> bytes:
    """Return the head of a request; its body is read too."""
    head = await reader.readuntil(b"\r\n\r\n")
    if found := re.search(rb"Content-Length: (\d+)", head):
        await reader.readexactly(int(found[1]))
    return head


@asynccontextmanager
async def upstream(rig: Rig, serve: Serve) -> AsyncIterator[None]:
    """Let the calls of a proxy go to a server that sends what it likes."""

    async def serving(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await serve(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serving, "127.0.0.1", 0, limit=1 << 24)
    address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    rig.proxy._upstreams = rig.proxy._upstreams.of({}, address)
    try:
        yield
    finally:
        server.close()
        await server.wait_closed()


def replying(*pieces: bytes, heads: list[bytes] | None = None) -> Serve:
    """Return a server that answers each request with these, and stays open after that."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head = await read_request(reader)
            if heads is not None:
                heads.append(head)
            for piece in pieces:
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(0)

    return serve


def cutting(*pieces: bytes) -> Serve:
    """Return a server that answers one request with these, and closes the connection."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0.01)

    return serve


async def connect(rig: Rig) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    port = int(rig.address.rpartition(":")[2])
    return await asyncio.open_connection("127.0.0.1", port, limit=1 << 24)


def said(rig: Rig, request: bytes) -> bytes:
    return request.replace(b"ADDRESS", rig.address.removeprefix("http://").encode())


async def exchange(rig: Rig, request: bytes, *, until: bytes | None = None) -> bytes:
    """Send a request, and return the answer up to some bytes, or else to its end."""
    reader, writer = await connect(rig)
    writer.write(said(rig, request))
    if until is None:
        writer.write_eof()
        found = await reader.read(-1)
    else:
        found = await reader.readuntil(until)
    writer.close()
    return found


@pytest.mark.parametrize(
    ("pieces", "last"),
    [
        ((answered(),), GOOD),
        ((CHUNKED, *(chunk(b"data: {}\n\n") for _ in range(50)), b"0\r\n\r\n"), b"0\r\n\r\n"),
    ],
)
async def test_a_client_that_ends_its_side_after_its_request_gets_the_whole_answer(
    rig: Rig, pieces: tuple[bytes, ...], last: bytes
) -> None:
    gate = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        await gate.wait()
        for piece in pieces:
            writer.write(piece)
            await writer.drain()

    async with upstream(rig, serve):
        clients = [asyncio.ensure_future(exchange(rig, post())) for _ in range(20)]
        await asyncio.sleep(0.05)
        gate.set()
        for answer in await asyncio.gather(*clients):
            assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
            assert answer.endswith(last)
        await rig.until(20)
        assert len(rig.kept) == 20


async def test_all_requests_sent_before_a_client_ends_its_side_are_answered(rig: Rig) -> None:
    async with upstream(rig, replying(answered())):
        answer = await exchange(rig, post() * 3)
        assert answer.count(GOOD) == 3


async def test_a_client_that_ends_its_side_in_the_middle_of_a_request_gets_nothing(
    rig: Rig,
) -> None:
    async with upstream(rig, replying(answered())):
        assert await exchange(rig, post()[:-5]) == b""
        assert await exchange(rig, b"") == b""


async def test_a_client_that_has_closed_its_connection_ends_the_call(rig: Rig) -> None:
    if not Path("/proc/net/tcp").exists():
        pytest.skip("only Linux says so")
    gone = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        came.set()
        assert await reader.read() == b""
        gone.set()

    came = asyncio.Event()
    async with upstream(rig, serve):
        _, writer = await connect(rig)
        writer.write(said(rig, post()))
        await came.wait()
        writer.close()
        await asyncio.wait_for(gone.wait(), 60)


async def test_only_a_connection_that_its_other_end_has_closed_is_closed(rig: Rig) -> None:
    _, writer = await connect(rig)
    own, peer = writer.get_extra_info("peername"), writer.get_extra_info("sockname")
    assert not is_closed(own, peer)
    writer.write_eof()
    assert not is_closed(own, peer)
    assert not is_closed(own, ("192.168.1.2", peer[1]))
    writer.close()


async def test_heads_of_any_size_pass_in_both_directions(rig: Rig) -> None:
    many = b"".join(b"X-Header-%d: v\r\n" % number for number in range(1_000))
    large = b"X-Large: " + b"a" * 1_000_000 + b"\r\n"
    heads: list[bytes] = []
    async with upstream(rig, replying(answered(headers=many + large), heads=heads)):
        answer = await exchange(rig, post(many + large), until=GOOD)
    for head in (*heads, answer):
        assert head.count(b"X-Header-") == 1_000
        assert large in head


async def test_headers_keep_their_order_their_repetitions_and_their_spelling(rig: Rig) -> None:
    sent = b"ACCEPT: */*\r\nX-b: 1\r\nx-A: 2\r\nX-B: 3\r\nuser-AGENT: me\r\n"
    back = b"ETag: 1\r\nX-Z: 1\r\nSet-Cookie: a=1\r\nx-a: 2\r\nSet-Cookie: b=2\r\nDATE: now\r\n"
    heads: list[bytes] = []
    async with upstream(rig, replying(answered(headers=back), heads=heads)):
        answer = await exchange(rig, post(sent), until=GOOD)
    assert sent.replace(b"X-B: 3", b"X-b: 3") in heads[0]
    assert answer == answered(headers=back)


@pytest.mark.parametrize(
    "answer",
    [
        b'HTTP/1.1 304 Not Modified\r\nETag: "x"\r\nContent-Length: 5\r\n\r\n',
        b"HTTP/1.1 204 Nothing To Say\r\nX-A: 1\r\n\r\n",
        b"HTTP/1.1 299 Odd\r\nContent-Length: 0\r\n\r\n",
    ],
)
async def test_heads_of_answers_without_a_body_are_the_same(rig: Rig, answer: bytes) -> None:
    async with upstream(rig, replying(answer)):
        assert await exchange(rig, post(), until=b"\r\n\r\n") == answer


async def test_a_client_that_waits_to_be_told_so_sends_its_body(rig: Rig) -> None:
    async with upstream(rig, replying(answered())):
        reader, writer = await connect(rig)
        head, _, body = said(rig, post(b"Expect: 100-continue\r\n")).partition(b"\r\n\r\n")
        writer.write(head + b"\r\n\r\n")
        assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        writer.write(body)
        assert await reader.readuntil(GOOD) == answered()
        writer.close()


async def test_a_call_on_a_new_connection_goes_on_with_a_new_one(rig: Rig) -> None:
    """A provider may be about to close the one that another client has used."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(answered())
        await read_request(reader)  # Which it takes as no request, and closes.

    async with upstream(rig, serve):
        for _ in range(3):
            assert await exchange(rig, post(), until=GOOD) == answered()


async def test_calls_on_one_connection_go_on_with_one(rig: Rig) -> None:
    connections = 0
    inner = replying(answered())

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        await inner(reader, writer)

    async with upstream(rig, serve):
        reader, writer = await connect(rig)
        for _ in range(3):
            writer.write(said(rig, post()))
            assert await reader.readuntil(GOOD) == answered()
        writer.close()
    assert connections == 1


@pytest.mark.parametrize(
    "pieces",
    [
        (CHUNKED + chunk(FIRST) + b"zz\r\nno chunk\r\n",),
        (CHUNKED + chunk(FIRST), b"zz\r\nno chunk\r\n"),
        (CHUNKED, chunk(FIRST) + b"zz\r\nno chunk\r\n"),
        (CHUNKED + chunk(FIRST) + b"20\r\n",),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n" + FIRST,),
    ],
)
async def test_what_comes_before_an_answer_breaks_is_passed_on_and_recorded(
    rig: Rig, pieces: tuple[bytes, ...]
) -> None:
    async with upstream(rig, cutting(*pieces)):
        reader, writer = await connect(rig)
        writer.write(said(rig, post()))
        answer = await reader.read(-1)
        writer.close()
    assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
    assert FIRST in answer
    assert not answer.endswith(b"0\r\n\r\n")
    await rig.until(1)
    exchange = rig.kept[0].exchange
    assert exchange.outcome == "cut"
    answer_: Any = exchange.response
    assert answer_["choices"][0]["message"]["content"] == "one"


async def test_a_client_of_http_1_0_sees_that_an_answer_is_cut_off(rig: Rig) -> None:
    """It has no chunks, so a clean end of the connection would be that of the answer."""
    async with upstream(rig, cutting(CHUNKED + chunk(FIRST), b"20\r\n")):
        reader, writer = await connect(rig)
        writer.write(said(rig, post()).replace(b"HTTP/1.1", b"HTTP/1.0"))
        with pytest.raises(ConnectionResetError):
            await reader.read(-1)
        writer.close()


@pytest.mark.parametrize(
    "request_",
    [
        b"POST / HTTP/1.1\r\nHost: ADDRESS\r\nX Y: " + SECRET + b"\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: ADDRESS\r\nAuthorization: " + SECRET + b"\0\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: ADDRESS\r\nContent-Length: " + SECRET + b"\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: ADDRESS\r\nTransfer-Encoding: chunked\r\n\r\n"
        + SECRET
        + b"\r\n",
        b"POST /" + SECRET + b"\xff HTTP/1.1\r\nHost: ADDRESS\r\n\r\n",
        b"POST //[" + SECRET + b" HTTP/1.1\r\nHost: ADDRESS\r\n\r\n",
        SECRET + b" / HTTP/1.1\r\nHost: ADDRESS\r\n\r\n",
        post().replace(b"\r\n", b"\n").replace(b"hello", SECRET),
    ],
)
async def test_what_is_no_http_is_refused_and_repeated_nowhere(
    rig: Rig,
    request_: bytes,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with upstream(rig, replying(answered(b"{}"))):
        answer = await exchange(rig, request_)
        assert SECRET not in answer
        assert answer[:12] in (b"HTTP/1.0 400", b"HTTP/1.1 200")
    printed = capfd.readouterr()
    assert printed.out + printed.err + caplog.text == ""


@pytest.mark.parametrize(
    "answer",
    [
        SECRET + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX-A: " + SECRET + b"\0\r\n\r\n",
        CHUNKED + SECRET + b"\r\n",
        answered() + SECRET,
        b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n" + SECRET,
    ],
)
async def test_an_answer_that_is_no_http_is_repeated_nowhere(
    rig: Rig,
    answer: bytes,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with upstream(rig, cutting(answer)):
        assert SECRET not in await exchange(rig, post())
    await rig.until(1)
    printed = capfd.readouterr()
    assert printed.out + printed.err + caplog.text == ""


@pytest.mark.parametrize(
    ("method", "path"), [(b"FROBNICATE", b"/v1/x"), (b"CONNECT", b"x:1"), (b"OPTIONS", b"*")]
)
async def test_what_the_proxy_does_not_pass_on_is_refused_in_a_sentence(
    rig: Rig, method: bytes, path: bytes
) -> None:
    answer = await exchange(rig, method + b" " + path + b" HTTP/1.1\r\nHost: ADDRESS\r\n\r\n")
    status, _, body = answer.partition(b"\r\n\r\n")
    assert b" 400 Bad Request\r\n" in status
    assert "ctxtui" in json.loads(body)["error"]["message"]


REPEATED = (
    *(b"User-Agent: sdk/1", b"X-Any: a", b"user-agent: agent/2", b"X-Any: b"),
    *(b"Content-Type: application/json", b"Content-Type: application/json"),
)


@pytest.mark.parametrize("size", [10_000, 30])
async def test_headers_that_are_repeated_are_passed_on_as_often(rig: Rig, size: int) -> None:
    """A client of Google models sends User-Agent twice."""
    heads: list[bytes] = []
    async with upstream(rig, replying(answered(), heads=heads)), asyncio.timeout(30):
        reader, writer = await connect(rig)
        request = said(rig, post(b"\r\n".join(REPEATED) + b"\r\n"))
        for _ in range(2):
            for at in range(0, len(request), size):
                writer.write(request[at : at + size])
                await asyncio.sleep(0.001)
            await reader.readuntil(GOOD)
        writer.close()
    for head in heads:
        lines = [line for line in head.split(b"\r\n") if line.lower() in map(bytes.lower, REPEATED)]
        assert sorted(map(bytes.lower, lines)) == sorted(map(bytes.lower, REPEATED))
    await rig.until(2)
    assert [one.exchange.headers["user-agent"] for one in rig.kept] == ["sdk/1, agent/2"] * 2


@pytest.mark.parametrize(
    "line", [b"Host: ADDRESS\r\n", b"Content-Length: 66\r\n", b"Transfer-Encoding: chunked\r\n"]
)
async def test_what_could_be_read_in_two_ways_is_refused(rig: Rig, line: bytes) -> None:
    async with asyncio.timeout(30):
        answer = await exchange(rig, post(line * 2))
    assert answer.startswith(b"HTTP/1.0 400")
    assert rig.server.came == []
