"""Decoding: bodies as they were packed for the way, unpacked only to be recorded."""

from __future__ import annotations

import io
import zlib
from importlib import import_module
from typing import Any

from core.errors import Refused, shown
from core.formats.unpacking import too_large, unpacked
from ctxtui.capture.tape import MIB

LARGEST = 256 * MIB
"""Bytes that a body may have when it is unpacked; a small one can be made to hold any number."""
BARE = -15
"""What zlib calls deflate without a head, which some servers send."""
UNPACKED = ("", "identity")


def decoded(content: bytes, encodings: str) -> bytes:
    """Return a body unpacked; of one that was cut off, all that can be unpacked."""
    for name in reversed([one.strip().lower() for one in encodings.split(",")]):
        if name in UNPACKED:
            continue
        if name not in DECODERS:
            legal = ", ".join(DECODERS)
            raise Refused(
                f"content-encoding {shown(name)} can't be decoded (one of {legal} can)",
                field="content-encoding",
                value=name,
                legal=legal,
            )
        content = DECODERS[name](content)
        if len(content) > LARGEST:
            raise too_large(LARGEST)
    return content


def _recognised(content: bytes) -> bytes:
    """Return what gzip or zstd packed, up to where it is cut off."""
    stream = io.BufferedReader(io.BytesIO(content))
    return unpacked(stream, lambda _: None).read(LARGEST + 1)


def _inflated(content: bytes) -> bytes:
    for window in (zlib.MAX_WBITS, BARE):
        try:
            return zlib.decompressobj(window).decompress(content, LARGEST + 1)
        except zlib.error:
            continue
    raise Refused("the body is not deflate, as its content-encoding says", field="body")


def _brotli(content: bytes) -> bytes:
    try:
        brotli: Any = import_module("brotli")
    except ModuleNotFoundError:
        raise Refused("content-encoding br needs brotli, which is not installed") from None
    unpacker = brotli.Decompressor()
    try:
        found: bytes = unpacker.process(content, output_buffer_limit=LARGEST + 1)
    except brotli.error:
        raise Refused("the body is not br, as its content-encoding says", field="body") from None
    return found


DECODERS = {
    "gzip": _recognised,
    "x-gzip": _recognised,
    "deflate": _inflated,
    "br": _brotli,
    "zstd": _recognised,
}
"""How a body is unpacked, by the name that HTTP has for it."""
