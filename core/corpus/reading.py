"""Reading a piece of a corpus: one conversation after the other, and what can't be read in between.

A bad record costs only itself: it is told with its place and the next one is read.
"""

from __future__ import annotations

import io
from collections.abc import Container, Iterator
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from ..errors import Refused
from ..formats import Layout, Loaded, Source, format_named, load_all
from ..formats.conservation import lost, warning_of
from ..formats.each import LEFT_OUT, OneEach
from ..formats.json_text import NO_NUMBERS
from ..formats.source import BROKEN, CUT_OFF, Sample
from ..formats.warnings import FormatWarning, WarningCollector, said
from ..values.collecting import uncollected
from . import parquet
from .files import Piece, in_lines

LOST = (BROKEN, CUT_OFF, LEFT_OUT)
"""The warnings that say that a record was left out."""
BLOCK = 1 << 20
"""Bytes that are read at once."""
LINES = Sample((), is_lines=True)
"""What is known of a piece before anything of it is read."""
READ_FROM = {"sharegpt": "conversations", "gemini": "contents", "responses": "input"}
"""Where formats have the messages of a conversation, if not in ``messages``."""
SCRIPT = "it is a script: what its steps lead to is told by ctxtui replay"
HOLDS_NOTHING = FormatWarning("empty-file")
TOO_MUCH = "it is too large or nested too deeply to be read here"


def own_fault(error: Exception) -> str:
    """Return what is told where the fault is not in the data."""
    return f"ctxtui itself fails on it, please report that: {type(error).__name__}: {error}"


def which_is_read(value: Any, format: str) -> FormatWarning | None:
    """Return the warning about a record in which not only one key holds messages."""
    if not isinstance(value, dict):
        return None
    read = READ_FROM.get(format, "messages")
    holding = [key for key in parquet.TEXTS if isinstance(value.get(key), list) and value[key]]
    if len(holding) < 2 or read not in holding:  # noqa: PLR2004 - one alone is obvious
        return None
    return FormatWarning.of("message-columns", [read, *(one for one in holding if one != read)])


def is_script(document: Any) -> bool:
    """Tell whether a document has steps to be taken, so that it is no conversation by itself."""
    return isinstance(document, dict) and "messages" in document and "steps" in document


class Bad(NamedTuple):
    """A record that can't be read: its place in the file, if one is known, and why."""

    place: int | None
    reason: str


class Found(NamedTuple):
    """A conversation, its place in the file, and what of it could not be read as it stood."""

    place: int
    loaded: Loaded
    lost: tuple[FormatWarning, ...] = ()


Event = Bad | Found


class _PieceWarnings(WarningCollector):
    """Collects warnings, of which each that costs a record is an event of its own."""

    def __init__(self) -> None:
        super().__init__("line")
        self.bad: list[Bad] = []
        self.others: dict[str, FormatWarning] = {}
        self._no_numbers: dict[int | None, list[str]] = {}

    def add(self, code: str, place: int | None = None, *names: str) -> None:
        """Take what costs a record as a bad one, and anything else as a warning."""
        if code in LOST:
            reason = names[0] if code == LEFT_OUT and names else said(code)
            reason = {BROKEN: "it is not JSON", CUT_OFF: "the line is cut off"}.get(code, reason)
            self.bad.append(Bad(place, reason))
        else:
            self.note(FormatWarning(code))
            if code == NO_NUMBERS:
                self._no_numbers.setdefault(place, []).extend(names)

    def note(self, warning: FormatWarning) -> None:
        """Take a warning about the file, of each code the first."""
        self.others.setdefault(warning.code, warning)

    def lost(self, *places: int) -> tuple[FormatWarning, ...]:
        """Return what was lost of records at some places, or of all since this was last asked."""
        told = WarningCollector()
        for place, names in self._no_numbers.items():
            if not places or place in places:
                told.add(NO_NUMBERS, None, *names)
        self._no_numbers = {}
        return told.found()

    def drain(self) -> Iterator[Bad]:
        bad, self.bad = self.bad, []
        yield from bad


