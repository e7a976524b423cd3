"""The roles view: four columns, one for each role, and the line that says which messages."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Container, Vertical

from core.queries.text_search import Finder
from core.values.roles import ROLES
from ctxtui.lists.roles import RoleSource
from ctxtui.models.look import Look
from ctxtui.models.role_filter import HINTS, RoleFilter
from ctxtui.render.message.preview import GLYPHS
from ctxtui.widgets.choice_bar import ChoiceBar
from ctxtui.widgets.line_list import LineList

CHOICES = {"scope": ("visible", "raw"), "show": tuple(HINTS)}


class RolesView(Vertical):
    """Shows what each role said; the filter is asked once for each of them."""

    def __init__(self) -> None:
        super().__init__(id="roles")
        self.filter = RoleFilter()

    def compose(self) -> ComposeResult:
        """Lay out the choices and the columns."""
        yield ChoiceBar(CHOICES, id="role-choices")
        with Container(id="role-columns"):
            for role in ROLES:
                yield LineList(id=f"role-{role}", empty="None.", is_quiet=True)

    def show(self, look: Look, finder: Finder | None) -> None:
        """Show another look."""
        for role in ROLES:
            column = self.query_one(f"#role-{role}", LineList)
            source = RoleSource(look, role, self.filter)
            source.finder = finder
            column.show(source)
            column.border_title = f"{GLYPHS[role]} {role}"
            column.border_subtitle = f"{len(source.hidden) or 'none'} hidden"

    def choose(self, chosen: RoleFilter) -> None:
        """Ask another question; whoever shows the view fills it again."""
        self.filter = chosen
        bar = self.query_one(ChoiceBar)
        bar.choose("scope", chosen.scope)
        bar.choose("show", chosen.kind, chosen.text)
