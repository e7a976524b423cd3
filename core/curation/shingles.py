"""Shingles: a text as the set of all its runs of three words, by which two texts are compared.

In scripts that put no spaces between words, characters count as words do. Words are compared
without case. The set is kept as sorted numbers, so that ten thousand of them fit into memory.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from importlib import import_module
from typing import Any

import regex

from ..conversation.readable import Readable
from ..errors import Refused

RUN = 3
"""Words of a shingle."""
_WORD = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]|[\p{L}\p{M}\p{N}_]+"
)
_FACTORS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)
"""Odd numbers that make a word count differently at each place of a shingle."""
MISSING = (
    "near duplicates need datasketch, which is not installed: pip install '.[curate]' "
    "in a checkout; near 1, which is only identical ones, does without"
)

Shingles = Any
"""A sorted numpy array of 64-bit numbers; its type is not named, since numpy is an extra."""


def needed(module: str) -> Any:
    """Return a module that only near duplicates need, or say how to get it."""
    try:
        return import_module(module)
    except ImportError:
        raise Refused(MISSING, field="near", legal="1, which finds identical ones") from None


def said(conversation: Readable) -> str:
    """Return what is visible as one text; system prompts are left out, since many share them."""
    return "\n".join(one.search_text for one in conversation.visible if one.role != "system")


def shingles_of(text: str) -> Shingles:
    """Return the shingles of a text; one that has fewer words than that is a shingle itself."""
    numpy = needed("numpy")
    words = [_number(word) for word in _WORD.findall(text.casefold())]
    if not words:
        return numpy.zeros(0, dtype=numpy.uint64)
    padded = words + [0] * (RUN - len(words))
    numbers = numpy.array(padded, dtype=numpy.uint64)
    count = len(padded) - RUN + 1
    mixed = numpy.zeros(count, dtype=numpy.uint64)
    for place, factor in enumerate(_FACTORS):
        mixed += numbers[place : place + count] * numpy.uint64(factor)
        mixed ^= mixed >> numpy.uint64(29)
    return numpy.unique(mixed)


@lru_cache(maxsize=1 << 16)
def _number(word: str) -> int:
    """Return a number for a word, the same in every process."""
    return int.from_bytes(blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest())


def likeness(a: Shingles, b: Shingles) -> float:
    """Return how much of two texts together they share, from 0 to 1."""
    if not len(a) or not len(b):
        return 0.0
    common = len(needed("numpy").intersect1d(a, b, assume_unique=True))
    return common / (len(a) + len(b) - common)
