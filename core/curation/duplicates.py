"""Duplicates: conversations that are identical for training, or share most of their words.

A text is compared as its shingles: the set of all its runs of three words, or of three characters
in scripts without spaces. A sketch of 128 of them finds the candidates (MinHash with LSH: near
duplicates share at least one of several keys of their sketches), and an exact comparison decides.
The library and corpora use the same keys and the same comparison, so they agree on every pair.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from hashlib import blake2b
from operator import xor
from typing import NamedTuple, TypeAlias, TypeVar

import regex

from ..conversation.readable import Readable
from ..errors import Refused, format_value

RUN = 3
"""Words of a shingle."""
_WORD = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]|[\p{L}\p{M}\p{N}_]+"
)

Shingles: TypeAlias = "array[int]"
"""Sorted numbers of 32 bits, each once, so that those of ten thousand texts fit into memory."""


def compared_text(conversation: Readable) -> str:
    """Return what is visible as one text; system prompts are left out, since many share them."""
    return "\n".join(one.search_text for one in conversation.visible if one.role != "system")


def shingles_of(text: str) -> Shingles:
    """Return the shingles of a text; one that has fewer words than that is a shingle itself."""
    words = list(map(_numbers, _WORD.findall(text.casefold())))
    if not words:
        return array("I")
    words += [(0, 0, 0)] * (RUN - len(words))
    first, second, third = zip(*words, strict=True)
    return array("I", sorted(set(map(xor, map(xor, first, second[1:]), third[2:]))))


@lru_cache(maxsize=1 << 16)
def _numbers(word: str) -> tuple[int, int, int]:
    """Return a number for a word at each place of a shingle, the same in every process."""
    made = blake2b(word.encode("utf-8", "surrogatepass"), digest_size=12).digest()
    return int.from_bytes(made[:4]), int.from_bytes(made[4:8]), int.from_bytes(made[8:])


def jaccard(a: Iterable[int], b: Iterable[int]) -> float:
    """Return how much of two sets of shingles together they share, from 0 to 1."""
    one, other = set(a), set(b)
    common = len(one & other)
    return common / (len(one) + len(other) - common) if common else 0.0


def are_near(a: Shingles, b: Shingles, threshold: float) -> bool:
    """Return whether two texts share enough; those without any word match only each other."""
    least, most = sorted((len(a), len(b)))
    return a == b or (least / most >= threshold and jaccard(a, b) >= threshold)


LEAST, MOST = 0.5, 1.0
SKETCH_SIZE = 128
MISSED = 1e-3
"""How seldom a pair that is just near enough may be overlooked."""
COMPARED = 64
"""How many of those with the same key a text is compared with."""
KEY_BYTES = 16
_POINTS = range(0, 1 << 32, (1 << 32) // SKETCH_SIZE)


def read_threshold(value: object) -> float:
    """Return how similar near duplicates must be, or refuse it."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not LEAST <= value <= MOST:
        raise Refused(
            f"near {format_value(value)} is outside {LEAST:g}…{MOST:g}",
            field="near",
            value=value,
            legal=f"{LEAST:g}…{MOST:g}",
        )
    return float(value)


