"""The journal: every accepted change in order, enough to build the same conversation again."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Annotated, Any, NamedTuple, Self

from pydantic import model_validator

from ..errors import Refused, out_of_range, refusals_at, unknown_key, wrong_type
from ..values.frozen import FrozenDict, freeze_object
from ..values.models import Checked, Count, Text, nested, read_indices, read_label
from ..values.sequences import ReadOnlyList
from ..values.times import read_time
from .calls import Call, CallsPrefix, read_figure
from .dialects import OPERATIONS
from .log import Counting, StagedLog
from .messages import Message, read_messages
from .operation import Operation
from .operations import Append, DescribeMeta
from .revisions import Revision, jump_from
from .settings import Settings
from .state import ConversationState, Head, State


def read_marks(value: object, name: str) -> FrozenDict:
    """Return labels and the raw indices that carry them."""
    if not isinstance(value, Mapping):
        raise wrong_type(name, value, "an object of labels and raw indices")
    return FrozenDict({read_label(k, name): read_indices(v, name) for k, v in value.items()})


class Create(Operation):
    """What a conversation starts with; only the first record of a journal holds it."""

    title = "CREATE"
    messages: Annotated[tuple[Message, ...], Checked(read_messages)] = ()
    settings: Annotated[Settings, nested(Settings)] = Settings()
    meta: Annotated[FrozenDict, Checked(freeze_object)] = FrozenDict()
    marks: Annotated[FrozenDict, Checked(read_marks)] = FrozenDict()

    @model_validator(mode="after")
    def _marks_exist(self) -> Self:
        for label, indices in self.marks.items():
            if max(indices) >= len(self.messages):
                raise out_of_range(f"marks {label!r}", max(indices), f"0…{len(self.messages) - 1}")
        return self


class Usage(Operation):
    """What a provider said one request cost."""

    title = "USAGE"
    prompt: Count
    completion: Count = 0
    total: Count | None = None
    request: Text | None = None

    @property
    def tokens(self) -> int:
        return self.prompt + self.completion if self.total is None else self.total


Noted = Usage | Call
"""What a journal keeps of requests: it changes nothing, is never undone and leaves REDO alone."""

ONLY_JOURNALED: tuple[type[Operation], ...] = (Create, Usage, Call)
"""What only journals hold; it can't be executed as an operation."""

NAMES: dict[str, type[Operation]] = {
    **OPERATIONS,
    DescribeMeta.title: DescribeMeta,
    **{one.title: one for one in ONLY_JOURNALED},
}


OWN_FIELDS = 6
"""How many fields of a record don't follow from the others."""

RECORD_KEYS = ("operation", "list", "time", "counter", "counts", "resolved")


