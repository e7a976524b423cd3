"""The server of the app in a browser: textual-serve's, with its doors closed.

As it comes, that one answers any name and any page: a site that is open in the same browser could
talk to the app through it. Here both the name that was asked for and the page that asks must be
this server's own. Nor does it ask who comes, and other users of a machine reach 127.0.0.1 as well:
here a key is needed, which is part of the address that is told. Its own page loads a font from
another site; ours loads nothing from elsewhere.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import re
import secrets
import shlex
import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from aiohttp import WSMsgType, web
from textual_serve.app_service import AppService
from textual_serve.server import Server

from ctxtui.files.reading import Unreadable
from ctxtui.serving.page import page, policy

MOST_BROWSERS = 32
"""Processes at once; another browser is asked to come back later."""
LEAST_CELLS, MOST_CELLS = 1, 1_000
"""Columns and lines a browser may ask for."""
FONT_SIZES = range(6, 49)
USUAL_FONT_SIZE = 16
LEAVE_SECONDS = 2.0
"""How long visitors have to end when the server does."""
KEY_BYTES = 12
Ready = Callable[[int, str], None]
"""Is told the port and the key when browsers may come."""
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class BrowserServer(Server):
    """Shows the app of a command to each browser that comes, if it may."""

    def __init__(self, command: list[str], host: str, port: int, names: frozenset[str]) -> None:
        super().__init__(f"exec {shlex.join(command)}", host=host, port=port, title="ctxtui")
        self.key = secrets.token_urlsafe(KEY_BYTES)
        self._names = names
        self._browsers = 0

    async def run(self, ready: Ready) -> None:
        """Serve until this is cancelled; tell port and key when browsers may come."""
        with suppress(NotImplementedError):  # Windows knows no such signal.
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
        """Refuse whoever asks for another name, or comes from another page."""
        if not self._is_ours(request.host):
            raise web.HTTPForbidden(text="This server does not go by that name.\n")
        origin = request.headers.get("Origin")
        if origin is not None and origin.partition("://")[2] != request.host:
            raise web.HTTPForbidden(text="Other pages may not talk to this server.\n")
        if request.path == "/ws" and origin is None:
            raise web.HTTPForbidden(text="Only a page of this server may come here.\n")
        if not self._has_key(request):
            raise web.HTTPForbidden(text="Only the address that ctxtui serve tells leads here.\n")
        response = await handler(request)
        if not response.prepared:
            response.headers["X-Content-Type-Options"] = "nosniff"
            response.headers["Referrer-Policy"] = "no-referrer"
            response.headers["Cache-Control"] = "no-store"
        return response

    def _is_ours(self, host: str) -> bool:
        """Tell whether a name, as a browser gives it, is one this server goes by."""
        found = re.fullmatch(r"\[?([^\[\]]*?)\]?(?::(\d+))?", host)
        if found is None or found[2] not in (None, str(self.port)):
            return False
        return not self._names or found[1] in self._names

    def _has_key(self, request: web.Request) -> bool:
        """Tell whether somebody has the key: at first in the address, then in a cookie."""
        given = (request.query.get("key", ""), request.cookies.get(self._cookie, ""))
        return any(secrets.compare_digest(one.encode(), self.key.encode()) for one in given)

    @property
    def _cookie(self) -> str:
        return f"ctxtui-{self.port}"

    async def on_startup(self, app: web.Application) -> None:
        """Say nothing: whoever runs this does."""

    async def handle_index(self, request: web.Request) -> web.Response:
        """Return the page."""
        socket = f"ws://{request.host}/ws"
        with suppress(ValueError):
            asked = int(request.query.get("fontsize", USUAL_FONT_SIZE))
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
        if self._browsers >= MOST_BROWSERS:
            raise web.HTTPServiceUnavailable(text="Too many browsers are here already.\n")
        self._browsers += 1
        try:
            return await super().handle_websocket(request)
        finally:
            self._browsers -= 1

    async def _process_messages(
        self, websocket: web.WebSocketResponse, app_service: AppService
    ) -> None:
        """Hand on what a browser sends; what makes no sense is passed over."""
        async for message in websocket:
            if message.type != WSMsgType.TEXT:
                continue
            try:
                found = message.json()
            except ValueError:
                continue
            await _hand_on(found, websocket, app_service)


async def _hand_on(found: Any, websocket: web.WebSocketResponse, app: AppService) -> None:
    match found:
        case ["stdin", str(typed)]:
            await app.send_bytes(typed.encode("utf-8", "replace"))
        case ["resize", {"width": int(width), "height": int(height)}]:
            if _is_size(str(width)) and _is_size(str(height)):
                await app.set_terminal_size(width, height)
        case ["ping", str() | int() | float() as data]:
            await websocket.send_json(["pong", data])
        case ["blur", *_]:
            await app.blur()
        case ["focus", *_]:
            await app.focus()


def _is_size(text: str) -> bool:
    return text.isascii() and text.isdigit() and LEAST_CELLS <= int(text[:9]) <= MOST_CELLS


def serve(command: list[str], host: str, port: int, names: frozenset[str], ready: Ready) -> None:
    """Serve the app of a command until ctrl+c; names that browsers may ask for, or none for any."""
    with suppress(KeyboardInterrupt, asyncio.CancelledError):
        asyncio.run(BrowserServer(command, host, port, names).run(ready))
