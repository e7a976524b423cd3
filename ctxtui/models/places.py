"""Places: those a user can name, a raw index or a batch of the path, and where to look first."""

from __future__ import annotations

from typing import NamedTuple

from ctxtui.core import Conversation, Refused
from ctxtui.core.errors import format_value, out_of_range
from ctxtui.core.values.numbers import count_in


class Place(NamedTuple):
    """A message by raw index, or a batch by id."""

    raw: int | None = None
    batch: int | None = None


class Spot(NamedTuple):
    """Where to look in a session: at a batch of its path by number, a view, a message, a text.

    ``call`` is the place of a call among all that were recorded: what it sent is shown at length.
    """

    view: str = "inspector"
    raw: int | None = None
    batch: int | None = None
    sought: str = ""
    call: int | None = None


def read_place(conversation: Conversation, text: str) -> Place:
    """Return the place that ``12`` or ``#3`` names: a raw index, or a batch number of the path."""
    name = text.strip()
    wanted = count_in(name.removeprefix("#"))
    if wanted is None:
        legal = "a raw index such as 12 nor a batch such as #3"
        raise Refused(
            f"{format_value(name)} is neither {legal}", field="place", value=name, legal=legal
        )
    path, size = conversation.path, len(conversation.log)
    if name.startswith("#"):
        if wanted >= len(path):
            raise out_of_range("batch", wanted, f"0…{len(path) - 1}")
        return Place(batch=path[wanted].id)
    if wanted >= size:
        raise out_of_range("raw", wanted, f"0…{size - 1}" if size else "the log, which is empty")
    return Place(raw=wanted)
