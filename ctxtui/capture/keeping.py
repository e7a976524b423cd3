"""Keeping: finished calls are recorded one after the other, and each thread is saved as a session.

Before its client hears the end of a call, the call is in the spool; when it is safe in its session,
it is told as recorded and taken out again. Whoever kills this program at any moment loses nothing:
what a killed one left in the spool is recorded first of all, each call once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from threading import Condition, Thread
from time import monotonic

from ctxtui.capture.noting import Noted, read_slip
from ctxtui.capture.tape import MIB, Call
from ctxtui.capture.thread_sessions import CAPTURE, ThreadSessions
from ctxtui.core.errors import Refused
from ctxtui.core.formats.warnings import without_values
from ctxtui.core.requests.exchange import Exchange
from ctxtui.core.requests.recording import Recorded
from ctxtui.core.requests.secrets import SecretMemory, without_keys
from ctxtui.core.storage import Library, NotSaved
from ctxtui.core.storage.spool import SpoolEntry

MOST_WAITING = 2_000
MOST_BYTES = 512 * MIB
"""Calls, and bytes of them, that wait in memory to be recorded; more wait in the spool only."""
QUICK = 1 << 15
"""Bytes that are read and put down sooner than another thread could be asked to do it."""
SLOW, SLOW_FOR = 0.05, 10.0
"""Seconds after which that is not believed for a while: all calls would wait for a busy disk."""
FAILED = "the recorder failed with {name}"
THREADS = 4
"""How many calls are put down in the spool at once."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A call that is safe: what the recorder says of it, and the session it is in."""

    exchange: Exchange
    recorded: Recorded
    session: str


@dataclass(frozen=True, slots=True)
class NotKept:
    """A call that was passed on and not recorded, and why; or one that is not on disk yet."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Unsafe:
    """Calls are recorded, but would be lost if the proxy were killed before they are; and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class TurnedAway:
    """A request that was refused, not passed on; and why."""

    reason: str


Told = Kept | NotKept | Unsafe | TurnedAway
Tell = Callable[[Told], None]


def bare(path: str) -> str:
    """Return a path without its query and without what in it looks like a key."""
    return without_keys(path).partition("?")[0]


def not_kept(path: str, refusal: Refused) -> NotKept:
    """Return why a call is not recorded, without anything of its body, headers or query."""
    return NotKept(bare(path), without_values(refusal))


