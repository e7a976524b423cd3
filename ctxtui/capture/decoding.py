"""Decoding: bodies as they were packed for the way, unpacked only to be recorded.

What unpacks is fed a little at a time and gives back a little at a time: a small body can be made
to unpack to any size. Of one that is damaged, all before the damage counts.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, Literal, NamedTuple, Protocol

from ctxtui.capture.tape import LONGEST
from ctxtui.core.errors import Refused, format_value
from ctxtui.core.formats.source import GZIP, GZIP_MEMBER, MOST_WINDOW, ZSTD

LARGEST = LONGEST
"""Bytes that a body may have when it is unpacked, as it may when it is not packed."""
STEP = 16 * 1024
"""Packed bytes that are fed at once; around a damage it is one."""
SMALL_STEP = 1024
"""The same for zstd, which has no limit for what it gives back: 32 MiB for these at most."""
BLOCK = 1024 * 1024
"""Bytes that are given back at once."""
BARE, WITH_HEAD = -zlib.MAX_WBITS, zlib.MAX_WBITS
"""What zlib calls deflate without a head, which some servers send, and with one."""
MOST_LAYERS = 4
UNPACKED = ("", "identity")
ENCODINGS = ("gzip", "x-gzip", "deflate", "br", "zstd")

End = Literal["whole", "cut", "damaged", "too large"]


class Decoded(NamedTuple):
    """A body unpacked, and how it ended: all before that is here."""

    content: bytes
    end: End = "whole"


class Unpacker(Protocol):
    """Unpacks what it is fed, and knows whether that was all."""

    @property
    def is_over(self) -> bool:
        """Return whether the packed data has come to its end."""

    def take(self, packed: bytes) -> Iterator[bytes]:
        """Yield what some packed bytes unpack to."""


def decoded(content: bytes, encodings: str) -> Decoded:
    """Return a body unpacked; of one that is cut off or damaged, all that can be unpacked."""
    names = [one.strip().lower() for one in encodings.split(",")]
    layers = [one for one in reversed(names) if one not in UNPACKED]
    if len(layers) > MOST_LAYERS:
        raise Refused(
            f"a body packed {len(layers)} times can't be decoded (at most {MOST_LAYERS})",
            field="content-encoding",
            legal=f"at most {MOST_LAYERS}",
        )
    end: End = "whole"
    for name in layers:
        content, found = _unpacked(name, content)
        end = found if end == "whole" else end
    return Decoded(content, end)


def _unpacked(name: str, content: bytes) -> Decoded:
    """Return a body without one layer; gzip and zstd are known by how they begin, too."""
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
    """Return what an unpacker makes of a body, up to where it fails or is too large."""
    unpacker, found = make(), bytearray()
    for start in range(0, len(content), STEP):
        known = len(found)
        try:
            for piece in unpacker.take(content[start : start + STEP]):
                found += piece
                if len(found) > LARGEST:
                    return Decoded(bytes(found[:LARGEST]), "too large")
        except error:
            del found[known:]
            for piece in _before_damage(make(), error, content, start):
                found += piece
            return Decoded(bytes(found[:LARGEST]), "damaged")
    return Decoded(bytes(found), "whole" if unpacker.is_over else "cut")


def _before_damage(
    unpacker: Unpacker, error: type[Exception], content: bytes, start: int
) -> Iterator[bytes]:
    """Yield what comes from a place on to a damage behind it; a step that fails gives nothing."""
    for _ in unpacker.take(content[:start]):
        pass
    try:
        for place in range(start, start + STEP):
            yield from unpacker.take(content[place : place + 1])
    except error:
        return


def _has_zlib_head(content: bytes) -> bool:
    """Return whether deflate has a head, which is a multiple of 31 and names the method 8."""
    return content[0] % 16 == 8 and int.from_bytes(content[:2], "big") % 31 == 0  # noqa: PLR2004


def _module(name: str, encoding: str, *others: str) -> Any:
    for one in (name, *others):
        try:
            return import_module(one)
        except ModuleNotFoundError:
            continue
    last = (name, *others)[-1]
    raise Refused(f"content-encoding {encoding} needs {last}, which is not installed")


class Zlib:
    """Unpacks deflate, or gzip: its members one after the other."""

    def __init__(self, window: int) -> None:
        self._window = window
        self._unpacker = zlib.decompressobj(window)

    @property
    def is_over(self) -> bool:
        """Return whether the packed data has come to its end."""
        return self._unpacker.eof

    def take(self, packed: bytes) -> Iterator[bytes]:
        """Yield what some packed bytes unpack to."""
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


class Brotli:
    """Unpacks brotli."""

    def __init__(self, brotli: Any) -> None:
        self._unpacker = brotli.Decompressor()

    @property
    def is_over(self) -> bool:
        """Return whether the packed data has come to its end."""
        return bool(self._unpacker.is_finished())

    def take(self, packed: bytes) -> Iterator[bytes]:
        """Yield what some packed bytes unpack to."""
        yield self._unpacker.process(packed, output_buffer_limit=BLOCK)
        while found := self._unpacker.process(b"", output_buffer_limit=BLOCK):
            yield found


class Zstd:
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
        """Return whether the packed data has come to its end."""
        return bool(self._unpacker.eof)

    def take(self, packed: bytes) -> Iterator[bytes]:
        """Yield what some packed bytes unpack to."""
        for start in range(0, len(packed), SMALL_STEP):
            step = packed[start : start + SMALL_STEP]
            while step:
                if self._unpacker.eof:
                    self._unpacker = self._new()
                yield self._unpacker.decompress(step)
                step = self._unpacker.unused_data
