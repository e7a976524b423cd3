"""Choices side by side: what is chosen is marked, arrows and enter or the mouse choose."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from textual import events
from textual.binding import BindingType
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from ctxtui.commands.command import Conditions, bindings
from ctxtui.commands.dialogs import CHOICES, PICKS
from ctxtui.text.lines import Line, Piece, line_width
from ctxtui.text.symbols import printable
from ctxtui.widgets.styled import Styled


class Cell(NamedTuple):
    """A stretch of the bar: the place of the name it stands for, if any, and its pieces."""

    place: int | None
    line: Line


class ChoiceBar(Styled, Widget, can_focus=True):
    """Groups of names; in each group one is chosen, or any number where it is told so.

    Where they don't fit beside each other they take another line.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings(CHOICES)

    cursor = reactive(0)

    @dataclass
    class Chosen(Message):
        """A name was chosen, or, where any number can be, chosen or let go."""

        bar: ChoiceBar
        group: str
        name: str

        @property
        def control(self) -> ChoiceBar:
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
        self._more[group, name] = [Piece(text[:40], kind) for text, kind in more]
        self.refresh(layout=True)

    def validate_cursor(self, value: int) -> int:
        return max(0, min(value, len(self._names) - 1))

    def action_move(self, by: int) -> None:
        self.cursor += by

    def action_choose(self) -> None:
        self.post_message(self.Chosen(self, *self._names[self.cursor]))

    def on_focus(self) -> None:
        """Start at what is chosen, unless the cursor stands on such a name already."""
        group, name = self._names[self.cursor]
        if name not in self.chosen[group]:
            picked = (i for i, (its, one) in enumerate(self._names) if one in self.chosen[its])
            self.cursor = next(picked, 0)

    def on_click(self, event: events.Click) -> None:
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
        return max(1, len(self._rows(width)))

    def render_line(self, y: int) -> Strip:
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


# A line of values to pick from: one of them, or any number.

LONGEST = 30
"""Characters of a value that are shown."""


class Shown(NamedTuple):
    """How values are shown: other words for some, notes behind and signs before them, a hint.

    With boxes each has one to tick, and there may be room for less of them.
    """

    words: Mapping[Any, str] = {}
    notes: Mapping[Any, str] = {}
    signs: Mapping[Any, Piece] = {}
    hint: str = ""
    has_boxes: bool = False


class PickBar(Styled, Widget, can_focus=True):
    """Values side by side; the picked ones stand out in paper and ink, with a dot or a cross."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(PICKS)

    cursor = reactive(0)

    @dataclass
    class Changed(Message):
        """Other values are picked now."""

        bar: PickBar

        @property
        def control(self) -> PickBar:
            return self.bar

    def __init__(
        self,
        values: Sequence[Any],
        picked: Sequence[Any],
        *,
        is_many: bool = False,
        shown: Shown | None = None,
        id: str,
    ) -> None:
        super().__init__(id=id)
        self._look = shown or Shown()
        self._values = list(values)
        self._is_many = is_many
        self.picked = [one for one in values if one in picked]
        self.can_focus = bool(self._values)

    def key_conditions(self) -> Conditions:
        return {"picks": True, "several": self._is_many}

    @property
    def value(self) -> Any:
        """Return the value that is picked, or a tuple of them."""
        return tuple(self.picked) if self._is_many else self.picked[0] if self.picked else None

    @value.setter
    def value(self, value: Any) -> None:
        wanted = list(value) if self._is_many else [value]
        self.picked = [one for one in self._values if one in wanted]
        self.refresh()
        self.post_message(self.Changed(self))

    def offer(self, values: Sequence[Any], picked: Any, words: Mapping[Any, str]) -> None:
        """Show other values, one of them picked, without telling that anything has changed."""
        self._values, self.picked = list(values), [picked]
        self._look = self._look._replace(words=words)
        self.cursor = self._values.index(picked)
        self.refresh()

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
        return max(0, min(value, len(self._values) - 1))

    def on_focus(self) -> None:
        if self.picked and not self._is_many:
            self.cursor = self._values.index(self.picked[0])

    def action_move(self, by: int) -> None:
        self.cursor += by
        if not self._is_many:
            self.action_pick()

    def action_pick(self) -> None:
        if self._values:
            self.pick(self._values[self.cursor])

    def on_click(self, event: events.Click) -> None:
        rows = self._rows(self.size.width)
        x = 0
        for at, pieces in rows[event.y] if event.y < len(rows) else []:
            x += line_width(pieces)
            if event.x < x:
                self.cursor = at
                self.action_pick()
                return

    def on_resize(self) -> None:
        self.styles.height = self.lines_in(self.size.width)

    def lines_in(self, width: int) -> int:
        """Return how many lines it takes to show all values."""
        return max(1, len(self._rows(width)))

    def render_line(self, y: int) -> Strip:
        """Return one line of values; a hint stands behind the last where there is room."""
        width = self.size.width
        rows = self._rows(width)
        line = [piece for _, pieces in rows[y] for piece in pieces][:-1] if y < len(rows) else []
        hint = Piece(f"  {self._look.hint}", "faint")
        is_last = self._look.hint and y == max(0, len(rows) - 1)
        if is_last and line_width([*line, hint]) <= width:
            line.append(hint)
        return self.strip(line, "plain", width)

    def _rows(self, width: int) -> list[list[tuple[int, Line]]]:
        """Return the values in lines, each with its place; none is parted from its box."""
        rows: list[list[tuple[int, Line]]] = []
        used = width
        for at, pieces in enumerate(self._cells()):
            size = line_width(pieces)
            if used + size > width + 1:  # The blank behind the last one may be lost.
                rows.append([])
                used = 0
            rows[-1].append((at, pieces))
            used += size
        return rows

    def _cells(self) -> list[Line]:
        return [self._cell(at, value) for at, value in enumerate(self._values)]

    def _cell(self, at: int, value: Any) -> Line:
        """Return a value as pieces; the dot or the cross tells without colours what is picked."""
        is_picked = value in self.picked
        here = self.has_focus and at == self.cursor
        note = self._look.notes.get(value, "")
        behind = [Piece(f" {note}", "faint")] if note else []
        if self._look.has_boxes:
            kind = "chip" if here else "bright" if is_picked else "muted"
            sign = [self._look.signs[value], Piece(" ")] if value in self._look.signs else []
            box = Piece("[x]" if is_picked else "[ ]", kind)
            name = Piece(self._shown(value), "bright" if is_picked else "text")
            return [box, Piece(" "), *sign, name, *behind, Piece("  ")]
        kind = "chip" if here else "picked" if is_picked else "pill"
        dot = "•" if is_picked else " "
        return [Piece(f"{dot}{self._shown(value)} ", kind), *behind, Piece(" ")]

    def _shown(self, value: Any) -> str:
        if value in self._look.words:
            return printable(self._look.words[value], LONGEST)
        told = ("yes" if value else "no") if isinstance(value, bool) else str(value)
        return printable(told, LONGEST)
