"""The keeper: finished calls are recorded one after the other, each thread as a session.

Before its client sees the end of a call, the call is in the spool, without its secrets; once it is
safe in its session, it is reported as recorded and removed from the spool. If this program is
killed at any moment, nothing is lost: what a killed one left in the spool is recorded first, each
call once.

The first line of an entry of the spool is the request, each other one what had come back when the
call seemed to be over; the last one counts. A call without any was cut off together with the proxy.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from threading import Condition, Lock
from time import monotonic
from typing import Any, NamedTuple

from ctxtui.capture.calls import (
    MIB,
    BodyCopy,
    CapturedAnswer,
    CapturedCall,
    read_answer,
    read_request,
)
from ctxtui.capture.thread_sessions import CAPTURE, ThreadSessions
from ctxtui.core.errors import Refused
from ctxtui.core.formats.fields import is_object
from ctxtui.core.formats.stream_assembly import read_value
from ctxtui.core.formats.warnings import without_values
from ctxtui.core.requests.exchange import KINDS, OUTCOMES, Exchange, RemovedSecrets
from ctxtui.core.requests.recording import Recorded
from ctxtui.core.requests.secrets import SecretCleaner, SecretMemory, without_keys
from ctxtui.core.storage import CrashSpool, Library, NotSaved, SpoolEntry
from ctxtui.core.storage.checksummed import encode
from ctxtui.core.storage.errors import reason

MAX_WAITING = 2_000
MAX_BYTES = 512 * MIB
"""Calls, and their bytes, that wait in memory to be recorded; more wait in the spool only."""
QUICK = 1 << 15
"""Bytes that are written to the spool at once, which is quicker than asking a thread to."""
SLOW, SLOW_FOR = 0.05, 10.0
"""Seconds that show a busy disk, and seconds for which threads write everything then."""
FAILED = "the recorder failed with {name}"
THREADS = 4
"""Threads that write calls to the spool."""


class StoredCall(NamedTuple):
    """A call that is safe in a session, and what the recorder found out about it."""

    exchange: Exchange
    recorded: Recorded
    session: str


class UnrecordedCall(NamedTuple):
    """Why a call that was passed on is not recorded, or not on disk yet."""

    path: str
    reason: str


class SpoolProblem(NamedTuple):
    """Why calls would be lost if the proxy were killed before it has recorded them."""

    reason: str


class RefusedRequest(NamedTuple):
    """Why a request was refused instead of passed on."""

    reason: str


class RejudgedRun(NamedTuple):
    """How many threads a run has with all its calls known, where that differs; one session."""

    session: str
    threads: int


CaptureEvent = StoredCall | UnrecordedCall | SpoolProblem | RefusedRequest | RejudgedRun
ReportEvent = Callable[[CaptureEvent], None]


def bare(path: str) -> str:
    """Return a path without its query and without what in it looks like a key."""
    return without_keys(path).partition("?")[0]


def unrecorded(path: str, refusal: Refused) -> UnrecordedCall:
    """Return why a call is not recorded, without values of its body, headers or query."""
    return UnrecordedCall(bare(path), without_values(refusal))


class Keeper:
    """Records calls in the order in which they finished, on a thread of its own.

    It never raises anything to the proxy; every problem is reported instead.
    """

    def __init__(
        self, library: Library, report: ReportEvent, most: int = MAX_WAITING, program: str = CAPTURE
    ) -> None:
        self._library, self._report_event, self._most = library, report, most
        self._threads = ThreadSessions(library, program)
        self._spooled: dict[int, SpooledCall] = {}
        self._secrets = SecretMemory()
        self._waiting: deque[tuple[SpooledCall, int]] = deque()
        self._unsaved: dict[int, list[Callable[[], None]]] = {}
        self._warned: str | None = None
        self._bytes = 0
        self._change = Condition()
        self._is_closing = False
        self._slow_until = 0.0
        self._pool = ThreadPoolExecutor(THREADS, "ctxtui-spool")
        self._thread = threading.Thread(target=self._work, name="ctxtui-capture", daemon=True)
        self._thread.start()

    def asked(self, call: CapturedCall) -> None:
        """Write a call whose whole request has come to the spool, without waiting."""
        is_quick = call.asked.size <= QUICK and not call.is_packed
        self._do(self._entry(call).begin, is_quick=is_quick)

    def ending(self, call: CapturedCall) -> Future[None]:
        """Write a call whose end is about to be passed on; the result is done when it is safe."""
        spooled, content = self._entry(call), call.answered.content
        is_quick = spooled.is_ready and len(content) <= QUICK and not call.is_packed
        return self._do(partial(spooled.end, content), is_quick=is_quick)

    def _do(self, act: Callable[[], None], *, is_quick: bool) -> Future[None]:
        """Do something quick at once, unless the disk is busy, and anything else on a thread."""
        began = monotonic()
        if began < self._slow_until or not is_quick or not self._library.spool.is_begun:
            return self._pool.submit(act)
        done: Future[None] = Future()
        try:
            act()
            done.set_result(None)
        except Exception as error:
            done.set_exception(error)  # As a thread would; the call is recorded all the same.
        if monotonic() - began > SLOW:
            self._slow_until = began + SLOW_FOR
        return done

    def take(self, call: CapturedCall) -> None:
        """Queue a finished call to be recorded, without waiting."""
        spooled = self._entry(call)
        del self._spooled[id(call)]
        size = call.size
        is_quick = spooled.is_ready and size <= QUICK and not call.is_packed
        finished = self._do(partial(spooled.finish, call.answered.content), is_quick=is_quick)
        with self._change:
            is_full = len(self._waiting) >= self._most or self._bytes + size > MAX_BYTES
            size = 0 if is_full else size
            self._waiting.append((spooled, size))
            self._bytes += size
            self._change.notify_all()
        if is_full:
            finished.add_done_callback(lambda _: spooled.unload())

    def _entry(self, call: CapturedCall) -> SpooledCall:
        return self._spooled.setdefault(
            id(call), SpooledCall(call, self._library.spool, self._warn, self._secrets)
        )

    def close(self) -> None:
        """Record what is waiting, then close all sessions."""
        self._pool.shutdown()
        with self._change:
            self._is_closing = True
            self._change.notify_all()
        self._thread.join()

    def _work(self) -> None:
        self._recover()
        while (spooled := self._next()) is not None:
            self._report(self._finished(spooled))
        with suppress(Exception):
            if (judged := self._threads.rejudged()) is not None:
                self._report(RejudgedRun(*judged))
        self._leave()
        self._library.spool.close()

    def _next(self) -> SpooledCall | None:
        with self._change:
            while not self._waiting and not self._is_closing:
                self._change.wait()
            if not self._waiting:
                return None
            spooled, size = self._waiting.popleft()
            self._bytes -= size
            return spooled

    def _recover(self) -> None:
        """Record what killed proxies left in the spool, but what is in a session already."""
        with suppress(OSError):
            for run in self._library.spool.left():
                try:
                    saved = run.saved(self._library.byte_search)
                    for slip in run.entries:
                        self._recover_slip(slip, is_saved=slip.name in saved)
                finally:
                    run.leave()

    def _recover_slip(self, slip: SpoolEntry, *, is_saved: bool) -> None:
        try:
            if is_saved or not slip.lines():  # It may have been killed before it wrote anything.
                slip.delete()
            else:
                self._report(self._recorded(read_slip(slip), slip.delete))
        except Refused as refusal:
            self._report(UnrecordedCall(slip.name, without_values(refusal)))
        except Exception as error:
            self._report(UnrecordedCall(slip.name, FAILED.format(name=type(error).__name__)))

    def _finished(self, spooled: SpooledCall) -> CaptureEvent:
        try:
            spooled.finish(spooled.call.answered.content)
            exchange = spooled.exchange()
        except Refused as refusal:
            spooled.strike()
            return unrecorded(spooled.call.path, refusal)
        except Exception as error:
            return UnrecordedCall(bare(spooled.call.path), FAILED.format(name=type(error).__name__))
        return self._recorded(exchange, spooled.strike)

    def _recorded(self, exchange: Exchange, strike: Callable[[], None]) -> CaptureEvent:
        """Record an exchange, and remove it from the spool once its session is safe."""
        try:
            recorded = self._threads.record(exchange)
            waiting = self._unsaved.setdefault(recorded.thread.id, [])
            waiting.append(strike)
            session = self._threads.save(recorded.thread)
        except NotSaved as problem:
            return UnrecordedCall(
                bare(exchange.path), f"{problem}; it is tried again with the next call"
            )
        except Refused as refusal:
            with suppress(OSError):
                strike()
            return unrecorded(exchange.path, refusal)
        except Exception as error:
            # The recorder may be in any state: no later call is recorded on top of it.
            self._leave()
            self._threads.restart()
            return UnrecordedCall(bare(exchange.path), FAILED.format(name=type(error).__name__))
        self._strike(recorded.thread.id)
        return StoredCall(exchange, recorded, session)

    def _strike(self, thread: int) -> None:
        for strike in self._unsaved.pop(thread, ()):
            with suppress(OSError):
                strike()

    def _leave(self) -> None:
        """Close all sessions; what can't be saved stays in the spool."""
        for thread in self._threads.close():
            self._strike(thread)
        self._unsaved.clear()

    def _warn(self, reason: str) -> None:
        if reason != self._warned:
            self._warned = reason
            self._report(SpoolProblem(reason))

    def _report(self, event: CaptureEvent) -> None:
        """Report an event; recording goes on even if that fails."""
        with suppress(Exception):
            self._report_event(event)


