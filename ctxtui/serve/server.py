"""The server of the app in a browser: textual-serve's, closed to other sites and other users.

textual-serve answers any host name and any page, so that a site that is open in the same browser
could talk to the app. Here host and origin must be this server's own, and a key is needed, which
is part of the printed URL. The page loads nothing from elsewhere.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import secrets
import shlex
import signal
from asyncio.subprocess import Process
from collections.abc import Awaitable, Callable
from contextlib import suppress
from html import escape
from typing import Any

from aiohttp import WSMsgType, web
from textual_serve.app_service import AppService
from textual_serve.download_manager import DownloadManager
from textual_serve.server import Server

from ctxtui.core.values.numbers import count_in
from ctxtui.files.sandbox import Unreadable
from ctxtui.web_access import is_own_host, is_own_origin

# The page a browser loads: a terminal that fills it, and nothing from anywhere else.

POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; font-src 'self' data:; connect-src 'self' {socket}; "
    "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""What the page may load, as browsers are told: this server's own, and nothing else."""

_PAGE = """<!DOCTYPE html>
<html lang="en">
 <head>
  <meta charset="utf-8">
  <title>{title}</title>
  <link rel="icon" href="data:,">
  <link rel="stylesheet" href="/static/css/xterm.css">
  <script src="/static/js/textual.js"></script>
  <style>
   body {{ margin: 0; background: #0e1118; color: #cdd4df; overflow: hidden;
     font: 16px "Fira Code", "DejaVu Sans Mono", Menlo, Consolas, monospace; }}
   .textual-terminal {{ width: 100vw; height: 100vh; }}
   .said {{ position: absolute; inset: 0; z-index: 10; display: flex; gap: 24px;
     align-items: center; justify-content: center; background: #0e1118; }}
   .-first-byte .waiting, .ended {{ display: none; }}
   .-closed .ended {{ display: flex; }}
   button {{ font: inherit; padding: 8px 16px; border: 0; background: #d9e650; color: #14170a; }}
  </style>
 </head>
 <body>
  <div class="said waiting">ctxtui is starting…</div>
  <div class="said ended">This session has ended.
   <button type="button" onclick="location.reload()" autofocus>Start again</button></div>
  <div id="terminal" class="textual-terminal" data-session-websocket-url="{socket}"
   data-font-size="{font_size}"></div>
  <script>
   // Keys belong to the terminal from the start, without a click into it.
   const watch = setInterval(() => {{
    const typed = document.querySelector(".-first-byte .xterm-helper-textarea");
    if (typed) {{ typed.focus(); clearInterval(watch); }}
   }}, 50);
  </script>
 </body>
</html>
"""


def page(title: str, socket: str, font_size: int) -> str:
    """Return the page, with the address of the socket it talks to."""
    return _PAGE.format(title=escape(title), socket=escape(socket), font_size=font_size)


def policy(socket: str) -> str:
    """Return the header that keeps the page from loading anything from elsewhere."""
    return POLICY.format(socket=socket.partition("/ws")[0])


