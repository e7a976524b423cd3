"""Choices side by side: what is chosen is marked, arrows and space or the mouse choose."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
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
from ctxtui.commands.common import CHOICES
from ctxtui.text.lines import Line, Piece, line_width
from ctxtui.widgets.styled import Styled

LONGEST = 30
"""Characters of a value that are shown."""


class ValueStyle(NamedTuple):
    """How the values of a field are shown: words, notes behind, symbols before, and a hint.

    With boxes each value has one to tick; stepped, only the chosen one of many is shown.
    """

    words: Mapping[Any, str] = {}
    notes: Mapping[Any, str] = {}
    symbols: Mapping[Any, Piece] = {}
    hint: str = ""
    has_boxes: bool = False
    is_stepped: bool = False


INDENT = Piece("  ")
"""What is before the rest of a group on another row."""


class Cell(NamedTuple):
    """A part of the bar: the number of the value it is for, if any, and its pieces."""

    place: int | None
    line: Line


class ChoiceBar(Styled, Widget, can_focus=True):
    """Groups of values; in each group one is chosen, or any number.

    As a field of a form it has one group without a name: then moving chooses at once where only
    one value can be chosen, and enter is left to the form. Values that don't fit side by side
    take more rows.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings(CHOICES)

    cursor = reactive(0)

    @dataclass
    class Chosen(Message):
        """A value was chosen, or, where any number can be, chosen or cleared."""

        bar: ChoiceBar
        group: str
        name: Any

        @property
        def control(self) -> ChoiceBar:
            return self.bar

    def __init__(
        self,
        groups: Mapping[str, Sequence[Any]],
        *,
        id: str,
        many: Collection[str] = (),
        chosen: Sequence[Any] | None = None,
        style: ValueStyle | None = None,
    ) -> None:
        super().__init__(id=id)
        self._is_field = style is not None
        self._value_style = style or ValueStyle()
        self._many = many
        self._set_values(groups)
        self.chosen: dict[str, set[Any]] = {
            group: set(values) if group in many else {values[0]}
            for group, values in groups.items()
            if values
        }
        if chosen is not None:
            self.chosen = {"": set(chosen)}
        self._notes: dict[tuple[str, Any], Line] = {}

    @classmethod
    def field(
        cls,
        values: Sequence[Any],
        chosen: Sequence[Any],
        *,
        id: str,
        is_many: bool = False,
        style: ValueStyle | None = None,
    ) -> ChoiceBar:
        many = ("",) if is_many else ()
        return cls({"": values}, id=id, many=many, chosen=chosen, style=style or ValueStyle())

    def _set_values(self, groups: Mapping[str, Sequence[Any]]) -> None:
        self._values = [(group, value) for group, values in groups.items() for value in values]
        self.can_focus = bool(self._values)

    def key_conditions(self) -> Conditions:
        if self._is_field:
            return {"field": True, "several": bool(self._many)}
        return {"bar": True}

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "choose_now" or not self._is_field

    # The values of a field

    @property
    def value(self) -> Any:
        found = [value for _, value in self._values if value in self.chosen[""]]
        return tuple(found) if self._many else found[0] if found else None

    @value.setter
    def value(self, value: Any) -> None:
        self.chosen[""] = set(value) if self._many else {value}
        self.refresh()
        self.post_message(self.Chosen(self, "", value))

    def offer(self, values: Sequence[Any], chosen: Any, words: Mapping[Any, str]) -> None:
        """Show other values, one of them chosen, without posting a message."""
        self._set_values({"": values})
        self.chosen[""] = {chosen}
        self._value_style = self._value_style._replace(words=words)
        self.cursor = list(values).index(chosen)
        self.refresh()

    def set_hint(self, hint: str) -> None:
        self._value_style = self._value_style._replace(hint=hint)
        self.refresh()

    def pick(self, value: Any) -> None:
        """Choose a value of a field; where any number can be chosen, choose or clear it."""
        self.chosen[""] = self.chosen[""] ^ {value} if self._many else {value}
        self.refresh()
        self.post_message(self.Chosen(self, "", value))

    # The values of a view

    def choose(self, group: str, *values: Any) -> None:
        self.chosen[group] = set(values)
        self.refresh(layout=True)

    def note(self, group: str, value: Any, note: Line) -> None:
        self._notes[group, value] = [Piece(text[:40], kind) for text, kind in note]
        self.refresh(layout=True)

    # Choosing

    def validate_cursor(self, value: int) -> int:
        return max(0, min(value, len(self._values) - 1))

    def action_move(self, by: int) -> None:
        self.cursor += by
        if self._is_field and not self._many:
            self.action_choose()

    def action_choose(self) -> None:
        if not self._values:
            return
        group, value = self._values[self.cursor]
        if self._is_field:
            self.pick(value)
        else:
            self.post_message(self.Chosen(self, group, value))

    def action_choose_now(self) -> None:
        self.action_choose()

    def action_edge(self, last: int) -> None:
        self.action_move(len(self._values) * (1 if last else -1))

    def on_focus(self) -> None:
        """Start at what is chosen, unless the cursor is on such a value already."""
        places = [at for at in range(len(self._values)) if self._is_chosen(at)]
        if places and self.cursor not in places and not (self._is_field and self._many):
            self.cursor = places[0]

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

    # Drawing

    def on_resize(self) -> None:
        if self._is_field:
            self.styles.height = self.lines_in(self.size.width)

    def lines_in(self, width: int) -> int:
        return max(1, len(self._rows(width)))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return self.lines_in(width)

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        rows = self._rows(width)
        line = [piece for cell in rows[y] for piece in cell.line] if y < len(rows) else []
        if self._is_field:
            line = line[:-1]
            hint = Piece(f"  {self._value_style.hint}", "faint")
            is_last = self._value_style.hint and y == max(0, len(rows) - 1)
            if is_last and line_width([*line, hint]) <= width:
                line.append(hint)
        return self.strip(line, "plain", width)

    def _rows(self, width: int) -> list[list[Cell]]:
        """Return the values in rows; the name of a group is on one row with its first value."""
        room = width + self._is_field  # The blank behind the last value may be cut.
        rows: list[list[Cell]] = []
        used = room
        for unit in self._units():
            size = sum(line_width(cell.line) for cell in unit)
            if not rows or (used and used + size > room):
                is_cut = bool(rows) and not self._is_field and unit[0].place is not None
                rows.append([Cell(None, [INDENT])] if is_cut else [])
                used = len(INDENT.text) * is_cut
            rows[-1] += unit
            used += size
        return rows

    def _units(self) -> Iterator[list[Cell]]:
        last = ""
        if self._value_style.is_stepped:
            yield self._stepper()
            return
        for place, (group, _) in enumerate(self._values):
            cell = Cell(place, self._field_cell(place) if self._is_field else self._chip(place))
            is_first, last = group != last, group
            yield [Cell(None, [Piece(f"  {group} ", "muted")]), cell] if is_first else [cell]

    def _stepper(self) -> list[Cell]:
        """Return the chosen value between arrows, and which of how many it is."""
        at = next((at for at in range(len(self._values)) if self._is_chosen(at)), 0)
        word = Piece(f" {self._word(self._values[at][1])} ", "chip" if self.has_focus else "picked")
        count = Piece(f"  {at + 1} of {len(self._values)} ", "faint")
        before, after = max(0, at - 1), min(at + 1, len(self._values) - 1)
        return [
            Cell(before, [Piece("‹", "muted")]),
            Cell(None, [word]),
            Cell(after, [Piece("›", "muted")]),
            Cell(None, [count, Piece(" ")]),
        ]

    def _is_chosen(self, place: int) -> bool:
        group, value = self._values[place]
        return value in self.chosen[group]

    def _chip(self, place: int) -> Line:
        is_chosen, here = self._is_chosen(place), self.has_focus and place == self.cursor
        left, right = ("‹", "›") if here else ("•", " ") if is_chosen else (" ", " ")
        kind = "chip" if here else "bright" if is_chosen else "muted"
        note = self._notes.get(self._values[place], [])
        name = Piece(f"{left}{self._values[place][1]}{right}", kind)
        return [name, *note, *([Piece(" ")] if note else [])]

    def _field_cell(self, place: int) -> Line:
        """Return a value of a field; a dot or a cross shows without colours what is chosen."""
        value, style = self._values[place][1], self._value_style
        is_chosen, here = self._is_chosen(place), self.has_focus and place == self.cursor
        note = [Piece(f" {style.notes[value]}", "faint")] if style.notes.get(value) else []
        if style.has_boxes:
            kind = "chip" if here else "bright" if is_chosen else "muted"
            symbol = [style.symbols[value], Piece(" ")] if value in style.symbols else []
            box = Piece("[x]" if is_chosen else "[ ]", kind)
            name = Piece(self._word(value), "bright" if is_chosen else "text")
            return [box, Piece(" "), *symbol, name, *note, Piece("  ")]
        kind = "chip" if here else "picked" if is_chosen else "pill"
        dot = "•" if is_chosen else " "
        return [Piece(f"{dot}{self._word(value)} ", kind), *note, Piece(" ")]

    def _word(self, value: Any) -> str:
        usual = ("yes" if value else "no") if isinstance(value, bool) else str(value)
        return self._value_style.words.get(value, usual)[:LONGEST]
