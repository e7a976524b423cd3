"""A track: a lane as it runs, with what its last call was and what is awaited of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from ..conversation.conversation import Conversation
from ..messages.parts import ToolUsePart
from ..messages.searchable import leaves
from .asked import Answered, Asked, Hints, Sent, tools_in
from .cache import Ruler
from .lanes import Lane
from .memory import Memory
from .quoting import SHORTEST


class Pending(NamedTuple):
    """A call of a tool that was answered with and has no result yet; ``texts`` are its words."""

    id: str
    texts: tuple[str, ...]


@dataclass(slots=True)
class Track:
    """A lane that is being recorded."""

    lane: Lane
    hints: Hints
    memory: Memory
    ruler: Ruler = field(default_factory=Ruler)
    calls: int = 0
    newest: int = -1
    """The number of the exchange that was its last."""
    asked: Asked | None = None
    answer: tuple[Sent, ...] = ()
    pending: tuple[Pending, ...] = ()
    wake: Callable[[], Conversation | None] | None = None
    """Gives the conversation of a lane that goes on from an earlier run; asked once."""
    is_gone: bool = False

    def is_awake(self) -> bool:
        """Tell whether a call can be recorded here; a lane of an earlier run may not go on."""
        wake, self.wake = self.wake, None
        if wake is not None:
            woken = wake()
            self.is_gone = woken is None
            self.memory.conversation = woken or self.memory.conversation
        return not self.is_gone

    def answered(self, asked: Asked, answered: Answered | None, number: int) -> None:
        """Take note of a call that is done."""
        self.asked, self.newest = asked, number
        self.calls += 1
        self.answer = () if answered is None else answered.sent
        self.pending = tuple(_pending(self.answer))

    @property
    def prompt(self) -> tuple[bytes, ...]:
        """Return what tells the system's messages of its last call."""
        return () if self.asked is None else prompt_of(self.asked)

    @property
    def tools(self) -> tuple[str, ...]:
        """Return the names of the tools of its last call."""
        return () if self.asked is None else tools_in(self.asked.tools)

    @property
    def said(self) -> Iterator[Sent]:
        """Yield what is visible beside the system's messages."""
        return (one for one in self.memory.visible if one.message.role != "system")


def prompt_of(asked: Asked) -> tuple[bytes, ...]:
    """Return what tells the system's messages of a request: all but times and numbers in them."""
    return tuple(one.masked for one in asked.sent if one.message.role == "system")


def _pending(answer: tuple[Sent, ...]) -> Iterator[Pending]:
    for one in answer:
        for part in one.message.parts:
            if isinstance(part, ToolUsePart):
                texts = (text for text in leaves(part.input) if len(text) >= SHORTEST)
                yield Pending(part.id, tuple(texts))
