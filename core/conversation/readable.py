"""Everything that can be read from a conversation, as it is now or at another revision."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ..engine.diff import Comparison, Diff, diff_views
from ..engine.log import LogReader, Visible
from ..engine.messages import Message
from ..engine.queries import (
    ArrayState,
    Blame,
    Calls,
    MarkMap,
    Notice,
    Query,
    Snapshot,
    Stats,
    TokenTotal,
    array_state,
    blame,
    notices_of,
    snapshot,
    token_total,
)
from ..engine.revisions import Batch, Path, Revision
from ..engine.settings import Settings
from ..engine.state import ConversationState, State, StateAtRevision
from ..engine.views import View
from ..errors import out_of_range, wrong_type
from ..values.models import read_number
from ..values.sequences import ReadOnlyList

if TYPE_CHECKING:
    from ..lint.projection import Finding


class Readable:
    """A state of a conversation as its readers see it; nothing here changes or copies anything."""

    def __init__(self, state: State) -> None:
        self._state = state

    @property
    def _still(self) -> State:
        """Return the state as it is now, for answers that read it more than once.

        Another thread may move the conversation on meanwhile.
        """
        state = self._state
        return StateAtRevision(state, state.head) if type(state) is ConversationState else state

    @property
    def log(self) -> LogReader:
        """Return every message ever added, by raw index."""
        return self._state.log

    @property
    def view(self) -> View:
        """Return the raw indices that are visible, in visible order."""
        return self._state.view

    @property
    def visible(self) -> Visible:
        """Return the messages a model would be sent, looked up as they are read."""
        return Visible(self._state.log, self._state.view)

    def messages(self, indices: Iterable[int]) -> list[Message]:
        if not isinstance(indices, Iterable):
            raise wrong_type("indices", indices, "a list of raw indices")
        named, size = list(indices), len(self._state.log)
        for index in named:
            if not 0 <= read_number(index, "indices") < size:
                raise out_of_range("indices", index, f"0…{size - 1}" if size else "the empty log")
        return [self._state.log[index] for index in named]

    @property
    def current(self) -> Revision:
        return self._state.current

    @property
    def batch(self) -> Batch:
        return self._still.batch

    @property
    def path(self) -> Path:
        """Return the batches from number 0 to the current one."""
        return Path(self.batches, self._state.batches[self.current.batch])

    @property
    def batches(self) -> Sequence[Batch]:
        """Return all batches by id, abandoned ones too."""
        return ReadOnlyList(self._state.batches, self._state.named)

    @property
    def revisions(self) -> Sequence[Revision]:
        return ReadOnlyList(self._state.revisions)

    @property
    def calls(self) -> Calls:
        """Return what was really sent on this path, and with ``all`` on any other too."""
        return Calls(self._state)

    @property
    def settings(self) -> Settings:
        return self._state.head.settings

    @property
    def marks(self) -> dict[str, list[int]]:
        """Return the labels and the raw indices that carry them."""
        return {label: list(found) for label, found in sorted(self._state.head.marks.items())}

    @property
    def tokens(self) -> TokenTotal:
        return token_total(self._still)

    @property
    def query(self) -> Query:
        return Query(self._state)

    def mark_map(self) -> MarkMap:
        """Return the source documents' index arrays."""
        return MarkMap.of(self._still)

    def state(self) -> ArrayState:
        """Return the raw messages and a snapshot of each batch of the path."""
        return array_state(self._still)

    def stats(self) -> Stats:
        return Stats.of(self._still)

    def snapshot(self, number: int | None = None, *, id: int | None = None) -> Snapshot | None:
        """Return a batch of the path by number, or any batch by id; None for an unknown one."""
        state = self._still
        if id is not None:
            known = 0 <= read_number(id, "id") < len(state.batches)
            return snapshot(state, state.batches[id], state.newest(id)) if known else None
        path = state.path
        at = path[-1].number if number is None else read_number(number, "number")
        if not 0 <= at < len(path):
            return None
        return snapshot(state, path[at], state.on_path(at))

    @property
    def moment(self) -> State:
        """Return the state itself, for functions that read any state."""
        return self._state

    def at(self, revision: Revision | Batch | int) -> Readable:
        """Return the conversation as a CHECKOUT of a revision would show it, only to be read.

        The log, marks, names and settings are those of now: only what is visible is of then.
        """
        id = revision.id if isinstance(revision, Revision) else revision
        head = self._state.head._replace(revision=self._revision_of(id).id)
        return Readable(StateAtRevision(self._state, head))

    def on_path(self, number: int) -> Revision:
        """Return the revision at which the path left a batch, by number."""
        state = self._still
        if not 0 <= read_number(number, "batch") < len(state.path):
            raise out_of_range("batch", number, f"0…{len(state.path) - 1}")
        return state.on_path(number)

    def newest(self, batch: Batch) -> Revision:
        """Return the revision of a batch that was made last."""
        return self._state.newest(batch.id)

    def compare(self, a: Revision | Batch | int, b: Revision | Batch | int) -> Comparison:
        """Return two revisions or batches side by side, with their common prefix."""
        return Comparison(self._still, self._revision_of(a), self._revision_of(b))

    def blame(self, index: int) -> Blame | None:
        """Return what hid a message on this path, or None if it is visible."""
        return blame(self._still, index)

    def diff(self, a: Revision | Batch | int, b: Revision | Batch | int) -> Diff:
        """Compare two revisions (or their ids) or batches: what was hidden, added or moved."""
        before, after = self._revision_of(a), self._revision_of(b)
        return diff_views(before.view, after.view, before.log_size)

    def _revision_of(self, what: Revision | Batch | int) -> Revision:
        """Return the revision that is meant; a batch of the path as the path left it."""
        if isinstance(what, Revision):
            return what
        state = self._still
        if isinstance(what, Batch):
            path = state.path
            on_path = what.number < len(path) and path[what.number].id == what.id
            return state.on_path(what.number) if on_path else state.newest(what.id)
        known = len(state.revisions)
        if not 0 <= read_number(what, "revision") < known:
            raise out_of_range("revision", what, f"0…{known - 1}")
        return state.revisions[what]

    def notices(self) -> tuple[Notice, ...]:
        """Return what there is to say about the current revision's tokens."""
        state = self._still
        return notices_of(state, state.current)

    def lint(self, profile: str | None = None) -> list[Finding]:
        """Return what makes the projection invalid, by the rules of a profile."""
        from ..lint import lint_state  # noqa: PLC0415 - quicker start: many programs never lint

        return lint_state(self._still, profile)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({len(self.view)} visible of {len(self.log)}, "
            f"batch {self.batch.number}, revision {self.current.id})"
        )
