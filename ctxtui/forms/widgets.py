"""One row of a form: its name, something to enter its value with, and what is legal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from textual.app import ComposeResult
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input

from ctxtui.core.values.models import ROLES
from ctxtui.forms.drawing import operation_lines
from ctxtui.forms.message_editor import MessageEditor
from ctxtui.forms.models import NONE, FormField
from ctxtui.inspector.drawing.lists import mark_kind
from ctxtui.inspector.models.look import Look
from ctxtui.text.icons import ERROR
from ctxtui.text.lines import Line, Piece, wrap
from ctxtui.text.message import WORDS
from ctxtui.text.plurals import plural
from ctxtui.text.symbols import printable
from ctxtui.widgets.choices import ChoiceBar, ValueStyle
from ctxtui.widgets.panes import TextPane
from ctxtui.widgets.prompt import NumberInput, SafeInput
from ctxtui.widgets.styled import Styled

LOOKS = {
    "number": "-number",
    "flag": "-picks -flag",
    "choice": "-picks",
    "roles": "-picks",
    "labels": "-picks",
    "message": "-writes",
    "messages": "-writes",
}
"""How a row is laid out, by what is entered in it."""
NUMBER_CELLS = 8
END_CELLS = 5
BETWEEN = " … "
"""How wide numbers are, alone and as the ends of a stretch, and what is between two ends."""
LONGEST_COMPLAINT = 300
MOST_COUNTED = 200
"""How many marked messages are looked up one by one when a form opens."""


class FieldRow(Styled, Widget):
    """A field, or the two ends of a stretch, with a hint; a wrong value has its reason below.

    Label, hint and reason are drawn by the row itself, so that a form has few widgets and is
    there in the frame after its key.
    """

    def __init__(
        self,
        fields: tuple[FormField, ...],
        values: Mapping[str, Any],
        hints: Sequence[str],
        look: Look | None,
        label_cells: int,
    ) -> None:
        self.fields = fields
        self.field = fields[0]
        kind = self.field.kind
        super().__init__(id=f"row-{self.field.id}", classes=LOOKS.get(kind, "-text"))
        self._hints = hints
        self._cells = label_cells
        self._wrong: str | None = None
        self._is_here = False
        self.entries = [_entry(field, values[field.id], hints[0], look) for field in fields]
        for at, entry in enumerate(self.entries):
            if isinstance(entry, NumberInput):
                entry.styles.width = END_CELLS if len(fields) > 1 else NUMBER_CELLS
            if not isinstance(entry, MessageEditor):
                entry.styles.margin = (0, 0, 0, len(BETWEEN) if at else label_cells)

    def compose(self) -> ComposeResult:
        yield from self.entries

    def on_descendant_focus(self) -> None:
        self._is_here = True
        self.refresh()

    def on_descendant_blur(self) -> None:
        self._is_here = False
        self.refresh()

    def on_resize(self) -> None:
        self._fit()

    @property
    def entry(self) -> Widget:
        return self.entries[0]

    @property
    def target(self) -> Widget:
        return self.entry.area if isinstance(self.entry, MessageEditor) else self.entry

    @property
    def values(self) -> dict[str, Any]:
        pairs = zip(self.fields, self.entries, strict=True)
        return {field.id: entry.value for field, entry in pairs}  # type: ignore[attr-defined]

    @property
    def value(self) -> Any:
        return self.values[self.field.id]

    @property
    def problem(self) -> str | None:
        """Return what is wrong before the engine is even asked."""
        return self.entry.problem if isinstance(self.entry, MessageEditor) else None

    @property
    def length(self) -> int:
        """Return how long the text is that was typed here."""
        if isinstance(self.entry, MessageEditor):
            return len(self.entry.text)
        return max(len(one.value) if isinstance(one, Input) else 0 for one in self.entries)

    def set_hint(self, hint: str) -> None:
        """Say something else behind the value, or in an empty field."""
        if hint != self._hints[0]:
            self._hints = (hint,)
            if isinstance(self.entry, ChoiceBar):
                self.entry.set_hint(hint)
            elif isinstance(self.entry, Input) and not isinstance(self.entry, NumberInput):
                self.entry.placeholder = hint or NONE
            self.refresh()

    @property
    def complaint(self) -> str | None:
        return self._wrong

    def complain(self, sentence: str | None) -> None:
        if sentence == self._wrong:
            return
        self._wrong = sentence
        self.set_class(sentence is not None, "-wrong")
        if isinstance(self.entry, MessageEditor):
            self.entry.complain(sentence)
        self._fit()
        self.refresh()

    def _reason(self) -> list[str]:
        if self._wrong is None or isinstance(self.entry, MessageEditor):
            return []
        text = printable(ERROR.text(self._wrong), LONGEST_COMPLAINT)
        return wrap(text, max(10, self.size.width or 40))

    def _fit(self) -> None:
        if self.has_class("-writes"):
            return
        self.styles.height = self._lines + len(self._reason())
        if isinstance(self.entry, ChoiceBar):
            self.entry.styles.height = self._lines

    @property
    def _lines(self) -> int:
        if not isinstance(self.entry, ChoiceBar) or not self.size.width:
            return 1
        return self.entry.lines_in(max(1, self.size.width - self._cells))

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if y == 0:
            return self.strip(self._line(), "plain", width)
        reason, at = self._reason(), y - self._lines
        text = reason[at] if 0 <= at < len(reason) else ""
        return self.strip([Piece(text, ERROR.kind)], "plain", width)

    def _line(self) -> Line:
        here = self._is_here
        star = " *" if self.field.is_required else ""
        name = f"{self.field.label}{star}"
        line = [
            Piece(f"{name:<{self._cells - 1}}", "bright" if here else "muted"),
            Piece("▌" if here else " ", "key"),
        ]
        if self.has_class("-number"):
            several = len(self.entries) > 1
            room = 2 * END_CELLS + len(BETWEEN) if several else NUMBER_CELLS
            between = f"{'':{END_CELLS}}{BETWEEN}" if several else ""
            left = self.size.width - self._cells - room - 1
            hint = next((way for way in self._hints if len(way) <= left), "")
            line += [Piece(f"{between:<{room}} "), Piece(hint, "faint")]
        return line


def _entry(field: FormField, value: Any, hint: str, look: Look | None) -> Widget:
    id = f"entry-{field.id}"
    match field.kind:
        case "flag":
            return ChoiceBar.field((False, True), [bool(value)], style=ValueStyle(hint=hint), id=id)
        case "choice":
            is_needed = field.default is not None or (value is not None and field.choices != ROLES)
            values = field.choices if is_needed else (NONE, *field.choices)
            picked = NONE if value is None else value
            words = {**WORDS, NONE: "any" if field.choices == ROLES else "none", **field.words}
            style = ValueStyle(words, hint=hint, is_stepped=field.is_stepped)
            return ChoiceBar.field(values, [picked], style=style, id=id)
        case "roles":
            style = ValueStyle(WORDS, hint=hint)
            return ChoiceBar.field(ROLES, value or (), is_many=True, style=style, id=id)
        case "labels" if look is not None:
            return _labels(id, value, look)
        case "message" | "messages":
            return MessageEditor(value, is_one=field.kind == "message", id=id)
        case "number":
            return NumberInput(str(value or ""), id=id, compact=True, placeholder=NONE)
        case _:
            return SafeInput(str(value or ""), id=id, compact=True, placeholder=hint or NONE)


def _labels(id: str, value: Any, look: Look) -> ChoiceBar:
    """Return a box for each label there is, with how many visible messages carry it."""
    marks = look.conversation.marks
    given = tuple(value or ())
    labels = list(dict.fromkeys((*marks, *given)))
    counts = {one: _visible_count(marks.get(one, ()), look) for one in labels}
    style = ValueStyle(
        notes={one: plural(count, "message") for one, count in counts.items()},
        symbols={one: Piece("★", mark_kind(one)) for one in labels},
        hint="" if labels else "no message is marked",
        has_boxes=True,
    )
    return ChoiceBar.field(labels, given, is_many=True, style=style, id=id)


def _visible_count(raws: Sequence[int], look: Look) -> int:
    """Return how many of some messages are visible; of very many, how many there are."""
    if len(raws) > MOST_COUNTED:
        return len(raws)
    return sum(raw in look.view for raw in raws)


# The operation a form represents, as JSON, with the value that was changed last lit.

INDENT = 1


class OperationBox(Styled, Widget):
    """A heading, and a few lines of JSON on sunk paper; as tall as they are."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._asked: Mapping[str, Any] = {}
        self._changed = ""
        self._lines: list[Line] = []

    def show(self, asked: Mapping[str, Any], changed: str) -> None:
        self._asked, self._changed = asked, changed
        self._lay_out()

    def on_resize(self) -> None:
        self._lay_out()

    def _lay_out(self) -> None:
        room = (self.size.width or 40) - 2 * INDENT
        self._lines = operation_lines(self._asked, self._changed, room)
        self.styles.height = 1 + len(self._lines)
        self.refresh()

    @property
    def lines(self) -> int:
        return 1 + len(self._lines)

    @property
    def text(self) -> str:
        """Return what is shown as plain text."""
        return "\n".join("".join(piece.text for piece in line) for line in self._lines)

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if y == 0:
            return self.strip([Piece("As an operation", "muted")], "plain", width)
        line = self._lines[y - 1] if y <= len(self._lines) else []
        return self.strip([Piece(" " * INDENT), *line], "opened", width)


# The pane next to the fields of a form: what would happen, fitted to its size.


class OutcomePane(TextPane):
    """Shows as much as fits; with the focus it shows everything, and scrolls.

    What it draws is made for a width and a height, or without a height where nothing has to fit.
    """

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._fitted: Callable[[int, int | None], Sequence[Line]] = lambda *_: []
        self._height = 0

    def present(self, make: Callable[[int, int | None], Sequence[Line]]) -> None:
        self._fitted = make
        self._draw()

    def wanted(self, most: int) -> int:
        """Return how many lines there would be with room for at most so many."""
        width = self.scrollable_content_region.width
        return len(self._fitted(width, most)) if width else 0

    def on_resize(self) -> None:
        if self.content_size.height != self._height:
            self._draw()

    def on_focus(self) -> None:
        self._draw()

    def on_blur(self) -> None:
        self._draw()
        self.scroll_to(y=0, animate=False)

    def _draw(self) -> None:
        self._height = self.content_size.height
        height = None if self.has_focus else self._height
        self.show(lambda width: self._fitted(width, height), top=False)