MOST_BROWSERS = 32
"""Processes at once; another browser is asked to come back later."""
LEAST_CELLS, MOST_CELLS = 1, 1_000
"""Columns and lines a browser may ask for."""
HEARTBEAT_SECONDS = 15
FONT_SIZES = range(6, 49)
USUAL_FONT_SIZE = 16
LEAVE_SECONDS = 5.0
"""How long the process of a visitor has to end once it is asked to; then it is killed."""
KEY_BYTES = 12
Ready = Callable[[int, str], None]
"""Is told the port and the key when browsers may come."""
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class VisitorProcess(AppService):
    """The app of one browser, in a process that is over when ``stop`` returns."""

    def __init__(
        self,
        command: str,
        socket: web.WebSocketResponse,
        downloads: DownloadManager,
        when_over: Callable[[VisitorProcess], None],
    ) -> None:
        async def close() -> None:
            await socket.close()

        super().__init__(
            command,
            write_bytes=socket.send_bytes,
            write_str=socket.send_str,
            close=close,
            download_manager=downloads,
        )
        self._when_over = when_over
        self._ending: asyncio.Task[None] | None = None

    async def start(self, width: int, height: int) -> None:
        await super().start(width, height)
        self._ending = None  # A stop before this found no process.

    async def on_data(self, payload: bytes) -> None:
        """Pass on what the app draws; a browser that is gone needs none of it.

        It is read all the same: an app that can't write can't end either.
        """
        with suppress(ConnectionError, RuntimeError):
            await super().on_data(payload)

    async def stop(self) -> None:
        """Ask the process to end, and wait until it has; kill one that does not."""
        if self._ending is None:
            self._ending = asyncio.ensure_future(self._end())
        await asyncio.shield(self._ending)

    async def _end(self) -> None:
        try:
            if self._process is not None:
                await self._end_process(self._process)
        finally:
            self._when_over(self)

    async def _end_process(self, process: Process) -> None:
        drawing = asyncio.gather(*filter(None, [self._task]), return_exceptions=True)
        try:
            async with asyncio.timeout(LEAVE_SECONDS):
                await self._download_manager.cancel_app_downloads(self.app_service_id)
                await self.send_meta({"type": "quit"})
                await drawing
                await process.wait()
        except TimeoutError:
            pass
        finally:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    process.kill()
            drawing.cancel()
            with suppress(asyncio.CancelledError):
                await drawing
            with suppress(TimeoutError):
                async with asyncio.timeout(LEAVE_SECONDS):
                    await process.communicate()  # It is over when all it said has been read.


