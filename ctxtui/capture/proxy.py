"""The proxy: passes calls on as they are, in both directions, and keeps copies of what it passes.

Bytes go on as soon as they come. What ends in the middle is cut off on the other side too: a clean
end would tell a client that it has all of an answer. Whatever goes wrong with a copy stays here.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Mapping
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
    TCPConnector,
    hdrs,
    web,
)
from yarl import URL

from core.conversation.conversation import Clock
from core.requests.exchange import kind_of_path
from core.values.times import milliseconds
from ctxtui.capture.ends import Ending
from ctxtui.capture.hops import names_and_values, passed_on, request_headers
from ctxtui.capture.tape import Call
from ctxtui.capture.upstreams import Upstreams, proxy_for, server_of, split_tag

LONGEST_HEADER = 1 << 16
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
        self.came = passed_on(answer.headers)
        super().__init__(status=answer.status, reason=answer.reason, headers=self.came.copy())


class Proxy:
    """A server on this machine that passes calls on; what passes is told to its keeper."""

    def __init__(self, upstreams: Upstreams, keeper: Keeping, clock: Clock = milliseconds) -> None:
        self._upstreams, self._keeper, self._clock = upstreams, keeper, clock
        self._client: ClientSession | None = None
        self._runner: web.AppRunner | None = None
        self.address = ""

    async def start(self, host: str, port: int) -> None:
        """Listen; port 0 is any that is free, and ``address`` says which it became."""
        self._client = ClientSession(
            connector=TCPConnector(limit=0),
            timeout=ClientTimeout(total=None),
            cookie_jar=DummyCookieJar(),
            auto_decompress=False,
            skip_auto_headers=NOT_SENT,
            max_line_size=LONGEST_HEADER,
            max_field_size=LONGEST_HEADER,
        )
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._handle)
        app.on_response_prepare.append(_as_it_came)
        self._runner = web.AppRunner(
            app,
            access_log=None,
            logger=QUIET,
            auto_decompress=False,
            handler_cancellation=True,
            max_line_size=LONGEST_HEADER,
            max_field_size=LONGEST_HEADER,
            shutdown_timeout=0.1,
        )
        await self._runner.setup()
        await web.TCPSite(self._runner, host, port).start()
        host = ANYWHERE.get(host, host)
        shown = f"[{host}]" if ":" in host else host
        self.address = f"http://{shown}:{self._runner.addresses[0][1]}"

    async def stop(self) -> None:
        """Stop listening; calls that are still running are cut off, and handed over as such."""
        if self._runner is not None:
            await self._runner.cleanup()
        if self._client is not None:
            await self._client.close()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        if "websocket" in request.headers.get(hdrs.UPGRADE, "").lower():
            return _problem(426, "ctxtui passes plain HTTP on, no WebSocket", NO_UPGRADE)
        tag, path = split_tag(request.raw_path)
        if not path.startswith("/"):
            return _problem(400, "ctxtui is sent calls by their path, not as a forward proxy")
        headers = names_and_values(request.headers)
        kind = kind_of_path(path) if request.method == hdrs.METH_POST else None
        call = None if kind is None else Call(kind, path, headers, self._clock(), tag)
        try:
            return await self._pass_on(request, self._upstreams.address(path, headers), call)
        finally:
            if call is not None:
                with suppress(Exception):  # Recording is never the caller's problem.
                    self._keeper.take(call)

    async def _pass_on(
        self, request: web.Request, address: str, call: Call | None
    ) -> web.StreamResponse:
        assert self._client is not None
        try:
            answer = await self._client.request(
                request.method,
                URL(address, encoded=True),
                headers=request_headers(request.headers, is_recorded=call is not None),
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
        async with answer:
            return await self._answer(request, answer, call)

    async def _answer(
        self, request: web.Request, answer: ClientResponse, call: Call | None
    ) -> web.StreamResponse:
        response = Passed(answer)
        ending = None
        if call is not None:
            call.status, call.answer_headers = answer.status, names_and_values(answer.headers)
            ending = Ending(call.kind, call.answer_headers.get("content-length"))
        await response.prepare(request)
        try:
            async for piece in answer.content.iter_any():
                if call is not None and ending is not None:
                    call.answer(piece, self._clock())
                    if ending.is_in(piece):
                        await self._safe(call)
                await response.write(piece)
        except (ClientError, ConnectionError):
            return _cut(request)
        await self._safe(call)
        await response.write_eof()
        return response

    async def _pieces(self, request: web.Request, call: Call | None) -> AsyncIterator[bytes]:
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
            await asyncio.wait((done,), timeout=LONGEST_WAIT)


async def _as_it_came(request: web.Request, response: web.StreamResponse) -> None:
    """Take out the headers that only the library has put into an answer."""
    if isinstance(response, Passed):
        for name in ADDED:
            if name not in response.came:
                response.headers.popall(name, None)


def _cut(request: web.Request) -> web.StreamResponse:
    """End a call in the middle, as it was ended for us."""
    if request.transport is not None:
        request.transport.abort()
    raise ConnectionResetError("the other side is gone")


def _problem(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> web.Response:
    """Answer ourselves, in the shape in which providers tell errors."""
    error = {"type": "error", "error": {"type": "ctxtui", "message": sentence}}
    return web.json_response(error, status=status, headers=headers)
