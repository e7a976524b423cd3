"""The files of a corpus: how they are found, cut into pieces, and read.

pyarrow comes with the extra ``corpus`` and is imported only where a file is Parquet.
"""

from __future__ import annotations

import glob
import io
import os
from collections.abc import Container, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import IO, Any, BinaryIO, Literal, NamedTuple

from ..errors import Refused, format_value
from ..formats import Format, Layout, Loaded, Source, detect, format_named, load_all
from ..formats.base import LEFT_OUT, JsonFormat
from ..formats.conservation import lost, warning_of
from ..formats.json_text import NO_NUMBERS
from ..formats.source import BROKEN, CUT_OFF, FIRST, GZIP, UTF_16_STARTS, ZSTD, SourceSample
from ..formats.tables import HOLDERS, RECORD, ROWS_AT_ONCE, TableRow, json_row, needed
from ..formats.warnings import FormatWarning, WarningCollector, said
from ..values.times import gc_paused
from .work_folder import WorkFolder, is_part, resolved

MAGIC = b"PAR1"
FOOTER_END = 8
"""Bytes behind the footer: its length, and how the file began."""


def is_parquet(path: Path) -> bool:
    """Return whether a file is Parquet, by its first bytes."""
    try:
        with path.open("rb") as stream:
            return stream.read(len(MAGIC)) == MAGIC
    except OSError:
        return False  # Reading it will report what is wrong.


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


def rows_of(path: Path, start: int, stop: int) -> Iterator[TableRow]:
    """Yield the rows of some row groups, a few in memory at a time."""
    pyarrow = needed("pyarrow")
    with _opened(path) as file:
        batches = file.iter_batches(batch_size=ROWS_AT_ONCE, row_groups=range(start, stop))
        try:
            for batch in batches:
                for row in batch.to_pylist():
                    yield json_row(row)
        except (pyarrow.ArrowException, OSError, ValueError) as error:
            why = str(error).strip().partition("\n")[0]
            raise Refused(f"its rows can't be read: {why}", field="sources") from None


def format_of(path: Path) -> str:
    """Return the format that the first rows of a file are in, or refuse them."""
    rows = islice(rows_of(path, 0, len(row_groups(path))), FIRST)
    first = tuple(row.value for row in rows)
    try:
        return detect(
            Source.of_data(list(first)).judged_by(SourceSample(first, is_lines=True))
        ).name
    except (Refused, IndexError):
        with _opened(path) as file:
            names = ", ".join(file.schema_arrow.names)
        raise Refused(
            f"no column of it is known to hold a conversation; it has {names}",
            field="sources",
            legal="a column messages or conversations",
        ) from None


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
        self._flush()
        self._writer.close()


MIB = 1 << 20
CHUNK_BYTES = 16 * MIB
"""Bytes of files that make a shard."""
MOST_FILES = 1_000
"""Files of a shard, however small they are."""
ENDINGS = (".json", ".jsonl", ".ndjson", ".parquet")
LINE_SUFFIXES = (".jsonl", ".ndjson")
PACKED = (".gz", ".zst")
MOST_LOOKED_AT = 10_000
"""Lines that are read to find some that say what the file is."""

Kind = Literal["lines", "rows", "whole"]


class SourceFile(NamedTuple):
    """A file of the corpus, by the name that a report gives it, and what shows that it changed."""

    name: str
    size: int
    changed: int


class FilePiece(NamedTuple):
    """A part of a file: bytes where lines start, or row groups, or all of it."""

    file: int
    kind: Kind
    start: int
    stop: int
    format: str | None
    before: int = 0
    """Rows of the file before this piece; how many lines that are is known when they are read."""


Shard = tuple[FilePiece, ...]


def find_files(sources: Sequence[str], base: Path, out: Path) -> list[SourceFile]:
    """Return the files of some sources in their order, each once; those of a folder by name.

    What lies in the folder that is written is none of them.
    """
    found: dict[str, SourceFile] = {}
    target = resolved(out, "folder")
    for source in sources:
        if resolved(base / source, "sources").is_relative_to(target):
            raise Refused(
                f"sources {format_value(source)} lies in the folder that is written, "
                f"{format_value(str(out))}",
                field="sources",
                value=source,
                legal="files outside of that folder",
            )
        names = list(_names(source, base))
        if not names:
            raise Refused(
                f"sources {format_value(source)} names no file",
                field="sources",
                value=source,
                legal="files, folders, or patterns such as data/*.jsonl",
            )
        for name in names:
            path = base / name
            real = path.resolve()
            if not real.is_relative_to(target):
                stat = path.stat()
                found.setdefault(str(real), SourceFile(name, stat.st_size, stat.st_mtime_ns))
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
    """Return whether a file holds conversations by its name; of a run only its parts do."""
    runs = [one for one in path.parents[:2] if WorkFolder(one).plan().exists()]
    if runs and (path.parent not in runs or not is_part(path.name)):
        return False
    return _bare(path).endswith(ENDINGS)