class PieceReader:
    """Reads a piece; afterwards it knows how many lines that were and what else it warns of."""

    def __init__(self, path: Path, piece: Piece, only: Container[int] | None = None) -> None:
        """Take a piece of a file; ``only`` leaves out all but conversations at these places."""
        self._path, self._piece, self._only = path, piece, only
        self._noted = _PieceWarnings()
        self.lines = 0

    @property
    def warnings(self) -> tuple[FormatWarning, ...]:
        """Return the warnings about the file as a whole."""
        return tuple(self._noted.others[code] for code in sorted(self._noted.others))

    def __iter__(self) -> Iterator[Event]:
        """Yield conversations and bad records in the order in which they lie there."""
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
                yield Bad(None, refusal.sentence)
        except OSError as error:
            yield Bad(None, f"it can't be read: {error.strerror or error}")
        except (MemoryError, RecursionError, UnicodeError):
            yield Bad(None, TOO_MUCH)
        except Exception as error:
            yield Bad(None, own_fault(error))

    def _rows(self) -> Iterator[Event]:
        piece = self._piece
        first = piece.before + 1
        rows = parquet.rows_of(self._path, piece.start, piece.stop)
        for place, row in enumerate(rows, first):
            for number in row.no_numbers:
                self._noted.add(NO_NUMBERS, place, number)
            yield from self._one(place, row.value, piece.format)

    def _window(self) -> Iterator[Event]:
        window = Window(self._path, self._piece.start, self._piece.stop)
        source = Source(window.opened).judged_by(LINES)
        yield from self._lines(source, self._piece.format)
        self.lines = window.lines

    def _whole(self) -> Iterator[Event]:
        if parquet.is_parquet(self._path):
            parquet.format_of(self._path)  # It could not be read before; now it says why.
        named = in_lines(self._path, self._piece.format)
        if named is not None:
            yield from self._lines(Source.of_path(self._path).judged_by(LINES), named)
            return
        source = Source.of_path(self._path)
        source.collector = self._noted
        if not source.is_lines and is_script(source.document()):
            raise Refused(SCRIPT)
        yield from self._loaded(source)

    def _is_empty(self) -> bool:
        """Tell whether a file that was refused has no record at all, not even a bad one."""
        try:
            if parquet.is_parquet(self._path):
                return not any(rows for rows, _ in parquet.row_groups(self._path))
            return Source.of_path(self._path).is_blank
        except (Refused, OSError):
            return False

    def _lines(self, source: Source, named: str | None) -> Iterator[Event]:
        source.collector = self._noted
        for place, value in source.records():
            yield from self._noted.drain()
            yield from self._one(place, value, named)
        yield from self._noted.drain()

    def _one(self, place: int, value: Any, named: str | None) -> Iterator[Event]:
        """Yield what one value is: a conversation, or a bad record."""
        assert named is not None
        if self._only is not None and place not in self._only:
            return
        format = format_named(named)
        try:
            if not isinstance(format, OneEach):
                raise Refused(f"{named} has no conversation in a row")
            with uncollected():
                loaded = format.read_one(value)
                losses = lost(value, loaded.conversation)
        except Refused as refusal:
            yield Bad(place, refusal.sentence)
        except (MemoryError, RecursionError):
            yield Bad(place, TOO_MUCH)
        except Exception as error:
            yield Bad(place, own_fault(error))
        else:
            told = which_is_read(value, named)
            if told is not None:
                self._noted.note(told)
            warnings = loaded.warnings
            if losses:
                warnings = (*warnings, warning_of(losses, "line"))
            loaded = replace(loaded, warnings=warnings, layout=Layout.LINES, place=place)
            yield Found(place, loaded, self._noted.lost(place))

    def _loaded(self, source: Source) -> Iterator[Event]:
        """Read a file in whatever way its format lies there."""
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
                    yield Found(place, loaded, lost)
        except Refused:
            for bad in self._noted.drain():
                any_bad = True
                yield bad
            if found or not any_bad:
                raise  # Else each was told by itself.
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
        """Return the window from its start, counting anew."""
        self._inner = self._path.open("rb")
        self._inner.seek(self._start)
        self._at = self.lines = 0
        return self

    def readable(self) -> bool:
        """Tell that it can be read."""
        return True

    def seekable(self) -> bool:
        """Tell that it can go back to its start."""
        return True

    def seek(self, place: int, whence: int = 0) -> int:
        """Go back to a place before anything is counted."""
        assert whence == 0
        assert self._inner is not None
        self._at, self.lines = place, 0
        self._inner.seek(self._start + place)
        return place

    def tell(self) -> int:
        """Return the place it is at."""
        return self._at

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer; 0 is the end."""
        assert self._inner is not None
        room = min(len(buffer), self._stop - self._start - self._at)
        found = self._inner.read(max(0, room))
        buffer[: len(found)] = found
        self._at += len(found)
        self.lines += found.count(b"\n")
        return len(found)

    def close(self) -> None:
        """Let go of the file; it may be opened again."""
        if self._inner is not None:
            self._inner.close()
            self._inner = None


class Seen(NamedTuple):
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
        """Return what the system said of the file."""
        return self[:4]


def read_seen(data: Any) -> list[Seen] | None:
    """Return what was noted of pieces, or None for a note of another shape."""
    found = []
    for one in data if isinstance(data, list) else [None]:
        match one:
            case [int(size), int(changed), int(status_changed), int(inode), str(checksum)]:
                found.append(Seen(size, changed, status_changed, inode, checksum))
            case _:
                return None
    return found


Stamp = tuple[int, int, int, int]


def stamp_of(path: Path) -> Stamp | None:
    """Return what the system says of a file as it is now, or None if it is gone.

    Nobody can set the time at which the status changed: it tells of what is rewritten even if size
    and time are put back.
    """
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino


def checksum_of(path: Path, piece: Piece) -> str:
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


def _byte_ranges(stream: BinaryIO, path: Path, piece: Piece) -> list[tuple[int, int]]:
    match piece.kind:
        case "lines":
            return [(_aligned(stream, piece.start), _aligned(stream, piece.stop))]
        case "rows":
            with suppress(Refused, ValueError):  # Then it is no Parquet any more.
                return parquet.byte_ranges(path, piece.start, piece.stop)
    return [(0, stream.seek(0, io.SEEK_END))]


def _aligned(stream: BinaryIO, place: int) -> int:
    """Return where the first line starts at a place or behind it."""
    if place == 0:
        return 0
    stream.seek(place - 1)
    while (piece := stream.readline(BLOCK)) and not piece.endswith(b"\n"):
        pass  # However long a line is, it is never in memory here.
    return stream.tell()
