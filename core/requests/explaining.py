"""Explaining: the smallest operations that lead from what was visible to what was sent.

What went is a TRUNCATE where it is an end, else a DELETE; what stands for several others a
COMPRESS; what became something else a REDACT or a REPLACE; what stands elsewhere a SELECT; what is
new an APPEND, or an INSERT if something known follows. Together they always lead to the request.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from ..errors import shown
from ..messages.message import Message
from ..operations import (
    Append,
    Compress,
    Delete,
    Insert,
    Redact,
    Replace,
    Select,
    Truncate,
)
from .change import Change, Step
from .matching import longest_rise
from .rewriting import redaction, rewritten
from .wording import counted, raws

FEWEST_COMPRESSED = 2
"""So many must have gone for one message to be likely what became of them."""


class Gap(NamedTuple):
    """What went and what came between two messages that stayed; an open one ends the request."""

    gone: list[int]
    came: list[int]
    is_open: bool


def explained(change: Change) -> list[Step]:
    """Return the steps that explain a change, in the order they are done."""
    order = [(match.old, match.new) for match in change.matches]
    stayed = longest_rise(order)
    placed = {match.new for match in change.matches}
    steps: list[Step] = []
    if len(stayed) < len(order):
        steps.append(_reordered(change, order, len(order) - len(stayed)))
    else:
        gone, put = [], []
        for gap in _gaps(change):
            step = _put_in_place(change, gap, placed)
            if step is None:
                gone += gap.gone
            else:
                put.append(step)
        steps += [*([_removed(change, gone)] if gone else []), *put]
    return [*steps, *rewritten(change), *_added(change, placed)]


def _gaps(change: Change) -> Iterator[Gap]:
    edges = [(match.old, match.new) for match in change.matches]
    fence = len(change.new) if change.fence is None else change.fence
    ends = [(-1, -1), *edges, (len(change.old), fence)]
    for number, ((a, b), (a_end, b_end)) in enumerate(pairwise(ends)):
        if a_end - a == 1 == b_end - b:
            continue
        is_open = number == len(edges) and change.fence is None
        yield Gap(list(range(a + 1, a_end)), list(range(b + 1, b_end)), is_open)


def _reordered(change: Change, order: list[tuple[int, int]], moved: int) -> Step:
    kept = change.raws_of([old for old, _ in order])
    went = len(change.old) - len(kept)
    said = f"{counted(moved)} of those that stayed stand elsewhere now"
    also = f", and {counted(went)} went" if went else ""
    return Step(Select(indices=kept), said + also, "likely")


def _put_in_place(change: Change, gap: Gap, placed: set[int]) -> Step | None:
    """Return the step that puts what came in the place of what went, if it is one."""
    gone = change.raws_of(gap.gone)
    proven = next((place for place in gap.came if place in change.proofs), None)
    if not gone or (proven is None and (gap.is_open or not gap.came)):
        return None
    if proven is not None:
        placed.add(proven)
        summary = Compress(indices=gone, summary=change.fresh(proven))
        return Step(summary, f"{raws(gone)} became one message, {change.proofs[proven]}", "proven")
    placed.update(gap.came)
    text = _placeholder(change, gap)
    if text is not None:
        said = f"{raws(gone)} {'reads' if len(gone) == 1 else 'read'} {shown(text)} now"
        return Step(Redact(indices=gone, text=text), said, "likely")
    news = [change.fresh(place) for place in gap.came]
    if len(gone) >= FEWEST_COMPRESSED and len(news) == 1 and _may_sum_up(news[0]):
        said = f"{raws(gone)} went, and one message stands in their place"
        return Step(Compress(indices=gone, summary=news[0]), said, "likely")
    said = (
        f"{counted(len(news))} {'stands' if len(news) == 1 else 'stand'} in place of {raws(gone)}"
    )
    return Step(Replace(indices=gone, messages=news), said, "likely")


def _placeholder(change: Change, gap: Gap) -> str | None:
    """Return the one text that took the place of each message, if that is all that happened."""
    if len(gap.gone) != len(gap.came):
        return None
    pairs = zip(gap.gone, gap.came, strict=True)
    texts = {redaction(change.old[was].message, change.new[now]) for was, now in pairs}
    return texts.pop() if len(texts) == 1 else None


def _may_sum_up(message: Message) -> bool:
    return message.role != "tool" and not message.calls and not message.results


def _removed(change: Change, gone: list[int]) -> Step:
    """Return the step that hides what went: a cut at an end where it is one."""
    size, count = len(change.old), len(gone)
    others = [at for at in range(size) if change.old[at].message.role != "system"]
    named, some = raws(change.raws_of(gone)), "message" if count == 1 else counted(count)
    if count == size:
        return Step(Truncate(remove_first=count), f"nothing of {named} was sent again", "likely")
    if gone == list(range(count)):
        said = f"the oldest {some} went ({named}); those behind are the same"
        return Step(Truncate(remove_first=count), said, "likely")
    if gone == others[:count]:
        said = f"the oldest {some} went ({named}), the system's aside"
        return Step(Truncate(remove_first=count, keep_system=True), said, "likely")
    if gone == list(range(size - count, size)):
        said = f"the newest {some} went ({named}); those before are the same"
        return Step(Truncate(remove_last=count), said, "likely")
    return Step(Delete(indices=change.raws_of(gone)), f"{named} went", "likely")


def _added(change: Change, placed: set[int]) -> Iterator[Step]:
    """Yield what puts all that is not yet in its place there, from the front to the end."""
    size = len(change.new)
    start = 0
    while start < size:
        end = start
        while end < size and end not in placed:
            end += 1
        if end > start:
            news = [change.fresh(place) for place in range(start, end)]
            back = [change.copies[at] for at in range(start, end) if at in change.copies]
            said = _arrival(len(news), back, is_answer=start == change.fence)
            if end == size:
                yield Step(Append(messages=news), said, "likely" if back else "proven")
            else:
                yield Step(Insert(position=start, messages=news), said, "likely")
        start = end + 1


def _arrival(count: int, back: list[int], *, is_answer: bool) -> str:
    if is_answer:
        return f"the answer and {counted(count - 1)} came" if count > 1 else "the answer came"
    if not back:
        return f"{counted(count)} came"
    came = f"{counted(count - len(back))} came, and " if count > len(back) else ""
    return f"{came}{raws(back)} came back, as {'a copy' if len(back) == 1 else 'copies'}"
