"""Duplicates in the library: what to look for, what to do with the extra ones, and doing it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ctxtui.core.curation.verdicts import Duplicates, Group, Member, find_duplicates
from ctxtui.core.storage import Entry, Library
from ctxtui.models.describing import describe, retag
from ctxtui.models.library_steps import Done, delete
from ctxtui.models.option import Option
from ctxtui.models.told import done
from ctxtui.progress import Watch
from ctxtui.words import percent, plural

THRESHOLDS = (1.0, 0.95, 0.9, 0.8, 0.7)
DEEDS = ("reject", "tag", "trash")
WORDS = {
    "reject": "reject the extra",
    "tag": "tag the extra",
    "trash": "trash the extra",
}
TAG = "duplicate"


@dataclass(frozen=True)
class Likeness:
    """How alike sessions must be, and what is done with all but the first of each group."""

    threshold: float = THRESHOLDS[0]
    deed: str = DEEDS[0]

    def turned(self, name: str, by: int) -> Likeness:
        """Return it with the next value of something, or the one before."""
        values: tuple[Any, ...] = THRESHOLDS if name == "threshold" else DEEDS
        at = values.index(getattr(self, name))
        return replace(self, **{name: values[(at + by) % len(values)]})

    def options(self) -> list[Option]:
        """Return it as rows."""
        how = "identical" if self.threshold == 1 else f"{percent(self.threshold, 1)} of the words"
        return [
            Option("threshold", "alike", how, "turn", "Find", is_on=self.threshold != 1),
            Option("deed", "then", WORDS[self.deed], "turn", "Do", is_on=True),
        ]


class GroupRow(NamedTuple):
    """A row of the list: the head of a group, or one of its sessions."""

    group: int
    member: Member | None = None
    is_first: bool = False


def rows_of(found: Duplicates) -> list[GroupRow]:
    """Return the groups as rows."""
    rows: list[GroupRow] = []
    for number, group in enumerate(found.groups):
        rows.append(GroupRow(number))
        rows += [GroupRow(number, one, at == 0) for at, one in enumerate(group.members)]
    return rows


def look(
    library: Library, entries: Sequence[Entry], likeness: Likeness, watch: Watch
) -> Duplicates:
    """Return the groups of sessions that are alike."""
    return find_duplicates(library, entries, likeness.threshold, watch.step)


def extra(found: Duplicates, left_out: Collection[int]) -> list[Entry]:
    """Return all but the first of each group that is not left out."""
    groups: list[Group] = [one for at, one in enumerate(found.groups) if at not in left_out]
    return [entry for group in groups for entry in group.extra]


def settle(library: Library, entries: Sequence[Entry], deed: str) -> Done:
    """Do with the extra ones what was chosen, as one step."""
    match deed:
        case "tag":
            made = retag(library, entries, [TAG], [])
        case "trash":
            return delete(library, entries)
        case _:
            made = describe(library, entries, {"status": "rejected"})
    word = "Rejected" if deed == "reject" else f"Tagged {TAG}:"
    told = done(f"{word} {plural(len(made.changed), 'session')}", "", ("u", "takes it back"))
    return made._replace(told=made.told or told)
