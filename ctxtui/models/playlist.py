"""The playlist: what the player goes through, records of a journal and steps of a script."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from core import Conversation, Refused
from core.scripts import Script, StepReport

KEY = "script"
"""Where a conversation's meta keeps the script that it was made by."""


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
    given = conversation.meta.get(KEY)
    if given is None:
        return Playlist(conversation)
    try:
        return Playlist(conversation, _beats(conversation, given))
    except Refused:
        return Playlist(conversation)  # Somebody else's notes under the same name.


def _beats(conversation: Conversation, given: object) -> list[Beat]:
    start = conversation.journal[0].operations[0]
    script = Script.from_dict(
        {"messages": start.messages, "settings": start.settings, "steps": given}  # type: ignore[attr-defined]
    )
    again = script.start()
    beats = [Beat(0, None, True)]
    for report in script.take(again, keep_going=True):
        last = len(again.journal) - 1
        beats.append(Beat(last, report, last > beats[-1].record))
    told = [record.operations for record in again.journal]
    if [record.operations for record in conversation.journal[: len(told)]] != told:
        return []  # Not this script's conversation: a squashed one, say.
    return beats
