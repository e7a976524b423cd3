"""The server for browsers: its own page, its own name, and nobody else's."""

from __future__ import annotations

import asyncio
import re
import shlex
import socket
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Callable

import pytest
from aiohttp import WSServerHandshakeError
from aiohttp.test_utils import TestClient, TestServer

from ctxtui.files.sandbox import Unreadable
from ctxtui.serve.server import BrowserServer, VisitorProcess

NAMES = frozenset(("127.0.0.1", "localhost"))


class Doors(BrowserServer):
    """The server on a port that a test chose, which starts no program."""

    def __init__(self, names: frozenset[str] = NAMES) -> None:
        super().__init__(["false"], "127.0.0.1", 8000, names)

    @property
    def visitors(self) -> int:
        """Return how many processes are counted."""
        return len(self._visitors)


@pytest.fixture
async def doors() -> AsyncIterator[tuple[Doors, TestClient]]:  # type: ignore[type-arg]
    """Return a server and who talks to it."""
    server = Doors()
    async with TestClient(TestServer(await server._make_app(), host="127.0.0.1")) as client:
        server.port = client.port or 0
        await client.get(f"/?key={server.key}")
        yield server, client


Open = tuple[Doors, TestClient]  # type: ignore[type-arg]


async def test_the_page_loads_nothing_from_elsewhere(doors: Open) -> None:
    server, client = doors
    answer = await client.get("/")
    text = await answer.text()
    assert answer.status == 200
    assert re.findall(r'(?:src|href)="([^"]*)"', text) == [
        "data:,",
        "/static/css/xterm.css",
        "/static/js/textual.js",
    ]
    assert f'"ws://127.0.0.1:{server.port}/ws"' in text
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert f"connect-src 'self' ws://127.0.0.1:{server.port};" in policy
    assert not re.search(r"https?:", text + policy)
    for path in ("css/xterm.css", "js/textual.js"):
        assert (await client.get(f"/static/{path}")).status == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1:1", "127.0.0.1.evil.example:{port}"]
)
async def test_another_name_is_not_answered(host: str, doors: Open) -> None:
    server, client = doors
    answer = await client.get("/", headers={"Host": host.format(port=server.port)})
    assert answer.status == 403
    assert "does not go by that name" in await answer.text()


async def test_this_machine_goes_by_its_own_names(doors: Open) -> None:
    server, client = doors
    for name in NAMES:
        answer = await client.get("/", headers={"Host": f"{name}:{server.port}"})
        assert answer.status == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", None])
async def test_no_other_page_talks_to_the_app(origin: str | None, doors: Open) -> None:
    _, client = doors
    headers = {} if origin is None else {"Origin": origin}
    with pytest.raises(WSServerHandshakeError) as refused:
        await client.ws_connect("/ws?width=80&height=24", headers=headers)
    assert refused.value.status == 403


@pytest.mark.parametrize("query", ["width=0", "height=1001", "width=-5", "width=abc"])
async def test_no_browser_is_larger_than_a_screen(query: str, doors: Open) -> None:
    server, client = doors
    origin = {"Origin": f"http://127.0.0.1:{server.port}"}
    answer = await client.get(f"/ws?{query}", headers=origin)
    assert answer.status == 400
    assert "is outside 1…1000" in await answer.text()


STUBBORN = """
import sys
print("__GANGLION__", flush=True)
while True:
    sys.stdout.buffer.write(b"D" + (60_000).to_bytes(4, "big") + b"x" * 60_000)
    sys.stdout.buffer.flush()
"""
"""A program that draws all the time and never ends by itself, whatever it is asked."""
POLITE = """
import sys
print("__GANGLION__", flush=True)
sys.stdout.buffer.write(b"D" + (1).to_bytes(4, "big") + b"x")
sys.stdout.buffer.flush()
sys.stdin.buffer.read(1)
"""
"""A program that ends as soon as it is spoken to."""


class Counted(Doors):
    """A server that runs a program of a test, and notes which processes it has started."""

    def __init__(self, program: str) -> None:
        super().__init__()
        self.command = shlex.join(["exec", sys.executable, "-c", program])
        self.started: list[Process] = []
        self.most = 0

    @property
    def running(self) -> int:
        """Return how many of the processes have not ended."""
        return sum(one.returncode is None for one in self.started)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Counted]:
    """Return a way to make a server with room for four, whose processes are noted."""

    def made(program: str) -> Counted:
        counting = Counted(program)
        opened = VisitorProcess._open_app_process

        async def noted(self: VisitorProcess, width: int = 80, height: int = 24) -> Process:
            counting.started.append(await opened(self, width, height))
            counting.most = max(counting.most, counting.running)
            return counting.started[-1]

        monkeypatch.setattr(VisitorProcess, "_open_app_process", noted)
        return counting

    monkeypatch.setattr("ctxtui.serve.server.MOST_BROWSERS", 4)
    monkeypatch.setattr("ctxtui.serve.server.LEAVE_SECONDS", 0.2)
    return made


