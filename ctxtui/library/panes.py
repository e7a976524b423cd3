"""The panes of the library: sessions, search hits, samples or trash, and a preview."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Literal

from ctxtui.core.curation.catalog import Hit
from ctxtui.core.curation.digest import SessionRow
from ctxtui.core.storage import Entry
from ctxtui.files.samples import Sample, load_samples
from ctxtui.files.sessions import shown_folder
from ctxtui.inspector.drawing.head import TabLine
from ctxtui.inspector.models.look import figures_of
from ctxtui.inspector.models.search import Spot
from ctxtui.library.drawing.sessions import (
    NewestUndo,
    SearchHitSource,
    SessionRowSource,
    ShownSessions,
    library_tabs,
    peek_lines,
    problem_lines,
    review_line,
    session_lines,
    sessions_foot,
    shown_line,
    sort_words,
    verdict_lines,
    welcome_lines,
)
from ctxtui.library.keys import LIBRARY
from ctxtui.library.models.library import Done, key_of
from ctxtui.text.line_source import LineSource, Nothing, NumberedSource
from ctxtui.text.lines import Line, Piece, fit_pieces
from ctxtui.text.plurals import plural
from ctxtui.text.ribbon import Ribbon, RibbonAxis
from ctxtui.text.symbols import printable
from ctxtui.widgets.panes import LineBox, TextPane

if TYPE_CHECKING:
    from ctxtui.library.screen import LibraryScreen


# The samples to start with: one line for each, with what it shows and its ribbon.

LEAST_TITLE, COUNT_CELLS = 20, 26
FIRST_SAMPLES = 5
"""How many samples the first run offers; 6 shows the others."""


class SampleSource(NumberedSource):
    """A line for every sample, with what it shows and its ribbon."""

    def __init__(self, samples: Sequence[Sample]) -> None:
        self.samples = samples

    def __len__(self) -> int:
        return len(self.samples)

    def line(self, at: int, width: int) -> Line:
        sample = self.samples[at]
        conversation = sample.conversation
        log, weights = conversation.log, figures_of(conversation, conversation.moment)
        free = width - COUNT_CELLS - 1
        room = max(8, min(34, width // 3 - 2, free - LEAST_TITLE))
        cells = Ribbon(log, weights, conversation.view).line(RibbonAxis(len(log), room))
        title = f" {printable(sample.title, 200)}"
        left = fit_pieces([Piece(title, "bright")], max(LEAST_TITLE, free - room))
        counts = _counts(sample).ljust(COUNT_CELLS)
        return [*left, Piece(counts, "muted"), *cells]

    def expanded(self, at: int, width: int) -> list[Line]:
        return [[Piece(f"   {self.samples[at].about}", "muted")]]


def _counts(sample: Sample) -> str:
    if sample.conversations > 1:
        return f"{sample.conversations:>4} conversations"
    return f"{sample.messages:>4} messages, {plural(sample.batches, 'batch', 'batches')}"


Mode = Literal["library", "hits", "samples", "trash"]

EMPTY = {
    "library": "No session matches. esc shows all.",
    "hits": "Nothing was found. esc shows all sessions.",
    "samples": "There are no samples.",
    "trash": "The trash is empty. esc shows all sessions.",
}
REPLACES = "%" if any(one.keys == "percent_sign" for one in LIBRARY) else ""
"""The key that replaces words in sessions, where there is one."""
LEAST_GAP = 1


class LibraryPanes:
    """Fills the head, the list and the preview of the library."""

    def __init__(self, screen: LibraryScreen) -> None:
        self._screen = screen
        self.mode: Mode = "library"
        self.samples: list[Sample] = []
        self.is_few = True
        """Whether the first run offers only some of the samples."""
        self.hits: Sequence[Hit] = ()
        self.sought = ""
        self.trashed: list[Entry] = []
        self._known_trash: int | None = None
        self._left_at = ("", 0.0)
        """The session under the cursor when something else was shown, and what was above it."""

    # Turning to something else

    def turn_to(self, mode: Mode) -> None:
        """Show something else from now on; the list begins at its top."""
        if mode != self.mode:
            if self.mode == "library":
                self._left_at = (self._screen.library_state.here, self._screen.listed.scroll_y)
            self.mode = mode
            self._screen.selection.clear()
            self._screen.listed.show(Nothing())

    def return_to_sessions(self) -> None:
        """Show the sessions again as they were left."""
        here, top = self._left_at
        self.turn_to("library")
        self._screen.show()
        self._screen.go_to(here)
        self._screen.listed.scroll_to(y=top, animate=False)

    def show_hits(self, text: str, hits: Sequence[Hit]) -> None:
        self.hits, self.sought = hits, text
        self.turn_to("hits")
        self._screen.show()

    def next_hit(self, by: int) -> None:
        """Go to what was found next or before; from the last to the first."""
        if self.mode == "hits" and self.hits:
            listed = self._screen.listed
            listed.cursor = (listed.cursor + by) % len(self.hits)

    def read_trash(self) -> Done:
        """Find out what is in the trash; called in a thread."""
        self.trashed = self._screen.library.trash.entries()
        self._known_trash = len(self.trashed)
        return Done()

    def then_read_trash(self, act: Callable[[], Done]) -> Done:
        """Do something to the trash, and find out what is in it then; called in a thread."""
        done = act()
        self.read_trash()
        return done

    # The session under the cursor

    @property
    def row(self) -> SessionRow | None:
        at, order = self._screen.listed.cursor, self._screen.library_state.order
        match self.mode:
            case "library":
                return order.rows[at] if at < len(order.rows) else None
            case "hits":
                return order.known.get(self.hits[at].id) if at < len(self.hits) else None
            case "trash":
                return SessionRow(self.trashed[at], None) if at < len(self.trashed) else None
        return None

    @property
    def spot(self) -> Spot | None:
        at = self._screen.listed.cursor
        if self.mode != "hits" or at >= len(self.hits) or self.hits[at].raw is None:
            return None
        return Spot(raw=self.hits[at].raw, sought=self.sought)

    # Showing

    def show(self) -> None:
        screen = self._screen
        is_first = not screen.library_state.order.known and self.mode in ("library", "samples")
        if is_first or (self.mode == "samples" and screen.has_class("-first-run")):
            self.turn_to("samples" if is_first else "library")
        screen.set_class(is_first, "-first-run")
        screen.set_class(self.mode == "samples", "-samples")
        listed = screen.listed
        listed.empty = EMPTY[self.mode]
        source = self._source()
        is_samples = self.mode == "samples"
        listed.selected = set(screen.selection.raws)
        listed.range_from = screen.selection.anchor
        listed.show(source, opened=range(len(self.samples)) if is_samples else ())
        listed.frame(*self._frame())
        if is_first:
            conversation = self.samples[0].conversation if self.samples else None
            may_write = not screen.library.is_read_only
            screen.query_one("#welcome", TextPane).show(
                partial(welcome_lines, conversation, may_write)
            )

    def _source(self) -> LineSource:
        screen = self._screen
        match self.mode:
            case "samples":
                self.samples = self.samples or load_samples()
                is_few = self.is_few and screen.has_class("-first-run")
                return SampleSource(self.samples[:FIRST_SAMPLES] if is_few else self.samples)
            case "hits":
                return SearchHitSource(self.hits, screen.library_state.order.known)
            case "trash":
                return SessionRowSource(
                    [SessionRow(one, None) for one in self.trashed], screen.clock()
                )
        order = screen.library_state.order
        return SessionRowSource(order.rows, screen.clock(), screen.selection.raws, order.places)

    def _frame(self) -> tuple[str, Line, Callable[[], Line]]:
        """Return what the border of the list says: what it is, its order, what is in sight."""
        match self.mode:
            case "samples":
                title = "Start with a sample" if self._screen.has_class("-first-run") else "Samples"
                return title, [], lambda: [Piece("enter opens one", "muted")]
            case "hits":
                return f"Found: {printable(self.sought, 40)}", [], self._foot
            case "trash":
                return "Trash", [], self._foot
        return "Sessions", sort_words(self._screen.library_state.order.sort), self._foot

    def _foot(self) -> Line:
        listed, selection = self._screen.listed, self._screen.selection
        first, last = listed.in_sight
        is_range = selection.anchor is not None
        return sessions_foot(len(self._screen.picked), is_range, first, last, len(listed.source))

    def show_problem(self, sentence: str) -> None:
        """Say in the place of the sessions why they can't be read."""
        screen = self._screen
        self.turn_to("library")
        screen.set_class(False, "-first-run")
        screen.set_class(False, "-samples")
        screen.listed.empty = "This library can't be read. esc tries again."
        screen.listed.frame("Sessions", [])
        screen.listed.show(Nothing())
        screen.query_one("#entry", TextPane).show(partial(problem_lines, sentence))

    def tabs(self, width: int) -> TabLine:
        screen = self._screen
        active = "library" if self.mode == "hits" else self.mode
        active = "library" if screen.has_class("-first-run") else active
        folder = shown_folder(screen.library)
        return library_tabs(active, folder, screen.under_way, self._known_trash, width)

    def show_head(self) -> None:
        screen = self._screen
        order, is_first = screen.library_state.order, screen.has_class("-first-run")
        shown = ShownSessions(len(order.rows), len(order.known), order.where, order.newcomers)
        screen.set_class(bool(shown.where or shown.newcomers), "-told")
        screen.set_class(order.is_reviewing, "-reviewing")
        lines: list[Callable[[int], Line]] = [lambda width: self.tabs(width).line]
        if not is_first and not screen.is_unreadable:
            lines += [partial(review_line, order.progress)] if order.is_reviewing else []
            lines.append(partial(shown_line, shown))
        screen.query_one("#library-head", LineBox).show(*lines)

    def show_entry(self) -> None:
        """Show the session under the cursor at length, and whom a verdict would be for."""
        screen, row = self._screen, self.row
        pane = screen.query_one("#entry", TextPane)
        if row is None:
            pane.frame("Session", [])
            pane.show(lambda _: [])
            return
        place = screen.library_state.order.place(row.entry.id)
        whole = len(screen.library_state.order.rows)
        about = [] if place is None else [Piece(f"{place + 1:,} of {whole:,}", "muted")]
        does = "enter opens it"
        if self.mode == "trash":
            does = "p puts it back" if screen.library.may_change(row.entry.id) else ""
        name = printable(row.entry.name, 200)
        pane.frame(name, about, lambda: [Piece(does, "muted")], least_title=20)
        if screen.has_class("-narrow"):
            pane.show(partial(peek_lines, row))
        else:
            pane.show(partial(self._at_length, row))

    def _at_length(self, row: SessionRow, width: int) -> list[Line]:
        screen = self._screen
        verdict: list[Line] = []
        may_change = screen.library.may_change(row.entry.id)
        is_reviewing = screen.library_state.order.is_reviewing or bool(screen.picked)
        if is_reviewing and may_change and self.mode != "trash" and row.entry.problem is None:
            verdict = verdict_lines(self._chosen_rows(), self._newest(), width)
        height = screen.query_one("#entry", TextPane).scrollable_content_region.height
        lines = session_lines(
            row,
            screen.clock(),
            width,
            height=max(1, height - len(verdict) - LEAST_GAP),
            replacing=self._replacing() if may_change else (),
            group=screen.library_state.order.group_of(row),
        )
        gap = max(LEAST_GAP, height - len(lines) - len(verdict)) if verdict else 0
        return [*lines, *[[]] * gap, *verdict]

    def _replacing(self) -> Line:
        """Return by which key personal data is replaced, and in which sessions."""
        picked, shown = len(self._screen.picked), len(self._screen.entries)
        where = f"in the {picked:,} selected" if picked else f"in all {shown:,}"
        return [Piece(REPLACES, "key"), Piece(f" replaces such data {where}", "muted")]

    def _chosen_rows(self) -> list[SessionRow]:
        screen = self._screen
        keys = screen.picked
        if not keys:
            return []
        return [row for row in screen.library_state.order.rows if key_of(row.entry.id) in keys]

    def _newest(self) -> NewestUndo | None:
        library_state = self._screen.library_state
        if not library_state.steps:
            return None
        step = library_state.steps[-1]
        rows = [library_state.order.known[id] for id in step.ids if id in library_state.order.known]
        if len(step.ids) != 1:
            return NewestUndo(step.word, f"{len(step.ids):,} sessions")
        return NewestUndo(step.word, rows[0].entry.name if rows else "one that is not here")
