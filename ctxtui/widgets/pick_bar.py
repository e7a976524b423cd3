"""A line of values to pick from: one of them, or any number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from rich.cells import cell_len
from textual import events
from textual.binding import BindingType
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from ctxtui.commands import Facts
from ctxtui.commands.dialogs import PICKS
from ctxtui.render.text.lines import Piece
from ctxtui.symbols import visible
from ctxtui.widgets.inked import Inked


class PickBar(Inked, Widget, can_focus=True):
    """Values side by side; picked ones have a box with a cross, or a dot where only one can be."""

    BINDINGS: ClassVar[list[BindingType]] = [command.binding() for command in PICKS]

    cursor = reactive(0)

    @dataclass
    class Changed(Message):
        """Other values are picked now."""

        bar: PickBar

        @property
        def control(self) -> PickBar:
            """Return the line, for handlers that name one."""
            return self.bar

    def __init__(
        self,
        values: Sequence[Any],
        picked: Sequence[Any],
        *,
        is_many: bool = False,
        words: Mapping[str, str] | None = None,
        id: str,
    ) -> None:
        super().__init__(id=id)
        self._words = dict(words or {})
        self._values = list(values)
        self._is_many = is_many
        self.picked = [one for one in values if one in picked]

    def key_facts(self) -> Facts:
        """Return how values are picked, for the line of keys."""
        return {"picks": True, "several": self._is_many}

    @property
    def value(self) -> Any:
        """Return the value that is picked, or a tuple of them."""
        return tuple(self.picked) if self._is_many else self.picked[0] if self.picked else None

    def pick(self, value: Any) -> None:
        """Pick a value; where only one can be, the others are let go."""
        if not self._is_many:
            self.picked = [value]
        elif value in self.picked:
            self.picked.remove(value)
        else:
            self.picked = [one for one in self._values if one in (*self.picked, value)]
        self.refresh()
        self.post_message(self.Changed(self))

    def validate_cursor(self, value: int) -> int:
        """Keep the cursor among the values."""
        return max(0, min(value, len(self._values) - 1))

    def on_focus(self) -> None:
        """Start at what is picked."""
        if self.picked and not self._is_many:
            self.cursor = self._values.index(self.picked[0])

    def action_move(self, by: int) -> None:
        """Go to the next value; where only one can be picked, pick it."""
        self.cursor += by
        if not self._is_many:
            self.pick(self._values[self.cursor])

    def action_pick(self) -> None:
        """Pick the value under the cursor."""
        self.pick(self._values[self.cursor])

    def on_click(self, event: events.Click) -> None:
        """Pick the value under the mouse."""
        x, first = 0, self._first
        for at, piece in enumerate(self._pieces()[first:], start=first):
            x += cell_len(piece.text)
            if event.x < x:
                self.cursor = at
                self.action_pick()
                return

    def render_line(self, y: int) -> Strip:
        """Return the line."""
        line = self._pieces()[self._first :] if y == 0 else []
        return self.strip(line, "plain", self.size.width)

    @property
    def _first(self) -> int:
        """Return the first value in sight: as many as it takes to see the one that matters."""
        pieces, last = self._pieces(), self.cursor
        if not self.has_focus and self.picked:
            last = self._values.index(self.picked[-1])
        first = 0
        while first < last and _width(pieces[first : last + 1]) > self.size.width:
            first += 1
        return first

    def _pieces(self) -> list[Piece]:
        return [self._piece(at, value) for at, value in enumerate(self._values)]

    def _piece(self, at: int, value: Any) -> Piece:
        is_picked = value in self.picked
        sign = ("[x] " if is_picked else "[ ] ") if self._is_many else "• " if is_picked else "  "
        shown = (
            ("yes" if value else "no") if isinstance(value, bool) else self._words.get(value, value)
        )
        here = self.has_focus and at == self.cursor
        kind = "chip" if here else "bright" if is_picked else "muted"
        return Piece(f"{sign}{visible(str(shown), 30)}  ", kind)


def _width(pieces: Sequence[Piece]) -> int:
    return sum(cell_len(piece.text) for piece in pieces)
