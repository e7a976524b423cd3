"""Sketches: a conversation as 128 small numbers, by which millions are compared.

A sketch is the MinHash of the same runs of words that the library's near duplicates are found by.
The share of equal numbers in two sketches says how alike two texts are, give or take 0.03.
"""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from typing import Any

from ..conversation.readable import Readable
from ..curation.alike import PERMUTATIONS, STRETCH, bands_of
from ..curation.shingles import needed, said, shingles_of

NUMBER_BYTES = 4
SKETCH_BYTES = PERMUTATIONS * NUMBER_BYTES
NOTHING = bytes(SKETCH_BYTES)
"""The sketch of what has no words, which is like nothing."""
KEY_BYTES = 16


@cache
def _start() -> Any:
    return needed("datasketch").MinHash(num_perm=PERMUTATIONS, seed=1, hashfunc=int)


def sketch_of(conversation: Readable) -> bytes:
    """Return the sketch of what is visible, system prompts left out."""
    shingles = shingles_of(said(conversation))
    if not len(shingles):
        return NOTHING
    numpy = needed("numpy")
    sketch = _start().copy()
    low = (shingles & numpy.uint64(0xFFFFFFFF)).tolist()
    for start in range(0, len(low), STRETCH):
        sketch.update_batch(low[start : start + STRETCH])
    made: bytes = sketch.hashvalues.astype("<u4").tobytes()
    return made


def band_keys(sketch: bytes, threshold: float) -> list[bytes]:
    """Return keys of which two sketches that are near enough almost certainly share one."""
    if sketch == NOTHING:
        return []
    count, rows = bands_of(threshold)
    size = rows * NUMBER_BYTES
    return [
        blake2b(
            sketch[band * size : (band + 1) * size],
            digest_size=KEY_BYTES,
            salt=band.to_bytes(2, "big"),
        ).digest()
        for band in range(count)
    ]


def sketch_likeness(one: bytes, other: bytes) -> float:
    """Return the share of equal numbers in two sketches."""
    numpy = needed("numpy")
    a, b = numpy.frombuffer(one, dtype="<u4"), numpy.frombuffer(other, dtype="<u4")
    return float((a == b).mean())