HEAD = ("kind", "path", "headers", "time", "tag", "request", "warnings", "removed")
"""The fields of an exchange that the first line of a spool entry has."""
TOO_MANY = "more calls come than can be recorded"
Warn = Callable[[str], None]


class SpooledCall:
    """A call and its entry in the spool, used by several threads, one at a time."""

    def __init__(
        self, call: CapturedCall, spool: CrashSpool, warn: Warn, memory: SecretMemory | None = None
    ) -> None:
        self.call = call
        self.slip: SpoolEntry | None = None
        self.refusal: Refused | None = None
        self._spool, self._warn = spool, warn
        self._memory = memory or SecretMemory()
        self._guard = Lock()
        self._cleaner: SecretCleaner | None = None
        self._head: bytes | None = None
        self._answer: CapturedAnswer | None = None
        self._size = -1
        self._is_over = False
        self._has_begun = False

    @property
    def is_ready(self) -> bool:
        """Return whether only the response is missing, and no other thread uses it."""
        return self._has_begun and not self._guard.locked()

    def begin(self) -> None:
        """Write the request."""
        with self._guard:
            self._begin()

    def _begin(self) -> None:
        if self._cleaner is not None or self.refusal is not None:
            return
        try:
            self._cleaner, asked = read_request(self.call, self._memory)
            self._head = _line({name: getattr(asked, name) for name in HEAD})
        except Refused as refusal:
            self.refusal = refusal
            return
        self.call.asked = BodyCopy()
        with self._warning():
            self.slip = self._spool.begin()
            self.slip.add(self._head)
        self._has_begun = True

    def end(self, content: bytes) -> None:
        """Write what came back so far, unless that was done; it may be everything."""
        with self._guard:
            self._end(content)

    def _end(self, content: bytes) -> None:
        self._begin()
        if self._cleaner is None or self._is_over or self._size == len(content):
            return
        self._answer = read_answer(self.call, content, self._cleaner)
        self._size = len(content)
        with self._warning():
            if self.slip is not None:
                self.slip.add(_line(self._answer._asdict()))

    def finish(self, content: bytes) -> None:
        """Write all that came back, now that the call is over."""
        with self._guard, suppress(OSError):
            self._end(content)
            self._is_over = True
            if self.slip is not None:
                self.slip.close()

    def unload(self) -> None:
        """Free the memory of a finished call; one that is not in the spool is given up."""
        with self._guard:
            if self.slip is None and self.refusal is None:
                self.refusal = Refused(TOO_MANY, field="call")
            self.call.answered = BodyCopy()
            self._head, self._answer = None, None

    def exchange(self) -> Exchange:
        """Return the exchange of a call that is over; refuse one whose request can't be read."""
        with self._guard:
            if self.refusal is not None:
                raise self.refusal
            if self._head is None:
                assert self.slip is not None
                return read_slip(self.slip)
            found = _exchange([self._head])
            name = None if self.slip is None else self.slip.name
            if self._answer is None:
                return replace(found, id=name)
            answer = self._answer._asdict()
            answer["warnings"] = (*found.warnings, *self._answer.warnings)
            answer["removed"] = found.removed.and_of(self._answer.removed)
            return replace(found, **answer, id=name)

    def strike(self) -> None:
        """Remove it from the spool."""
        slip, self.slip = self.slip, None
        if slip is not None:
            with suppress(OSError):
                slip.delete()

    @contextmanager
    def _warning(self) -> Iterator[None]:
        """Report why a call is in memory only, and leave nothing of it in the spool."""
        try:
            yield
        except (OSError, Refused) as error:
            self.strike()
            self._warn(reason(error) if isinstance(error, OSError) else without_values(error))


