"""Tables: the rows of Parquet, Arrow and CSV files, and the samples of Inspect's archives.

Each row is a JSON value, and only a few are in memory at a time. pyarrow is imported only where a
file needs it.
"""

from __future__ import annotations

import ast
import csv
import io
import json
from collections.abc import Iterator, Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple
from zipfile import BadZipFile, ZipFile

import orjson

from ..errors import Refused
from ..values.packages import optional_module

if TYPE_CHECKING:
    from collections.abc import Callable

PARQUET, ARROW, STREAM = "a Parquet file", "an Arrow file", "an Arrow stream"
ARCHIVE = "a ZIP archive, or a document that is one inside"
CSV = "a table in CSV"
ROWS_AT_ONCE = 256
MOST_CELL = 1 << 28
"""Characters of a cell, and bytes of a member of an archive."""
RECORD = "record"
"""The column of our own files, with a conversation as JSON text."""
HOLDERS = (RECORD, "messages", "conversations", "conversation", "contents", "input")
"""Columns that may hold a whole conversation."""
TEXTS = (
    *HOLDERS,
    *("prompt", "completion", "completions", "chosen", "rejected", "labels"),
)
"""Columns that may hold a conversation, or a part of one, as text."""
COLUMNS = frozenset((*TEXTS, "instruction", "question", "query", "chosen_messages", "text"))
"""Columns of which a table of conversations has one."""
NULLS = ("content",)
"""What may be null in a message; any other null is a key that was not there."""
LITERALS = {"true": True, "True": True, "false": False, "False": False}


class TableRow(NamedTuple):
    """A row as a JSON value, and the numbers in it that JSON has not, which are null there."""

    value: Any
    no_numbers: tuple[str, ...] = ()


def needed(module: str) -> Any:
    """Return a module of pyarrow, or say how to get it."""
    legal = "JSONL, which needs no package"
    return optional_module(module, "Parquet", "pyarrow", "corpus", field="sources", legal=legal)


def table_rows(kind: str, stream: BinaryIO) -> Iterator[TableRow]:
    """Yield the rows of a file of some kind."""
    if kind == CSV:
        yield from _csv_rows(stream)
    elif kind == ARCHIVE:
        yield from map(TableRow, _samples(stream))
    else:
        yield from _arrow_rows(kind, stream)


def _arrow_rows(kind: str, stream: BinaryIO) -> Iterator[TableRow]:
    pyarrow = needed("pyarrow")
    errors = (pyarrow.ArrowException, OSError, ValueError)
    try:
        batches = BATCHES[kind](stream)
        for batch in batches:
            for start in range(0, batch.num_rows, ROWS_AT_ONCE):
                for row in batch.slice(start, ROWS_AT_ONCE).to_pylist():
                    yield json_row(row)
    except errors as error:
        why = str(error).strip().partition("\n")[0]
        raise _unreadable(kind, why) from None


def _unreadable(kind: str, why: str) -> Refused:
    return Refused(f"it is {kind}, which ctxtui can't read: {why}", field="text")


def _file_batches(stream: BinaryIO) -> Iterator[Any]:
    reader = needed("pyarrow.ipc").open_file(stream)
    return (reader.get_batch(at) for at in range(reader.num_record_batches))


BATCHES: dict[str, Callable[[BinaryIO], Iterator[Any]]] = {
    PARQUET: lambda stream: (
        needed("pyarrow.parquet").ParquetFile(stream).iter_batches(batch_size=ROWS_AT_ONCE)
    ),
    ARROW: _file_batches,
    STREAM: lambda stream: iter(needed("pyarrow.ipc").open_stream(stream)),
}


def json_row(row: Mapping[str, Any]) -> TableRow:
    """Return a row as JSON has it, with what it holds as JSON text."""
    found = dict(row)
    for name in TEXTS:
        is_read, value = _parsed(found.get(name))
        if is_read and name == RECORD:
            return TableRow(value)
        if is_read:
            found[name] = value
    no_numbers: list[str] = []
    return TableRow(_without_nulls(found, no_numbers), tuple(no_numbers))


def _parsed(text: object) -> tuple[bool, Any]:
    """Return whether a cell is a list or an object as JSON or as Python writes it, and that."""
    if not isinstance(text, str) or text[:1] not in ("[", "{"):
        return False, None
    try:
        return True, orjson.loads(text)
    except orjson.JSONDecodeError:
        pass
    try:
        value = ast.literal_eval(text)
        return isinstance(value, list | dict) and bool(json.dumps(value)), value
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return False, None


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


def is_table(text: str) -> bool:
    """Return whether a text begins with the names of columns that conversations have."""
    header = next(csv.reader(io.StringIO(text), delimiter=_delimiter(text)), [])
    named = [name.strip().lstrip("\ufeff") for name in header]
    return bool(COLUMNS & {*named}) and all(name and len(name) < 60 for name in named)  # noqa: PLR2004


def _delimiter(text: str) -> str:
    first = text.partition("\n")[0]
    return "\t" if first.count("\t") > first.count(",") else ","


def _csv_rows(stream: BinaryIO) -> Iterator[TableRow]:
    csv.field_size_limit(MOST_CELL)
    text = io.TextIOWrapper(stream, "utf-8-sig", errors="replace", newline="")
    first = text.readline()
    header = next(csv.reader([first], delimiter=_delimiter(first)), [])
    names = [name.strip() for name in header]
    try:
        for row in csv.reader(text, delimiter=_delimiter(first)):
            if row:
                cells = zip(names, row, strict=False)
                yield json_row({name: LITERALS.get(cell, cell) for name, cell in cells})
    except csv.Error as error:
        raise _unreadable(CSV, str(error)) from None


def _samples(stream: BinaryIO) -> Iterator[dict[str, Any]]:
    """Yield each sample of an Inspect archive, as a log of its own."""
    try:
        with ZipFile(stream) as archive:
            names = archive.namelist()
            samples = sorted(name for name in names if name.startswith("samples/"))
            head = next((name for name in HEADERS if name in names), None)
            if not samples or head is None:
                raise _unreadable(ARCHIVE, "it has no samples of Inspect")
            log = _member(archive, head)
            for name in samples:
                about = {"eval": log["eval"]} if "eval" in log else {}
                yield {**about, "samples": [_member(archive, name)]}
    except (BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise _unreadable(ARCHIVE, str(error)) from None


HEADERS = ("header.json", "_journal/start.json")


def _member(archive: ZipFile, name: str) -> Any:
    if archive.getinfo(name).file_size > MOST_CELL:
        raise Refused(f"{name} in the archive is too large to be read", field="text")
    with archive.open(name) as member:
        try:
            return json.load(member)
        except ValueError as error:
            raise Refused(f"{name} in the archive is not JSON: {error}", field="text") from None
