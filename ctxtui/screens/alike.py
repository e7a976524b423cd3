"""Duplicates: groups of sessions that are alike, and what becomes of the extra ones."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar

from textual import on

from ctxtui.commands import LEAVING_OUT, Command, Facts
from ctxtui.core.curation.verdicts import Duplicates
from ctxtui.core.storage import Entry, Library
from ctxtui.lists.duplicates import DuplicateSource
from ctxtui.models.duplicates import WORDS, Likeness, extra, look, settle
from ctxtui.models.library_steps import Done
from ctxtui.models.option import Option
from ctxtui.progress import Watch
from ctxtui.render.bulk import BulkHead
from ctxtui.render.duplicates import alike_lines
from ctxtui.screens.bulk import BulkScreen, HitList
from ctxtui.widgets.line_list import LineList

NONE = "No two of them are alike. The row at the left finds those that are nearly so."


class AlikeScreen(BulkScreen):
    """Shows groups of sessions that are alike; ``space`` leaves a group out."""

    HEAD = BulkHead("ALIKE", "duplicates among", "comparing")
    EMPTY = NONE
    FRAMES: ClassVar[dict[str, tuple[str, str]]] = {
        "options": ("Duplicates", ""),
        "hits": ("Groups", "the first one stays "),
        "would": ("What was found", ""),
    }

    def __init__(self, library: Library, entries: Sequence[Entry]) -> None:
        super().__init__(library, entries)
        self.likeness = Likeness()
        self.found = Duplicates((), {})
        self.left_out: set[int] = set()

    def options(self) -> list[Option]:
        """Return how alike, and what then."""
        return self.likeness.options()

    def choose(self, option: Option, by: int) -> None:
        """Turn something."""
        self.likeness = self.likeness.turned(option.name, by)

    def ask_of(self, option: Option) -> tuple[str, str]:
        """Return nothing: nothing is typed here."""
        return "", ""

    def typed(self, name: str, text: str) -> None:
        """Take nothing: nothing is typed here."""

    def find_out(self, watch: Watch) -> Duplicates:
        """Compare all sessions."""
        return look(self.library, self.chosen, self.likeness, watch)

    def take(self, found: Any) -> None:
        """Take the groups; what was left out was another group."""
        self.found = found
        self.left_out.clear()

    def work(self, watch: Watch) -> Done:
        """Do with the extra ones what was chosen."""
        return settle(self.library, self._extra, self.likeness.deed)

    @property
    def _extra(self) -> list[Entry]:
        return extra(self.found, self.left_out)

    @property
    def deed(self) -> str:
        """Return what would be done."""
        count = len(self._extra)
        return f"{WORDS[self.likeness.deed]} ({count:,})" if count else ""

    def show(self) -> None:
        """Show the groups and what they come to."""
        sums = partial(alike_lines, self.found, len(self._extra))
        self.show_listed(DuplicateSource(self.found, self.left_out), sums)

    @on(LineList.Picked, "#hits")
    def _picked(self, event: LineList.Picked) -> None:
        hits = self.query_one("#hits", HitList)
        if isinstance(hits.source, DuplicateSource):
            self.left_out ^= {hits.source.rows[event.key].group}
            self.show()
            hits.action_move(1)

    def key_facts(self) -> Facts:
        """Return what can be done here, for the line of keys."""
        return {**super().key_facts(), "hit": bool(self.found.groups)}

    @property
    def commands(self) -> tuple[Command, ...]:
        """Return what the help tells of."""
        return (*super().commands, *LEAVING_OUT)
