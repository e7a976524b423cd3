"""A step of a lesson as it is shown: the conversation so far, and what the step did to it."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

from ctxtui.core import Conversation, Message
from ctxtui.core.engine.state import State
from ctxtui.core.lessons.lesson import LookAt
from ctxtui.lessons.answers import Row, judge_row
from ctxtui.lessons.doing import Doing, doing
from ctxtui.lessons.player import Player
from ctxtui.models.frame import Frame


class StepFrame(Frame):
    """A look at what a step left, with the differences to what it began with."""

    def __init__(self, conversation: Conversation, since: int, place: int) -> None:
        super().__init__(conversation, place, is_still=since == place)
        self._since = since

    @cached_property
    def was(self) -> State | None:
        """Return the state that the step began with."""
        return self.state if self.is_still else self.conversation.at_record(self._since).moment


class PickRow(NamedTuple):
    """A message that can be picked; ``verdict`` is None while the answer is covered."""

    raw: int
    message: Message
    tokens: int
    is_picked: bool
    is_new: bool
    verdict: Row | None
    position: int | None


class NaiveRow(NamedTuple):
    """A message as a simpler rule leaves it: kept by both, kept wrongly, or lost."""

    raw: int | None
    role: str | None
    text: str
    is_kept: bool
    is_shared: bool


class ShownStep:
    """What the screen of a lesson shows at one moment; made anew at every key that changes it.

    Its conversation ends where the step is: what comes later in the lesson is nowhere in it.
    """

    def __init__(self, player: Player) -> None:
        self.player = player
        self.conversation = player.practice()
        stage = player.stage
        since = player.place if player.is_covered else stage.before
        self.frame = StepFrame(self.conversation, since, player.place)
        self.doing: list[Doing] = doing(player.step.do)

    @property
    def pending(self) -> list[Doing]:
        """Return what will be done once the answer is revealed."""
        return self.doing if self.player.is_covered else []

    @property
    def look(self) -> LookAt:
        """Return what the step points at; nothing while that could give its answer away."""
        return LookAt() if self.player.is_covered else self.player.step.look

    @property
    def has_rows(self) -> bool:
        """Tell whether rows are picked in this step."""
        return self.player.question is not None and self.player.question.rows is not None

    @property
    def has_naive(self) -> bool:
        """Tell whether the outcome of a simpler rule is to be shown beside the engine's."""
        return self.player.step.naive is not None and not self.player.is_covered

    @property
    def first_moved(self) -> int | None:
        """Return the first message that the step has sent, hidden or added, if any."""
        change = self.frame.change
        if change is None or self.frame.is_still:
            return None
        moved = (change.added, change.shown, change.hidden, change.moved)
        return min((view[0] for view in moved if len(view)), default=None)

    def pick_rows(self) -> list[PickRow]:
        """Return the rows to pick from; none where the step asks for no rows."""
        player, asked = self.player, self.player.question
        if asked is None or not self.has_rows:
            return []
        whole = player.run.conversation
        log, counter = whole.log, self.frame.counter
        old = len(whole.at_record(player.stage.before).log)
        return [
            PickRow(
                raw,
                log[raw],
                log.tokens(raw, counter),
                raw in player.given.rows,
                raw >= old,
                None if player.is_covered else judge_row(asked, player.given, raw),
                self.frame.view.position(raw) if raw < self.frame.log_size else None,
            )
            for raw in player.candidates
        ]

    def naive_rows(self) -> list[NaiveRow]:
        """Return what a simpler rule leaves, and then what it has lost."""
        naive = self.player.step.naive
        if naive is None or naive.error is not None:
            return []
        log, view = self.frame.state.log, self.frame.view
        if naive.texts is not None:
            texts = [log[raw].text for raw in view]
            kept = [NaiveRow(None, None, one, True, one in texts) for one in naive.texts]
            lost = [raw for raw in view if log[raw].text not in naive.texts]
        else:
            rows = naive.visible or ()
            kept = [NaiveRow(raw, log[raw].role, "", True, raw in view) for raw in rows]
            lost = [raw for raw in view if raw not in rows]
        return [*kept, *(NaiveRow(raw, log[raw].role, "", False, False) for raw in lost)]
