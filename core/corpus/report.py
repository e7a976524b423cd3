"""The report of a run: what was read, dropped and kept, lint and tokens, before and after.

It says nothing of engines, workers or time: the same plan over the same files has the same report.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from ..formats import dump_json, format_named
from ..formats.warnings import said, sentence, which
from ..values.times import frozen_clock
from .engines import Engine
from .plan import Plan, plan_of
from .records import ShardAt, Sums, Told, add, worst
from .sources import File, Found, Piece, PieceReader
from .work_folder import REPORT, WORST, WorkFolder, read_json_file
from .writing import MOST_TOLD, MOST_WORST, Done, Settled, take

KIND, VERSION = "ctxtui corpus report", 1
Remarked = dict[str, dict[str, Any]]
"""Sentences about files, each with how many files it is about, and which these are."""


class Setup(NamedTuple):
    """What a run works with: its plan, its folder, its files, where those are, and the engine."""

    plan: Plan
    folder: WorkFolder
    files: Sequence[File]
    base: Path
    engine: Engine


def write_report(
    setup: Setup, shards: Sequence[ShardAt], settled: Sequence[Settled]
) -> dict[str, Any]:
    """Write the report, with the worst conversations beside it."""
    folder = setup.folder
    report = report_of(setup.plan, setup.files, settled, _file_warnings(folder, shards))
    _write_worst(setup, shards, report["worst"])
    with folder.output(REPORT) as file:
        file.write(f"{dump_json(report)}\n".encode("utf-8", "surrogatepass"))
    return report


def _file_warnings(folder: WorkFolder, shards: Sequence[ShardAt]) -> Remarked:
    """Return the warnings about files, about how many, and the first of them."""
    found: dict[str, dict[str, None]] = {}
    for shard in shards:
        done = Done.read(folder, shard.number, len(shard.names))
        for name, warnings in zip(shard.names, done.warnings if done else (), strict=True):
            for warning in warnings:
                found.setdefault(sentence(replace(warning, places=())), {})[name] = None
    return {
        words: {"files": len(names), "sources": list(names)[:MOST_TOLD]}
        for words, names in sorted(found.items())
    }


def report_of(
    plan: Plan, files: Sequence[File], settled: Sequence[Settled], remarks: Remarked
) -> dict[str, Any]:
    """Return the report of what all shards add up to."""
    sums: Sums = {}
    for one in settled:
        add(sums, one.sums)
    steps = sums.get("steps", {})
    dropped = sum(one.get("dropped", 0) for one in steps.values())
    return {
        "kind": KIND,
        "version": VERSION,
        "plan": plan.to_dict(),
        "profile": plan.profile,
        "files": len(files),
        "bytes": sum(file.size for file in files),
        "records": sums.get("records", 0),
        "unreadable": sums.get("unreadable", 0),
        "dropped": dropped,
        "kept": sums.get("kept", 0),
        "changed": sums.get("changed", 0),
        "steps": [
            {"step": step.to_dict(), "words": step.in_words(), **_step(steps.get(str(number), {}))}
            for number, step in enumerate(plan.steps)
        ],
        "before": _size(sums.get("before", {})),
        "keptBefore": {"messages": 0, "tokens": 0, **sums.get("keptBefore", {})},
        "after": _size(sums.get("after", {})),
        "adapted": _in_words(sums.get("adapted", {})),
        "lost": _in_words(sums.get("lost", {})),
        "remarks": remarks,
        "worst": [
            _told_worst(number, row)
            for number, row in enumerate(
                worst((row for one in settled for row in one.worst), MOST_WORST), 1
            )
        ],
        "bad": [row for one in settled for row in one.bad][:MOST_TOLD],
        "refused": [row for one in settled for row in one.refused][:MOST_TOLD],
    }


def _in_words(sums: Sums) -> dict[str, int]:
    """Return the warnings that most records share, with their commonest names, and how many."""
    ranked = sorted(sums.items(), key=lambda one: (-one[1]["in"], one[0]))[:MOST_TOLD]
    return {said(code) + which(_commonest(one["names"])): one["in"] for code, one in ranked}


def _commonest(counts: Sums) -> list[str]:
    return sorted(counts, key=lambda name: (-counts[name], name))


def _step(sums: Sums) -> dict[str, Any]:
    told: dict[str, Any] = {"dropped": 0, **sums}
    if "runs" in told:
        peaks = told.pop("peaks")
        told["runs"] = [
            {"name": name, **run, "peak": peaks[name]} for name, run in told["runs"].items()
        ]
    if "hits" in told:
        told["hits"] = dict(sorted(told["hits"].items()))
    return told


def _size(sums: Sums) -> dict[str, Any]:
    counts = {name: sums.get(name, 0) for name in ("conversations", "messages", "tokens", "clean")}
    return {
        **counts,
        "errors": dict(sorted(sums.get("errors", {}).items())),
        "warnings": dict(sorted(sums.get("warnings", {}).items())),
        "histogram": _histogram(sums.get("histogram", {})),
    }


def _histogram(sums: Sums) -> list[dict[str, int]]:
    """Return how many conversations have how many tokens, from a power of two to the next."""
    counts = Counter({int(bits): count for bits, count in sums.items()})
    if not counts:
        return []
    return [
        {"from": 0 if not bits else 1 << (bits - 1), "below": 1 << bits, "count": counts[bits]}
        for bits in range(min(counts), max(counts) + 1)
    ]


def _told_worst(number: int, row: Told) -> dict[str, Any]:
    errors, broken, warnings, tokens = row["badness"]
    kept = ("number", "source", "place", "shard", "piece", "at", "title", "messages", "rules")
    told = {name: row[name] for name in kept}
    figures = {"errors": errors, "brokenCalls": broken, "warnings": warnings, "tokens": tokens}
    return {**told, **figures, "file": f"{WORST}/{number:02}.json"}


class WorstJob(NamedTuple):
    """Conversations of one piece that are to be written as files of their own."""

    out: str
    plan: str
    path: str
    piece: Piece
    files: tuple[tuple[int, str], ...]
    """Their places in the piece, and the names of the files."""


def _write_worst(setup: Setup, shards: Sequence[ShardAt], rows: list[dict[str, Any]]) -> None:
    """Write the worst conversations in our own format, each with what the steps did to it."""
    folder = setup.folder
    known = read_json_file(folder.plan())
    by_number = {shard.number: shard for shard in shards}
    wanted: dict[tuple[int, int], list[tuple[int, str]]] = {}
    for row in rows:
        place = (row.pop("shard"), row.pop("piece"))
        wanted.setdefault(place, []).append((row.pop("at"), row["file"]))
    jobs = [
        WorstJob(
            str(folder.out),
            setup.plan.text,
            str(setup.base / by_number[shard].names[piece]),
            Piece(*known["shards"][shard][piece]),
            tuple(files),
        )
        for (shard, piece), files in wanted.items()
    ]
    for _ in setup.engine.each(write_worst, jobs):
        pass


def write_worst(job: WorstJob) -> None:
    """Read some conversations again, take them through the steps, and write them."""
    plan, names = plan_of(job.plan), dict(job.files)
    with frozen_clock():
        for event in PieceReader(Path(job.path), job.piece, only=names.keys()):
            if isinstance(event, Found) and event.place in names:
                talk, _ = take(plan, event)
                written = format_named("native").write(talk.conversation)
                with WorkFolder(Path(job.out)).output(names[event.place]) as file:
                    file.write(written.text.encode("utf-8", "surrogatepass"))
