"""Many sessions at once: replace, apply, export and duplicates, as tabs of one screen.

Each tab first finds out in the background what would be done, and does it when asked.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.timer import Timer

from ctxtui.commands.command import Command, Conditions, bindings
from ctxtui.commands.common import LISTS, OPTIONS
from ctxtui.core.curation.dataset import DatasetPlan
from ctxtui.core.curation.verdicts import Duplicates, Member
from ctxtui.core.policies import Policy
from ctxtui.core.recipes import Recipe
from ctxtui.core.storage import Entry, Library
from ctxtui.files.policies import find_policy
from ctxtui.forms.options import OptionForm
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
    record_lines,
    searching_lines,
    searching_words,
    stays_lines,
    sums_lines,
    text_pair_lines,
    texts_about,
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
    TextPair,
    Trials,
    apply_all,
    compare_texts,
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
from ctxtui.text.options import Option
from ctxtui.text.plurals import percent, plural
from ctxtui.text.toast import failed, note, sentence_of
from ctxtui.widgets.base_screen import BaseScreen
from ctxtui.widgets.footer import KeyFooter
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.panes import LineBox, TextPane

APPLY, COMPARING = "change many sessions", "compare the texts"
TYPING_SECONDS = 0.3
"""How long after a key what was typed is read."""


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
    LATE: ClassVar[tuple[str, ...]] = ()
    """Options that are read when their field is left, not while they are typed."""

    def __init__(self, library: Library, entries: Sequence[Entry]) -> None:
        self.library = library
        self.chosen = tuple(entries)
        self.is_known = False
        """Whether it is known what would be done."""

    @abstractmethod
    def options(self) -> list[Option]:
        """Return the options as they are now."""

    @abstractmethod
    def set(self, name: str, value: Any) -> None:
        """Give an option another value, or refuse it."""

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

    def set(self, name: str, value: Any) -> None:
        self.choice = replace(self.choice, **{name: value})

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

    def pair(self, key: int | None) -> tuple[Entry, Member] | None:
        """Return the first of a group, and the member under the cursor, or else the second."""
        rows = self.source().rows
        if key is None or key >= len(rows):
            return None
        first, *others = self.found.groups[rows[key].group].members
        here = rows[key].member
        return first.entry, here if here in others else others[0]

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
    LATE = ("file",)

    def __init__(self, library: Library, entries: Sequence[Entry]) -> None:
        super().__init__(library, entries)
        self.known = recipes_and_policies()
        self.at = 0
        self.trials = Trials()
        self.left_out: set[str] = set()
        self._loaded: Recipe | Policy = ()

    def options(self) -> list[Option]:
        names = {
            str(at): f"{one.file.name}{' (policy)' if one.is_policy else ''}"
            for at, one in enumerate(self.known)
        }
        file = Option("file", "another file", "", hint="~/recipes/trim.json")
        return [*([Option("at", "strategy", str(self.at), names)] if names else []), file]

    def set(self, name: str, value: Any) -> None:
        if name == "at":
            self.at = int(value)
        elif value.strip():
            self.known.append(recipe_or_policy_at(find_policy(value).path))
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

    def __init__(self, library: Library, entries: Sequence[Entry]) -> None:
        super().__init__(library, entries)
        has_accepted = any(entry.status == "accepted" for entry in entries)
        self.choice = ExportOptions() if has_accepted else ExportOptions(status="all of them")
        self.preview = ExportPreview(DatasetPlan(self.choice.order, (), ()))

    def options(self) -> list[Option]:
        return self.choice.options(self.chosen)

    def set(self, name: str, value: Any) -> None:
        self.choice = self.choice.having(name, value)

    def find(self, progress: TaskProgress) -> ExportPreview:
        return preview_export(self.library, self.chosen, self.choice, progress)

    def take(self, found: ExportPreview) -> None:
        self.preview = found

    def apply(self, progress: TaskProgress) -> Done:
        return write_export(self.library, self.choice, self.preview, progress)

    @property
    def action_label(self) -> str:
        records = len(self.preview.plan.records)
        may_write = self.choice.is_forced or not self.preview.existing
        return f"write {plural(records, 'record')}" if records and may_write else ""

    def would_lines(self, width: int) -> list[Line]:
        return export_lines(self.preview, self.choice.is_forced, width)

    def left_out_lines(self, width: int) -> list[Line]:
        return left_out_lines(self.preview, width)


class ReplaceTab(BulkTab):
    """Find and replace: every hit before and after."""

    DOING = "replacing"
    OPTIONS_TITLE = "Find and replace"

    def __init__(self, library: Library, entries: Sequence[Entry]) -> None:
        super().__init__(library, entries)
        self.query = ReplaceQuery()
        self.choice = ReplaceChoice(DryRun(len(entries), is_searched=False))
        self.so_far = (0, 0)
        """How many sessions were searched, and how many hits they have."""

    def options(self) -> list[Option]:
        return self.query.options(self.choice.run.counts)

    def set(self, name: str, value: Any) -> None:
        self.query = self.query.having(name, value)

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

    CSS_PATH = ["bulk.tcss", "../forms/form.tcss"]  # noqa: RUF012 - Textual's own
    BINDINGS: ClassVar[list[BindingType]] = bindings(BULK)
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - Textual's own
        (0, "-narrow"),
        (76, "-half"),
        (110, "-wide"),
    ]
    AUTO_FOCUS = ""
    HELP_COMMANDS = (*BULK, *OPTIONS, *LEAVING_OUT, *LISTS)

    def __init__(self, library: Library, entries: Sequence[Entry], tab: str = "replace") -> None:
        super().__init__()
        self._tabs: dict[str, BulkTab] = {}
        self.library = library
        self.chosen = tuple(entries)
        self.name_of_tab = tab
        self.progress: float | None = None
        """How far the work of the tab is; None when nothing is under way."""
        self._typed: tuple[str, str] | None = None
        """An option that is being typed, which is read after a moment."""
        self._timer: Timer | None = None
        self._pair: tuple[Entry, Member] | None = None
        """The duplicates whose texts are shown, or being read."""

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
                yield self._form()
                yield HitList(id="touched")
            with Vertical(id="bulk-right"):
                yield HitList(id="hits")
                yield TextPane(id="detail")
                yield TextPane(id="left-out")
                with Horizontal(id="bulk-below"):
                    yield TextPane(id="would")
                    yield TextPane(id="stays")
        yield KeyFooter()

    def _form(self) -> OptionForm:
        """Return a form of the options of the tab; each tab has its own."""
        form = OptionForm(self.tab.options(), id=f"options-{self.name_of_tab}")
        form.border_title = self.tab.OPTIONS_TITLE
        return form

    def on_mount(self) -> None:
        self._show_tab()

    # Tabs

    @property
    def form(self) -> OptionForm:
        return self.query_one(f"#options-{self.name_of_tab}", OptionForm)

    async def action_tab(self, name: str) -> None:
        if self.is_applying:
            return
        self._take_typed()
        self.name_of_tab = name
        if not self.query(f"#options-{name}"):
            await self.query_one("#bulk-left").mount(self._form(), before=0)
        self._show_tab()

    def _show_tab(self) -> None:
        for one in TABS:
            self.set_class(one == self.name_of_tab, f"-{one}")
        for form in self.query(OptionForm):
            form.display = form is self.form
        self.set_focus(self.form.target)
        if self.tab.is_known:
            self.background.cancel(self.FINDING)
            self.progress = None
            self.show()
        else:
            self.find()

    @on(LineBox.Clicked, "#bulk-head")
    async def _head_clicked(self, event: LineBox.Clicked) -> None:
        name = bulk_tabs(self.name_of_tab, [], event.box.size.width).at(event.x)
        if name and name != self.name_of_tab:
            await self.action_tab(name)

    # Options

    @on(OptionForm.OptionChanged)
    def _changed(self, event: OptionForm.OptionChanged) -> None:
        if event.form is not self.form:
            return
        if not event.is_typed:
            self._take(event.name, event.value)
            return
        self._typed = (event.name, event.value)
        if event.name not in self.tab.LATE:
            self.background.cancel(self.FINDING)
            self.progress = 0.0  # What is shown is not of what was typed.
            self.show_progress()
            self._stop_timer()
            self._timer = self.set_timer(TYPING_SECONDS, self._take_typed)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.stop()

    @on(OptionForm.OptionReached)
    def _moved(self) -> None:
        self._take_typed()
        self.refresh_bindings()

    @on(OptionForm.OptionEntered)
    def _entered(self) -> None:
        self._take_typed()
        self.focus_next()

    def _take_typed(self) -> None:
        """Read what was typed, without waiting for more."""
        self._stop_timer()
        typed, self._typed = self._typed, None
        if typed is not None:
            self._take(*typed)

    def _take(self, name: str, value: Any) -> None:
        try:
            self.tab.set(name, value)
        except Exception as problem:
            self.form.complain(name, sentence_of(problem, "read it"))
            self.progress = None
            self.show()
        else:
            self.form.complain(name, None)
            if name in self.tab.LATE:
                self.form.put(name, "")
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
        self.form.show(tab.options())
        title, about = tab.LIST_TITLE
        hits.empty = tab.outcome if isinstance(tab, ReplaceTab) else tab.EMPTY
        hits.show(tab.source())
        would = self.query_one("#would", TextPane)
        label = tab.action_label if self._may_apply else ""
        key = [Piece("ctrl+s ", "key"), Piece(f"{label} ", "text")] if label else []
        would.frame(tab.WOULD_TITLE, key)
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
            detail = self.query_one("#detail", TextPane)
            named = [Piece(f"{tab.preview.plan.order.format.name} ", "muted")]
            detail.frame("First record", named if tab.preview.first else [])
            detail.show(partial(record_lines, tab.preview.first))
            left = self.query_one("#left-out", TextPane)
            left.frame("Left out", [Piece(f"{len(tab.preview.left_out):,} ", "muted")])
            left.show(tab.left_out_lines)
        hits.frame(title, [Piece(about, "muted")] if about else [])
        self._compare()
        self.show_progress()
        self.refresh_bindings()

    @on(LineList.Moved, "#hits")
    def _compare(self) -> None:
        """Show the texts of the duplicates under the cursor, which are read in the background."""
        tab, at = self.tab, self.query_one("#hits", HitList).key
        pair = tab.pair(at) if isinstance(tab, DuplicatesTab) and tab.is_known else None
        if pair is None:
            self.background.cancel(COMPARING)
            if isinstance(tab, DuplicatesTab):
                self._show_texts(None)
            return
        if pair == self._pair:
            return
        self._pair = pair
        self.background.run(
            COMPARING, lambda _: compare_texts(self.library, *pair), self._show_texts
        )

    def _show_texts(self, found: TextPair | None) -> None:
        pane = self.query_one("#detail", TextPane)
        if found is None:
            self._pair = None
        pane.frame("The two texts", [] if found is None else texts_about(found))
        pane.show(lambda width: [] if found is None else text_pair_lines(found, width))

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

    @property
    def _may_apply(self) -> bool:
        return self.progress is None and not self.form.is_wrong

    def action_apply(self) -> None:
        if self.is_applying:
            return
        self._take_typed()
        if self.form.is_wrong:
            notify(self, note("Fix the red field first"))
        elif self.progress is not None:
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
            "do": self._may_apply and self.tab.action_label,
            "hit": self.tab.can_leave_out,
        }

    @property
    def commands(self) -> tuple[Command, ...]:
        """Return the commands of this screen."""
        return self.HELP_COMMANDS
