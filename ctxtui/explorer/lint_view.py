"""The lint view: whose rules, what is wrong, why, and what each repair would do."""

from __future__ import annotations

from functools import partial

from textual.app import ComposeResult
from textual.containers import Vertical

from core.settings import PROFILES
from ctxtui.lists.lint import LintSource
from ctxtui.look import Look
from ctxtui.render.finding import finding_lines
from ctxtui.widgets.choice_bar import ChoiceBar
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.text_pane import TextPane


class LintView(Vertical):
    """Shows the findings of a look by the rules of its profile."""

    def __init__(self) -> None:
        super().__init__(id="lint-view")
        self._look: Look | None = None

    def compose(self) -> ComposeResult:
        """Lay out profiles, findings and one finding."""
        yield ChoiceBar({"profile": PROFILES}, id="profiles")
        yield LineList(id="lint", empty="✓ Every rule passes.")
        yield TextPane(id="finding")

    def show(self, look: Look) -> None:
        """Show another look."""
        self._look = look
        profile = look.conversation.settings.profile
        self.query_one(ChoiceBar).choose("profile", profile)
        lint = self.query_one("#lint", LineList)
        lint.border_title = "Lint"
        count = len(look.findings)
        lint.border_subtitle = "1 finding" if count == 1 else f"{count} findings"
        lint.show(LintSource(look))
        self.show_finding()

    def show_finding(self) -> None:
        """Show what is known of the finding under the cursor."""
        look, pane = self._look, self.query_one("#finding", TextPane)
        key = self.query_one("#lint", LineList).key
        pane.border_title = "Finding"
        if look is None or key is None or key >= len(look.findings):
            pane.show(lambda _: [])
        else:
            pane.show(partial(finding_lines, look, look.findings[key]))
