"""The export wizard: what a data set shall be, what would be written, and then writing it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical

from ctxtui.core.curation.dataset import Plan
from ctxtui.core.storage import Entry, Library
from ctxtui.models.data_set import Prospect, Wish, prospect_of, write_wish
from ctxtui.models.library_steps import Done
from ctxtui.models.option import Option
from ctxtui.progress import Watch
from ctxtui.render.bulk import BulkHead
from ctxtui.render.data_set import export_lines, left_out_lines
from ctxtui.render.text.lines import Line, Piece
from ctxtui.screens.bulk import BulkScreen
from ctxtui.widgets.key_line import KeyLine
from ctxtui.widgets.line_box import LineBox
from ctxtui.widgets.option_list import OptionList
from ctxtui.widgets.prompt import Prompt
from ctxtui.widgets.text_pane import TextPane
from ctxtui.words import plural

HINTS = {
    "ratio": "the share for training, such as 0.9; nothing for one file without a split",
    "seed": "a whole number: the same one gives the same split",
    "out": "where it goes, such as ~/train.jsonl",
}


class ExportScreen(BulkScreen):
    """Shows which records would be written where; nothing is, before it is asked for."""

    HEAD = BulkHead("EXPORT", "a data set of", until="written")
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - Textual's own
        (0, "-narrow"),
        (76, "-half"),
        (110, "-wide"),
    ]

    def __init__(
        self, library: Library, entries: Sequence[Entry], wish: Wish | None = None
    ) -> None:
        super().__init__(library, entries)
        has_accepted = any(entry.status == "accepted" for entry in entries)
        usual = Wish() if has_accepted else Wish(status="all of them")
        self.wish = usual if wish is None else wish
        self.prospect = Prospect(Plan(self.wish.order, (), ()))

    def compose(self) -> ComposeResult:
        """Lay out what is wished at the left, what would be written at the right."""
        yield LineBox(id="bulk-head")
        with Horizontal(id="bulk-body"):
            with Vertical(id="bulk-left", classes="-alone"):
                yield OptionList(id="options")
            with Vertical(id="bulk-right"):
                yield TextPane(id="would")
                yield TextPane(id="left-out")
        yield Prompt()
        yield KeyLine()

    def options(self) -> list[Option]:
        """Return what can be chosen."""
        return self.wish.options(self.chosen)

    def choose(self, option: Option, by: int) -> None:
        """Turn something."""
        self.wish = self.wish.turned(option.name, by)

    def ask_of(self, option: Option) -> tuple[str, str]:
        """Return what to type, and what was typed before."""
        value = getattr(self.wish, option.name)
        return HINTS[option.name], "" if value is None else str(value)

    def typed(self, name: str, text: str) -> None:
        """Take what was typed."""
        self.wish = self.wish.typed(name, text)

    def find_out(self, watch: Watch) -> Prospect:
        """Plan the data set."""
        return prospect_of(self.library, self.chosen, self.wish, watch)

    def take(self, found: Any) -> None:
        """Take the plan."""
        self.prospect = found

    def work(self, watch: Watch) -> Done:
        """Write the data set."""
        return write_wish(self.library, self.wish, self.prospect, watch)

    @property
    def deed(self) -> str:
        """Return how much would be written; nothing while it can't be."""
        records = len(self.prospect.plan.records)
        is_free = self.wish.is_forced or not self.prospect.taken
        return f"write {plural(records, 'record')}" if records and self.wish.out and is_free else ""

    def show(self) -> None:
        """Show the plan and what is left out."""
        self.show_progress()
        self.query_one("#options", OptionList).frame("Data set", [])
        would, left = self.query_one("#would", TextPane), self.query_one("#left-out", TextPane)
        would.frame("What would be written", [])
        would.show(self._would_lines)
        left.frame("Left out", [Piece(f"{len(self.prospect.left_out):,} ", "muted")])
        left.show(partial(left_out_lines, self.prospect))
        self.refresh_bindings()

    def _would_lines(self, width: int) -> list[Line]:
        """Return what would be written; below that what would not, where that has no pane."""
        lines = export_lines(self.prospect, self.wish.is_forced, width)
        if self.has_class("-narrow") and self.prospect.left_out:
            lines += [[], *left_out_lines(self.prospect, width)]
        return lines
