"""The gaze: which call of each lane is looked at, and how much has come meanwhile."""

from __future__ import annotations

from typing import NamedTuple

from ctxtui.models.lane_story import ToldCall
from ctxtui.models.look import is_on_path
from ctxtui.models.places import Spot
from ctxtui.models.watching import Lane


class _Past(NamedTuple):
    """A call that is looked at by its number, and how many there were when that began."""

    number: int
    known: int


class Gaze:
    """Follows the newest call of a lane, or stays at an earlier one until told to follow again."""

    def __init__(self) -> None:
        self._past: dict[int, _Past] = {}

    def call(self, lane: Lane) -> ToldCall | None:
        """Return the call that is looked at; None where there is none yet."""
        calls = lane.story.calls
        past = self._past.get(lane.key)
        if past is not None and past.number <= len(calls):
            return calls[past.number - 1]
        return calls[-1] if calls else None

    def is_past(self, lane: Lane) -> bool:
        """Tell whether an earlier call is looked at than the newest."""
        return lane.key in self._past

    def news(self, lane: Lane) -> int:
        """Return how many calls have come since the past is looked at."""
        past = self._past.get(lane.key)
        return 0 if past is None else max(0, len(lane.story.calls) - past.known)

    def look_at(self, lane: Lane, number: int) -> None:
        """Look at a call by its number from 1; at the newest one, what comes is followed."""
        size, number = len(lane.story.calls), max(1, number)
        if number >= size:
            self.follow(lane)
            return
        before = self._past.get(lane.key)
        self._past[lane.key] = _Past(number, size if before is None else before.known)

    def hold(self, lane: Lane, number: int) -> None:
        """Stay at a call that was the newest when others came: somebody is reading it."""
        if not self.is_past(lane) and number < len(lane.story.calls):
            self._past[lane.key] = _Past(number, number)

    def step(self, lane: Lane, by: int) -> None:
        """Look at a call before or after the one that is looked at."""
        call = self.call(lane)
        if call is not None:
            self.look_at(lane, call.number + by)

    def follow(self, lane: Lane) -> None:
        """Look at the newest call, and stay at the end."""
        self._past.pop(lane.key, None)

    def spot(self, lane: Lane, raw: int | None = None, *, is_whole: bool = False) -> Spot | None:
        """Return where a lane is opened: at the call or a message it sent, or at its end.

        The newest call is the lane's end, unless the whole call is wanted.
        """
        told = self.call(lane)
        if told is None or not (is_whole or self.is_past(lane)):
            return None
        conversation = lane.session.conversation
        batch = conversation.batches[told.batch]
        if not is_on_path(conversation, batch):
            return None
        is_newest = not self.is_past(lane)
        at = None if is_newest else batch.number
        return Spot(raw=raw, batch=at, call=told.number - 1 if raw is None else None)
