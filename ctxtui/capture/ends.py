"""Ends: whether a client may be content once it has what is about to be passed on.

Clients hang up as soon as they have read the last event of a stream, before the connection ends.
So this looks for what the protocols have for an end, in the bytes as they pass by. What only looks
like one costs a moment; what is missed still ends with the connection.
"""

from __future__ import annotations

import re

from ctxtui.core.requests.exchange import Kind
from ctxtui.core.values.numbers import count_in

REACH = 64
"""Bytes of what was passed on before that are looked at again: an end may be torn in two."""
MOST_READS, FREE = 8, 1 << 20
"""How often an answer is read while it comes, on average, and the bytes of reading that are free.
"""
ENDS: dict[Kind, re.Pattern[bytes]] = {
    "chat": re.compile(rb'(?:^|[\r\n])data: ?\[DONE\]|"finish_reason"\s*:\s*"[^"]'),
    "responses": re.compile(
        rb'"type"\s*:\s*"(?:error|response\.(?:completed|incomplete|failed|cancelled))"'
    ),
    "messages": re.compile(rb'"type"\s*:\s*"(?:error|message_stop)"'),
    "gemini": re.compile(rb'"finish(?:R|_r)eason"\s*:\s*"'),
    "ollama": re.compile(rb'"done"\s*:\s*true'),
}
"""How streams say that they are over. In a text that a model writes, quotes are escaped."""


class Ending:
    """Watches an answer of which so many bytes are to come, if that was said."""

    def __init__(self, kind: Kind, length: str | None) -> None:
        self._end = ENDS[kind]
        self._missing = count_in(length)
        self._before = b""
        self._size = 0
        self._read = 0

    def is_in(self, piece: bytes) -> bool:
        """Return whether an answer may be over for its client once a piece is passed on.

        Whoever is told reads all of the answer, so one that looks over again and again is not told
        each time.
        """
        self._size += len(piece)
        if self._missing is not None:
            self._missing -= len(piece)
            return self._missing <= 0
        looked = self._before + piece
        self._before = looked[-REACH:]
        if self._end.search(looked) is None or self._read > FREE + MOST_READS * self._size:
            return False
        self._read += self._size
        return True
