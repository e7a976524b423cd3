"""What screens have in common that change or write many sessions: look first, then do it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical

from ctxtui.commands.command import Command, Conditions, bindings
from ctxtui.commands.common import LISTS, TURNS
from ctxtui.core.curation.dataset import DatasetPlan
from ctxtui.core.curation.verdicts import Duplicates
from ctxtui.core.policies import Policy
from ctxtui.core.recipes import Recipe
from ctxtui.core.storage import Entry, Library
from ctxtui.files.reading import read_path
from ctxtui.library.drawing.bulk import (
    BulkHead,
    DuplicateSource,
    HitSource,
    TouchedSource,
    TrialSource,
    alike_lines,
    bulk_head,
    export_lines,
    left_out_lines,
    searching_lines,
    searching_words,
    stays_lines,
    sums_lines,
    would_lines,
)
from ctxtui.library.keys import BULK, LEAVING_OUT
from ctxtui.library.models.data_set import Prospect, Wish, prospect_of, write_wish
from ctxtui.library.models.library import Done
from ctxtui.library.models.replacing import Choosing, DryRun, Place, Wanted, dry_run
from ctxtui.library.models.steps import (
    WORDS,
    Likeness,
    Means,
    Trials,
    all_means,
    apply_all,
    extra,
    look,
    means_at,
    settle,
    try_all,
)
from ctxtui.notify import notify
from ctxtui.progress import TaskProgress
from ctxtui.text.line_source import LineSource, Nothing
from ctxtui.text.lines import Line, Piece
from ctxtui.text.options import Option, OptionSource
from ctxtui.text.plurals import plural
from ctxtui.text.toast import failed, note
from ctxtui.widgets.base_screen import BaseScreen
from ctxtui.widgets.footer import KeyFooter
from ctxtui.widgets.line_list import LineList, OptionList
from ctxtui.widgets.panes import LineBox, TextPane
from ctxtui.widgets.prompt import Prompt
from ctxtui.widgets.styled import Framed

DO = "do it"


class HitList(LineList):
    """A list whose rows can be left out."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(LEAVING_OUT)

    def action_leave_out(self) -> None:
        """Leave the row out, or take it in again."""
        if self.key is not None:
            self.post_message(self.Picked(self, self.key))


