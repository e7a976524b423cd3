"""The views of a conversation, one at a time: the panes, roles, mark map, journal, tokens, lint."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.containers import Container as containers_Container
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widget import Widget
from textual.widgets import ContentSwitcher

from ctxtui.background import BackgroundTask, background_of
from ctxtui.commands.command import Conditions
from ctxtui.core import Finding, Refused
from ctxtui.core.engine.meta_fields import other_fields
from ctxtui.core.engine.settings import PROFILES
from ctxtui.core.values.models import ROLES
from ctxtui.inspector.drawing.head import unlinted
from ctxtui.inspector.drawing.lint import (
    ABOUT,
    REPAIRS,
    LintSource,
    Repairs,
    cause_lines,
    repair_lines,
    why_lines,
)
from ctxtui.inspector.drawing.roles import RoleSource
from ctxtui.inspector.head import TabBar
from ctxtui.inspector.models.links import helping, in_words
from ctxtui.inspector.models.lint import ErrorCounts, ProfileCount, count_profiles, error_history
from ctxtui.inspector.models.look import Look
from ctxtui.inspector.models.roles import KINDS, RoleFilter, RoleMessages
from ctxtui.inspector.models.workspace import Selection
from ctxtui.inspector.panes import Panes
from ctxtui.inspector.text_view import TextView
from ctxtui.text.icons import ERROR, PASSED, WARNING
from ctxtui.text.lines import Line, Piece, stacked_up
from ctxtui.text.message import GLYPHS
from ctxtui.widgets.choices import ChoiceBar
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.panes import TextPane

if TYPE_CHECKING:
    from ctxtui.calls.models.seen import SeenLook
    from ctxtui.core.engine.text_search import TextFinder
    from ctxtui.core.what_if import WhatIfOutcome

# The mark map, the state with its batch snapshots, and the other fields, one at a time.

ARRAYS, SNAPSHOTS, FIELDS = "index-arrays", "snapshots", "other-fields"


class ArraysView(ContentSwitcher):
    """Shows a look as the source documents would have it: as index arrays, or as snapshots.

    What the file had in addition to its messages is a third side.
    """

    def __init__(self) -> None:
        super().__init__(id="markmap", initial=ARRAYS)
        self._look: Look | None = None

    def compose(self) -> ComposeResult:
        yield TextPane(id=ARRAYS)
        yield LineList(id=SNAPSHOTS)
        yield TextPane(id=FIELDS)

    @property
    def shows_arrays(self) -> bool:
        return self.current == ARRAYS

    @property
    def front(self) -> Widget:
        return self.query_one(f"#{self.current or ARRAYS}")

    def show(self, look: Look) -> None:
        from ctxtui.inspector.drawing.mark_map import SnapshotSource, field_lines, mark_map_lines

        self._look = look
        if self.current == SNAPSHOTS:
            snapshots = self.query_one(f"#{SNAPSHOTS}", LineList)
            snapshots.frame("State", [Piece("a snapshot for each batch of the path", "faint")])
            number = look.batch.number
            snapshots.show(SnapshotSource(look), opened=(number,))
            snapshots.go_to(number)
        elif self.current == FIELDS:
            fields = other_fields(look.conversation.meta)
            pane = self.query_one(f"#{FIELDS}", TextPane)
            pane.frame("Other fields", [Piece("fields of the file other than messages", "faint")])
            pane.show(partial(field_lines, fields))
        else:
            arrays = self.query_one(f"#{ARRAYS}", TextPane)
            arrays.frame("Mark map", [Piece("the index arrays, before and now", "faint")])
            arrays.show(partial(mark_map_lines, look))

    def turn_over(self) -> None:
        self.turn_to(SNAPSHOTS if self.current == ARRAYS else ARRAYS)

    def turn_to(self, side: str, finder: TextFinder | None = None) -> None:
        """Show one side; in the other fields what was searched for is lit."""
        self.current = side
        self.query_one(f"#{FIELDS}", TextPane).finder = finder
        if self._look is not None:
            self.show(self._look)


# The roles view: a column for each chosen role, or one for all of them together.

COLUMNS, TOGETHER = "columns", "together"
CHOICES = {
    "scope": ("visible", "raw"),
    "show": KINDS,
    "roles": tuple(ROLES),
    "as": (COLUMNS, TOGETHER),
}
OTHERS = "← → other roles"
COLUMN_CELLS = 24
"""Cells a column needs; where there are fewer, one has them all."""


class RoleColumn(LineList):
    """A list of what roles said; left and right go to the columns next to it."""

    @dataclass
    class Left(Message):
        """The column next to this one is wanted."""

        column: RoleColumn
        by: int

    def action_fold(self, is_open: bool) -> None:
        self.post_message(self.Left(self, 1 if is_open else -1))


class RolesView(Vertical):
    """Shows what each role said; the filter is asked once for each column."""

    def __init__(self) -> None:
        super().__init__(id="roles")
        self.filter = RoleFilter()
        self._look: Look | None = None
        self._active = "user"
        """The role whose column is in front, where only one is."""

    def mount_parts(self) -> None:
        columns = Horizontal(id="role-columns")
        self.mount(ChoiceBar(CHOICES, id="role-choices", many=("roles",)), columns)
        names = (*ROLES, TOGETHER)
        columns.mount(
            *(RoleColumn(id=f"role-{name}", empty="None.", is_quiet=True) for name in names)
        )

    # What is shown

    def show(self, look: Look, finder: TextFinder | None, noted: Container[int] = ()) -> None:
        self._look = look
        bar = self.query_one(ChoiceBar)
        for role in ROLES:
            count = look.role_counts[role]
            bar.note("roles", role, [Piece(f"{count:,}", role if count else "faint")])
        for roles in self.filter.columns:
            column = self._column(self._column_name(roles))
            found = RoleMessages(look, roles, self.filter)
            source = RoleSource(found, noted)
            source.finder = finder
            column.show(source)
            hidden = f"{len(found.hidden):,}" if found.hidden else "none"
            about = f"{hidden} hidden" if found.is_all else f"{len(found.listed):,} shown"
            column.frame(
                self._title(roles),
                [Piece(about, "muted")],
                lambda: [Piece(OTHERS, "muted")] if self._is_narrow else [],
            )
        self._lay_out()

    @property
    def _is_narrow(self) -> bool:
        """Return whether the columns would be too narrow side by side."""
        width = self.size.width or self.screen.size.width  # Before it is laid out.
        return width < COLUMN_CELLS * len(self.filter.columns)

    def _title(self, roles: tuple[str, ...]) -> str:
        if len(roles) == 1:
            return f"{GLYPHS[roles[0]]} {roles[0]}"
        return " ".join(GLYPHS[role] for role in roles) + " in the order they are sent"

    def _column_name(self, roles: tuple[str, ...]) -> str:
        return TOGETHER if self.filter.is_together else roles[0]

    def _column(self, name: str) -> RoleColumn:
        return self.query_one(f"#role-{name}", RoleColumn)

    def choose(self, chosen: RoleFilter) -> None:
        """Ask another question; the caller fills the view again."""
        self.filter = chosen
        bar = self.query_one(ChoiceBar)
        bar.choose("scope", chosen.scope)
        bar.choose("show", chosen.kind)
        for kind in KINDS:
            said = chosen.text if kind == chosen.kind else ""
            bar.note("show", kind, [Piece(said, "bright")] if said else [])
        bar.choose("roles", *chosen.roles)
        bar.choose("as", TOGETHER if chosen.is_together else COLUMNS)

    # Columns

    def on_resize(self) -> None:
        self._lay_out()

    def _lay_out(self) -> None:
        """Show the chosen columns; where they would be too narrow, only the one in front."""
        names = [self._column_name(roles) for roles in self.filter.columns]
        if self._active not in names:
            self._active = names[0]
        for name in (*ROLES, TOGETHER):
            column = self._column(name)
            column.display = name in names and (not self._is_narrow or name == self._active)
            column.draw_frame()

    def column_of(self, raw: int | None) -> RoleColumn:
        """Return the column to go to, with the cursor on a message if that is in one."""
        if self._look is not None and raw is not None and raw < self._look.log_size:
            role = self._look.state.log[raw].role
            if role in self.filter.roles:
                self._active = TOGETHER if self.filter.is_together else role
        self._lay_out()
        column = self._column(self._active)
        if raw is not None:
            column.go_to(raw)
        return column

    def key_conditions(self) -> Conditions:
        return {"columns": len(self.filter.columns) > 1}

    @on(RoleColumn.Left)
    def _beside(self, event: RoleColumn.Left) -> None:
        names = [self._column_name(roles) for roles in self.filter.columns]
        here = (event.column.id or "").removeprefix("role-")
        at = names.index(here) + event.by if here in names else 0
        if 0 <= at < len(names):
            self._active = names[at]
            self._lay_out()
            self._column(self._active).focus()


# The lint view: whose rules, what is wrong, why, and what each repair would do.

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

    def mount_parts(self) -> None:
        panes = containers_Container(id="lint-panes")
        self.mount(ChoiceBar({PROFILE: PROFILES}, id="profiles"), panes)
        lint = LineList(id="lint", empty=PASSED.text("Every rule passes."))
        panes.mount(lint, TextPane(id="finding"), TextPane(id="repairs"))

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
        from ctxtui.core.what_if import WhatIf

        what_if = WhatIf(look.conversation.copy())
        for policy in REPAIRS:
            try:
                found: WhatIfOutcome | str = what_if.outcome(
                    {"operation": "REPAIR", "policy": policy}
                )
            except Refused as refusal:
                found = str(refusal)
            task.show(self._tried, look, policy, found)

    def _tried(self, look: Look, policy: str, outcome: WhatIfOutcome | str) -> None:
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
        key = self.query_one("#lint", LineList).key
        found = [] if self._look is None else self._look.findings
        return found[key] if key is not None and key < len(found) else None

    def key_conditions(self) -> Conditions:
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
    if not any(count):
        return [Piece(PASSED.glyph, PASSED.kind)]
    pieces = []
    if count.errors:
        pieces.append(Piece(f"{ERROR.glyph}{count.errors:,}", ERROR.kind))
    if count.warnings:
        space = " " if count.errors else ""
        pieces.append(Piece(f"{space}{WARNING.glyph}{count.warnings:,}", WARNING.kind))
    return pieces


class Views(ContentSwitcher):
    """Shows one view of a look at a time; fills only the one that is in sight."""

    def __init__(self, selection: Selection) -> None:
        from ctxtui.inspector.player import PlayerView

        super().__init__(id="views", initial="inspector")
        self.look: Look | None = None
        self.seen: SeenLook | None = None
        """What the model saw of the newest call, while that is shown of tokens and lint."""
        self.panes = Panes(selection)
        self.roles = RolesView()
        self.arrays = ArraysView()
        self.player = PlayerView()
        self.lint = LintView()
        self.text = TextView()
        self._filled: set[str] = set()
        later = (self.text, self.roles, self.player, TextPane(id="tokens"), self.lint)
        self._later: dict[str | None, Widget] = {view.id: view for view in later}
        """The views that were not shown yet: they are mounted when they are."""

    def compose(self) -> ComposeResult:
        yield self.panes
        yield self.arrays

    def show(self, look: Look) -> None:
        """Show another look in the view that is in sight; the others follow when they are."""
        self.look = look
        self._find_seen(look)
        self._filled.clear()
        self.panes.show(look)
        self.turn_to(self.current or "inspector")

    def _find_seen(self, look: Look) -> None:
        """Find out what the model saw, if that is wanted; where calls must be read, in a thread."""
        from ctxtui.calls.models.call import knows_seen, read_seen
        from ctxtui.calls.models.seen import seen_look

        conversation, self.seen = look.conversation, None
        if self.app.has_class("-seen") and look.calls:
            if knows_seen(conversation):
                self.seen = seen_look(look)
            else:
                background_of(self).run(
                    "read what was seen",
                    lambda _: read_seen(conversation),
                    lambda _: self.read_again(),
                )
        chip = [] if self.seen is None else [Piece(" as seen ", "chip"), Piece(" ")]
        for bar in self.screen.query(TabBar):
            bar.reading = chip

    def read_again(self) -> None:
        """Show tokens and lint as they were sent, or as the model saw them."""
        if self.look is not None:
            self._find_seen(self.look)
        for view in ("tokens", "lint-view"):
            self.refill(view)

    def turn_to(self, view: str) -> None:
        later = self._later.pop(view, None)
        if later is not None:
            self.mount(later)  # With its parts at once: the next line fills them.
        if later is self.roles or later is self.player or later is self.lint:
            later.mount_parts()
        if self.look is not None and view not in self._filled:
            self._filled.add(view)
            self._fill(view, self.look)
        self.current = view

    def entrance(self, view: str, pane: str, raw: int | None) -> Widget:
        """Return what has the focus when a view is gone to: a pane, or a part of the view."""
        if view == "roles":
            return self.roles.column_of(raw)
        if view == "markmap":
            return self.arrays.front
        names = {"inspector": pane, "lint-view": "lint", "journal": "records"}
        return self.query_one(f"#{names.get(view, view)}")

    def refill(self, view: str) -> None:
        """Fill a view again: at once if it is in sight, else when it is."""
        self._filled.discard(view)
        if self.current == view:
            self.turn_to(view)

    def note(self, remarks: Mapping[int, str]) -> None:
        self.panes.note(remarks)
        self.refill("roles")

    @on(Panes.Counted)
    def _counted(self) -> None:
        if self.current == "lint-view":
            self.lint.show_finding()

    def _fill(self, view: str, look: Look) -> None:
        from ctxtui.inspector.drawing.tokens import token_lines

        match view:
            case "roles":
                self.roles.show(look, self.panes.finder, self.panes.remarks)
            case "markmap":
                self.arrays.show(look)
            case "tokens":
                pane, shown = self.query_one("#tokens", TextPane), self.seen or look
                about = "who holds them, and how that went"
                pane.frame("Tokens", [Piece(self._about(about), "faint")])
                pane.show(lambda width: token_lines(shown, width, pane.size.height, self.panes.raw))
            case "journal":
                self.player.show(look)
            case "text":
                self.text.show_look(look, self.panes.raw, self.panes.finder)
            case "lint-view":
                self.lint.show(self.seen or look, None if self.seen else self.panes.errors)

    def _about(self, text: str) -> str:
        """Return what a view is about, or which call it shows as its model saw it."""
        if self.seen is None:
            return text
        call = len(self.seen.calls)
        return f"what the model saw of call {call:,} ({self.seen.seen.certainty})"
