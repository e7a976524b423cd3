"""JSON as bytes: quick where it can be, exact always.

orjson knows no lone surrogates and no integers beyond 64 bits, and would read the latter as floats.
What it can't write is written by the standard module and has to be read by it again; ``exact``
says so, and whoever stores the bytes keeps that word beside them.
"""

from __future__ import annotations

import json
from math import isfinite
from typing import Any, NamedTuple

import orjson

from ..errors import Refused
from ..formats.json_text import read_json


class Encoded(NamedTuple):
    """JSON text, and whether only the standard module reads it as it was."""

    data: bytes
    exact: bool


def encode(value: object, *, is_safe: bool = False) -> Encoded:
    """Return a value as JSON; NaN and Infinity are refused, unless it is known to have none."""
    try:
        data = orjson.dumps(value)
    except TypeError:
        try:
            text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
        except (TypeError, ValueError, RecursionError) as error:
            raise Refused(f"it can't be written as JSON: {error}", field="data") from None
        return Encoded(text.encode("ascii"), True)
    if not is_safe and b"null" in data:
        _no_nan(value)
    return Encoded(data, False)


def _no_nan(value: object) -> None:
    """Refuse a number that orjson has written as null."""
    if isinstance(value, float) and not isfinite(value):
        raise Refused(f"the number {value} can't be stored", field="data", value=value)
    if isinstance(value, dict):
        for item in value.values():
            _no_nan(item)
    elif isinstance(value, list | tuple):
        for item in value:
            _no_nan(item)


def decode(data: bytes, *, exact: bool) -> Any:
    """Return the value of JSON text, or refuse it."""
    if exact:
        return read_json(data)
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise Refused(f"it is not JSON: {error}", field="text", legal="JSON in UTF-8") from None
