"""The lint view: whose rules, what is wrong, why, and what each repair would do."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from textual.app import ComposeResult
from textual.containers import Container, Vertical

from ctxtui.background import BackgroundTask, background_of
from ctxtui.commands import Facts
from ctxtui.core import Finding, Refused
from ctxtui.core.engine.settings import PROFILES
from ctxtui.core.what_if import Outcome, WhatIf
from ctxtui.lists.lint import LintSource
from ctxtui.models.causes import helping, in_words
from ctxtui.models.error_counts import ErrorCounts
from ctxtui.models.error_history import error_history
from ctxtui.models.look import Look
from ctxtui.models.profile_counts import ProfileCount, count_profiles
from ctxtui.render.lint.repairs import ABOUT, REPAIRS, Repairs, repair_lines
from ctxtui.render.lint.why import cause_lines, why_lines
from ctxtui.render.status import unlinted
from ctxtui.render.text.lines import Line, Piece
from ctxtui.render.text.sections import stacked_up
from ctxtui.render.text.severity import ERROR, PASSED, WARNING
from ctxtui.widgets.choice_bar import ChoiceBar
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.text_pane import TextPane

HIGH_ROWS = 30
WIDE_CELLS = 100
"""Rows and cells from which on findings, their cause and the repairs have panes of their own."""
PROFILE = "profile"


class LintView(Vertical):
    """Shows the findings of a look by the rules of its profile; all work is done in threads."""

    def __init__(self) -> None:
        super().__init__(id="lint-view")
        self._look: Look | None = None
        self._counts: ErrorCounts | None = None
        self._repairs: Repairs = {}
        self._is_low = self._is_narrow = False

    def compose(self) -> ComposeResult:
        """Lay out profiles, findings, one of them in full, and its repairs."""
        yield ChoiceBar({PROFILE: PROFILES}, id="profiles")
        with Container(id="lint-panes"):
            yield LineList(id="lint", empty=PASSED.text("Every rule passes."))
            yield TextPane(id="finding")
            yield TextPane(id="repairs")

    def on_resize(self) -> None:
        """Put the repairs below their finding where there is no room for a pane of their own."""
        low, narrow = self.size.height < HIGH_ROWS, self.size.width < WIDE_CELLS
        self.set_class(low or narrow, "-small")
        self.set_class(narrow, "-stacked")
        if (low, narrow) != (self._is_low, self._is_narrow):
            self._is_low, self._is_narrow = low, narrow
            self._fill()

    def show(self, look: Look, counts: ErrorCounts | None) -> None:
        """Show another look; ``counts`` has the errors of the batches before."""
        self._look, self._counts = look, counts
        self._repairs = {}
        bar = self.query_one(ChoiceBar)
        bar.choose(PROFILE, look.conversation.settings.profile)
        for profile in PROFILES:
            bar.note(PROFILE, profile, [Piece("…", "faint")])
        background = background_of(self)
        background.run(
            "count the findings of every profile",
            partial(self._count_profiles, look),
            failed=partial(self._uncounted, look),
        )
        if look.is_live and any(finding.repairs for finding in look.findings):
            background.run(
                "try the repairs",
                partial(self._try_repairs, look),
                failed=partial(self._untried, look),
            )
        self._fill()

    def _fill(self) -> None:
        look = self._look
        if look is None:
            return
        lint = self.query_one("#lint", LineList)
        counts = _count_pieces(ProfileCount(look.errors, look.warnings)) if look.findings else []
        lint.frame("Findings", counts, self._place)
        lint.empty = PASSED.text("Every rule passes.") if look.is_linted else unlinted(look).text
        lint.show(LintSource(look, is_low=self._is_low))
        self.show_finding()

    # Behind the scenes

    def _count_profiles(self, look: Look, task: BackgroundTask) -> None:
        """Count what each profile finds."""
        count_profiles(look.state, partial(task.show, self._counted, look), task.is_wanted)

    def _counted(self, look: Look, profile: str, count: ProfileCount) -> None:
        if look is self._look:
            self.query_one(ChoiceBar).note(PROFILE, profile, _count_pieces(count))

    def _uncounted(self, look: Look, sentence: str) -> None:
        if look is self._look:
            for profile in PROFILES:
                self.query_one(ChoiceBar).note(PROFILE, profile, [])
        background_of(self).complain(sentence)

    def _try_repairs(self, look: Look, task: BackgroundTask) -> None:
        """Find out what each repair would do, once for all findings."""
        what_if = WhatIf(look.conversation.copy())
        for policy in REPAIRS:
            try:
                found: Outcome | str = what_if.outcome({"operation": "REPAIR", "policy": policy})
            except Refused as refusal:
                found = str(refusal)
            task.show(self._tried, look, policy, found)

    def _tried(self, look: Look, policy: str, outcome: Outcome | str) -> None:
        if look is self._look:
            self._repairs = {**self._repairs, policy: outcome}
            self.show_finding()

    def _untried(self, look: Look, sentence: str) -> None:
        for policy in REPAIRS:
            if policy not in self._repairs:
                self._tried(look, policy, sentence)
        background_of(self).complain(sentence)

    # The finding under the cursor

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
        repairs = {name: look.is_live and name in helping(finding) for name in REPAIRS}
        return {"finding": True, **repairs}

    def go_to(self, raw: int) -> None:
        """Put the cursor on the worst finding about a message, if there is one."""
        findings = [] if self._look is None else self._look.findings
        about = [(one.severity, at) for at, one in enumerate(findings) if one.raw_index == raw]
        if about:
            self.query_one("#lint", LineList).go_to(min(about)[1])
            self.show_finding()

    def show_finding(self) -> None:
        """Show what is known of the finding under the cursor."""
        look, finding = self._look, self.finding
        why, repairs = self.query_one("#finding", TextPane), self.query_one("#repairs", TextPane)
        about = [] if finding is None else [Piece(in_words(finding), "faint")]
        why.frame("Why", about)
        repairs.frame("Repairs", [Piece(ABOUT, "faint")])
        self.query_one("#lint", LineList).draw_frame()
        self.refresh_bindings()
        if look is None or finding is None:
            why.show(lambda _: [])
            repairs.show(lambda _: [])
            return
        why.show(lambda width: self._why(look, finding, width), top=False)
        repairs.show(lambda width: repair_lines(look, finding, self._repairs, width), top=False)

    def _place(self) -> Line:
        """Return which finding the cursor is on, of how many."""
        found = 0 if self._look is None else len(self._look.findings)
        at = self.query_one("#lint", LineList).cursor + 1
        return [Piece(f"{at:,} of {found:,}", "muted")] if found else []

    def _why(self, look: Look, finding: Finding, width: int) -> Sequence[Line]:
        counts = self._counts
        history = [] if counts is None else error_history(look, counts)
        is_small = self._is_low or self._is_narrow
        why = why_lines(look, finding, width, is_tight=is_small)
        cause = cause_lines(look, finding, history, width)
        if not is_small:
            return stacked_up(why, cause)
        return stacked_up(why, repair_lines(look, finding, self._repairs, width), cause)


def _count_pieces(count: ProfileCount) -> Line:
    """Return errors and warnings as they stand behind the name of a profile."""
    if not any(count):
        return [Piece(PASSED.glyph, PASSED.kind)]
    pieces = []
    if count.errors:
        pieces.append(Piece(f"{ERROR.glyph}{count.errors:,}", ERROR.kind))
    if count.warnings:
        space = " " if count.errors else ""
        pieces.append(Piece(f"{space}{WARNING.glyph}{count.warnings:,}", WARNING.kind))
    return pieces
