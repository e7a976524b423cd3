"""Running a plan: files are found and cut, shards worked on, alike ones found, files put together.

A run that was killed goes on where it was: whoever runs the same plan over the same files into the
same folder does only what is left.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

from ..errors import Refused
from ..storage.errors import StorageError, reason
from .engines import Engine
from .near import find_alike
from .plan import VERSION, DedupeStep, Plan
from .records import Costs, Progress, Ran, ShardAt
from .report import Setup, write_report
from .sources import (
    CHUNK_BYTES,
    File,
    Piece,
    Seen,
    Shard,
    find_files,
    read_seen,
    shards_of,
    stamp_of,
)
from .work_folder import (
    KIND,
    LIST,
    REPORT,
    RUN,
    SEEN,
    damaged,
    packed_json,
    read_json_file,
    remove_work,
    taken,
    write_json,
)
from .writing import (
    Done,
    Job,
    ManifestJob,
    PartsJob,
    SeenJob,
    Settled,
    assemble,
    is_as_seen,
    join_manifest,
    part_jobs,
    settle,
    work,
)


def run_plan(
    plan: Plan,
    engine: Engine,
    *,
    base: Path | None = None,
    chunk: int = CHUNK_BYTES,
    is_forced: bool = False,
    tell: Callable[[Progress], None] = lambda _: None,
) -> Ran:
    """Carry a plan out; names in it are seen from the folder ``base``."""
    root = Path.cwd() if base is None else base
    out = root / plan.sink.folder
    try:
        files = find_files(plan.sources, root, out)
        with taken(out, is_forced=is_forced) as folder:
            setup = Setup(plan, folder, files, root.resolve(), engine)
            return _Run(setup, chunk, tell).run()
    except OSError as error:
        raise StorageError(f"{out}: {reason(error)}", field="folder", value=str(out)) from None


class _Run:
    def __init__(self, setup: Setup, chunk: int, tell: Callable[[Progress], None]) -> None:
        self._setup, self._chunk, self._tell = setup, chunk, tell
        self._plan, self._folder, self._files, self._base, self._engine = setup
        self._out = str(setup.folder.out)
        self._resumed = 0
        self._fresh: list[Done] = []

    def run(self) -> Ran:
        """Do what is left."""
        shards, is_over = self._survey()
        if is_over:
            self._folder.must_be_as_written(REPORT)
        report = read_json_file(self._folder.out / REPORT)
        if is_over and isinstance(report, dict):
            known = self._seen(shards)
            self._must_be_unchanged(shards[: len(known)], known)
            costs = Costs(self._engine.name, self._engine.workers, 0, 0.0, 0.0, 0, 0.0)
            return Ran(self._folder.out, report, True, len(shards), costs)
        began = time.monotonic()
        done = self._work(shards)
        placed, seen = self._placed(shards, done), [one.seen for one in done]
        self._must_be_unchanged(shards, seen)
        worked = time.monotonic() - began
        total = sum(shard.records for shard in placed)
        for step, one in enumerate(self._plan.steps):
            if isinstance(one, DedupeStep) and placed:
                self._told("alike", 0, 1)
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
        return Ran(self._folder.out, report, False, self._resumed, costs)

    def _costs(self, worked: float, seconds: float) -> Costs:
        fresh = self._fresh
        return Costs(
            self._engine.name,
            self._engine.workers,
            sum(one.records for one in fresh),
            worked,
            sum(one.seconds for one in fresh),
            max((one.peak for one in fresh), default=0),
            seconds,
        )

    def _must_be_unchanged(self, shards: Sequence[Shard], seen: Sequence[Sequence[Seen]]) -> None:
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
        """Return the shards, as they were cut when the run began, and whether it is over."""
        identity = self._plan.identity([list(file) for file in self._files])
        match read_json_file(self._folder.plan()):
            case {"identity": known, "shards": list(shards), "over": bool(is_over)}:
                if known != identity:
                    raise Refused(
                        f"{self._folder.out} holds a run of another plan, or files have changed "
                        "since it began; name another folder, or begin anew with --force",
                        field="folder",
                        value=self._out,
                        legal="a new folder",
                    )
                return [self._shard(shard) for shard in shards], is_over
        cut = shards_of(self._files, self._base, self._plan.format, self._chunk)
        shards = list(cut)
        self._note(identity, shards, is_over=False)
        return shards, False

    def _shard(self, noted: Any) -> Shard:
        """Return a shard as it was cut, or refuse a note of another shape."""
        pieces = []
        for one in noted if isinstance(noted, list) else [noted]:
            match one:
                case [
                    int(file),
                    "lines" | "rows" | "whole" as kind,
                    int(start),
                    int(stop),
                    str() | None as format,
                    int(before),
                ] if 0 <= file < len(self._files):
                    pieces.append(Piece(file, kind, start, stop, format, before))
                case _:
                    raise damaged(self._folder.plan())
        return tuple(pieces)

    def _seen(self, shards: Sequence[Shard]) -> list[list[Seen]]:
        """Return what a run that is over has noted of its sources; earlier versions noted nothing.

        Where the note is damaged, nobody knows whether the sources are still what was read.
        """
        path = self._folder.seen()
        if not path.exists():
            return []
        noted = read_json_file(path)
        read = [read_seen(one) for one in noted] if isinstance(noted, list) else [None]
        known = [one for one in read if one is not None]
        if len(known) < len(read) or len(known) > len(shards):
            raise damaged(path)
        return known

    def _note(self, identity: str, shards: Sequence[Shard], *, is_over: bool) -> None:
        head = {"kind": KIND, "version": VERSION, "identity": identity, "over": is_over}
        write_json(self._folder.plan(), {**head, "shards": shards})

    def _work(self, shards: Sequence[Shard]) -> list[Done]:
        """Work on all shards that are not done yet."""
        text, files = self._plan.text, self._files
        known = {
            number: Done.read(self._folder, number, len(shard))
            for number, shard in enumerate(shards)
        }
        done = {number: one for number, one in known.items() if one is not None}
        self._resumed = len(done)
        self._must_be_unchanged(
            [shards[number] for number in done], [one.seen for one in done.values()]
        )
        jobs = [
            Job(
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
        fresh = Progress("work", len(done), len(shards), records, size, all_bytes, 0.0, 0, 0)
        self._tell(fresh)
        began = time.monotonic()
        for one in self._engine.each(work, jobs):
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
            self._tell(fresh)
        return [done[number] for number in range(len(shards))]

    def _placed(self, shards: Sequence[Shard], done: Sequence[Done]) -> list[ShardAt]:
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

    def _settle(self, placed: Sequence[ShardAt]) -> list[Settled]:
        found: dict[int, Settled] = {}
        for one in self._engine.each(settle, placed):
            found[one.number] = one
            self._told("settle", len(found), len(placed))
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
            self._told("write", number, len(jobs))
        join_manifest(self._folder, placed)

    def _told(self, phase: str, done: int, of: int) -> None:
        self._tell(Progress(phase, done, of, 0, 0, 0, 0.0, 0, 0))

    def _finish(self) -> None:
        """Note that the run is over, then remove what only the run needed."""
        self._folder.join_list()
        plan = self._folder.plan()
        known = read_json_file(plan)
        write_json(plan, {**known, "over": True})
        remove_work(self._folder, RUN, LIST, SEEN)


def _changed(file: File) -> StorageError:
    return StorageError(
        f"{file.name} has changed since it was read; nothing more is put together of it, begin "
        "anew with --force",
        field="sources",
        value=file.name,
        legal="files that do not change while they are read",
    )
