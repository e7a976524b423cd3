"""The lint view: whose rules, what is wrong, why, and what each repair would do."""

from __future__ import annotations

from functools import partial

from textual import work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.worker import get_current_worker

from core import Finding, Refused
from core.settings import PROFILES
from core.what_if import Outcome, WhatIf
from ctxtui.commands import Facts
from ctxtui.lists.lint import LintSource
from ctxtui.models.look import Look
from ctxtui.render.finding import REPAIRS, Repairs, finding_lines
from ctxtui.render.text.severity import PASSED
from ctxtui.threads import from_thread
from ctxtui.widgets.choice_bar import ChoiceBar
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.text_pane import TextPane
from ctxtui.words import plural


class LintView(Vertical):
    """Shows the findings of a look by the rules of its profile."""

    def __init__(self) -> None:
        super().__init__(id="lint-view")
        self._look: Look | None = None
        self._repairs: Repairs = {}

    def compose(self) -> ComposeResult:
        """Lay out profiles, findings and one finding."""
        yield ChoiceBar({"profile": PROFILES}, id="profiles")
        yield LineList(id="lint", empty=PASSED.text("Every rule passes."))
        yield TextPane(id="finding")

    def show(self, look: Look) -> None:
        """Show another look."""
        self._look = look
        profile = look.conversation.settings.profile
        self.query_one(ChoiceBar).choose("profile", profile)
        lint = self.query_one("#lint", LineList)
        lint.border_title = "Lint"
        lint.border_subtitle = plural(len(look.findings), "finding")
        lint.show(LintSource(look))
        self._repairs = {}
        if look.is_live and any(finding.repairs for finding in look.findings):
            self._try_repairs(look)
        self.show_finding()

    @work(thread=True, exclusive=True, group="repairs")
    def _try_repairs(self, look: Look) -> None:
        """Find out what each repair would do, once for all findings and behind the scenes."""
        worker = get_current_worker()
        what_if = WhatIf(look.conversation.copy())
        for policy in REPAIRS:
            try:
                found: Outcome | str = what_if.outcome({"operation": "REPAIR", "policy": policy})
            except Refused as refusal:
                found = str(refusal)
            if worker.is_cancelled:
                return
            from_thread(self, self._tried, look, policy, found)

    def _tried(self, look: Look, policy: str, outcome: Outcome | str) -> None:
        if look is self._look:
            self._repairs = {**self._repairs, policy: outcome}
            self.show_finding()

    @property
    def finding(self) -> Finding | None:
        """Return the finding under the cursor."""
        key = self.query_one("#lint", LineList).key
        found = [] if self._look is None else self._look.findings
        return found[key] if key is not None and key < len(found) else None

    def key_facts(self) -> Facts:
        """Return which repairs help the finding under the cursor, for the line of keys."""
        finding, look = self.finding, self._look
        if finding is None or look is None:
            return {"restore": False, "drop": False, "stub": False}
        repairs = {name: look.is_live and name in finding.repairs for name in REPAIRS}
        return {"finding": True, **repairs}

    def show_finding(self) -> None:
        """Show what is known of the finding under the cursor."""
        look, pane, finding = self._look, self.query_one("#finding", TextPane), self.finding
        pane.border_title = "Finding"
        self.refresh_bindings()
        if look is None or finding is None:
            pane.show(lambda _: [])
            return
        told = look.cause(finding)
        pane.show(partial(finding_lines, look, finding, told, self._repairs), top=False)
