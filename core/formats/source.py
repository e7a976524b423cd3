"""Sources: where data comes from; bytes, a file, text or parsed data, as found in the wild.

A source gives its data in one of two ways. ``document()`` is the whole as one JSON value;
``records()`` is one value after the other, never more than one line of a file in memory. Whatever
is wrong on the way (a broken line, NaN, a file that is cut off) is noted in ``collector`` with its
line, and the rest is read.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Self

from ..errors import Refused
from .conservation import Ledger
from .json_text import NO_NUMBERS, read_dirty_json
from .objects import is_object
from .unpacking import (
    MIB,
    MOST_BYTES,
    content_of,
    encoding_of,
    in_utf_8,
    lines_of,
    must_be_text,
    unpacked,
)
from .warnings import FormatWarning, WarningCollector

FIRST = 20
"""Lines of a file that are looked at to find out what it is."""
MOST_LOOKED_AT = 64 * MIB
"""Bytes after which no further line is looked at."""
BLOCK_BYTES = 256 * 1024
"""Bytes read at once."""
PARSING_SHARE = 0.2
"""The share of opening a document that reading its bytes takes; what follows takes the rest."""
BROKEN = "line-not-json"
CUT_OFF = "line-cut-off"
NO_OBJECTS = "not-an-object"

Opener = Callable[[], BinaryIO]


class Record(NamedTuple):
    """One JSON value, and the number of its line (or of its place in a list), counted from 1."""

    line: int
    value: Any


class Row(NamedTuple):
    """A record that is a JSON object."""

    line: int
    value: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Sample:
    """What a format is judged by: the whole document, or the first values of a file of lines."""

    items: tuple[Any, ...]
    is_lines: bool = False


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

        Of ``size`` bytes, ``step`` is told which share is read, and may raise to stop it;
        ``around`` is put around a parsed document, to watch it being read. ``as_lines`` takes even
        a single line for the first of a file of lines.
        """
        self.collector = WarningCollector("line")
        self._open, self._size, self._step, self._most = open, size, step, most
        self._around, self._as_lines = around, as_lines
        self._parsed: list[object] = []
        self._sample: Sample | None = None
        self.ledger: Ledger | None = None
        """What remembers every value that is handed out, while something reads this."""

    @classmethod
    def of_bytes(cls, content: bytes, **options: Any) -> Source:
        """Return a source of what a file held."""
        return cls(lambda: io.BytesIO(content), size=len(content), **options)

    @classmethod
    def of_text(cls, text: str, **options: Any) -> Source:
        """Return a source of text that was typed or pasted; lone surrogates stay."""
        return cls.of_bytes(text.encode("utf-8", "surrogatepass"), **options)

    @classmethod
    def of_path(cls, path: str | Path, **options: Any) -> Source:
        """Return a source of a regular file."""
        size = Path(path).stat().st_size
        return cls(lambda: Path(path).open("rb"), size=size, **options)

    @classmethod
    def of_data(cls, data: object) -> Source:
        """Return a source of one parsed JSON value."""
        new = cls(io.BytesIO)
        new._parsed = [data]
        new._sample = Sample((data,))
        return new

    def judged_by(self, sample: Sample) -> Self:
        """Let this be judged by a sample that is known already, instead of what it begins with."""
        self._sample = sample
        return self

    @property
    def sample(self) -> Sample:
        """Return what this is judged by; a document is parsed for it, and only once."""
        if self._sample is None:
            self._sample = self._looked()
            self.collector.noun = "line" if self._sample.is_lines else "item"
        return self._sample

    @property
    def is_lines(self) -> bool:
        """Tell whether there is a JSON value in each line, instead of one in all."""
        return self.sample.is_lines

    @property
    def is_blank(self) -> bool:
        """Tell whether there is nothing in it at all; what is cut off may have had something."""
        return not self._first_lines()[0] and not self.warnings

    @property
    def warnings(self) -> tuple[FormatWarning, ...]:
        """Return a warning for each kind of thing that was wrong in what was read so far."""
        return self.collector.found()

    def blocks(self) -> Iterator[bytes]:
        """Yield the bytes as they lie there, packed or not; for whoever wants their checksum."""
        with self._open() as stream:
            while block := stream.read(BLOCK_BYTES):
                yield block

    def document(self) -> Any:
        """Return the whole as one JSON value, or refuse it."""
        document = self._document()
        if self.ledger is not None:
            self.ledger.take(None, document)
        return document

    def _document(self) -> Any:
        if not self._parsed:
            with self._opened(PARSING_SHARE) as (stream, encoding):
                content = content_of(stream, self._most)
            self._keep(self._read(in_utf_8(content, encoding), None))
        return self._parsed[0]

    def records(self) -> Iterator[Record]:
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
                yield Record(1, document)
            return
        with self._opened() as (stream, encoding):
            for number, line in enumerate(lines_of(stream, encoding, self._most), 1):
                if line.isspace():
                    continue
                try:
                    value = self._read(line, number)
                except Refused as refusal:
                    self._note_broken(number, line, refusal)
                else:
                    yield self._handed_out(number, value)

    def rows(self) -> Iterator[Row]:
        """Yield each value that is a JSON object; others are noted and left out."""
        for number, value in self.records():
            if is_object(value):
                yield Row(number, value)
            else:
                self.leave_out(NO_OBJECTS, number)

    def again(self) -> Iterator[tuple[int | None, Any]]:
        """Yield each record once more, without any note; the whole where it is no list."""
        other = Source(self._open, size=self._size, most=self._most, as_lines=self._as_lines)
        other._parsed, other._sample = self._parsed, self._sample
        if self.is_lines:
            yield from other.records()
        else:
            yield None, other.document()
            yield from enumerate(other.document(), 1) if isinstance(other.document(), list) else ()

    def leave_out(self, code: str, number: int | None, *names: str) -> None:
        """Note that a record is left out as a whole, and so whatever text it has."""
        self.collector.add(code, number, *names)
        if self.ledger is not None:
            self.ledger.leave_out(number)

    def _handed_out(self, number: int, value: Any) -> Record:
        if self.ledger is not None:
            self.ledger.take(number, value)
        return Record(number, value)

    def _note_broken(self, number: int, line: bytes, refusal: Refused) -> None:
        if not line.endswith(b"\n"):
            self.collector.add(CUT_OFF, number)
        else:
            why = refusal.sentence.removeprefix("it is not JSON: ").partition(" at line ")[0]
            self.collector.add(BROKEN, number, why)

    def _read(self, line: bytes, number: int | None) -> object:
        """Return the value of some JSON, noting what could not be read as it stands."""
        return read_dirty_json(line, lambda word: self.collector.add(NO_NUMBERS, number, word))

    def _keep(self, value: object) -> None:
        self._parsed = [self._around(value)]

    def _looked(self) -> Sample:
        """Return the first values of a file of lines, or the one value of all lines together."""
        first, is_whole = self._first_lines()
        if len(first) == 1 and is_whole and not self._as_lines:
            self._keep(self._read(first[0], None))
            return Sample((self._parsed[0],))
        values = [_value(line) for line in first]
        items = tuple(value for value in values if isinstance(value, Mapping | list))
        if items and values[0] is items[0]:
            return Sample(items, is_lines=True)
        try:
            return Sample((self._document(),))
        except Refused:
            # A broken first line does not make the others one document.
            if len(items) < 2:  # noqa: PLR2004 - one alone says nothing about the others
                raise
            return Sample(items, is_lines=True)

    def _first_lines(self) -> tuple[list[bytes], bool]:
        """Return the first lines that are not blank, and whether these are all."""
        found: list[bytes] = []
        size = 0
        with self._opened(PARSING_SHARE) as (stream, encoding):
            for line in lines_of(stream, encoding, self._most, self._longest()):
                if line.isspace():
                    continue
                if len(found) == FIRST or size > min(MOST_LOOKED_AT, self._most):
                    return found, False
                found.append(line)
                size += len(line)
        return found, True

    def _longest(self) -> int:
        """Return how long a first line may be: not beyond reason where no document can be."""
        return self._most if self._size <= self._most else min(self._most, MOST_LOOKED_AT)

    @contextmanager
    def _opened(self, share: float = 1.0) -> Iterator[tuple[io.BufferedReader[Any], str]]:
        """Open the data from its start, unpacked and past a mark of UTF-8."""
        with self._open() as packed:
            told = io.BufferedReader(_Told(packed, self._size / share, self._step), BLOCK_BYTES)
            stream = unpacked(told, self.collector.add)
            must_be_text(stream)
            yield stream, encoding_of(stream)


class _Told(io.RawIOBase):
    """A stream that tells which share of it has been read."""

    def __init__(self, inner: BinaryIO, size: float, step: Callable[[float], None]) -> None:
        super().__init__()
        self._inner, self._size, self._step = inner, max(1, size), step

    def readable(self) -> bool:
        """Tell that it can be read, as a buffer wants to know."""
        return True

    def seekable(self) -> bool:
        """Tell that it can go back to its start."""
        return True

    def seek(self, place: int, whence: int = 0) -> int:
        """Go to a place."""
        return self._inner.seek(place, whence)

    def tell(self) -> int:
        """Return the place it is at."""
        return self._inner.tell()

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer; 0 is the end."""
        found: int = self._inner.readinto(buffer)  # type: ignore[attr-defined]
        self._step(min(1.0, self._inner.tell() / self._size))
        return found


def _value(line: bytes) -> object:
    """Return what a line holds, or None if that is not JSON."""
    try:
        return read_dirty_json(line, lambda _: None)
    except Refused:
        return None
