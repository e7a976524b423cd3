"""The list of recipes to add to a comparison, and the line that asks for the path of another."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType

from ctxtui.commands.dialogs import PICKER
from ctxtui.files.policies import (
    PolicyFile,
    RecipeFile,
    find_policy,
    find_recipe,
    list_policies,
    list_recipes,
    load_policy,
    load_recipe,
)
from ctxtui.text.icons import ERROR
from ctxtui.text.symbols import printable
from ctxtui.text.toast import sentence_of
from ctxtui.what_if.drawing.recipes import SENTENCE_CHARACTERS, recipe_told
from ctxtui.what_if.lists import RecipeSource
from ctxtui.widgets.base_screen import ModalBase
from ctxtui.widgets.footer import KeyFooter
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.prompt import Later, Prompt


class RecipePicker(ModalBase[RecipeFile | None]):
    """Lists the recipes there are; the last line asks for the path of another one."""

    AUTO_FOCUS = "#picks"
    BINDINGS: ClassVar[list[BindingType]] = [command.binding() for command in PICKER]
    CSS_PATH = "what_if.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012 - Textual's own
    noun = "recipe"

    def __init__(self, shown: Collection[Path]) -> None:
        super().__init__()
        self.files = self.list_files()
        self._shown = shown

    def list_files(self) -> list[RecipeFile]:
        """Return the recipes there are."""
        return list_recipes()

    def find_file(self, text: str) -> RecipeFile:
        """Return the recipe at a path."""
        return find_recipe(text)

    def about(self, path: Path) -> str:
        """Return what a recipe does, or refuse a file that holds none."""
        return recipe_told(load_recipe(path))

    def compose(self) -> ComposeResult:
        """Lay out the list, and the line that asks."""
        yield LineList(id="picks")
        yield Prompt()
        yield KeyFooter()

    def on_mount(self) -> None:
        """Show the recipes, and then what each of them does."""
        picks = self.query_one("#picks", LineList)
        picks.border_title = f"Add a {self.noun}"
        self._fill({})
        self.background.run(f"read the {self.noun} files", lambda _: self._read(), self._fill)

    def _fill(self, abouts: dict[Path, str]) -> None:
        self.query_one("#picks", LineList).show(RecipeSource(self.files, abouts, self._shown))

    def _read(self) -> dict[Path, str]:
        abouts = {}
        for file in self.files:
            try:
                abouts[file.path] = self.about(file.path)
            except Exception as problem:
                abouts[file.path] = ERROR.text(printable(sentence_of(problem)))
        return abouts

    @on(LineList.Opened)
    def _opened(self, event: LineList.Opened) -> None:
        if event.key < len(self.files):
            self.dismiss(self.files[event.key])
        else:
            hint = f"the path of a {self.noun}, such as ~/window.json"
            self.query_one(Prompt).ask(self.noun, hint, self._take, verb="add it")

    def _take(self, text: str) -> Later:
        """Read a file before it is taken, so that a mistyped path is said here."""
        file = self.find_file(text)
        return Later(lambda _: self.about(file.path), lambda _: self.dismiss(file))


# The list of policies to add to a comparison, and the line that asks for the path of another.


class PolicyPicker(RecipePicker):
    """Lists the policies there are; the last line asks for the path of another one."""

    noun = "policy"

    def list_files(self) -> list[PolicyFile]:
        """Return the policies there are."""
        return list_policies()

    def find_file(self, text: str) -> PolicyFile:
        """Return the policy at a path."""
        return find_policy(text)

    def about(self, path: Path) -> str:
        """Return what a policy does."""
        return printable(load_policy(path).in_words(), SENTENCE_CHARACTERS)
