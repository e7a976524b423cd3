"""Threads: one conversation each; the thread of each exchange, and how to correct it.

A *side* thread holds what belongs to a conversation without being part of it: failed attempts,
token counts, and side calls such as titles and summaries. An *agent* has a thread of its own, with
the call that began it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

from ..errors import Refused, format_value, out_of_range
from ..values.models import JsonRecord, read_number
from .exchange import Kind

ThreadRole = Literal["main", "agent", "attempts", "counts", "sideCalls"]
"""What a thread is: a conversation, that of an agent it called, or a side thread."""
ROLES: tuple[ThreadRole, ...] = get_args(ThreadRole)
OLD_ROLES: dict[object, ThreadRole] = {"asides": "sideCalls"}
"""Roles by the names under which version 0.1 stored them."""
SIDES: dict[ThreadRole, str] = {
    "attempts": "attempts that came to nothing",
    "counts": "token counts",
    "sideCalls": "side calls",
}
"""The names of side threads."""
LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class Thread(JsonRecord):
    """One of the conversations that were recorded.

    ``parent`` is the thread it belongs to or was called from, ``call`` the id of that tool call.
    """

    id: int
    name: str
    kind: Kind
    role: ThreadRole = "main"
    parent: int | None = None
    call: str | None = None

    @property
    def is_side(self) -> bool:
        """Return whether it is a side thread."""
        return self.role in SIDES


@dataclass(frozen=True, slots=True)
class ThreadTable:
    """All threads by id, and the thread of each exchange, in the order of recording."""

    threads: tuple[Thread, ...] = ()
    placed: tuple[int, ...] = ()

    def thread(self, id: int) -> Thread:
        """Return a thread, or refuse an unknown id."""
        if not 0 <= read_number(id, "thread") < len(self.threads):
            raise out_of_range(
                "thread", id, f"0…{len(self.threads) - 1}" if self.threads else "no thread yet"
            )
        return self.threads[id]


def has_same_groups(one: ThreadTable, other: ThreadTable) -> bool:
    """Return whether the same exchanges are together in two tables."""
    pairs = set(zip(one.placed, other.placed, strict=True))
    return len(pairs) == len(set(one.placed)) == len(set(other.placed))


def read_role(value: object) -> ThreadRole | None:
    """Return the role in stored data, if it has one."""
    if not isinstance(value, str):
        return None
    return next((role for role in ROLES if role == value), OLD_ROLES.get(value))


def short_name(text: str) -> str:
    """Return a short name made of the first words of a text."""
    words = " ".join(text.split())
    return words if len(words) <= LONGEST_NAME else words[: LONGEST_NAME - 1].rstrip() + "…"


def renamed(table: ThreadTable, thread: int, name: str) -> ThreadTable:
    """Return the table with another name for a thread."""
    if not name.strip() or not name.isprintable():
        raise Refused(
            f"name {format_value(name)} is not one line of text",
            field="name",
            value=name,
            legal="one line",
        )
    return _with(table, replace(table.thread(thread), name=name.strip()))


def merged(table: ThreadTable, into: int, thread: int) -> ThreadTable:
    """Return the table with all exchanges of a thread in another; the empty one keeps its id."""
    target, gone = table.thread(into), table.thread(thread)
    if into == thread:
        raise Refused(f"thread {thread} can't be merged into itself", field="thread", value=thread)
    if target.kind != gone.kind:
        raise Refused(
            f"thread {thread} is of the kind {gone.kind}, thread {into} of {target.kind}; "
            "only threads of one kind are merged",
            field="thread",
            value=thread,
            legal=f"a thread of the kind {target.kind}",
        )
    placed = tuple(into if one == thread else one for one in table.placed)
    threads = tuple(
        replace(one, parent=into) if one.parent == thread and one.id != into else one
        for one in table.threads
    )
    table = ThreadTable(threads, placed)
    return _with(table, replace(target, parent=None if target.parent == thread else target.parent))


def split(table: ThreadTable, thread: int, call: int, name: str | None = None) -> ThreadTable:
    """Return the table with a thread's calls from one on, the first being 0, in a new thread."""
    origin = table.thread(thread)
    places = [place for place, one in enumerate(table.placed) if one == thread]
    if not 0 < read_number(call, "call") < len(places):
        raise out_of_range(
            "call", call, f"1…{len(places) - 1}" if len(places) > 1 else "no such call"
        )
    new = replace(origin, id=len(table.threads), name=name or f"{origin.name} from call {call + 1}")
    moved = set(places[call:])
    placed = (new.id if place in moved else one for place, one in enumerate(table.placed))
    return ThreadTable((*table.threads, new), tuple(placed))


def _with(table: ThreadTable, thread: Thread) -> ThreadTable:
    threads = list(table.threads)
    threads[thread.id] = thread
    return replace(table, threads=tuple(threads))
