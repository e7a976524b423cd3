"""The engine again, the slow and obvious way: plain lists, whole copies, nothing shared.

It follows the written rules only and shares no code with the engine, so that a mistake in either
of them shows as a difference.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field, replace

from tests.core.naive_fields import No, check_fields, need
from tests.core.naive_messages import Fields
from tests.core.naive_rules import LENIENT_RULES, RULES
from tests.core.naive_state import NO_SETTINGS, Batch, Head, Revision, State


@dataclass(frozen=True)
class Step:
    """An operation by its upper-case name, with camelCase fields.

    ``lenient`` and ``number`` are what only the context-modification form can ask for: hidden
    messages are skipped, and the new batch must get this number.
    """

    name: str
    fields: Fields
    lenient: bool = False
    number: int | None = None


@dataclass
class Naive(State):
    """A conversation that can be changed, one whole copy per change."""

    done: list[tuple[Head, Head]] = field(default_factory=list)
    undone: list[tuple[Head, Head]] = field(default_factory=list)
    records: int = 1
    calls: list[tuple[int, Fields]] = field(default_factory=list)

    @classmethod
    def start(cls, messages: list[Fields]) -> Naive:
        new = cls(copy.deepcopy(messages), Head(0, {}, {}, copy.deepcopy(NO_SETTINGS)))
        new.revisions.append(Revision(None, 0, None, list(range(len(messages))), len(messages)))
        new.batches.append(Batch(0, None, 0, None))
        return new

    def copy(self) -> Naive:
        """Return a copy of everything; messages, revisions and batches are never edited."""
        return replace(
            self,
            log=list(self.log),
            head=copy.deepcopy(self.head),
            revisions=list(self.revisions),
            batches=list(self.batches),
            done=list(self.done),
            undone=list(self.undone),
            calls=list(self.calls),
        )

    def record_call(self, fields: Fields) -> None:
        """Note that what is visible was sent; nothing else changes."""
        self.calls.append((self.head.revision, {"outcome": "complete", **copy.deepcopy(fields)}))
        self.records += 1

    def calls_on_path(self) -> list[tuple[int, Fields]]:
        """Return the calls from the first revision to the current one."""
        return [one for revision in self.ancestors() for one in self.calls if one[0] == revision]

    def execute(self, steps: list[Step], listed: bool) -> Fields:
        """Do all of it or raise ``No`` with nothing done; return what a result would say."""
        need(steps, "an empty list")
        trial = self.copy()
        outcomes = []
        for place, step in enumerate(steps):
            try:
                outcomes.append(trial.step(step, listed))
            except No as no:
                no.step = place if listed else None
                raise
        changed = len(trial.revisions) > len(self.revisions) or trial.head != self.head
        if steps[0].name in ("UNDO", "REDO"):
            trial.records += 1
        elif changed:
            trial.done.append((copy.deepcopy(self.head), copy.deepcopy(trial.head)))
            trial.undone = []
            trial.records += 1
        if listed:
            opened = any(one["createdBatch"] for one in outcomes)
            notices = [notice for one in outcomes for notice in one["notices"]]
            whole = trial.outcome(self, opened, notices)
            outcomes = [{**whole, "changed": changed, "steps": outcomes}]
        self.__dict__ = trial.__dict__
        return outcomes[0]

    def step(self, step: Step, listed: bool) -> Fields:
        before = self.copy()
        check_fields(step.name, step.fields)
        need(step.number in (None, len(self.path())), "not the next number")
        if step.name in ("UNDO", "REDO"):
            need(not listed, "not inside a list")
            self.turn(step.name)
        elif step.name in LENIENT_RULES:
            LENIENT_RULES[step.name](self, step.fields, step.lenient)
        else:
            RULES[step.name](self, step.fields)
        opened = len(self.batches) > len(before.batches)
        done = self.outcome(before, opened, self.news(before, step.name))
        return {**done, "changed": step.name in ("UNDO", "REDO") or self.head != before.head}

    def turn(self, name: str) -> None:
        """Take back the newest change, or make it again."""
        stack, other = (self.done, self.undone) if name == "UNDO" else (self.undone, self.done)
        need(stack, "nothing to turn")
        change = stack.pop()
        other.append(change)
        self.head = copy.deepcopy(change[0] if name == "UNDO" else change[1])

    def news(self, before: State, name: str) -> list[Fields]:
        """Return the notices due after one operation."""
        if len(self.revisions) > len(before.revisions):
            return self.notices()
        old, new = before.head.settings, self.head.settings
        lower = old["tokenLimit"] is None or (new["tokenLimit"] or 0) < old["tokenLimit"]
        if name == "CONFIGURE" and (lower or old["counter"] != new["counter"]):
            return [notice for notice in self.notices() if notice["kind"] == "overLimit"]
        return []

    def outcome(self, before: State, opened: bool, notices: list[Fields]) -> Fields:
        """Return what a result would say of the way from one state to this one."""
        batch, old, new = self.batches[self.here.batch], before.view, self.view
        fresh = [raw for raw in new if raw not in old]
        return {
            "batch": {
                "id": self.here.batch,
                "number": batch.number,
                "parent": batch.parent,
                "boundary": batch.boundary,
            },
            "affectedBatchIndex": batch.number,
            "createdBatch": opened,
            "revision": self.head.revision,
            "stats": self.stats(),
            "diff": {
                "hidden": sorted(set(old) - set(new)),
                "added": sorted(raw for raw in fresh if raw >= before.here.log_length),
                "shown": sorted(raw for raw in fresh if raw < before.here.log_length),
            },
            "tokens": {
                "before": self.total(old),
                "after": self.total(new),
                "counter": self.head.settings["counter"],
            },
            "notices": notices,
        }
