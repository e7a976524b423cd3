"""The roles view: a column for each chosen role, or one for all of them together."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.message import Message

from ctxtui.commands import Facts
from ctxtui.core.engine.text_search import Finder
from ctxtui.core.values.models import ROLES
from ctxtui.lists.roles import RoleSource
from ctxtui.models.look import Look
from ctxtui.models.role_filter import KINDS, RoleFilter
from ctxtui.models.role_messages import RoleMessages
from ctxtui.render.message.preview import GLYPHS
from ctxtui.render.text.lines import Line, Piece
from ctxtui.widgets.choice_bar import ChoiceBar
from ctxtui.widgets.line_list import LineList

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
    """A list of what roles said; left and right go to the columns beside it."""

    @dataclass
    class Left(Message):
        """The column beside this one is wanted."""

        column: RoleColumn
        by: int

    def action_fold(self, is_open: bool) -> None:
        """Go to the next column or the one before: messages stand open here anyway."""
        self.post_message(self.Left(self, 1 if is_open else -1))


class RolesView(Vertical):
    """Shows what each role said; the filter is asked once for each column."""

    def __init__(self) -> None:
        super().__init__(id="roles")
        self.filter = RoleFilter()
        self._look: Look | None = None
        self._active = "user"
        """The role whose column is in front, where only one is."""

    def compose(self) -> ComposeResult:
        """Lay out the choices and the columns."""
        yield ChoiceBar(CHOICES, id="role-choices", many=("roles",))
        with Horizontal(id="role-columns"):
            for role in (*ROLES, TOGETHER):
                yield RoleColumn(id=f"role-{role}", empty="None.", is_quiet=True)

    # What is shown

    def show(self, look: Look, finder: Finder | None, noted: Container[int] = ()) -> None:
        """Show another look; what is noted has a sign."""
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
            column.frame(self._title(roles), [Piece(about, "muted")], self._foot)
        self._lay_out()

    @property
    def _is_narrow(self) -> bool:
        """Tell whether the columns would be too narrow side by side."""
        return self.size.width < COLUMN_CELLS * len(self.filter.columns)

    def _foot(self) -> Line:
        return [Piece(OTHERS, "muted")] if self._is_narrow else []

    def _title(self, roles: tuple[str, ...]) -> str:
        if len(roles) == 1:
            return f"{GLYPHS[roles[0]]} {roles[0]}"
        return " ".join(GLYPHS[role] for role in roles) + " in the order they are sent"

    def _column_name(self, roles: tuple[str, ...]) -> str:
        return TOGETHER if self.filter.is_together else roles[0]

    def _column(self, name: str) -> RoleColumn:
        return self.query_one(f"#role-{name}", RoleColumn)

    def choose(self, chosen: RoleFilter) -> None:
        """Ask another question; whoever shows the view fills it again."""
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
        """Show as many columns as there is room for."""
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

    def key_facts(self) -> Facts:
        """Return whether there are columns to go to, for the line of keys."""
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
