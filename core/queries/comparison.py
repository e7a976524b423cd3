"""Two states of a projection side by side, and where a prompt cache would break between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

from ..history.log import LogReader
from ..history.revisions import Revision
from ..history.state import State
from ..views.shared import END
from ..views.view import View
from .diff import Diff, diff_views

RowKind = Literal["same", "hidden", "added", "shown", "moved"]


class Side(NamedTuple):
    """A message in one of the two states: where it stands, and its raw index."""

    position: int
    raw: int


class ComparisonRow(NamedTuple):
    """A line of the comparison; one side is None where the message is only in the other state."""

    kind: RowKind
    left: Side | None
    right: Side | None


class Prefix(NamedTuple):
    """The longest common start of two projections: what a prompt cache keeps."""

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
        """Return what went, came and moved."""
        return diff_views(self.before.view, self.after.view, self.before.log_size)

    @cached_property
    def prefix(self) -> Prefix:
        """Return the common start, in messages and tokens."""
        return common_prefix(self.state, self.before.view, self.after.view)

    @property
    def tokens(self) -> tuple[int, int]:
        """Return the visible tokens of both sides."""
        return self.state.total(self.before), self.state.total(self.after)

    @property
    def resent(self) -> int:
        """Return the tokens after the common start, which would be sent anew."""
        return self.tokens[1] - self.prefix.tokens

    @cached_property
    def rows(self) -> list[ComparisonRow]:
        """Return both sides aligned: each message that stayed in order is one row."""
        return list(_aligned(self.before.view, self.after.view, self.diff))

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as JSON-ready data."""
        before, after = self.tokens
        return {
            "before": {"revision": self.before.id, "batch": self.before.batch},
            "after": {"revision": self.after.id, "batch": self.after.batch},
            **self.diff.to_dict(),
            "tokens": {"before": before, "after": after, "counter": self.state.counter},
            "prefixMessages": self.prefix.messages,
            "prefixTokens": self.prefix.tokens,
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


def _alike(log: LogReader, one: int, other: int) -> bool:
    """Tell whether a model would see no difference between two messages."""
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
                anchor = Side(position, raw)
                break
            yield ComparisonRow(kinds[raw], Side(position, raw), None)
        for position, raw in right:
            if raw not in kinds:
                assert anchor is not None
                yield ComparisonRow("same", anchor, Side(position, raw))
                break
            yield ComparisonRow(kinds[raw], None, Side(position, raw))
        if anchor is None:
            return
