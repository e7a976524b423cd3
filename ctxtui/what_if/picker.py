"""The picker of recipes and policies to compare."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from textual.app import ComposeResult

from ctxtui.files.policies import (
    PolicyFile,
    find_policy,
    list_policies,
    list_recipes,
    load_recipe_or_policy,
)
from ctxtui.text.icons import ERROR, PASSED
from ctxtui.text.line_source import NumberedSource
from ctxtui.text.lines import Line, Piece, fit
from ctxtui.text.toast import sentence_of
from ctxtui.what_if.drawing.words import strategy_text
from ctxtui.what_if.models.comparison import loaded_from
from ctxtui.widgets.picker import Picker
from ctxtui.widgets.prompt import Later, Prompt


class StrategyFileSource(NumberedSource):
    """The files that can be added, and last a way to name any other file."""

    def __init__(
        self, files: Sequence[PolicyFile], abouts: Mapping[Path, str], shown: Collection[Path]
    ) -> None:
        self._files, self._abouts, self._shown = files, abouts, shown

    def __len__(self) -> int:
        return len(self._files) + 1

    def line(self, at: int, width: int) -> Line:
        if at == len(self._files):
            return [Piece("  "), Piece("another file …", "bright")]
        file = self._files[at]
        is_shown = file.path in self._shown
        name = max(16, min(32, width // 3))
        return [
            PASSED.piece() if is_shown else Piece("  "),
            Piece(fit(file.name[:80], name), "muted" if is_shown else "bright"),
            Piece(f" {file.origin:<10}", "muted"),
            Piece(self._abouts.get(file.path, "…"), "faint"),
        ]


class StrategyPicker(Picker[PolicyFile]):
    """Lets a recipe or policy be picked; the last line asks for the path of another one."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012 - Textual's own
    title_text = "Add a strategy"
    noun, verb = "strategy", "add it"

    def __init__(self, shown: Collection[Path]) -> None:
        self.files = [*list_recipes(), *list_policies()]
        self._shown = shown
        super().__init__(StrategyFileSource(self.files, {}, shown), self.files)

    def compose(self) -> ComposeResult:
        yield from super().compose()
        yield Prompt()

    def on_mount(self) -> None:
        self.background.run("read the strategy files", lambda _: self._read(), self._fill)

    def _fill(self, abouts: dict[Path, str]) -> None:
        self.picks.show(StrategyFileSource(self.files, abouts, self._shown))

    def _read(self) -> dict[Path, str]:
        abouts = {}
        for file in self.files:
            try:
                abouts[file.path] = strategy_text(loaded_from(file))
            except Exception as problem:
                abouts[file.path] = ERROR.text(sentence_of(problem))
        return abouts

    def pick(self, at: int) -> None:
        if at < len(self.files):
            super().pick(at)
        else:
            self.query_one(Prompt).ask(
                "strategy",
                "the path of a recipe or policy, or preset:lc-trim?max=8000",
                self._take,
                verb="add it",
            )

    def _take(self, text: str) -> Later:
        """Read a file before it is picked, so that the prompt can say what is wrong with it."""
        file = find_policy(text)
        return Later(lambda _: load_recipe_or_policy(file.path), lambda _: self.dismiss(file))
