"""Shards: their conversations are read, taken through all steps, and written to the work folder.

This is what runs on a worker. It needs nothing but the files and what it is given, and doing
the same shard again writes the same bytes.
"""

from __future__ import annotations

import resource
import sys
import time
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from hashlib import sha256
from itertools import accumulate, islice
from pathlib import Path
from typing import IO, Annotated, Any, NamedTuple

from pydantic import PlainValidator

from ..curation.duplicates import Shingles
from ..errors import Refused
from ..formats import Layout, format_named
from ..formats.warnings import FormatWarning, WarningCollector, read_warnings
from ..values.models import read_as
from ..values.times import frozen_clock
from .near import shingles_written
from .plan import CorpusPlan, DedupeStep, Packing, plan_of
from .records import (
    Aggregates,
    CorpusItem,
    Facts,
    RecordOutcome,
    ShardAt,
    add,
    broken_calls,
    facts_of,
    outcomes,
    place_of,
    severity_rank,
    sums_of,
    worst,
)
from .sources import (
    FilePiece,
    PieceReader,
    ReadItem,
    ReadPiece,
    RecordFile,
    Shard,
    UnreadableRecord,
    checksum_of,
    stamp_of,
    why_unreadable,
)
from .work_folder import (
    MANIFEST,
    WorkFolder,
    packed,
    packed_json,
    packed_lines,
    read_json_file,
    whole,
    write_json,
)

OF_STEPS = ("history-left-out", "hidden-left-out")
"""What a format of visible messages does not hold, since steps have made it: that is no loss."""


class ShardJob(NamedTuple):
    """A shard to be done: where, by which plan, and which pieces of which files it has."""

    out: str
    number: int
    plan: str
    base: str
    names: tuple[str, ...]
    """The files of the pieces, one for each."""
    pieces: Shard


class FinishedShard(NamedTuple):
    """What is known of a shard that was done; ``lines`` and ``warnings`` are of its pieces."""

    number: int
    records: int
    lines: tuple[int, ...]
    warnings: tuple[Annotated[tuple[FormatWarning, ...], PlainValidator(read_warnings)], ...]
    bytes: int
    seconds: float
    """Of processor time."""
    peak: int
    """The most memory, in bytes, that its process had taken by then."""
    seen: tuple[ReadPiece, ...] = ()
    """What each piece was when it was read; earlier versions did not note it."""

    @classmethod
    def read(cls, folder: WorkFolder, number: int, pieces: int) -> FinishedShard | None:
        """Return what is known of a shard of so many pieces that was done before, if it was.

        One whose note is damaged is done again.
        """
        found = read_as(cls, read_json_file(folder.shard(number, "json")))
        if found is None or found.number != number:
            return None
        return found if len(found.lines) == len(found.warnings) == pieces else None

    def to_list(self) -> list[Any]:
        data = self._asdict()
        data["warnings"] = [[one.to_dict() for one in some] for some in self.warnings]
        return list(data.values())


def work_on(job: ShardJob) -> FinishedShard:
    """Do a shard, unless it is done already."""
    folder = WorkFolder(Path(job.out))
    done = FinishedShard.read(folder, job.number, len(job.pieces))
    if done is None:
        with frozen_clock():
            done = _Working(job, folder).run()
        write_json(folder.shard(job.number, "json"), done.to_list())
    return done


class SeenJob(NamedTuple):
    """A piece whose file is no longer the one that was read, by what the system says."""

    file: int
    path: str
    piece: FilePiece
    checksum: str


def is_as_seen(job: SeenJob) -> tuple[int, bool]:
    """Return the file of a piece, and whether the piece has the bytes that were read."""
    return job.file, checksum_of(Path(job.path), job.piece) == job.checksum


class ItemOutcome(NamedTuple):
    """What came of one conversation: what is known of it, and what is to be written."""

    facts: Facts
    line: bytes | None
    shingles: dict[int, Shingles]


def apply_steps(plan: CorpusPlan, found: ReadItem) -> tuple[CorpusItem, Facts]:
    """Take a conversation through the steps of a plan, up to the one that drops it."""
    item = CorpusItem(found.loaded.conversation, found.loaded.title)
    facts: Facts = {"at": found.place, "before": item.figures(plan.profile)}
    for number, step in enumerate(plan.steps):
        item.step = number
        reason = step.take(item)
        if reason is not None:
            facts["dropped"] = [number, reason]
            break
    if item.title is not None:
        facts["title"] = item.title
    return item, facts


