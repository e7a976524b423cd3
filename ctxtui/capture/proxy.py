"""The proxy: passes calls on as they are, in both directions, and keeps copies of what it passes.

Bytes go on as soon as they come. What ends in the middle is cut off on the other side too: a clean
end would tell a client that it has all of an answer. Whatever goes wrong with a copy stays here.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import struct
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from typing import Protocol

from aiohttp import (
    ClientConnectorError,
    ClientError,
    ClientResponse,
    ClientSession,
    ClientTimeout,
    DummyCookieJar,
    HttpVersion11,
    hdrs,
    web,
)
from yarl import URL

from ctxtui.capture.admission import Admission
from ctxtui.capture.connections import (
    HEAD_LIMITS,
    AgentConnection,
    AgentServer,
    ProviderConnector,
    pieces_of,
    problem,
)
from ctxtui.capture.ends import Ending
from ctxtui.capture.hops import names_and_values, passed_on, request_headers
from ctxtui.capture.tape import Call
from ctxtui.capture.upstreams import Upstreams, proxy_for, server_of, split_tag
from ctxtui.core.conversation.conversation import Clock
from ctxtui.core.requests.exchange import kind_of_path
from ctxtui.core.values.times import milliseconds

LOOPBACK = "127.0.0.1"
SERVING = {"access_log": None, "auto_decompress": False}
FIRST_FINAL, NOT_MODIFIED = 200, 304
RESET = struct.pack("ii", 1, 0)
"""For SO_LINGER: closing sends a reset, so that the client sees that something is missing."""
ADDED = (hdrs.CONTENT_TYPE, hdrs.DATE, hdrs.SERVER)
"""Headers that aiohttp puts into an answer that has none."""
NOT_SENT = (hdrs.ACCEPT, hdrs.ACCEPT_ENCODING, hdrs.CONTENT_TYPE, hdrs.USER_AGENT)
"""Headers that aiohttp would put into a request that has none."""
QUIET = logging.getLogger("ctxtui.capture")
QUIET.addHandler(logging.NullHandler())
QUIET.propagate = False  # A call that is cut off is nothing to print a traceback for.
NO_UPGRADE = {"Upgrade": "HTTP/1.1"}
ANYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""Where a host that stands for all of this machine's addresses is reached from here."""
LONGEST_WAIT = 5.0
"""Seconds for which the end of a call waits to be safe; a disk that hangs must not stop it."""


class Keeping(Protocol):
    """Who keeps calls; nothing that it does or fails to do reaches them."""

    def asked(self, call: Call) -> None:
        """Hear that all of a request has come."""

    def ending(self, call: Call) -> Future[None]:
        """Hear that the end of a call is about to be passed on, and return what to wait for."""

    def take(self, call: Call) -> None:
        """Take over a call that is done."""


class Passed(web.StreamResponse):
    """An answer that is passed on, which knows what headers it came with."""

    def __init__(self, answer: ClientResponse) -> None:
        connection = ", ".join(answer.headers.getall(hdrs.CONNECTION, ()))
        self.came = passed_on(answer.raw_headers, connection)
        super().__init__(status=answer.status, reason=answer.reason, headers=self.came.copy())

    async def _prepare_headers(self) -> None:
        """Take out what only the library puts into an answer, and put back what it takes out."""
        await super()._prepare_headers()
        for name in ADDED:
            if name not in self.came:
                self.headers.popall(name, None)
        if self.status == NOT_MODIFIED and hdrs.CONTENT_LENGTH in self.came:
            self.headers[hdrs.CONTENT_LENGTH] = self.came[hdrs.CONTENT_LENGTH]

    @property
    def has_visible_end(self) -> bool:
        """Return whether a client sees if it has all: by a length, or by the end of the chunks."""
        return hdrs.CONTENT_LENGTH in self.headers or hdrs.TRANSFER_ENCODING in self.headers