class BulkScreen(BaseScreen[Done | None]):
    """Shows what would be done to sessions, found out in a thread, and does it when asked.

    Whoever stands on it says what can be chosen, how to find out, what to show, and how to do it.
    """

    CSS_PATH = "bulk.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        command.binding() for command in BULK if command not in TURNS
    ]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012 - Textual's own
    AUTO_FOCUS = "#options"
    HEAD: ClassVar[BulkHead]
    EMPTY: ClassVar[str] = ""
    """What the list says while there is nothing in it."""
    FRAMES: ClassVar[dict[str, tuple[str, str]]] = {}
    """The titles of the parts by their ids, and what stands at the right of each."""

    def __init__(self, library: Library, entries: Sequence[Entry]) -> None:
        super().__init__()
        self.library = library
        self.chosen = tuple(entries)
        self.progress: float | None = None
        """How far it is found out what would be done; None when it is known."""

    # What each of them is

    @abstractmethod
    def options(self) -> list[Option]:
        """Return what can be chosen, as it is now."""

    @abstractmethod
    def find_out(self, watch: TaskProgress) -> Any:
        """Find out what would be done; this runs in a thread."""

    @abstractmethod
    def take(self, found: Any) -> None:
        """Take what was found out."""

    @abstractmethod
    def show(self) -> None:
        """Show what is known by now."""

    @abstractmethod
    def choose(self, option: Option, by: int) -> None:
        """Turn an option, or switch it."""

    @abstractmethod
    def typed(self, name: str, text: str) -> None:
        """Take what was typed for an option, or refuse it."""

    @abstractmethod
    def ask_of(self, option: Option) -> tuple[str, str]:
        """Return what a prompt says of an option that is typed, and what it starts with."""

    @abstractmethod
    def work(self, watch: TaskProgress) -> Done:
        """Do it; this runs in a thread."""

    @property
    @abstractmethod
    def deed(self) -> str:
        """Return what would be done in a few words; nothing where there is nothing to do."""

    @property
    def so_far_words(self) -> str:
        """Return how far finding out is, in words; nothing where the share of it says enough."""
        return ""

    # Laying out

    def compose(self) -> ComposeResult:
        """Lay out what is chosen and what it comes to at the left, one list at the right."""
        yield LineBox(id="bulk-head")
        with Horizontal(id="bulk-body"):
            with Vertical(id="bulk-left"):
                yield OptionList(id="options")
                yield TextPane(id="would")
            with Vertical(id="bulk-right"):
                yield HitList(id="hits", empty=self.EMPTY)
        yield Prompt()
        yield KeyFooter()

    def show_listed(self, source: LineSource, would: Callable[[int], list[Line]]) -> None:
        """Show the list, and what all of it comes to."""
        self.show_progress()
        self.query_one("#hits", HitList).show(source)
        self.query_one("#would", TextPane).show(would)
        for id, (title, about) in self.FRAMES.items():
            pane = self.query_one(f"#{id}")
            assert isinstance(pane, Framed)
            pane.frame(title, [Piece(about, "muted")] if about else [])
        self.refresh_bindings()

    # Options

    def on_mount(self) -> None:
        """Find out what would be done with what is chosen at first."""
        self.look()

    def show_options(self) -> None:
        """Show the options as they are now."""
        self.query_one("#options", OptionList).show(OptionSource(self.options()))

    @property
    def option(self) -> Option:
        """Return the option under the cursor."""
        rows = self.options()
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
            self.choose(option, by)
            self.look()
            return
        hint, value = self.ask_of(option)
        self.query_one(Prompt).ask(
            option.label,
            hint,
            partial(self._typed, option.name),
            verb="take it",
            value=value,
            takes_nothing=True,
        )

    def _typed(self, name: str, text: str) -> None:
        self.typed(name, text)
        self.look()

    # Looking

    def look(self) -> None:
        """Find out in a thread what would be done; what was being found out before is given up."""
        self.progress = 0.0
        self.show_options()
        self.show()
        self.background.run(
            "find out what would be done",
            self.find_out,
            self._take,
            failed=self._failed,
            progress=self._tell,
        )

    def _tell(self, done: float) -> None:
        self.progress = done
        self.show_progress()

    def show_progress(self) -> None:
        """Show in the head how far it is."""
        head = partial(
            bulk_head, self.HEAD, len(self.chosen), self.progress, so_far=self.so_far_words
        )
        self.query_one("#bulk-head", LineBox).show(head)

    def _take(self, found: Any) -> None:
        self.progress = None
        self.take(found)
        self.show_options()
        self.show()
        self.refresh_bindings()

    def _failed(self, sentence: str) -> None:
        self.progress = None
        notify(self, failed(sentence))
        self.show()

    # Doing

    def accepts_key(self, event: events.Event) -> bool:
        """Return whether an event may come now: choosing waits until it is known what there is."""
        is_doing = isinstance(event, events.Key) and event.key == "space"
        return super().accepts_key(event) and not (is_doing and self.progress is not None)

    @property
    def is_doing(self) -> bool:
        """Return whether it is being done."""
        return self.background.is_running(DO)

    def action_apply(self) -> None:
        """Do it in a thread, then leave with what came of it."""
        if self.progress is not None and not self.is_doing:
            # What has not been seen is not done: the key must be pressed again.
            notify(self, note("Not done yet: this is still being found out"))
            return
        if self.deed and self.progress is None and not self.is_doing:
            self.background.run(
                DO,
                lambda task: self.work(task.to_the_end),
                self.dismiss,
                failed=self._failed,
                progress=self._tell,
                holds_keys=True,
            )

    def action_leave(self) -> None:
        """Leave; nothing was changed."""
        if not self.is_doing:
            self.dismiss(None)

    def key_conditions(self) -> Conditions:
        """Return what can be done here, for the line of keys."""
        option = self.option
        return {
            "do": self.deed if self.progress is None else False,
            option.kind: True,
            "hit": True,
        }

    @property
    def commands(self) -> tuple[Command, ...]:
        """Return what the help tells of."""
        return (*BULK, *LISTS)

    def help_commands(self) -> Sequence[Command]:
        """Return the commands that the help explains."""
        return self.commands


# Duplicates: groups of sessions that are alike, and what becomes of the extra ones.

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

    def find_out(self, watch: TaskProgress) -> Duplicates:
        """Compare all sessions."""
        return look(self.library, self.chosen, self.likeness, watch)

    def take(self, found: Any) -> None:
        """Take the groups; what was left out was another group."""
        self.found = found
        self.left_out.clear()

    def work(self, watch: TaskProgress) -> Done:
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

    def key_conditions(self) -> Conditions:
        """Return what can be done here, for the line of keys."""
        return {**super().key_conditions(), "hit": bool(self.found.groups)}

    @property
    def commands(self) -> tuple[Command, ...]:
        """Return what the help tells of."""
        return (*super().commands, *LEAVING_OUT)


# Applying a recipe or a policy to many sessions: what each would come to, then one step.

HINT = "the path of a recipe or a policy, such as ~/recipes/trim.json"
FILE = "file"


