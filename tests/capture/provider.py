"""A scripted provider on loopback: does what each call's script says, and remembers what came."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web


@dataclass
class Reply:
    """What is answered: pieces one after the other; ``cut`` ends the connection behind them."""

    pieces: Sequence[bytes]
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: bool = False
    is_streamed: bool = True
    gate: asyncio.Event | None = None
    """Is waited for before the last piece is sent."""


@dataclass
class Came:
    """A request as it came."""

    method: str
    path: str
    headers: list[tuple[str, str]]
    body: bytes


Answering = Callable[[Came], Reply]


class Provider:
    """A server whose answers a test chooses."""

    def __init__(self) -> None:
        self.came: list[Came] = []
        self.answering: Answering = lambda came: whole({"choices": []})
        self.address = ""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        body = b"".join([piece async for piece in request.content.iter_any()])
        headers = [(name.decode(), value.decode("latin-1")) for name, value in request.raw_headers]
        came = Came(request.method, request.raw_path, headers, body)
        self.came.append(came)
        reply = self.answering(came)
        response = web.StreamResponse(status=reply.status, headers=reply.headers)
        if not reply.is_streamed:
            response.content_length = sum(map(len, reply.pieces)) + reply.cut
        await response.prepare(request)
        pieces = [] if request.method == "HEAD" else reply.pieces
        try:
            for number, piece in enumerate(pieces):
                if reply.gate is not None and number == len(reply.pieces) - 1:
                    await reply.gate.wait()
                await response.write(piece)
        except ConnectionResetError:  # The client was killed.
            return response
        if reply.cut:
            assert request.transport is not None
            await asyncio.sleep(0)
            request.transport.close()
            raise ConnectionResetError
        await response.write_eof()
        return response


@asynccontextmanager
async def provider() -> AsyncIterator[Provider]:
    """Start a provider, and stop it afterwards."""
    found = Provider()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", found.handle)
    runner = web.AppRunner(app, access_log=None, auto_decompress=False, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    found.address = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield found
    finally:
        await runner.cleanup()


def whole(value: Any, **options: Any) -> Reply:
    """Return an answer in one piece."""
    headers = {"Content-Type": "application/json", **options.pop("headers", {})}
    return Reply([json.dumps(value).encode()], headers=headers, is_streamed=False, **options)


def streamed(pieces: Sequence[bytes], **options: Any) -> Reply:
    """Return an answer of server-sent events."""
    headers = {"Content-Type": "text/event-stream", **options.pop("headers", {})}
    return Reply(pieces, headers=headers, **options)


def event(data: Any, name: str | None = None) -> bytes:
    """Return a server-sent event."""
    text = data if isinstance(data, str) else json.dumps(data)
    return (f"event: {name}\n" if name else "").encode() + f"data: {text}\n\n".encode()