@pytest.mark.parametrize("program", [STUBBORN, POLITE], ids=["stubborn", "polite"])
@pytest.mark.parametrize("is_abrupt", [False, True])
async def test_there_are_never_more_processes_than_may_be(
    counted: Callable[[str], Counted], program: str, *, is_abrupt: bool
) -> None:
    server = counted(program)
    async with TestClient(TestServer(await server._make_app(), host="127.0.0.1")) as client:
        server.port = client.port or 0
        origin = {"Origin": f"http://127.0.0.1:{server.port}"}
        await client.get(f"/?key={server.key}", headers=origin)

        async def come_and_go() -> int:
            try:
                socket = await client.ws_connect("/ws", headers=origin, max_msg_size=0)
            except WSServerHandshakeError as refused:
                return refused.status
            await socket.receive()
            if is_abrupt:
                assert socket._response.connection is not None
                transport = socket._response.connection.transport
                assert transport is not None
                transport.abort()
            else:
                await socket.close()
            return 101

        found = []
        for _ in range(4):
            found += await asyncio.gather(*(come_and_go() for _ in range(12)))
        assert set(found) == {101, 503}
        assert server.most <= 4
        while server.visitors:
            await asyncio.sleep(0.01)
        assert server.running == 0
        assert await come_and_go() == 101


async def test_a_browser_that_comes_when_there_is_no_room_starts_nothing(
    counted: Callable[[str], Counted],
) -> None:
    server = counted(STUBBORN)
    async with TestClient(TestServer(await server._make_app(), host="127.0.0.1")) as client:
        server.port = client.port or 0
        origin = {"Origin": f"http://127.0.0.1:{server.port}"}
        await client.get(f"/?key={server.key}", headers=origin)
        here = [await client.ws_connect("/ws", headers=origin, max_msg_size=0) for _ in range(4)]
        answer = await client.get("/ws", headers=origin)
        assert answer.status == 503
        assert "Too many browsers" in await answer.text()
        assert (len(server.started), len(here)) == (4, 4)
    assert server.running == 0


async def test_a_download_that_nobody_offered_is_not_found(doors: Open) -> None:
    _, client = doors
    assert (await client.get("/download/guess")).status == 404


async def test_a_wide_server_answers_any_name_but_no_other_page() -> None:
    server = Doors(frozenset())
    async with TestClient(TestServer(await server._make_app(), host="127.0.0.1")) as client:
        server.port = client.port or 0
        host = f"desk.example:{server.port}"
        way = f"/?key={server.key}"
        assert (await client.get(way, headers={"Host": host})).status == 200
        asked = {"Host": host, "Origin": "http://evil.example"}
        assert (await client.get("/ws", headers=asked)).status == 403


@pytest.mark.parametrize(
    "path", ["/", "/?key=guess", "/ws", "/static/js/textual.js", "/download/x"]
)
async def test_nobody_comes_without_the_key(path: str) -> None:
    server = Doors()
    async with TestClient(TestServer(await server._make_app(), host="127.0.0.1")) as client:
        server.port = client.port or 0
        origin = {"Origin": f"http://127.0.0.1:{server.port}"}
        answer = await client.get(path, headers=origin)
        assert answer.status == 403
        assert "Open the full URL that ctxtui serve printed" in await answer.text()


async def test_each_server_has_another_key_which_no_program_in_the_page_can_read(
    doors: Open,
) -> None:
    server, client = doors
    assert server.key != Doors().key
    answer = await client.get(f"/?key={server.key}")
    (cookie,) = answer.cookies.values()
    assert cookie["httponly"]
    assert cookie["samesite"] == "Strict"
    assert server.key not in await answer.text()


async def test_a_port_that_is_in_use_is_told() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        server = BrowserServer(["true"], "127.0.0.1", port, frozenset())
        with pytest.raises(Unreadable, match=rf"port {port} on 127\.0\.0\.1 .* in use; --port 0"):
            await server.run(lambda *_: None)
