"""The work folder of a run: what is finished of it, so that a run that was killed goes on.

Everything is written under another name first and put in place as a whole. The file that tells that
a shard is done is put in place last.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import IO, Any

import orjson

from core.formats.unpacking import unpacked

NAME = ".corpus"
LEVEL = 1
"""How hard zstd tries: what is here is read once or twice and then removed."""


class WorkFolder:
    """The folder in which a run keeps what it has done so far."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.path = out / NAME

    def plan(self) -> Path:
        """Return the file that tells which run this is."""
        return self.path / "run.json"

    def records(self, shard: int) -> Path:
        """Return the file of the conversations of a shard, as they are to be written."""
        return self.path / f"shard-{shard:05}.records"

    def facts(self, shard: int) -> Path:
        """Return the file of what is known of each record of a shard."""
        return self.path / f"shard-{shard:05}.facts"

    def sketches(self, shard: int, step: int) -> Path:
        """Return the file of the sketches that a step has made of the records of a shard."""
        return self.path / f"shard-{shard:05}.sketches-{step}"

    def done(self, shard: int) -> Path:
        """Return the file that tells that a shard is done."""
        return self.path / f"shard-{shard:05}.json"

    def settled(self, shard: int) -> Path:
        """Return the file that tells what became of the records of a shard."""
        return self.path / f"shard-{shard:05}.settled.json"

    def kept(self, shard: int) -> Path:
        """Return the file with a byte for each conversation of a shard: whether it is kept."""
        return self.path / f"shard-{shard:05}.kept"

    def manifest(self, shard: int) -> Path:
        """Return the file with the part of the manifest that is about a shard."""
        return self.path / f"shard-{shard:05}.manifest"

    def alike(self, step: int) -> Path:
        """Return the file with a number for each record: the first one that is alike."""
        return self.path / f"alike-{step}"


@contextmanager
def whole(path: Path) -> Iterator[IO[bytes]]:
    """Write a file that is there as a whole or not at all."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with part.open("w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        with suppress(OSError):
            part.unlink()


@contextmanager
def packed(path: Path) -> Iterator[IO[bytes]]:
    """Write a packed file that is there as a whole or not at all."""
    with whole(path) as file, _packing(file) as stream:
        yield stream


def _packing(file: IO[bytes]) -> Any:
    try:
        return import_module("compression.zstd").ZstdFile(file, "w", level=LEVEL)
    except ImportError:
        compressor = import_module("zstandard").ZstdCompressor(level=LEVEL)
        return compressor.stream_writer(file, closefd=False)


def packed_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a packed file, each with its end."""

    def damaged(sentence: str) -> None:
        raise OSError(f"{path.name}: {sentence}")

    with path.open("rb") as file:
        yield from unpacked(file, damaged)


def packed_json(data: Any) -> bytes:
    """Return data as JSON; a lone surrogate, which bytes of UTF-8 can't hold, is escaped."""
    try:
        return orjson.dumps(data)
    except (TypeError, ValueError):
        return json.dumps(data, separators=(",", ":")).encode()


def write_json(path: Path, data: Any) -> None:
    """Write data as a whole."""
    with whole(path) as file:
        file.write(packed_json(data))


def read_json_file(path: Path) -> Any:
    """Return the data of a file, or None where there is none or it is damaged."""
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
