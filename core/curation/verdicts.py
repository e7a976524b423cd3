"""Duplicates among sessions, and verdicts that disagree."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from ..errors import Refused
from ..storage.details import ACCEPTED, VERDICTS
from ..storage.entries import Entry
from ..storage.library import Library
from .catalog import Catalog, Step, no_progress
from .digest import SessionRow
from .duplicates import Duplicate, Shingles, compared_text, near, read_threshold, shingles_of


class Member(NamedTuple):
    """A session of a group, and how similar to the first one it is."""

    entry: Entry
    similarity: float


class DuplicateGroup(NamedTuple):
    """Sessions that are duplicates; the first is one that was accepted, or else the oldest.

    Identical ones have the number by which ``dup:`` asks for them, also where not all of the group
    were looked at. Near ones are counted, by when the first of each group was made.
    """

    number: int
    members: tuple[Member, ...]

    @property
    def extra(self) -> tuple[Entry, ...]:
        return tuple(one.entry for one in self.members[1:])

    @property
    def verdicts(self) -> tuple[str, ...]:
        """Return the verdicts given in it, each once."""
        found = {one.entry.status for one in self.members}
        return tuple(status for status in VERDICTS if status in found)

    @property
    def is_conflicting(self) -> bool:
        return len(self.verdicts) > 1


class Duplicates(NamedTuple):
    """The groups that were found, and why some sessions could not be read."""

    groups: tuple[DuplicateGroup, ...]
    problems: dict[str, str]


def find_duplicates(
    library: Library,
    entries: Sequence[Entry],
    threshold: float = 1.0,
    step: Step = no_progress,
) -> Duplicates:
    """Return the groups of duplicates, from a threshold on; 1 is identical."""
    read_threshold(threshold)
    ordered = sorted(entries, key=lambda one: (one.status != ACCEPTED, one.created, one.id))
    wanted = {one.id for one in ordered}
    is_exact = threshold == 1
    with Catalog(library) as catalog:  # Numbers are those of all sessions.
        problems = catalog.learn(None if is_exact else wanted, step)
        rows = catalog.rows()
    problems = {id: problem for id, problem in problems.items() if id in wanted}
    if is_exact:
        duplicates = {row.entry.id: row.duplicate for row in rows if row.duplicate is not None}
        return Duplicates(_groups(ordered, duplicates), problems)
    digests = {row.entry.id: row.digest for row in rows if row.digest is not None}
    known = {one.id: digests[one.id] for one in ordered if one.id in digests}
    texts: dict[str, Shingles] = {}
    for number, id in enumerate(known):
        step(number / len(known))
        try:
            with library.open(id, read_only=True) as session:
                texts[id] = shingles_of(compared_text(session.conversation))
        except Refused as problem:
            problems[id] = str(problem)
    projections = {id: known[id].projection for id in texts}
    groups = _groups(ordered, near(texts, threshold, projections))
    counted = sorted(groups, key=lambda group: min(map(_age, group.members)))
    groups = tuple(group._replace(number=at) for at, group in enumerate(counted, 1))
    return Duplicates(groups, problems)


def _groups(ordered: Sequence[Entry], found: dict[str, Duplicate]) -> tuple[DuplicateGroup, ...]:
    groups: dict[int, list[Member]] = {}
    for entry in ordered:
        one = found.get(entry.id)
        if one is not None:
            groups.setdefault(one.group, []).append(Member(entry, one.similarity))
    return tuple(
        DuplicateGroup(number + 1, tuple(members))
        for number, members in sorted(groups.items())
        if len(members) > 1
    )


def _age(member: Member) -> tuple[int, str]:
    return member.entry.created, member.entry.id


class Disagreement(NamedTuple):
    """A session with a verdict, and those that are identical and have another one."""

    entry: Entry
    others: tuple[Entry, ...]


def disagreeing(rows: Iterable[SessionRow], judged: Collection[str]) -> list[Disagreement]:
    """Return which of some sessions were decided otherwise than what is identical with them."""
    groups: dict[int, list[Entry]] = {}
    for row in rows:
        if row.duplicate is not None and row.entry.status in VERDICTS:
            groups.setdefault(row.duplicate.group, []).append(row.entry)
    found = [
        Disagreement(one, tuple(other for other in group if other.status != one.status))
        for group in groups.values()
        for one in group
        if one.id in judged
    ]
    return [one for one in found if one.others]


def disagreements(
    library: Library, judged: Collection[str], step: Step = no_progress
) -> list[Disagreement]:
    """Return the same of a library; nothing is looked into that can't be one of them."""
    decided = [one for one in library.list() if one.status in VERDICTS]
    lengths = {one.visible for one in decided if one.id in judged}
    candidates = [one.id for one in decided if one.visible in lengths]
    if not set(candidates).difference(judged):
        return []
    with Catalog(library) as catalog:
        catalog.learn(candidates, step)
        return disagreeing(catalog.rows(), judged)