def outcome_of(plan: CorpusPlan, found: ReadItem) -> ItemOutcome:
    """Return what comes of a conversation."""
    item, facts = apply_steps(plan, found)
    line = None
    lost = [one.to_dict() for one in found.lost]
    facts["after"] = item.figures(plan.profile)
    facts["changed"] = item.is_changed
    if "dropped" not in facts:
        warnings = WarningCollector("conversation")
        line = line_of(plan, item, warnings)
        lost += [one.to_dict() for one in warnings.found() if one.code not in OF_STEPS]
    if found.loaded.warnings:
        facts["adapted"] = [one.to_dict() for one in found.loaded.warnings]
    if lost:
        facts["lost"] = lost
    if item.notes:
        facts["notes"] = {str(step): note for step, note in item.notes.items()}
    if item.keys:
        facts["keys"] = {str(step): key for step, key in item.keys.items()}
    return ItemOutcome(facts, line, item.shingles)


def line_of(plan: CorpusPlan, item: CorpusItem, warnings: WarningCollector) -> bytes:
    """Return a conversation as the line that is written of it."""
    pieces = format_named(plan.sink.to).write_each([item.conversation], Layout.LINES, warnings)
    text = next(pieces)[1]
    return text.encode("utf-8", "surrogatepass").rstrip(b"\n") + b"\n"


def peak_memory() -> int:
    """Return the most memory that this process has taken so far, in bytes."""
    taken = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return taken if sys.platform == "darwin" else taken * 1024


class _Working:
    def __init__(self, job: ShardJob, folder: WorkFolder) -> None:
        self._job, self._folder = job, folder
        self._plan = plan_of(job.plan)
        steps = enumerate(self._plan.steps)
        self._near = [at for at, one in steps if isinstance(one, DedupeStep) and one.near < 1]
        self._count = 0

    def run(self) -> FinishedShard:
        began = time.process_time()
        job, folder = self._job, self._folder
        lines: list[int] = []
        warnings: list[tuple[FormatWarning, ...]] = []
        seen: list[ReadPiece] = []
        with ExitStack() as files:
            records = files.enter_context(packed(folder.shard(job.number, "records")))
            facts = files.enter_context(packed(folder.shard(job.number, "facts")))
            shingles = {
                step: files.enter_context(
                    shingles_written(folder.shard(job.number, f"shingles-{step}"))
                )
                for step in self._near
            }
            for number, (name, piece) in enumerate(zip(job.names, job.pieces, strict=True)):
                path = Path(job.base) / name
                stamp = stamp_of(path)
                reader = PieceReader(path, piece)
                for outcome in self._outcomes(reader):
                    self._write(outcome, number, records, facts, shingles)
                lines.append(reader.lines)
                warnings.append(reader.warnings)
                checksum = checksum_of(path, piece)
                is_same = stamp is not None and stamp == stamp_of(path)
                seen.append(ReadPiece(*(stamp or (0, 0, 0, 0)), checksum if is_same else ""))
        size = sum(max(0, piece.stop - piece.start) for piece in job.pieces)
        seconds = time.process_time() - began
        return FinishedShard(
            job.number,
            self._count,
            tuple(lines),
            tuple(warnings),
            size,
            seconds,
            peak_memory(),
            tuple(seen),
        )

    def _outcomes(self, reader: PieceReader) -> Iterator[ItemOutcome]:
        for event in reader:
            if isinstance(event, UnreadableRecord):
                yield ItemOutcome({"at": event.place, "bad": event.reason}, None, {})
                continue
            try:
                yield outcome_of(self._plan, event)
            except Refused as refusal:
                yield ItemOutcome({"at": event.place, "bad": str(refusal)}, None, {})
            except Exception as error:
                yield ItemOutcome({"at": event.place, "bad": why_unreadable(error)}, None, {})

    def _write(
        self,
        outcome: ItemOutcome,
        piece: int,
        records: IO[bytes],
        facts: IO[bytes],
        shingles: dict[int, Callable[[Shingles], None]],
    ) -> None:
        self._count += 1
        row: dict[str, Any] = {"piece": piece, **outcome.facts, "has": outcome.line is not None}
        facts.write(packed_json(row) + b"\n")
        if outcome.line is not None:
            records.write(outcome.line)
        for step, add_to in shingles.items():
            add_to(outcome.shingles.get(step, array("I")))


