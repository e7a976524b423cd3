"""Working on a shard: its conversations are read, taken through all steps, and written aside.

This is what runs on a worker. It needs nothing but the files and what it is given, and whoever does
the same shard again writes the same bytes.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, NamedTuple

from ..errors import Refused
from ..formats import Layout, format_named
from ..formats.warnings import FormatWarning, WarningCollector, read_warnings
from ..values.times import standing_still
from .files import Piece, Shard
from .plan import Plan, plan_of
from .reading import (
    TOO_MUCH,
    Bad,
    Found,
    PieceReader,
    Seen,
    checksum_of,
    own_fault,
    read_seen,
    stamp_of,
)
from .sketches import NOTHING
from .steps import DedupeStep
from .talk import Talk, Told
from .work_folder import (
    WorkFolder,
    packed,
    packed_json,
    read_json_file,
    whole,
    write_json,
)

OF_STEPS = ("history-left-out", "hidden-left-out")
"""What a format of visible messages does not hold, since steps have made it: that is no loss."""


class Job(NamedTuple):
    """A shard to be done: where, by which plan, and which pieces of which files it has."""

    out: str
    number: int
    plan: str
    base: str
    names: tuple[str, ...]
    """The files of the pieces, one for each."""
    pieces: Shard


class Done(NamedTuple):
    """What is known of a shard that was done; ``lines`` and ``warnings`` are of its pieces."""

    number: int
    records: int
    lines: tuple[int, ...]
    warnings: tuple[tuple[FormatWarning, ...], ...]
    bytes: int
    seconds: float
    """Of processor time."""
    peak: int
    """The most memory, in bytes, that its process had taken by then."""
    seen: tuple[Seen, ...] = ()
    """What each piece was when it was read; earlier versions did not note it."""

    @classmethod
    def read(cls, folder: WorkFolder, number: int, pieces: int) -> Done | None:
        """Return what is known of a shard of so many pieces that was done before, if it was.

        One whose note is damaged is done again.
        """
        match read_json_file(folder.done(number)):
            case [
                int(at),
                int(records),
                list(lines),
                list(warnings),
                int(size),
                int() | float() as seconds,
                int(peak),
                *more,
            ] if at == number and len(lines) == len(warnings) == pieces:
                seen = read_seen(more[0]) if more else []
                if seen is None or not all(isinstance(one, int) for one in lines):
                    return None
                try:
                    read = tuple(map(read_warnings, warnings))
                except Refused:
                    return None
                return cls(at, records, tuple(lines), read, size, seconds, peak, tuple(seen))
        return None

    def to_list(self) -> list[Any]:
        """Return it as JSON-ready data."""
        data = self._asdict()
        data["warnings"] = [[one.to_dict() for one in some] for some in self.warnings]
        return list(data.values())


def work(job: Job) -> Done:
    """Do a shard, unless it is done already."""
    folder = WorkFolder(Path(job.out))
    done = Done.read(folder, job.number, len(job.pieces))
    if done is None:
        with standing_still():
            done = _Working(job, folder).run()
        write_json(folder.done(job.number), done.to_list())
    return done


class SeenJob(NamedTuple):
    """A piece whose file is no longer the one that was read, by what the system says."""

    file: int
    path: str
    piece: Piece
    checksum: str


def is_as_seen(job: SeenJob) -> tuple[int, bool]:
    """Return the file of a piece, and whether the piece has the bytes that were read."""
    return job.file, checksum_of(Path(job.path), job.piece) == job.checksum


class Outcome(NamedTuple):
    """What came of one conversation: what is known of it, and what is to be written."""

    facts: Told
    line: bytes | None
    sketches: dict[int, bytes]


def take(plan: Plan, found: Found) -> tuple[Talk, Told]:
    """Take a conversation through the steps of a plan, up to the one that drops it."""
    talk = Talk(found.loaded.conversation, found.loaded.title)
    facts: Told = {"at": found.place, "before": talk.figures(plan.profile)}
    for number, step in enumerate(plan.steps):
        talk.step = number
        reason = step.take(talk)
        if reason is not None:
            facts["dropped"] = [number, reason]
            break
    if talk.title is not None:
        facts["title"] = talk.title
    return talk, facts


def outcome_of(plan: Plan, found: Found) -> Outcome:
    """Return what comes of a conversation."""
    talk, facts = take(plan, found)
    line = None
    lost = [one.to_dict() for one in found.lost]
    facts["after"] = talk.figures(plan.profile)
    facts["changed"] = talk.is_changed
    if "dropped" not in facts:
        warnings = WarningCollector("conversation")
        line = line_of(plan, talk, warnings)
        lost += [one.to_dict() for one in warnings.found() if one.code not in OF_STEPS]
    if found.loaded.warnings:
        facts["adapted"] = [one.to_dict() for one in found.loaded.warnings]
    if lost:
        facts["lost"] = lost
    if talk.notes:
        facts["notes"] = {str(step): told for step, told in talk.notes.items()}
    if talk.keys:
        facts["keys"] = {str(step): key for step, key in talk.keys.items()}
    return Outcome(facts, line, talk.sketches)


def line_of(plan: Plan, talk: Talk, warnings: WarningCollector) -> bytes:
    """Return a conversation as the line that is written of it."""
    pieces = format_named(plan.sink.to).write_each([talk.conversation], Layout.LINES, warnings)
    text = next(pieces)[1]
    return text.encode("utf-8", "surrogatepass").rstrip(b"\n") + b"\n"


def peak_memory() -> int:
    """Return the most memory that this process has taken so far, in bytes."""
    taken = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return taken if sys.platform == "darwin" else taken * 1024


class _Working:
    def __init__(self, job: Job, folder: WorkFolder) -> None:
        self._job, self._folder = job, folder
        self._plan = plan_of(job.plan)
        steps = enumerate(self._plan.steps)
        self._near = [at for at, one in steps if isinstance(one, DedupeStep) and one.near < 1]
        self._count = 0

    def run(self) -> Done:
        """Write what comes of each record, then return what the shard is known by."""
        began = time.process_time()
        job, folder = self._job, self._folder
        lines: list[int] = []
        warnings: list[tuple[FormatWarning, ...]] = []
        seen: list[Seen] = []
        with ExitStack() as files:
            records = files.enter_context(packed(folder.records(job.number)))
            facts = files.enter_context(packed(folder.facts(job.number)))
            sketches = {
                step: files.enter_context(whole(folder.sketches(job.number, step)))
                for step in self._near
            }
            for number, (name, piece) in enumerate(zip(job.names, job.pieces, strict=True)):
                path = Path(job.base) / name
                stamp = stamp_of(path)
                reader = PieceReader(path, piece)
                for outcome in self._outcomes(reader):
                    self._write(outcome, number, records, facts, sketches)
                lines.append(reader.lines)
                warnings.append(reader.warnings)
                checksum = checksum_of(path, piece)
                is_same = stamp is not None and stamp == stamp_of(path)
                seen.append(Seen(*(stamp or (0, 0, 0, 0)), checksum if is_same else ""))
        size = sum(max(0, piece.stop - piece.start) for piece in job.pieces)
        seconds = time.process_time() - began
        return Done(
            job.number,
            self._count,
            tuple(lines),
            tuple(warnings),
            size,
            seconds,
            peak_memory(),
            tuple(seen),
        )

    def _outcomes(self, reader: PieceReader) -> Iterator[Outcome]:
        for event in reader:
            if isinstance(event, Bad):
                yield Outcome({"at": event.place, "bad": event.reason}, None, {})
                continue
            try:
                yield outcome_of(self._plan, event)
            except Refused as refusal:
                yield Outcome({"at": event.place, "bad": str(refusal)}, None, {})
            except (RecursionError, MemoryError):
                yield Outcome({"at": event.place, "bad": TOO_MUCH}, None, {})
            except Exception as error:
                yield Outcome({"at": event.place, "bad": own_fault(error)}, None, {})

    def _write(
        self,
        outcome: Outcome,
        piece: int,
        records: IO[bytes],
        facts: IO[bytes],
        sketches: dict[int, IO[bytes]],
    ) -> None:
        self._count += 1
        row: dict[str, Any] = {"piece": piece, **outcome.facts, "has": outcome.line is not None}
        facts.write(packed_json(row) + b"\n")
        if outcome.line is not None:
            records.write(outcome.line)
        for step, file in sketches.items():
            file.write(outcome.sketches.get(step, NOTHING))
