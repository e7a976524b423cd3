"""Quoting: which answers a text holds, by which a summary is known to be one."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import NamedTuple

from .asked import Answered

SHORTEST = 20
"""Characters below which a text may stand in another by chance."""
SHORTEST_LINE = 12
SHARE = 0.5
"""The share of an answer's lines that another text must hold, to hold the answer."""
MOST = 256
"""Answers that wait to be seen again; older ones are no longer looked for."""


class Quoted(NamedTuple):
    """An answer that nobody has sent back as such: which call of which lane it came from."""

    lane: int
    call: int
    text: str


class Unclaimed:
    """Answers that have not come back as messages: summaries, titles, and the newest of each."""

    def __init__(self) -> None:
        self._answers: OrderedDict[bytes, Quoted] = OrderedDict()

    def add(self, answered: Answered, lane: int, call: int) -> None:
        """Wait for an answer to be seen again."""
        text = answered.text
        if len(text) < SHORTEST:
            return
        self._answers[answered.sent[0].key] = Quoted(lane, call, text)
        while len(self._answers) > MOST:
            self._answers.popitem(last=False)

    def claim(self, key: bytes) -> None:
        """Take note that an answer came back as a message."""
        self._answers.pop(key, None)

    def quoted_in(self, text: str) -> Iterator[Quoted]:
        """Yield the answers that a text holds, the newest first."""
        if len(text) < SHORTEST:
            return
        for one in reversed(self._answers.values()):
            if holds(text, one.text):
                yield one


def holds(text: str, answer: str) -> bool:
    """Tell whether a text holds an answer: as it is, or most of its lines."""
    if len(answer) > len(text) / SHARE:
        return False
    if answer in text:
        return True
    lines = [line for line in map(str.strip, answer.splitlines()) if len(line) >= SHORTEST_LINE]
    whole = sum(map(len, lines))
    if len(lines) < 2 or whole < SHORTEST:  # noqa: PLR2004 - one line was looked for already
        return False
    return sum(len(line) for line in lines if line in text) >= SHARE * whole