MOST_WORST = 20
MOST_TOLD = 50
"""Bad records and refusals that a report names; the manifest names all."""
ROWS_AT_ONCE = 512


class ShardSummary(NamedTuple):
    """What a shard adds up to."""

    number: int
    kept: int
    sums: Aggregates
    worst: list[Facts]
    bad: list[Facts]
    refused: list[Facts]


def summarize(shard: ShardAt) -> ShardSummary:
    """Find out what became of the records of a shard, and keep it."""
    path = shard.folder.shard(shard.number, "settled.json")
    found = read_as(ShardSummary, read_json_file(path))
    if found is not None and found.number == shard.number:
        return found
    sums: Aggregates = {}
    bad: list[Facts] = []
    refused: list[Facts] = []
    ranked: list[Facts] = []
    mask = bytearray()
    for outcome in outcomes(shard):
        add(sums, sums_of(outcome))
        if outcome.is_bad:
            if len(bad) < MOST_TOLD:
                bad.append({**_where(shard, outcome), "reason": outcome.facts["bad"]})
            continue
        if outcome.facts["has"]:
            mask.append(outcome.is_kept)
        if len(refused) < MOST_TOLD:
            refused += _refused(shard, outcome)
        if outcome.is_kept:
            ranked.append(_ranked(shard, outcome))
            if len(ranked) >= ROWS_AT_ONCE:
                ranked = worst(ranked, MOST_WORST)
    with whole(shard.folder.shard(shard.number, "kept")) as file:
        file.write(mask)
    settled = ShardSummary(
        shard.number, sum(mask), sums, worst(ranked, MOST_WORST), bad, refused[:MOST_TOLD]
    )
    write_json(path, settled)
    return settled


def _where(shard: ShardAt, outcome: RecordOutcome) -> Facts:
    source, place = place_of(shard, outcome.facts)
    return {"number": outcome.number, "source": source, "place": place}


def _refused(shard: ShardAt, outcome: RecordOutcome) -> Iterator[Facts]:
    for step, notes in outcome.facts.get("notes", {}).items():
        for reason in notes.get("refused", ()):
            if outcome.step is None or int(step) <= outcome.step:
                yield {**_where(shard, outcome), "step": int(step), "reason": reason}


def _ranked(shard: ShardAt, outcome: RecordOutcome) -> Facts:
    facts = outcome.facts
    return {
        **_where(shard, outcome),
        "shard": shard.number,
        "piece": facts["piece"],
        "at": facts["at"],
        "title": facts.get("title"),
        "badness": severity_rank(facts),
        "messages": facts["after"]["messages"],
        "rules": sorted({*facts["after"]["errors"], *facts["after"]["warnings"]}),
    }


class OutputPart(NamedTuple):
    """A file of the sink: which of the conversations that are kept are in it."""

    name: str
    first: int
    stop: int


class PartsJob(NamedTuple):
    """Neighbouring files of the sink to be made, and the shards their conversations are in."""

    out: str
    packing: Packing
    parts: tuple[OutputPart, ...]
    shards: tuple[ShardAt, ...]
    before: int
    """Conversations that are kept of the shards before these."""


class ManifestJob(NamedTuple):
    """The part of the manifest to be made that is about a shard."""

    shard: ShardAt
    before: int
    """Conversations that are kept of earlier shards."""
    size: int
    """Conversations of a file of the sink."""
    ending: str


def part_name(number: int, packing: str) -> str:
    """Return how a file of the sink is called."""
    return f"part-{number:05}.{packing}"


def part_jobs(
    out: str, shards: Sequence[ShardAt], kept: Sequence[int], size: int, packing: Packing
) -> Iterator[PartsJob]:
    """Yield the files of the sink, those together that begin in the same shard."""
    ends = [0, *accumulate(kept)]
    total = ends[-1]
    number = 0
    for at in range(len(shards)):
        parts = []
        while number * size < ends[at + 1]:
            first, stop = number * size, min(total, (number + 1) * size)
            parts.append(OutputPart(part_name(number, packing), first, stop))
            number += 1
        if parts:
            last = bisect_left(ends, parts[-1].stop)
            yield PartsJob(out, packing, tuple(parts), tuple(shards[at:last]), ends[at])


