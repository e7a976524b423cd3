"""The fields of an operation as names and values a reader can take in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ctxtui.calls.words import call_words
from ctxtui.core.engine.calls import Call
from ctxtui.core.engine.journal import Create, Record, Usage
from ctxtui.core.engine.operation import Operation
from ctxtui.core.engine.operations import Checkout, Describe, DescribeMeta, Mark, Rollback, Unmark
from ctxtui.core.errors import format_value
from ctxtui.core.values.models import public_fields, to_camel
from ctxtui.inspector.models.look import Frame, Look, is_on_path
from ctxtui.text.numbers import shown_indices
from ctxtui.text.plurals import plural
from ctxtui.text.symbols import printable

LONGEST_FIELD = 80
MOST_INDICES = 200
MOST_ITEMS = 8
SHORT_CALL_FIELDS = ("revision", "outcome", "model", "request", "tools")
LONG_CALL_FIELDS = ("parameters", "answer", "wire")


class Field(NamedTuple):
    """A field of an operation: its name and what was given."""

    name: str
    value: str


def operation_title(operation: Operation) -> str:
    """Return what an operation is called on the screen; the first of all is START."""
    return "START" if isinstance(operation, Create) else operation.title


def given_fields(operation: Operation) -> list[Field]:
    """Return the fields that were given; a description is shown elsewhere."""
    if isinstance(operation, Create):
        return list(_start_fields(operation))
    given = _short(operation) if isinstance(operation, Call) else operation.to_dict()
    return [
        Field("" if name == "messages" else name, field_value(value))
        for name, value in given.items()
        if name not in ("operation", "description") and value is not None
    ]


def _short(call: Call) -> dict[str, object]:
    """Return the fields of a call; what may be long is only named."""
    told = {name: getattr(call, name) for name in SHORT_CALL_FIELDS}
    counted = {} if call.usage is None else call.usage.to_dict()
    long = {name: getattr(call, name) for name in LONG_CALL_FIELDS}
    named = {name: format_value(value) for name, value in long.items() if value is not None}
    return {**told, **counted, **named}


def other_fields(operation: Operation) -> list[str]:
    """Return the names of the fields that were not given."""
    if isinstance(operation, Create | Call):
        return []
    given = {name for name, value in operation.to_dict().items() if value is not None}
    names = (to_camel(name) for name in public_fields(type(operation)))
    return [name for name in names if name not in given and name != "description"]


def _start_fields(create: Create) -> list[Field]:
    fields = [Field("", plural(len(create.messages), "message"))]
    usual = type(create.settings)().to_dict()
    for name, value in create.settings.to_dict().items():
        if value != usual.get(name):
            fields.append(Field(name, field_value(value)))
    for label, indices in create.marks.items():
        fields.append(
            Field(f"★ {printable(label, LONGEST_FIELD)}", f"raw {field_value(list(indices))}")
        )
    return fields


def field_value(value: object) -> str:
    """Return a value in a few words: messages as a count, indices as runs, texts made safe."""
    match value:
        case None:
            return "–"
        case bool():
            return "yes" if value else "no"
        case Mapping() if "role" in value and "content" in value:
            return "1 message"
        case Mapping():
            told = (f"{printable(str(k), 40)} {field_value(v)}" for k, v in value.items())
            return ", ".join(told)
        case list() | tuple():
            return _list_value(value)
        case str():
            return printable(value, LONGEST_FIELD) + ("…" if len(value) > LONGEST_FIELD else "")
        case int():
            return f"{value:,}"
        case _:
            return printable(str(value), LONGEST_FIELD)


def _list_value(items: Sequence[object]) -> str:
    if items and isinstance(items[0], Mapping) and "role" in items[0]:
        return plural(len(items), "message")
    indices = [item for item in items[:MOST_INDICES] if isinstance(item, int)]
    most = MOST_INDICES if indices else MOST_ITEMS
    text = shown_indices(indices) if indices else ", ".join(map(field_value, items[:most]))
    return text + (f", … {len(items):,} in all" if len(items) > most else "")


# A record of the journal in a few words: what it is called, and what about it.

MOST_NAMED = 6
LONGEST_RECORD = 120


def record_title(record: Record) -> str:
    """Return the name of what was done; several operations that were one change are a LIST."""
    return f"LIST {len(record.operations)}" if record.listed else operation_title(_first(record))


def record_about(record: Record) -> str:
    """Return what was done to what, as short as it can be said."""
    first = _first(record)
    if record.listed:
        names = ", ".join(one.title for one in record.operations[:MOST_NAMED])
        return names + (", …" if len(record.operations) > MOST_NAMED else "")
    match first:
        case Create():
            told = plural(len(first.messages), "message")
        case Rollback():
            told = f"to batch {first.target_batch_index}"
        case Checkout(batch=None):
            told = f"revision {first.revision}"
        case Checkout():
            told = f"batch #{first.batch}"
        case Mark() | Unmark():
            raws = first.indices
            where = "chosen ones" if raws is None else f"raw {field_value(list(raws))}"
            told = f"★ {first.label[:64]} {where}"
        case Describe():
            told = f"#{first.batch} {first.text[:64]}"
        case Usage():
            told = f"{first.tokens:,} tokens"
        case Call():
            said = (printable(first.model or "", 64), call_words(first))
            told = ", ".join(one for one in said if one)
        case DescribeMeta():
            told = ", ".join(first.meta)
        case _:
            told = first.arguments_text()
    return printable(told, LONGEST_RECORD)


def record_words(record: Record) -> str:
    """Return both."""
    return f"{record_title(record)} {record_about(record)}".strip()


def _first(record: Record) -> Operation:
    return record.operations[0]


# What is shown, in the words of the viewing bar and the status line.

ABANDONED = "on an abandoned branch"


def viewed(look: Look) -> str:
    """Return which batch it is, among those of the path or off it, or which record."""
    if isinstance(look, Frame):
        return f"record {look.place} of {look.last}"
    number = look.batch.number
    if not is_on_path(look.conversation, look.batch):
        return f"batch {number} {ABANDONED}"
    return f"batch {number} of {look.conversation.batch.number}"


def viewed_operation(look: Look) -> str:
    """Return the operation that led to what is shown, with its description."""
    if isinstance(look, Frame):
        return record_words(look.record)
    batch = look.batch
    name = "START" if batch.operation is None else batch.operation.title
    return printable(f"{name} {batch.description.removeprefix(name).strip()}".strip(), 80)
