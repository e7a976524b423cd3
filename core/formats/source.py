"""Sources: the bytes of a file, packed or in any encoding, as JSON values."""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, Self

from ..errors import Refused
from .conservation import RecordLedger
from .fields import is_object
from .foreign import store_kind
from .json_text import NO_NUMBERS, NotJson, read_dirty_json
from .tables import ARCHIVE, ARROW, CSV, PARQUET, STREAM, TableRow, is_table, table_rows
from .warnings import FormatWarning, WarningCollector

MIB = 1 << 20
MOST_WINDOW = 128 * MIB
"""Bytes that zstd may look back; who asks for more wants memory, not data."""
MOST_BYTES = 1024 * MIB
"""Bytes of a document, or of one line: what is parsed takes several times as much memory."""
PACKED_BLOCK_BYTES = 64 * 1024
"""Bytes that are read at once."""
ZSTD_PIECE_BYTES = 1024
"""Packed bytes given to zstd at once: it has no limit of its own, and makes 32 MiB of them at most.
"""
GZIP_MEMBER = 31
"""What zlib calls gzip with its head and its checksum."""
GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"
UTF_8_MARK = b"\xef\xbb\xbf"
UTF_16_STARTS: dict[bytes, str] = {
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
    **{bytes((ord(bracket), 0)): "utf-16-le" for bracket in "{["},
    **{bytes((0, ord(bracket))): "utf-16-be" for bracket in "{["},
}
"""How UTF-16 begins: with its mark, or with JSON that has none."""

DATABASE = "an SQLite database"
BINARY: tuple[tuple[int, bytes, str], ...] = (
    (0, b"SQLite format 3\0", DATABASE),
    (0, b"PAR1", PARQUET),
    (0, b"ARROW1\0\0", ARROW),
    (0, b"\xff\xff\xff\xff", STREAM),  # Which Hugging Face data sets are stored as.
    (0, b"FEA1", "a Feather file"),
    (0, b"Obj\x01", "an Avro file"),
    (0, b"PK\x03\x04", ARCHIVE),
    (0, b"PK\x05\x06", "an empty ZIP archive"),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (0, b"Rar!\x1a\x07", "a RAR archive"),
    (257, b"ustar", "a tar archive"),
    (0, b"BZh", "a bzip2 file"),
    (0, b"\xfd7zXZ\0", "an xz file"),
    (0, b"\x04\x22\x4d\x18", "an LZ4 file"),
    (0, b"%PDF-", "a PDF document"),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office document"),
    (0, b"\x89PNG\r\n", "a PNG image"),
    (0, b"\xff\xd8\xff", "a JPEG image"),
    (0, b"GIF87a", "a GIF image"),
    (0, b"GIF89a", "a GIF image"),
    (8, b"WEBPVP8", "a WebP image"),
    (0, b"II*\0", "a TIFF image"),
    (0, b"MM\0*", "a TIFF image"),
    (8, b"WAVEfmt", "a WAV recording"),
    (0, b"OggS\0", "an Ogg recording"),
    (4, b"ftyp", "a video or a sound in MP4"),
    (0, b"\x93NUMPY", "a NumPy array"),
    (0, b"\x89HDF\r\n", "an HDF5 file"),
    (0, b"\x7fELF", "a program"),
    *((0, bytes((0x80, version)), "a Python pickle") for version in range(2, 6)),
)
"""Where the bytes are by which a file is known that is no text, and what it is."""
TABLES = (PARQUET, ARROW, STREAM, ARCHIVE)
BINARY_HEAD = max(at + len(mark) for at, mark, _ in BINARY)

Note = Callable[[str], None]
if TYPE_CHECKING:
    Stream = io.BufferedReader[Any]


