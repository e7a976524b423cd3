"""The difference between two views: what was hidden, added, shown and moved."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

from ..values.models import fields_dict
from .log import LogReader
from .messages import Message
from .revisions import Revision
from .state import State
from .tokens import counter_named
from .views import EMPTY, END, View, spans_of, subtract


class Diff(NamedTuple):
    """What it takes to get from one view to another, as raw indices in ascending order."""

    hidden: View
    added: View
    shown: View
    moved: View

    def __bool__(self) -> bool:
        return any(map(len, (self.hidden, self.added, self.shown, self.moved)))

    def __str__(self) -> str:
        kinds = ("hidden", "added", "shown", "moved")
        said = [f"{kind} {view}" for kind in kinds if len(view := getattr(self, kind))]
        return "; ".join(said) or "no difference"

    def to_dict(self) -> dict[str, Any]:
        return fields_dict(self)


def diff_views(before: View, after: View, log_size: int) -> Diff:
    """Compare two views; ``log_size`` is how long the log was when the first was made.

    The cost follows the number of runs, unless messages were reordered.
    """
    if before.chunks == after.chunks:
        return Diff(EMPTY, EMPTY, EMPTY, EMPTY)
    old, new = spans_of(before.runs()), spans_of(after.runs())
    gone, more = subtract(old, new), subtract(new, old)
    older = subtract(more, [(log_size, 1 << 62)])
    newer = subtract(more, older)
    stayed = before.cut(gone)[0] if gone else before
    common = after.cut(more)[0] if more else after
    hidden, added, shown = map(View.of_spans, (gone, newer, older))
    return Diff(hidden, added, shown, _moved(stayed, common))


def _moved(before: View, after: View) -> View:
    """Return the messages outside a longest common order of two views of the same messages."""
    if before == after:
        return EMPTY
    rank = {raw: position for position, raw in enumerate(before)}
    order = [rank[raw] for raw in after]
    # Patience sorting: tails[k] ends the best rising sequence of length k + 1 so far.
    tails: list[int] = []
    places: list[int] = []
    for position in order:
        place = bisect_left(tails, position)
        tails[place : place + 1] = [position]
        places.append(place)
    moved = []
    wanted = len(tails) - 1
    for raw, place in zip(reversed(list(after)), reversed(places), strict=True):
        if place == wanted:
            wanted -= 1
        else:
            moved.append(raw)
    return View.of(sorted(moved))


RowKind = Literal["same", "hidden", "added", "shown", "moved"]


class DiffSide(NamedTuple):
    """A message in one of the two states: its position and its raw index."""

    position: int
    raw: int


class ComparisonRow(NamedTuple):
    """A line of the comparison; one side is None if the message is only in the other state."""

    kind: RowKind
    left: DiffSide | None
    right: DiffSide | None


class Prefix(NamedTuple):
    """The longest common start of two projections: what a prompt cache can serve."""

    messages: int
    tokens: int


@dataclass(frozen=True)
class Comparison:
    """Everything that differs between two revisions, in one counter."""

    state: State
    before: Revision
    after: Revision

    @cached_property
    def diff(self) -> Diff:
        return diff_views(self.before.view, self.after.view, self.before.log_size)

    @cached_property
    def prefix(self) -> Prefix:
        return common_prefix(self.state, self.before.view, self.after.view)

    @property
    def tokens(self) -> tuple[int, int]:
        return self.state.total(self.before), self.state.total(self.after)

    @cached_property
    def inside(self) -> int:
        """Return the tokens that the first messages that differ have in common at their start."""
        at, before, after = self.prefix.messages, self.before.view, self.after.view
        if at >= min(len(before), len(after)):
            return 0
        log = self.state.log
        return common_tokens(log[before[at]], log[after[at]], self.state.counter)

    @property
    def resent(self) -> int:
        """Return the tokens after the common start, which would be sent uncached."""
        return self.tokens[1] - self.prefix.tokens - self.inside

    @cached_property
    def rows(self) -> list[ComparisonRow]:
        """Return both sides aligned: each message that stayed in order is one row."""
        return list(_aligned(self.before.view, self.after.view, self.diff))

    def to_dict(self) -> dict[str, Any]:
        before, after = self.tokens
        return {
            "before": {"revision": self.before.id, "batch": self.before.batch},
            "after": {"revision": self.after.id, "batch": self.after.batch},
            **self.diff.to_dict(),
            "tokens": {"before": before, "after": after, "counter": self.state.counter},
            "prefixMessages": self.prefix.messages,
            "prefixTokens": self.prefix.tokens,
            "insideTokens": self.inside,
            "resentTokens": self.resent,
            "rows": [
                {
                    "kind": row.kind,
                    "left": row.left and row.left._asdict(),
                    "right": row.right and row.right._asdict(),
                }
                for row in self.rows
            ],
        }


def common_prefix(state: State, before: View, after: View) -> Prefix:
    """Return how much two projections have in common from the start, by what is really said.

    Where both show the same run nothing is read: the work follows the runs, not the messages.
    """
    length = _common_length(state.log, before, after)
    return Prefix(length, state.log.total(after[:length], state.counter))


def _common_length(log: LogReader, before: View, after: View) -> int:
    olds, news = before.runs(), after.runs()
    (old, old_left), (new, new_left) = next(olds, END), next(news, END)
    length = 0
    while size := min(old_left, new_left):
        if old != new:
            for step in range(size):
                if not _alike(log, old + step, new + step):
                    return length + step
        length += size
        old, old_left = (old + size, old_left - size) if old_left > size else next(olds, END)
        new, new_left = (new + size, new_left - size) if new_left > size else next(news, END)
    return length


def common_start(one: Sequence[Any], other: Sequence[Any]) -> int:
    """Return how many items at the start of two lists, tuples or texts are the same."""
    size = min(len(one), len(other))
    if one[:size] == other[:size]:
        return size
    low, high = 0, size
    while high - low > 1:
        middle = (low + high) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle
    return low


def common_tokens(one: Message, other: Message, counter: str) -> int:
    """Return the tokens of the text with which two messages of one role begin alike."""
    text = other.search_text[: common_start(one.search_text, other.search_text)]
    if one.role != other.role or not text:
        return 0
    return counter_named(counter).count(Message(other.role, text))


def _alike(log: LogReader, one: int, other: int) -> bool:
    """Return whether a model would see no difference between two messages."""
    return log[one].role == log[other].role and log[one].content == log[other].content


def _aligned(before: View, after: View, diff: Diff) -> Iterator[ComparisonRow]:
    kinds: dict[int, RowKind] = dict.fromkeys(diff.hidden, "hidden")
    kinds |= dict.fromkeys(diff.added, "added")
    kinds |= dict.fromkeys(diff.shown, "shown")
    kinds |= dict.fromkeys(diff.moved, "moved")
    left, right = enumerate(before), enumerate(after)
    while True:
        anchor = None
        for position, raw in left:
            if raw not in kinds:
                anchor = DiffSide(position, raw)
                break
            yield ComparisonRow(kinds[raw], DiffSide(position, raw), None)
        for position, raw in right:
            if raw not in kinds:
                assert anchor is not None
                yield ComparisonRow("same", anchor, DiffSide(position, raw))
                break
            yield ComparisonRow(kinds[raw], None, DiffSide(position, raw))
        if anchor is None:
            return
