"""The history: a tree of revisions, and the batches they belong to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from ..values.sequences import ReadOnlySequence
from .operation import Operation
from .views import Run, View

T = TypeVar("T")


class Revision(NamedTuple):
    """One state of the projection: what was visible after an operation.

    ``log_size`` is the length of the log the operation saw when it was done, ``fresh`` the messages
    it added. ``depth`` and ``jump`` make any ancestor reachable in a few steps; ``tokens`` is the
    visible total as ``counter`` counted it.
    """

    id: int
    parent: int | None
    batch: int
    operation: Operation | None
    view: View
    time: int
    log_size: int
    depth: int
    tokens: int
    counter: str
    fresh: tuple[Run, ...] = ()
    jump: int = 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Revision) and self[:-1] == other[:-1]

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.id)

    def to_dict(self) -> dict[str, Any]:
        """Return the revision as JSON-ready data, its view as [start, length] runs."""
        return {
            "id": self.id,
            "parent": self.parent,
            "batch": self.batch,
            "operation": self.operation and self.operation.to_dict(),
            "view": [list(run) for run in self.view.joined()],
            "time": self.time,
            "logSize": self.log_size,
            "depth": self.depth,
            "tokens": self.tokens,
            "counter": self.counter,
            "fresh": [list(run) for run in self.fresh],
        }


class Batch(NamedTuple):
    """A numbered section of history: the revision that opened it and the APPENDs after it.

    ``number`` counts the batches of a path and is reused after a rollback; ``id`` never is.
    """

    id: int
    number: int
    parent: int | None
    boundary: int
    time: int
    operation: Operation | None
    opened: int
    name: str | None = None
    jump: int = 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Batch) and self[:-1] == other[:-1]

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.id)

    @property
    def description(self) -> str:
        """Return the batch's name, or a plain sentence about the operation that opened it."""
        if self.name is not None:
            return self.name
        if self.operation is None:
            return "START"
        return getattr(self.operation, "description", None) or self.operation.sentence()

    @property
    def depth(self) -> int:
        return self.number

    def place(self) -> dict[str, Any]:
        """Return as JSON-ready data which batch it is."""
        return {
            "id": self.id,
            "number": self.number,
            "parent": self.parent,
            "boundary": self.boundary,
        }

    def to_dict(self) -> dict[str, Any]:
        return {
            **self.place(),
            "operation": self.operation and self.operation.to_dict(),
            "description": self.description,
            "time": self.time,
            "opened": self.opened,
        }


N = TypeVar("N", Revision, Batch)
"""A node of its tree: it has a parent, a depth, and a pointer to an ancestor further up."""


def jump_from(nodes: Sequence[N], parent: N) -> int:
    """Return the far ancestor a new child of ``parent`` should point to.

    Each node keeps one such pointer. Their lengths follow the skew-binary numbers, so that any
    ancestor is found in O(log depth) steps with O(1) memory a node.
    """
    far = nodes[parent.jump]
    far_depth = far.depth
    if parent.depth - far_depth == far_depth - nodes[far.jump].depth:
        return far.jump
    return parent.id


def ancestor(nodes: Sequence[N], node: N, depth: int) -> N:
    """Return the ancestor of a node (or the node itself) at a depth, without walking the path."""
    while node.depth > depth:
        far = nodes[node.jump]
        if far.depth >= depth:
            node = far
        else:
            assert node.parent is not None
            node = nodes[node.parent]
    return node


def is_on_way(nodes: Sequence[N], id: int, to: N) -> bool:
    """Return whether a node is another one or an ancestor of it; ids grow along every path."""
    if id > to.id:
        return False
    depth = nodes[id].depth
    return depth <= to.depth and ancestor(nodes, to, depth).id == id


class Overlay(ReadOnlySequence[T]):
    """A list followed by items that are staged to be added to it."""

    __slots__ = ("_base", "_start", "added")

    def __init__(self, base: Sequence[T]) -> None:
        self._base = base
        self._start = len(base)
        self.added: list[T] = []

    def __len__(self) -> int:
        return self._start + len(self.added)

    def _item(self, index: int) -> T:
        return self._base[index] if index < self._start else self.added[index - self._start]


class Path(ReadOnlySequence[Batch]):
    """The batches among the ancestors of a batch, by number; looking one up doesn't walk them."""

    __slots__ = ("_batches", "_last")

    def __init__(self, batches: Sequence[Batch], last: Batch) -> None:
        self._batches = batches
        self._last = last

    def __len__(self) -> int:
        return self._last.number + 1

    def _item(self, index: int) -> Batch:
        return self._batches[ancestor(self._batches, self._last, index).id]

    def __iter__(self) -> Iterator[Batch]:
        upwards = [self._batches[self._last.id]]
        while (parent := upwards[-1].parent) is not None:
            upwards.append(self._batches[parent])
        return reversed(upwards)
