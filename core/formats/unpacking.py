"""Unpacking: bytes as they lie on a disk become lines of UTF-8, whatever packed or encoded them."""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..errors import Refused

MIB = 1 << 20
MOST_WINDOW = 128 * MIB
"""Bytes that zstd may look back; who asks for more wants memory, not data."""
MOST_BYTES = 1024 * MIB
"""Bytes of a document, or of one line: what is parsed takes several times as much memory."""
BLOCK_BYTES = 64 * 1024
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
    **{bytes((ord(sign), 0)): "utf-16-le" for sign in "{["},
    **{bytes((0, ord(sign))): "utf-16-be" for sign in "{["},
}
"""How UTF-16 begins: with its mark, or with JSON that has none."""

PARQUET = "a Parquet file"
BINARY: tuple[tuple[int, bytes, str], ...] = (
    (0, b"SQLite format 3\0", "an SQLite database"),
    (0, b"PAR1", PARQUET),
    (0, b"ARROW1\0\0", "an Arrow file"),
    (0, b"FEA1", "a Feather file"),
    (0, b"Obj\x01", "an Avro file"),
    (0, b"PK\x03\x04", "a ZIP archive, or a document that is one inside"),
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
        errors = (EOFError, _zstd().ZstdError)
        return io.BufferedReader(_Unpacking(_zstd_reader(stream), errors, note), MIB)
    return stream


class _Unpacking(io.RawIOBase):
    """Unpacked bytes up to where the packed ones are damaged, which is noted."""

    def __init__(self, inner: Any, errors: tuple[type[Exception], ...], note: Note) -> None:
        super().__init__()
        self._inner, self._errors, self._note = inner, errors, note

    def readable(self) -> bool:
        """Tell that it can be read, as a buffer wants to know."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer; 0 is the end."""
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
            self._rest = self._rest or self._stream.read(BLOCK_BYTES)
            if not self._rest:
                if is_over:
                    return b""
                raise EOFError
            if is_over:
                self._unpacker = zlib.decompressobj(GZIP_MEMBER)
            found = self._unpacker.decompress(self._rest, size)
            self._rest = self._unpacker.unconsumed_tail
        return found


def _zstd() -> Any:
    """Return the module that knows zstd: that of the standard library, where it has one."""
    try:
        return import_module("compression.zstd")
    except ImportError:
        return import_module("zstandard")


def _zstd_reader(stream: Stream) -> Any:
    zstd = _zstd()
    if hasattr(zstd, "ZstdFile"):
        return zstd.ZstdFile(stream)
    return _Zstd(stream, zstd.ZstdDecompressor(max_window_size=MOST_WINDOW))


class _Zstd:
    """Unpacks zstd frames one after the other; unlike the library's reader it tells a cut."""

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
        reads = "only ctxtui corpus reads" if what == PARQUET else "ctxtui can't read"
        raise Refused(
            f"it is {what}, which {reads}",
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
        first = block = read(min(BLOCK_BYTES, longest + 1))
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
            block = read(min(BLOCK_BYTES, longest + 1 - len(found)))
    except UnicodeDecodeError as error:
        raise _no_text(error) from None
    return first if len(found) == len(first) else bytes(found)


def _no_text(error: UnicodeDecodeError) -> Refused:
    return Refused(f"it is not {error.encoding.upper()} text: {error.reason}", field="text")


def too_large(most: int) -> Refused:
    """Return the refusal of more than is read at once."""
    return Refused(
        f"it holds more than {most // MIB:,} MiB in one piece, the most that is read",
        field="text",
        legal=f"at most {most // MIB:,} MiB",
    )