class BrowserServer(Server):
    """Shows the app of a command to each browser that may connect."""

    def __init__(self, command: list[str], host: str, port: int, names: frozenset[str]) -> None:
        super().__init__(f"exec {shlex.join(command)}", host=host, port=port, title="ctxtui")
        self.key = secrets.token_urlsafe(KEY_BYTES)
        self._names = names
        self._visitors: set[VisitorProcess] = set()
        """One for each process that runs, is about to start, or has not ended yet."""

    async def run(self, ready: Ready) -> None:
        """Serve until this is cancelled; report port and key when browsers may connect."""
        with suppress(NotImplementedError):  # Windows has no such signal.
            task = asyncio.current_task()
            assert task is not None
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        logging.getLogger("textual-serve").addHandler(logging.NullHandler())
        runner = web.AppRunner(
            await self._make_app(), access_log=None, shutdown_timeout=LEAVE_SECONDS
        )
        await runner.setup()
        try:
            await self._bind(runner)
            self.port = runner.addresses[0][1]
            ready(self.port, self.key)
            await asyncio.Event().wait()
        finally:
            await runner.cleanup()

    async def _bind(self, runner: web.AppRunner) -> None:
        """Take the port, or say which one can't be taken and why."""
        try:
            await web.TCPSite(runner, self.host, self.port).start()
        except OSError as error:
            why = (
                "it is in use" if error.errno == errno.EADDRINUSE else f"{error.strerror or error}"
            )
            raise Unreadable(
                f"port {self.port} on {self.host} can't be served: {why}; --port 0 takes a free one"
            ) from None

    async def _make_app(self) -> web.Application:
        app = await super()._make_app()
        app.middlewares.append(self._guard)
        return app

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuse requests for another name or from another page."""
        if not is_own_host(request.host, self._names or None, (self.port,)):
            raise web.HTTPForbidden(text="This server does not go by that name.\n")
        origin = request.headers.get("Origin")
        if origin is not None and not is_own_origin(origin, request.host):
            raise web.HTTPForbidden(text="Other pages may not talk to this server.\n")
        if request.path == "/ws" and origin is None:
            raise web.HTTPForbidden(text="Only a page of this server may come here.\n")
        if not self._has_key(request):
            raise web.HTTPForbidden(text="Open the full URL that ctxtui serve printed.\n")
        response = await handler(request)
        if not response.prepared:
            response.headers["X-Content-Type-Options"] = "nosniff"
            response.headers["Referrer-Policy"] = "no-referrer"
            response.headers["Cache-Control"] = "no-store"
        return response

    def _has_key(self, request: web.Request) -> bool:
        """Return whether a request has the key: at first in the address, then in a cookie."""
        given = (request.query.get("key", ""), request.cookies.get(self._cookie, ""))
        return any(secrets.compare_digest(one.encode(), self.key.encode()) for one in given)

    @property
    def _cookie(self) -> str:
        return f"ctxtui-{self.port}"

    async def on_startup(self, app: web.Application) -> None:
        """Print nothing: the caller does."""

    async def handle_index(self, request: web.Request) -> web.Response:
        socket = f"ws://{request.host}/ws"
        asked = count_in(request.query.get("fontsize", str(USUAL_FONT_SIZE)))
        if asked is not None:
            size = asked if asked in FONT_SIZES else USUAL_FONT_SIZE
            response = web.Response(
                text=page(self.title, socket, size),
                content_type="text/html",
                headers={"Content-Security-Policy": policy(socket)},
            )
            response.set_cookie(self._cookie, self.key, httponly=True, samesite="Strict")
            return response
        raise web.HTTPBadRequest(text="fontsize is not a number.\n")

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """Run the app for a browser, if there is room for one more."""
        for name in ("width", "height"):
            if not _is_size(request.query.get(name, "80")):
                legal = f"{LEAST_CELLS}…{MOST_CELLS}"
                raise web.HTTPBadRequest(text=f"{name} is outside {legal}.\n")
        if len(self._visitors) >= MOST_BROWSERS:
            raise web.HTTPServiceUnavailable(text="Too many browsers are here already.\n")
        socket = web.WebSocketResponse(heartbeat=HEARTBEAT_SECONDS)
        visitor = VisitorProcess(
            self.command, socket, self.download_manager, self._visitors.discard
        )
        self._visitors.add(visitor)
        size = [int(request.query.get(*asked)) for asked in (("width", "80"), ("height", "24"))]
        try:
            await socket.prepare(request)
            await visitor.start(*size)
            await self._process_messages(socket, visitor)
        except (OSError, RuntimeError):
            pass  # The browser is gone, or there is no process to be had.
        except asyncio.CancelledError:
            await socket.close()
            raise
        finally:
            await visitor.stop()
        return socket

    async def on_shutdown(self, app: web.Application) -> None:
        visitors = list(self._visitors)
        await asyncio.gather(*(one.stop() for one in visitors), return_exceptions=True)

    async def _process_messages(
        self, websocket: web.WebSocketResponse, app_service: AppService
    ) -> None:
        """Pass on what a browser sends; anything else is ignored."""
        async for message in websocket:
            if message.type != WSMsgType.TEXT:
                continue
            try:
                found = message.json()
            except ValueError:
                continue
            await _pass_on(found, websocket, app_service)


async def _pass_on(found: Any, websocket: web.WebSocketResponse, app: AppService) -> None:
    match found:
        case ["stdin", str(typed)]:
            await app.send_bytes(typed.encode("utf-8", "replace"))
        case ["resize", {"width": int(width), "height": int(height)}]:
            if all(LEAST_CELLS <= size <= MOST_CELLS for size in (width, height)):
                await app.set_terminal_size(width, height)
        case ["ping", str() | int() | float() as data]:
            await websocket.send_json(["pong", data])
        case ["blur", *_]:
            await app.blur()
        case ["focus", *_]:
            await app.focus()


def _is_size(text: str) -> bool:
    return LEAST_CELLS <= (count_in(text) or 0) <= MOST_CELLS


def serve(command: list[str], host: str, port: int, names: frozenset[str], ready: Ready) -> None:
    """Serve the app of a command until ctrl+c; names that browsers may ask for, or none for any."""
    with suppress(KeyboardInterrupt, asyncio.CancelledError):
        asyncio.run(BrowserServer(command, host, port, names).run(ready))