def unpacked(stream: Stream, note: Note) -> Stream:
    """Return what is in a stream that can seek, unpacked if it is packed."""
    first = stream.read(len(ZSTD))
    stream.seek(0)
    if first.startswith(GZIP):
        return io.BufferedReader(_Unpacking(_Gzip(stream), (EOFError, zlib.error), note), MIB)
    if first.startswith(ZSTD):
        reader, error = _zstd_reader(stream)
        return io.BufferedReader(_Unpacking(reader, (EOFError, error), note), MIB)
    return stream


class _Unpacking(io.RawIOBase):
    """Unpacked bytes up to where the packed ones are damaged, which is noted."""

    def __init__(self, inner: Any, errors: tuple[type[Exception], ...], note: Note) -> None:
        super().__init__()
        self._inner, self._errors, self._note = inner, errors, note

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            found = self._inner.read(len(buffer))
        except self._errors:
            self._note("packed-data-damaged")
            return 0
        buffer[: len(found)] = found
        return len(found)


class _Gzip:
    """Unpacks gzip members one after the other; unlike the standard class up to a damage."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._unpacker = zlib.decompressobj(GZIP_MEMBER)
        self._rest = b""

    def read(self, size: int) -> bytes:
        """Return some bytes, at most so many; none at the end."""
        found = b""
        while not found:
            is_over = self._unpacker.eof
            if is_over:
                self._rest = self._unpacker.unused_data.lstrip(b"\0")
            self._rest = self._rest or self._stream.read(PACKED_BLOCK_BYTES)
            if not self._rest:
                if is_over:
                    return b""
                raise EOFError
            if is_over:
                self._unpacker = zlib.decompressobj(GZIP_MEMBER)
            found = self._unpacker.decompress(self._rest, size)
            self._rest = self._unpacker.unconsumed_tail
        return found


def _zstd_reader(stream: Stream) -> tuple[Any, type[Exception]]:
    """Return what unpacks zstd, and its error: the standard library's, where it has one."""
    try:
        zstd = import_module("compression.zstd")
    except ImportError:
        zstd = import_module("zstandard")
        return _Zstd(stream, zstd.ZstdDecompressor(max_window_size=MOST_WINDOW)), zstd.ZstdError
    return zstd.ZstdFile(stream), zstd.ZstdError


class _Zstd:
    """Unpacks zstd frames one after the other; unlike the library's reader it notices a cut."""

    def __init__(self, stream: Stream, zstd: Any) -> None:
        self._stream, self._zstd = stream, zstd
        self._unpacker = zstd.decompressobj()
        self._found = memoryview(b"")

    def read(self, size: int) -> bytes | memoryview:
        """Return some bytes, at most so many; none at the end."""
        while not self._found:
            is_over = self._unpacker.eof
            rest = self._unpacker.unused_data if is_over else b""
            rest = rest or self._stream.read(ZSTD_PIECE_BYTES)
            if not rest:
                if is_over:
                    return b""
                raise EOFError
            if is_over:
                self._unpacker = self._zstd.decompressobj()
            self._found = memoryview(self._unpacker.decompress(rest))
        found, self._found = self._found[:size], self._found[size:]
        return found


def binary_kind(head: bytes) -> str | None:
    """Return what a file is that begins with some bytes; None for one that may be text."""
    return next((what for at, mark, what in BINARY if head[at : at + len(mark)] == mark), None)


def must_be_text(stream: Stream) -> None:
    """Refuse what is known to be no text, by its name."""
    if (what := binary_kind(stream.peek(BINARY_HEAD)[:BINARY_HEAD])) is not None:
        store = store_kind(stream.peek(HEAD)) if what == DATABASE else None
        whose = "" if store is None else f" of {store[0]}"
        instead = f"; give {store[1]}" if store and store[1] else ""
        raise Refused(
            f"it is {what}{whose}, which ctxtui can't read{instead}",
            field="text",
            legal="JSON or JSONL; gzip or zstd of them",
        )


def encoding_of(stream: Stream) -> str:
    """Return the encoding a stream begins with, and step over the mark of UTF-8."""
    first = stream.peek(len(ZSTD))
    if first.startswith(UTF_8_MARK):
        stream.read(len(UTF_8_MARK))
    return UTF_16_STARTS.get(first[:2], "utf-8")


