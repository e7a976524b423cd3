"""The proxy: passes calls on unchanged, in both directions, and copies what it passes on.

Bytes are passed on as soon as they come. What ends in the middle is cut off on the other side too:
a clean end would show a client that it has the whole answer. No error with a copy reaches a call.

An agent may end its sending side and still read: it gets its answer. A provider's answer that
breaks in the middle counts up to where it breaks.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import socket
import struct
from asyncio import Task
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Literal, Protocol

from aiohttp import (
    ClientConnectorError,
    ClientError,
    ClientPayloadError,
    ClientResponse,
    ClientSession,
    ClientTimeout,
    DummyCookieJar,
    HttpVersion11,
    TCPConnector,
    hdrs,
    web,
)
from aiohttp.client_proto import ResponseHandler
from aiohttp.http_exceptions import BadHttpMethod, LineTooLong
from aiohttp.streams import StreamReader
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

from ctxtui.capture.admission import Admission
from ctxtui.capture.calls import MIB, CapturedCall
from ctxtui.capture.upstreams import Upstreams, proxy_for, server_of
from ctxtui.core.conversation.conversation import Clock
from ctxtui.core.requests.exchange import SERVER_FAULT, Kind, kind_of_path
from ctxtui.core.values.numbers import count_in
from ctxtui.core.values.times import milliseconds

LOOPBACK = "127.0.0.1"
SERVING = {"access_log": None, "auto_decompress": False}
FIRST_FINAL, NOT_MODIFIED = 200, 304
RESET = struct.pack("ii", 1, 0)
"""For SO_LINGER: close with a reset, so that the client sees that something is missing."""
ADDED = (hdrs.CONTENT_TYPE, hdrs.DATE, hdrs.SERVER)
"""Headers that aiohttp puts into an answer that has none."""
NOT_SENT = (hdrs.ACCEPT, hdrs.ACCEPT_ENCODING, hdrs.CONTENT_TYPE, hdrs.USER_AGENT)
"""Headers that aiohttp would put into a request that has none."""
QUIET = logging.getLogger("ctxtui.capture")
QUIET.addHandler(logging.NullHandler())
QUIET.propagate = False  # A call that is cut off needs no traceback.
NO_UPGRADE = {"Upgrade": "HTTP/1.1"}
ANYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""Where hosts that mean all addresses of this machine are reached from here."""
LONGEST_WAIT = 5.0
"""Seconds for which the end of a call waits for the spool, even if the disk hangs."""


class CallSink(Protocol):
    """Where calls are recorded; none of its errors reaches a call."""

    def asked(self, call: CapturedCall) -> None:
        """Note that a whole request has come."""

    def ending(self, call: CapturedCall) -> Future[None]:
        """Note that the end of a call is about to be passed on; return what to wait for."""

    def take(self, call: CapturedCall) -> None:
        """Record a finished call."""


class PassedAnswer(web.StreamResponse):
    """An answer that is passed on with the headers it came with."""

    def __init__(self, answer: ClientResponse) -> None:
        connection = ", ".join(answer.headers.getall(hdrs.CONNECTION, ()))
        self.came = passed_on(answer.raw_headers, connection)
        super().__init__(status=answer.status, reason=answer.reason, headers=self.came.copy())

    async def _prepare_headers(self) -> None:
        """Remove the headers that aiohttp adds, and add those that it removes."""
        await super()._prepare_headers()
        for name in ADDED:
            if name not in self.came:
                self.headers.popall(name, None)
        if self.status == NOT_MODIFIED and hdrs.CONTENT_LENGTH in self.came:
            self.headers[hdrs.CONTENT_LENGTH] = self.came[hdrs.CONTENT_LENGTH]

    @property
    def has_visible_end(self) -> bool:
        """Return whether a client can see that it has everything, by a length or by chunks."""
        return hdrs.CONTENT_LENGTH in self.headers or hdrs.TRANSFER_ENCODING in self.headers


