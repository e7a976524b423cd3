"""Connections: the two sides of the proxy, where they differ from what aiohttp makes of them.

An agent may end its sending side and still read: it gets its answer. A provider's answer that
breaks in the middle counts up to where it breaks.
"""

from __future__ import annotations

import asyncio
from asyncio import Task
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any, Literal

from aiohttp import ClientError, ClientPayloadError, ClientSession, TCPConnector, web
from aiohttp.client_proto import ResponseHandler
from aiohttp.http_exceptions import BadHttpMethod, LineTooLong
from aiohttp.streams import StreamReader

from ctxtui.capture.tape import MIB
from ctxtui.core.requests.exchange import SERVER_FAULT

LONGEST_HEAD_LINE = 16 * MIB
MOST_HEADERS = 100_000
HEAD_LIMITS: dict[str, Any] = {
    "max_line_size": LONGEST_HEAD_LINE,
    "max_field_size": LONGEST_HEAD_LINE,
    "max_headers": MOST_HEADERS,
}
"""What a head may have: more than any server takes, since refusing is for the other side to do."""
HEAD_END = b"\r\n\r\n"
FIRST_LOOK, LAST_LOOK = 0.01, 0.5
"""Seconds between looks at a connection whose client has ended its side; they grow."""
TABLES = ("/proc/net/tcp", "/proc/net/tcp6")
"""Where Linux lists connections: a line for each end of one on this machine."""
LOCAL, REMOTE, INODE = 1, 2, 9
"""Columns of those; a socket that no program has open any more has no inode."""
CLOSED = "0"
MakeSession = Callable[[], ClientSession]


class AgentConnection(web.RequestHandler):
    """The connection of an agent, which has a session of its own with providers.

    So a call that comes on a new connection goes on with a new one too, and never with one that
    the provider is just about to close.
    """

    __slots__ = ("_newest", "_server", "has_ended_sending", "session")

    def __init__(self, server: AgentServer, session: ClientSession, **options: Any) -> None:
        super().__init__(server, loop=asyncio.get_running_loop(), **options)
        self._server, self.session = server, session
        self.has_ended_sending = False
        self._newest: StreamReader | None = None

    @property
    def is_last(self) -> bool:
        """Return whether no other request comes after the one that is being answered."""
        return self.has_ended_sending and not self._messages

    @property
    def _is_idle(self) -> bool:
        waiter = self._waiter
        return not self._messages and waiter is not None and not waiter.done()

    def data_received(self, data: bytes) -> None:
        """Parse what has come, and remember the body of the newest request."""
        super().data_received(data)
        if self._messages:
            self._newest = self._messages[-1][1]

    def eof_received(self) -> Literal[True] | None:  # type: ignore[override]
        """Stay open while whole requests are being answered."""
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
        """Answer what is not HTTP in one sentence, in which nothing of it is repeated."""
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
    """Makes the connections of agents."""

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
        """Do something beside the calls."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def leave(self, session: ClientSession) -> None:
        """Close the session of a connection that is closed."""
        await session.close()
        self._sessions.discard(session)

    async def finish(self) -> None:
        """Close what is still open, also of connections whose last bytes nobody reads."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(session.close() for session in self._sessions))


class ProviderConnection(ResponseHandler):
    """The connection to a provider; all of an answer up to where it breaks is handed on."""

    def data_received(self, data: bytes) -> None:
        """Parse the head by itself, since aiohttp drops it if what came with it is broken.

        No bytes are a call of their own: aiohttp then parses what it kept while reading paused.
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
    """Makes the connections to providers."""

    def __init__(self) -> None:
        super().__init__(limit=0)
        self._factory = partial(  # type: ignore[assignment]
            ProviderConnection, loop=self._loop
        )


async def pieces_of(body: StreamReader) -> AsyncIterator[bytes]:
    """Yield a body as it comes; of one that breaks, first what came before that."""
    try:
        async for piece in body.iter_any():
            yield piece
    except (ClientError, ConnectionError):
        if rest := body._read_nowait(-1):
            yield rest
        raise


def is_closed(own: tuple[Any, ...], peer: tuple[Any, ...]) -> bool:
    """Return whether the other end of a connection is known to be closed for reading too.

    The network does not say so before something is sent. Linux knows it of the programs on this
    machine.
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
    """Return an error of ours, in the shape in which providers send theirs."""
    return {"type": "error", "error": {"type": "ctxtui", "message": sentence}}
