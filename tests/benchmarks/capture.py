"""The recording proxy: what a call costs more through it, and what a long run leaves in memory.

Provider, proxy and client have a process each, as they would anywhere. These are times of the
clock: waiting is what is asked about.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from subprocess import PIPE, Popen
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import NamedTuple

from aiohttp import ClientSession

from tests.benchmarks.table import Report, Target, show
from tests.capture.provider import provider, streamed
from tests.capture.streams import chat

CALLS, MANY = 60, 1_000
TURNS = {"a small call": 3, "a call of 100 KiB": 480}
"""Messages of the calls that are compared."""
MOST_MORE, MOST_MEMORY = {"a small call": 1.0, "a call of 100 KiB": 2.0}, 100.0
"""Milliseconds that a call may take longer: 1, and 2 for each 100 KiB; MiB of a thousand calls."""
THINKING = 0.03
"""Seconds between calls, in which an agent's model would think and the last call is recorded."""
INTRODUCTION = 5
"""Lines that say how it is used, behind the one with its address."""
KIB = 1024
MILLI = 1_000
SERVING = (sys.executable, "-c", "from tests.benchmarks.capture import serve; serve()")
PIECES = chat(["word "] * 20)
CAPTURING = (sys.executable, "-m", "ctxtui", "capture")


class Times(NamedTuple):
    """Milliseconds until the first byte of an answer, and until its last."""

    first: float
    last: float


def serve() -> None:
    """Answer every call with the same small stream, and print where."""

    async def main() -> None:
        async with provider() as server:
            server.answering = lambda came: streamed(PIECES)
            print(server.address, flush=True)
            await asyncio.Event().wait()

    asyncio.run(main())


@contextmanager
def _upstream() -> Iterator[str]:
    with Popen(SERVING, stdout=PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip()
        finally:
            server.kill()


class Proxy:
    """A proxy that records into a folder of its own."""

    def __init__(self, upstream: str, folder: str) -> None:
        options = ("--upstream", upstream, "--library", folder)
        self._process = Popen((*CAPTURING, *options), stdout=PIPE, stderr=PIPE, text=True)
        assert self._process.stdout is not None
        self.address = self._process.stdout.readline().split()[2]
        for _ in range(INTRODUCTION):
            self._process.stdout.readline()

    def told(self) -> None:
        """Wait until one more call is told as recorded."""
        assert self._process.stdout is not None
        self._process.stdout.readline()

    def end(self) -> float:
        """Let it record what is waiting, and return the most memory it had, in MiB."""
        self._process.send_signal(signal.SIGINT)
        assert self._process.stdout is not None
        self._process.stdout.read()
        _, _, used = os.wait4(self._process.pid, 0)
        return used.ru_maxrss / KIB


async def _timed(client: ClientSession, address: str, body: bytes) -> Times:
    began = perf_counter()
    async with client.post(f"{address}/run/v1/chat/completions", data=body) as answer:
        await answer.content.readany()
        first = perf_counter() - began
        await answer.read()
    return Times(first * MILLI, (perf_counter() - began) * MILLI)


async def _compared(addresses: tuple[str, ...], turns: int) -> list[Times]:
    """Return the median times of a call at each address; they take turns, one call each."""
    body = _body(turns)
    found: dict[str, list[Times]] = {address: [] for address in addresses}
    async with ClientSession() as client:
        for number in range(CALLS):
            await asyncio.sleep(THINKING)
            for address in addresses if number % 2 else reversed(addresses):
                found[address].append(await _timed(client, address, body))
    return [Times(*map(median, zip(*found[one], strict=True))) for one in addresses]


async def _growing(proxy: Proxy, calls: int) -> None:
    async with ClientSession() as client:
        for number in range(1, calls + 1):
            await _timed(client, proxy.address, _body(number))
            proxy.told()


def _body(turns: int) -> bytes:
    texts = [f"{number}: " + "some words of a message. " * 8 for number in range(turns)]
    messages = [{"role": "user", "content": text} for text in texts]
    return json.dumps({"model": "m", "stream": True, "messages": messages}).encode()


def _memory(upstream: str, calls: int) -> float:
    with TemporaryDirectory() as folder:
        proxy = Proxy(upstream, folder)
        asyncio.run(_growing(proxy, calls))
        return proxy.end()


def report(out: Report) -> None:
    """Measure, print the table and note the targets."""
    with _upstream() as upstream:
        with TemporaryDirectory() as folder:
            proxy = Proxy(upstream, folder)
            times = {
                name: asyncio.run(_compared((upstream, proxy.address), turns))
                for name, turns in TURNS.items()
            }
            proxy.end()
        one, many = _memory(upstream, 1), _memory(upstream, MANY)
    rows = []
    for what, (straight, through) in times.items():
        for name, before, after in zip(
            ("to the first byte", "to the last byte"), straight, through, strict=True
        ):
            named = f"{what}, {name}"
            target = Target(f"through the proxy: {named}", after - before, " ms", MOST_MORE[what])
            said = out.judge(target)
            rows.append([named, f"{before:.2f}", f"{after:.2f}", f"{after - before:+.2f}", said])
    sent = sum(len(_body(number)) for number in range(1, MANY + 1)) / KIB / KIB
    said = out.judge(Target(f"memory of {MANY:,} recorded calls", many - one, " MiB", MOST_MEMORY))
    rows.append(
        [f"MiB, 1 call and {MANY:,}", f"{one:.0f}", f"{many:.0f}", f"{many - one:+.0f}", said]
    )
    show(
        "Capture: ms of a streamed call, straight and through the proxy",
        [f"the calls of the last row are one conversation that grows: {sent:.0f} MiB were sent"],
        ["", "before", "then", "more", ""],
        rows,
    )
