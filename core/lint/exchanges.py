"""Tool exchanges: a message that calls tools, and all the visible messages with its results."""

from __future__ import annotations

from ..history.log import LogReader
from ..messages.facts import LINKED
from ..views.view import View


def exchanges(log: LogReader, view: View) -> list[list[int]]:
    """Return the exchanges of a view as groups of two or more raw indices, in visible order.

    A result belongs to the latest visible call of its id before it. Exchanges that share a message
    (one that holds results of two calling messages) are one group: they can only stay together.
    """
    group: dict[int, list[int]] = {}
    caller: dict[str, int] = {}
    for raw in log.with_flag(view, LINKED):
        links = log.links(raw)
        group[raw] = [raw]
        for call in links.calls:
            caller[call] = raw
        for result in links.results:
            if result in caller:
                _join(group, caller[result], raw)
    groups = {id(members): members for members in group.values()}
    return [members for members in groups.values() if len(members) > 1]


def _join(group: dict[int, list[int]], one: int, other: int) -> None:
    """Put two messages, and all that goes with them, into one group."""
    into, old = sorted((group[one], group[other]), key=len, reverse=True)
    if into is old:
        return
    into += old
    for raw in old:
        group[raw] = into