def _bare(path: Path) -> str:
    bare = path.name.casefold()
    for packed in PACKED:
        bare = bare.removesuffix(packed)
    return bare


def shards_of(
    files: Sequence[SourceFile], base: Path, format: str | None, chunk: int = CHUNK_BYTES
) -> Iterator[Shard]:
    """Yield the shards of a corpus: neighbouring pieces, together about as large as a chunk."""
    shard: list[FilePiece] = []
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
    number: int, file: SourceFile, base: Path, format: str | None, chunk: int
) -> Iterator[tuple[FilePiece, int]]:
    path = base / file.name
    if is_parquet(path):
        yield from _row_groups(number, path, format, chunk)
        return
    cut = _cuttable(path, format) if file.size > chunk else None
    if cut is None:
        yield FilePiece(number, "whole", 0, file.size, format), file.size
        return
    for start in range(0, file.size, chunk):
        stop = min(file.size, start + chunk)
        yield FilePiece(number, "lines", start, stop, cut), stop - start


def _row_groups(
    number: int, path: Path, format: str | None, chunk: int
) -> Iterator[tuple[FilePiece, int]]:
    try:
        groups = row_groups(path)
        if not any(rows for rows, _ in groups):
            yield FilePiece(number, "whole", 0, 0, format), 0  # Reading it will report that.
            return
        named = format or format_of(path)
    except (Refused, OSError):
        yield FilePiece(number, "whole", 0, 0, format), 0  # Reading it will report what is wrong.
        return
    start = before = size = rows = 0
    for group, (count, bytes_) in enumerate(groups):
        if group > start and size + bytes_ > chunk:
            yield FilePiece(number, "rows", start, group, named, before), size
            start, before, size, rows = group, before + rows, 0, 0
        size, rows = size + bytes_, rows + count
    yield FilePiece(number, "rows", start, len(groups), named, before), size


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
        if sample.refusal is not None:
            raise sample.refusal
    except Refused:
        if not _bare(path).endswith(LINE_SUFFIXES):
            if source.is_text:
                return None  # A format of texts may read it as a whole.
            raise
        lines = Source.of_path(path).judged_by(SourceSample((), is_lines=True))
        values = (one.value for one in islice(lines.records(), MOST_LOOKED_AT))
        items = tuple(islice((one for one in values if isinstance(one, dict | list)), FIRST))
        if not items:
            raise
        sample = SourceSample(items, is_lines=True)
        source.judged_by(sample)
    if not sample.is_lines:
        return None
    known: Format = detect(source) if format is None else format_named(format)
    if isinstance(known, JsonFormat) and known.layout(sample)[0] is Layout.LINES:
        return known.name
    return None


LOST = (BROKEN, CUT_OFF, LEFT_OUT)
"""The warnings that say that a record was left out."""
BLOCK = 1 << 20
"""Bytes that are read at once."""
LINES = SourceSample((), is_lines=True)
"""What is known of a piece before anything of it is read."""
READ_FROM = {"sharegpt": "conversations", "gemini": "contents", "responses": "input"}
"""Where formats have the messages of a conversation, if not in ``messages``."""
SCRIPT = "it is a script; run it with ctxtui replay"
HOLDS_NOTHING = FormatWarning("empty-file")
TOO_MUCH = "it is too large or nested too deeply to be read here"


def why_unreadable(error: Exception) -> str:
    """Return the sentence about a record that could not be worked on."""
    match error:
        case Refused():
            return error.sentence
        case OSError():
            return f"it can't be read: {error.strerror or error}"
        case MemoryError() | RecursionError():
            return TOO_MUCH
    return f"ctxtui itself fails on it, please report that: {type(error).__name__}: {error}"


def which_is_read(value: Any, format: str) -> FormatWarning | None:
    """Return the warning about a record in which not only one key holds messages."""
    if not isinstance(value, dict):
        return None
    read = READ_FROM.get(format, "messages")
    holding = [key for key in HOLDERS if isinstance(value.get(key), list) and value[key]]
    if len(holding) < 2 or read not in holding:  # noqa: PLR2004 - one alone is obvious
        return None
    return FormatWarning.of("message-columns", [read, *(one for one in holding if one != read)])


def is_script(document: Any) -> bool:
    """Return whether a document has steps to be taken, so that it is not a conversation itself."""
    return isinstance(document, dict) and "messages" in document and "steps" in document


