"""The batch timeline: one line for each batch, abandoned branches greyed."""

from __future__ import annotations

from core import Batch, Revision
from ctxtui.lists.source import NumberedSource
from ctxtui.models.error_counts import ErrorCounts
from ctxtui.models.look import Look
from ctxtui.render.text.bars import bar
from ctxtui.render.text.lines import Line, Piece, fit
from ctxtui.render.text.numbers import change, tokens
from ctxtui.render.text.severity import ERROR, PASSED
from ctxtui.symbols import visible

BAR_CELLS = 5
ROOMY_CELLS = 76
WIDE_CELLS = 60
NARROW_CELLS = 54


class TimelineSource(NumberedSource):
    """A line for every batch in the order they were made; its key is the batch's id."""

    def __init__(self, look: Look, peak: int, errors: ErrorCounts) -> None:
        self.look = look
        self.peak = peak
        self.errors = errors
        self.conversation = look.conversation
        self.on_path = {batch.id for batch in look.conversation.path}

    def __len__(self) -> int:
        """Return how many batches there are."""
        return len(self.conversation.batches)

    def header(self, width: int) -> Line | None:
        """Return the names of the columns."""
        tail = "   vis  tokens"
        if width >= NARROW_CELLS:
            tail = "   add  hide" + tail
        if width >= ROOMY_CELLS:
            tail += " " * (BAR_CELLS + 1)
        if width >= WIDE_CELLS:
            tail += " lint"
        lead = "      no. operation"
        return [Piece(lead.ljust(max(0, width - len(tail))) + tail, "faint")]

    def line(self, at: int, width: int) -> Line:
        """Return one batch."""
        batch = self.conversation.batches[at]
        on_path = at in self.on_path
        newest = self.conversation.newest(batch)
        now = batch.id == self.conversation.batch.id
        faint = None if on_path else "faint"
        count = self.look.state.total(newest)
        limit = self.conversation.settings.token_limit
        over = limit is not None and count > limit
        tail: Line = [
            Piece(f"{tokens(len(newest.view)):>6}", faint or "text"),
            Piece(
                f"{'! ' if over else ''}{tokens(count):>5}".rjust(8),
                faint or ("warn" if over else "text"),
            ),
        ]
        if width >= NARROW_CELLS:
            tail = [*self._changes(batch, faint), *tail]
        if width >= ROOMY_CELLS:
            text = bar(count, self.peak, BAR_CELLS)
            tail.append(Piece(f" {text:<{BAR_CELLS}}", faint or ("warn" if over else "bar")))
        if width >= WIDE_CELLS:
            tail.append(self._lint(newest, faint))
        graph = self._graph(at, on_path, now)
        room = max(0, width - len(graph.text) - 5 - sum(len(piece.text) for piece in tail))
        name = batch.operation.title if batch.operation is not None else "START"
        about = visible(self._about(batch, name), 200)
        title = fit(name, min(room, 10))
        return [
            graph,
            Piece(f"{batch.number:>3}  ", faint or "bright"),
            Piece(title, faint or ("bright" if now else "text")),
            Piece(fit(about, max(0, room - len(title))), faint or "muted"),
            *tail,
        ]

    def _lint(self, revision: Revision, faint: str | None) -> Piece:
        """Return how many errors lint finds there: the column that tells which operation did it."""
        errors = self.errors.of(revision)
        if errors is None:
            return Piece("    …", "faint")
        text = f"{ERROR.glyph}{errors}" if errors else PASSED.glyph
        return Piece(f"{text:>5}", faint or (ERROR if errors else PASSED).kind)

    def _about(self, batch: Batch, name: str) -> str:
        if batch.operation is None:
            return f"{len(self.conversation.revisions[0].view)} messages"
        return batch.description.removeprefix(name).strip()

    def _changes(self, batch: Batch, faint: str | None) -> Line:
        opening = self.conversation.revisions[batch.opened]
        newest = self.conversation.newest(batch)
        fresh = sum(length for _, length in opening.fresh)
        before = 0
        if opening.parent is not None:
            before = len(self.conversation.revisions[opening.parent].view)
        hidden = before + fresh - len(opening.view)
        added = fresh + len(newest.view) - len(opening.view)
        return [
            Piece(f"{change(added, '+'):>6}", faint or ("ok" if added else "faint")),
            Piece(f"{change(hidden, '−'):>6}", faint or ("error" if hidden else "faint")),
        ]

    def _graph(self, at: int, on_path: bool, now: bool) -> Piece:
        if on_path:
            viewed = not self.look.is_live and at == self.look.batch.id
            glyph = "●" if viewed else "◉" if now else "○"
            return Piece(f" {glyph}   ", "key" if viewed or now else "text")
        glyph = "●" if not self.look.is_live and at == self.look.batch.id else "◌"
        first = at - 1 in self.on_path
        return Piece(f" ├╌{glyph} " if first else f" │ {glyph} ", "faint")