class ApplyScreen(BulkScreen):
    """Lists recipes and policies; the one under the cursor is tried on every session."""

    HEAD = BulkHead("APPLY", "a recipe or a policy to", "trying")
    FRAMES: ClassVar[dict[str, tuple[str, str]]] = {
        "options": ("Recipes and policies", ""),
        "hits": ("Sessions", "before and after "),
        "would": ("What it would do", ""),
    }

    def __init__(self, library: Library, entries: Sequence[Entry]) -> None:
        super().__init__(library, entries)
        self.means = all_means()
        self.at = 0
        self.trials = Trials()
        self.left_out: set[str] = set()
        self._loaded: Recipe | Policy = ()

    def options(self) -> list[Option]:
        """Return the recipes and policies, and a row for any other file."""
        rows = [
            Option(
                str(at),
                means.file.name,
                "",
                "flag",
                "Policies" if means.is_policy else "Recipes",
                is_on=at == self.at,
            )
            for at, means in enumerate(self.means)
        ]
        return [*rows, Option(FILE, "another file", "", "typed", "Others")]

    def choose(self, option: Option, by: int) -> None:
        """Try another one."""
        self.at = int(option.name)

    def ask_of(self, option: Option) -> tuple[str, str]:
        """Return what to type."""
        return HINT, ""

    def typed(self, name: str, text: str) -> None:
        """Take a file, or refuse it."""
        if text.strip():
            self.means.append(means_at(read_path(text)))
            self.at = len(self.means) - 1

    @property
    def chosen_means(self) -> Means | None:
        """Return what would be applied."""
        return self.means[self.at] if self.means else None

    def find_out(self, watch: TaskProgress) -> tuple[Recipe | Policy, Trials]:
        """Try it on every session."""
        means = self.chosen_means
        if means is None:
            return (), Trials()
        loaded = means.load()
        return loaded, try_all(self.library, self.chosen, loaded, watch)

    def take(self, found: Any) -> None:
        """Take what came of it; what was left out was left out of something else."""
        self._loaded, self.trials = found
        self.left_out.clear()

    def work(self, watch: TaskProgress) -> Done:
        """Apply it to all that would change and are not left out."""
        means = self.chosen_means
        assert means is not None
        return apply_all(self.library, self._wanted, means, self._loaded, watch)

    @property
    def _wanted(self) -> list[Entry]:
        entries = (trial.entry for trial in self.trials.changing)
        return [entry for entry in entries if entry.id not in self.left_out]

    @property
    def deed(self) -> str:
        """Return how many sessions would be changed."""
        count = len(self._wanted)
        return f"change {count:,}" if count else ""

    def show(self) -> None:
        """Show every session before and after, and what it comes to."""
        sums = partial(sums_lines, self.trials, len(self.left_out))
        self.show_listed(TrialSource(self.trials.trials, self.left_out), sums)

    @on(LineList.Picked, "#hits")
    def _picked(self, event: LineList.Picked) -> None:
        trial = self.trials.trials[event.key]
        if trial.changes:
            self.left_out ^= {trial.entry.id}
            self.show()
        self.query_one("#hits", HitList).action_move(1)

    def key_conditions(self) -> Conditions:
        """Return what can be done here, for the line of keys."""
        return {**super().key_conditions(), "hit": bool(self.trials.changing)}

    @property
    def commands(self) -> tuple[Command, ...]:
        """Return what the help tells of."""
        return (*super().commands, *LEAVING_OUT)


# The export wizard: what a data set shall be, what would be written, and then writing it.

EXPORT_HINTS = {
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
        self.prospect = Prospect(DatasetPlan(self.wish.order, (), ()))

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
        yield KeyFooter()

    def options(self) -> list[Option]:
        """Return what can be chosen."""
        return self.wish.options(self.chosen)

    def choose(self, option: Option, by: int) -> None:
        """Turn something."""
        self.wish = self.wish.turned(option.name, by)

    def ask_of(self, option: Option) -> tuple[str, str]:
        """Return what to type, and what was typed before."""
        value = getattr(self.wish, option.name)
        return EXPORT_HINTS[option.name], "" if value is None else str(value)

    def typed(self, name: str, text: str) -> None:
        """Take what was typed."""
        self.wish = self.wish.typed(name, text)

    def find_out(self, watch: TaskProgress) -> Prospect:
        """Plan the data set."""
        return prospect_of(self.library, self.chosen, self.wish, watch)

    def take(self, found: Any) -> None:
        """Take the plan."""
        self.prospect = found

    def work(self, watch: TaskProgress) -> Done:
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


# Find and replace in many sessions: every hit before and after, then all of it as one step.

REPLACE_HINTS = {
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
        yield KeyFooter()

    # What is chosen

    def options(self) -> list[Option]:
        """Return what is looked for, with how often each was found."""
        return self.wanted.options(self.choosing.run.counts)

    def choose(self, option: Option, by: int) -> None:
        """Look for something or not, in a role or not."""
        self.wanted = self.wanted.turned(option.name)

    def ask_of(self, option: Option) -> tuple[str, str]:
        """Return what to type, and what was typed before."""
        return REPLACE_HINTS[option.name], getattr(self.wanted, option.name)

    def typed(self, name: str, text: str) -> None:
        """Take words, an expression, or what stands in their place."""
        self.wanted = self.wanted.typed(name, text)

    # Looking and doing

    def find_out(self, watch: TaskProgress) -> DryRun:
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

    def work(self, watch: TaskProgress) -> Done:
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

    def key_conditions(self) -> Conditions:
        """Return what can be done here, for the line of keys."""
        return {**super().key_conditions(), "hit": bool(self.choosing.run.touched)}

    @property
    def commands(self) -> tuple[Command, ...]:
        """Return what the help tells of."""
        return (*super().commands, *LEAVING_OUT)
