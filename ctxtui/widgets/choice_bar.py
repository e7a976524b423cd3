"""Choices side by side: what is chosen is marked, arrows and enter or the mouse choose."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from textual import events
from textual.binding import BindingType
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from ctxtui.commands.dialogs import CHOICES
from ctxtui.render.text.lines import Line, Piece, line_width
from ctxtui.symbols import visible
from ctxtui.widgets.inked import Inked


class Cell(NamedTuple):
    """A stretch of the bar: the place of the name it stands for, if any, and its pieces."""

    place: int | None
    line: Line


class ChoiceBar(Inked, Widget, can_focus=True):
    """Groups of names; in each group one is chosen, or any number where it is told so.

    Where they don't fit beside each other they take another line.
    """

    BINDINGS: ClassVar[list[BindingType]] = [command.binding() for command in CHOICES]

    cursor = reactive(0)

    @dataclass
    class Chosen(Message):
        """A name was chosen, or, where any number can be, chosen or let go."""

        bar: ChoiceBar
        group: str
        name: str

        @property
        def control(self) -> ChoiceBar:
            """Return the bar, for handlers that name one."""
            return self.bar

    def __init__(
        self, groups: Mapping[str, Sequence[str]], *, id: str, many: Collection[str] = ()
    ) -> None:
        super().__init__(id=id)
        self._names = [(group, name) for group, names in groups.items() for name in names]
        self.chosen = {
            group: set(names) if group in many else {names[0]} for group, names in groups.items()
        }
        self._more: dict[tuple[str, str], Line] = {}

    def choose(self, group: str, *names: str) -> None:
        """Show names of a group as chosen, and no others."""
        self.chosen[group] = set(names)
        self.refresh(layout=True)

    def note(self, group: str, name: str, more: Line) -> None:
        """Show something behind a name."""
        self._more[group, name] = [Piece(visible(text, 40), kind) for text, kind in more]
        self.refresh(layout=True)

    def validate_cursor(self, value: int) -> int:
        """Keep the cursor among the names."""
        return max(0, min(value, len(self._names) - 1))

    def action_move(self, by: int) -> None:
        """Go to the next name or the one before."""
        self.cursor += by

    def action_choose(self) -> None:
        """Choose the name under the cursor."""
        self.post_message(self.Chosen(self, *self._names[self.cursor]))

    def on_focus(self) -> None:
        """Start at what is chosen, unless the cursor stands on such a name already."""
        group, name = self._names[self.cursor]
        if name not in self.chosen[group]:
            picked = (i for i, (its, one) in enumerate(self._names) if one in self.chosen[its])
            self.cursor = next(picked, 0)

    def on_click(self, event: events.Click) -> None:
        """Choose the name under the mouse."""
        rows = self._rows(self.size.width)
        x = 0
        for cell in rows[event.y] if event.y < len(rows) else []:
            x += line_width(cell.line)
            if event.x < x:
                if cell.place is not None:
                    self.cursor = cell.place
                    self.action_choose()
                return

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return how many lines the names take."""
        return max(1, len(self._rows(width)))

    def render_line(self, y: int) -> Strip:
        """Return one line of names."""
        rows = self._rows(self.size.width)
        row = rows[y] if y < len(rows) else []
        return self.strip([piece for cell in row for piece in cell.line], "plain", self.size.width)

    def _rows(self, width: int) -> list[list[Cell]]:
        """Return the names in as many lines as they take; a group's own name stays with its first.

        Cells without a place, which name a group, never end a line.
        """
        rows: list[list[Cell]] = [[]]
        used = 0
        for together in self._together():
            size = sum(line_width(cell.line) for cell in together)
            if used and used + size > width:
                rows.append([])
                used = 0
            rows[-1] += together
            used += size
        return rows

    def _together(self) -> list[list[Cell]]:
        """Return the cells that stand on one line in any case."""
        made: list[list[Cell]] = []
        last = ""
        for place, (group, name) in enumerate(self._names):
            cell = Cell(place, self._chip(place, group, name))
            if group != last:
                made.append([Cell(None, [Piece(f"  {group} ", "muted")]), cell])
                last = group
            else:
                made.append([cell])
        return made

    def _chip(self, place: int, group: str, name: str) -> Line:
        is_chosen = name in self.chosen[group]
        here = self.has_focus and place == self.cursor
        left, right = ("‹", "›") if here else ("•", " ") if is_chosen else (" ", " ")
        kind = "chip" if here else "bright" if is_chosen else "muted"
        more = self._more.get((group, name), [])
        return [Piece(f"{left}{name}{right}", kind), *more, *([Piece(" ")] if more else [])]
