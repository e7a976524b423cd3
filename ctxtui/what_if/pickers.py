"""Pickers of recipes and policies to compare."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from textual.app import ComposeResult

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
from ctxtui.text.toast import sentence_of
from ctxtui.what_if.drawing.recipes import SENTENCE_CHARACTERS, recipe_told
from ctxtui.what_if.lists import RecipeSource
from ctxtui.widgets.picker import Picker
from ctxtui.widgets.prompt import Later, Prompt


class RecipePicker(Picker[RecipeFile]):
    """Lets a recipe be picked; the last line asks for the path of another one."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012 - Textual's own
    noun, verb = "recipe", "add it"

    def __init__(self, shown: Collection[Path]) -> None:
        self.files = self.list_files()
        self._shown = shown
        self.title_text = f"Add a {self.noun}"
        super().__init__(RecipeSource(self.files, {}, shown), self.files)

    def list_files(self) -> list[RecipeFile]:
        """Return the recipes that are saved."""
        return list_recipes()

    def find_file(self, text: str) -> RecipeFile:
        """Return the recipe at a path."""
        return find_recipe(text)

    def about(self, path: Path) -> str:
        """Return what a recipe does, or refuse a file that holds none."""
        return recipe_told(load_recipe(path))

    def compose(self) -> ComposeResult:
        yield from super().compose()
        yield Prompt()

    def on_mount(self) -> None:
        """Read in a thread what each file does."""
        self.background.run(f"read the {self.noun} files", lambda _: self._read(), self._fill)

    def _fill(self, abouts: dict[Path, str]) -> None:
        self.picks.show(RecipeSource(self.files, abouts, self._shown))

    def _read(self) -> dict[Path, str]:
        abouts = {}
        for file in self.files:
            try:
                abouts[file.path] = self.about(file.path)
            except Exception as problem:
                abouts[file.path] = ERROR.text(sentence_of(problem))
        return abouts

    def pick(self, at: int) -> None:
        if at < len(self.files):
            super().pick(at)
        else:
            hint = f"the path of a {self.noun}, such as ~/window.json"
            self.query_one(Prompt).ask(self.noun, hint, self._take, verb="add it")

    def _take(self, text: str) -> Later:
        """Read a file before it is picked, so that the prompt can say what is wrong with it."""
        file = self.find_file(text)
        return Later(lambda _: self.about(file.path), lambda _: self.dismiss(file))


class PolicyPicker(RecipePicker):
    """Lets a policy be picked; the last line asks for the path of another one."""

    noun = "policy"

    def list_files(self) -> list[PolicyFile]:
        return list_policies()

    def find_file(self, text: str) -> PolicyFile:
        return find_policy(text)

    def about(self, path: Path) -> str:
        return load_policy(path).in_words()[:SENTENCE_CHARACTERS]
