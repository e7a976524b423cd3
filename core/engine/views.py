"""Views: the raw indices that are visible, in order, as runs in chunks that views share."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, pairwise
from operator import add
from typing import overload

from ..errors import format_value
from ..values.sequences import ReadOnlySequence

Run = tuple[int, int]
"""A run of consecutive raw indices: its start and its length."""

Span = tuple[int, int]
"""A half-open range of raw indices: its start and its stop."""


def runs_of(indices: Iterable[int]) -> Iterator[Run]:
    """Yield a sequence of indices, in its own order, as runs of consecutive ones."""
    start, length = -1, 0
    for index in indices:
        if index == start + length:
            length += 1
        else:
            if length:
                yield start, length
            start, length = index, 1
    if length:
        yield start, length


def indices_of(runs: Iterable[Run]) -> list[int]:
    """Return the indices of some runs, one by one."""
    return [index for start, length in runs for index in range(start, start + length)]


def runs_at(runs: Iterator[Run], stretches: Iterable[Span]) -> Iterator[Run]:
    """Yield the parts of some runs at some ranges of positions, in one pass."""
    start, length, passed = 0, 0, 0
    for lo, hi in stretches:
        while passed + length <= lo:
            passed += length
            start, length = next(runs)
        while lo < hi:
            taken = min(hi, passed + length) - lo
            yield start + lo - passed, taken
            lo += taken
            if lo < hi:
                passed += length
                start, length = next(runs)


def spans_of(runs: Iterable[Run]) -> list[Span]:
    """Return runs in any order as sorted spans; touching ones are joined."""
    spans: list[Span] = []
    for start, length in sorted(runs):
        if spans and spans[-1][1] >= start:
            spans[-1] = (spans[-1][0], max(spans[-1][1], start + length))
        else:
            spans.append((start, start + length))
    return spans


def size_of(spans: Iterable[Span]) -> int:
    """Return how many indices spans hold."""
    return sum(stop - start for start, stop in spans)


def overlaps(spans: list[Span], start: int, stop: int) -> Iterator[Span]:
    """Yield the parts of sorted spans that lie within one range."""
    at = bisect_left(spans, (start,))
    if at and spans[at - 1][1] > start:
        at -= 1
    while at < len(spans) and spans[at][0] < stop:
        yield max(spans[at][0], start), min(spans[at][1], stop)
        at += 1


def subtract(spans: list[Span], others: list[Span]) -> list[Span]:
    """Return what of some spans is not in the others."""
    rest: list[Span] = []
    for start, stop in spans:
        for taken_start, taken_stop in overlaps(others, start, stop):
            if start < taken_start:
                rest.append((start, taken_start))
            start = taken_stop
        if start < stop:
            rest.append((start, stop))
    return rest


def either(one: bytes, other: bytes) -> bytes:
    """Return the union of two masks, at C speed."""
    joined = int.from_bytes(one, "little") | int.from_bytes(other, "little")
    return joined.to_bytes(len(one), "little")


def without(one: bytes, other: bytes) -> bytes:
    """Return what of a mask is not in another, at C speed."""
    left = int.from_bytes(one, "little") & ~int.from_bytes(other, "little")
    return left.to_bytes(len(one), "little")


MOST_RUNS = 256
BLOCK_RUNS = 16


class Chunk:
    """A few hundred runs; all its indices lie from ``low`` to, at the most, ``high``."""

    __slots__ = ("_order", "high", "lengths", "low", "size", "starts")

    def __init__(
        self, starts: array[int], lengths: array[int], size: int, high: int, low: int | None = None
    ) -> None:
        self.starts = starts
        self.lengths = lengths
        self.size = size
        self.low = min(starts) if low is None else low
        self.high = high
        self._order: array[int] | None = None

    def find(self, offset: int) -> Run:
        """Return the run that holds an offset, and the offset within that run."""
        if offset >= self.size:
            return len(self.starts), 0
        lengths = self.lengths
        for base in range(0, len(lengths), BLOCK_RUNS):
            block = lengths[base : base + BLOCK_RUNS]
            # Whole blocks are passed at C speed; only the last one is looked into.
            if offset >= (passed := sum(block)):
                offset -= passed
                continue
            for run, length in enumerate(block, start=base):
                if offset < length:
                    return run, offset
                offset -= length
        raise AssertionError("a chunk's size is the sum of its runs")

    def offset(self, raw: int) -> int | None:
        """Return the position of a raw index in this chunk, or None."""
        if not self.low <= raw <= self.high:
            return None
        if self._order is None:
            self._order = array("I", sorted(self.starts))
        start = self._order[bisect_right(self._order, raw) - 1]
        run = self.starts.index(start)
        if raw - start >= self.lengths[run]:
            return None
        return sum(self.lengths[:run]) + raw - start

    def runs(self) -> Iterator[Run]:
        return zip(self.starts, self.lengths, strict=True)


class Runs:
    """Collects runs for new chunks, joining those that continue each other."""

    __slots__ = ("lengths", "starts")

    def __init__(self, starts: array[int] | None = None, lengths: array[int] | None = None) -> None:
        self.starts = array("I") if starts is None else starts
        self.lengths = array("I") if lengths is None else lengths

    def add(self, start: int, length: int) -> None:
        if self.starts and self.starts[-1] + self.lengths[-1] == start:
            self.lengths[-1] += length
        elif length:
            self.starts.append(start)
            self.lengths.append(length)

    def extend(self, starts: array[int], lengths: array[int]) -> None:
        """Add the runs of two parallel arrays at the end."""
        if starts:
            self.add(starts[0], lengths[0])
            self.starts += starts[1:]
            self.lengths += lengths[1:]

    def chunks(
        self, high: int | None = None, low: int | None = None, size: int | None = None
    ) -> tuple[Chunk, ...]:
        """Return the runs as chunks of even size; ``high`` is no index of theirs above."""
        count = len(self.starts)
        if not count:
            return ()
        if count <= MOST_RUNS:
            if high is None:
                high = max(map(add, self.starts, self.lengths)) - 1
            # Slicing trims what appending over-allocated.
            starts, lengths = self.starts[:], self.lengths[:]
            return (Chunk(starts, lengths, sum(lengths) if size is None else size, high, low),)
        pieces = -(-count // MOST_RUNS)
        cuts = [count * i // pieces for i in range(pieces + 1)]
        made = []
        for lo, hi in pairwise(cuts):
            # Slicing trims what appending over-allocated.
            starts, lengths = self.starts[lo:hi], self.lengths[lo:hi]
            made.append(Chunk(starts, lengths, sum(lengths), max(map(add, starts, lengths)) - 1))
        return tuple(made)


def part_of(chunk: Chunk, lo: int, hi: int) -> tuple[Chunk, ...]:
    """Return a part of a chunk, or the chunk itself if that is all of it."""
    if hi - lo == chunk.size:
        return (chunk,)
    run, inner = chunk.find(lo)
    last, beyond = chunk.find(hi)
    made = Runs(chunk.starts[run:last], chunk.lengths[run:last])
    if beyond:
        made.starts.append(chunk.starts[last])
        made.lengths.append(beyond)
    if inner:
        made.starts[0] += inner
        made.lengths[0] -= inner
    return made.chunks(chunk.high)


class View(ReadOnlySequence[int]):
    """Raw indices in visible order, without duplicates; immutable."""

    __slots__ = ("_ends", "_low", "_size", "chunks")

    def __init__(self, chunks: tuple[Chunk, ...] = ()) -> None:
        self.chunks = chunks
        self._size: int | None = None
        self._ends: list[int] | None = None
        self._low: int | None = None

    @classmethod
    def of(cls, indices: Iterable[int]) -> View:
        return cls.of_runs(runs_of(indices))

    @classmethod
    def of_runs(cls, runs: Iterable[Run]) -> View:
        made = Runs()
        for start, length in runs:
            made.add(start, length)
        return cls(made.chunks())

    @classmethod
    def of_spans(cls, spans: Iterable[Span]) -> View:
        return cls.of_runs((start, stop - start) for start, stop in spans)

    def __len__(self) -> int:
        if self._size is None:
            self._size = sum([chunk.size for chunk in self.chunks])
        return self._size

    def __iter__(self) -> Iterator[int]:
        return chain.from_iterable(range(s, s + n) for s, n in self.runs())

    def __reversed__(self) -> Iterator[int]:
        return chain.from_iterable(
            range(s + n - 1, s - 1, -1) for s, n in self.runs(backwards=True)
        )

    def __contains__(self, raw: object) -> bool:
        return isinstance(raw, int) and self.position(raw) is not None

    @overload
    def __getitem__(self, key: int) -> int: ...
    @overload
    def __getitem__(self, key: slice) -> View: ...
    def __getitem__(self, key: int | slice) -> int | View:
        if isinstance(key, slice):
            lo, hi, step = key.indices(len(self))
            if step == 1:
                return self._part(lo, max(lo, hi))
            return View.of([self[i] for i in range(lo, hi, step)])
        position = key + len(self) if key < 0 else key
        if not 0 <= position < len(self):
            raise IndexError(f"position {format_value(key)} is outside 0…{len(self) - 1}")
        return self._item(position)

    def _item(self, index: int) -> int:
        if self._ends is None:
            self._ends = list(accumulate([chunk.size for chunk in self.chunks]))
        at = bisect_right(self._ends, index)
        chunk = self.chunks[at]
        run, offset = chunk.find(index - (self._ends[at] - chunk.size))
        return chunk.starts[run] + offset

    def __eq__(self, other: object) -> bool:
        """Compare by content, also with a plain list of indices.

        A tuple is never equal: equal objects have equal hashes, and a tuple has its own.
        """
        if isinstance(other, View):
            if self is other or self.chunks is other.chunks:
                return True
            return len(self) == len(other) and list(self.joined()) == list(other.joined())
        if isinstance(other, list):
            return len(self) == len(other) and list(self) == other
        return NotImplemented

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(len(self))

    def __repr__(self) -> str:
        return f"View({self})"

    def __str__(self) -> str:
        return ", ".join(f"{s}" if n == 1 else f"{s}-{s + n - 1}" for s, n in self.joined())

    def runs(self, *, backwards: bool = False) -> Iterator[Run]:
        """Yield (start, length) of each stored run; neighbours may continue each other."""
        if not backwards:
            return chain.from_iterable([chunk.runs() for chunk in self.chunks])
        return chain.from_iterable(
            zip(reversed(c.starts), reversed(c.lengths), strict=True) for c in reversed(self.chunks)
        )

    def joined(self) -> Iterator[Run]:
        """Yield the longest runs of consecutive indices, which equal views have in common."""
        start, length = 0, 0
        for next_start, next_length in self.runs():
            if next_start == start + length:
                length += next_length
                continue
            if length:
                yield start, length
            start, length = next_start, next_length
        if length:
            yield start, length

    @property
    def low(self) -> int | None:
        """Return the smallest raw index, or None if nothing is visible."""
        if self._low is None:
            self._low = min([chunk.low for chunk in self.chunks], default=None)
        return self._low

    @property
    def run_count(self) -> int:
        """Return how many runs are stored: what most work on this view costs."""
        return sum([len(chunk.starts) for chunk in self.chunks])

    def position(self, raw: int) -> int | None:
        """Return the position of a raw index, or None if it is hidden."""
        passed = 0
        for chunk in self.chunks:
            # Checked here, not in the chunk: a list asks for each of its lines, in every chunk.
            if chunk.low <= raw <= chunk.high:
                offset = chunk.offset(raw)
                if offset is not None:
                    return passed + offset
            passed += chunk.size
        return None

    def column(self, slice_of: Callable[[int, int], bytes | bytearray]) -> bytes:
        """Return a one-byte column of the log in visible order."""
        return b"".join([slice_of(start, start + length) for start, length in self.runs()])

    def extended(self, runs: Sequence[Run]) -> View:
        if self.chunks and len(runs) == 1:
            (start, count), last = runs[0], self.chunks[-1]
            if last.starts[-1] + last.lengths[-1] == start:
                # A growing log makes the last run longer: nothing else needs to be read.
                lengths = last.lengths[:]
                lengths[-1] += count
                high = max(last.high, start + count - 1)
                grown = Chunk(last.starts, lengths, last.size + count, high, min(last.low, start))
                new = View((*self.chunks[:-1], grown))
                new._size = len(self) + count
                return new
        return self.splice(len(self), len(self), runs)

    def splice(self, lo: int, hi: int, runs: Sequence[Run] = ()) -> View:
        """Return this view with the positions lo…hi−1 replaced by some runs."""
        if not self.chunks:
            return View.of_runs(runs)
        first, left = self._seek(lo)
        return self._spliced(first, self.chunks[first].find(left), lo, hi, runs)

    def swap(self, position: int, runs: Sequence[Run]) -> tuple[View, int]:
        """Return this view with one position replaced by some runs, and the old raw index."""
        first, left = self._seek(position)
        chunk = self.chunks[first]
        run, inner = place = chunk.find(left)
        new = self._spliced(first, place, position, position + 1, runs)
        return new, chunk.starts[run] + inner

    def _spliced(self, first: int, place: Run, lo: int, hi: int, runs: Sequence[Run]) -> View:
        opening, (run, inner) = self.chunks[first], place
        gone, low, size = hi - lo, None, None
        if run < len(opening.lengths) and inner + gone <= (length := opening.lengths[run]):
            # All that is removed is in one run: its end needs no second search.
            last, closing = first, opening
            if not (gone and not inner and opening.starts[run] == opening.low):
                low = min([opening.low, *(start for start, _ in runs)])
            size = opening.size - gone + sum([n for _, n in runs])
            rest, skip = (run, inner + gone) if inner + gone < length else (run + 1, 0)
        elif hi == lo:
            last, closing, rest, skip = first, opening, run, inner
        else:
            last, right = self._seek(hi)
            closing = self.chunks[last]
            rest, skip = closing.find(right)
        high = max(opening.high, closing.high)

        made = Runs(opening.starts[:run], opening.lengths[:run])
        if inner:
            made.add(opening.starts[run], inner)
        for start, length in runs:
            made.add(start, length)
            high = max(high, start + length - 1)
        if skip:
            made.add(closing.starts[rest] + skip, closing.lengths[rest] - skip)
            rest += 1
        made.extend(closing.starts[rest:], closing.lengths[rest:])

        if first and len(made.starts) + len(self.chunks[first - 1].starts) <= MOST_RUNS // 2:
            # Deletions leave small chunks behind; two that fit well into one become one.
            first -= 1
            before = self.chunks[first]
            joined = Runs(before.starts[:], before.lengths[:])
            joined.extend(made.starts, made.lengths)
            made, high, low, size = joined, max(high, before.high), None, None
        new = View(self.chunks[:first] + made.chunks(high, low, size) + self.chunks[last + 1 :])
        if low is not None and self._low is not None:
            new._low = min(self._low, low)
        new._size = len(self) - (hi - lo) + sum([length for _, length in runs])
        return new

    def cut(self, spans: list[Span]) -> tuple[View, int, int]:
        """Return this view without some raw indices, the position of the first, and their count.

        The spans are sorted and not empty; what they name and is hidden already is passed over.
        """
        lowest, highest = spans[0][0], spans[-1][1] - 1
        kept: list[Chunk] = []
        first, removed, passed = -1, 0, 0
        for chunk in self.chunks:
            if chunk.low > highest or chunk.high < lowest:
                kept.append(chunk)
                passed += chunk.size
                continue
            made, before = Runs(), removed
            for start, length in chunk.runs():
                stop = start + length
                if start > highest or stop <= lowest:
                    made.add(start, length)
                    passed += length
                    continue
                for gone, end in overlaps(spans, start, stop):
                    if first < 0:
                        first = passed + gone - start
                    made.add(start, gone - start)
                    removed += end - gone
                    start = end
                made.add(start, stop - start)
                passed += stop - start
            kept.extend([chunk] if removed == before else made.chunks(chunk.high))
        return (View(tuple(kept)) if removed else self), first, removed

    def where(self, keep: bytes) -> View:
        """Return the positions at which a mask, one byte for each, is not zero."""
        pieces = []
        hi = 0
        flags = keep.translate(_FLAGS)
        while (lo := flags.find(1, hi)) >= 0:
            hi = flags.find(0, lo)
            hi = len(flags) if hi < 0 else hi
            pieces.append((lo, hi))
        return View.of_runs(runs_at(self.runs(), pieces))

    def substitute(self, news: Mapping[int, int]) -> View:
        """Return this view with some raw indices replaced, each in its place, by others."""
        spans = [(old, old + 1) for old in sorted(news)]

        def pieces() -> Iterator[Run]:
            for start, length in self.runs():
                stop = start + length
                for old, end in overlaps(spans, start, stop):
                    yield start, old - start
                    yield news[old], 1
                    start = end
                yield start, stop - start

        return View.of_runs(piece for piece in pieces() if piece[1])

    def _part(self, lo: int, hi: int) -> View:
        """Return a slice of this view that shares the chunks in its middle."""
        if lo == 0 and hi == len(self):
            return self
        if lo == hi:
            return EMPTY
        first, left = self._seek(lo)
        last, right = self._seek(hi)
        if first == last:
            return View(part_of(self.chunks[first], left, right))
        new = View(
            part_of(self.chunks[first], left, self.chunks[first].size)
            + self.chunks[first + 1 : last]
            + part_of(self.chunks[last], 0, right)
        )
        new._size = hi - lo
        return new

    def _seek(self, position: int) -> Run:
        """Return the chunk that holds a position, and the position within that chunk."""
        if position == len(self):
            return len(self.chunks) - 1, self.chunks[-1].size
        at = 0
        for chunk in self.chunks:
            if position < chunk.size:
                break
            position -= chunk.size
            at += 1
        return at, position


_FLAGS = bytes([0] + [1] * 255)
EMPTY = View()

END: Run = (-1, 0)
"""The run behind the last one of a view."""


def shared_start(view: View, other: View) -> int:
    """Return how many messages two views have in common from the start, by raw index.

    Chunks that both have are passed over as they are, and equal runs of the next ones at C speed.
    """
    mine, theirs = view.chunks, other.chunks
    same = length = 0
    for one, two in zip(mine, theirs, strict=False):
        if one is not two:
            break
        same += 1
        length += one.size
    alike = _equal_runs(mine[same], theirs[same]) if same < min(len(mine), len(theirs)) else 0
    if alike:
        length += sum(mine[same].lengths[:alike])
    ours, others = _runs_from(mine[same:], alike), _runs_from(theirs[same:], alike)
    (start, left), (old, old_left) = next(ours, END), next(others, END)
    while start == old and (size := min(left, old_left)):
        length += size
        start, left = (start + size, left - size) if left > size else next(ours, END)
        old, old_left = (old + size, old_left - size) if old_left > size else next(others, END)
    return length


def is_same(view: View, other: View) -> bool:
    """Return whether two views are equal, quickly if one was made from the other."""
    size = len(view)
    return view is other or (size == len(other) and shared_start(view, other) == size)


def _equal_runs(one: Chunk, other: Chunk) -> int:
    """Return how many runs two chunks have in common from the start."""
    low, high = 0, min(len(one.starts), len(other.starts))
    while low < high:
        middle = (low + high + 1) // 2
        if (
            one.starts[low:middle] == other.starts[low:middle]
            and one.lengths[low:middle] == other.lengths[low:middle]
        ):
            low = middle
        else:
            high = middle - 1
    return low


def _runs_from(chunks: tuple[Chunk, ...], first: int) -> Iterator[Run]:
    """Yield the runs of some chunks, without the first ones."""
    for chunk in chunks:
        yield from zip(chunk.starts[first:], chunk.lengths[first:], strict=True)
        first = 0


Marks = Mapping[str, View]
FEW = 8


def with_indices(marked: View, indices: Sequence[int]) -> View:
    """Return a sorted view with some indices in it."""
    if len(indices) > FEW:
        spans = spans_of([*marked.runs(), *runs_of(sorted(indices))])
        return View.of_spans(spans)
    for raw in indices:
        place = _place(marked, raw)
        if place is not None:
            marked = marked.splice(place, place, ((raw, 1),))
    return marked


def without_indices(marked: View, indices: Sequence[int]) -> View:
    """Return a sorted view without some indices."""
    return marked.cut(spans_of(runs_of(sorted(indices))))[0] if indices else marked


def _place(marked: View, raw: int) -> int | None:
    """Return where an index belongs in a sorted view, or None if it is there already."""
    passed = 0
    for chunk in marked.chunks:
        if chunk.starts[-1] + chunk.lengths[-1] <= raw:
            passed += chunk.size
            continue
        run = bisect_right(chunk.starts, raw) - 1
        if run < 0:
            return passed
        before = sum(chunk.lengths[:run])
        if raw < chunk.starts[run] + chunk.lengths[run]:
            return None
        return passed + before + chunk.lengths[run]
    return passed
