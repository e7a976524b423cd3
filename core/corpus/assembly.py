"""Assembly: from shards that were worked on to the files of the sink, in the order of the corpus.

Shards are settled first: then it is known how many conversations of each are kept, and so which of
them stand in which file. Files are then made side by side, each as a whole or not at all.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import accumulate, islice
from pathlib import Path
from typing import IO, Any, NamedTuple

from .parquet import RecordFile
from .plan import Packing
from .settled import Fate, ShardAt, facts_of, fates, place_of
from .sums import Sums, add, badness, broken_calls, sums_of, worst
from .talk import Told
from .work_folder import (
    MANIFEST,
    WorkFolder,
    packed_json,
    packed_lines,
    read_json_file,
    whole,
    write_json,
)

MOST_WORST = 20
MOST_TOLD = 50
"""Bad records and refusals that a report names; the manifest names all."""
ROWS_AT_ONCE = 512


class Settled(NamedTuple):
    """What a shard adds up to."""

    number: int
    kept: int
    sums: Sums
    worst: list[Told]
    bad: list[Told]
    refused: list[Told]


def settle(shard: ShardAt) -> Settled:
    """Find out what became of the records of a shard, and keep it."""
    path = shard.folder.settled(shard.number)
    match read_json_file(path):
        case [int(number), int(), dict(), list(), list(), list()] as found if (
            number == shard.number
        ):
            return Settled(*found)
    sums: Sums = {}
    bad: list[Told] = []
    refused: list[Told] = []
    ranked: list[Told] = []
    mask = bytearray()
    for fate in fates(shard):
        add(sums, sums_of(fate))
        if fate.is_bad:
            if len(bad) < MOST_TOLD:
                bad.append({**_where(shard, fate), "reason": fate.facts["bad"]})
            continue
        if fate.facts["has"]:
            mask.append(fate.is_kept)
        if len(refused) < MOST_TOLD:
            refused += _refused(shard, fate)
        if fate.is_kept:
            ranked.append(_ranked(shard, fate))
            if len(ranked) >= ROWS_AT_ONCE:
                ranked = worst(ranked, MOST_WORST)
    with whole(shard.folder.kept(shard.number)) as file:
        file.write(mask)
    settled = Settled(
        shard.number, sum(mask), sums, worst(ranked, MOST_WORST), bad, refused[:MOST_TOLD]
    )
    write_json(path, settled)
    return settled


def _where(shard: ShardAt, fate: Fate) -> Told:
    source, place = place_of(shard, fate.facts)
    return {"number": fate.number, "source": source, "place": place}


def _refused(shard: ShardAt, fate: Fate) -> Iterator[Told]:
    for step, notes in fate.facts.get("notes", {}).items():
        for reason in notes.get("refused", ()):
            if fate.step is None or int(step) <= fate.step:
                yield {**_where(shard, fate), "step": int(step), "reason": reason}


def _ranked(shard: ShardAt, fate: Fate) -> Told:
    facts = fate.facts
    return {
        **_where(shard, fate),
        "shard": shard.number,
        "piece": facts["piece"],
        "at": facts["at"],
        "title": facts.get("title"),
        "badness": badness(facts),
        "messages": facts["after"]["messages"],
        "rules": sorted({*facts["after"]["errors"], *facts["after"]["warnings"]}),
    }


class Part(NamedTuple):
    """A file of the sink: which of the conversations that are kept are in it."""

    name: str
    first: int
    stop: int


class PartsJob(NamedTuple):
    """Neighbouring files of the sink to be made, and the shards their conversations are in."""

    out: str
    packing: Packing
    parts: tuple[Part, ...]
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
            parts.append(Part(part_name(number, packing), first, stop))
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


Row = tuple[ShardAt, Told | None, bytes]
"""A conversation that is kept: where it is, what is known of it, and its line."""


def _kept_rows(job: PartsJob) -> Iterator[Row]:
    for shard in job.shards:
        mask = shard.folder.kept(shard.number).read_bytes()
        lines = packed_lines(shard.folder.records(shard.number))
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
    path = shard.folder.manifest(shard.number)
    if not path.exists():
        lines = packed_lines(shard.folder.records(shard.number))
        with whole(path) as file:
            at = job.before
            for fate in fates(shard):
                line = next(lines) if fate.facts.get("has") else None
                row = _row(shard, fate)
                if fate.is_kept and line is not None:
                    row |= {"file": part_name(at // job.size, job.ending)}
                    row |= {"record": at % job.size + 1}
                    row["sha256"] = sha256(line.rstrip(b"\n")).hexdigest()
                    at += 1
                file.write(packed_json(row) + b"\n")


def _row(shard: ShardAt, fate: Fate) -> dict[str, Any]:
    """Return what the manifest says of a record."""
    facts, row = fate.facts, _where(shard, fate)
    if fate.is_bad:
        return {**row, "outcome": "unreadable", "reason": facts["bad"]}
    row["outcome"] = "kept" if fate.is_kept else "dropped"
    if fate.step is not None:
        row |= {"step": fate.step, "reason": fate.reason}
    if fate.alike is not None:
        row["alike"] = fate.alike
    if "title" in facts:
        row["title"] = facts["title"]
    for name in ("messages", "tokens"):
        row[name] = [facts["before"][name], facts["after"][name]]
    row["errors"] = [sum(facts[when]["errors"].values()) for when in ("before", "after")]
    row |= {name: facts[name] for name in ("adapted", "lost") if name in facts}
    notes = facts.get("notes", {})
    hits: Sums = {}
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
            with folder.manifest(shard.number).open("rb") as part:
                while block := part.read(1 << 20):
                    file.write(block)