def bands_of(threshold: float) -> tuple[int, int]:
    """Return bands and rows of an LSH that hardly misses a pair at the threshold."""
    rows = max(
        rows
        for rows in range(1, SKETCH_SIZE + 1)
        if rows == 1 or (1 - threshold**rows) ** (SKETCH_SIZE // rows) <= MISSED
    )
    return SKETCH_SIZE // rows, rows


def band_keys(shingles: Shingles, threshold: float) -> list[bytes]:
    """Return keys of which two near texts almost certainly share one.

    The sketch has the next shingle behind each of 128 points of a circle. At any point, two texts
    have the same one as often as they have the same shingles, also if they have only a few.
    """
    if not shingles:
        return []
    places = (bisect_left(shingles, point) for point in _POINTS)
    sketch = [shingles[at] if at < len(shingles) else shingles[0] for at in places]
    bands, rows = bands_of(threshold)
    return [
        blake2b(
            array("I", sketch[band * rows : (band + 1) * rows]).tobytes(),
            digest_size=KEY_BYTES,
            salt=band.to_bytes(2, "big"),
        ).digest()
        for band in range(bands)
    ]


T = TypeVar("T")


def near_pairs(names: Iterable[T], is_near: Callable[[T, T], bool]) -> Iterator[tuple[T, T]]:
    """Yield pairs that join all that are near each other among those with the same key.

    Each is compared with some before it, and not with more of a group once it belongs to that.
    """
    groups: list[list[T]] = []
    for name in names:
        left, own, others = COMPARED, [name], []
        for group in groups:
            compared = group[:left]
            for number, other in enumerate(compared, 1):
                if is_near(other, name):
                    yield other, name
                    own, left = [*group, *own], left - number
                    break
            else:
                left -= len(compared)
                others.append(group)
        groups = [own[:COMPARED], *others][:COMPARED]


class Duplicate(NamedTuple):
    """A conversation's place among its duplicates: 1.0 is identical; groups have two or more."""

    group: int
    size: int
    similarity: float
    """How similar to the first of its group it is."""


class Groups:
    """Names that belong together, in the order they were first seen."""

    def __init__(self, names: Iterable[str]) -> None:
        self._above = {name: name for name in names}
        self._place = {name: place for place, name in enumerate(self._above)}

    def first(self, name: str) -> str:
        """Return the first of the group that a name is in."""
        top = name
        while self._above[top] != top:
            top = self._above[top]
        while name != top:
            self._above[name], name = top, self._above[name]
        return top

    def join(self, one: str, other: str) -> None:
        first, second = sorted((self.first(one), self.first(other)), key=self._place.__getitem__)
        self._above[second] = first

    def join_equal(self, keys: Mapping[str, Hashable]) -> None:
        seen: dict[Hashable, str] = {}
        for name, key in keys.items():
            self.join(seen.setdefault(key, name), name)

    def members(self) -> dict[str, list[str]]:
        """Return all groups, those of one too, by their first name."""
        found: dict[str, list[str]] = {}
        for name in self._above:
            found.setdefault(self.first(name), []).append(name)
        return found


def identical(projections: Mapping[str, str]) -> dict[str, Duplicate]:
    """Return the conversations that others are identical with for training."""
    groups = Groups(projections)
    groups.join_equal(projections)
    return {
        name: Duplicate(number, len(names), 1.0)
        for number, names in enumerate(_several(groups))
        for name in names
    }


def near(
    texts: Mapping[str, Shingles], threshold: float, projections: Mapping[str, str] | None = None
) -> dict[str, Duplicate]:
    """Return the conversations that others are near duplicates of, from a threshold on."""
    same = projections or {}

    def similarity(name: str, first: str) -> float:
        is_same = name == first or (name in same and same[name] == same.get(first))
        return 1.0 if is_same else jaccard(texts[first], texts[name])

    return {
        name: Duplicate(number, len(names), similarity(name, names[0]))
        for number, names in enumerate(_several(near_groups(texts, threshold, same)))
        for name in names
    }


def _several(groups: Groups) -> list[list[str]]:
    return [names for names in groups.members().values() if len(names) > 1]


def near_groups(
    texts: Mapping[str, Shingles], threshold: float, projections: Mapping[str, str]
) -> Groups:
    """Return the groups of near duplicates.

    Those with the same projection belong together whatever their texts are. Groups are joined: of
    three, the first may be near the second, and the second near the third.
    """
    read_threshold(threshold)
    groups = Groups(texts)
    groups.join_equal({name: projections[name] for name in texts if name in projections})
    by_key: dict[bytes, list[str]] = {}
    for name, shingles in texts.items():
        for key in band_keys(shingles, threshold):
            by_key.setdefault(key, []).append(name)

    @cache
    def is_near(one: str, other: str) -> bool:
        return are_near(texts[one], texts[other], threshold)

    for names in by_key.values():
        for one, other in near_pairs(names, is_near):
            groups.join(one, other)
    return groups
