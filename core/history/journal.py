"""The journal: every accepted change in order, enough to build the same conversation again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, NamedTuple, Self

from pydantic import model_validator

from ..errors import Refused, key_name, not_a, outside, shown
from ..messages.message import Message, read_messages
from ..operations import DescribeMeta, Operation
from ..operations.dialects import OPERATIONS
from ..settings import Settings
from ..values.frozen import FrozenDict, freeze_object
from ..values.models import (
    Count,
    Text,
    checked,
    nested,
    read_count,
    read_indices,
    read_label,
)
from ..values.times import read_time
from .call import Call
from .state import Head, State


def read_marks(value: object, name: str) -> FrozenDict:
    """Return labels and the raw indices that carry them."""
    if not isinstance(value, Mapping):
        raise not_a(name, value, "an object of labels and raw indices")
    return FrozenDict({read_label(k, name): read_indices(v, name) for k, v in value.items()})


class Create(Operation):
    """What a conversation starts with; only the first record of a journal holds it."""

    title: ClassVar[str] = "CREATE"
    messages: Annotated[tuple[Message, ...], checked(read_messages)] = ()
    settings: Annotated[Settings, nested(Settings)] = Settings()
    meta: Annotated[FrozenDict, checked(freeze_object)] = FrozenDict()
    marks: Annotated[FrozenDict, checked(read_marks)] = FrozenDict()

    @model_validator(mode="after")
    def _marks_exist(self) -> Self:
        for label, indices in self.marks.items():
            if max(indices) >= len(self.messages):
                raise outside(f"marks {label!r}", max(indices), f"0…{len(self.messages) - 1}")
        return self


class Usage(Operation):
    """What a provider said one request cost."""

    title: ClassVar[str] = "USAGE"
    prompt: Count
    completion: Count = 0
    total: Count | None = None
    request: Text | None = None

    @property
    def tokens(self) -> int:
        """Return the provider's total, or the sum where it gave none."""
        return self.prompt + self.completion if self.total is None else self.total


MOST_TOKENS = 2**40
"""More tokens than any message has; sums of them still fit into the token column."""

Noted = Usage | Call
"""What a journal keeps of requests: it changes nothing, is never undone and leaves REDO alone."""

ONLY_JOURNALED: tuple[type[Operation], ...] = (Create, Usage, Call)
"""What stands in journals, and nobody can ask for as an operation."""

NAMES: dict[str, type[Operation]] = {
    **OPERATIONS,
    DescribeMeta.title: DescribeMeta,
    **{one.title: one for one in ONLY_JOURNALED},
}


TOLD = 6
"""How many fields of a record tell something of their own."""

RECORD_KEYS = ("operation", "list", "time", "counter", "counts", "resolved")


class Record(NamedTuple):
    """One accepted change: the operation as given, when, and what was counted and resolved.

    ``counts`` are the tokens of the messages this change counted, ``resolved`` the raw indices each
    operation acted on where it did not name them itself. The others follow from the rest, and only
    a conversation fills them in: ``before`` and ``after`` are where it stood, for UNDO and REDO;
    ``log_size`` and ``revisions`` are how many messages and revisions there were afterwards.
    """

    operations: tuple[Operation, ...]
    listed: bool
    time: int
    counter: str
    counts: tuple[int, ...] = ()
    resolved: tuple[tuple[int, ...] | None, ...] = ()
    before: Head | None = None
    after: Head | None = None
    log_size: int = 0
    revisions: int = 0

    def __eq__(self, other: object) -> bool:
        """Compare what it tells; the others follow from that."""
        return isinstance(other, Record) and self[:TOLD] == other[:TOLD]

    def __ne__(self, other: object) -> bool:
        """Compare what it tells; the others follow from that."""
        return not self == other

    def __hash__(self) -> int:
        """Return a hash of when it was, which equal records share."""
        return hash(self.time)

    @property
    def operation(self) -> Operation | tuple[Operation, ...]:
        """Return the operation, or the tuple of a list's operations."""
        return self.operations if self.listed else self.operations[0]

    def leading_to(self, state: State, before: Head | None = None) -> Record:
        """Return the record with where the conversation stood before it, and what it led to."""
        return self._replace(
            before=before,
            after=state.head,
            log_size=len(state.log),
            revisions=len(state.revisions),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON-ready data."""
        given = [operation.to_dict() for operation in self.operations]
        return {
            **({"list": given} if self.listed else {"operation": given[0]}),
            "time": self.time,
            "counter": self.counter,
            "counts": list(self.counts),
            "resolved": [None if one is None else list(one) for one in self.resolved],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Record:
        """Return a record from JSON data, or refuse it."""
        if not isinstance(data, Mapping):
            raise not_a("record", data, "an object")
        for key in data:
            if key not in RECORD_KEYS or (key == "operation" and "list" in data):
                raise Refused(
                    f"{shown(key)} is not a key of this record",
                    field=key_name(key),
                    value=data[key],
                    legal=", ".join(RECORD_KEYS),
                )
        listed = "list" in data
        given = _list(data["list"], "list") if listed else [data.get("operation")]
        if not given:
            raise Refused("list [] of a record is empty", field="list", value=[])
        counter = data.get("counter")
        if not isinstance(counter, str):
            raise not_a("counter", counter, "the name of a counter")
        resolved = [
            None if one is None else tuple(_list(one, "resolved"))
            for one in _list(data.get("resolved", []), "resolved")
        ]
        return cls(
            tuple(read_recorded(one) for one in given),
            listed,
            read_time(data.get("time"), "time"),
            counter,
            tuple(_count(one) for one in _list(data.get("counts", []), "counts")),
            tuple(resolved),
        )


def _list(value: object, name: str) -> list[Any]:
    if not isinstance(value, list):
        raise not_a(name, value, "a list")
    return value


def _count(value: object) -> int:
    count = read_count(value, "counts")
    if count > MOST_TOKENS:
        raise outside("counts", count, f"0…{MOST_TOKENS}")
    return count


def read_recorded(data: object) -> Operation:
    """Return an operation as a journal writes it: flat, and CREATE, USAGE and CALL among them."""
    if not isinstance(data, Mapping):
        raise not_a("operation", data, "an object")
    fields = dict(data)
    name = fields.pop("operation", None)
    if not isinstance(name, str) or name not in NAMES:
        raise not_a("operation", name, f"one of {', '.join(NAMES)}")
    return NAMES[name].from_dict(fields)
