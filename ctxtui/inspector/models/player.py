"""The pointers of the pointer: in which batch each record of the journal left it."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ctxtui.core import Conversation
from ctxtui.core.engine.calls import Call
from ctxtui.core.engine.journal import Create, Record, Usage
from ctxtui.core.engine.meta_fields import SCRIPT
from ctxtui.core.engine.operations import Checkout, Redo, Rollback, Undo
from ctxtui.core.engine.revisions import is_on_way

if TYPE_CHECKING:
    from ctxtui.core.scripts import Script, StepReport

MOST_RECORDS_AT_ONCE = 5_000
"""How many records are looked through without anybody noticing."""
TURNS_BACK = (Rollback, Checkout, Undo)


class PointerHistory:
    """What is known of each record by its place; it grows with the journal and is never made again.

    ``numbers`` are the batch numbers after each record, ``turned`` says which record an UNDO or
    REDO turned back or forth.
    """

    def __init__(self, conversation: Conversation) -> None:
        self.conversation = conversation
        self.numbers = array("I")
        self.peak = 0
        self.turned: dict[int, int] = {}
        self._revisions = array("I")
        self._turns: list[int] = []
        self._done: list[int] = []
        self._undone: list[int] = []

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def is_behind(self) -> bool:
        """Return whether so many records have come that looking through them would be noticed."""
        return len(self.conversation.journal) - len(self) > MOST_RECORDS_AT_ONCE

    def catch_up(self) -> None:
        """Take in the records that have come; this may be done in a thread."""
        state, journal = self.conversation.moment, self.conversation.journal
        for place in range(len(self), len(journal)):
            record = journal[place]
            assert record.after is not None
            revision = state.revisions[record.after.revision]
            self._follow(place, record)
            self._revisions.append(revision.id)
            number = state.batches[revision.batch].number
            self.peak = max(self.peak, number)
            self.numbers.append(number)

    def _follow(self, place: int, record: Record) -> None:
        """Keep book of what UNDO and REDO would take, as the conversation does."""
        if any(isinstance(one, TURNS_BACK) for one in record.operations):
            self._turns.append(place)
        match record.operations[0]:
            case Create() | Usage() | Call():
                pass
            case Undo():
                self.turned[place] = self._done.pop()
                self._undone.append(self.turned[place])
            case Redo():
                self.turned[place] = self._undone.pop()
                self._done.append(self.turned[place])
            case _:
                self._done.append(place)
                self._undone.clear()

    def number_before(self, place: int) -> int:
        return self.numbers[max(0, place - 1)]

    def next_turn(self, place: int) -> int | None:
        """Return the next record that turns back: a ROLLBACK, CHECKOUT or UNDO."""
        at = bisect_right(self._turns, place)
        return self._turns[at] if at < len(self._turns) else None

    def is_left(self, place: int) -> bool:
        """Return whether the state after a record is not on the way to now."""
        state = self.conversation.moment
        return not is_on_way(state.revisions, self._revisions[place], state.current)


# The playlist: what the player goes through, records of a journal and steps of a script.

MOST_SCRIPT_RECORDS_AT_ONCE = 200
"""How many steps are taken again without anybody noticing."""


class PlaylistEntry(NamedTuple):
    """A moment of the player: the newest record by then, and the step of a script, if it is one.

    ``is_record`` is False for what left no record: a question, an expectation, a refused step.
    """

    record: int
    step: StepReport | None
    is_record: bool


class Playlist:
    """Beats by their place: those of a script first, then a record each."""

    def __init__(self, conversation: Conversation, steps: Sequence[PlaylistEntry] = ()) -> None:
        self.conversation = conversation
        self._steps = steps
        self._recorded = steps[-1].record + 1 if steps else 0

    def __len__(self) -> int:
        return len(self._steps) + len(self.conversation.journal) - self._recorded

    def __getitem__(self, at: int) -> PlaylistEntry:
        if at < len(self._steps):
            return self._steps[at]
        return PlaylistEntry(at - len(self._steps) + self._recorded, None, True)

    def of_record(self, record: int) -> int:
        """Return the entry that shows a record as it was made."""
        if record >= self._recorded:
            return len(self._steps) + record - self._recorded
        return bisect_left(self._steps, record, key=lambda entry: entry.record)

    @property
    def is_script(self) -> bool:
        return bool(self._steps)

    @property
    def failed(self) -> int:
        return sum(entry.step is not None and not entry.step.ok for entry in self._steps)

    @property
    def steps(self) -> int:
        return sum(entry.step is not None for entry in self._steps)


def playlist_of(conversation: Conversation) -> Playlist:
    """Return what there is to play; a script is run once more, to have its reports."""
    from ctxtui.core.scripts import kept_script

    script = kept_script(conversation)
    return Playlist(conversation, () if script is None else _beats(conversation, script))


def is_long_script(conversation: Conversation) -> bool:
    """Return whether running the script once more would be noticed."""
    return SCRIPT in conversation.meta and len(conversation.journal) > MOST_SCRIPT_RECORDS_AT_ONCE


def _beats(conversation: Conversation, script: Script) -> list[PlaylistEntry]:
    again = script.start()
    entries = [PlaylistEntry(0, None, True)]
    for report in script.take(again, keep_going=True):
        last = len(again.journal) - 1
        entries.append(PlaylistEntry(last, report, last > entries[-1].record))
    told = [record.operations for record in again.journal[1:]]
    if [record.operations for record in conversation.journal[1 : len(told) + 1]] != told:
        return []  # Not the conversation this script leads to: a squashed one, say.
    return entries
