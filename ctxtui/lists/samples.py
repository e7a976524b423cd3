"""The samples to start with: one line for each, with what it shows and its ribbon."""

from __future__ import annotations

from collections.abc import Sequence

from ctxtui.files.samples import Sample
from ctxtui.lists.source import NumberedSource
from ctxtui.models.figures import figures_of
from ctxtui.render.text.lines import Line, Piece, fit_pieces
from ctxtui.render.text.ribbon import Ribbon, RibbonAxis
from ctxtui.symbols import visible
from ctxtui.words import plural

RIBBON_CELLS = 34
LEAST_RIBBON, LEAST_TITLE, COUNT_CELLS = 8, 20, 26


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