def in_utf_8(content: bytes, encoding: str) -> bytes:
    """Return a whole content in UTF-8."""
    if encoding == "utf-8":
        return content
    try:
        return content.decode(encoding, "surrogatepass").encode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise _no_text(error) from None


def lines_of(
    stream: Stream, encoding: str, most: int = MOST_BYTES, longest: int | None = None
) -> Iterator[bytes]:
    """Yield the lines of a stream as UTF-8, each with its end, one at a time.

    A line above ``longest`` is refused as one above ``most`` would be.
    """
    longest = most if longest is None else longest
    if encoding == "utf-8":
        read: Callable[[int], bytes] = stream.readline
    else:
        text = io.TextIOWrapper(stream, encoding, errors="surrogatepass", newline="\n")

        def read(size: int) -> bytes:
            return text.readline(size).encode("utf-8", "surrogatepass")

    while line := _collected(read, longest, most, b"\n"):
        yield line


def content_of(stream: Stream, most: int = MOST_BYTES) -> bytes:
    """Return all bytes of a stream; more than ``most`` are refused, and are never in memory."""
    return _collected(stream.read, most, most, b"")


def _collected(read: Callable[[int], bytes], longest: int, most: int, end: bytes) -> bytes:
    """Return what is read in blocks, up to an end; above ``longest`` it is refused.

    What is refused takes no more memory than what would have been accepted, and none afterwards.
    """
    try:
        first = block = read(min(PACKED_BLOCK_BYTES, longest + 1))
        if end and block.endswith(end) and len(block) <= longest:
            return block
        found = bytearray()
        while block:
            found += block
            if len(found) > longest:
                found.clear()
                raise too_large(most)
            if end and block.endswith(end):
                break
            block = read(min(PACKED_BLOCK_BYTES, longest + 1 - len(found)))
    except UnicodeDecodeError as error:
        raise _no_text(error) from None
    return first if len(found) == len(first) else bytes(found)


def _no_text(error: UnicodeDecodeError) -> Refused:
    return Refused(f"it is not {error.encoding.upper()} text: {error.reason}", field="text")


def too_large(most: int) -> Refused:
    """Return the refusal of more than is read at once."""
    return Refused(
        f"a line or document in it is larger than the {most // MIB:,} MiB limit",
        field="text",
        legal=f"at most {most // MIB:,} MiB",
    )


FIRST = 50
"""Lines of a file that its format is detected by."""
HEAD = 64 * 1024
"""Bytes of a text that is no JSON, or of a database, that it is known by."""
MOST_LOOKED_AT = 64 * MIB
"""Bytes after which no further line is used for that."""
BLOCK_BYTES = 256 * 1024
PARSING_SHARE = 0.2
"""The share of opening a document that reading its bytes takes; what follows takes the rest."""
BROKEN = "line-not-json"
CUT_OFF = "line-cut-off"
NO_OBJECTS = "not-an-object"

Opener = Callable[[], BinaryIO]


class SourceRecord(NamedTuple):
    """One JSON value, and the number of its line (or of its place in a list), counted from 1."""

    line: int
    value: Any


class SourceObject(NamedTuple):
    """A record that is a JSON object."""

    line: int
    value: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SourceSample:
    """What a format is judged by: the whole document, or the first values of a file of lines."""

    items: tuple[Any, ...]
    is_lines: bool = False
    text: str | None = None
    """How a text begins that is no JSON; then there are no items."""
    refusal: Refused | None = None
    """Why it is no JSON."""

    @property
    def data(self) -> Any:
        """Return the document, or the list of the first lines."""
        return list(self.items) if self.is_lines or not self.items else self.items[0]


