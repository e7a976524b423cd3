"""Find and replace in many sessions: every hit before and after, then all of it as one step."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical

from ctxtui.commands import LEAVING_OUT, Command, Facts
from ctxtui.core.storage import Entry, Library
from ctxtui.lists.replace_hits import HitSource, TouchedSource
from ctxtui.lists.source import Nothing
from ctxtui.models.library_steps import Done
from ctxtui.models.option import Option
from ctxtui.models.replacing import Choosing, DryRun, Place, dry_run
from ctxtui.models.wanted import Wanted
from ctxtui.progress import Watch
from ctxtui.render.bulk import BulkHead
from ctxtui.render.replace.summary import (
    searching_lines,
    searching_words,
    stays_lines,
    would_lines,
)
from ctxtui.render.text.lines import Piece
from ctxtui.screens.bulk import BulkScreen, HitList
from ctxtui.widgets.key_line import KeyLine
from ctxtui.widgets.line_box import LineBox
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.option_list import OptionList
from ctxtui.widgets.prompt import Prompt
from ctxtui.widgets.text_pane import TextPane
from ctxtui.words import plural

HINTS = {
    "words": "words to find, in any case; nothing finds none",
    "expression": r"a regular expression, such as order \d+; nothing finds none",
    "text": r"what stands in their place; \1 is a group of a pattern",
}
NOTHING_ASKED = "Choose at the left what to look for."


class ReplaceScreen(BulkScreen):
    """Shows what would be replaced where; ``space`` leaves a hit or a session out."""

    HEAD = BulkHead("REPLACE", "in", doing="replacing")

    def __init__(
        self, library: Library, entries: Sequence[Entry], wanted: Wanted | None = None
    ) -> None:
        super().__init__(library, entries)
        self.wanted = Wanted() if wanted is None else wanted
        self.choosing = Choosing(DryRun(len(entries), is_searched=False))
        self.so_far = (0, 0)
        """How many sessions were searched, and how many hits they have."""

    def compose(self) -> ComposeResult:
        """Lay out what is wanted and the sessions at the left, hits and what stays at the right."""
        yield LineBox(id="bulk-head")
        with Horizontal(id="bulk-body"):
            with Vertical(id="bulk-left"):
                yield OptionList(id="options")
                yield HitList(id="touched")
            with Vertical(id="bulk-right"):
                yield HitList(id="hits")
                with Horizontal(id="bulk-below"):
                    yield TextPane(id="would")
                    yield TextPane(id="stays")
        yield Prompt()
        yield KeyLine()

    # What is chosen

    def options(self) -> list[Option]:
        """Return what is looked for, with how often each was found."""
        return self.wanted.options(self.choosing.run.counts)

    def choose(self, option: Option, by: int) -> None:
        """Look for something or not, in a role or not."""
        self.wanted = self.wanted.turned(option.name)

    def ask_of(self, option: Option) -> tuple[str, str]:
        """Return what to type, and what was typed before."""
        return HINTS[option.name], getattr(self.wanted, option.name)

    def typed(self, name: str, text: str) -> None:
        """Take words, an expression, or what stands in their place."""
        self.wanted = self.wanted.typed(name, text)

    # Looking and doing

    def find_out(self, watch: Watch) -> DryRun:
        """Look through all sessions."""

        def tell(searched: int, hits: int) -> None:
            self.so_far = (searched, hits)

        return dry_run(self.library, self.chosen, self.wanted, watch, tell)

    def look(self) -> None:
        """Look through all sessions; what was found before says nothing of what is wanted now."""
        self.so_far = (0, 0)
        self.choosing = Choosing(DryRun(len(self.chosen), is_searched=False))
        super().look()

    def take(self, found: Any) -> None:
        """Take what was found; what was left out before counts for what was found before."""
        self.choosing = Choosing(found)

    def work(self, watch: Watch) -> Done:
        """Replace what is chosen."""
        return self.choosing.apply(self.library, watch)

    @property
    def deed(self) -> str:
        """Return how much would be replaced."""
        figures = self.choosing.figures
        return f"replace {figures.hits:,} in {figures.sessions:,}" if figures.hits else ""

    # Showing

    @property
    def is_searching(self) -> bool:
        """Tell whether it is not known yet what is to be found."""
        return self.progress is not None and not self.is_doing

    @property
    def so_far_words(self) -> str:
        """Return how far the search is."""
        searched, hits = self.so_far
        return searching_words(searched, len(self.chosen), hits) if self.is_searching else ""

    def show_progress(self) -> None:
        """Show how far the search is, also where its outcome will be."""
        super().show_progress()
        if self.is_searching:
            self._show_search()

    def _show_search(self) -> None:
        words = self.so_far_words
        hits = self.query_one("#hits", HitList)
        hits.empty = words
        hits.refresh()
        for id in ("#would", "#stays"):
            self.query_one(id, TextPane).show(partial(searching_lines, words))

    @property
    def _outcome(self) -> str:
        """Return what is true where there is no hit."""
        if not self.wanted.patterns:
            return NOTHING_ASKED
        run = self.choosing.run
        count = run.sessions - len(run.problems)
        return f"No hit in what was searched of {plural(count, 'session')}. {NOTHING_ASKED}"

    def show(self) -> None:
        """Show hits, sessions, figures and what stays; while it is searched, how far that is."""
        self.show_progress()
        choosing = self.choosing
        run, figures = choosing.run, choosing.figures
        hits, touched = self.query_one("#hits", HitList), self.query_one("#touched", HitList)
        hits.empty = self.so_far_words if self.is_searching else self._outcome
        hits.show(HitSource(choosing) if run.touched else Nothing())
        hits.frame("Hits", [Piece(f"before and after   {figures.hits:,} ", "muted")])
        touched.show(TouchedSource(choosing))
        touched.frame("Sessions", [Piece(f"{figures.sessions:,} touched ", "muted")])
        self.query_one("#options", OptionList).frame("Find and replace", [])
        would, stays = self.query_one("#would", TextPane), self.query_one("#stays", TextPane)
        would.frame("What it would do", [])
        stays.frame("What stays", [Piece("the old text is hidden, not gone ", "muted")])
        if self.is_searching:
            self._show_search()
        else:
            would.show(partial(would_lines, run, figures))
            stays.show(partial(stays_lines, run, figures))
        self.refresh_bindings()

    # Leaving out

    @on(LineList.Picked, "#hits")
    def _picked_hit(self, event: LineList.Picked) -> None:
        source = self.query_one("#hits", HitList).source
        if isinstance(source, HitSource):
            item = source.items[event.key]
            self.choosing.turn([item] if isinstance(item, Place) else item.places)
            self.show()
            self.query_one("#hits", HitList).action_move(1)

    @on(LineList.Picked, "#touched")
    def _picked_session(self, event: LineList.Picked) -> None:
        self.choosing.turn(self.choosing.run.touched[event.key].places)
        self.show()
        self.query_one("#touched", HitList).action_move(1)

    @on(LineList.Opened, "#touched")
    def _opened_session(self, event: LineList.Opened) -> None:
        hits = self.query_one("#hits", HitList)
        if isinstance(hits.source, HitSource):
            id = self.choosing.run.touched[event.key].entry.id
            hits.go_to(hits.source.starts[id])
            hits.focus()

    def key_facts(self) -> Facts:
        """Return what can be done here, for the line of keys."""
        return {**super().key_facts(), "hit": bool(self.choosing.run.touched)}

    @property
    def commands(self) -> tuple[Command, ...]:
        """Return what the help tells of."""
        return (*super().commands, *LEAVING_OUT)
