"""Alike: which conversations are the same, or nearly so, in groups.

Near ones are found by MinHash with LSH, whose cost grows with the number of texts and not with the
number of pairs; each pair that it proposes is then compared exactly. The same texts always give the
same groups.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, NamedTuple, Protocol

from ..errors import Refused, shown
from .shingles import Shingles, likeness, needed, shingles_of

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
            f"near {shown(value)} is outside {LEAST:g}…{MOST:g}",
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
