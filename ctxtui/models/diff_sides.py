"""The two sides of a difference: what each of them is, and why they are not the same."""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from typing import NamedTuple

from ctxtui.core import Batch, Conversation
from ctxtui.core.engine.diff import Prefix
from ctxtui.core.engine.queries import Blame
from ctxtui.core.engine.revisions import ancestor
from ctxtui.core.engine.state import State
from ctxtui.core.engine.tokens import is_exact
from ctxtui.models.diff_stretches import Stretch, StretchKind, stretches
from ctxtui.models.look import Look, is_on_path
from ctxtui.models.measured_cache import MeasuredCache, measured_cache
from ctxtui.symbols import visible

SIGNS: dict[StretchKind, str] = {
    **{"same": "=", "hidden": "−", "added": "+", "shown": "+", "moved": "~", "replaced": "→"},
}
CAUSE_CHARACTERS = 120
RUNS_AT_ONCE = 5_000
"""Characters of a cause, and runs of two views that are aligned without anybody noticing."""


class Pair(NamedTuple):
    """One line of the difference: positions on both sides, None where a side has nothing."""

    kind: StretchKind
    left: int | None
    right: int | None


class Sides:
    """Two revisions of a conversation side by side; made anew when one of them changes."""

    def __init__(self, conversation: Conversation, left: int, right: int) -> None:
        self.conversation = conversation
        self.left = Look(conversation, left)
        self.right = Look(conversation, right)
        self.found = conversation.compare(left, right)
        self._causes: dict[tuple[StretchKind, int], str] = {}

    @property
    def is_quick(self) -> bool:
        """Tell whether aligning takes no time to speak of; it follows the runs of both views."""
        return self.left.view.run_count + self.right.view.run_count <= RUNS_AT_ONCE

    @cached_property
    def stretches(self) -> list[Stretch]:
        """Return both sides aligned."""
        return stretches(self.found, self.left.state, self.right.state)

    @property
    def prefix(self) -> Prefix:
        """Return what a prompt cache keeps."""
        return self.found.prefix

    @cached_property
    def measured(self) -> MeasuredCache | None:
        """Return what a provider really served of the right side, where that was recorded."""
        return measured_cache(self.conversation, self.right.revision.id)

    @cached_property
    def marked(self) -> tuple[int, int]:
        """Return how many marked messages each side sends."""
        raws = self.right.marked
        left, right = (sum(raw in look.view for raw in raws) for look in (self.left, self.right))
        return left, right

    @property
    def sent_again(self) -> int:
        """Return how many messages stand behind what a prompt cache keeps."""
        return len(self.right.view) - self.prefix.messages

    @property
    def is_broken(self) -> bool:
        """Tell whether something the cache held was lost, and not only something new was added."""
        return self.sent_again > 0 and self.prefix.messages < len(self.left.view)

    @property
    def about(self) -> str:
        """Return the sign before numbers that are estimates."""
        return "" if is_exact(self.right.counter) else "~"

    def raw(self, pair: Pair) -> int:
        """Return the raw index of a line's message: of the right one where there are two."""
        if pair.right is not None:
            return self.right.view[pair.right]
        assert pair.left is not None
        return self.left.view[pair.left]

    # Words

    def name(self, look: Look) -> str:
        """Return a side in a few words; its revision where both are in one batch."""
        batch = look.batch
        told = f"batch {batch.number} {operation_of(batch)}"
        if self.left.batch.id == self.right.batch.id:
            return f"{told} revision {look.revision.id}"
        return told

    def is_abandoned(self, look: Look) -> bool:
        """Tell whether a side is no longer on the way to the present."""
        return not is_on_path(self.conversation, look.batch)

    def cause(self, pair: Pair) -> str:
        """Return why a line has only one side, looked up once."""
        key = (pair.kind, self.raw(pair))
        if pair.kind == "moved":
            return self._moved(pair, key[1])
        if key not in self._causes:
            self._causes[key] = visible(self._cause(*key), CAUSE_CHARACTERS)
        return self._causes[key]

    def _cause(self, kind: StretchKind, raw: int) -> str:
        if kind == "hidden":
            return self._hidden(self.right, self.left, raw)
        if kind == "shown":
            return f"was {self._hidden(self.left, self.right, raw)}"
        return _added(self.right.state, raw) if kind == "added" else ""

    def _hidden(self, look: Look, other: Look, raw: int) -> str:
        """Return why a message of the other side is not seen on this one."""
        found = look.blame(raw)
        if found is not None and found.batch is not None:
            return _hidden_by(found)
        revisions, mine, theirs = look.state.revisions, look.revision, other.revision
        is_earlier = ancestor(revisions, theirs, mine.depth).id == mine.id
        return f"{'not there yet' if is_earlier else 'never there'} in batch {look.batch.number}"

    def _moved(self, pair: Pair, raw: int) -> str:
        if pair.right is None:
            return f"moved to position {self.right.view.position(raw)}"
        return f"moved from position {self.left.view.position(raw)}"


def _hidden_by(found: Blame) -> str:
    """Return which operation hid a message, with its batch and its name."""
    assert found.batch is not None
    title = operation_of(found.batch)
    told = found.batch.description.removeprefix(title).strip()
    return f"hidden by batch {found.batch.number} {title} {told}".rstrip()


def operation_of(batch: Batch) -> str:
    """Return the name of the operation that opened a batch."""
    return "START" if batch.operation is None else batch.operation.title


def _added(state: State, raw: int) -> str:
    """Return what made a visible message visible: the first revision of its path that shows it."""

    def shows(depth: int) -> bool:
        return raw in ancestor(state.revisions, state.current, depth).view

    depth = bisect_left(range(state.current.depth + 1), True, key=shows)
    revision = ancestor(state.revisions, state.current, depth)
    if revision.operation is None:
        return "there from the start"
    number = state.batches[revision.batch].number
    return f"added by {revision.operation.title} in batch {number}"