class UnreadableRecord(NamedTuple):
    """A record that can't be read: its place in the file, if one is known, and why."""

    place: int | None
    reason: str


class ReadItem(NamedTuple):
    """A conversation, its place in the file, and what of it could not be read as it stood."""

    place: int
    loaded: Loaded
    lost: tuple[FormatWarning, ...] = ()


SourceEvent = UnreadableRecord | ReadItem


class _PieceWarnings(WarningCollector):
    """Collects warnings, of which each that costs a record is an event of its own."""

    def __init__(self) -> None:
        super().__init__("line")
        self.bad: list[UnreadableRecord] = []
        self.others: dict[str, FormatWarning] = {}
        self._no_numbers: dict[int | None, list[str]] = {}

    def add(self, code: str, place: int | None = None, *names: str) -> None:
        """Take what costs a record as a bad one, and anything else as a warning."""
        if code in LOST:
            reason = names[0] if code == LEFT_OUT and names else said(code)
            reason = {BROKEN: "it is not JSON", CUT_OFF: "the line is cut off"}.get(code, reason)
            self.bad.append(UnreadableRecord(place, reason))
        else:
            self.note(FormatWarning(code))
            if code == NO_NUMBERS:
                self._no_numbers.setdefault(place, []).extend(names)

    def note(self, warning: FormatWarning) -> None:
        """Take a warning about the file, of each code the first."""
        self.others.setdefault(warning.code, warning)

    def lost(self, *places: int) -> tuple[FormatWarning, ...]:
        """Return what was lost of records at some places, or of all since this was last asked."""
        found = WarningCollector()
        for place, names in self._no_numbers.items():
            if not places or place in places:
                found.add(NO_NUMBERS, None, *names)
        self._no_numbers = {}
        return found.found()

    def drain(self) -> Iterator[UnreadableRecord]:
        bad, self.bad = self.bad, []
        yield from bad


class PieceReader:
    """Reads a piece; afterwards it knows how many lines that were and what else it warns of."""

    def __init__(self, path: Path, piece: FilePiece, only: Container[int] | None = None) -> None:
        """Take a piece of a file; ``only`` leaves out all but conversations at these places."""
        self._path, self._piece, self._only = path, piece, only
        self._noted = _PieceWarnings()
        self.lines = 0

    @property
    def warnings(self) -> tuple[FormatWarning, ...]:
        return tuple(self._noted.others[code] for code in sorted(self._noted.others))

    def __iter__(self) -> Iterator[SourceEvent]:
        """Yield conversations and bad records in the order of the file."""
        try:
            match self._piece.kind:
                case "rows":
                    yield from self._rows()
                case "lines":
                    yield from self._window()
                case _:
                    yield from self._whole()
        except Refused as refusal:
            yield from self._noted.drain()
            if self._is_empty():
                self._noted.note(HOLDS_NOTHING)
            else:
                yield UnreadableRecord(None, refusal.sentence)
        except UnicodeError:
            yield UnreadableRecord(None, TOO_MUCH)
        except Exception as error:
            yield UnreadableRecord(None, why_unreadable(error))

    def _rows(self) -> Iterator[SourceEvent]:
        piece = self._piece
        first = piece.before + 1
        rows = rows_of(self._path, piece.start, piece.stop)
        for place, row in enumerate(rows, first):
            for number in row.no_numbers:
                self._noted.add(NO_NUMBERS, place, number)
            yield from self._one(place, row.value, piece.format)

    def _window(self) -> Iterator[SourceEvent]:
        window = Window(self._path, self._piece.start, self._piece.stop)
        source = Source(window.opened).judged_by(LINES)
        yield from self._lines(source, self._piece.format)
        self.lines = window.lines

    def _whole(self) -> Iterator[SourceEvent]:
        if is_parquet(self._path):
            format_of(self._path)  # It could not be read before; now it says why.
        named = in_lines(self._path, self._piece.format)
        if named is not None:
            yield from self._lines(Source.of_path(self._path).judged_by(LINES), named)
            return
        source = Source.of_path(self._path)
        source.collector = self._noted
        if not (source.is_lines or source.is_text) and is_script(source.document()):
            raise Refused(SCRIPT)
        yield from self._loaded(source)

    def _is_empty(self) -> bool:
        """Return whether a file that was refused has no record at all, not even a bad one."""
        try:
            if is_parquet(self._path):
                return not any(rows for rows, _ in row_groups(self._path))
            return Source.of_path(self._path).is_blank
        except (Refused, OSError):
            return False

    def _lines(self, source: Source, named: str | None) -> Iterator[SourceEvent]:
        source.collector = self._noted
        for place, value in source.records():
            yield from self._noted.drain()
            yield from self._one(place, value, named)
        yield from self._noted.drain()

    def _one(self, place: int, value: Any, named: str | None) -> Iterator[SourceEvent]:
        """Yield what one value is: a conversation, or a bad record."""
        assert named is not None
        if self._only is not None and place not in self._only:
            return
        format = format_named(named)
        try:
            if not isinstance(format, JsonFormat):
                raise Refused(f"{named} has no conversation in a row")
            with gc_paused():
                loaded = format.read_one(value)
                losses = lost(value, loaded.conversation)
        except Exception as error:
            yield UnreadableRecord(place, why_unreadable(error))
        else:
            columns = which_is_read(value, named)
            if columns is not None:
                self._noted.note(columns)
            warnings = loaded.warnings
            if losses:
                warnings = (*warnings, warning_of(losses, "line"))
            loaded = replace(loaded, warnings=warnings, layout=Layout.LINES, place=place)
            yield ReadItem(place, loaded, self._noted.lost(place))

    def _loaded(self, source: Source) -> Iterator[SourceEvent]:
        source.collector = self._noted
        any_bad = found = False
        try:
            for number, loaded in enumerate(load_all(source, self._piece.format), 1):
                for bad in self._noted.drain():
                    any_bad = True
                    yield bad
                found = True
                is_of_many = loaded.layout in (Layout.LIST, Layout.LINES)
                place = loaded.place if is_of_many else number
                lost = () if is_of_many else self._noted.lost()
                if self._only is None or place in self._only:
                    yield ReadItem(place, loaded, lost)
        except Refused:
            for bad in self._noted.drain():
                any_bad = True
                yield bad
            if found or not any_bad:
                raise  # Otherwise each was reported.
        yield from self._noted.drain()


