"""Similarity: which message of a request was which before, and how it changed."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Set
from enum import Enum
from itertools import pairwise
from typing import NamedTuple

from .bodies import SentMessage, shapes_of

SIMILAR_SHARE = 0.6
"""The share of words that two messages have in common if one was made from the other."""


class MatchKind(Enum):
    """How a message of a request is one that was there before."""

    SAME = "same"
    """It is that message, perhaps written differently."""
    BY_ID = "by id"
    """It is of the same calls, with another content."""
    VOLATILE = "volatile"
    """Only times, ids and numbers differ."""
    GREW = "grew"
    """Something was added at its end."""
    SHRANK = "shrank"
    """Some of its parts are gone."""
    SIMILAR = "similar"
    """It has most of its words."""


def is_volatile(old: SentMessage, new: SentMessage) -> bool:
    """Return whether only times, ids and numbers differ."""
    return old.masked == new.masked


def has_grown(old: SentMessage, new: SentMessage) -> bool:
    """Return whether text or parts were added at the end."""
    before, after = shapes_of(old.message), shapes_of(new.message)
    if not before or len(after) < len(before) or before[:-1] != after[: len(before) - 1]:
        return False
    last, its = before[-1], after[len(before) - 1]
    if last == its:
        return len(after) > len(before)
    return isinstance(last, str) and isinstance(its, str) and its.startswith(last)


def has_shrunk(old: SentMessage, new: SentMessage) -> bool:
    """Return whether parts are gone, while the others kept their order."""
    before, after = shapes_of(old.message), shapes_of(new.message)
    if not after or len(after) >= len(before):
        return False
    rest = iter(before)
    return all(shape in rest for shape in after)


def is_similar(old: SentMessage, new: SentMessage) -> bool:
    """Return whether most words of both are the same."""
    larger = max(len(old.words), len(new.words))
    return larger > 0 and len(old.words & new.words) >= SIMILAR_SHARE * larger


WAYS = (
    (MatchKind.VOLATILE, is_volatile),
    (MatchKind.GREW, has_grown),
    (MatchKind.SHRANK, has_shrunk),
    (MatchKind.SIMILAR, is_similar),
)
"""The ways in which a message may have changed, the surest first."""

NEAR = 40
"""How many messages of a range one is compared with: similarity costs more than a key."""

NONE: Set[int] = frozenset()


class MessageMatch(NamedTuple):
    """A message that is sent now, and the one it was; both by their position."""

    old: int
    new: int
    kind: MatchKind


class UnmatchedRange(NamedTuple):
    """What is unmatched between two matches, by position; an open one ends the request."""

    old: list[int]
    new: list[int]
    is_open: bool


def matched(
    old: Sequence[SentMessage],
    new: Sequence[SentMessage],
    *,
    answer_at: int | None = None,
    apart: tuple[Set[int], Set[int]] = (NONE, NONE),
) -> list[MessageMatch]:
    """Return the matches, by their place in the new request; each message has one at most.

    From ``answer_at`` on everything is new: there is the last answer. ``apart`` are the old and new
    messages that are known to be summaries, and so never changed into something else.
    """
    matching = _Matcher(old, new, answer_at)
    matching.by_key()
    matching.in_ranges(lambda sent: sent.loose)
    matching.by_id()
    matching.moved()
    matching.by_similarity(*apart)
    return matching.found()


class _Matcher:
    """The matches found so far; ``fixed`` are those in the old order, by their new position."""

    def __init__(
        self, old: Sequence[SentMessage], new: Sequence[SentMessage], answer_at: int | None
    ) -> None:
        self._old, self._new = old, new
        self._stop = len(new) if answer_at is None else answer_at
        self._is_answered = answer_at is not None
        self._fixed: dict[int, tuple[int, MatchKind]] = {}
        self._moved: dict[int, int] = {}

    def found(self) -> list[MessageMatch]:
        """Return all matches."""
        moved = {new: (old, MatchKind.SAME) for new, old in self._moved.items()}
        every = sorted({**self._fixed, **moved}.items())
        return [MessageMatch(old, new, kind) for new, (old, kind) in every]

    def by_key(self) -> None:
        """Match what has the same key, in order: ends first, then what is there only once."""
        old = [sent.key for sent in self._old]
        new = [sent.key for sent in self._new]
        ranges = [(0, len(old), 0, self._stop)]
        while ranges:
            a, a_end, b, b_end = ranges.pop()
            while a < a_end and b < b_end and old[a] == new[b]:
                self._fixed[b] = a, MatchKind.SAME
                a, b = a + 1, b + 1
            while a < a_end and b < b_end and old[a_end - 1] == new[b_end - 1]:
                a_end, b_end = a_end - 1, b_end - 1
                self._fixed[b_end] = a_end, MatchKind.SAME
            if a == a_end or b == b_end:
                continue
            anchors = _anchors(old, new, range(a, a_end), range(b, b_end))
            if not anchors:
                self._in_order(old, new, range(a, a_end), range(b, b_end))
                continue
            for place, other in anchors:
                self._fixed[other] = place, MatchKind.SAME
            edges = pairwise([(a - 1, b - 1), *anchors, (a_end, b_end)])
            ranges += [(x + 1, x2, y + 1, y2) for (x, y), (x2, y2) in edges]

    def in_ranges(self, key: Callable[[SentMessage], bytes]) -> None:
        """Match within each range what has another key in common, in order."""
        for range_ in self._unmatched():
            if range_.old and range_.new:
                old = {place: key(self._old[place]) for place in range_.old}
                new = {place: key(self._new[place]) for place in range_.new}
                self._in_order(old, new, range_.old, range_.new)

    def by_id(self) -> None:
        """Match within each range what is of the same calls, in order."""
        for range_ in self._unmatched():
            places = {id: place for place in reversed(range_.old) for id in self._old[place].ids}
            last = -1
            for place in range_.new:
                sent = self._new[place]
                known = [places[id] for id in sent.ids if places.get(id, -1) > last]
                role = sent.message.role
                known = [one for one in known if self._old[one].message.role == role]
                if known:
                    last = min(known)
                    self._fixed[place] = last, MatchKind.BY_ID

    def moved(self) -> None:
        """Match what has moved; after something new at the end, it is new itself."""
        ranges = list(self._unmatched())
        left: dict[bytes, list[int]] = {}
        for range_ in ranges:
            for place in range_.old:
                left.setdefault(self._old[place].key, []).append(place)
        for range_ in ranges:
            for place in range_.new:
                places = left.get(self._new[place].key)
                if places:
                    self._moved[place] = places.pop(0)
                elif range_.is_open:
                    break

    def by_similarity(self, old_apart: Set[int], new_apart: Set[int]) -> None:
        """Match within each range what may have become something else."""
        for range_ in self._unmatched():
            old = [place for place in range_.old if place not in old_apart]
            new = [place for place in range_.new if place not in new_apart]
            if range_.is_open:
                if old and new and self._is_pair(has_grown, old[0], new[0]):
                    self._fixed[new[0]] = old[0], MatchKind.GREW
                continue
            if len(new) > NEAR:
                self._one_by_one(old, new)
                continue
            pairs: dict[int, int] = {}
            self._prompts(old, new, pairs)
            for kind, test in WAYS:
                for place in new:
                    if place in pairs:
                        continue
                    near = _ends(_between(pairs, place, old))
                    found = next((one for one in near if self._is_pair(test, one, place)), None)
                    if found is not None:
                        pairs[place] = found
                        self._fixed[place] = found, kind

    def _one_by_one(self, old: list[int], new: list[int]) -> None:
        """Match by position where comparing all would take too long."""
        for one, place in zip(old, new, strict=False):
            kind = next((kind for kind, test in WAYS if self._is_pair(test, one, place)), None)
            if kind is not None:
                self._fixed[place] = one, kind

    def _prompts(self, old: list[int], new: list[int], pairs: dict[int, int]) -> None:
        """Match one prompt that is gone with one that is new, however different they are."""
        gone = [place for place in old if self._old[place].message.role == "system"]
        fresh = [place for place in new if self._new[place].message.role == "system"]
        if len(gone) == len(fresh) == 1:
            pairs[fresh[0]] = gone[0]
            is_same = self._old[gone[0]].masked == self._new[fresh[0]].masked
            self._fixed[fresh[0]] = gone[0], MatchKind.VOLATILE if is_same else MatchKind.SIMILAR

    def _is_pair(
        self, test: Callable[[SentMessage, SentMessage], bool], old: int, new: int
    ) -> bool:
        one, other = self._old[old], self._new[new]
        return one.message.role == other.message.role and test(one, other)

    def _in_order(
        self,
        old: Sequence[bytes] | dict[int, bytes],
        new: Sequence[bytes] | dict[int, bytes],
        old_places: Sequence[int],
        new_places: Sequence[int],
    ) -> None:
        """Match each message with the next one that has its key."""
        places: dict[bytes, list[int]] = {}
        for place in old_places:
            places.setdefault(old[place], []).append(place)
        last = -1
        for place in new_places:
            known = places.get(new[place], [])
            at = bisect_right(known, last)
            if at < len(known):
                last = known[at]
                self._fixed[place] = last, MatchKind.SAME

    def _unmatched(self) -> Iterator[UnmatchedRange]:
        """Yield the ranges between matches, without what has moved."""
        moved = set(self._moved.values())
        edges = [(old, new) for new, (old, _) in sorted(self._fixed.items())]
        for one in unmatched_ranges(
            edges, len(self._old), self._stop, is_open=not self._is_answered
        ):
            old = [place for place in one.old if place not in moved]
            new = [place for place in one.new if place not in self._moved]
            if old or new:
                yield UnmatchedRange(old, new, one.is_open)


def unmatched_ranges(
    edges: Sequence[tuple[int, int]], old_size: int, new_size: int, *, is_open: bool
) -> Iterator[UnmatchedRange]:
    """Yield what is between pairs of positions that match; ``is_open`` is for the last one."""
    ends = [(-1, -1), *edges, (old_size, new_size)]
    for number, ((a, b), (a_end, b_end)) in enumerate(pairwise(ends)):
        if not a_end - a == 1 == b_end - b:
            old, new = list(range(a + 1, a_end)), list(range(b + 1, b_end))
            yield UnmatchedRange(old, new, is_open and number == len(edges))


def _anchors(
    old: Sequence[bytes], new: Sequence[bytes], old_places: range, new_places: range
) -> list[tuple[int, int]]:
    """Return the longest run of messages that are there once in both, in both orders."""
    before = Counter(old[place] for place in old_places)
    after = Counter(new[place] for place in new_places)
    places = {old[place]: place for place in old_places}
    pairs = [
        (places[key], place)
        for place in new_places
        if before.get(key := new[place]) == 1 and after[key] == 1
    ]
    return longest_rise(pairs)


def longest_rise(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return a longest part of some pairs in which the first ones rise."""
    ends: list[int] = []
    tops: list[int] = []
    before: list[int] = []
    for number, (value, _) in enumerate(pairs):
        at = bisect_left(ends, value)
        before.append(tops[at - 1] if at else -1)
        ends[at : at + 1] = [value]
        tops[at : at + 1] = [number]
    found = []
    number = tops[-1] if tops else -1
    while number >= 0:
        found.append(pairs[number])
        number = before[number]
    return found[::-1]


def _ends(places: list[int]) -> list[int]:
    """Return the messages at both ends of a gap, or all of a small one."""
    half = NEAR // 2
    return places if len(places) <= NEAR else [*places[:half], *places[-half:]]


def _between(pairs: dict[int, int], place: int, old: list[int]) -> list[int]:
    """Return the old messages that one may be without passing another that is matched."""
    low = max((was for now, was in pairs.items() if now < place), default=-1)
    high = min((was for now, was in pairs.items() if now > place), default=None)
    return [one for one in old if one > low and (high is None or one < high)]
