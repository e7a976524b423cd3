"""One line of choices: what is chosen is marked, arrows and enter or the mouse choose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.binding import BindingType
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from ctxtui.commands.dialogs import CHOICES
from ctxtui.render.text.lines import Piece
from ctxtui.symbols import visible
from ctxtui.widgets.inked import Inked


class ChoiceBar(Inked, Widget, can_focus=True):
    """Groups of names; in each group one is chosen."""

    BINDINGS: ClassVar[list[BindingType]] = [command.binding() for command in CHOICES]

    cursor = reactive(0)

    @dataclass
    class Chosen(Message):
        """A name was chosen."""

        bar: ChoiceBar
        group: str
        name: str

        @property
        def control(self) -> ChoiceBar:
            """Return the line, for handlers that name one."""
            return self.bar

    def __init__(self, groups: Mapping[str, Sequence[str]], *, id: str) -> None:
        super().__init__(id=id)
        self._names = [(group, name) for group, names in groups.items() for name in names]
        self.chosen = {group: names[0] for group, names in groups.items()}
        self._more: dict[str, str] = {}

    def choose(self, group: str, name: str, more: str = "") -> None:
        """Show a name as chosen, with what more there is to say about it."""
        self.chosen[group] = name
        self._more[group] = visible(more, 40)
        self.refresh()

    def validate_cursor(self, value: int) -> int:
        """Keep the cursor among the names."""
        return max(0, min(value, len(self._names) - 1))

    def action_move(self, by: int) -> None:
        """Go to the next name or the one before."""
        self.cursor += by

    def action_choose(self) -> None:
        """Choose the name under the cursor."""
        self.post_message(self.Chosen(self, *self._names[self.cursor]))

    def on_click(self, event: events.Click) -> None:
        """Choose the name under the mouse."""
        x = 0
        for place, piece in self._cells():
            x += cell_len(piece.text)
            if event.x < x:
                if place is not None:
                    self.cursor = place
                    self.action_choose()
                return

    def render_line(self, y: int) -> Strip:
        """Return the line."""
        line = [piece for _, piece in self._cells()] if y == 0 else []
        return self.strip(line, "plain", self.size.width)

    def _cells(self) -> list[tuple[int | None, Piece]]:
        """Return the pieces, each with the name it stands for."""
        cells: list[tuple[int | None, Piece]] = []
        last = ""
        for place, (group, name) in enumerate(self._names):
            if group != last:
                cells.append((None, Piece(f"  {group} ", "muted")))
                last = group
            is_chosen = self.chosen[group] == name
            text = f"{name} {self._more.get(group, '')}".strip() if is_chosen else name
            cells.append((place, self._chip(place, text, is_chosen)))
        return cells

    def _chip(self, place: int, text: str, is_chosen: bool) -> Piece:
        here = self.has_focus and place == self.cursor
        left, right = ("‹", "›") if here else ("•", " ") if is_chosen else (" ", " ")
        return Piece(f"{left}{text}{right}", "chip" if here else "bright" if is_chosen else "muted")