class Window(io.RawIOBase):
    """The lines of a file that start between two of its bytes, as a stream that counts them."""

    def __init__(self, path: Path, start: int, stop: int) -> None:
        super().__init__()
        self._path = path
        self._inner: BinaryIO | None = None
        self.lines = 0
        with path.open("rb") as stream:
            self._start, self._stop = _aligned(stream, start), _aligned(stream, stop)
        self._at = 0

    def opened(self) -> Any:
        """Return the window at its start, with the count reset."""
        self._inner = self._path.open("rb")
        self._inner.seek(self._start)
        self._at = self.lines = 0
        return self

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, place: int, whence: int = 0) -> int:
        assert whence == 0
        assert self._inner is not None
        self._at, self.lines = place, 0
        self._inner.seek(self._start + place)
        return place

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any) -> int:
        assert self._inner is not None
        room = min(len(buffer), self._stop - self._start - self._at)
        found = self._inner.read(max(0, room))
        buffer[: len(found)] = found
        self._at += len(found)
        self.lines += found.count(b"\n")
        return len(found)

    def close(self) -> None:
        if self._inner is not None:
            self._inner.close()
            self._inner = None


class ReadPiece(NamedTuple):
    """What a piece was when it was read: what the system said of its file, and its checksum.

    Without a checksum it was not the same file from the first byte to the last.
    """

    size: int
    changed: int
    status_changed: int
    inode: int
    checksum: str

    @property
    def stamp(self) -> Stamp:
        return self[:4]


Stamp = tuple[int, int, int, int]


def stamp_of(path: Path) -> Stamp | None:
    """Return what the system says of a file as it is now, or None if it is gone.

    The time at which the status changed can't be set: it shows what is rewritten even if size
    and time are put back.
    """
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino


def checksum_of(path: Path, piece: FilePiece) -> str:
    """Return the checksum of the bytes of a piece; empty if they can't be read."""
    digest = sha256()
    try:
        with path.open("rb") as stream:
            for start, stop in _byte_ranges(stream, path, piece):
                stream.seek(start)
                while start < stop and (block := stream.read(min(BLOCK, stop - start))):
                    digest.update(block)
                    start += len(block)
    except OSError:
        return ""
    return digest.hexdigest()


def _byte_ranges(stream: BinaryIO, path: Path, piece: FilePiece) -> list[tuple[int, int]]:
    match piece.kind:
        case "lines":
            return [(_aligned(stream, piece.start), _aligned(stream, piece.stop))]
        case "rows":
            with suppress(Refused, ValueError):  # Then it is no Parquet any more.
                return byte_ranges(path, piece.start, piece.stop)
    return [(0, stream.seek(0, io.SEEK_END))]


def _aligned(stream: BinaryIO, place: int) -> int:
    """Return where the first line starts at a place or behind it."""
    if place == 0:
        return 0
    stream.seek(place - 1)
    while (piece := stream.readline(BLOCK)) and not piece.endswith(b"\n"):
        pass  # However long a line is, it is never in memory here.
    return stream.tell()
