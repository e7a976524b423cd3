"""The fields of revisions and batches, as they are read from JSON data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar, overload

from ..errors import Refused, format_value, wrong_type
from ..values.models import MOST_MESSAGES, read_count, read_text
from ..values.times import read_time
from .dialects import read_operation
from .messages import snake
from .operations import BatchOperation, Operation
from .views import Run, View

NodeReaders = Mapping[str, Callable[[object, str], Any]]


def read_node(data: Mapping[str, Any], what: str, readers: NodeReaders) -> dict[str, Any]:
    """Return the fields of a node, in snake_case; refuse data that has not exactly these."""
    if not isinstance(data, Mapping):
        raise wrong_type(what, data, "an object")
    given = {snake(key): value for key, value in data.items()}
    for name in sorted(given.keys() ^ readers.keys()):
        has = "an unknown" if name in given else "no"
        raise Refused(f"the {what} has {has} {name}", field=name, legal=", ".join(readers))
    return {name: read(given[name], name) for name, read in readers.items()}


def _count_or_null(value: object, field: str) -> int | None:
    return None if value is None else read_count(value, field)


def _operation_or_null(value: object, field: str) -> Operation | None:
    return None if value is None else read_operation(value)


def _runs(value: object, field: str) -> tuple[Run, ...]:
    if not isinstance(value, list | tuple):
        raise wrong_type(field, value, "a list of [start, length]")
    read = []
    for run in value:
        match run:
            case [int(start), int(length)] if 0 <= start < start + length <= MOST_MESSAGES:
                read.append((start, length))
            case _:
                raise wrong_type(field, run, "two whole numbers, start and length")
    return tuple(read)


NODE_READERS: NodeReaders = {
    "id": read_count,
    "parent": _count_or_null,
    "operation": _operation_or_null,
    "time": read_time,
}
REVISION_READERS: NodeReaders = {
    **NODE_READERS,
    **dict.fromkeys(("batch", "log_size", "depth", "tokens"), read_count),
    "view": _runs,
    "counter": read_text,
    "fresh": _runs,
}
BATCH_READERS: NodeReaders = {
    **NODE_READERS,
    **dict.fromkeys(("number", "boundary", "opened"), read_count),
    "description": read_text,
}

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
        """Compare all it tells; a jump only serves the tree it stands in."""
        return isinstance(other, Revision) and self[:-1] == other[:-1]

    def __ne__(self, other: object) -> bool:
        """Compare all it tells; a jump only serves the tree it stands in."""
        return not self == other

    def __hash__(self) -> int:
        """Return a hash of the id, which equal ones share."""
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

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Revision:
        """Return a revision from JSON data in either spelling, or refuse it."""
        given = read_node(data, "revision", REVISION_READERS)
        return cls(**{**given, "view": View.of_runs(given["view"])})


class Batch(NamedTuple):
    """A numbered stretch of history: the revision that opened it and the APPENDs after it.

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
        """Compare all it tells; a jump only serves the tree it stands in."""
        return isinstance(other, Batch) and self[:-1] == other[:-1]

    def __ne__(self, other: object) -> bool:
        """Compare all it tells; a jump only serves the tree it stands in."""
        return not self == other

    def __hash__(self) -> int:
        """Return a hash of the id, which equal ones share."""
        return hash(self.id)

    @property
    def description(self) -> str:
        """Return the batch's name, or a plain sentence about the operation that opened it."""
        if self.name is not None:
            return self.name
        if isinstance(self.operation, BatchOperation):
            return self.operation.description or self.operation.sentence()
        return "START"

    @property
    def depth(self) -> int:
        """Return how many batches stand above this one: its number."""
        return self.number

    def to_dict(self) -> dict[str, Any]:
        """Return the batch as JSON-ready data."""
        return {
            "id": self.id,
            "number": self.number,
            "parent": self.parent,
            "boundary": self.boundary,
            "operation": self.operation and self.operation.to_dict(),
            "description": self.description,
            "time": self.time,
            "opened": self.opened,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Batch:
        """Return a batch from JSON data; a description that differs from its own is its name."""
        given = read_node(data, "batch", BATCH_READERS)
        description = given.pop("description")
        batch = cls(**given)
        return batch if batch.description == description else batch._replace(name=description)


class Node(Protocol):
    """What both trees have in common."""

    @property
    def id(self) -> int:
        """Return its place among all nodes."""
        ...

    @property
    def parent(self) -> int | None:
        """Return the id of the node above."""
        ...

    @property
    def depth(self) -> int:
        """Return how many nodes stand above."""
        ...

    @property
    def jump(self) -> int:
        """Return the id of an ancestor further up."""
        ...


N = TypeVar("N", bound=Node)


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
    """Tell whether a node is another one or an ancestor of it; ids grow along every path."""
    if id > to.id:
        return False
    depth = nodes[id].depth
    return depth <= to.depth and ancestor(nodes, to, depth).id == id


class Tail(Sequence[T]):
    """A list with items behind it that are not in it yet."""

    __slots__ = ("_base", "_start", "added")

    def __init__(self, base: Sequence[T]) -> None:
        self._base = base
        self._start = len(base)
        self.added: list[T] = []

    def __len__(self) -> int:
        """Return how many items there would be."""
        return self._start + len(self.added)

    @overload
    def __getitem__(self, key: int) -> T: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[T]: ...
    def __getitem__(self, key: int | slice) -> T | Sequence[T]:
        """Return an item, staged or not."""
        if isinstance(key, int):
            return self._base[key] if key < self._start else self.added[key - self._start]
        return [self[i] for i in range(*key.indices(len(self)))]


class Path(Sequence[Batch]):
    """The batches among the ancestors of a batch, by number; looking one up doesn't walk them."""

    __slots__ = ("_batches", "_last")

    def __init__(self, batches: Sequence[Batch], last: Batch) -> None:
        self._batches = batches
        self._last = last

    def __len__(self) -> int:
        """Return how many batches the path has."""
        return self._last.number + 1

    @overload
    def __getitem__(self, key: int) -> Batch: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[Batch]: ...
    def __getitem__(self, key: int | slice) -> Batch | Sequence[Batch]:
        """Return the batch with a number on this path."""
        if isinstance(key, slice):
            return list(self)[key]
        number = key + len(self) if key < 0 else key
        if not 0 <= number < len(self):
            raise IndexError(f"batch {format_value(key)} is outside 0…{len(self) - 1}")
        found = ancestor(self._batches, self._last, number)
        return self._batches[found.id]

    def __iter__(self) -> Iterator[Batch]:
        """Yield the batches from number 0 on."""
        upwards = [self._batches[self._last.id]]
        while (parent := upwards[-1].parent) is not None:
            upwards.append(self._batches[parent])
        return reversed(upwards)

    def __eq__(self, other: object) -> bool:
        """Compare by content, also with a plain list."""
        if isinstance(other, Path | list | tuple):
            return list(self) == list(other)
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]
