"""What became of every record of a shard, once it is known which ones are alike.

A shard was worked on without knowing the others. Here the facts of its records and the answers of
all steps that look for alike ones come together: each record is kept, dropped or bad.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import orjson

from .talk import Told
from .work_folder import WorkFolder, packed_lines

NUMBER_BYTES = 8


class ShardAt(NamedTuple):
    """A shard in its place: how many records come before it, and lines before its pieces."""

    out: str
    number: int
    first: int
    """The number of its first record in the whole corpus."""
    records: int
    names: tuple[str, ...]
    """The file of each piece."""
    lines: tuple[int, ...]
    """How many lines of its file come before each piece."""
    dedupes: tuple[int, ...]
    """The steps that look for others alike."""

    @property
    def folder(self) -> WorkFolder:
        """Return where its files are."""
        return WorkFolder(Path(self.out))


class Fate(NamedTuple):
    """What became of a record; ``step`` is the one that dropped it."""

    number: int
    facts: Told
    step: int | None = None
    reason: str = ""
    alike: int | None = None
    """The record that stays in its place."""

    @property
    def is_bad(self) -> bool:
        """Tell whether it could not be read."""
        return "bad" in self.facts

    @property
    def is_kept(self) -> bool:
        """Tell whether it is written."""
        return self.step is None and not self.is_bad


def facts_of(shard: ShardAt) -> Iterator[Told]:
    """Yield what is known of each record of a shard."""
    yield from map(orjson.loads, packed_lines(shard.folder.facts(shard.number)))


def fates(shard: ShardAt, dedupes: tuple[int, ...] | None = None) -> Iterator[Fate]:
    """Yield what became of each record, by all steps that look for alike ones, or by some."""
    steps = shard.dedupes if dedupes is None else dedupes
    firsts = {step: _firsts(shard, step) for step in steps}
    for place, facts in enumerate(facts_of(shard)):
        number = shard.first + place
        yield _fate(number, facts, {step: found[place] for step, found in firsts.items()})


def _fate(number: int, facts: Told, firsts: dict[int, int]) -> Fate:
    for step, first in firsts.items():
        if first != number:
            return Fate(number, facts, step, f"it is like record {first}", first)
    if "dropped" in facts:
        step, reason = facts["dropped"]
        return Fate(number, facts, step, reason)
    return Fate(number, facts)


def _firsts(shard: ShardAt, step: int) -> array[int]:
    """Return for each record of a shard the first one that is alike."""
    found = array("q")
    with shard.folder.alike(step).open("rb") as file:
        file.seek(shard.first * NUMBER_BYTES)
        found.frombytes(file.read(shard.records * NUMBER_BYTES))
    return found


def place_of(shard: ShardAt, facts: Told) -> tuple[str, int | None]:
    """Return the file of a record, and its line or its place in a list, counted from 1."""
    piece, at = facts["piece"], facts["at"]
    return shard.names[piece], None if at is None else at + shard.lines[piece]