def read_slip(slip: SpoolEntry) -> Exchange:
    """Return the exchange of a spool entry; refuse one that holds none."""
    try:
        lines = slip.lines()
    except OSError as error:
        raise Refused(f"slip {slip.name} can't be read: {reason(error)}", field="spool") from None
    return replace(_exchange(lines), id=slip.name)


def _line(values: dict[str, Any]) -> bytes:
    return encode({**values, "removed": values["removed"].to_dict()}, is_safe=True).data


def _exchange(lines: list[bytes]) -> Exchange:
    """Return the exchange in the lines of an entry, which may hold anything."""
    values: list[Any] = [read_value(line) for line in (*lines[:1], *lines[1:][-1:])]
    match values:
        case [{"kind": kind, "path": str(path), "request": request} as head, *answers] if (
            kind in KINDS and is_object(request)
        ):
            answer = answers[0] if answers and is_object(answers[0]) else {}
            response, status = answer.get("response"), answer.get("status")
            outcome, envelope = answer.get("outcome"), answer.get("envelope")
            return Exchange(
                request=request,
                response=response if is_object(response) else None,
                kind=kind,
                path=path,
                headers=head.get("headers") or {},
                status=status if isinstance(status, int) else None,
                time=head.get("time"),
                outcome=outcome if outcome in OUTCOMES else "cut",
                tag=head.get("tag"),
                envelope=envelope if is_object(envelope) else None,
                warnings=tuple(
                    one
                    for found in (head.get("warnings"), answer.get("warnings"))
                    for one in found or ()
                    if is_object(one)
                ),
                removed=RemovedSecrets.of(head.get("removed")).and_of(
                    RemovedSecrets.of(answer.get("removed"))
                ),
            )
    raise Refused("there is no request in it", field="spool")
