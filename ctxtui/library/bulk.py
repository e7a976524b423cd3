"""Many sessions at once: replace, apply, export and duplicates, as tabs of one screen.

Each tab first finds out in the background what would be done, and does it when asked.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical

from ctxtui.commands.command import Command, Conditions
from ctxtui.commands.common import LISTS, TURNS
from ctxtui.core.curation.dataset import DatasetPlan
from ctxtui.core.curation.verdicts import Duplicates
from ctxtui.core.policies import Policy
from ctxtui.core.recipes import Recipe
from ctxtui.core.storage import Entry, Library
from ctxtui.files.reading import read_path
from ctxtui.library.drawing.bulk import (
    DuplicateSource,
    ReplaceHitSource,
    SessionHitsSource,
    TrialSource,
    bulk_head,
    bulk_tabs,
    duplicate_lines,
    export_lines,
    left_out_lines,
    searching_lines,
    searching_words,
    stays_lines,
    sums_lines,
    would_lines,
)
from ctxtui.library.keys import BULK, LEAVING_OUT
from ctxtui.library.models.data_set import (
    ExportOptions,
    ExportPreview,
    preview_export,
    write_export,
)
from ctxtui.library.models.library import Done
from ctxtui.library.models.replacing import DryRun, HitPlace, ReplaceChoice, ReplaceQuery, dry_run
from ctxtui.library.models.steps import (
    WORDS,
    DuplicateOptions,
    RecipeOrPolicy,
    Trials,
    apply_all,
    extra,
    find_groups,
    recipe_or_policy_at,
    recipes_and_policies,
    settle_duplicates,
    try_all,
)
from ctxtui.notify import notify
from ctxtui.progress import TaskProgress
from ctxtui.text.line_source import LineSource, Nothing
from ctxtui.text.lines import Line, Piece
from ctxtui.text.options import Option, OptionSource
from ctxtui.text.plurals import percent, plural
from ctxtui.text.toast import failed, note
from ctxtui.widgets.base_screen import BaseScreen
from ctxtui.widgets.footer import KeyFooter
from ctxtui.widgets.line_list import LineList, OptionList
from ctxtui.widgets.panes import LineBox, TextPane
from ctxtui.widgets.prompt import Prompt

APPLY = "change many sessions"


class BulkTab(ABC):
    """One thing to do to sessions: its options, what it would do, and doing it."""

    DOING: ClassVar[str]
    """What finding out is called."""
    OPTIONS_TITLE: ClassVar[str]
    LIST_TITLE: ClassVar[tuple[str, str]] = ("", "")
    """The title of the list at the right, and what is at the right of that."""
    WOULD_TITLE: ClassVar[str] = "What it would do"
    EMPTY: ClassVar[str] = ""
    """What an empty list says."""

    def __init__(self, library: Library, entries: Sequence[Entry]) -> None:
        self.library = library
        self.chosen = tuple(entries)
        self.is_known = False
        """Whether it is known what would be done."""

    @abstractmethod
    def options(self) -> list[Option]:
        """Return the options as they are now."""

    @abstractmethod
    def turn(self, name: str, by: int) -> None:
        """Turn an option to its next value, or switch it."""

    def hint(self, name: str) -> tuple[str, str]:
        raise NotImplementedError

    def set_text(self, name: str, text: str) -> None:
        raise NotImplementedError

    @abstractmethod
    def find(self, progress: TaskProgress) -> Any:
        """Find out what would be done; this runs in a thread."""

    @abstractmethod
    def take(self, found: Any) -> None:
        """Store what was found out."""

    @abstractmethod
    def apply(self, progress: TaskProgress) -> Done:
        """Do it; this runs in a thread."""

    @property
    @abstractmethod
    def action_label(self) -> str:
        """Return what would be done in a few words; nothing where there is nothing to do."""

    def forget(self) -> None:
        """Forget what was found out, since an option has changed."""
        self.is_known = False

    def progress_words(self, progress: float) -> str:
        return f"{self.DOING} … {percent(progress, 1)}"

    # Drawing

    def source(self) -> LineSource:
        return Nothing()

    @abstractmethod
    def would_lines(self, width: int) -> list[Line]:
        """Return what all of it would come to."""

    def leave_out(self, key: int) -> None:
        raise NotImplementedError

    @property
    def can_leave_out(self) -> bool:
        return False


class DuplicatesTab(BulkTab):
    """Groups of duplicates, and what happens to all but the first of each."""

    DOING = "comparing"
    OPTIONS_TITLE = "Duplicates"
    LIST_TITLE = ("Groups", "the first one stays ")
    WOULD_TITLE = "What was found"
    EMPTY = "No duplicates. The first option also finds near duplicates."

    def __init__(self, library: Library, entries: Sequence[Entry]) -> None:
        super().__init__(library, entries)
        self.choice = DuplicateOptions()
        self.found = Duplicates((), {})
        self.left_out: set[int] = set()

    def options(self) -> list[Option]:
        return self.choice.options()

    def turn(self, name: str, by: int) -> None:
        self.choice = self.choice.turned(name, by)

    def find(self, progress: TaskProgress) -> Duplicates:
        return find_groups(self.library, self.chosen, self.choice, progress)

    def take(self, found: Duplicates) -> None:
        self.found = found
        self.left_out.clear()

    def apply(self, progress: TaskProgress) -> Done:
        return settle_duplicates(self.library, self.extra, self.choice.action)

    @property
    def extra(self) -> list[Entry]:
        return extra(self.found, self.left_out)

    @property
    def action_label(self) -> str:
        count = len(self.extra)
        return f"{WORDS[self.choice.action]} ({count:,})" if count else ""

    def source(self) -> DuplicateSource:
        return DuplicateSource(self.found, self.left_out)

    def would_lines(self, width: int) -> list[Line]:
        return duplicate_lines(self.found, len(self.extra), width)

    def leave_out(self, key: int) -> None:
        self.left_out ^= {self.source().rows[key].group}

    @property
    def can_leave_out(self) -> bool:
        return bool(self.found.groups)


class ApplyTab(BulkTab):
    """Recipes and policies; the chosen one is tried on every session."""

    DOING = "trying"
    OPTIONS_TITLE = "Recipes and policies"
    LIST_TITLE = ("Sessions", "before and after ")

    def __init__(self, library: Library, entries: Sequence[Entry]) -> None:
        super().__init__(library, entries)
        self.known = recipes_and_policies()
        self.at = 0
        self.trials = Trials()
        self.left_out: set[str] = set()
        self._loaded: Recipe | Policy = ()

    def options(self) -> list[Option]:
        rows = [
            Option(
                *(str(at), one.file.name, "", "flag"),
                "Policies" if one.is_policy else "Recipes",
                is_on=at == self.at,
            )
            for at, one in enumerate(self.known)
        ]
        return [*rows, Option("file", "another file", "", "typed", "Others")]

    def turn(self, name: str, by: int) -> None:
        self.at = int(name)

    def hint(self, name: str) -> tuple[str, str]:
        return "the path of a recipe or a policy, such as ~/recipes/trim.json", ""

    def set_text(self, name: str, text: str) -> None:
        if text.strip():
            self.known.append(recipe_or_policy_at(read_path(text)))
            self.at = len(self.known) - 1

    @property
    def current(self) -> RecipeOrPolicy | None:
        return self.known[self.at] if self.known else None

    def find(self, progress: TaskProgress) -> tuple[Recipe | Policy, Trials]:
        if self.current is None:
            return (), Trials()
        loaded = self.current.load()
        return loaded, try_all(self.library, self.chosen, loaded, progress)

    def take(self, found: tuple[Recipe | Policy, Trials]) -> None:
        self._loaded, self.trials = found
        self.left_out.clear()

    def apply(self, progress: TaskProgress) -> Done:
        assert self.current is not None
        return apply_all(self.library, self._changing, self.current, self._loaded, progress)

    @property
    def _changing(self) -> list[Entry]:
        entries = (trial.entry for trial in self.trials.changing)
        return [entry for entry in entries if entry.id not in self.left_out]

    @property
    def action_label(self) -> str:
        count = len(self._changing)
        return f"change {count:,}" if count else ""

    def source(self) -> LineSource:
        return TrialSource(self.trials.trials, self.left_out)

    def would_lines(self, width: int) -> list[Line]:
        return sums_lines(self.trials, len(self.left_out), width)

    def leave_out(self, key: int) -> None:
        trial = self.trials.trials[key]
        if trial.changes:
            self.left_out ^= {trial.entry.id}

    @property
    def can_leave_out(self) -> bool:
        return bool(self.trials.changing)


class ExportTab(BulkTab):
    """A data set: which records would be written where."""

    DOING = "planning"
    OPTIONS_TITLE = "Data set"
    WOULD_TITLE = "What would be written"
    HINTS: ClassVar[dict[str, str]] = {
        "ratio": "the share for training, such as 0.9; nothing for one file without a split",
        "seed": "a whole number: the same one gives the same split",
        "out": "the file, such as ~/train.jsonl",
    }

    def __init__(self, library: Library, entries: Sequence[Entry]) -> None:
        super().__init__(library, entries)
        has_accepted = any(entry.status == "accepted" for entry in entries)
        self.choice = ExportOptions() if has_accepted else ExportOptions(status="all of them")
        self.preview = ExportPreview(DatasetPlan(self.choice.order, (), ()))

    def options(self) -> list[Option]:
        return self.choice.options(self.chosen)

    def turn(self, name: str, by: int) -> None:
        self.choice = self.choice.turned(name, by)

    def hint(self, name: str) -> tuple[str, str]:
        value = getattr(self.choice, name)
        return self.HINTS[name], "" if value is None else str(value)

    def set_text(self, name: str, text: str) -> None:
        self.choice = self.choice.typed(name, text)

    def find(self, progress: TaskProgress) -> ExportPreview:
        return preview_export(self.library, self.chosen, self.choice, progress)

    def take(self, found: ExportPreview) -> None:
        self.preview = found

    def apply(self, progress: TaskProgress) -> Done:
        return write_export(self.library, self.choice, self.preview, progress)

    @property
    def action_label(self) -> str:
        records = len(self.preview.plan.records)
        may_write = self.choice.out and (self.choice.is_forced or not self.preview.existing)
        return f"write {plural(records, 'record')}" if records and may_write else ""

    def would_lines(self, width: int) -> list[Line]:
        return export_lines(self.preview, self.choice.is_forced, width)

    def left_out_lines(self, width: int) -> list[Line]:
        return left_out_lines(self.preview, width)


class ReplaceTab(BulkTab):
    """Find and replace: every hit before and after."""

    DOING = "replacing"
    OPTIONS_TITLE = "Find and replace"
    HINTS: ClassVar[dict[str, str]] = {
        "words": "words to find, in any case; nothing finds none",
        "expression": r"a regular expression, such as order \d+; nothing finds none",
        "text": r"the replacement; \1 is a group of a pattern",
    }

    def __init__(self, library: Library, entries: Sequence[Entry]) -> None:
        super().__init__(library, entries)
        self.query = ReplaceQuery()
        self.choice = ReplaceChoice(DryRun(len(entries), is_searched=False))
        self.so_far = (0, 0)
        """How many sessions were searched, and how many hits they have."""

    def options(self) -> list[Option]:
        return self.query.options(self.choice.run.counts)

    def turn(self, name: str, by: int) -> None:
        self.query = self.query.turned(name)

    def hint(self, name: str) -> tuple[str, str]:
        return self.HINTS[name], getattr(self.query, name)

    def set_text(self, name: str, text: str) -> None:
        self.query = self.query.typed(name, text)

    def find(self, progress: TaskProgress) -> DryRun:
        def report(searched: int, hits: int) -> None:
            self.so_far = (searched, hits)

        return dry_run(self.library, self.chosen, self.query, progress, report)

    def forget(self) -> None:
        super().forget()
        self.so_far = (0, 0)
        self.choice = ReplaceChoice(DryRun(len(self.chosen), is_searched=False))

    def take(self, found: DryRun) -> None:
        self.choice = ReplaceChoice(found)

    def apply(self, progress: TaskProgress) -> Done:
        return self.choice.apply(self.library, progress)

    @property
    def action_label(self) -> str:
        figures = self.choice.figures
        return f"replace {figures.hits:,} in {figures.sessions:,}" if figures.hits else ""

    def progress_words(self, progress: float) -> str:
        if self.is_known:
            return super().progress_words(progress)
        searched, hits = self.so_far
        return searching_words(searched, len(self.chosen), hits)

    def source(self) -> LineSource:
        return ReplaceHitSource(self.choice) if self.choice.run.touched else Nothing()

    @property
    def outcome(self) -> str:
        """Return what is true where there is no hit."""
        ask = "Choose at the left what to look for."
        if not self.query.patterns:
            return ask
        count = self.choice.run.sessions - len(self.choice.run.problems)
        return f"No hit in what was searched of {plural(count, 'session')}. {ask}"

    def would_lines(self, width: int) -> list[Line]:
        return would_lines(self.choice.run, self.choice.figures, width)

    def stays_lines(self, width: int) -> list[Line]:
        return stays_lines(self.choice.run, self.choice.figures, width)

    def leave_out(self, key: int) -> None:
        source = self.source()
        if isinstance(source, ReplaceHitSource):
            item = source.items[key]
            self.choice.turn([item] if isinstance(item, HitPlace) else item.places)

    def leave_session_out(self, key: int) -> None:
        self.choice.turn(self.choice.run.touched[key].places)

    @property
    def can_leave_out(self) -> bool:
        return bool(self.choice.run.touched)


TABS: dict[str, type[BulkTab]] = {
    "replace": ReplaceTab,
    "apply": ApplyTab,
    "export": ExportTab,
    "duplicates": DuplicatesTab,
}
"""What can be done to many sessions, in the order of the tabs."""


class HitList(LineList):
    """A list whose rows can be left out."""

    BINDINGS: ClassVar[list[BindingType]] = [command.binding() for command in LEAVING_OUT]

    def action_leave_out(self) -> None:
        if self.key is not None:
            self.post_message(self.Picked(self, self.key))


class BulkScreen(BaseScreen[Done | None]):
    """Four tabs with the same left side: the options; at the right what they would do."""

    CSS_PATH = "bulk.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        command.binding() for command in BULK if command not in TURNS
    ]
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - Textual's own
        (0, "-narrow"),
        (76, "-half"),
        (110, "-wide"),
    ]
    AUTO_FOCUS = "#options"
    HELP_COMMANDS = (*BULK, *LEAVING_OUT, *LISTS)

    def __init__(self, library: Library, entries: Sequence[Entry], tab: str = "replace") -> None:
        super().__init__()
        self._tabs: dict[str, BulkTab] = {}
        self.library = library
        self.chosen = tuple(entries)
        self.name_of_tab = tab
        self.progress: float | None = None
        """How far the work of the tab is; None when nothing is under way."""

    @property
    def tab(self) -> BulkTab:
        """Return the tab that is shown; each is made when it is first shown."""
        name = self.name_of_tab
        if name not in self._tabs:
            self._tabs[name] = TABS[name](self.library, self.chosen)
        return self._tabs[name]

    def compose(self) -> ComposeResult:
        yield LineBox(id="bulk-head")
        with Horizontal(id="bulk-body"):
            with Vertical(id="bulk-left"):
                yield OptionList(id="options")
                yield HitList(id="touched")
            with Vertical(id="bulk-right"):
                yield HitList(id="hits")
                yield TextPane(id="left-out")
                with Horizontal(id="bulk-below"):
                    yield TextPane(id="would")
                    yield TextPane(id="stays")
        yield Prompt()
        yield KeyFooter()

    def on_mount(self) -> None:
        self.action_tab(self.name_of_tab)

    # Tabs

    def action_tab(self, name: str) -> None:
        if self.is_applying:
            return
        self.name_of_tab = name
        for one in TABS:
            self.set_class(one == name, f"-{one}")
        options = self.query_one("#options", OptionList)
        if self.focused is not None and not self.focused.display:
            options.focus()
        if self.tab.is_known:
            self.background.cancel(self.FINDING)
            self.progress = None
            self.show()
        else:
            self.find()

    @on(LineBox.Clicked, "#bulk-head")
    def _head_clicked(self, event: LineBox.Clicked) -> None:
        name = bulk_tabs(self.name_of_tab, [], event.box.size.width).at(event.x)
        if name and name != self.name_of_tab:
            self.action_tab(name)

    # Options

    @property
    def option(self) -> Option:
        rows = self.tab.options()
        return rows[min(self.query_one("#options", OptionList).cursor, len(rows) - 1)]

    @on(OptionList.Turned, "#options")
    def _turned(self, event: OptionList.Turned) -> None:
        self._choose(event.by)

    @on(LineList.Opened, "#options")
    def _opened_option(self) -> None:
        self._choose(1)

    @on(LineList.Moved, "#options")
    def _moved_option(self) -> None:
        self.refresh_bindings()

    def _choose(self, by: int) -> None:
        option = self.option
        if option.kind != "typed":
            self.tab.turn(option.name, by)
            self.find()
            return
        hint, value = self.tab.hint(option.name)
        self.query_one(Prompt).ask(
            option.label,
            hint,
            partial(self._typed, option.name),
            verb="take it",
            value=value,
            takes_nothing=True,
        )

    def _typed(self, name: str, text: str) -> None:
        self.tab.set_text(name, text)
        self.find()

    # Finding out

    FINDING = "find out what would be done"

    def find(self) -> None:
        """Find out in a thread what would be done; earlier work of that kind is cancelled."""
        tab = self.tab
        tab.forget()
        self.progress = 0.0
        self.show()
        self.background.run(
            self.FINDING,
            tab.find,
            partial(self._found, tab),
            failed=self._failed,
            progress=self._show_share,
        )

    def _show_share(self, done: float) -> None:
        self.progress = done
        self.show_progress()

    def _found(self, tab: BulkTab, found: Any) -> None:
        tab.take(found)
        tab.is_known = True
        self.progress = None
        self.show()

    def _failed(self, sentence: str) -> None:
        self.progress = None
        notify(self, failed(sentence))
        self.show()

    # Showing

    def show(self) -> None:
        tab, hits = self.tab, self.query_one("#hits", HitList)
        options = self.query_one("#options", OptionList)
        options.show(OptionSource(tab.options()))
        options.frame(tab.OPTIONS_TITLE, [])
        title, about = tab.LIST_TITLE
        hits.empty = tab.outcome if isinstance(tab, ReplaceTab) else tab.EMPTY
        hits.show(tab.source())
        would = self.query_one("#would", TextPane)
        would.frame(tab.WOULD_TITLE, [])
        would.show(self._would_lines)
        if isinstance(tab, ReplaceTab):
            figures = tab.choice.figures
            title, about = "Hits", f"before and after   {figures.hits:,} "
            touched = self.query_one("#touched", HitList)
            touched.show(SessionHitsSource(tab.choice))
            touched.frame("Sessions", [Piece(f"{figures.sessions:,} touched ", "muted")])
            stays = self.query_one("#stays", TextPane)
            stays.show(tab.stays_lines)
            stays.frame("What stays", [Piece("the old text is hidden, not gone ", "muted")])
        if isinstance(tab, ExportTab):
            left = self.query_one("#left-out", TextPane)
            left.frame("Left out", [Piece(f"{len(tab.preview.left_out):,} ", "muted")])
            left.show(tab.left_out_lines)
        hits.frame(title, [Piece(about, "muted")] if about else [])
        self.show_progress()
        self.refresh_bindings()

    def _would_lines(self, width: int) -> list[Line]:
        """Return what would be done; in a narrow terminal also what would be left out."""
        tab = self.tab
        lines = tab.would_lines(width)
        if isinstance(tab, ExportTab) and self.has_class("-narrow") and tab.preview.left_out:
            lines += [[], *tab.left_out_lines(width)]
        return lines

    def show_progress(self) -> None:
        """Show in the head how far the work is, and where its outcome will be."""
        words = "" if self.progress is None else self.tab.progress_words(self.progress)
        head = partial(bulk_head, self.name_of_tab, len(self.chosen), words)
        self.query_one("#bulk-head", LineBox).show(head)
        if words and isinstance(self.tab, ReplaceTab) and not self.tab.is_known:
            hits = self.query_one("#hits", HitList)
            hits.empty = words
            hits.refresh()
            for id in ("#would", "#stays"):
                self.query_one(id, TextPane).show(partial(searching_lines, words))

    # Leaving out

    @on(LineList.Picked, "#hits")
    def _picked_hit(self, event: LineList.Picked) -> None:
        if not self.tab.can_leave_out:
            return
        self.tab.leave_out(event.key)
        self.show()
        self.query_one("#hits", HitList).action_move(1)

    @on(LineList.Picked, "#touched")
    def _picked_session(self, event: LineList.Picked) -> None:
        if isinstance(self.tab, ReplaceTab):
            self.tab.leave_session_out(event.key)
            self.show()
            self.query_one("#touched", HitList).action_move(1)

    @on(LineList.Opened, "#touched")
    def _opened_session(self, event: LineList.Opened) -> None:
        hits = self.query_one("#hits", HitList)
        if isinstance(self.tab, ReplaceTab) and isinstance(hits.source, ReplaceHitSource):
            id = self.tab.choice.run.touched[event.key].entry.id
            hits.go_to(hits.source.starts[id])
            hits.focus()

    # Applying

    def accepts_key(self, event: events.Event) -> bool:
        """Return whether an event may be handled now: space waits until the rows are known."""
        is_space = isinstance(event, events.Key) and event.key == "space"
        return super().accepts_key(event) and not (is_space and self.progress is not None)

    @property
    def is_applying(self) -> bool:
        return self.background.is_running(APPLY)

    def action_apply(self) -> None:
        if self.is_applying:
            return
        if self.progress is not None:
            # What was not shown is not done: the key must be pressed again.
            notify(self, note("Not done yet: this is still being found out"))
        elif self.tab.action_label:
            self.background.run(
                APPLY,
                lambda task: self.tab.apply(task.to_the_end),
                self.dismiss,
                failed=self._failed,
                progress=self._show_share,
                holds_keys=True,
            )

    def action_leave(self) -> None:
        if not self.is_applying:
            self.dismiss(None)

    def key_conditions(self) -> Conditions:
        return {
            "do": self.tab.action_label if self.progress is None else False,
            self.option.kind: True,
            "hit": self.tab.can_leave_out,
        }

    @property
    def commands(self) -> tuple[Command, ...]:
        """Return the commands of this screen."""
        return self.HELP_COMMANDS
