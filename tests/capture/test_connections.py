"""Connections with providers, without a proxy around them."""

from __future__ import annotations

import asyncio

import pytest
from aiohttp import ClientSession

from ctxtui.capture.proxy import ProviderConnector, pieces_of

HEAD = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize("count", [1, 2, 9])
async def test_an_answer_that_is_read_late_is_read_to_its_end(count: int) -> None:
    """Reading pauses when much is unread; what has come by then does not wait for more bytes."""
    piece = b"x" * (720_000 // count)
    chunks = b"%x\r\n%b\r\n" % (len(piece), piece) * count + b"0\r\n\r\n"

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(HEAD)
        await reader.read()  # The connection stays open until the client closes it.
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with (
        server,
        asyncio.timeout(60),
        ClientSession(connector=ProviderConnector()) as session,
        session.get(f"http://127.0.0.1:{port}/") as response,
    ):
        assert response.connection is not None
        assert response.connection.protocol is not None
        response.connection.protocol.data_received(chunks)
        got = b"".join([part async for part in pieces_of(response.content)])
    assert got == piece * count
