"""The playlist: what the player goes through, records of a journal and steps of a script."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ctxtui.core import Conversation
from ctxtui.core.scripts import Script, StepReport
from ctxtui.core.scripts.recorded import KEY, kept_script

RECORDS_AT_ONCE = 200
"""How many steps are taken again without anybody noticing."""


class Beat(NamedTuple):
    """A moment of the player: the newest record by then, and the step of a script, if it is one.

    ``is_record`` is False for what left no record: a question, an expectation, a refused step.
    """

    record: int
    step: StepReport | None
    is_record: bool


class Playlist:
    """Beats by their place: those of a script first, then a record each."""

    def __init__(self, conversation: Conversation, steps: Sequence[Beat] = ()) -> None:
        self.conversation = conversation
        self._steps = steps
        self._recorded = steps[-1].record + 1 if steps else 0

    def __len__(self) -> int:
        """Return how many beats there are by now."""
        return len(self._steps) + len(self.conversation.journal) - self._recorded

    def __getitem__(self, at: int) -> Beat:
        """Return a beat."""
        if at < len(self._steps):
            return self._steps[at]
        return Beat(at - len(self._steps) + self._recorded, None, True)

    def of_record(self, record: int) -> int:
        """Return the beat that shows a record as it was made."""
        if record >= self._recorded:
            return len(self._steps) + record - self._recorded
        low, high = 0, len(self._steps) - 1
        while low < high:
            middle = (low + high) // 2
            if self._steps[middle].record >= record:
                high = middle
            else:
                low = middle + 1
        return low

    @property
    def is_script(self) -> bool:
        """Tell whether it begins with the steps of a script."""
        return bool(self._steps)

    @property
    def failed(self) -> int:
        """Return how many steps of the script failed."""
        return sum(beat.step is not None and not beat.step.ok for beat in self._steps)

    @property
    def steps(self) -> int:
        """Return how many steps the script has."""
        return sum(beat.step is not None for beat in self._steps)


def playlist_of(conversation: Conversation) -> Playlist:
    """Return what there is to play; a script is run once more, to have its reports."""
    script = kept_script(conversation)
    return Playlist(conversation, () if script is None else _beats(conversation, script))


def is_long_script(conversation: Conversation) -> bool:
    """Tell whether running the script once more would be noticed."""
    return KEY in conversation.meta and len(conversation.journal) > RECORDS_AT_ONCE


def _beats(conversation: Conversation, script: Script) -> list[Beat]:
    again = script.start()
    beats = [Beat(0, None, True)]
    for report in script.take(again, keep_going=True):
        last = len(again.journal) - 1
        beats.append(Beat(last, report, last > beats[-1].record))
    told = [record.operations for record in again.journal[1:]]
    if [record.operations for record in conversation.journal[1 : len(told) + 1]] != told:
        return []  # Not the conversation this script leads to: a squashed one, say.
    return beats
