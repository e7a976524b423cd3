"""The server for browsers: its own page, its own name, and nobody else's."""

from __future__ import annotations

import re
import socket
from collections.abc import AsyncIterator

import pytest
from aiohttp import WSServerHandshakeError
from aiohttp.test_utils import TestClient, TestServer

from ctxtui.files.reading import Unreadable
from ctxtui.serving.server import MOST_BROWSERS, BrowserServer

NAMES = frozenset(("127.0.0.1", "localhost"))


class Doors(BrowserServer):
    """The server on a port that a test chose, which starts no program."""

    def __init__(self, names: frozenset[str] = NAMES) -> None:
        super().__init__(["false"], "127.0.0.1", 8000, names)

    def fill(self) -> None:
        """Let as many browsers be here as may."""
        self._browsers = MOST_BROWSERS


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


async def test_there_are_only_so_many_browsers_at_once(doors: Open) -> None:
    server, client = doors
    server.fill()
    answer = await client.get("/ws", headers={"Origin": f"http://127.0.0.1:{server.port}"})
    assert answer.status == 503


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
        assert "Only the address that ctxtui serve tells" in await answer.text()


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
