"""Standing in: the messages for which a summary or a redacted copy is sent in their place."""

from __future__ import annotations

from ..history.revisions import Revision
from ..history.state import State
from ..views.spans import indices_of

NOTHING: frozenset[int] = frozenset()


class StandIns:
    """What each message stands for that an operation made: itself aside, all that went for it.

    A copy stands for the one message whose place it took, a summary for all that it hid, and either
    for what those had stood for. What was only added stands for nothing.
    """

    def __init__(self) -> None:
        self._seen: set[int] = set()
        self._stands: dict[int, frozenset[int]] = {}

    def learn(self, state: State) -> None:
        """Take note of the revisions of the path that are new."""
        fresh: list[Revision] = []
        revision = state.current
        while revision.id not in self._seen:
            self._seen.add(revision.id)
            fresh.append(revision)
            if revision.parent is None:
                break
            revision = state.revisions[revision.parent]
        for revision in reversed(fresh):
            # What is only appended hides nothing; there are as many of those as messages.
            opens = revision.operation is not None and revision.operation.opens_batch
            if revision.parent is not None and revision.fresh and opens:
                self._learn(revision, state.revisions[revision.parent])

    def _learn(self, revision: Revision, parent: Revision) -> None:
        before, after = parent.view, revision.view
        added = [raw for raw in indices_of(revision.fresh) if raw in after]
        if len(before) == len(after):
            pairs = zip(before, after, strict=True)
            gone = {new: frozenset((old,)) for old, new in pairs if old != new}
        else:
            stayed = set(after)
            hidden = frozenset(raw for raw in before if raw not in stayed)
            gone = dict.fromkeys(added, hidden)
        for raw in added:
            old = gone.get(raw, NOTHING)
            self._stands[raw] = old.union(*(self.of(one) for one in old))

    def of(self, raw: int) -> frozenset[int]:
        """Return the raw indices that a message stands for."""
        return self._stands.get(raw, NOTHING)
