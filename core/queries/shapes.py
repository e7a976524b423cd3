"""The source documents' own data shapes, made on demand from the one truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from typing import ClassVar

from ..history.columns import role_table
from ..history.revisions import Batch, Revision
from ..history.state import State
from ..messages.message import Message, read_messages
from ..values.plain import Plain, Readers
from ..values.roles import ROLES, Role
from ..values.times import read_time
from ..views.lists import read_view
from ..views.view import View


@dataclass(frozen=True, slots=True)
class MarkMap(Plain):
    """The index arrays: what is visible, per role, and where the batches of the path begin."""

    READERS: ClassVar[Readers] = {"original_indices": read_view}

    original_indices: View
    type_indices: dict[Role, list[int]]
    batch_boundaries: list[int]
    boundary_to_batch: list[int]
    current_batch: int


@dataclass(frozen=True, slots=True)
class Stats(Plain):
    """How many messages and batches there are."""

    total_messages: int
    current_batch_messages: int
    total_batches: int
    current_batch_index: int


@dataclass(frozen=True, slots=True)
class Snapshot(Plain):
    """A batch as it stood; its messages are shared, never copied."""

    READERS: ClassVar[Readers] = {
        "messages": read_messages,
        "timestamp": lambda found: read_time(found, "timestamp"),
    }

    batch_index: int
    timestamp: int
    messages: tuple[Message, ...]
    message_count: int
    description: str


@dataclass(frozen=True, slots=True)
class ArrayState(Plain):
    """The raw messages and a snapshot of each batch of the path."""

    READERS: ClassVar[Readers] = {
        "messages": read_messages,
        "batch_snapshots": lambda found: [Snapshot.from_dict(one) for one in found],
    }

    messages: Sequence[Message]
    batch_snapshots: list[Snapshot]
    current_batch_index: int
    total_message_count: int


def mark_map(state: State) -> MarkMap:
    """Return the index arrays of a state."""
    view = state.view
    roles = view.column(state.log.roles)
    path = list(state.path)
    return MarkMap(
        view,
        {role: list(compress(view, roles.translate(role_table((role,))))) for role in ROLES},
        [batch.boundary for batch in path],
        [batch.number for batch in path],
        path[-1].number,
    )


def stats(state: State) -> Stats:
    """Return the counts of a state."""
    number = state.batches[state.current.batch].number
    return Stats(len(state.log), len(state.view), number + 1, number)


def snapshot(state: State, batch: Batch, revision: Revision) -> Snapshot:
    """Return a batch as it stood at one of its revisions."""
    view = revision.view
    return Snapshot(
        batch.number,
        batch.time,
        tuple([state.log[raw] for raw in view]),
        len(view),
        state.named(batch).description,
    )


def array_state(state: State) -> ArrayState:
    """Return the raw messages and the path's snapshots."""
    number = state.batches[state.current.batch].number
    return ArrayState(
        tuple(state.log[:]),
        [snapshot(state, batch, state.on_path(batch.number)) for batch in state.path],
        number,
        len(state.log),
    )
