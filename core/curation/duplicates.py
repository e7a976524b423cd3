"""Duplicates among sessions: groups of what is the same for training, or nearly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from core.curation.alike import Alike, identical, near, read_threshold
from core.curation.catalog import Catalog
from core.curation.shingles import Shingles, said, shingles_of
from core.errors import Refused
from core.storage.details import STATUSES
from core.storage.entries import Entry
from core.storage.library import Library

VERDICTS = STATUSES[2:]
"""The statuses that are a decision: needs work, accepted, rejected."""
ACCEPTED = STATUSES[3]
Step = Callable[[float], None]


class Member(NamedTuple):
    """A session of a group, and how like the first one it is."""

    entry: Entry
    likeness: float


class Group(NamedTuple):
    """Sessions that are alike; the first is one that was accepted, or else the oldest."""

    members: tuple[Member, ...]

    @property
    def extra(self) -> tuple[Entry, ...]:
        """Return all but the first."""
        return tuple(one.entry for one in self.members[1:])

    @property
    def verdicts(self) -> tuple[str, ...]:
        """Return the decisions that were made in it, each once."""
        found = {one.entry.status for one in self.members}
        return tuple(status for status in VERDICTS if status in found)

    @property
    def is_torn(self) -> bool:
        """Tell whether its sessions were decided differently."""
        return len(self.verdicts) > 1


class Duplicates(NamedTuple):
    """The groups that were found, and why some sessions could not be looked at."""

    groups: tuple[Group, ...]
    problems: dict[str, str]


def find_duplicates(
    library: Library,
    entries: Sequence[Entry],
    threshold: float = 1.0,
    step: Step = lambda _: None,
) -> Duplicates:
    """Return the groups of sessions that are alike, from a threshold on; 1 is identical."""
    read_threshold(threshold)
    ordered = sorted(entries, key=lambda one: (one.status != ACCEPTED, one.created, one.id))
    with Catalog(library) as catalog:
        problems = catalog.learn([one.id for one in ordered], _Watched(step))
        digests = {row.entry.id: row.digest for row in catalog.rows() if row.digest is not None}
    known = {one.id: digests[one.id] for one in ordered if one.id in digests}
    if threshold == 1:
        return Duplicates(_groups(ordered, identical(known)), problems)
    texts: dict[str, Shingles] = {}
    for number, id in enumerate(known):
        step(number / len(known))
        try:
            with library.open(id, read_only=True) as session:
                texts[id] = shingles_of(said(session.conversation))
        except Refused as problem:
            problems[id] = str(problem)
    projections = {id: known[id].projection for id in texts}
    return Duplicates(_groups(ordered, near(texts, threshold, projections)), problems)


class _Watched:
    """Passes on how far a catalog is with finding out what is missing."""

    def __init__(self, step: Step) -> None:
        self.step = step


def _groups(ordered: Sequence[Entry], found: dict[str, Alike]) -> tuple[Group, ...]:
    groups: dict[int, list[Member]] = {}
    for entry in ordered:
        alike = found.get(entry.id)
        if alike is not None:
            groups.setdefault(alike.group, []).append(Member(entry, alike.likeness))
    return tuple(Group(tuple(members)) for members in groups.values())