class Source:
    """Data to be read, any number of times; nothing of it is read before it is asked for."""

    def __init__(
        self,
        open: Opener,
        *,
        size: int = 0,
        step: Callable[[float], None] = lambda _: None,
        around: Callable[[object], object] = lambda data: data,
        most: int = MOST_BYTES,
        as_lines: bool = False,
    ) -> None:
        """Take data from what ``open`` gives: a binary stream that can seek.

        Of ``size`` bytes, ``step`` is given the share that is read, and may raise to stop it;
        ``around`` is put around a parsed document, to watch it being read. ``as_lines`` takes even
        a single line for the first of a file of lines.
        """
        self.collector = WarningCollector("line")
        self._open, self._size, self._step, self._most = open, size, step, most
        self._around, self._as_lines = around, as_lines
        self._parsed: list[object] = []
        self._sample: SourceSample | None = None
        self._table: str | None = None
        """What kind of table it is, if it is one."""
        self.path: Path | None = None
        """Where it lies, if files next to it belong to it."""
        self.opens: Callable[[Path], BinaryIO] = _open
        self.ledger: RecordLedger | None = None
        """What remembers every value that is handed out, while something reads this."""

    @classmethod
    def of_bytes(cls, content: bytes, **options: Any) -> Source:
        return cls(lambda: io.BytesIO(content), size=len(content), **options)

    @classmethod
    def of_text(cls, text: str, **options: Any) -> Source:
        """Return a source of text that was typed or pasted; lone surrogates stay."""
        return cls.of_bytes(text.encode("utf-8", "surrogatepass"), **options)

    @classmethod
    def of_path(cls, path: str | Path, **options: Any) -> Source:
        size = Path(path).stat().st_size
        new = cls(partial(_open, Path(path)), size=size, **options)
        new.path = Path(path)
        return new

    def beside(self, pattern: str) -> Iterator[tuple[Path, Source]]:
        """Yield the files next to this one whose names have a pattern, in their order."""
        if self.path is None:
            return
        for path in sorted(self.path.parent.glob(pattern)):
            if path.is_file():
                yield path, Source(partial(self.opens, path), size=path.stat().st_size)

    @classmethod
    def of_data(cls, data: object) -> Source:
        """Return a source of one parsed JSON value."""
        new = cls(io.BytesIO)
        new._parsed = [data]
        new._sample = SourceSample((data,))
        return new

    @classmethod
    def of_items(cls, items: Sequence[object]) -> Source:
        """Return a source of parsed values that lay in a file of lines."""
        new = cls(io.BytesIO)
        new._parsed, new._sample = [list(items)], SourceSample(tuple(items), is_lines=True)
        return new

    def judged_by(self, sample: SourceSample) -> Self:
        """Let this be judged by a sample that is known already, instead of what it begins with."""
        self._sample = sample
        return self

    @property
    def sample(self) -> SourceSample:
        """Return what this is judged by; a document is parsed for it, and only once."""
        if self._sample is None:
            self._sample = self._looked()
            self.collector.noun = "line" if self._sample.is_lines else "item"
        return self._sample

    @property
    def is_lines(self) -> bool:
        """Return whether there is a JSON value in each line, instead of one in all."""
        return self.sample.is_lines

    @property
    def is_text(self) -> bool:
        """Return whether it is a text that is no JSON."""
        return self.sample.text is not None

    def text(self) -> str:
        """Return the whole text; what is no UTF-8 in it is replaced."""
        with self._opened() as (stream, encoding):
            return in_utf_8(content_of(stream, self._most), encoding).decode("utf-8", "replace")

    def handed_out(self, texts: Sequence[str]) -> None:
        """Remember the texts that a format has found in a text that is no JSON."""
        if self.ledger is not None:
            self.ledger.take(None, list(texts))

    @property
    def is_blank(self) -> bool:
        """Return whether there is nothing in it at all; what is cut off may have had something."""
        return not self._first_lines()[0] and not self.warnings

    @property
    def warnings(self) -> tuple[FormatWarning, ...]:
        return self.collector.found()

    def blocks(self) -> Iterator[bytes]:
        """Yield the bytes as they are stored, packed or not, for a checksum."""
        with self._open() as stream:
            while block := stream.read(BLOCK_BYTES):
                yield block

    def document(self) -> Any:
        document = self._document()
        if self.ledger is not None:
            self.ledger.take(None, document)
        return document

    def _document(self) -> Any:
        if not self._parsed:
            with self._opened(PARSING_SHARE) as (stream, encoding):
                content = content_of(stream, self._most)
            self._parsed = [self._around(self._read(in_utf_8(content, encoding), None))]
        return self._parsed[0]

    def records(self) -> Iterator[SourceRecord]:
        """Yield each value: of every line, or of a list, or the one there is.

        Lines that can't be read are noted and left out.
        """
        if not self.is_lines:
            document = self._document()
            if isinstance(document, list):
                for number, value in enumerate(document, 1):
                    yield self._handed_out(number, value)
            else:
                if self.ledger is not None:
                    self.ledger.take(None, document)
                yield SourceRecord(1, document)
            return
        if self._table is not None:
            for number, row in enumerate(self._rows(self._table), 1):
                for word in row.no_numbers:
                    self.collector.add(NO_NUMBERS, number, word)
                yield self._handed_out(number, row.value)
            return
        if self._parsed and isinstance(self._parsed[0], list):
            yield from (self._handed_out(i, one) for i, one in enumerate(self._parsed[0], 1))
            return
        yield from self._read_lines()

    def _read_lines(self) -> Iterator[SourceRecord]:
        with self._opened() as (stream, encoding):
            for number, line in enumerate(lines_of(stream, encoding, self._most), 1):
                if line.isspace():
                    continue
                try:
                    value = self._read(line, number)
                except Refused as refusal:
                    why = refusal.why if isinstance(refusal, NotJson) else refusal.sentence
                    if line.endswith(b"\n"):
                        self.collector.add(BROKEN, number, why)
                    else:
                        self.collector.add(CUT_OFF, number)
                else:
                    yield self._handed_out(number, value)

    def rows(self) -> Iterator[SourceObject]:
        """Yield each value that is a JSON object; others are noted and left out."""
        for number, value in self.records():
            if is_object(value):
                yield SourceObject(number, value)
            else:
                self.leave_out(NO_OBJECTS, number)

    def again(self) -> Iterator[tuple[int | None, Any]]:
        """Yield each record once more, without any note; the whole where it is no list."""
        other = Source(self._open, size=self._size, most=self._most, as_lines=self._as_lines)
        other._parsed, other._sample = self._parsed, self._sample
        other._table = self._table
        if self.is_text:
            yield None, other.text().splitlines()
        elif self.is_lines:
            yield from other.records()
        else:
            yield None, other.document()
            yield from enumerate(other.document(), 1) if isinstance(other.document(), list) else ()

    def leave_out(self, code: str, number: int | None, *names: str) -> None:
        """Note that a record is left out as a whole, and so whatever text it has."""
        self.collector.add(code, number, *names)
        if self.ledger is not None:
            self.ledger.leave_out(number)

    def _handed_out(self, number: int, value: Any) -> SourceRecord:
        if self.ledger is not None:
            self.ledger.take(number, value)
        return SourceRecord(number, value)

    def _read(self, line: bytes, number: int | None) -> object:
        """Return the value of some JSON, noting what could not be read as it is."""
        return read_dirty_json(line, lambda word: self.collector.add(NO_NUMBERS, number, word))

    def _looked(self) -> SourceSample:
        """Return the first values of a file of lines, or the one value of all lines together."""
        with self._unpacked(PARSING_SHARE) as stream:
            kind = binary_kind(stream.peek(BINARY_HEAD)[:BINARY_HEAD])
        if kind in TABLES:
            return self._first_rows(kind)
        sample = self._looked_at_text()
        if sample.text is not None and is_table(sample.text):
            return self._first_rows(CSV)
        return sample

    def _first_rows(self, kind: str) -> SourceSample:
        """Return the sample of a table, which is read like a file of lines."""
        self._table = kind
        rows = tuple(row.value for row in islice(self._rows(kind), FIRST))
        if not rows:
            raise Refused(f"it is {kind} without any row", field="text")
        return SourceSample(rows, is_lines=True)

    def _rows(self, kind: str) -> Iterator[TableRow]:
        with self._unpacked() as stream:
            whole = stream if stream.seekable() else io.BytesIO(content_of(stream, self._most))
            yield from table_rows(kind, whole)

    def _looked_at_text(self) -> SourceSample:
        first, is_whole = self._first_lines()
        if len(first) == 1 and is_whole and not self._as_lines:
            try:
                self._parsed = [self._around(self._read(first[0], None))]
            except NotJson as refusal:
                return _text_sample(first, refusal)
            return SourceSample((self._parsed[0],))
        values = [_value(line) for line in first]
        items = tuple(value for value in values if isinstance(value, Mapping | list))
        if items and values[0] is items[0]:
            return SourceSample(items, is_lines=True)
        try:
            return SourceSample((self._document(),))
        except Refused as refusal:
            # A broken first line does not make the others one document.
            if len(items) < 2:  # noqa: PLR2004 - one alone says nothing about the others
                if items:
                    raise
                return _text_sample(first, refusal)
            return SourceSample(items, is_lines=True)

    def _first_lines(self) -> tuple[list[bytes], bool]:
        """Return the first lines that are not blank, and whether these are all."""
        found: list[bytes] = []
        size = 0
        # A file that is too large to be a document has no first line of that length, either.
        longest = self._most if self._size <= self._most else min(self._most, MOST_LOOKED_AT)
        with self._opened(PARSING_SHARE) as (stream, encoding):
            for line in lines_of(stream, encoding, self._most, longest):
                if line.isspace():
                    continue
                if len(found) == FIRST or size > min(MOST_LOOKED_AT, self._most):
                    return found, False
                found.append(line)
                size += len(line)
        return found, True

    @contextmanager
    def _opened(self, share: float = 1.0) -> Iterator[tuple[io.BufferedReader[Any], str]]:
        """Open the data from its start, unpacked and past a mark of UTF-8."""
        with self._unpacked(share) as stream:
            must_be_text(stream)
            yield stream, encoding_of(stream)

    @contextmanager
    def _unpacked(self, share: float = 1.0) -> Iterator[io.BufferedReader[Any]]:
        with self._open() as packed:
            watched = io.BufferedReader(
                _ProgressStream(packed, self._size / share, self._step), BLOCK_BYTES
            )
            yield unpacked(watched, self.collector.add)


class _ProgressStream(io.RawIOBase):
    """A stream that reports which share of it has been read."""

    def __init__(self, inner: BinaryIO, size: float, step: Callable[[float], None]) -> None:
        super().__init__()
        self._inner, self._size, self._step = inner, max(1, size), step

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, place: int, whence: int = 0) -> int:
        return self._inner.seek(place, whence)

    def tell(self) -> int:
        return self._inner.tell()

    def readinto(self, buffer: Any) -> int:
        found: int = self._inner.readinto(buffer)  # type: ignore[attr-defined]
        self._step(min(1.0, self._inner.tell() / self._size))
        return found


def _open(path: Path) -> BinaryIO:
    return path.open("rb")


def _text_sample(lines: Sequence[bytes], refusal: Refused) -> SourceSample:
    """Return the sample of what is no JSON, or refuse what is broken JSON or nothing."""
    head = b"".join(lines)[:HEAD]
    if not head or head.lstrip().startswith((b"{", b"[")):
        raise refusal
    return SourceSample((), text=head.decode("utf-8", "replace"), refusal=refusal)


def _value(line: bytes) -> object:
    """Return what a line holds, or None if that is not JSON."""
    try:
        return read_dirty_json(line, lambda _: None)
    except Refused:
        return None
