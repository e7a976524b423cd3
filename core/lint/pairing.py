"""Pairing: how tool calls and their results stand to each other in a projection."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from ..messages.facts import Links

Linked = tuple[int, str, Links]
"""A message that calls tools or holds results: its visible position, its role and its links.

A tool message that names no call is linked too: it is a result of nothing.
"""

Answer = tuple[str, int]
"""The id of a call and the position of its result; plain, since there are very many of them."""


@dataclass(slots=True)
class Site:
    """A message that calls tools, and where the results of its calls stand.

    ``in_block`` are those right after it, ``displaced`` all others. ``foreign`` is set where the
    block also holds results of somebody else.
    """

    position: int
    calls: tuple[str, ...]
    in_block: list[Answer] = field(default_factory=list)
    displaced: list[Answer] = field(default_factory=list)
    block_end: int = 0
    foreign: bool = False

    def missing(self) -> list[str]:
        """Return the calls that have no result at all."""
        answered = {id for id, _ in self.in_block + self.displaced}
        return [call for call in self.calls if call not in answered]

    def is_complete(self) -> bool:
        """Tell whether every call has a result right after this message."""
        return {id for id, _ in self.in_block}.issuperset(self.calls)

    def is_sound(self) -> bool:
        """Tell whether there is nothing to say about this message and its results."""
        if self.displaced:
            return False
        if len(self.calls) == 1:
            return bool(self.in_block)
        return self.is_complete()

    def waits(self, size: int) -> bool:
        """Tell whether nothing but this message's own results stands after it."""
        return self.block_end == size and not self.foreign

    def members(self) -> list[int]:
        """Return the positions of the whole exchange."""
        return [self.position, *(position for _, position in self.in_block + self.displaced)]


class Orphan(NamedTuple):
    """A result whose call does not stand before it; ``id`` is None if it names no call."""

    position: int
    id: str | None


class Repeat(NamedTuple):
    """A call id that is used again, or a second result for a call."""

    position: int
    id: str
    is_call: bool


@dataclass(slots=True)
class Pairing:
    """Everything there is to know about calls and results of a projection."""

    sites: list[Site] = field(default_factory=list)
    orphans: list[Orphan] = field(default_factory=list)
    repeats: list[Repeat] = field(default_factory=list)

    def unsound(self) -> list[Site]:
        """Return the calling messages that something is wrong with."""
        return [site for site in self.sites if not site.is_sound()]


def pair(linked: Iterable[Linked]) -> Pairing:
    """Match results with calls: each belongs to the latest call of its id before it."""
    found = Pairing()
    caller: dict[str, Site] = {}
    answered: set[str] = set()
    block: Site | None = None
    for position, role, links in linked:
        in_block = block is not None and position == block.block_end and role != "assistant"
        if not in_block:
            block = None
        if links.calls:
            block = _call(found, caller, position, links.calls)
            answered.difference_update(links.calls)
        if not links.results and not links.calls:
            found.orphans.append(Orphan(position, None))
            if block is not None:
                block.foreign = True
        for result in links.results:
            site = caller.get(result)
            if site is None:
                found.orphans.append(Orphan(position, result))
            else:
                # An id is in this set once its call has a result; a new call takes it out again.
                if result in answered:
                    found.repeats.append(Repeat(position, result, False))
                answered.add(result)
                (site.in_block if site is block else site.displaced).append((result, position))
            if block is not None and site is not block and position != block.position:
                block.foreign = True
        if block is not None:
            block.block_end = position + 1
    return found


def _call(found: Pairing, caller: dict[str, Site], position: int, calls: tuple[str, ...]) -> Site:
    site = Site(position, calls)
    for call in calls:
        if call in caller:
            found.repeats.append(Repeat(position, call, True))
        caller[call] = site
    found.sites.append(site)
    return site
