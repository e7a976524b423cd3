"""Verdicts that don't agree: identical sessions that were decided differently."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from ..storage.entries import Entry
from ..storage.library import Library
from .catalog import Catalog, Watching
from .duplicates import VERDICTS
from .row import Row


class Disagreement(NamedTuple):
    """A session with a verdict, and those that are identical and have another one."""

    entry: Entry
    others: tuple[Entry, ...]


def disagreeing(rows: Iterable[Row], judged: Collection[str]) -> list[Disagreement]:
    """Return which of some sessions were decided otherwise than what is identical with them."""
    groups: dict[int, list[Entry]] = {}
    for row in rows:
        if row.alike is not None and row.entry.status in VERDICTS:
            groups.setdefault(row.alike.group, []).append(row.entry)
    found = [
        Disagreement(one, tuple(other for other in group if other.status != one.status))
        for group in groups.values()
        for one in group
        if one.id in judged
    ]
    return [one for one in found if one.others]


def disagreements(
    library: Library, judged: Collection[str], watch: Watching | None = None
) -> list[Disagreement]:
    """Return the same of a library; nothing is looked into that can't be one of them."""
    decided = [one for one in library.list() if one.status in VERDICTS]
    lengths = {one.visible for one in decided if one.id in judged}
    alike = [one.id for one in decided if one.visible in lengths]
    if not set(alike).difference(judged):
        return []
    with Catalog(library) as catalog:
        catalog.learn(alike, watch)
        return disagreeing(catalog.rows(), judged)