class Proxy:
    """A server on this machine that passes calls on; what passes is told to its keeper."""

    def __init__(
        self,
        upstreams: Upstreams,
        keeper: Keeping,
        admission: Admission | None = None,
        refused: Callable[[str], None] = lambda _: None,
        clock: Clock = milliseconds,
    ) -> None:
        self._upstreams, self._keeper, self._refused = upstreams, keeper, refused
        self._clock = clock
        self._admission = admission or Admission(LOOPBACK)
        self._server: AgentServer | None = None
        self._runner: web.ServerRunner | None = None
        self.address = ""

    async def start(self, host: str, port: int) -> None:
        """Listen; port 0 is any that is free, and ``address`` says which it became."""
        self._server = AgentServer(self._handle, _session, logger=QUIET, **SERVING)
        self._runner = web.ServerRunner(self._server, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, host, port).start()
        self._admission.listens(self._runner.addresses)
        host = ANYWHERE.get(host, host)
        shown = f"[{host}]" if ":" in host else host
        self.address = f"http://{shown}:{self._runner.addresses[0][1]}"

    async def stop(self) -> None:
        """Stop listening; calls that are still running are cut off, and handed over as such."""
        if self._runner is not None:
            await self._runner.cleanup()
        if self._server is not None:
            await self._server.finish()

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        headers = names_and_values(request.headers)
        refusal = self._admission.refusal(headers)
        if refusal is not None:
            self._refused(refusal)
            return _problem(403, refusal)
        if "websocket" in headers.get("upgrade", "").lower():
            return _problem(426, "ctxtui passes plain HTTP on, no WebSocket", NO_UPGRADE)
        tag, path = split_tag(request.raw_path)
        if not path.startswith("/"):
            return _problem(400, "ctxtui is sent calls by their path, not as a forward proxy")
        await _continue(request, headers.get("expect", ""))
        kind = kind_of_path(path) if request.method == hdrs.METH_POST else None
        call = None if kind is None else Call(kind, path, headers, self._clock(), tag)
        try:
            response = await self._pass_on(request, self._upstreams.address(path, headers), call)
        finally:
            if call is not None:
                with suppress(Exception):  # Recording is never the caller's problem.
                    self._keeper.take(call)
        if _connection(request).is_last:
            response.force_close()
        return response

    async def _pass_on(
        self, request: web.BaseRequest, address: str, call: Call | None
    ) -> web.StreamResponse:
        connection = ", ".join(request.headers.getall(hdrs.CONNECTION, ()))
        try:
            answer = await _connection(request).session.request(
                request.method,
                URL(address, encoded=True),
                headers=request_headers(
                    request.raw_headers, connection, is_recorded=call is not None
                ),
                data=self._pieces(request, call) if request.can_read_body else None,
                allow_redirects=False,
                proxy=proxy_for(address),
            )
        except ClientConnectorError as error:
            async for _ in self._pieces(request, call):
                pass  # What was asked is recorded although nobody heard it.
            await self._safe(call)
            number = error.os_error.errno
            reason = os.strerror(number) if number else str(error.os_error)
            return _problem(502, f"ctxtui can't reach {server_of(address)}: {reason}")
        except (ClientError, ConnectionError):
            return _cut(request)
        if answer.status < FIRST_FINAL:
            answer.close()
            return _cut(request)  # It would speak another protocol from here on.
        async with answer:
            return await self._answer(request, answer, call)

    async def _answer(
        self, request: web.BaseRequest, answer: ClientResponse, call: Call | None
    ) -> web.StreamResponse:
        response = Passed(answer)
        ending = None
        if call is not None:
            call.status, call.answer_headers = answer.status, names_and_values(answer.headers)
            ending = Ending(call.kind, call.answer_headers.get("content-length"))
        await response.prepare(request)
        try:
            async for piece in pieces_of(answer.content):
                if call is not None and ending is not None:
                    call.answer(piece, self._clock())
                    if ending.is_in(piece):
                        await self._safe(call)
                await response.write(piece)
        except (ClientError, ConnectionError):
            return _cut(request, response)
        await self._safe(call)
        await response.write_eof()
        return response

    async def _pieces(self, request: web.BaseRequest, call: Call | None) -> AsyncIterator[bytes]:
        """Yield a request's body as it comes, and keep a copy."""
        async for piece in request.content.iter_any():
            if call is not None:
                call.asked.add(piece)
            yield piece
        if call is not None:
            with suppress(Exception):
                self._keeper.asked(call)

    async def _safe(self, call: Call | None) -> None:
        """Wait until a call would survive the end of this program, or for as long as is decent."""
        if call is None:
            return
        with suppress(Exception):
            done = asyncio.wrap_future(self._keeper.ending(call))
            # asyncio prints an exception that is never retrieved, with what it says of bodies.
            done.add_done_callback(lambda done: done.cancelled() or done.exception())
            await asyncio.wait((done,), timeout=LONGEST_WAIT)


def _session() -> ClientSession:
    """Return a session for the calls of one connection."""
    return ClientSession(
        connector=ProviderConnector(),
        timeout=ClientTimeout(total=None),
        cookie_jar=DummyCookieJar(),
        auto_decompress=False,
        skip_auto_headers=NOT_SENT,
        **HEAD_LIMITS,
    )


async def _continue(request: web.BaseRequest, expected: str) -> None:
    """Let a client send its body that waits to hear that it may."""
    if expected.lower() == "100-continue" and request.version >= HttpVersion11:
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        request.writer.output_size = 0  # The answer has not begun by that.


def _connection(request: web.BaseRequest) -> AgentConnection:
    assert isinstance(request.protocol, AgentConnection)
    return request.protocol


def _cut(request: web.BaseRequest, response: Passed | None = None) -> web.StreamResponse:
    """End a call in the middle, as it was ended for us; what was written still goes out."""
    transport = request.transport
    if transport is not None and response is not None and response.has_visible_end:
        transport.close()
    elif transport is not None:
        if response is not None:  # Or the end of the connection would be that of the answer.
            socket_ = transport.get_extra_info("socket")
            socket_.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        transport.abort()
    raise ConnectionResetError("the other side is gone")


def _problem(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> web.Response:
    """Answer ourselves."""
    return web.json_response(problem(sentence), status=status, headers=headers)
