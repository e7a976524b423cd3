"""Tapes: copies of what passes by, up to a size, and all that is known of one call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

from ctxtui.core.requests.exchange import Kind

ENCODING = "content-encoding"
MIB = 1 << 20
LONGEST = 64 * MIB
"""Bytes of one body that are kept to be recorded; longer ones are only passed on."""


class Tape:
    """The bytes of one body as they pass by.

    One that is too long is forgotten again, or, if ``keeps_start`` is set, kept up to there.
    """

    def __init__(self, longest: int = LONGEST, *, keeps_start: bool = False) -> None:
        self._longest, self._keeps_start = longest, keeps_start
        self._pieces: list[bytes] = []
        self.size = 0
        self.kept = 0

    @property
    def is_too_long(self) -> bool:
        """Return whether more passed by than is kept."""
        return self.size > self._longest

    def add(self, piece: bytes) -> None:
        """Keep a copy of some bytes."""
        self.size += len(piece)
        if self.is_too_long and not self._keeps_start:
            self._pieces.clear()
            self.kept = 0
        elif self.kept < self._longest:
            self._pieces.append(piece[: self._longest - self.kept])
            self.kept += len(self._pieces[-1])

    @property
    def content(self) -> bytes:
        """Return all that is kept."""
        if len(self._pieces) > 1:
            self._pieces = [b"".join(self._pieces)]
        return self._pieces[0] if self._pieces else b""


@dataclass(slots=True)
class Call:
    """One call as it passed by: bytes and headers of both sides; header names are lower-case.

    ``status`` is None where no answer came. ``time`` is when the request came, in milliseconds;
    ``first`` and ``last`` are when the answer began and when its newest bytes came.
    """

    kind: Kind
    path: str
    headers: Mapping[str, str]
    time: int
    tag: str | None = None
    asked: Tape = field(default_factory=Tape)
    answered: Tape = field(default_factory=partial(Tape, keeps_start=True))
    status: int | None = None
    answer_headers: Mapping[str, str] = field(default_factory=dict)
    first: int | None = None
    last: int | None = None

    def answer(self, piece: bytes, now: int) -> None:
        """Keep some bytes of the answer, and when they came."""
        self.answered.add(piece)
        self.first = now if self.first is None else self.first
        self.last = now

    @property
    def size(self) -> int:
        """Return how many bytes are kept of it."""
        return self.asked.kept + self.answered.kept

    @property
    def is_packed(self) -> bool:
        """Return whether a body of it may take longer to read than its size suggests."""
        return any(ENCODING in headers for headers in (self.headers, self.answer_headers))
