"""The journal: every accepted change in order, and the steps of the script it came from."""

from __future__ import annotations

from ctxtui.lists.source import NumberedSource
from ctxtui.models.journey import Journey
from ctxtui.models.playlist import Beat, Playlist
from ctxtui.render.record_words import record_about, record_title
from ctxtui.render.text.lines import Line, Piece, fit_pieces
from ctxtui.render.text.severity import ERROR, PASSED
from ctxtui.render.text.times import time_of_day
from ctxtui.symbols import visible

TITLE_CELLS = 9
TIME_CELLS = 9
WIDE_CELLS = 40
LEFT = "◌"
ON_THE_WAY = "○"


class JournalSource(NumberedSource):
    """A line for every beat of the player; its key is its place.

    What has been played is bright; what was left behind, or is to come, is not.
    """

    def __init__(self, playlist: Playlist, journey: Journey) -> None:
        self.playlist = playlist
        self.journey = journey
        self.place = 0
        self.digits = max(2, len(str(len(playlist.conversation.journal))))

    def __len__(self) -> int:
        """Return how many beats there were when this was made."""
        return len(self.playlist)

    def header(self, width: int) -> Line | None:
        """Return the names of the columns."""
        time = "time     " if width >= WIDE_CELLS else ""
        lead = f"{'no':>{self.digits}} {time}  operation"
        return [Piece(lead.ljust(max(0, width - 6)) + "batch ", "faint")]

    def line(self, at: int, width: int) -> Line:
        """Return one record, or one step of a script."""
        beat = self.playlist[at]
        if not beat.is_record:
            return self._step(beat, width)
        record = self.playlist.conversation.journal[beat.record]
        is_left = beat.record < len(self.journey) and self.journey.is_left(beat.record)
        shown = "faint" if is_left else "bright" if at <= self.place else "muted"
        sign = LEFT if is_left else ON_THE_WAY
        lead = [Piece(f"{beat.record:>{self.digits}} ", shown)]
        if width >= WIDE_CELLS:
            lead.append(Piece(f"{time_of_day(record.time):<8.8} ", "faint"))
        lead.append(Piece(f"{sign} ", "key" if at == self.place else shown))
        title, about = record_title(record), self._about(beat)
        lead.append(Piece(f"{title:<{TITLE_CELLS}} ", shown))
        tail = [*self._verdict(beat), Piece(f" {self._batch(beat.record):>4} ", shown)]
        return _between(lead, Piece(about, "faint" if is_left else "muted"), tail, width)

    def _about(self, beat: Beat) -> str:
        turned = self.journey.turned.get(beat.record)
        journal = self.playlist.conversation.journal
        if turned is not None:
            return f"{record_title(journal[turned])}, record {turned}"
        return record_about(journal[beat.record])

    def _batch(self, record: int) -> str:
        """Return the batch a record led to, and the one it came from if it is another."""
        if record >= len(self.journey):
            return "…"
        new, old = self.journey.numbers[record], self.journey.number_before(record)
        return str(new) if new == old else f"{old}→{new}"

    def _verdict(self, beat: Beat) -> Line:
        """Return whether the step of a script that left this record went as it should."""
        if beat.step is None or beat.step.ok:
            return []
        return [Piece(f" {ERROR.glyph}", ERROR.kind)]

    def _step(self, beat: Beat, width: int) -> Line:
        step = beat.step
        assert step is not None
        sign = PASSED if step.ok else ERROR
        indent = Piece(" " * (self.digits + 1 + (TIME_CELLS if width >= WIDE_CELLS else 0)))
        words = _step_words(beat)
        lead = [indent, Piece(f"{sign.glyph} ", sign.kind)]
        return _between(lead, Piece(words, "text" if step.ok else "error"), [], width)


def _step_words(beat: Beat) -> str:
    """Return a step that left no record in a few words."""
    step = beat.step
    assert step is not None
    if step.error is not None:
        return f"{step.kind}: {visible(step.error, 200)}"
    if step.refusal is not None:
        return f"refused, as expected: {visible(step.refusal, 200)}"
    if step.kind == "expect":
        return f"expect {visible(', '.join(step.given), 100)}"
    if step.kind == "query":
        return f"query {visible(str(step.given.get('kind', '')), 40)}"
    return "changes nothing"


def _between(lead: Line, body: Piece, tail: Line, width: int) -> Line:
    used = sum(len(piece.text) for piece in (*lead, *tail))
    return [*lead, *fit_pieces([body], max(0, width - used)), *tail]
