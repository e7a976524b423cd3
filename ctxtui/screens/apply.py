"""Applying a recipe or a policy to many sessions: what each would come to, then one step."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar

from textual import on

from ctxtui.commands import LEAVING_OUT, Command, Facts
from ctxtui.core.policies import Policy
from ctxtui.core.recipes import Recipe
from ctxtui.core.storage import Entry, Library
from ctxtui.files.paths import read_path
from ctxtui.lists.session_trials import TrialSource
from ctxtui.models.applying import Means, Trials, all_means, apply_all, means_at, try_all
from ctxtui.models.library_steps import Done
from ctxtui.models.option import Option
from ctxtui.progress import Watch
from ctxtui.render.bulk import BulkHead
from ctxtui.render.session_trial import sums_lines
from ctxtui.screens.bulk import BulkScreen, HitList
from ctxtui.widgets.line_list import LineList

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

    def find_out(self, watch: Watch) -> tuple[Recipe | Policy, Trials]:
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

    def work(self, watch: Watch) -> Done:
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

    def key_facts(self) -> Facts:
        """Return what can be done here, for the line of keys."""
        return {**super().key_facts(), "hit": bool(self.trials.changing)}

    @property
    def commands(self) -> tuple[Command, ...]:
        """Return what the help tells of."""
        return (*super().commands, *LEAVING_OUT)