class Keeper:
    """Takes calls and keeps them, on a thread of its own, in the order they finished.

    Nothing it meets is raised to whoever hands over a call; it is told instead.
    """

    def __init__(
        self, library: Library, tell: Tell, most: int = MOST_WAITING, program: str = CAPTURE
    ) -> None:
        self._library, self._tell, self._most = library, tell, most
        self._threads = ThreadSessions(library, program)
        self._noted: dict[int, Noted] = {}
        self._secrets = SecretMemory()
        self._waiting: deque[tuple[Noted, int]] = deque()
        self._unsaved: dict[int, list[Callable[[], None]]] = {}
        self._warned: str | None = None
        self._bytes = 0
        self._change = Condition()
        self._is_closing = False
        self._slow_until = 0.0
        self._pool = ThreadPoolExecutor(THREADS, "ctxtui-spool")
        self._thread = Thread(target=self._work, name="ctxtui-capture", daemon=True)
        self._thread.start()

    def asked(self, call: Call) -> None:
        """Put down a call of which all that is asked has come; this does not wait."""
        is_quick = call.asked.size <= QUICK and not call.is_packed
        self._do(self._note(call).begin, is_quick=is_quick)

    def ending(self, call: Call) -> Future[None]:
        """Put down a call whose end is about to be passed on; return what is done when it is."""
        noted, content = self._note(call), call.answered.content
        is_quick = noted.is_ready and len(content) <= QUICK and not call.is_packed
        return self._do(partial(noted.end, content), is_quick=is_quick)

    def _do(self, act: Callable[[], None], *, is_quick: bool) -> Future[None]:
        """Do at once what takes no time, unless the disk has shown that it does, else elsewhere."""
        began = monotonic()
        if began < self._slow_until or not is_quick or not self._library.spool.is_begun:
            return self._pool.submit(act)
        done: Future[None] = Future()
        try:
            act()
            done.set_result(None)
        except Exception as error:
            done.set_exception(error)  # As a thread would; the call is taken over all the same.
        if monotonic() - began > SLOW:
            self._slow_until = began + SLOW_FOR
        return done

    def take(self, call: Call) -> None:
        """Take over a finished call; this neither waits nor fails."""
        noted = self._note(call)
        del self._noted[id(call)]
        size = call.size
        is_quick = noted.is_ready and size <= QUICK and not call.is_packed
        finished = self._do(partial(noted.finish, call.answered.content), is_quick=is_quick)
        with self._change:
            is_full = len(self._waiting) >= self._most or self._bytes + size > MOST_BYTES
            size = 0 if is_full else size
            self._waiting.append((noted, size))
            self._bytes += size
            self._change.notify_all()
        if is_full:
            finished.add_done_callback(lambda _: noted.unload())

    def _note(self, call: Call) -> Noted:
        return self._noted.setdefault(
            id(call), Noted(call, self._library.spool, self._warn, self._secrets)
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
        while (noted := self._next()) is not None:
            self._say(self._taken(noted))
        self._leave()
        self._library.spool.close()

    def _next(self) -> Noted | None:
        with self._change:
            while not self._waiting and not self._is_closing:
                self._change.wait()
            if not self._waiting:
                return None
            noted, size = self._waiting.popleft()
            self._bytes -= size
            return noted

    def _recover(self) -> None:
        """Record what proxies that were killed have left, and what they had no time to strike."""
        with suppress(OSError):
            for run in self._library.spool.left():
                try:
                    saved = run.saved(self._library.byte_search)
                    for slip in run.slips:
                        self._recover_slip(slip, is_saved=slip.name in saved)
                finally:
                    run.leave()

    def _recover_slip(self, slip: SpoolEntry, *, is_saved: bool) -> None:
        try:
            if is_saved or not slip.lines():  # Or it was killed before anything was put down.
                slip.delete()
            else:
                self._say(self._kept(read_slip(slip), slip.delete))
        except Refused as refusal:
            self._say(NotKept(slip.name, without_values(refusal)))  # Which is no path, but ours.
        except Exception as error:
            self._say(NotKept(slip.name, FAILED.format(name=type(error).__name__)))

    def _taken(self, noted: Noted) -> Told:
        try:
            noted.finish(noted.call.answered.content)
            exchange = noted.exchange()
        except Refused as refusal:
            noted.strike()
            return not_kept(noted.call.path, refusal)
        except Exception as error:
            return NotKept(bare(noted.call.path), FAILED.format(name=type(error).__name__))
        return self._kept(exchange, noted.strike)

    def _kept(self, exchange: Exchange, strike: Callable[[], None]) -> Told:
        """Record an exchange; it is struck off as soon as its session is safe, and not before."""
        try:
            recorded = self._threads.record(exchange)
            waiting = self._unsaved.setdefault(recorded.thread.id, [])
            waiting.append(strike)
            session = self._threads.save(recorded.thread)
        except NotSaved as problem:
            return NotKept(bare(exchange.path), f"{problem}; it is tried again with the next call")
        except Refused as refusal:
            with suppress(OSError):
                strike()
            return not_kept(exchange.path, refusal)
        except Exception as error:
            # Whatever state it was left in, no later call may be recorded on top of it.
            self._leave()
            self._threads.begin_anew()
            return NotKept(bare(exchange.path), FAILED.format(name=type(error).__name__))
        self._strike(recorded.thread.id)
        return Kept(exchange, recorded, session)

    def _strike(self, thread: int) -> None:
        for strike in self._unsaved.pop(thread, ()):
            with suppress(OSError):
                strike()

    def _leave(self) -> None:
        """Close all sessions; what the disk does not take stays in the spool."""
        for thread in self._threads.close():
            self._strike(thread)
        self._unsaved.clear()

    def _warn(self, reason: str) -> None:
        """Tell why there is no spool, once for each reason."""
        if reason != self._warned:
            self._warned = reason
            self._say(Unsafe(reason))

    def _say(self, told: Told) -> None:
        """Tell; that nobody can be told any more is no reason to stop recording."""
        with suppress(Exception):
            self._tell(told)
