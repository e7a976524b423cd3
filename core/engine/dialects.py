"""Reads operations in any of the three forms of the source documents.

1. Context processor: a key named like the operation holds its fields,
   ``{"operation": "truncate", "truncate": {"keepLast": 5}}``.
2. Context modification: lower-case names with ``indices``, ``data`` and ``batch``,
   ``{"operation": "compress", "indices": [0, 1]}``; hidden messages may be named again.
3. Flat: everything else, ``{"operation": "TRUNCATE", "keepLast": 5}``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
            raise Refused("the operation has no name", field="operation", legal=legal)
        raise wrong_type("operation", name, f"the name of an operation ({legal})")
    _no_batch_switch(fields)
    operation = _class(name)
    own_key = _own_key(name, operation, fields)
    if own_key is not None:
        return _read_nested(operation, own_key, fields)
    if name in MODIFICATIONS and fields.keys() <= {"indices", "data", "batch"}:
        return MODIFICATIONS[name](fields)
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


def _own_key(name: str, operation: type[Operation], fields: Fields) -> str | None:
    """Return the key that makes this the first form: the operation's name, holding an object."""
    for key, value in fields.items():
        if key_name(key).upper() in (name.upper(), operation.title):
            if isinstance(value, Mapping):
                return key
            raise wrong_type(key, value, f"an object with the fields of {operation.title}")
    return None


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


def _only(name: str, fields: Fields, *legal: str) -> None:
    check_keys(fields, name, legal)


def _data(name: str, fields: Fields) -> Any:
    if fields.get("data") is None:
        raise Refused(f"{name} has no data", field="data", legal="a message or a list of messages")
    return read_message_or_messages(fields["data"], "data")


def _indices(name: str, fields: Fields) -> tuple[int, ...]:
    if fields.get("indices") is None:
        raise Refused(f"{name} has no indices", field="indices", legal="a list of raw indices")
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
            f"{name} takes one number in indices, not {len(value)}",
            field="indices",
            value=value,
            legal="one number",
        )
    return read_number(value[0], "indices")


def _insert(fields: Fields) -> Operation:
    _only("insert", fields, "indices", "data")
    return ops.Append(messages=_data("insert", fields))


def _delete(fields: Fields) -> Operation:
    _only("delete", fields, "indices")
    return ops.Delete(indices=_indices("delete", fields), skip_hidden=True)


def _replace(fields: Fields) -> Operation:
    _only("replace", fields, "indices", "data")
    indices, messages = _indices("replace", fields), _data("replace", fields)
    return ops.Replace(indices=indices, messages=messages, skip_hidden=True)


def _compress(fields: Fields) -> Operation:
    _only("compress", fields, "indices", "data")
    summary = {} if fields.get("data") is None else {"summary": _data("compress", fields)}
    return ops.Compress(indices=_indices("compress", fields), skip_hidden=True, **summary)


def _batch_start(fields: Fields) -> Operation:
    _only("batch_start", fields, "indices", "batch")
    boundary, number = _one_index("batch_start", fields), fields.get("batch")
    given: Fields = {} if boundary is None else {"boundary": boundary}
    return ops.BatchStart(**given if number is None else {**given, "number": number})


def _batch_end(fields: Fields) -> Operation:
    _only("batch_end", fields, "indices", "batch")
    batch, index = fields.get("batch"), _one_index("batch_end", fields)
    if batch is None and index is None:
        raise Refused("batch_end has no batch", field="batch", legal="a number on the path")
    if batch is not None and index is not None and batch != index:
        raise wrong_type("batch", batch, f"{format_value(index)}, which indices names")
    number = index if batch is None else read_number(batch, "batch")
    return ops.Rollback(target_batch_index=number)


MODIFICATIONS: dict[str, Callable[[Fields], Operation]] = {
    "insert": _insert,
    "delete": _delete,
    "replace": _replace,
    "compress": _compress,
    "batch_start": _batch_start,
    "batch_end": _batch_end,
}
