"""The sessions of a library, or the samples to start with: one line for each."""

from __future__ import annotations

from collections.abc import Sequence

from core.storage import Entry
from ctxtui.files.samples import Sample
from ctxtui.lists.source import LineSource, NumberedSource
from ctxtui.models.figures import figures_of
from ctxtui.render.text.bars import bar
from ctxtui.render.text.lines import Line, Piece, fit, fit_pieces
from ctxtui.render.text.numbers import ago, tokens
from ctxtui.render.text.ribbon import Ribbon, RibbonAxis
from ctxtui.render.text.severity import ERROR, PASSED, WARNING
from ctxtui.symbols import visible
from ctxtui.words import plural

STATUS = {
    "new": ("○", "muted"),
    "in review": ("◐", "text"),
    "needs work": WARNING,
    "accepted": PASSED,
    "rejected": ("✗", "error"),
}
SHARE_CELLS = 8
RIBBON_CELLS = 34
LEAST_RIBBON, LEAST_TITLE, COUNT_CELLS = 8, 20, 26
ROOMY_CELLS = 70
WIDE_CELLS = 96


def key_of(entry: Entry) -> int:
    """Return a number that is a session's own: its id, read as one."""
    return int(entry.id, 36)


class SessionSource(LineSource):
    """A line for every session, in the order given."""

    def __init__(self, entries: Sequence[Entry], now: int) -> None:
        self.entries = entries
        self.now = now
        self._places = {key_of(entry): at for at, entry in enumerate(entries)}

    def key(self, at: int) -> int:
        """Return the session's number, which stays when the list is sorted anew."""
        return key_of(self.entries[at])

    def find(self, key: int) -> int | None:
        """Return the line of a session."""
        return self._places.get(key)

    def __len__(self) -> int:
        """Return how many sessions there are."""
        return len(self.entries)

    def header(self, width: int) -> Line | None:
        """Return the names of the columns."""
        lead, tail = "  status       title", "messages  tokens"
        if width >= ROOMY_CELLS:
            tail = "messages   visible  batches  tokens"
        if width >= WIDE_CELLS:
            tail += "  tags            "
        tail += "    updated"
        return [Piece(lead.ljust(max(0, width - len(tail))) + tail, "faint")]

    def line(self, at: int, width: int) -> Line:
        """Return one session."""
        entry = self.entries[at]
        glyph, kind = STATUS.get(entry.status, ("○", "muted"))
        lead = [Piece(f"  {glyph} {entry.status:<11}", kind)]
        tail = self._tail(entry, width)
        room = max(0, width - 15 - sum(len(piece.text) for piece in tail))
        faint = entry.status == "rejected" or entry.problem is not None
        title = fit(visible(entry.title, 200), room)
        return [*lead, Piece(title, "faint" if faint else "bright"), *tail]

    def _tail(self, entry: Entry, width: int) -> Line:
        updated = Piece(f"{ago(entry.updated, self.now):>11}", "faint")
        if entry.problem is not None:
            return [ERROR.piece("can't be read"), updated]
        line = [Piece(f"{entry.messages:>8,}", "text")]
        if width >= ROOMY_CELLS:
            share = bar(entry.visible, entry.messages, SHARE_CELLS)
            hidden = entry.visible < entry.messages
            line.append(Piece(f"  {share:<{SHARE_CELLS}}", "bar" if hidden else "track"))
            line.append(Piece(f"{entry.batches:>9}", "muted"))
        line.append(Piece(f"{tokens(entry.tokens):>8}", "text"))
        if width >= WIDE_CELLS:
            line.append(Piece(f"  {fit(visible(', '.join(entry.tags), 80), 16)}", "muted"))
        return [*line, updated]


class SampleSource(NumberedSource):
    """A line for every sample, with what it shows and its ribbon."""

    def __init__(self, samples: Sequence[Sample]) -> None:
        self.samples = samples

    def __len__(self) -> int:
        """Return how many samples there are."""
        return len(self.samples)

    def line(self, at: int, width: int) -> Line:
        """Return one sample."""
        sample = self.samples[at]
        conversation = sample.conversation
        log, weights = conversation.log, figures_of(conversation, conversation.moment)
        free = width - COUNT_CELLS - 1
        room = max(LEAST_RIBBON, min(RIBBON_CELLS, width // 3 - 2, free - LEAST_TITLE))
        cells = Ribbon(log, weights, conversation.view).line(RibbonAxis(len(log), room))
        title = f" {visible(sample.title, 200)}"
        left = fit_pieces([Piece(title, "bright")], max(LEAST_TITLE, free - room))
        counts = _counts(sample).ljust(COUNT_CELLS)
        return [*left, Piece(counts, "muted"), *cells]

    def expanded(self, at: int, width: int) -> list[Line]:
        """Return the sentence about a sample."""
        return [[Piece(f"   {visible(self.samples[at].about)}", "muted")]]


def _counts(sample: Sample) -> str:
    if sample.conversations > 1:
        return f"{sample.conversations:>4} conversations"
    return f"{sample.messages:>4} messages, {plural(sample.batches, 'batch', 'batches')}"
