"""Rows of a conversation: read one after the other, so that a bad one costs only itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..errors import Refused
from ..messages.message import Message
from .warnings import WarningCollector, without_values


def read_rows(
    rows: Sequence[object],
    read: Callable[[object, int], Message],
    warnings: WarningCollector,
    noun: str = "messages",
) -> list[Message]:
    """Return the messages of all rows; a bad one is told, and if all are bad the first refused."""
    first: Refused | None = None
    messages = []
    for place, row in enumerate(rows):
        try:
            messages.append(read(row, place))
        except Refused as refusal:
            first = first or refusal.inside(f"{noun}[{place}]")
            warnings.add(f"{noun[:-1]}-unreadable", place, without_values(refusal))
    if first is not None and not messages:
        raise first
    return messages
