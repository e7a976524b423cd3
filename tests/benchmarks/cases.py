"""The operations that are measured, each at a random place of a log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from ctxtui.core import (
    Append,
    BatchStart,
    Clear,
    Compress,
    Conversation,
    Delete,
    Filter,
    Insert,
    Mark,
    Replace,
    Rollback,
    Truncate,
    Undo,
)
from ctxtui.core.engine.operation import Operation
from tests.benchmarks.logs import fresh_message

STRETCH = 20
Make = Callable[[Conversation, Random], tuple[Operation, ...]]


@dataclass(frozen=True)
class Case:
    """An operation to measure: how to make one, and how to get back to where it started.

    ``undo`` is how many UNDO, not timed, take one run of it back; ``in_a_row`` runs many before
    the first of those. ``positional`` operations are promised not to cost more in a longer log.
    """

    name: str
    make: Make
    positional: bool = False
    undo: int = 1
    in_a_row: bool = False
    preview: bool = False


def _somewhere(conversation: Conversation, random: Random, margin: int = 0) -> int:
    """Return a position; the same fraction of a log of any size."""
    return int(random.random() * (len(conversation.view) - margin))


def _about_half(random: Random) -> float:
    """Return a fraction that differs each time, but leaves each rival as much to copy."""
    return 0.49 + 0.02 * random.random()


def _append(conversation: Conversation, random: Random) -> tuple[Operation, ...]:
    return (Append(messages=[fresh_message(0)]),)


def _insert(conversation: Conversation, random: Random) -> tuple[Operation, ...]:
    return (Insert(position=_somewhere(conversation, random), messages=[fresh_message(1)]),)


def _replace(conversation: Conversation, random: Random) -> tuple[Operation, ...]:
    return (Replace(index=_somewhere(conversation, random), message=fresh_message(2)),)


def _delete(conversation: Conversation, random: Random) -> tuple[Operation, ...]:
    return (Delete(indices=[conversation.view[_somewhere(conversation, random)]]),)


def _keep_last(conversation: Conversation, random: Random) -> tuple[Operation, ...]:
    return (Truncate(keep_last=int(_about_half(random) * len(conversation.view))),)


def _remove_first(conversation: Conversation, random: Random) -> tuple[Operation, ...]:
    return (Truncate(remove_first=int(_about_half(random) * len(conversation.view))),)


def _max_tokens(conversation: Conversation, random: Random) -> tuple[Operation, ...]:
    return (Truncate(max_tokens=int(_about_half(random) * conversation.current.tokens)),)


def _clear(conversation: Conversation, random: Random) -> tuple[Operation, ...]:
    return (Clear(),)


def _filter(conversation: Conversation, random: Random) -> tuple[Operation, ...]:
    return (Filter(roles=["system", "user", "assistant"]),)


def _compress(conversation: Conversation, random: Random) -> tuple[Operation, ...]:
    at = _somewhere(conversation, random, STRETCH)
    stretch = list(conversation.view[at : at + STRETCH])
    return (Compress(indices=stretch, summary=fresh_message(3)),)


def _batch_start(conversation: Conversation, random: Random) -> tuple[Operation, ...]:
    return (BatchStart(),)


def _rollback(conversation: Conversation, random: Random) -> tuple[Operation, ...]:
    number = int(random.random() * conversation.batch.number)
    return (Rollback(target_batch_index=number), Undo())


def _mark(conversation: Conversation, random: Random) -> tuple[Operation, ...]:
    return (Mark(indices=[_somewhere(conversation, random)], label="note"),)


CASES = (
    Case("APPEND", _append, positional=True, in_a_row=True),
    Case("INSERT", _insert, positional=True),
    Case("REPLACE by index", _replace, positional=True),
    Case("DELETE of one", _delete, positional=True),
    Case("TRUNCATE keepLast", _keep_last, positional=True),
    Case("TRUNCATE removeFirst", _remove_first, positional=True),
    Case("TRUNCATE maxTokens", _max_tokens, positional=True),
    Case("ROLLBACK + UNDO", _rollback, positional=True, undo=0),
    Case("CLEAR, 3 stay", _clear),
    Case("FILTER by role, 3 of 4 stay", _filter),
    Case(f"COMPRESS of {STRETCH}", _compress),
    Case("BATCH_START", _batch_start),
    Case("MARK", _mark),
    Case("preview of REPLACE", _replace, undo=0, preview=True),
)
