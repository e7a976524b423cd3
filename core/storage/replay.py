"""Reading rows: the tables of a file become the conversation again, and every claim is checked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ..conversation.conversation import Clock, Conversation
from ..conversation.references import Bodies, same_log
from ..errors import Refused, not_a, shown
from ..history.journal import MOST_TOKENS, Record
from ..history.replaying import read_record
from ..messages.message import Message, read_messages
from ..operations import Append
from ..values.models import read_count
from ..values.times import LATEST, read_time
from .rows import figures, is_group, mark_rows, revision_rows, table
from .sealed import TableRow, Tables

MOST_RUNS = 20_000
"""Runs of views that are walked at opening; beyond, replay and fingerprints must do."""

ODD = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What the engine may stumble over in data that nothing of ours has written."""


class FileStory(NamedTuple):
    """What a file tells: all messages, and the records that bring them."""

    messages: tuple[Message, ...]
    records: list[Record]


def rows_in(tables: Tables, name: str) -> list[Any]:
    """Return the rows of a table in order, or refuse one with a gap."""
    found = tables.get(name)
    if not isinstance(found, dict):
        raise not_a(name, found, "a table of rows")
    for expected, key in enumerate(found, start=1):
        if key != str(expected):
            raise Refused(
                f"the table {name} has row {shown(key)} in place of row {expected}", field=name
            )
    return list(found.values())


def told(tables: Tables) -> FileStory:
    """Return the messages and records of tables, or refuse them."""
    messages = read_messages(rows_in(tables, "messages"))
    bodies = Bodies(messages)
    records: list[Record] = []
    for row in rows_in(tables, "journal"):
        records += records_in(row, bodies, len(records))
    return FileStory(messages, records)


def records_in(row: Any, bodies: Bodies, place: int) -> Iterator[Record]:
    """Yield the records that a row of ``journal`` stands for."""
    if not is_group(row):
        yield read_record(bodies.put_into(row, f"journal[{place}]"), place)
        return
    where = f"journal[{place}]"
    messages = bodies.taken([row.get("raw")], f"{where}.raw")
    counter, times = row.get("counter"), _counts(row, "times", where)
    sizes, counts = _counts(row, "sizes", where), _counts(row, "counts", where)
    if not isinstance(counter, str):
        raise not_a(f"{where}.counter", counter, "the name of a counter")
    if sum(sizes) != len(messages) or len(counts) != len(messages) or len(times) != len(sizes):
        raise Refused(f"{where} has APPENDs of {sum(sizes)} messages, not {len(messages)}")
    if max(times, default=0) > LATEST:
        read_time(max(times), f"{where}.times")
    if not all(sizes) or max(counts, default=0) > MOST_TOKENS:
        raise Refused(f"{where} has an APPEND of nothing, or a count beyond {MOST_TOKENS}")
    start = 0
    for time, size in zip(times, sizes, strict=True):
        stop = start + size
        operation = Append.model_construct(messages=tuple(messages[start:stop]))
        yield Record((operation,), False, time, counter, tuple(counts[start:stop]))
        start = stop


def _counts(row: TableRow, name: str, where: str) -> list[int]:
    found = row.get(name)
    if not isinstance(found, list):
        raise not_a(f"{where}.{name}", found, "a list of whole numbers")
    for number in found:
        if type(number) is not int or number < 0:
            read_count(number, f"{where}.{name}")
    return found


class Replayed(NamedTuple):
    """The conversation of tables, and which of its messages they hold with more metadata.

    Older versions kept in a copy that an edit made what formats had noted about the old text.
    """

    conversation: Conversation
    outdated: tuple[int, ...]


def replayed(tables: Tables, clock: Clock) -> Replayed:
    """Return the conversation of tables, every claim of theirs checked; or refuse them."""
    try:
        messages, records = told(tables)
        conversation = Conversation.replay(records, clock=clock)
        same_log(messages, conversation.log)
        same_claims(tables, conversation)
    except Refused:
        raise
    except ODD as error:
        raise Refused(f"the rows don't hold together: {error}", field="tables") from None
    pairs = zip(messages, conversation.log, strict=True)
    outdated = (raw for raw, (told, made) in enumerate(pairs) if told is not made and told != made)
    return Replayed(conversation, tuple(outdated))


def same_claims(tables: Tables, conversation: Conversation) -> None:
    """Refuse tables whose revisions, marks or figures are not those of the conversation."""
    for name, made in (
        ("revisions", revision_rows(conversation)),
        ("marks", mark_rows(conversation)),
    ):
        _same_rows(name, rows_in(tables, name), list(made))
    meta = tables.get("meta", {}).get("1", {})
    for key, value in figures(conversation).items():
        if meta.get(key) != value:
            raise Refused(
                f"meta has {key} {shown(meta.get(key))}, but the journal leads to {shown(value)}",
                field=key,
            )
    revisions = conversation.revisions
    if (
        len(revisions) <= MOST_RUNS
        and sum(revision.view.run_count for revision in revisions) <= MOST_RUNS
    ):
        for sentence in conversation.check():
            raise Refused(sentence, field="revisions")


def _same_rows(name: str, given: Sequence[Any], made: Sequence[TableRow]) -> None:
    if list(given) == list(made):
        return
    for number, (one, other) in enumerate(zip(table(given).values(), made, strict=False), start=1):
        if one != other:
            raise Refused(
                f"row {number} of {name} is not what the journal leads to", field=name, value=number
            )
    raise Refused(f"{name} has {len(given)} rows, but the journal leads to {len(made)}", field=name)