class Proxy:
    """A server on this machine that passes calls on and hands copies to its keeper."""

    def __init__(
        self,
        upstreams: Upstreams,
        keeper: CallSink,
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
        """Listen; port 0 is any free one, and ``address`` has the real one."""
        self._server = AgentServer(self._handle, _session, logger=QUIET, **SERVING)
        self._runner = web.ServerRunner(self._server, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, host, port).start()
        self._admission.listens(self._runner.addresses)
        host = ANYWHERE.get(host, host)
        shown = f"[{host}]" if ":" in host else host
        self.address = f"http://{shown}:{self._runner.addresses[0][1]}"

    async def stop(self) -> None:
        """Stop listening; calls that are still running are cut off, and recorded as such."""
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
        tag, path = self._upstreams.split(request.raw_path)
        if not path.startswith("/"):
            return _problem(400, "ctxtui is sent calls by their path, not as a forward proxy")
        await _continue(request, headers.get("expect", ""))
        kind = kind_of_path(path) if request.method == hdrs.METH_POST else None
        call = None if kind is None else CapturedCall(kind, path, headers, self._clock(), tag)
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
        self, request: web.BaseRequest, address: str, call: CapturedCall | None
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
                pass  # The request is recorded although it reached no provider.
            await self._wait_for_spool(call)
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
        self, request: web.BaseRequest, answer: ClientResponse, call: CapturedCall | None
    ) -> web.StreamResponse:
        response = PassedAnswer(answer)
        ending = None
        if call is not None:
            call.status, call.answer_headers = answer.status, names_and_values(answer.headers)
            ending = StreamEnd(call.kind, call.answer_headers.get("content-length"))
        await response.prepare(request)
        try:
            async for piece in pieces_of(answer.content):
                if call is not None and ending is not None:
                    call.answer(piece, self._clock())
                    if ending.is_in(piece):
                        await self._wait_for_spool(call)
                await response.write(piece)
        except (ClientError, ConnectionError):
            return _cut(request, response)
        await self._wait_for_spool(call)
        await response.write_eof()
        return response

    async def _pieces(
        self, request: web.BaseRequest, call: CapturedCall | None
    ) -> AsyncIterator[bytes]:
        """Yield the body of a request as it comes, and copy it."""
        async for piece in request.content.iter_any():
            if call is not None:
                call.asked.add(piece)
            yield piece
        if call is not None:
            with suppress(Exception):
                self._keeper.asked(call)

    async def _wait_for_spool(self, call: CapturedCall | None) -> None:
        """Wait until a call is in the spool, but not longer than a client should."""
        if call is None:
            return
        with suppress(Exception):
            ending = self._keeper.ending(call)
            if ending.done():
                return  # As most are: what is small is written at once.
            done = asyncio.wrap_future(ending)
            # asyncio prints an exception that is never retrieved, with what it says of bodies.
            done.add_done_callback(lambda done: done.cancelled() or done.exception())
            await asyncio.wait((done,), timeout=LONGEST_WAIT)


def _session() -> ClientSession:
    return ClientSession(
        connector=ProviderConnector(),
        timeout=ClientTimeout(total=None),
        cookie_jar=DummyCookieJar(),
        auto_decompress=False,
        skip_auto_headers=NOT_SENT,
        **HEAD_LIMITS,
    )


async def _continue(request: web.BaseRequest, expected: str) -> None:
    """Let a client send its body that waits for permission."""
    if expected.lower() == "100-continue" and request.version >= HttpVersion11:
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        request.writer.output_size = 0  # The answer has not begun by that.


def _connection(request: web.BaseRequest) -> AgentConnection:
    assert isinstance(request.protocol, AgentConnection)
    return request.protocol


def _cut(request: web.BaseRequest, response: PassedAnswer | None = None) -> web.StreamResponse:
    """Break off a call, as it was broken off for us; what was written is still sent."""
    transport = request.transport
    if transport is not None and response is not None and response.has_visible_end:
        transport.close()
    elif transport is not None:
        if response is not None:  # Else the end of the connection would be that of the answer.
            socket_ = transport.get_extra_info("socket")
            socket_.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        transport.abort()
    raise ConnectionResetError("the other side is gone")


