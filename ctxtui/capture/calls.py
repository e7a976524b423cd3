"""Calls: copies of what passes by, and the exchanges that are made of them.

Bodies are decoded only to be recorded. What decodes is fed a little at a time and gives back a
little at a time, since a small body can be made to unpack to any size; of one that is damaged, all
before the damage counts.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from typing import Any, Literal, NamedTuple, Protocol

from ctxtui.core.errors import Refused, format_value, wrong_type
from ctxtui.core.formats.bodies import Assembled, assembled
from ctxtui.core.formats.fields import is_object
from ctxtui.core.formats.json_text import NO_NUMBERS, read_dirty_json
from ctxtui.core.formats.requests import TIMINGS
from ctxtui.core.formats.source import GZIP, GZIP_MEMBER, MOST_WINDOW, ZSTD
from ctxtui.core.formats.warnings import FormatWarning, WarningCollector, without_values
from ctxtui.core.requests.exchange import SUCCESS, Exchange, Kind, Outcome, RemovedSecrets
from ctxtui.core.requests.secrets import SecretCleaner, SecretMemory

ENCODING = "content-encoding"
MIB = 1 << 20
LONGEST = 64 * MIB
"""Bytes of one body that are recorded; longer ones are only passed on."""


class BodyCopy:
    """A copy of one body; one that is too long is dropped or, with ``keeps_start``, cut."""

    def __init__(self, longest: int = LONGEST, *, keeps_start: bool = False) -> None:
        self._longest, self._keeps_start = longest, keeps_start
        self._pieces: list[bytes] = []
        self.size = 0
        self.kept = 0

    @property
    def is_too_long(self) -> bool:
        """Return whether the body is longer than the copy may be."""
        return self.size > self._longest

    def add(self, piece: bytes) -> None:
        """Add some bytes."""
        self.size += len(piece)
        if self.is_too_long and not self._keeps_start:
            self._pieces.clear()
            self.kept = 0
        elif self.kept < self._longest:
            self._pieces.append(piece[: self._longest - self.kept])
            self.kept += len(self._pieces[-1])

    @property
    def content(self) -> bytes:
        """Return the copy."""
        if len(self._pieces) > 1:
            self._pieces = [b"".join(self._pieces)]
        return self._pieces[0] if self._pieces else b""


@dataclass(slots=True)
class CapturedCall:
    """One call as it passed by: bodies and headers of both sides; header names are lower-case.

    ``status`` is None where no answer came. ``time`` is when the request came, in milliseconds;
    ``first`` and ``last`` are when the answer began and when its newest bytes came.
    """

    kind: Kind
    path: str
    headers: Mapping[str, str]
    time: int
    tag: str | None = None
    asked: BodyCopy = field(default_factory=BodyCopy)
    answered: BodyCopy = field(default_factory=partial(BodyCopy, keeps_start=True))
    status: int | None = None
    answer_headers: Mapping[str, str] = field(default_factory=dict)
    first: int | None = None
    last: int | None = None

    def answer(self, piece: bytes, now: int) -> None:
        """Add some bytes of the answer, and note when they came."""
        self.answered.add(piece)
        self.first = now if self.first is None else self.first
        self.last = now

    @property
    def size(self) -> int:
        """Return how many bytes are in memory."""
        return self.asked.kept + self.answered.kept

    @property
    def is_packed(self) -> bool:
        """Return whether a body of it may take longer to read than its size suggests."""
        return any(ENCODING in headers for headers in (self.headers, self.answer_headers))


# From a call to an exchange

MAX_BODY = f"{LONGEST // MIB} MiB"
LEFT_OUT: dict[DecodingEnd, str] = {
    "damaged": "answer-damaged",
    "too large": "answer-unpacks-too-large",
}
"""The warnings about a packed answer."""
PACKED: dict[DecodingEnd, str] = {
    "cut": "the packed request is cut off",
    "damaged": "the packed request is damaged",
    "too large": f"the request unpacks to more than {MAX_BODY}, the most that is recorded",
}
NOTHING = Assembled(None, "failed")


class CapturedAnswer(NamedTuple):
    """What came back, by the field names of an exchange."""

    response: Mapping[str, Any] | None
    status: int | None
    outcome: Outcome
    envelope: Mapping[str, Any] | None = None
    warnings: tuple[Mapping[str, Any], ...] = ()
    removed: RemovedSecrets = RemovedSecrets()


def read_request(call: CapturedCall, memory: SecretMemory) -> tuple[SecretCleaner, Exchange]:
    """Return an exchange without an answer yet, and the cleaner for that; refuse any other body."""
    body = call.asked
    if body.is_too_long:
        raise _too_long(body.size)
    odd: list[str] = []
    content, end = decoded(body.content, call.headers.get(ENCODING, ""))
    if end != "whole":
        raise Refused(PACKED[end], field="body")
    request = read_dirty_json(content, odd.append)
    if not is_object(request):
        raise wrong_type("request", request, "an object with messages")
    cleaner = SecretCleaner(memory)
    asked = Exchange(
        request=request,
        kind=call.kind,
        path=call.path,
        headers=call.headers,
        time=call.time,
        tag=call.tag,
        warnings=(FormatWarning.of(NO_NUMBERS, dict.fromkeys(odd)).to_dict(),) if odd else (),
    )
    return cleaner, cleaner.clean(asked)


def read_answer(call: CapturedCall, content: bytes, cleaner: SecretCleaner) -> CapturedAnswer:
    """Return what came back, without a response if that can't be read.

    The content is given, since more may come while it is read.
    """
    if call.status is None:
        return CapturedAnswer(None, None, NOTHING.outcome)
    warnings = WarningCollector()
    if call.answered.is_too_long:
        warnings.add("answer-too-long")
    found = Assembled(None, "cut")
    try:
        content, end = decoded(content, call.answer_headers.get(ENCODING, ""))
        if end in LEFT_OUT:
            warnings.add(LEFT_OUT[end])
        found = assembled(call.kind, content, warnings.add)
    except Refused as refusal:
        warnings.add("answer-unreadable", None, without_values(refusal))
    outcome = found.outcome
    if call.status not in SUCCESS:
        outcome = "failed"
    elif warnings.found() and outcome == "complete":
        outcome = "cut"
    cleaner.note_answer_headers(call.answer_headers)
    response, removed = None, RemovedSecrets()
    if found.answer is not None:
        response, removed = cleaner.clean_answer(found.answer)
    noted = tuple(one.to_dict() for one in warnings.found())
    return CapturedAnswer(response, call.status, outcome, _timed(call), noted, removed)


def _timed(call: CapturedCall) -> dict[str, Any] | None:
    if call.first is None or call.last is None:
        return None
    timings = {"wait": max(0, call.first - call.time), "receive": max(0, call.last - call.first)}
    return {TIMINGS: timings}


def _too_long(size: int) -> Refused:
    return Refused(
        f"a body of {size:,} bytes is longer than {MAX_BODY}, the most that is recorded",
        field="body",
        value=size,
        legal=f"at most {MAX_BODY}",
    )


# Decoding

MAX_UNPACKED = LONGEST
"""Bytes that a body may have when it is unpacked."""
STEP = 16 * 1024
"""Packed bytes that are fed at once; near damage it is one."""
SMALL_STEP = 1024
"""The same for zstd, whose output has no limit: 32 MiB for these at most."""
BLOCK = 1024 * 1024
"""Bytes that are given back at once."""
BARE, WITH_HEAD = -zlib.MAX_WBITS, zlib.MAX_WBITS
"""What zlib calls deflate without a head, which some servers send, and with one."""
MAX_LAYERS = 4
UNPACKED = ("", "identity")
ENCODINGS = ("gzip", "x-gzip", "deflate", "br", "zstd")

DecodingEnd = Literal["whole", "cut", "damaged", "too large"]


class Decoded(NamedTuple):
    """A body unpacked, and how it ended: all before that is here."""

    content: bytes
    end: DecodingEnd = "whole"


class Unpacker(Protocol):
    """Unpacks what it is fed."""

    @property
    def is_over(self) -> bool:
        """Return whether the end of the packed data was reached."""

    def take(self, packed: bytes) -> Iterator[bytes]:
        """Yield what some packed bytes unpack to."""


def decoded(content: bytes, encodings: str) -> Decoded:
    """Return a body unpacked; of one that is cut off or damaged, all that can be unpacked."""
    names = [one.strip().lower() for one in encodings.split(",")]
    layers = [one for one in reversed(names) if one not in UNPACKED]
    if len(layers) > MAX_LAYERS:
        raise Refused(
            f"a body packed {len(layers)} times can't be decoded (at most {MAX_LAYERS})",
            field="content-encoding",
            legal=f"at most {MAX_LAYERS}",
        )
    end: DecodingEnd = "whole"
    for name in layers:
        content, found = _unpacked(name, content)
        end = found if end == "whole" else end
    return Decoded(content, end)


def _unpacked(name: str, content: bytes) -> Decoded:
    """Return a body without one layer; gzip and zstd are also known by their first bytes."""
    if name not in ENCODINGS:
        legal = ", ".join(ENCODINGS)
        raise Refused(
            f"content-encoding {format_value(name)} can't be decoded (one of {legal} can)",
            field="content-encoding",
            value=name,
            legal=legal,
        )
    if not content:
        return Decoded(content)
    if name == "deflate":
        window = WITH_HEAD if _has_zlib_head(content) else BARE
        return _fed(lambda: Zlib(window), zlib.error, content)
    if name == "br":
        brotli = _module("brotli", name)
        return _fed(lambda: Brotli(brotli), brotli.error, content)
    if content.startswith(GZIP):
        return _fed(lambda: Zlib(GZIP_MEMBER), zlib.error, content)
    if content.startswith(ZSTD):
        zstd = _module("compression.zstd", name, "zstandard")
        return _fed(lambda: Zstd(zstd), zstd.ZstdError, content)
    return Decoded(content)  # Some servers say that they pack, and do not.


def _fed(make: Callable[[], Unpacker], error: type[Exception], content: bytes) -> Decoded:
    """Return a body unpacked up to where that fails or is too large."""
    unpacker, found = make(), bytearray()
    for start in range(0, len(content), STEP):
        known = len(found)
        try:
            for piece in unpacker.take(content[start : start + STEP]):
                found += piece
                if len(found) > MAX_UNPACKED:
                    return Decoded(bytes(found[:MAX_UNPACKED]), "too large")
        except error:
            del found[known:]
            for piece in _before_damage(make(), error, content, start):
                found += piece
            return Decoded(bytes(found[:MAX_UNPACKED]), "damaged")
    return Decoded(bytes(found), "whole" if unpacker.is_over else "cut")


def _before_damage(
    unpacker: Unpacker, error: type[Exception], content: bytes, start: int
) -> Iterator[bytes]:
    """Yield what unpacks from a position up to the damage after it, byte by byte."""
    for _ in unpacker.take(content[:start]):
        pass
    try:
        for place in range(start, start + STEP):
            yield from unpacker.take(content[place : place + 1])
    except error:
        return


def _has_zlib_head(content: bytes) -> bool:
    """Return whether deflate has a head: a multiple of 31 with the method 8."""
    return content[0] % 16 == 8 and int.from_bytes(content[:2], "big") % 31 == 0  # noqa: PLR2004


def _module(name: str, encoding: str, *others: str) -> Any:
    for one in (name, *others):
        try:
            return import_module(one)
        except ModuleNotFoundError:
            continue
    last = (name, *others)[-1]
    raise Refused(f"content-encoding {encoding} needs {last}, which is not installed")


class Zlib(Unpacker):
    """Unpacks deflate, or gzip: its members one after the other."""

    def __init__(self, window: int) -> None:
        self._window = window
        self._unpacker = zlib.decompressobj(window)

    @property
    def is_over(self) -> bool:
        return self._unpacker.eof

    def take(self, packed: bytes) -> Iterator[bytes]:
        found = b""
        while packed or len(found) == BLOCK:
            if self._unpacker.eof:
                packed = packed.lstrip(b"\0")  # What fills up the last block of a device.
                if not packed:
                    return
                self._unpacker = zlib.decompressobj(self._window)
            found = self._unpacker.decompress(packed, BLOCK)
            yield found
            packed = self._unpacker.unused_data or self._unpacker.unconsumed_tail


class Brotli(Unpacker):
    """Unpacks brotli."""

    def __init__(self, brotli: Any) -> None:
        self._unpacker = brotli.Decompressor()

    @property
    def is_over(self) -> bool:
        return bool(self._unpacker.is_finished())

    def take(self, packed: bytes) -> Iterator[bytes]:
        yield self._unpacker.process(packed, output_buffer_limit=BLOCK)
        while found := self._unpacker.process(b"", output_buffer_limit=BLOCK):
            yield found


class Zstd(Unpacker):
    """Unpacks zstd: its frames one after the other."""

    def __init__(self, zstd: Any) -> None:
        self._zstd = zstd
        self._unpacker = self._new()

    def _new(self) -> Any:
        if hasattr(self._zstd, "DecompressionParameter"):
            most = self._zstd.DecompressionParameter.window_log_max
            return self._zstd.ZstdDecompressor(options={most: MOST_WINDOW.bit_length() - 1})
        return self._zstd.ZstdDecompressor(max_window_size=MOST_WINDOW).decompressobj()

    @property
    def is_over(self) -> bool:
        return bool(self._unpacker.eof)

    def take(self, packed: bytes) -> Iterator[bytes]:
        for start in range(0, len(packed), SMALL_STEP):
            step = packed[start : start + SMALL_STEP]
            while step:
                if self._unpacker.eof:
                    self._unpacker = self._new()
                yield self._unpacker.decompress(step)
                step = self._unpacker.unused_data