def assemble(job: PartsJob | ManifestJob) -> int:
    """Make files, but for those that are there already; return how many."""
    if isinstance(job, ManifestJob):
        _manifest(job)
        return 0
    folder = WorkFolder(Path(job.out))
    rows = _kept_rows(job)
    at = job.before
    for part in job.parts:
        for _ in islice(rows, part.first - at):
            pass
        chosen = islice(rows, part.stop - part.first)
        at = part.stop
        if folder.has_output(part.name):
            for _ in chosen:
                pass
            continue
        with folder.output(part.name) as file:
            if job.packing == "jsonl":
                file.writelines(line for _, _, line in chosen)
            else:
                _write_rows(file, chosen)
    return len(job.parts)


Row = tuple[ShardAt, Facts | None, bytes]
"""A conversation that is kept: where it is, what is known of it, and its line."""


def _kept_rows(job: PartsJob) -> Iterator[Row]:
    for shard in job.shards:
        mask = shard.folder.shard(shard.number, "kept").read_bytes()
        lines = packed_lines(shard.folder.shard(shard.number, "records"))
        if job.packing == "jsonl":
            for line, is_kept in zip(lines, mask, strict=True):
                if is_kept:
                    yield shard, None, line
        else:
            written = (facts for facts in facts_of(shard) if facts["has"])
            for facts, line, is_kept in zip(written, lines, mask, strict=True):
                if is_kept:
                    yield shard, facts, line


def _write_rows(target: IO[bytes], rows: Iterable[Row]) -> None:
    file = RecordFile(target)
    for shard, facts, line in rows:
        assert facts is not None
        source, place = place_of(shard, facts)
        file.add(
            {
                "record": line.decode("utf-8", "replace").rstrip("\n"),
                "source": source,
                "place": place,
                "messages": facts["after"]["messages"],
                "tokens": facts["after"]["tokens"],
            }
        )
    file.close()


def _manifest(job: ManifestJob) -> None:
    shard = job.shard
    path = shard.folder.shard(shard.number, "manifest")
    if not path.exists():
        lines = packed_lines(shard.folder.shard(shard.number, "records"))
        with whole(path) as file:
            at = job.before
            for outcome in outcomes(shard):
                line = next(lines) if outcome.facts.get("has") else None
                row = _row(shard, outcome)
                if outcome.is_kept and line is not None:
                    row |= {"file": part_name(at // job.size, job.ending)}
                    row |= {"record": at % job.size + 1}
                    row["sha256"] = sha256(line.rstrip(b"\n")).hexdigest()
                    at += 1
                file.write(packed_json(row) + b"\n")


def _row(shard: ShardAt, outcome: RecordOutcome) -> dict[str, Any]:
    facts, row = outcome.facts, _where(shard, outcome)
    if outcome.is_bad:
        return {**row, "outcome": "unreadable", "reason": facts["bad"]}
    row["outcome"] = "kept" if outcome.is_kept else "dropped"
    if outcome.step is not None:
        row |= {"step": outcome.step, "reason": outcome.reason}
    if outcome.alike is not None:
        row["alike"] = outcome.alike
    if "title" in facts:
        row["title"] = facts["title"]
    for name in ("messages", "tokens"):
        row[name] = [facts["before"][name], facts["after"][name]]
    row["errors"] = [sum(facts[when]["errors"].values()) for when in ("before", "after")]
    row |= {name: facts[name] for name in ("adapted", "lost") if name in facts}
    notes = facts.get("notes", {})
    hits: Aggregates = {}
    for note in notes.values():
        add(hits, note.get("hits", {}))
    if hits:
        row["replaced"] = hits
    refused = [reason for note in notes.values() for reason in note.get("refused", ())]
    if refused:
        row["refused"] = refused
    if any("runs" in note for note in notes.values()):
        row["brokenCalls"] = broken_calls(facts)
    return row


def join_manifest(folder: WorkFolder, shards: Sequence[ShardAt]) -> None:
    """Put the parts of the manifest together, in the order of the corpus."""
    with folder.output(MANIFEST) as file:
        for shard in shards:
            with folder.shard(shard.number, "manifest").open("rb") as part:
                while block := part.read(1 << 20):
                    file.write(block)
