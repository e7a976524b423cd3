"""Files of a corpus: found by name, folder or pattern, and cut into pieces that workers read.

A file with a conversation in each line is cut anywhere: a piece begins with the first line that
starts in it. Parquet is cut between row groups. Anything else is one piece, read from its start.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Literal, NamedTuple

from ..errors import Refused, shown
from ..formats import Format, Layout, Source, detect, format_named
from ..formats.each import OneEach
from ..formats.source import FIRST, Sample
from ..formats.unpacking import GZIP, UTF_16_STARTS, ZSTD
from . import parquet
from .work_folder import WorkFolder, is_part, resolved

MIB = 1 << 20
CHUNK_BYTES = 16 * MIB
"""Bytes of files that make a shard."""
MOST_FILES = 1_000
"""Files of a shard, however small they are."""
ENDINGS = (".json", ".jsonl", ".ndjson", ".parquet")
LINES = (".jsonl", ".ndjson")
PACKED = (".gz", ".zst")
MOST_LOOKED_AT = 10_000
"""Lines that are looked at to find some that say what the file is."""

Kind = Literal["lines", "rows", "whole"]


class File(NamedTuple):
    """A file of the corpus, by the name that a report gives it, and what tells a change of it."""

    name: str
    size: int
    changed: int


class Piece(NamedTuple):
    """A part of a file: bytes where lines start, or row groups, or all of it."""

    file: int
    kind: Kind
    start: int
    stop: int
    format: str | None
    before: int = 0
    """Rows of the file before this piece; how many lines that are is known when they are read."""


Shard = tuple[Piece, ...]


def find_files(sources: Sequence[str], base: Path, out: Path) -> list[File]:
    """Return the files of some sources in their order, each once; those of a folder by name.

    What lies in the folder that is written is none of them.
    """
    found: dict[str, File] = {}
    target = resolved(out, "folder")
    for source in sources:
        if resolved(base / source, "sources").is_relative_to(target):
            raise Refused(
                f"sources {shown(source)} lies in the folder that is written, {shown(str(out))}",
                field="sources",
                value=source,
                legal="files outside of that folder",
            )
        names = list(_names(source, base))
        if not names:
            raise Refused(
                f"sources {shown(source)} names no file",
                field="sources",
                value=source,
                legal="files, folders, or patterns such as data/*.jsonl",
            )
        for name in names:
            path = base / name
            real = path.resolve()
            if not real.is_relative_to(target):
                stat = path.stat()
                found.setdefault(str(real), File(name, stat.st_size, stat.st_mtime_ns))
    return list(found.values())


def _names(source: str, base: Path) -> Iterator[str]:
    path = base / source
    if path.is_file():
        yield source
    elif path.is_dir():
        inside = (Path(folder) / name for folder, _, names in os.walk(path) for name in names)
        for one in sorted(inside, key=lambda one: one.parts):
            parts = one.relative_to(path).parts
            is_hidden = any(part.startswith(".") for part in parts)
            if _is_data(one) and not is_hidden and one.is_file():
                yield os.path.join(source, *parts)  # noqa: PTH118 - as it was named
    else:
        for name in sorted(glob.glob(source, root_dir=base, recursive=True)):  # noqa: PTH207
            if (base / name).is_file():
                yield name


def _is_data(path: Path) -> bool:
    """Tell by its name whether a file holds conversations; of a run only its parts do."""
    runs = [one for one in path.parents[:2] if WorkFolder(one).plan().exists()]
    if runs and (path.parent not in runs or not is_part(path.name)):
        return False
    return _bare(path).endswith(ENDINGS)


def _bare(path: Path) -> str:
    """Return the name of a file without what says that it is packed."""
    bare = path.name.casefold()
    for packed in PACKED:
        bare = bare.removesuffix(packed)
    return bare


def shards_of(
    files: Sequence[File], base: Path, format: str | None, chunk: int = CHUNK_BYTES
) -> Iterator[Shard]:
    """Yield the shards of a corpus: neighbouring pieces, together about as large as a chunk."""
    shard: list[Piece] = []
    size = 0
    for number, file in enumerate(files):
        for piece, bytes_ in _pieces(number, file, base, format, chunk):
            if shard and (size + bytes_ > chunk or len(shard) >= MOST_FILES):
                yield tuple(shard)
                shard, size = [], 0
            shard.append(piece)
            size += bytes_
    if shard:
        yield tuple(shard)


def _pieces(
    number: int, file: File, base: Path, format: str | None, chunk: int
) -> Iterator[tuple[Piece, int]]:
    path = base / file.name
    if parquet.is_parquet(path):
        yield from _row_groups(number, path, format, chunk)
        return
    cut = _cuttable(path, format) if file.size > chunk else None
    if cut is None:
        yield Piece(number, "whole", 0, file.size, format), file.size
        return
    for start in range(0, file.size, chunk):
        stop = min(file.size, start + chunk)
        yield Piece(number, "lines", start, stop, cut), stop - start


def _row_groups(
    number: int, path: Path, format: str | None, chunk: int
) -> Iterator[tuple[Piece, int]]:
    try:
        groups = parquet.row_groups(path)
        if not any(rows for rows, _ in groups):
            yield Piece(number, "whole", 0, 0, format), 0  # Whoever reads it says so.
            return
        named = format or parquet.format_of(path)
    except (Refused, OSError):
        yield Piece(number, "whole", 0, 0, format), 0  # Whoever reads it says what is wrong.
        return
    start = before = size = rows = 0
    for group, (count, bytes_) in enumerate(groups):
        if group > start and size + bytes_ > chunk:
            yield Piece(number, "rows", start, group, named, before), size
            start, before, size, rows = group, before + rows, 0, 0
        size, rows = size + bytes_, rows + count
    yield Piece(number, "rows", start, len(groups), named, before), size


def _cuttable(path: Path, format: str | None) -> str | None:
    """Return the format of a file that has a conversation in each line, or None."""
    try:
        with path.open("rb") as stream:
            first = stream.read(len(ZSTD))
        if first.startswith((GZIP, ZSTD)) or first[:2] in UTF_16_STARTS:
            return None
        return in_lines(path, format)
    except (Refused, OSError, RecursionError):
        return None


def in_lines(path: Path, format: str | None) -> str | None:
    """Return the format of a file with a conversation in each line, or None for any other.

    A file that is called so has lines even if the first ones are nonsense.
    """
    source = Source.of_path(path)
    try:
        sample = source.sample
    except Refused:
        if not _bare(path).endswith(LINES):
            raise
        lines = Source.of_path(path).judged_by(Sample((), is_lines=True))
        values = (one.value for one in islice(lines.records(), MOST_LOOKED_AT))
        items = tuple(islice((one for one in values if isinstance(one, dict | list)), FIRST))
        if not items:
            raise
        sample = Sample(items, is_lines=True)
        source.judged_by(sample)
    if not sample.is_lines:
        return None
    known: Format = detect(source) if format is None else format_named(format)
    if isinstance(known, OneEach) and known.layout(sample)[0] is Layout.LINES:
        return known.name
    return None
