"""Following a file of lines while another program appends to it.

Where a line is a message of its own, only new lines are read. Where lines make a tree, or what
they mean depends on those before, the whole file is read again, and then not before ten times as
long has passed as that took. A line that is not finished is waited for. Requests are handed over
one by one: only what recorded those before knows what they mean.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from ..engine.messages import Message
from ..errors import Refused
from ..requests.exchange import Exchange
from .base import Layout, Loaded
from .registry import detect, format_named, load_all
from .requests import Requests, read_exchanges
from .source import GZIP, MOST_BYTES, UTF_16_STARTS, ZSTD, Source, too_large

END = 1024
"""Bytes before the place that was read up to, by which a file is known again."""
REST = 10
"""How many times longer than a whole reading took nothing is read again."""
HOLD_SECONDS = 3.0
"""How long an answer at the end is held back that further lines may add to."""
STARTS = (GZIP, ZSTD, *UTF_16_STARTS)
"""How files begin whose lines can't be found in their bytes."""


class FileGrowth(NamedTuple):
    """What a file says now: so many messages as before, and behind them others."""

    kept: int
    messages: tuple[Message, ...]
    has_summary: bool = False
    """Whether the first of the others replaces the removed ones, as after a compaction."""
    exchanges: tuple[Exchange | Refused, ...] = ()
    """Requests that have come, or why one is none, where the file holds nothing else."""


class _Over(Exception):  # noqa: N818 - says what happened
    """The file is not what it was, or never was one that can be followed."""


class LineFollower:
    """The messages that the first conversation of a growing file shows, as far as it was read."""

    def __init__(self, path: str | Path, *, clock: Callable[[], float] = monotonic) -> None:
        self.path = Path(path)
        self.problem: str | None = None
        """Why nothing is read: for now, or for good."""
        self.is_over = False
        self.loaded: Loaded | None = None
        """What the last reading of the whole file gave; nothing where it holds requests."""
        self.holds_requests = False
        self._clock = clock
        self._said: list[Message] = []
        self._held: Message | None = None
        self._not_before = self._grew_at = clock()
        self._seen: tuple[int, int, int] | None = None
        self._file: int | None = None
        self._size = 0
        self._end = b""

    def look(self) -> FileGrowth | None:
        """Return what has come since the last look, or None where that is nothing."""
        if self.is_over:
            return None
        try:
            found = self.path.stat()
            stamp = (found.st_ino, found.st_size, found.st_mtime_ns)
            if stamp == self._seen:
                return self._released()
            if self._clock() < self._not_before:
                return None
            self._seen, self.problem = stamp, None
            return self._grown(found)
        except FileNotFoundError:
            self.problem = f"{self.path} is gone; what was read of it stays"
        except OSError as error:
            self.problem = f"{self.path} can't be read: {(error.strerror or 'no reason').lower()}"
        except _Over as why:
            self.is_over = True
            self.problem = f"{self.path} is no longer followed: {why}; what was read of it stays"
        except Refused as refusal:
            self.problem = f"{self.path}: {refusal}"
        return None

    def _grown(self, found: os.stat_result) -> FileGrowth | None:
        if self._file not in (None, found.st_ino):
            raise _Over("another file has its name now")
        if found.st_size < self._size:
            size = f"{found.st_size:,} bytes, and {self._size:,} were read"
            raise _Over(f"it was cut short, to {size}")
        with self.path.open("rb") as file:
            file.seek(self._size - len(self._end))
            if file.read(len(self._end)) != self._end:
                raise _Over("what was read of it before is no longer there")
            if found.st_size - self._size > MOST_BYTES:
                raise too_large(MOST_BYTES)
            data = file.read(found.st_size - self._size)
        self._file = found.st_ino
        whole = data[: data.rfind(b"\n") + 1]
        if not self._size and whole.startswith(STARTS):
            raise _Over("only plain text in UTF-8 can be read while it is written")
        if not whole:
            return None
        self._grew_at = self._clock()
        before, self._size = self._size, self._size + len(whole)
        self._end = (self._end + whole)[-END:]
        return self._read_on(whole) if before else self._read_all()

    def _read_on(self, whole: bytes) -> FileGrowth | None:
        """Read only what is new, if the format can; else all of it."""
        if self.holds_requests:
            return _requests(Source.of_bytes(whole, as_lines=True))
        if self.loaded is None:
            return self._read_all()
        rows = [one.value for one in Source.of_bytes(whole, as_lines=True).records()]
        messages = format_named(self.loaded.format).read_on(rows) if rows else ()
        if messages is None:
            return self._read_all()
        kept = len(self._said)
        self._said += messages
        return FileGrowth(kept, messages) if messages else None

    def _read_all(self) -> FileGrowth | None:
        started = self._clock()
        with self.path.open("rb") as file:
            content = file.read(self._size)
        source = Source.of_bytes(content, as_lines=True)
        format = detect(source)
        if isinstance(format, Requests):
            if self.loaded is not None:
                raise _Over("its lines turned out to be requests; follow it again")
            self.holds_requests = True
            return _requests(source)
        found = next(load_all(source, format.name))
        if found.layout is not Layout.ITEMS:
            raise _Over("it holds a conversation in each line, and one in all is followed")
        is_first, self.loaded = self.loaded is None, found
        said = list(found.conversation.visible)
        self._held = None
        if format_named(found.format).read_on(()) is None:
            now = self._clock()
            self._not_before = now + REST * (now - started)
            last = said[-1:]
            # The last message may grow if it is an answer that was not returned yet.
            may_grow = bool(last) and last[0].role == "assistant" and last != self._said[-1:]
            if not is_first and may_grow:
                self._held = said.pop()
        return self._turned(said)

    def _released(self) -> FileGrowth | None:
        """Return an answer that nothing was added to for a while."""
        held = self._held
        if held is None or self._clock() < self._grew_at + HOLD_SECONDS:
            return None
        self._held = None
        return self._turned([*self._said, held])

    def _turned(self, said: list[Message]) -> FileGrowth | None:
        """Return how what is said now differs from what was said before."""
        kept = _in_common(self._said, said)
        if kept == len(said) == len(self._said):
            return None
        self._said = said
        return FileGrowth(kept, tuple(said[kept:]), self._begins_batch(kept))

    def _begins_batch(self, position: int) -> bool:
        """Return whether a position of what the file shows is where its newest batch begins."""
        if self.loaded is None:
            return False
        conversation = self.loaded.conversation
        view, batch = conversation.view, conversation.batch
        is_there = batch.number > 0 and position < len(view)
        return is_there and view[position] == batch.boundary


def _requests(source: Source) -> FileGrowth | None:
    exchanges = tuple(exchange for _, exchange in read_exchanges(source))
    return FileGrowth(0, (), exchanges=exchanges) if exchanges else None


def _in_common(one: Sequence[Message], other: Sequence[Message]) -> int:
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
