"""Groups of items: which of them are one core message, told without reading them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..roles import core_role
from .shapes import RESULTS


def grouped(items: Iterable[Any]) -> list[list[Any]]:
    """Return items as ``read_items`` would take them together, in their order.

    What the assistant says in a row is one group, but no group has two of its messages.
    """
    groups: list[list[Any]] = []
    is_open = has_message = False
    for item in items:
        if _stands_alone(item):
            groups.append([item])
            is_open = has_message = False
            continue
        is_message = _is_message(item)
        if not is_open or (is_message and has_message):
            groups.append([])
            has_message = False
        groups[-1].append(item)
        is_open, has_message = True, has_message or is_message
    return groups


def _is_message(item: Any) -> bool:
    if not isinstance(item, Mapping) or not isinstance(item.get("role"), str):
        return False
    return bool(item.get("type", "message") == "message")


def _stands_alone(item: Any) -> bool:
    """Tell whether an item is a message of its own: of anybody else, a result, or an empty one."""
    if _is_message(item):
        return core_role(item["role"]) != "assistant" or not item.get("content")
    if not isinstance(item, Mapping) or item.get("type") not in RESULTS:
        return False
    is_output = item.get("output") is None or isinstance(item["output"], str | list | Mapping)
    return isinstance(item.get("call_id"), str) and is_output
