"""Digests: JSON as bytes, and short hashes of them, by which equal things are found at once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

import orjson

from ..errors import Refused

MARKER = "cache_control"
DIGEST_BYTES = 16


def dumped(value: object, *, in_order: bool = True) -> bytes:
    """Return a value as JSON, with the keys as they stand or sorted; refuse what is none."""
    try:
        return orjson.dumps(value, option=None if in_order else orjson.OPT_SORT_KEYS)
    except (TypeError, RecursionError):
        pass
    try:
        # Integers beyond 64 bits and lone surrogates are legal, and nothing for orjson.
        text = json.dumps(value, sort_keys=not in_order, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise Refused(f"it is no JSON: {error}", field="request", legal="JSON") from None
    return text.encode("ascii")


def loaded(data: bytes) -> Any:
    """Return the value of what ``dumped`` wrote, long numbers too."""
    return json.loads(data)


def digest(data: bytes) -> bytes:
    """Return a short hash, which only the same bytes have."""
    return blake2b(data, digest_size=DIGEST_BYTES).digest()


def may_have_markers(data: bytes) -> bool:
    """Tell whether there can be a marker of the prompt cache in some JSON."""
    return MARKER.encode() in data


def without_markers(row: Any) -> Any:
    """Return a message, a tool or blocks without the markers of the prompt cache.

    Only where these may stand: arguments of a call may well have a key of that name.
    """
    if isinstance(row, list):
        return [without_markers(block) for block in row]
    if not isinstance(row, Mapping):
        return row
    rest = {key: value for key, value in row.items() if key != MARKER}
    if isinstance(rest.get("content"), list):
        rest["content"] = without_markers(rest["content"])
    return rest
