"""The state as one of the source documents has it: a line for each batch snapshot of the path."""

from __future__ import annotations

from collections.abc import Sequence

from ctxtui.core.engine.queries import stats
from ctxtui.core.engine.revisions import Batch, Revision
from ctxtui.lists.source import NumberedSource
from ctxtui.models.look import Look
from ctxtui.render.snapshots import SnapshotLines, head_lines, snapshot_line
from ctxtui.render.text.lines import Line


class SnapshotSource(NumberedSource):
    """Lines for the batches of a path by number; opened, a snapshot has a line for each message.

    Nothing is copied, as the document would have it: each line is made when it is in sight.
    """

    def __init__(self, look: Look) -> None:
        self.look = look
        self.path = look.state.path
        self._stats = stats(look.state)

    def __len__(self) -> int:
        """Return how many batches the path has."""
        return len(self.path)

    def headers(self, width: int) -> list[Line]:
        """Return the totals, and the names of the columns."""
        return head_lines(self._stats, width)

    def line(self, at: int, width: int) -> Line:
        """Return one snapshot in a line."""
        batch, revision = self._at(at)
        is_current = at == self._stats.current_batch_index
        return snapshot_line(batch, len(revision.view), is_current)

    def expanded(self, at: int, width: int) -> Sequence[Line]:
        """Return a snapshot as lines of JSON, made as they are looked at."""
        batch, revision = self._at(at)
        return SnapshotLines(self.look.state.log, batch, revision.view, width)

    def _at(self, at: int) -> tuple[Batch, Revision]:
        """Return a batch and its newest revision on the path; the shown one as it is shown."""
        state = self.look.state
        is_shown = at == self.look.batch.number
        revision = self.look.revision if is_shown else state.on_path(at)
        return state.named(self.path[at]), revision
