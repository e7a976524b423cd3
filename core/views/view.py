"""The view: an ordered sequence of raw indices that costs what its runs cost, not its length.

A view is a tuple of chunks, a chunk up to 256 runs of consecutive raw indices. Views never change;
an edit builds one or two new chunks and shares the rest with the view it came from. So ten thousand
kept views of a hundred thousand messages fit where ten plain index arrays would.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain
from typing import overload

from ..errors import shown
from .chunks import MOST_RUNS, Chunk, Runs, part_of
from .spans import Run, Span, overlaps, runs_at, runs_of


class View(Sequence[int]):
    """Raw indices in visible order, without duplicates; immutable."""

    __slots__ = ("_ends", "_low", "_size", "chunks")

    def __init__(self, chunks: tuple[Chunk, ...] = ()) -> None:
        self.chunks = chunks
        self._size: int | None = None
        self._ends: list[int] | None = None
        self._low: int | None = None

    @classmethod
    def of(cls, indices: Iterable[int]) -> View:
        """Return the view of some indices in the order given."""
        return cls.of_runs(runs_of(indices))

    @classmethod
    def of_runs(cls, runs: Iterable[Run]) -> View:
        """Return the view of some runs in the order given."""
        made = Runs()
        for start, length in runs:
            made.add(start, length)
        return cls(made.chunks())

    def __len__(self) -> int:
        """Return how many messages are visible."""
        if self._size is None:
            self._size = sum([chunk.size for chunk in self.chunks])
        return self._size

    def __iter__(self) -> Iterator[int]:
        """Yield the raw indices in visible order."""
        return chain.from_iterable(range(s, s + n) for s, n in self.runs())

    def __reversed__(self) -> Iterator[int]:
        """Yield the raw indices from the last to the first."""
        return chain.from_iterable(
            range(s + n - 1, s - 1, -1) for s, n in self.runs(backwards=True)
        )

    def __contains__(self, raw: object) -> bool:
        """Tell whether a raw index is visible."""
        return isinstance(raw, int) and self.position(raw) is not None

    @overload
    def __getitem__(self, key: int) -> int: ...
    @overload
    def __getitem__(self, key: slice) -> View: ...
    def __getitem__(self, key: int | slice) -> int | View:
        """Return the raw index at a position, or the view of a slice of positions."""
        if isinstance(key, slice):
            lo, hi, step = key.indices(len(self))
            if step == 1:
                return self._part(lo, max(lo, hi))
            return View.of([self[i] for i in range(lo, hi, step)])
        position = key + len(self) if key < 0 else key
        if not 0 <= position < len(self):
            raise IndexError(f"position {shown(key)} is outside 0…{len(self) - 1}")
        if self._ends is None:
            self._ends = list(accumulate([chunk.size for chunk in self.chunks]))
        at = bisect_right(self._ends, position)
        chunk = self.chunks[at]
        run, offset = chunk.find(position - (self._ends[at] - chunk.size))
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

    def __hash__(self) -> int:
        """Return a hash of the content's size, which equal views share."""
        return hash(len(self))

    def __repr__(self) -> str:
        """Show the view as runs: ``View(0-4, 7, 9-120)``."""
        return f"View({self})"

    def __str__(self) -> str:
        """Return the runs as text: ``0-4, 7, 9-120``."""
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
        """Return the smallest raw index, or None where nothing is visible."""
        if self._low is None:
            self._low = min([chunk.low for chunk in self.chunks], default=None)
        return self._low

    @property
    def run_count(self) -> int:
        """Return how many runs are stored: what most work on this view costs."""
        return sum([len(chunk.starts) for chunk in self.chunks])

    def position(self, raw: int) -> int | None:
        """Return where a raw index stands, or None where it is hidden."""
        passed = 0
        for chunk in self.chunks:
            # Looked at here and not there: a list asks for each of its lines, in every chunk.
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
        """Return this view with runs added at the end."""
        if self.chunks and len(runs) == 1:
            (start, count), last = runs[0], self.chunks[-1]
            if last.starts[-1] + last.lengths[-1] == start:
                # A growing log makes the last run longer: nothing else needs to be looked at.
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
        """Return this view with one position replaced by some runs, and what stood there."""
        first, left = self._seek(position)
        chunk = self.chunks[first]
        run, inner = place = chunk.find(left)
        new = self._spliced(first, place, position, position + 1, runs)
        return new, chunk.starts[run] + inner

    def _spliced(self, first: int, place: Run, lo: int, hi: int, runs: Sequence[Run]) -> View:
        opening, (run, inner) = self.chunks[first], place
        gone, low, size = hi - lo, None, None
        if run < len(opening.lengths) and inner + gone <= (length := opening.lengths[run]):
            # All that goes stands in one run: its end needs no second search.
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
        """Return this view without some raw indices, where the first stood, and how many went.

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
