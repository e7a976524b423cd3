"""Running a plan: files are found and cut, shards worked on, alike ones found, files put together.

A run that was killed goes on where it was: whoever runs the same plan over the same files into the
same folder does only what is left.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from filelock import FileLock, Timeout

from core.corpus.alike import find_alike
from core.corpus.assembly import (
    ManifestJob,
    PartsJob,
    Settled,
    assemble,
    join_manifest,
    part_jobs,
    settle,
)
from core.corpus.engines import Engine
from core.corpus.files import CHUNK_BYTES, File, Piece, Shard, find_files, shards_of
from core.corpus.plan import VERSION, Plan
from core.corpus.report import MANIFEST, PAGE, REPORT, WORST, write_report
from core.corpus.settled import ShardAt
from core.corpus.shards import Done, Job, work
from core.corpus.steps import DedupeStep
from core.corpus.work_folder import WorkFolder, read_json_file, write_json
from core.errors import Refused
from core.storage.errors import reason

KIND = "ctxtui corpus run"
OWN = (REPORT, PAGE, MANIFEST, WORST, "run.json")
"""What a run writes beside its files."""


class Progress(NamedTuple):
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
        """Return conversations a second."""
        return self.fresh_records / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """Return how long this phase will take at this rate, once that can be told."""
        if not self.fresh_bytes or self.seconds <= 0:
            return None
        return (self.all_bytes - self.bytes) * self.seconds / self.fresh_bytes


class Ran(NamedTuple):
    """What came of a run."""

    out: Path
    report: dict[str, Any]
    was_done: bool
    """Whether all of it was done before."""
    resumed: int
    """Shards that were done before."""
    seconds: float
    """What working on the shards took, this time."""


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
        with _taken(out, is_forced) as folder:
            return _Run(plan, engine, root.resolve(), folder, chunk, tell).run()
    except OSError as error:
        raise Refused(f"{out}: {reason(error)}", field="folder", value=str(out)) from None


@contextmanager
def _taken(out: Path, is_forced: bool) -> Iterator[WorkFolder]:
    """Take a folder for a run; one that holds something else is refused."""
    folder = WorkFolder(out.resolve())
    if out.exists() and not folder.plan().exists() and any(_others(out, folder)):
        raise Refused(
            f"the folder {out} holds something that is no run of this kind; name another one",
            field="folder",
            value=str(out),
            legal="a new or empty folder",
        )
    folder.path.mkdir(parents=True, exist_ok=True)
    lock = FileLock(str(folder.path / "lock"))
    try:
        with lock.acquire(timeout=0):
            if is_forced:
                _clear(folder)
            yield folder
    except Timeout:
        raise Refused(
            f"another run is writing into {out} right now", field="folder", value=str(out)
        ) from None


def _others(out: Path, folder: WorkFolder) -> Iterator[Path]:
    return (path for path in out.iterdir() if path != folder.path)


def _clear(folder: WorkFolder) -> None:
    """Remove what earlier runs have written, and nothing else."""
    for path in (*folder.out.glob("part-*"), *(folder.out / name for name in OWN)):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    for path in folder.path.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name != "lock":
            path.unlink()


class _Run:
    def __init__(
        self,
        plan: Plan,
        engine: Engine,
        base: Path,
        folder: WorkFolder,
        chunk: int,
        tell: Callable[[Progress], None],
    ) -> None:
        self._plan, self._engine, self._base, self._folder = plan, engine, base, folder
        self._chunk, self._tell = chunk, tell
        self._out = str(folder.out)
        self._files: list[File] = find_files(plan.sources, base, folder.out)
        self._resumed = 0

    def run(self) -> Ran:
        """Do what is left."""
        shards, is_over = self._survey()
        report = read_json_file(self._folder.out / REPORT)
        if is_over and report is not None:
            return Ran(self._folder.out, report, True, len(shards), 0.0)
        began = time.monotonic()
        placed = self._placed(shards, self._work(shards))
        seconds = time.monotonic() - began
        total = sum(shard.records for shard in placed)
        for step, one in enumerate(self._plan.steps):
            if isinstance(one, DedupeStep) and placed:
                self._told("alike", 0, 1)
                find_alike(self._engine, placed, step, one.near, total)
        settled = self._settle(placed)
        self._assemble(placed, [one.kept for one in settled])
        report = write_report(
            self._plan, self._folder, self._files, placed, settled, self._engine, self._base
        )
        self._finish()
        return Ran(self._folder.out, report, False, self._resumed, seconds)

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
                return [tuple(Piece(*one) for one in shard) for shard in shards], is_over
        cut = shards_of(self._files, self._base, self._plan.format, self._chunk)
        shards = list(cut)
        self._note(identity, shards, is_over=False)
        return shards, False

    def _note(self, identity: str, shards: Sequence[Shard], *, is_over: bool) -> None:
        head = {"kind": KIND, "version": VERSION, "identity": identity, "over": is_over}
        write_json(self._folder.plan(), {**head, "shards": shards})

    def _work(self, shards: Sequence[Shard]) -> list[Done]:
        """Work on all shards that are not done yet."""
        text, files = self._plan.text, self._files
        known = {number: Done.read(self._folder, number) for number in range(len(shards))}
        done = {number: one for number, one in known.items() if one is not None}
        self._resumed = len(done)
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
        join_manifest(self._folder, placed, self._folder.out / MANIFEST)

    def _told(self, phase: str, done: int, of: int) -> None:
        self._tell(Progress(phase, done, of, 0, 0, 0, 0.0, 0, 0))

    def _finish(self) -> None:
        """Note that the run is over, then remove what only the run needed."""
        plan = self._folder.plan()
        known = read_json_file(plan)
        write_json(plan, {**known, "over": True})
        for path in self._folder.path.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            elif path not in (plan, self._folder.path / "lock"):
                path.unlink()
