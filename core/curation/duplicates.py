"""Shingles: a text as the set of all its runs of three words, by which two texts are compared.

In scripts that put no spaces between words, characters count as words do. Words are compared
without case. The set is kept as sorted numbers, so that ten thousand of them fit into memory.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple, Protocol

import regex

from ..conversation.readable import Readable
from ..errors import Refused, format_value
from ..values.packages import optional_module

RUN = 3
"""Words of a shingle."""
_WORD = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]|[\p{L}\p{M}\p{N}_]+"
)
_FACTORS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)
"""Odd numbers that make a word count differently at each place of a shingle."""

Shingles = Any
"""A sorted numpy array of 64-bit numbers; its type is not named, since numpy is an extra."""


def needed(module: str) -> Any:
    """Return a module that only near duplicates need, or say how to get it."""
    legal = "1, which finds identical ones"
    return optional_module(
        module,
        "finding near duplicates",
        "datasketch",
        "curate",
        field="near",
        legal=legal,
        hint="near 1, which is only identical ones, needs no package",
    )


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


LEAST, MOST = 0.5, 1.0
PERMUTATIONS = 128
MISSED = 1e-3
"""How seldom a pair that is just near enough may be overlooked."""
COMPARED = 64
"""Candidates that a text is compared with; the likeliest come first."""
STRETCH = 4_096
"""Shingles that are hashed at once."""


class Alike(NamedTuple):
    """A conversation's place among its duplicates: 1.0 is the same; groups have two or more."""

    group: int
    size: int
    likeness: float
    """How like the first of its group it is."""


class Projected(Protocol):
    """What is known of a conversation: the hash of its projection is enough here."""

    @property
    def projection(self) -> str:
        """Return the hash of what is visible."""


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
        """Put two names, and all that belong to them, together."""
        first, second = sorted((self.first(one), self.first(other)), key=self._place.__getitem__)
        self._above[second] = first

    def join_equal(self, keys: Mapping[str, Hashable]) -> None:
        """Put names with the same key together."""
        seen: dict[Hashable, str] = {}
        for name, key in keys.items():
            self.join(seen.setdefault(key, name), name)

    def members(self) -> dict[str, list[str]]:
        """Return all groups, those of one too, by their first name."""
        found: dict[str, list[str]] = {}
        for name in self._above:
            found.setdefault(self.first(name), []).append(name)
        return found


def identical(digests: Mapping[str, Projected]) -> dict[str, Alike]:
    """Return the conversations that others are identical with for training."""
    groups = Groups(digests)
    groups.join_equal({name: digest.projection for name, digest in digests.items()})
    return _numbered(groups, {})


def near(
    texts: Mapping[str, str | Shingles],
    threshold: float,
    projections: Mapping[str, str] | None = None,
) -> dict[str, Alike]:
    """Return the conversations that others are nearly the same as, from a threshold on.

    Those with the same projection are alike whatever their texts are. Groups are joined: of three,
    the first may be like the second, and the second like the third.
    """
    groups, shingles = near_groups(texts, threshold, projections)
    same = projections or {}
    return _numbered(groups, shingles, same)


def near_groups(
    texts: Mapping[str, str | Shingles],
    threshold: float,
    projections: Mapping[str, str] | None = None,
) -> tuple[Groups, dict[str, Shingles]]:
    """Return the groups of what is nearly the same, and the shingles that tell."""
    read_threshold(threshold)
    groups = Groups(texts)
    groups.join_equal({name: key for name, key in (projections or {}).items() if name in texts})
    shingles = {
        name: shingles_of(text) if isinstance(text, str) else text for name, text in texts.items()
    }
    groups.join_equal({name: one.tobytes() for name, one in shingles.items() if len(one)})
    firsts = [name for name in groups.members() if len(shingles[name])]
    if threshold < MOST:
        _Search(threshold, groups, shingles).run(firsts)
    return groups, shingles


def read_threshold(value: object) -> float:
    """Return how like conversations must be to be near, or refuse it."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not LEAST <= value <= MOST:
        raise Refused(
            f"near {format_value(value)} is outside {LEAST:g}…{MOST:g}",
            field="near",
            value=value,
            legal=f"{LEAST:g}…{MOST:g}",
        )
    return float(value)


class _Search:
    """Looks for near texts, one after the other among those before it."""

    def __init__(self, threshold: float, groups: Groups, shingles: Mapping[str, Shingles]) -> None:
        self._threshold, self._groups, self._shingles = threshold, groups, shingles
        self._sketches = needed("datasketch")
        self._numpy = needed("numpy")
        self._start = self._sketches.MinHash(num_perm=PERMUTATIONS, seed=1, hashfunc=int)
        self._signs: list[Any] = []

    def run(self, names: list[str]) -> None:
        """Join all that are near."""
        bands = bands_of(self._threshold)
        lsh = self._sketches.MinHashLSH(num_perm=PERMUTATIONS, params=bands)
        table = self._numpy.empty((len(names), PERMUTATIONS), dtype=self._numpy.uint64)
        for place, name in enumerate(names):
            sketch = self._sketch(self._shingles[name])
            table[place] = sketch.hashvalues
            others = sorted(lsh.query(sketch))
            if others:
                shared = (table[others] == table[place]).sum(axis=1)
                order = self._numpy.lexsort((others, -shared))
                self._compare(name, [names[others[i]] for i in order])
            lsh.insert(place, sketch, check_duplication=False)

    def _sketch(self, shingles: Shingles) -> Any:
        sketch = self._start.copy()
        low = (shingles & self._numpy.uint64(0xFFFFFFFF)).tolist()
        for start in range(0, len(low), STRETCH):
            sketch.update_batch(low[start : start + STRETCH])
        return sketch

    def _compare(self, name: str, others: list[str]) -> None:
        """Compare a text with its candidates, those of a group that it is in already not again."""
        left = COMPARED
        for other in others:
            if self._groups.first(other) == self._groups.first(name):
                continue
            if left == 0:
                return
            left -= 1
            if likeness(self._shingles[name], self._shingles[other]) >= self._threshold:
                self._groups.join(name, other)


def bands_of(threshold: float) -> tuple[int, int]:
    """Return bands and rows of an LSH that hardly misses a pair at the threshold."""
    rows = max(
        rows
        for rows in range(1, PERMUTATIONS + 1)
        if rows == 1 or (1 - threshold**rows) ** (PERMUTATIONS // rows) <= MISSED
    )
    return PERMUTATIONS // rows, rows


def _numbered(
    groups: Groups, shingles: Mapping[str, Shingles], same: Mapping[str, str] | None = None
) -> dict[str, Alike]:
    found: dict[str, Alike] = {}
    several = [names for names in groups.members().values() if len(names) > 1]
    for number, names in enumerate(several):
        first = names[0]
        for name in names:
            is_same = name == first or not shingles or _is_same(name, first, same or {})
            how = 1.0 if is_same else likeness(shingles[first], shingles[name])
            found[name] = Alike(number, len(names), how)
    return found


def _is_same(name: str, first: str, same: Mapping[str, str]) -> bool:
    return name in same and same[name] == same.get(first)
