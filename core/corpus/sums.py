"""Sums over many conversations: what a shard adds up to, and all shards together.

Sums are plain data, so that they go from machine to machine and add up in any order.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..formats.warnings import SHOWN_NAMES, TEMPLATES
from .settled import Fate
from .talk import Told

Sums = dict[str, Any]
"""Numbers by name, in any depth."""
RUN_SUMS = ("calls", "broken", "withoutMarked", "tokensSent", "tokensOutsidePrefix", "overLimit")


def add(sums: Sums, more: Sums) -> None:
    """Add numbers to those of the same names; below ``peaks`` the larger one stays."""
    for name, value in more.items():
        if isinstance(value, dict):
            into = sums.setdefault(name, {})
            _most(into, value) if name == "peaks" else add(into, value)
        else:
            sums[name] = sums.get(name, 0) + value


def _most(sums: Sums, more: Sums) -> None:
    for name, value in more.items():
        sums[name] = max(sums.get(name, 0), value)


def sums_of(fate: Fate) -> Sums:
    """Return what one record adds."""
    if fate.is_bad:
        return {"records": 1, "unreadable": 1}
    facts = fate.facts
    sums: Sums = {"records": 1, "before": _size(facts["before"])}
    if "adapted" in facts:
        sums["adapted"] = _kinds(facts["adapted"])
    if fate.is_kept:
        before = facts["before"]
        sums["kept"] = 1
        sums["after"] = _size(facts["after"])
        sums["keptBefore"] = {"messages": before["messages"], "tokens": before["tokens"]}
        sums["changed"] = int(facts["changed"])
        sums["lost"] = _kinds(facts.get("lost", ()))
    steps: Sums = {} if fate.step is None else {str(fate.step): {"dropped": 1}}
    for step, notes in facts.get("notes", {}).items():
        if fate.step is None or int(step) <= fate.step:
            add(steps, {step: _notes(notes)})
    if steps:
        sums["steps"] = steps
    return sums


def _kinds(warnings: Iterable[Told]) -> Sums:
    """Return the codes of warnings, each once, with those names that are of few kinds.

    Names of roles are few; those of marks may be as many as there are conversations.
    """
    sums: Sums = {}
    for one in warnings:
        known = TEMPLATES.get(one["code"])
        names = one.get("names", ())[:SHOWN_NAMES] if known and known.are_few else ()
        sums[one["code"]] = {"in": 1, "names": dict.fromkeys(names, 1)}
    return sums


def _size(figures: Told) -> Sums:
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


def _notes(notes: Told) -> Sums:
    sums: Sums = {}
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


def _run(figures: Told) -> Sums:
    return {
        "runs": 1,
        "brokenRuns": int(figures["broken"] > 0),
        "acted": figures["acted"],
        "refused": len(figures["refused"]),
        **{name: figures[name] for name in RUN_SUMS},
    }


def broken_calls(facts: Told) -> int:
    """Return how many simulated calls of a conversation are broken, of all policies."""
    notes = facts.get("notes", {}).values()
    return sum(run["broken"] for note in notes for run in note.get("runs", ()))


def badness(facts: Told) -> tuple[int, int, int, int]:
    """Return how bad a conversation is: errors, broken calls, warnings, then its tokens."""
    after = facts["after"]
    return (
        sum(after["errors"].values()),
        broken_calls(facts),
        sum(after["warnings"].values()),
        after["tokens"],
    )


def worst(rows: Iterable[Told], most: int) -> list[Told]:
    """Return the worst rows, the worst first; of two that are as bad the earlier one."""
    ranked = sorted(rows, key=lambda row: ([-one for one in row["badness"]], row["number"]))
    return ranked[:most]
