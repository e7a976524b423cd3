"""Reads operations in any of the three forms of the source documents.

1. Context processor: a key named like the operation holds its fields,
   ``{"operation": "truncate", "truncate": {"keepLast": 5}}``.
2. Context modification: lower-case names with ``indices``, ``data`` and ``batch``,
   ``{"operation": "compress", "indices": [0, 1]}``; hidden messages may be named again.
3. Flat: everything else, ``{"operation": "TRUNCATE", "keepLast": 5}``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import Refused, check_keys, format_value, key_name, wrong_type
from ..values.models import read_indices, read_number
from . import operations as ops
from .messages import read_message_or_messages
from .operation import Operation

OPERATIONS: dict[str, type[Operation]] = {cls.title: cls for cls in ops.ALL}
"""Every operation by its name, in the order of the documentation."""

Fields = dict[str, Any]


def read_operation(data: object) -> Operation:
    """Return an operation from an operation or from JSON data in any form, or refuse it."""
    if isinstance(data, Operation):
        return data
    if not isinstance(data, Mapping):
        raise wrong_type("operation", data, "an object with an operation")
    fields = dict(data)
    name = fields.pop("operation", None)
    if not isinstance(name, str):
        legal = ", ".join(OPERATIONS)
        if name is None:
            raise Refused("the operation has no name", "operation", legal=legal)
        raise wrong_type("operation", name, f"the name of an operation ({legal})")
    _no_batch_switch(fields)
    operation = _class(name)
    for key, value in fields.items():
        if key_name(key).upper() in (name.upper(), operation.title):
            if isinstance(value, Mapping):
                return _read_nested(operation, key, fields)
            raise wrong_type(key, value, f"an object with the fields of {operation.title}")
    if name in MODIFICATIONS and fields.keys() <= {"indices", "data", "batch"}:
        return _read_modification(name, fields)
    return operation.from_dict(fields)


def _no_batch_switch(fields: Mapping[str, Any]) -> None:
    for key in ("createNewBatch", "create_new_batch"):
        if key in fields:
            raise Refused(
                f"{key} can't be set: each operation decides whether it opens a batch, "
                "and no message is ever lost",
                field=key,
                value=fields[key],
                legal="leave it out",
            )


def _class(name: str) -> type[Operation]:
    upper = name.upper() if name.isascii() else ""
    if upper == "BATCH_END":
        return ops.Rollback
    if upper not in OPERATIONS:
        raise Refused(
            f"{format_value(name)} is not an operation; there are {', '.join(OPERATIONS)}",
            field="operation",
            value=name,
            legal=", ".join(OPERATIONS),
        )
    return OPERATIONS[upper]


def _read_nested(operation: type[Operation], key: str, fields: Fields) -> Operation:
    inner = fields.pop(key)
    if fields:
        extra = next(iter(fields))
        raise Refused(
            f"{format_value(extra)} is given next to {key}, which holds the fields of "
            f"{operation.title}; "
            "use one form or the other",
            field=key_name(extra),
            value=fields[extra],
            legal=f"operation and {key}",
        )
    _no_batch_switch(inner)
    position = inner.get("position")
    if operation is ops.Insert and isinstance(position, int) and position == -1:
        return ops.Append.from_dict({k: v for k, v in inner.items() if k != "position"})
    return operation.from_dict(inner)


def _data(name: str, fields: Fields) -> Any:
    if fields.get("data") is None:
        raise Refused(f"{name} has no data", "data", legal="a message or a list of messages")
    return read_message_or_messages(fields["data"], "data")


def _indices(name: str, fields: Fields) -> tuple[int, ...]:
    if fields.get("indices") is None:
        raise Refused(f"{name} has no indices", "indices", legal="a list of raw indices")
    return read_indices(fields["indices"], "indices")


def _one_index(name: str, fields: Fields) -> int | None:
    """Return the single number in ``indices``, or None."""
    value = fields.get("indices")
    if value is None or value == []:
        return None
    if not isinstance(value, list | tuple):
        raise wrong_type("indices", value, "a list with one number")
    if len(value) != 1:
        raise Refused(
            f"{name} takes one number in indices, not {len(value)}", "indices", value, "one number"
        )
    return read_number(value[0], "indices")


def _read_modification(name: str, fields: Fields) -> Operation:
    """Return an operation of the second form."""
    check_keys(fields, name, MODIFICATIONS[name])
    match name:
        case "insert":
            return ops.Append(messages=_data(name, fields))
        case "delete":
            return ops.Delete(indices=_indices(name, fields), skip_hidden=True)
        case "replace":
            indices, messages = _indices(name, fields), _data(name, fields)
            return ops.Replace(indices=indices, messages=messages, skip_hidden=True)
        case "compress":
            summary = {} if fields.get("data") is None else {"summary": _data(name, fields)}
            return ops.Compress(indices=_indices(name, fields), skip_hidden=True, **summary)
    batch, index = fields.get("batch"), _one_index(name, fields)
    if name == "batch_start":
        given = {"boundary": index, "number": batch}
        return ops.BatchStart(**{key: value for key, value in given.items() if value is not None})
    if batch is None and index is None:
        raise Refused("batch_end has no batch", "batch", legal="a number on the path")
    if batch is not None and index is not None and batch != index:
        raise wrong_type("batch", batch, f"{format_value(index)}, which indices names")
    number = index if batch is None else read_number(batch, "batch")
    return ops.Rollback(target_batch_index=number)


MODIFICATIONS: dict[str, tuple[str, ...]] = {
    "insert": ("indices", "data"),
    "delete": ("indices",),
    "replace": ("indices", "data"),
    "compress": ("indices", "data"),
    "batch_start": ("indices", "batch"),
    "batch_end": ("indices", "batch"),
}
"""The operations of the second form, and the fields that each takes."""
