"""A proxy in front of a scripted provider, recording into a library of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from aiohttp import ClientResponse, ClientSession
from yarl import URL

from ctxtui.capture.keeper import CaptureEvent, Keeper, StoredCall, UnrecordedCall
from ctxtui.capture.proxy import Proxy
from ctxtui.capture.thread_sessions import ThreadSessions
from ctxtui.capture.upstreams import Upstreams
from ctxtui.core import Conversation
from ctxtui.core.storage import Library
from tests.capture.provider import Provider, provider

CHAT = "/v1/chat/completions"


def asking(text: str = "hello", **more: Any) -> dict[str, Any]:
    """Return the body of a request in chat completions."""
    return {"model": "m", "messages": [{"role": "user", "content": text}], **more}


class Rig:
    """A provider, a proxy in front of it and a client; ``told`` is what the keeper said."""

    def __init__(self, server: Provider, folder: Path, client: ClientSession) -> None:
        self.server, self.client = server, client
        self.library = Library(folder)
        self.told: list[CaptureEvent] = []
        self.keeper = Keeper(self.library, self.told.append)
        self.proxy = Proxy(Upstreams.of({}, server.address), self.keeper)

    @property
    def kept(self) -> list[StoredCall]:
        return [one for one in self.told if isinstance(one, StoredCall)]

    @property
    def lost(self) -> list[UnrecordedCall]:
        return [one for one in self.told if isinstance(one, UnrecordedCall)]

    @property
    def address(self) -> str:
        return self.proxy.address

    async def ask(self, path: str = CHAT, **options: Any) -> tuple[ClientResponse, bytes]:
        """Send a request through the proxy and read all of its answer."""
        if not {"json", "data"} & options.keys():
            options["json"] = asking()
        async with self.client.post(URL(self.address + path, encoded=True), **options) as answer:
            return answer, await answer.read()

    async def until(self, count: int) -> None:
        """Wait until so many calls were told of."""
        while len(self.told) < count:
            await asyncio.sleep(0.002)

    def conversation(self, place: int = -1) -> Conversation:
        """Return what is on disk of the session of a call."""
        with self.library.open(self.kept[place].session, read_only=True) as session:
            return session.conversation


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    async with rigged(tmp_path / "library") as found:
        yield found


@asynccontextmanager
async def rigged(folder: Path) -> AsyncIterator[Rig]:
    """Set everything up, and take it down again."""
    async with provider() as server, ClientSession(auto_decompress=False) as client:
        found = Rig(server, folder, client)
        await found.proxy.start("127.0.0.1", 0)
        try:
            yield found
        finally:
            await found.proxy.stop()
            found.keeper.close()


@contextmanager
def nothing_recorded(monkeypatch: pytest.MonkeyPatch) -> Iterator[Event]:
    """Let nothing be recorded until the event is set, which it is in the end."""
    gate, record = Event(), ThreadSessions.record

    def waiting(*given: Any) -> Any:
        gate.wait()
        return record(*given)

    with monkeypatch.context() as held:
        held.setattr(ThreadSessions, "record", waiting)
        yield gate
        gate.set()
