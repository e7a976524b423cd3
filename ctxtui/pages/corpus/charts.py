"""The charts of a report: bars and a histogram as SVG that fits any width.

Lengths along a bar are percent and texts have their own size, so that nothing has to be scaled.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil

from ctxtui.pages.corpus.markup import Child, Html, element, joined, short

Bucket = dict[str, int]
"""A part of a histogram: ``count`` conversations of ``from`` tokens and ``below`` another count."""
LEAST = 0.6
"""Percent of a bar that more than nothing takes."""
BAR_HEIGHT = 8
PLOT_TOP, PLOT_HEIGHT = 22, 180
LABELS = 16
"""Labels that fit below a wide plot; below a narrow one fit half of them."""
GRID_LINES = 4


def bar(parts: Sequence[tuple[str, int]], whole: int, words: str) -> Html:
    """Return a bar of several parts, each with its class, on a track as long as the whole."""
    pieces = [_rect("track", 0, 100)]
    at = 0.0
    for name, count in parts:
        if count and whole:
            wide = max(LEAST, 100 * count / whole)
            at = min(at, 100 - wide)  # A sliver at the end must not fall off the track.
            pieces.append(_rect(name, at, wide))
            at += wide
    return element(
        "svg",
        element("title", words),
        *pieces,
        class_="bar",
        role="img",
        width="100%",
        height=BAR_HEIGHT,
    )


def _rect(name: str, x: float, width: float) -> Html:
    return element(
        "rect", class_=name, x=_share(x), y=0, width=_share(width), height=BAR_HEIGHT, rx=2
    )


def _share(value: float) -> str:
    return f"{value:.2f}%"


Pair = tuple[int, int, int, int]
"""Tokens from, tokens below, and how many conversations before and after."""


def paired(before: Sequence[Bucket], after: Sequence[Bucket]) -> list[Pair]:
    """Return both histograms side by side, from the smallest bucket of either to the largest."""
    ends = {one["from"]: one["below"] for one in (*before, *after)}
    counts = [{one["from"]: one["count"] for one in series} for series in (before, after)]
    pairs = []
    at = min(ends, default=0)
    while at <= max(ends, default=-1):
        below = ends.get(at, 2 * at or 1)
        pairs.append((at, below, counts[0].get(at, 0), counts[1].get(at, 0)))
        at = below
    return pairs


def bucket_words(start: int, below: int) -> str:
    """Return which counts of tokens a bucket is for."""
    return f"{start:,}" if below - start == 1 else f"{start:,}–{below - 1:,}"


def histogram(pairs: Sequence[Pair]) -> Html:
    """Return two bars for each bucket, before and after, above an axis of tokens."""
    top = max(max(before, after) for _, _, before, after in pairs)
    step = _grid_step(top)
    top = step * ceil(top / step)
    words = "How many conversations have how many tokens, before and after"
    return element(
        "svg",
        element("title", words),
        *_grid(top, step),
        *_columns(pairs, top),
        *_axis(pairs),
        class_="histogram",
        role="img",
        width="100%",
        height=PLOT_TOP + PLOT_HEIGHT + 42,
    )


def _grid_step(top: int) -> int:
    """Return 1, 2 or 5 times a power of ten, of which a few fit below the top."""
    step = 1
    while True:
        for factor in (1, 2, 5):
            if factor * step * GRID_LINES >= top:
                return factor * step
        step *= 10


def _grid(top: int, step: int) -> Iterator[Html]:
    """Yield lines with their counts, which stand in the margin at the left."""
    for value in range(0, top + 1, step):
        y = _height(top - value, top) + PLOT_TOP
        yield element("line", class_="grid", x1=0, x2="100%", y1=f"{y:.1f}", y2=f"{y:.1f}")
        if value:
            yield element("text", short(value), class_="count", x=-8, y=f"{y + 4:.1f}")
    yield _text("conversations", 0, PLOT_TOP - 10)


def _columns(pairs: Sequence[Pair], top: int) -> Iterator[Html]:
    wide = 100 / len(pairs)
    for place, (start, below, *counts) in enumerate(pairs):
        said = f"{bucket_words(start, below)} tokens: {counts[0]:,} before, {counts[1]:,} after"
        columns: list[Child] = [element("title", said)]
        for side, (name, count) in enumerate(zip(("before", "after"), counts, strict=True)):
            if count:
                high = max(2.0, _height(count, top))
                columns.append(
                    element(
                        "rect",
                        class_=name,
                        x=_share(wide * (place + 0.16 + 0.34 * side)),
                        y=f"{PLOT_TOP + PLOT_HEIGHT - high:.1f}",
                        width=_share(wide * 0.32),
                        height=f"{high:.1f}",
                    )
                )
        if len(columns) > 1:
            yield element("g", joined(columns))


def _height(count: int, top: int) -> float:
    return PLOT_HEIGHT * count / top


def _axis(pairs: Sequence[Pair]) -> Iterator[Html]:
    wide, every = 100 / len(pairs), ceil(len(pairs) / LABELS)
    y = PLOT_TOP + PLOT_HEIGHT + 16
    for place, (start, *_) in enumerate(pairs):
        if not place % every:
            name = "spare" if place % (2 * every) else None
            yield _text(short(start), wide * (place + 0.16), y, name)
    yield _text("tokens of a conversation: from … up to the next", 0, y + 20)


def _text(words: str, x: float, y: float, name: str | None = None) -> Html:
    return element("text", words, class_=name, x=_share(x), y=f"{y:.1f}")
