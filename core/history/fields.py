"""The fields of revisions and batches, as they are read from JSON data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..errors import Refused, not_a
from ..messages.parts import snake
from ..operations import Operation
from ..operations.dialects import read_operation
from ..values.models import MOST_MESSAGES, read_count, read_text
from ..values.times import read_time
from ..views.spans import Run

NodeReaders = Mapping[str, Callable[[object, str], Any]]


def read_node(data: Mapping[str, Any], what: str, readers: NodeReaders) -> dict[str, Any]:
    """Return the fields of a node, in snake_case; refuse data that has not exactly these."""
    if not isinstance(data, Mapping):
        raise not_a(what, data, "an object")
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
        raise not_a(field, value, "a list of [start, length]")
    read = []
    for run in value:
        match run:
            case [int(start), int(length)] if 0 <= start < start + length <= MOST_MESSAGES:
                read.append((start, length))
            case _:
                raise not_a(field, run, "two whole numbers, start and length")
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
