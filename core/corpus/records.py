"""Records: what each step notes of a conversation, what became of it, and what all add up to."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from ..conversation.conversation import Conversation
from ..curation.digest import projection_of
from ..curation.duplicates import Shingles, compared_text, shingles_of
from ..formats.warnings import SHOWN_NAMES, TEMPLATES
from ..lint.projection import Finding
from .work_folder import WorkFolder, packed_lines

Facts = dict[str, Any]
"""What is known of a record, as JSON-ready data."""


class CorpusItem:
    """A conversation, what each step has noted of it, and by what it is known among others."""

    def __init__(self, conversation: Conversation, title: str | None = None) -> None:
        self.conversation = conversation
        self.title = title
        self.step = 0
        """The number of the step that is at work."""
        self.notes: dict[int, Facts] = {}
        self.keys: dict[int, str] = {}
        """For each step that looks for others alike: the hash of what was visible then."""
        self.shingles: dict[int, Shingles] = {}
        self._came = conversation.moment.head
        self._was_changed = False
        self._findings: tuple[tuple[int, int, str], list[Finding]] | None = None

    def note(self, name: str, value: Any) -> None:
        self.notes.setdefault(self.step, {})[name] = value

    def add_dedupe_keys(self, near: float) -> None:
        self.keys[self.step] = projection_of(self.conversation)
        if near < 1:
            self.shingles[self.step] = shingles_of(compared_text(self.conversation))

    def squash(self) -> None:
        whole = len(self.conversation.view) == len(self.conversation.log)
        self._was_changed = self.is_changed or not whole
        self.conversation = self.conversation.squash()
        self._came = self.conversation.moment.head

    @property
    def is_changed(self) -> bool:
        return self._was_changed or self.conversation.moment.head != self._came

    def lint(self, profile: str) -> list[Finding]:
        """Return what lint finds; for the same state it is computed once."""
        asked = (id(self.conversation), self.conversation.current.id, profile)
        if self._findings is None or self._findings[0] != asked:
            self._findings = (asked, self.conversation.lint(profile))
        return self._findings[1]

    def figures(self, profile: str) -> Facts:
        """Return how large it is by now, and which rules are broken how often."""
        found = self.lint(profile)
        errors = Counter(one.rule for one in found if one.severity == "error")
        warnings = Counter(one.rule for one in found if one.severity != "error")
        return {
            "messages": len(self.conversation.view),
            "tokens": self.conversation.tokens.total,
            "errors": dict(sorted(errors.items())),
            "warnings": dict(sorted(warnings.items())),
        }


NUMBER_BYTES = 8
"""Bytes of the number of a record."""


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
        return WorkFolder(Path(self.out))


class RecordOutcome(NamedTuple):
    """What became of a record; ``step`` is the one that dropped it."""

    number: int
    facts: Facts
    step: int | None = None
    reason: str = ""
    alike: int | None = None
    """The record that stays in its place."""

    @property
    def is_bad(self) -> bool:
        return "bad" in self.facts

    @property
    def is_kept(self) -> bool:
        return self.step is None and not self.is_bad


def facts_of(shard: ShardAt) -> Iterator[Facts]:
    """Yield what is known of each record of a shard."""
    yield from map(orjson.loads, packed_lines(shard.folder.shard(shard.number, "facts")))


def outcomes(shard: ShardAt, dedupes: tuple[int, ...] | None = None) -> Iterator[RecordOutcome]:
    """Yield what became of each record, by all steps that look for alike ones, or by some."""
    steps = shard.dedupes if dedupes is None else dedupes
    firsts = {step: _firsts(shard, step) for step in steps}
    for place, facts in enumerate(facts_of(shard)):
        number = shard.first + place
        yield _outcome(number, facts, {step: found[place] for step, found in firsts.items()})


def _outcome(number: int, facts: Facts, firsts: dict[int, int]) -> RecordOutcome:
    for step, first in firsts.items():
        if first != number:
            return RecordOutcome(number, facts, step, f"it is like record {first}", first)
    if "dropped" in facts:
        step, reason = facts["dropped"]
        return RecordOutcome(number, facts, step, reason)
    return RecordOutcome(number, facts)


def _firsts(shard: ShardAt, step: int) -> array[int]:
    """Return for each record of a shard the first one that is alike."""
    found = array("q")
    with shard.folder.alike(step).open("rb") as file:
        file.seek(shard.first * NUMBER_BYTES)
        found.frombytes(file.read(shard.records * NUMBER_BYTES))
    return found


def place_of(shard: ShardAt, facts: Facts) -> tuple[str, int | None]:
    """Return the file of a record, and its line or its place in a list, counted from 1."""
    piece, at = facts["piece"], facts["at"]
    return shard.names[piece], None if at is None else at + shard.lines[piece]


Aggregates = dict[str, Any]
"""Numbers by name, in any depth."""
RUN_SUMS = ("calls", "broken", "withoutMarked", "tokensSent", "tokensOutsidePrefix", "overLimit")


def add(sums: Aggregates, more: Aggregates) -> None:
    """Add numbers to those of the same names; below ``peaks`` the larger one stays."""
    for name, value in more.items():
        if isinstance(value, dict):
            into = sums.setdefault(name, {})
            _most(into, value) if name == "peaks" else add(into, value)
        else:
            sums[name] = sums.get(name, 0) + value


def _most(sums: Aggregates, more: Aggregates) -> None:
    for name, value in more.items():
        sums[name] = max(sums.get(name, 0), value)


def sums_of(outcome: RecordOutcome) -> Aggregates:
    """Return what one record adds."""
    if outcome.is_bad:
        return {"records": 1, "unreadable": 1}
    facts = outcome.facts
    sums: Aggregates = {"records": 1, "before": _size(facts["before"])}
    if "adapted" in facts:
        sums["adapted"] = _kinds(facts["adapted"])
    if outcome.is_kept:
        before = facts["before"]
        sums["kept"] = 1
        sums["after"] = _size(facts["after"])
        sums["keptBefore"] = {"messages": before["messages"], "tokens": before["tokens"]}
        sums["changed"] = int(facts["changed"])
        sums["lost"] = _kinds(facts.get("lost", ()))
    steps: Aggregates = {} if outcome.step is None else {str(outcome.step): {"dropped": 1}}
    for step, notes in facts.get("notes", {}).items():
        if outcome.step is None or int(step) <= outcome.step:
            add(steps, {step: _notes(notes)})
    if steps:
        sums["steps"] = steps
    return sums


def _kinds(warnings: Iterable[Facts]) -> Aggregates:
    """Return the codes of warnings, each once, with those names that are of few kinds.

    Names of roles are few; those of marks may be as many as there are conversations.
    """
    sums: Aggregates = {}
    for one in warnings:
        known = TEMPLATES.get(one["code"])
        names = one.get("names", ())[:SHOWN_NAMES] if known and known.are_few else ()
        sums[one["code"]] = {"in": 1, "names": dict.fromkeys(names, 1)}
    return sums


def _size(figures: Facts) -> Aggregates:
    broken = {
        severity: {rule: {"findings": count, "in": 1} for rule, count in figures[severity].items()}
        for severity in ("errors", "warnings")
    }
    return {
        "conversations": 1,
        "messages": figures["messages"],
        "tokens": figures["tokens"],
        "clean": int(not figures["errors"]),
        "histogram": {str(figures["tokens"].bit_length()): 1},
        **broken,
    }


def _notes(notes: Facts) -> Aggregates:
    sums: Aggregates = {}
    if "acted" in notes:
        sums["acted"] = int(notes["acted"])
    if "refused" in notes:
        sums["refused"] = 1
    if "hits" in notes:
        sums["hits"] = dict(notes["hits"])
        sums["changed"] = 1
    if "stays" in notes:
        sums["stays"] = dict(notes["stays"])
    if "runs" in notes:
        sums["runs"] = {one["name"]: _run(one) for one in notes["runs"]}
        sums["peaks"] = {one["name"]: one["peak"] for one in notes["runs"]}
    return sums


def _run(figures: Facts) -> Aggregates:
    return {
        "runs": 1,
        "brokenRuns": int(figures["broken"] > 0),
        "acted": figures["acted"],
        "refused": len(figures["refused"]),
        **{name: figures[name] for name in RUN_SUMS},
    }


def broken_calls(facts: Facts) -> int:
    """Return how many simulated calls of a conversation are broken, of all policies."""
    notes = facts.get("notes", {}).values()
    return sum(run["broken"] for note in notes for run in note.get("runs", ()))


def severity_rank(facts: Facts) -> tuple[int, int, int, int]:
    """Return how bad a conversation is: errors, broken calls, warnings, then its tokens."""
    after = facts["after"]
    return (
        sum(after["errors"].values()),
        broken_calls(facts),
        sum(after["warnings"].values()),
        after["tokens"],
    )


def worst(rows: Iterable[Facts], most: int) -> list[Facts]:
    """Return the worst rows, the worst first; of two that are as bad the earlier one."""
    ranked = sorted(rows, key=lambda row: ([-one for one in row["badness"]], row["number"]))
    return ranked[:most]


class RunProgress(NamedTuple):
    """How far a run is: which phase, how many of how many shards, and how many conversations."""

    phase: str
    done: int
    of: int
    records: int
    bytes: int
    all_bytes: int
    seconds: float
    """Since the phase began; what was done before that does not count."""
    fresh_records: int
    fresh_bytes: int

    @property
    def rate(self) -> float:
        return self.fresh_records / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """Return how long this phase will take at this rate, once that is known."""
        if not self.fresh_bytes or self.seconds <= 0:
            return None
        return (self.all_bytes - self.bytes) * self.seconds / self.fresh_bytes


class RunCosts(NamedTuple):
    """What a run took; it differs from run to run, so that no report says it."""

    engine: str
    workers: int
    records: int
    """Worked on this time; those of a run that went on are not among them."""
    seconds: float
    """Working on shards, by the clock."""
    processor_seconds: float
    peak_memory: int
    """Of the worker that took the most, in bytes."""
    all_seconds: float


class RunResult(NamedTuple):
    """What came of a run."""

    out: Path
    report: dict[str, Any]
    was_done: bool
    """Whether all of it was done before."""
    resumed: int
    """Shards that were done before."""
    costs: RunCosts
    """What it took, this time."""
