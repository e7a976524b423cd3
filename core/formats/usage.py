"""Usage: what a transcript says that a request cost, as the arguments of ``record_call``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..engine.calls import MOST_COUNTED
from .fields import is_object

KINDS = (str, Mapping)
"""What else of a call is passed on: its request and model, its parameters."""


class UsageKeys(NamedTuple):
    """The keys under which a program stores figures; several for one are added.

    Where ``input`` leaves out what came from a cache or went there, these keys are among its own.
    """

    input: tuple[str, ...]
    output: tuple[str, ...]
    cached: str = ""
    written: str = ""


ANTHROPIC_USAGE = UsageKeys(
    ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"),
    ("output_tokens",),
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
)
GEMINI_USAGE = UsageKeys(
    ("promptTokenCount",), ("candidatesTokenCount",), "cachedContentTokenCount"
)


def figure(data: Mapping[str, Any], key: str) -> int | None:
    """Return a number of tokens that some data has under a path of keys, if it has one."""
    found: Any = data
    for step in key.split("."):
        found = found.get(step) if is_object(found) else None
    return found if type(found) is int and 0 <= found <= MOST_COUNTED else None


def call_of(data: object, keys: UsageKeys, time: int | None, **more: Any) -> list[dict[str, Any]]:
    """Return the call that some figures are of: none where nothing was counted."""
    if not is_object(data):
        return []
    usage = {
        "input": _sum(data, keys.input),
        "cached": figure(data, keys.cached),
        "written": figure(data, keys.written),
        "output": _sum(data, keys.output),
    }
    known = {name: count for name, count in usage.items() if count is not None}
    if not any(known.values()):
        return []
    kept = {name: value for name, value in more.items() if value and isinstance(value, KINDS)}
    return [{"usage": known, "time": time or 0, **kept}]


def _sum(data: Mapping[str, Any], keys: tuple[str, ...]) -> int | None:
    found = [count for key in keys if (count := figure(data, key)) is not None]
    return sum(found) if found else None
