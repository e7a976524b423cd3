"""Parquet through pyarrow: rows as the JSON values they stand for, and records as rows.

pyarrow comes with the extra ``corpus`` and is imported only where a file is Parquet.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from importlib import import_module
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import IO, Any, NamedTuple

import orjson

from ..errors import Refused
from ..formats import Source, detect
from ..formats.source import FIRST, Sample

MAGIC = b"PAR1"
MISSING = "Parquet needs pyarrow, which is not installed: pip install '.[corpus]' in a checkout"
FOOTER_END = 8
"""Bytes behind the footer: its length, and how the file began."""
ROWS_AT_ONCE = 256
RECORD = "record"
"""The column of our own files, with a conversation as JSON text."""
TEXTS = (RECORD, "messages", "conversations", "conversation", "contents", "input")
"""Columns that may hold a conversation as JSON text."""
NULLS = ("content",)
"""What may be null in a message; any other null stands for a key that was not there."""


def needed(module: str) -> Any:
    """Return a module of pyarrow, or say how to get it."""
    try:
        return import_module(module)
    except ImportError:
        raise Refused(MISSING, field="sources", legal="JSONL, which needs nothing more") from None


def is_parquet(path: Path) -> bool:
    """Tell whether a file is Parquet, by its first bytes."""
    try:
        with path.open("rb") as stream:
            return stream.read(len(MAGIC)) == MAGIC
    except OSError:
        return False  # Whoever reads it says what is wrong.


def _opened(path: Path) -> Any:
    pyarrow = needed("pyarrow")
    try:
        return needed("pyarrow.parquet").ParquetFile(path)
    except (pyarrow.ArrowException, ValueError) as error:
        why = str(error).strip().partition("\n")[0]
        raise Refused(f"it is no Parquet that can be read: {why}", field="sources") from None


def row_groups(path: Path) -> list[tuple[int, int]]:
    """Return how many rows and bytes each row group of a file has."""
    with _opened(path) as file:
        metadata = file.metadata
        groups = (metadata.row_group(i) for i in range(metadata.num_row_groups))
        return [(group.num_rows, group.total_byte_size) for group in groups]


def byte_ranges(path: Path, start: int, stop: int) -> list[tuple[int, int]]:
    """Return where some row groups of a file are, and where is what says how they are read."""
    found: list[tuple[int, int]] = []
    with _opened(path) as file:
        for number in range(start, stop):
            group = file.metadata.row_group(number)
            for column in map(group.column, range(group.num_columns)):
                pages = (column.dictionary_page_offset, column.data_page_offset)
                first = min(one for one in pages if one)
                found.append((first, first + column.total_compressed_size))
    with path.open("rb") as stream:
        size = stream.seek(0, os.SEEK_END)
        stream.seek(size - FOOTER_END)
        length = int.from_bytes(stream.read(FOOTER_END - len(MAGIC)), "little")
    return [*found, (max(0, size - FOOTER_END - length), size)]


class Row(NamedTuple):
    """A row as a JSON value, and the numbers in it that JSON has not, which are null there."""

    value: Any
    no_numbers: tuple[str, ...] = ()


def rows_of(path: Path, start: int, stop: int) -> Iterator[Row]:
    """Yield the rows of some row groups, a few in memory at a time."""
    pyarrow = needed("pyarrow")
    with _opened(path) as file:
        batches = file.iter_batches(batch_size=ROWS_AT_ONCE, row_groups=range(start, stop))
        try:
            for batch in batches:
                for row in batch.to_pylist():
                    yield _row(row)
        except (pyarrow.ArrowException, OSError, ValueError) as error:
            why = str(error).strip().partition("\n")[0]
            raise Refused(f"its rows can't be read: {why}", field="sources") from None


def format_of(path: Path) -> str:
    """Return the format that the first rows of a file are in, or refuse them."""
    rows = islice(rows_of(path, 0, len(row_groups(path))), FIRST)
    first = tuple(row.value for row in rows)
    try:
        return detect(Source.of_data(list(first)).judged_by(Sample(first, is_lines=True))).name
    except (Refused, IndexError):
        with _opened(path) as file:
            names = ", ".join(file.schema_arrow.names)
        raise Refused(
            f"no column of it is known to hold a conversation; it has {names}",
            field="sources",
            legal="a column messages or conversations",
        ) from None


def _row(row: dict[str, Any]) -> Row:
    for name in TEXTS:
        text = row.get(name)
        if isinstance(text, str) and text[:1] in ("[", "{"):
            try:
                parsed = orjson.loads(text)
            except orjson.JSONDecodeError:
                continue
            if name == RECORD:
                return Row(parsed)
            row = {**row, name: parsed}
    no_numbers: list[str] = []
    return Row(_without_nulls(row, no_numbers), tuple(no_numbers))


def _without_nulls(value: Any, no_numbers: list[str]) -> Any:
    """Return what JSON has of a value, without keys that only another row has."""
    match value:
        case Mapping():
            plain = {key: _without_nulls(one, no_numbers) for key, one in value.items()}
            return {key: one for key, one in plain.items() if one is not None or key in NULLS}
        case list():
            return [_without_nulls(one, no_numbers) for one in value]
        case None | str() | bool() | int():
            return value
        case float():
            if isfinite(value):
                return value
            no_numbers.append(json.dumps(value))
            return None
        case bytes():
            return value.decode("utf-8", "replace")
    return str(value)  # A date, a time, a decimal number.


class RecordFile:
    """A Parquet file while it is written: a row for each conversation, with where it came from."""

    def __init__(self, file: IO[bytes]) -> None:
        pyarrow = needed("pyarrow")
        self._pyarrow = pyarrow
        self._schema = pyarrow.schema(
            [
                (RECORD, pyarrow.string()),
                ("source", pyarrow.string()),
                ("place", pyarrow.int64()),
                ("messages", pyarrow.int64()),
                ("tokens", pyarrow.int64()),
            ]
        )
        writer = needed("pyarrow.parquet").ParquetWriter
        self._writer = writer(file, self._schema, compression="zstd")
        self._rows: list[dict[str, Any]] = []

    def add(self, row: dict[str, Any]) -> None:
        """Add a row; they are written some at a time."""
        self._rows.append(row)
        if len(self._rows) >= ROWS_AT_ONCE:
            self._flush()

    def _flush(self) -> None:
        if self._rows:
            self._writer.write_table(
                self._pyarrow.Table.from_pylist(self._rows, schema=self._schema)
            )
            self._rows = []

    def close(self) -> None:
        """Write the rest and the end of the file."""
        self._flush()
        self._writer.close()