def _problem(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> web.Response:
    return web.json_response(problem(sentence), status=status, headers=headers)


# Headers

HOP_BY_HOP = frozenset(
    (
        *("connection", "keep-alive", "proxy-authenticate", "proxy-authorization"),
        *("proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"),
    )
)
OURS = frozenset(("host", "expect"))
"""Headers of a request that are about the connection to us."""
ENCODINGS = "Accept-Encoding"


RawHeaders = Iterable[tuple[bytes, bytes]]


def passed_on(headers: RawHeaders, connection: str) -> CIMultiDict[str]:
    """Return the headers for the next hop, in their order and as they were first spelled.

    ``connection`` is what the header of that name holds.
    """
    dropped = HOP_BY_HOP | {name.strip().lower() for name in connection.split(",")}
    found: CIMultiDict[str] = CIMultiDict()
    spelled: dict[str, str] = {}
    for raw_name, raw_value in headers:
        name = raw_name.decode("utf-8", "surrogateescape").removeprefix(REPEATED)
        if name.lower() not in dropped:
            # Of two spellings of a name, aiohttp would send the last one only.
            name = spelled.setdefault(name.lower(), name)
            found.add(name, raw_value.decode("utf-8", "surrogateescape"))
    return found


def request_headers(headers: RawHeaders, connection: str, *, is_recorded: bool) -> CIMultiDict[str]:
    """Return the headers that a request is passed on with; recorded ones ask for plain bodies."""
    found = passed_on(headers, connection)
    for name in OURS:
        found.popall(name, None)
    if is_recorded:
        found[ENCODINGS] = "identity"
    return found


def names_and_values(headers: CIMultiDictProxy[str]) -> dict[str, str]:
    """Return headers by their lower-case names; repeated ones are joined."""
    found: dict[str, str] = {}
    for name, value in headers.items():
        key = name.removeprefix(REPEATED).lower()
        found[key] = f"{found[key]}, {value}" if key in found else value
    return found


REPEATED = "x-ctxtui-repeated-"
SINGLE = (b"content-location", b"content-type", b"etag", b"max-forwards", b"server", b"user-agent")
"""Headers that aiohttp refuses where they are repeated, which changes nothing about a request."""


def with_distinct_names(data: bytes, end: int) -> bytes:
    """Return data with a head up to some end in which no header that aiohttp refuses is repeated.

    A prefix is put in front of its name; it is removed again before the header is passed on.
    """
    lines = data[: max(0, end)].split(b"\r\n")
    names = [line.partition(b":")[0].lower() for line in lines]
    if not any(names.count(name) > 1 for name in SINGLE):
        return data
    for at, name in enumerate(names):
        if name in SINGLE and name in names[:at]:
            lines[at] = REPEATED.encode() + lines[at]
    return b"\r\n".join(lines) + data[end:]


# The ends of streams

REACH = 64
"""Bytes of the previous piece that are searched again: an end may be split in two."""
MAX_READS, FREE = 8, 1 << 20
"""How often an answer is read while it comes, on average, and bytes that are read for free."""
ENDS: dict[Kind, re.Pattern[bytes]] = {
    "chat": re.compile(rb'(?:^|[\r\n])data: ?\[DONE\]|"finish_reason"\s*:\s*"[^"]'),
    "responses": re.compile(
        rb'"type"\s*:\s*"(?:error|response\.(?:completed|incomplete|failed|cancelled))"'
    ),
    "messages": re.compile(rb'"type"\s*:\s*"(?:error|message_stop)"'),
    "gemini": re.compile(rb'"finish(?:R|_r)eason"\s*:\s*"'),
    "ollama": re.compile(rb'"done"\s*:\s*true'),
}
"""How streams end. In a text that a model writes, quotes are escaped."""


class StreamEnd:
    """Watches an answer for its end; clients hang up once they have read that."""

    def __init__(self, kind: Kind, length: str | None) -> None:
        self._end = ENDS[kind]
        self._missing = count_in(length)
        self._before = b""
        self._size = 0
        self._read = 0

    def is_in(self, piece: bytes) -> bool:
        """Return whether the answer may be over for its client once a piece is passed on.

        Each time, all of the answer is read, so an answer that often looks over is not read always.
        """
        self._size += len(piece)
        if self._missing is not None:
            self._missing -= len(piece)
            return self._missing <= 0
        looked = self._before + piece
        self._before = looked[-REACH:]
        if self._end.search(looked) is None or self._read > FREE + MAX_READS * self._size:
            return False
        self._read += self._size
        return True


# Connections

LONGEST_HEAD_LINE = 16 * MIB
MAX_HEADERS = 100_000
HEAD_LIMITS: dict[str, Any] = {
    "max_line_size": LONGEST_HEAD_LINE,
    "max_field_size": LONGEST_HEAD_LINE,
    "max_headers": MAX_HEADERS,
}
"""Limits for heads, higher than those of any server, since refusing is up to the other side."""
HEAD_END = b"\r\n\r\n"
UNFINISHED_HEAD = re.compile(rb"[A-Z]+(?: (?:[^\n]|(?<=\r)\n)*)?\Z")
"""A head whose end has not come; what is something else is refused at once."""
FIRST_LOOK, LAST_LOOK = 0.01, 0.5
"""Seconds between checks of a connection whose client has ended its side; they grow."""
TABLES = ("/proc/net/tcp", "/proc/net/tcp6")
"""Where Linux lists connections, a line for each end on this machine."""
LOCAL, REMOTE, INODE = 1, 2, 9
"""Columns of those; a socket that no program has open has no inode."""
CLOSED = "0"
MakeSession = Callable[[], ClientSession]


class AgentConnection(web.RequestHandler):
    """The connection of an agent, with a session of its own to providers.

    A call on a new connection is passed on by a new one too, never by one that the provider is
    about to close.
    """

    __slots__ = ("_head", "_newest", "_server", "has_ended_sending", "session")

    def __init__(self, server: AgentServer, session: ClientSession, **options: Any) -> None:
        super().__init__(server, loop=asyncio.get_running_loop(), **options)
        self._server, self.session = server, session
        self.has_ended_sending = False
        self._newest: StreamReader | None = None
        self._head = b""

    @property
    def is_last(self) -> bool:
        """Return whether the request that is being answered is the last one."""
        return self.has_ended_sending and not self._messages

    @property
    def _is_idle(self) -> bool:
        waiter = self._waiter
        return not self._messages and waiter is not None and not waiter.done()

    def data_received(self, data: bytes) -> None:
        """Parse data, and remember the body of the newest request.

        A head waits until it is whole, so that headers that it repeats get different names.
        """
        if self._newest is None or self._newest.is_eof():
            self._head += data
            end = self._head.find(HEAD_END)
            if (
                end < 0
                and len(self._head) < LONGEST_HEAD_LINE
                and UNFINISHED_HEAD.match(self._head)
            ):
                return
            data, self._head = with_distinct_names(self._head, end), b""
        super().data_received(data)
        if self._messages:
            self._newest = self._messages[-1][1]

    def eof_received(self) -> Literal[True] | None:  # type: ignore[override]
        """Stay open while whole requests are being answered."""
        if self._head:
            head, self._head = self._head, b""
            super().data_received(head)
        if self._is_idle or self._newest is None or not self._newest.is_eof():
            return None
        self.has_ended_sending = True
        self._server.run(self._close_in_time())
        return True

    async def _close_in_time(self) -> None:
        """Close the connection when all is answered, or when the client has closed it too."""
        wait = FIRST_LOOK
        while (transport := self.transport) is not None:
            if self._is_idle:
                transport.close()
            elif is_closed(
                transport.get_extra_info("sockname"), transport.get_extra_info("peername")
            ):
                transport.abort()
            await asyncio.sleep(wait)
            wait = min(wait * 2, LAST_LOOK)

    def connection_lost(self, exc: BaseException | None) -> None:
        """Close the session with providers too."""
        super().connection_lost(exc)
        self._server.run(self._server.leave(self.session))

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """Answer what is not HTTP in one sentence that repeats nothing of it."""
        if request.writer.output_size > 0:
            raise ConnectionError("the answer has begun already")
        if isinstance(exc, BadHttpMethod):
            reason = "can't read this request: its method is unknown"
        elif isinstance(exc, LineTooLong):
            most = LONGEST_HEAD_LINE // MIB
            reason = f"can't read this request: a line of its head is over {most} MiB"
        elif status < SERVER_FAULT:
            reason = "can't read this request: it is not HTTP/1.1"
        else:
            reason = "failed at this request"
        response = web.json_response(problem(f"ctxtui capture {reason}"), status=status)
        response.force_close()
        return response


class AgentServer(web.Server):
    """The server for agents."""

    def __init__(
        self,
        handler: Callable[[web.BaseRequest], Awaitable[web.StreamResponse]],
        make: MakeSession,
        **options: Any,
    ) -> None:
        super().__init__(handler, handler_cancellation=True)
        self._make, self._options = make, options
        self._sessions: set[ClientSession] = set()
        self._tasks: set[Task[None]] = set()

    def __call__(self) -> AgentConnection:
        """Return a new connection, with a session of its own."""
        session = self._make()
        self._sessions.add(session)
        return AgentConnection(self, session, **HEAD_LIMITS, **self._options)

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        """Run something in the background."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def leave(self, session: ClientSession) -> None:
        """Close the session of a connection that is closed."""
        await session.close()
        self._sessions.discard(session)

    async def finish(self) -> None:
        """Close what is still open, also connections whose last bytes are never read."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(session.close() for session in self._sessions))


class ProviderConnection(ResponseHandler):
    """The connection to a provider; an answer is passed on up to where it breaks."""

    def data_received(self, data: bytes) -> None:
        """Parse the head alone, since aiohttp drops it if what came with it is broken.

        Empty data is legal: aiohttp then parses what it buffered while reading was paused.
        """
        while self._awaits_head and (end := data.find(HEAD_END)) >= 0:
            end += len(HEAD_END)
            super().data_received(data[:end])
            data = data[end:]
        super().data_received(data)
        error, body = self.exception(), self._payload
        if error is not None and body is not None and body.exception() is None:
            body.set_exception(ClientPayloadError("the answer is broken"), error)

    @property
    def _awaits_head(self) -> bool:
        return self._payload is None or self._payload.is_eof()


class ProviderConnector(TCPConnector):
    """Connects to providers."""

    def __init__(self) -> None:
        super().__init__(limit=0)
        self._factory = partial(  # type: ignore[assignment]
            ProviderConnection, loop=self._loop
        )


async def pieces_of(body: StreamReader) -> AsyncIterator[bytes]:
    """Yield a body as it comes, and of a broken one what came before the break."""
    try:
        async for piece in body.iter_any():
            yield piece
    except (ClientError, ConnectionError):
        if rest := body._read_nowait(-1):
            yield rest
        raise


def is_closed(own: tuple[Any, ...], peer: tuple[Any, ...]) -> bool:
    """Return whether the other end of a connection is known to be closed for reading too.

    The network shows that only when something is sent; Linux lists it for this machine.
    """
    if own[0] != peer[0]:
        return False
    near, far = f":{own[1]:04X}", f":{peer[1]:04X}"
    is_listed = False
    for table in TABLES:
        try:
            lines = Path(table).read_text("ascii").splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            columns = line.split()
            ends = columns[LOCAL][-len(near) :], columns[REMOTE][-len(far) :]
            if columns[LOCAL].endswith(far) and columns[REMOTE].endswith(near):
                if columns[INODE] != CLOSED:
                    return False
            elif ends == (near, far):
                is_listed = True
    return is_listed


def problem(sentence: str) -> dict[str, Any]:
    """Return an error of ours in the form that providers use."""
    return {"type": "error", "error": {"type": "ctxtui", "message": sentence}}
