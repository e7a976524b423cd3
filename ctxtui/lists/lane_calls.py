"""The calls of a lane as sentences, and its batches with a block for each call."""

from __future__ import annotations

from ctxtui.lists.source import LineSource, NumberedSource
from ctxtui.models.lane_story import LaneStory
from ctxtui.models.look import Look, is_on_path
from ctxtui.render.text.lines import Line
from ctxtui.render.watch.calls import batch_head, batch_row, call_row


class CallSource(LineSource):
    """A line for every call of a lane, the newest last; its key is its number from 1."""

    def __init__(self, story: LaneStory, looked_at: int | None) -> None:
        self._calls = story.calls
        self._size = len(story.calls)
        self._looked_at = looked_at

    def __len__(self) -> int:
        """Return how many calls there were when this was made."""
        return self._size

    def key(self, at: int) -> int:
        """Return the number of a call."""
        return at + 1

    def find(self, key: int) -> int | None:
        """Return the line of a call."""
        return key - 1 if 1 <= key <= self._size else None

    def line(self, at: int, width: int) -> Line:
        """Return one call."""
        told = self._calls[at]
        return call_row(told, width, is_looked_at=told.number == self._looked_at)


class BatchSource(NumberedSource):
    """A line for every batch of a lane in the order they were made; its key is the batch's id."""

    def __init__(self, story: LaneStory, look: Look, looked_at: int | None) -> None:
        self._story, self._look = story, look
        self._size = len(look.conversation.batches)
        self._looked_at = looked_at

    def __len__(self) -> int:
        """Return how many batches there are."""
        return self._size

    def header(self, width: int) -> Line | None:
        """Return the names of the columns."""
        return batch_head(width)

    def line(self, at: int, width: int) -> Line:
        """Return one batch with its calls."""
        batch = self._look.conversation.batches[at]
        return batch_row(
            self._look,
            batch,
            self._story.by_batch.get(batch.id, ()),
            width,
            is_looked_at=batch.id == self._looked_at,
            is_on_path=is_on_path(self._look.conversation, batch),
        )
