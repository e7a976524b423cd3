"""Calls in flight: known once they were asked, until they are answered or their proxy is gone."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from ctxtui.core.storage import Library, SpoolEntry
from ctxtui.watch.models import PendingCall, PendingCalls, Watching
from ctxtui.watch.screen import WatchScreen
from tests.capture.conftest import CHAT, Rig, asking
from tests.capture.provider import streamed
from tests.capture.streams import chat
from tests.ui.opening import LONG_AGO, painted, toasts
from tests.ui.recorded_threads import SYSTEM, Writer
from tests.ui.test_library import wait
from tests.ui.test_watch import look, watching

NOW = LONG_AGO + 60_000


def asked(library: Library, *texts: str, **more: Any) -> SpoolEntry:
    """Put down a call as a proxy does when it has passed it on."""
    slip = library.spool.begin()
    messages = [SYSTEM, *({"role": "user", "content": text} for text in texts)]
    head = {"kind": "chat", "path": CHAT, "time": NOW - 12_000, **more}
    slip.add(json.dumps({**head, "request": {"model": "m-1", "messages": messages}}).encode())
    return slip


def flying(library: Library) -> list[PendingCall]:
    found = Watching(library)
    found.read()
    found.take()
    return found.pending


async def test_a_call_is_in_flight_from_the_request_to_the_end_of_its_answer(rig: Rig) -> None:
    go = asyncio.Event()
    first, *rest = chat(["one ", "two"])
    rig.server.answering = lambda _: streamed([first, b"".join(rest)], gate=go)
    task = asyncio.create_task(rig.ask(json=asking("how long is it?")))
    other = Library(rig.library.folder)
    while not (found := await asyncio.to_thread(flying, other)) and not task.done():
        await asyncio.sleep(0.002)
    (pending,) = found
    assert (pending.model, pending.messages, pending.text) == ("m", 1, "how long is it?")
    assert pending.session is None
    go.set()
    await task
    await rig.until(1)
    assert await asyncio.to_thread(flying, other) == []


def test_what_a_proxy_has_left_that_is_gone_is_not_in_flight(tmp_path: Path) -> None:
    proxy = Library(tmp_path)
    asked(proxy, "first")
    assert len(PendingCalls(Library(tmp_path)).look([])) == 1
    proxy.spool.close()  # The slip stays, as it does when it is killed.
    assert len(list((tmp_path / "spool").glob("*.slip"))) == 1
    assert PendingCalls(Library(tmp_path)).look([]) == []


@pytest.mark.parametrize(
    "line",
    [
        *(b"", b"{", b"[]", b"\xff", b"null", b'{"kind":"chat","path":"/","request":{}}'),
        b'{"kind":"no","path":"/","time":1,"request":{}}',
        b'{"kind":"chat","path":"/","time":-1,"request":{}}',
        b"[" * 5_000,
    ],
)
def test_slips_of_another_shape_are_passed_over(line: bytes, tmp_path: Path) -> None:
    proxy = Library(tmp_path)
    proxy.spool.begin().add(line)
    assert PendingCalls(Library(tmp_path)).look([]) == []


def test_a_request_that_can_not_be_read_is_in_flight_all_the_same(tmp_path: Path) -> None:
    proxy = Library(tmp_path)
    head = {"kind": "chat", "path": CHAT, "time": 5, "request": {"messages": 7}}
    proxy.spool.begin().add(json.dumps(head).encode())
    (pending,) = PendingCalls(Library(tmp_path)).look([])
    assert (pending.time, pending.model, pending.messages) == (5, "", 0)


def test_it_goes_on_with_the_thread_it_has_most_in_common_with(tmp_path: Path) -> None:
    proxy = Library(tmp_path)
    writer = Writer(proxy)
    for text in ("about rivers", "about bread"):
        writer.send(SYSTEM, {"role": "user", "content": text})
    asked(proxy, "about bread", "and yeast?")
    asked(proxy, "something else")
    found = Watching(Library(tmp_path))
    found.read()
    found.take()
    bread = next(thread for thread in found.threads if "bread" in thread.title)
    assert [pending.session for pending in found.pending] == [bread.session.id, None]
    assert [len(thread.pending) for thread in found.threads if thread is not bread] == [0]
    assert bread.state(bread.figures.changed + 60_000) == "running"
    writer.close()


@asynccontextmanager
async def watched(folder: Path) -> AsyncIterator[tuple[Pilot[str], WatchScreen]]:
    async with watching(Library(folder)) as (pilot, screen):
        screen._clock = lambda: NOW
        await look(pilot, screen)
        yield pilot, screen


async def test_a_first_call_is_listed_with_its_age_until_its_thread_is(tmp_path: Path) -> None:
    proxy = Library(tmp_path)
    writer = Writer(proxy)
    slip = asked(proxy, "about rivers")
    async with watched(tmp_path) as (pilot, screen):
        drawn = painted(screen)
        assert "● live  no session is written yet" in drawn
        assert "1 unfinished" in drawn
        assert "first call unfinished" in drawn
        assert "unfinished for 12 s" in drawn
        assert "user: about rivers" in drawn
        await pilot.press("enter")
        await wait(pilot)
        assert "This call has not finished yet" in toasts(pilot)
        writer.send(SYSTEM, {"role": "user", "content": "about rivers"})
        slip.delete()
        await look(pilot, screen)
        assert "first call unfinished" not in painted(screen)
        assert screen.thread is not None
        again = asked(proxy, "about rivers", "and how long?")
        await look(pilot, screen)
        assert "1 call, 1 unfinished for 12 s" in painted(screen)
        assert "unfinished 12 s" in painted(screen)
        again.delete()
        await look(pilot, screen)
        assert "1 call, " not in painted(screen)
        assert "unfinished 12 s" not in painted(screen)
    writer.close()
