"""The fields of an operation as names and values a reader can take in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ctxtui.core.engine.calls import Call
from ctxtui.core.engine.journal import Create
from ctxtui.core.engine.operations import Operation
from ctxtui.core.errors import format_value
from ctxtui.core.values.models import public_fields, to_camel
from ctxtui.render.text.indices import shown_indices
from ctxtui.symbols import visible
from ctxtui.words import plural

LONGEST = 80
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
    """Return the fields that were given; a description stands elsewhere."""
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
        fields.append(Field(f"★ {visible(label, LONGEST)}", f"raw {field_value(list(indices))}"))
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
            told = (f"{visible(str(k), 40)} {field_value(v)}" for k, v in value.items())
            return ", ".join(told)
        case list() | tuple():
            return _list_value(value)
        case str():
            return visible(value, LONGEST) + ("…" if len(value) > LONGEST else "")
        case int():
            return f"{value:,}"
        case _:
            return visible(str(value), LONGEST)


def _list_value(items: Sequence[object]) -> str:
    if items and isinstance(items[0], Mapping) and "role" in items[0]:
        return plural(len(items), "message")
    indices = [item for item in items[:MOST_INDICES] if isinstance(item, int)]
    most = MOST_INDICES if indices else MOST_ITEMS
    text = shown_indices(indices) if indices else ", ".join(map(field_value, items[:most]))
    return text + (f", … {len(items):,} in all" if len(items) > most else "")