class Record(NamedTuple):
    """One accepted change: the operation as given, when, and what was counted and resolved.

    ``counts`` are the tokens of the messages this change counted, ``resolved`` the raw indices each
    operation acted on if it did not name them. The others follow from the rest, and only
    a conversation fills them in: ``before`` and ``after`` are the heads, for UNDO and REDO;
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
        return isinstance(other, Record) and self[:OWN_FIELDS] == other[:OWN_FIELDS]

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.time)

    @property
    def operation(self) -> Operation | tuple[Operation, ...]:
        return self.operations if self.listed else self.operations[0]

    def leading_to(self, state: State, before: Head | None = None) -> Self:
        """Return the record with the head before it and the state it led to."""
        return self._replace(
            before=before,
            after=state.head,
            log_size=len(state.log),
            revisions=len(state.revisions),
        )

    def to_dict(self) -> dict[str, Any]:
        return self.written([operation.to_dict() for operation in self.operations])

    def written(self, given: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Return the record as JSON-ready data, with its operations as they were written."""
        return {
            **({"list": given} if self.listed else {"operation": given[0]}),
            "time": self.time,
            "counter": self.counter,
            "counts": list(self.counts),
            "resolved": [None if one is None else list(one) for one in self.resolved],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        if not isinstance(data, Mapping):
            raise wrong_type("record", data, "an object")
        for key in data:
            if key not in RECORD_KEYS or (key == "operation" and "list" in data):
                raise unknown_key(key, data[key], "this record", RECORD_KEYS)
        listed = "list" in data
        given = _list(data["list"], "list") if listed else [data.get("operation")]
        if not given:
            raise Refused("list [] of a record is empty", "list", [])
        counter = data.get("counter")
        if not isinstance(counter, str):
            raise wrong_type("counter", counter, "the name of a counter")
        resolved = [
            None if one is None else tuple(_list(one, "resolved"))
            for one in _list(data.get("resolved", []), "resolved")
        ]
        return cls(
            tuple(read_recorded(one) for one in given),
            listed,
            read_time(data.get("time"), "time"),
            counter,
            tuple(read_figure(one, "counts") for one in _list(data.get("counts", []), "counts")),
            tuple(resolved),
        )


def _list(value: object, name: str) -> list[Any]:
    if not isinstance(value, list):
        raise wrong_type(name, value, "a list")
    return value


def read_recorded(data: object) -> Operation:
    """Return an operation as a journal writes it: flat, and CREATE, USAGE and CALL among them."""
    if not isinstance(data, Mapping):
        raise wrong_type("operation", data, "an object")
    fields = dict(data)
    name = fields.pop("operation", None)
    if not isinstance(name, str) or name not in NAMES:
        raise wrong_type("operation", name, f"one of {', '.join(NAMES)}")
    return NAMES[name].from_dict(fields)


def read_record(data: Record | Mapping[str, Any], place: int) -> Record:
    """Return a record, or refuse it with its place in the journal."""
    with refusals_at(f"journal[{place}]"):
        if not isinstance(data, Record):
            return Record.from_dict(data)
        read_time(data.time, "time")
        return data


def verify_record(made: Record | None, given: Record, place: int) -> None:
    """Refuse a journal whose record leads to another result than it says."""
    if made != given:
        raise Refused(
            f"journal[{place}] does not lead where it says: {given.operations[0].title} differs",
            field="journal",
            value=place,
        )


def recorded_counts(record: Record, place: int) -> Counting:
    """Return a counting that reads a record's counts instead of counting again."""
    counts = iter(record.counts)

    def tally(_: Message) -> int:
        count = next(counts, None)
        if count is None:
            raise Refused(f"journal[{place}] has too few token counts", "journal")
        return count

    return lambda _: tally


def append_groups(records: Sequence[Record]) -> Iterator[Sequence[Record]]:
    """Yield records in order, consecutive APPENDs of one counter together."""
    start, counter = 0, None
    for place, record in enumerate(records):
        operation = record.operations[0]
        is_plain = (
            type(operation) is Append
            and not record.listed
            and not record.resolved
            and len(record.counts) == len(operation.messages)
        )
        if place > start and not (is_plain and record.counter == counter):
            yield records[start:place]
            start = place
        counter = record.counter if is_plain else None
    if records:
        yield records[start:]


def append_all(state: ConversationState, records: Sequence[Record]) -> list[Record]:
    """Apply plain APPENDs of the counter in use; return their records, with heads filled in.

    A long journal is replayed 2.7 times as fast as with a draft for each record.
    """
    counter, (_, marks, names, settings, meta) = state.counter, state.head
    batch, revisions = state.current.batch, state.revisions
    parent, tokens, size = state.current, state.total(state.current), len(state.log)
    _stage(state, records)
    done, head = [], state.head
    for record in records:
        counts = record.counts
        fresh = ((size, len(counts)),)
        size += len(counts)
        tokens += sum(counts)
        parent = Revision(
            len(revisions),
            parent.id,
            batch,
            record.operations[0],
            parent.view.extended(fresh),
            record.time,
            size,
            parent.depth + 1,
            tokens,
            counter,
            fresh,
            jump_from(revisions, parent),
        )
        revisions.append(parent)
        before, head = head, Head(parent.id, marks, names, settings, meta)
        done.append(
            Record(
                record.operations,
                False,
                record.time,
                counter,
                counts,
                before=before,
                after=head,
                log_size=size,
                revisions=len(revisions),
            )
        )
    state.latest[batch] = parent.id
    state.head = head
    state.version += 1
    return done


def _stage(state: ConversationState, records: Sequence[Record]) -> None:
    """Put the messages of all records into the log, with the tokens they were counted with."""
    messages = [message for record in records for message in record.operations[0].messages]  # type: ignore[attr-defined]
    counts = chain.from_iterable(record.counts for record in records)
    staged = StagedLog(state.log)
    staged.use(state.counter, recorded_counts(records[0], 0))
    staged.extend(messages, state.counter, lambda _: lambda _: next(counts))
    state.log.absorb(staged)


class StateAtRecord(State):
    """A state as the record at a place of the journal left it: log, tree, calls, and the head."""

    __slots__ = ()

    def __init__(self, now: ConversationState, record: Record, place: int) -> None:
        assert record.after is not None
        self.log = StagedLog(now.log, record.log_size)
        self.revisions = ReadOnlyList(now.revisions, size=record.revisions)
        batches = bisect_left(now.batches, record.revisions, key=lambda batch: batch.opened)
        self.batches = ReadOnlyList(now.batches, size=batches)
        self.calls = CallsPrefix(now.calls, now.calls.size_after(place))
        self.latest = now.latest
        self.toggle_messages = frozenset(
            raw for raw in now.toggle_messages if raw < record.log_size
        )
        self.head = record.after
