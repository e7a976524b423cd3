"""The logs that are measured: made up, repeatable, and edited a little, as real ones are."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Generic, TypeVar

from ctxtui.core import Conversation, Message, Replace
from ctxtui.core.values.models import Role
from tests.benchmarks.rivals import IndexArrays, Snapshots

SEED = 20_240_229
EDITS = 50
CYCLE: tuple[Role, ...] = ("user", "assistant", "tool", "assistant")

R = TypeVar("R", bound=IndexArrays | Snapshots)


def messages_of(size: int) -> list[Message]:
    """Return a log's messages: turns with tool outputs, and three system messages."""
    made = [
        Message(CYCLE[i % len(CYCLE)], f"message {i} says a few plain words") for i in range(size)
    ]
    for i in (0, size // 3, 2 * size // 3):
        made[i] = Message("system", f"instruction {i}")
    return made


def fresh_message(number: int) -> Message:
    """Return a message that an operation will add."""
    return Message("user", f"something new, number {number}")


def replaces(count: int, size: int) -> list[Replace]:
    """Return ready REPLACE operations at random positions."""
    random = Random(SEED)
    return [
        Replace(index=int(random.random() * size), message=fresh_message(i)) for i in range(count)
    ]


@contextmanager
def settled() -> Iterator[None]:
    """Keep the garbage collector away from everything that exists already.

    A log of a million messages is otherwise walked again and again while something else is timed.
    """
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


class Logs(Generic[R]):
    """One log in the real engine and in a rival, after the same few edits."""

    def __init__(self, size: int, rival: type[R]) -> None:
        messages = messages_of(size)
        self.size = size
        self.conversation = Conversation(messages)
        self.rival = rival(messages)
        for edit in replaces(EDITS, size):
            self.conversation.execute(edit)
            self.rival.execute(edit)
