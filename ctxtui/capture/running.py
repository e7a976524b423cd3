"""Running: the proxy with its keeper, for as long as a command runs or until it is stopped."""

from __future__ import annotations

import asyncio
import logging
import os
import resource
import signal
import sys
from asyncio.subprocess import Process
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import PurePath
from threading import Event
from typing import Any

from ctxtui.capture.admission import Admission
from ctxtui.capture.keeper import CaptureEvent, Keeper, RefusedRequest, ReportEvent
from ctxtui.capture.proxy import Proxy
from ctxtui.capture.upstreams import Upstreams, program_environment
from ctxtui.core.errors import Refused, format_value
from ctxtui.core.requests.threads import short_name
from ctxtui.core.storage import Library

SIGNALLED = 128
"""What shells add to the number of the signal that ended a command."""
SWITCH_SECONDS = 0.0005
"""How long recording may keep a call waiting; Python's own ten times that would be felt."""
INTERPRETERS = ("python", "node", "bun", "deno", "ruby", "bash", "sh", "uv", "npx", "poetry")
"""Programs that are no name for a run: what they run is."""
SWITCHES = ("run", "-m", "-u", "-B", "-I", "-E", "-s", "-q")
"""What may be between an interpreter and what it runs, and takes no argument."""
STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

Ready = Callable[[str, Mapping[str, str]], None]
"""Called with the address of the proxy, and the variables that make programs use it."""


@dataclass(frozen=True, slots=True)
class CapturePlan:
    """What to run: where to listen, where calls go on to, and the command, if there is one."""

    host: str
    port: int
    upstreams: Upstreams
    environment: Mapping[str, str]
    command: Sequence[str] = ()
    hosts: Sequence[str] = ()
    """Names for this machine that requests may ask for, besides those listened on."""
    origins: Sequence[str] = ()
    """Web pages that may send requests."""


def capture(plan: CapturePlan, library: Library, report: ReportEvent, ready: Ready) -> int:
    """Record until the command has ended, or until ctrl+c; return the exit code."""
    _allow_many_files()
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        with _silent_libraries():
            return asyncio.run(_capture(plan, library, report, ready))
    finally:
        sys.setswitchinterval(before)


def recover(library: Library, report: ReportEvent) -> None:
    """Record what proxies that were killed have left in the spool, without starting one."""
    Keeper(library, report).close()


async def _capture(plan: CapturePlan, library: Library, report: ReportEvent, ready: Ready) -> int:
    admission = Admission(plan.host, plan.hosts, plan.origins)
    stopped, introduced = _stopping(), Event()

    def report_later(event: CaptureEvent) -> None:
        introduced.wait()  # What others left is reported after how this is used.
        report(event)

    keeper = Keeper(library, report_later, program=program_name(plan.command))
    refused: Callable[[str], None] = lambda reason: report(RefusedRequest(reason))  # noqa: E731
    asyncio.get_running_loop().set_exception_handler(partial(_failed, refused))
    proxy = Proxy(plan.upstreams, keeper, admission, refused)
    try:
        await _listen(proxy, plan)
        ready(proxy.address, plan.upstreams.variables(proxy.address))
        introduced.set()
        if plan.command:
            return await _run(plan, proxy.address)
        await stopped.wait()
        return 0
    finally:
        introduced.set()
        await proxy.stop()
        await asyncio.to_thread(keeper.close)


@contextmanager
def _silent_libraries() -> Iterator[None]:
    """Let no library print what it logs: it may repeat headers or bodies."""
    loggers = [logging.getLogger(name) for name in ("aiohttp", "asyncio")]
    before = [one.propagate for one in loggers]
    nowhere = logging.NullHandler()
    for one in loggers:
        one.addHandler(nowhere)
        one.propagate = False
    try:
        yield
    finally:
        for one, propagated in zip(loggers, before, strict=True):
            one.removeHandler(nowhere)
            one.propagate = propagated


def _failed(
    refused: Callable[[str], None], _: asyncio.AbstractEventLoop, context: dict[str, Any]
) -> None:
    """Report an error that nothing else handles by its kind, since its text may be a body's."""
    error = context.get("exception")
    if error is not None:
        refused(f"a connection failed with {type(error).__name__}")


def program_name(command: Sequence[str]) -> str:
    """Return what a run is called: the program, or the script that an interpreter runs.

    No other argument is stored, since one may be a key.
    """
    if not command:
        return "capture"
    name = PurePath(command[0]).name
    if name.rstrip("0123456789.") in INTERPRETERS:
        rest = list(command[1:])
        while rest and rest[0] in SWITCHES:
            rest.pop(0)
        if rest and not rest[0].startswith("-"):
            name = PurePath(rest[0]).name
    return short_name(name) or "capture"


async def _listen(proxy: Proxy, plan: CapturePlan) -> None:
    try:
        await proxy.start(plan.host, plan.port)
    except (OSError, ValueError) as error:
        # For a port that is taken, asyncio puts the address before the reason; a name that is not
        # found has a number of its own below 0.
        number = error.errno if isinstance(error, OSError) else None
        reason = os.strerror(number) if number and number > 0 else error.args[-1]
        raise Refused(
            f"port {plan.port} of {format_value(plan.host)} can't be listened to: {reason}",
            field="port",
            value=plan.port,
            legal="a port that is free, or 0 for any",
        ) from None


async def _run(plan: CapturePlan, here: str) -> int:
    """Run the command with its calls sent here, and return its exit code."""
    environment = program_environment(plan.environment, plan.upstreams, here)
    try:
        process = await asyncio.create_subprocess_exec(*plan.command, env=environment)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise Refused(
            f"{format_value(plan.command[0])} can't be run: {reason}",
            field="command",
            value=plan.command[0],
        ) from None
    loop = asyncio.get_running_loop()
    for number in STOPPING:
        loop.add_signal_handler(number, partial(_pass_on, process, number))
    code = await process.wait()
    return code if code >= 0 else SIGNALLED - code


def _pass_on(process: Process, number: int) -> None:
    """Pass a signal on to the command; a terminal sends ctrl+c to both."""
    if number != signal.SIGINT:
        with suppress(ProcessLookupError):
            process.send_signal(number)


def _stopping() -> asyncio.Event:
    """Return an event that is set by the signals that stop the proxy."""
    stopped, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in STOPPING:
        loop.add_signal_handler(number, stopped.set)
    return stopped


def _allow_many_files() -> None:
    """Allow as many open files as the system lets us: every call has two, every thread too."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
