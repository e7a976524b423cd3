"""Running a plan: files are found and cut, shards worked on, alike ones found, files put together.

A run that was killed continues: running the same plan over the same files into the
same folder does only what is left.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import Refused
from ..formats import dump_json, format_named
from ..formats.warnings import said, sentence, which
from ..storage.errors import StorageError, reason
from ..values.models import read_as
from ..values.times import frozen_clock
from .engines import Engine
from .near import find_alike
from .plan import VERSION, CorpusPlan, DedupeStep, plan_of
from .records import Aggregates, Facts, RunCosts, RunProgress, RunResult, ShardAt, add, worst
from .shards import (
    MOST_TOLD,
    MOST_WORST,
    FinishedShard,
    ManifestJob,
    PartsJob,
    SeenJob,
    ShardJob,
    ShardSummary,
    apply_steps,
    assemble,
    is_as_seen,
    join_manifest,
    part_jobs,
    summarize,
    work_on,
)
from .sources import (
    CHUNK_BYTES,
    FilePiece,
    PieceReader,
    ReadItem,
    ReadPiece,
    Shard,
    SourceFile,
    find_files,
    shards_of,
    stamp_of,
)
from .work_folder import (
    KIND,
    LIST,
    REPORT,
    RUN,
    SEEN,
    WORST,
    WorkFolder,
    damaged,
    locked_folder,
    packed_json,
    read_json_file,
    remove_work,
    write_json,
)

REPORT_KIND, REPORT_VERSION = "ctxtui corpus report", 1
Remarked = dict[str, dict[str, Any]]
"""Sentences about files, each with how many files it is about, and which these are."""


class RunSetup(NamedTuple):
    """What a run works with: its plan, its folder, its files, where those are, and the engine."""

    plan: CorpusPlan
    folder: WorkFolder
    files: Sequence[SourceFile]
    base: Path
    engine: Engine


def write_report(
    setup: RunSetup, shards: Sequence[ShardAt], settled: Sequence[ShardSummary]
) -> dict[str, Any]:
    """Write the report, and the worst conversations."""
    folder = setup.folder
    report = report_of(setup.plan, setup.files, settled, _file_warnings(folder, shards))
    _write_worst(setup, shards, report["worst"])
    with folder.output(REPORT) as file:
        file.write(f"{dump_json(report)}\n".encode("utf-8", "surrogatepass"))
    return report


def _file_warnings(folder: WorkFolder, shards: Sequence[ShardAt]) -> Remarked:
    found: dict[str, dict[str, None]] = {}
    for shard in shards:
        done = FinishedShard.read(folder, shard.number, len(shard.names))
        for name, warnings in zip(shard.names, done.warnings if done else (), strict=True):
            for warning in warnings:
                found.setdefault(sentence(replace(warning, places=())), {})[name] = None
    return {
        words: {"files": len(names), "sources": list(names)[:MOST_TOLD]}
        for words, names in sorted(found.items())
    }


def report_of(
    plan: CorpusPlan,
    files: Sequence[SourceFile],
    settled: Sequence[ShardSummary],
    remarks: Remarked,
) -> dict[str, Any]:
    """Return the report of what all shards add up to."""
    sums: Aggregates = {}
    for one in settled:
        add(sums, one.sums)
    steps = sums.get("steps", {})
    dropped = sum(one.get("dropped", 0) for one in steps.values())
    return {
        "kind": REPORT_KIND,
        "version": REPORT_VERSION,
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
            _worst_row(number, row)
            for number, row in enumerate(
                worst((row for one in settled for row in one.worst), MOST_WORST), 1
            )
        ],
        "bad": [row for one in settled for row in one.bad][:MOST_TOLD],
        "refused": [row for one in settled for row in one.refused][:MOST_TOLD],
    }


def _in_words(sums: Aggregates) -> dict[str, int]:
    """Return the warnings that most records share, with their commonest names, and how many."""
    ranked = sorted(sums.items(), key=lambda one: (-one[1]["in"], one[0]))[:MOST_TOLD]
    return {said(code) + which(_commonest(one["names"])): one["in"] for code, one in ranked}


def _commonest(counts: Aggregates) -> list[str]:
    return sorted(counts, key=lambda name: (-counts[name], name))


def _step(sums: Aggregates) -> dict[str, Any]:
    row: dict[str, Any] = {"dropped": 0, **sums}
    if "runs" in row:
        peaks = row.pop("peaks")
        row["runs"] = [
            {"name": name, **run, "peak": peaks[name]} for name, run in row["runs"].items()
        ]
    if "hits" in row:
        row["hits"] = dict(sorted(row["hits"].items()))
    return row


def _size(sums: Aggregates) -> dict[str, Any]:
    counts = {name: sums.get(name, 0) for name in ("conversations", "messages", "tokens", "clean")}
    return {
        **counts,
        "errors": dict(sorted(sums.get("errors", {}).items())),
        "warnings": dict(sorted(sums.get("warnings", {}).items())),
        "histogram": _histogram(sums.get("histogram", {})),
    }


def _histogram(sums: Aggregates) -> list[dict[str, int]]:
    """Return how many conversations have how many tokens, from a power of two to the next."""
    counts = Counter({int(bits): count for bits, count in sums.items()})
    if not counts:
        return []
    return [
        {"from": 0 if not bits else 1 << (bits - 1), "below": 1 << bits, "count": counts[bits]}
        for bits in range(min(counts), max(counts) + 1)
    ]


def _worst_row(number: int, row: Facts) -> dict[str, Any]:
    errors, broken, warnings, tokens = row["badness"]
    kept = ("number", "source", "place", "shard", "piece", "at", "title", "messages", "rules")
    shown = {name: row[name] for name in kept}
    figures = {"errors": errors, "brokenCalls": broken, "warnings": warnings, "tokens": tokens}
    return {**shown, **figures, "file": f"{WORST}/{number:02}.json"}


class WorstJob(NamedTuple):
    """Conversations of one piece that are to be written as files of their own."""

    out: str
    plan: str
    path: str
    piece: FilePiece
    files: tuple[tuple[int, str], ...]
    """Their places in the piece, and the names of the files."""


def _write_worst(setup: RunSetup, shards: Sequence[ShardAt], rows: list[dict[str, Any]]) -> None:
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
            FilePiece(*known["shards"][shard][piece]),
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
            if isinstance(event, ReadItem) and event.place in names:
                item, _ = apply_steps(plan, event)
                written = format_named("native").write(item.conversation)
                with WorkFolder(Path(job.out)).output(names[event.place]) as file:
                    file.write(written.text.encode("utf-8", "surrogatepass"))


def run_plan(
    plan: CorpusPlan,
    engine: Engine,
    *,
    base: Path | None = None,
    chunk: int = CHUNK_BYTES,
    is_forced: bool = False,
    on_progress: Callable[[RunProgress], None] = lambda _: None,
) -> RunResult:
    """Carry a plan out; names in it are seen from the folder ``base``."""
    root = Path.cwd() if base is None else base
    out = root / plan.sink.folder
    try:
        files = find_files(plan.sources, root, out)
        with locked_folder(out, is_forced=is_forced) as folder:
            setup = RunSetup(plan, folder, files, root.resolve(), engine)
            return _CorpusRun(setup, chunk, on_progress).run()
    except OSError as error:
        raise StorageError(f"{out}: {reason(error)}", field="folder", value=str(out)) from None


class _CorpusRun:
    def __init__(
        self, setup: RunSetup, chunk: int, on_progress: Callable[[RunProgress], None]
    ) -> None:
        self._setup, self._chunk, self._on_progress = setup, chunk, on_progress
        self._plan, self._folder, self._files, self._base, self._engine = setup
        self._out = str(setup.folder.out)
        self._resumed = 0
        self._fresh: list[FinishedShard] = []

    def run(self) -> RunResult:
        shards, is_over = self._survey()
        if is_over:
            self._folder.must_be_as_written(REPORT)
        report = read_json_file(self._folder.out / REPORT)
        if is_over and isinstance(report, dict):
            known = self._seen(shards)
            self._must_be_unchanged(shards[: len(known)], known)
            costs = RunCosts(self._engine.name, self._engine.workers, 0, 0.0, 0.0, 0, 0.0)
            return RunResult(self._folder.out, report, True, len(shards), costs)
        began = time.monotonic()
        done = self._work(shards)
        placed, seen = self._placed(shards, done), [one.seen for one in done]
        self._must_be_unchanged(shards, seen)
        worked = time.monotonic() - began
        total = sum(shard.records for shard in placed)
        for step, one in enumerate(self._plan.steps):
            if isinstance(one, DedupeStep) and placed:
                self._report("alike", 0, 1)
                find_alike(self._engine, placed, step, one.near, total)
        settled = self._settle(placed)
        self._assemble(placed, [one.kept for one in settled])
        report = write_report(self._setup, placed, settled)
        self._must_be_unchanged(shards, seen)  # Some were read once more, for the worst.
        write_json(self._folder.seen(), seen)
        costs = self._costs(worked, time.monotonic() - began)
        with self._folder.output(RUN) as file:
            file.write(packed_json(costs._asdict()))
        self._finish()
        return RunResult(self._folder.out, report, False, self._resumed, costs)

    def _costs(self, worked: float, seconds: float) -> RunCosts:
        fresh = self._fresh
        return RunCosts(
            self._engine.name,
            self._engine.workers,
            sum(one.records for one in fresh),
            worked,
            sum(one.seconds for one in fresh),
            max((one.peak for one in fresh), default=0),
            seconds,
        )

    def _must_be_unchanged(
        self, shards: Sequence[Shard], seen: Sequence[Sequence[ReadPiece]]
    ) -> None:
        """Refuse files that are not, or no longer, what was read of them.

        Where only the system says that a file is another one, its bytes are compared: it may have
        been copied, or have got other permissions.
        """
        stamps = [stamp_of(self._base / file.name) for file in self._files]
        for file, stamp in zip(self._files, stamps, strict=True):
            if stamp is None or stamp[:2] != file[1:]:
                raise _changed(file)
        doubtful: list[SeenJob] = []
        for shard, read in zip(shards, seen, strict=True):
            for piece, one in zip(shard, read, strict=False):  # Earlier versions noted nothing.
                file = self._files[piece.file]
                if not one.checksum or one.stamp[:2] != file[1:]:
                    raise _changed(file)
                if one.stamp != stamps[piece.file]:
                    path = str(self._base / file.name)
                    doubtful.append(SeenJob(piece.file, path, piece, one.checksum))
        for number, is_same in self._engine.each(is_as_seen, doubtful):
            if not is_same:
                raise _changed(self._files[number])

    def _survey(self) -> tuple[list[Shard], bool]:
        """Return the shards as they were cut when the run began, and whether it is finished."""
        identity = self._plan.identity([list(file) for file in self._files])
        match read_json_file(self._folder.plan()):
            case {"identity": known, "shards": list(shards), "over": bool(is_over)}:
                if known != identity:
                    raise Refused(
                        f"{self._folder.out} holds a run of another plan, or files have changed "
                        "since it began; name another folder, or start again with --force",
                        field="folder",
                        value=self._out,
                        legal="a new folder",
                    )
                return self._read_shards(shards), is_over
        cut = shards_of(self._files, self._base, self._plan.format, self._chunk)
        shards = list(cut)
        self._note(identity, shards, is_over=False)
        return shards, False

    def _read_shards(self, noted: list[Any]) -> list[Shard]:
        """Return the shards as they were cut, or refuse a note of another shape."""
        found = read_as(list[Shard], noted)
        count = len(self._files)
        if found is None or not all(0 <= one.file < count for shard in found for one in shard):
            raise damaged(self._folder.plan())
        return found

    def _seen(self, shards: Sequence[Shard]) -> list[list[ReadPiece]]:
        """Return what a run that is over has noted of its sources; earlier versions noted nothing.

        Where the note is damaged, it is unknown whether the sources are still what was read.
        """
        path = self._folder.seen()
        if not path.exists():
            return []
        known = read_as(list[list[ReadPiece]], read_json_file(path))
        if known is None or len(known) > len(shards):
            raise damaged(path)
        return known

    def _note(self, identity: str, shards: Sequence[Shard], *, is_over: bool) -> None:
        head = {"kind": KIND, "version": VERSION, "identity": identity, "over": is_over}
        write_json(self._folder.plan(), {**head, "shards": shards})

    def _work(self, shards: Sequence[Shard]) -> list[FinishedShard]:
        text, files = self._plan.text, self._files
        known = {
            number: FinishedShard.read(self._folder, number, len(shard))
            for number, shard in enumerate(shards)
        }
        done = {number: one for number, one in known.items() if one is not None}
        self._resumed = len(done)
        self._must_be_unchanged(
            [shards[number] for number in done], [one.seen for one in done.values()]
        )
        jobs = [
            ShardJob(
                self._out,
                number,
                text,
                str(self._base),
                tuple(files[piece.file].name for piece in shard),
                shard,
            )
            for number, shard in enumerate(shards)
            if number not in done
        ]
        all_bytes = sum(max(0, piece.stop - piece.start) for one in shards for piece in one)
        records, size = (
            sum(one.records for one in done.values()),
            sum(one.bytes for one in done.values()),
        )
        fresh = RunProgress("work", len(done), len(shards), records, size, all_bytes, 0.0, 0, 0)
        self._on_progress(fresh)
        began = time.monotonic()
        for one in self._engine.each(work_on, jobs):
            done[one.number] = one
            self._fresh.append(one)
            fresh = fresh._replace(
                done=len(done),
                records=fresh.records + one.records,
                bytes=fresh.bytes + one.bytes,
                seconds=time.monotonic() - began,
                fresh_records=fresh.fresh_records + one.records,
                fresh_bytes=fresh.fresh_bytes + one.bytes,
            )
            self._on_progress(fresh)
        return [done[number] for number in range(len(shards))]

    def _placed(self, shards: Sequence[Shard], done: Sequence[FinishedShard]) -> list[ShardAt]:
        """Return the shards with what comes before each, which is known only now."""
        steps = enumerate(self._plan.steps)
        dedupes = tuple(step for step, one in steps if isinstance(one, DedupeStep))
        lines: dict[int, int] = {}
        placed: list[ShardAt] = []
        first = 0
        for shard, one in zip(shards, done, strict=True):
            before = []
            for piece, count in zip(shard, one.lines, strict=True):
                before.append(lines.get(piece.file, 0))
                lines[piece.file] = before[-1] + count
            names = tuple(self._files[piece.file].name for piece in shard)
            placed.append(
                ShardAt(self._out, one.number, first, one.records, names, tuple(before), dedupes)
            )
            first += one.records
        return placed

    def _settle(self, placed: Sequence[ShardAt]) -> list[ShardSummary]:
        found: dict[int, ShardSummary] = {}
        for one in self._engine.each(summarize, placed):
            found[one.number] = one
            self._report("settle", len(found), len(placed))
        return [found[shard.number] for shard in placed]

    def _assemble(self, placed: Sequence[ShardAt], kept: Sequence[int]) -> None:
        sink = self._plan.sink
        ends = [0, *accumulate(kept)]
        jobs: list[PartsJob | ManifestJob] = [
            *part_jobs(self._out, placed, kept, sink.shard, sink.packing),
            *(
                ManifestJob(shard, before, sink.shard, sink.packing)
                for shard, before in zip(placed, ends, strict=False)
            ),
        ]
        for number, _ in enumerate(self._engine.each(assemble, jobs), 1):
            self._report("write", number, len(jobs))
        join_manifest(self._folder, placed)

    def _report(self, phase: str, done: int, of: int) -> None:
        self._on_progress(RunProgress(phase, done, of, 0, 0, 0, 0.0, 0, 0))

    def _finish(self) -> None:
        """Note that the run is finished, then remove what only the run needed."""
        self._folder.join_list()
        plan = self._folder.plan()
        known = read_json_file(plan)
        write_json(plan, {**known, "over": True})
        remove_work(self._folder, RUN, LIST, SEEN)


def _changed(file: SourceFile) -> StorageError:
    return StorageError(
        f"{file.name} has changed since it was read; nothing more is written from it; start "
        "again with --force",
        field="sources",
        value=file.name,
        legal="files that do not change while they are read",
    )
