"""Fields to type in: whatever their value is, they show symbols that a terminal only draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.message import Message
from textual.widgets import Input, TextArea

from ctxtui.forms.reading import read_number
from ctxtui.models.told import warned
from ctxtui.render.text.ascii import plain_signs
from ctxtui.symbols import escaped, visible
from ctxtui.telling import tell
from ctxtui.words import plural

LONGEST_CHARACTERS = 50_000
"""Characters that a field of a screen takes without slowing down every key."""


def showable(text: str) -> str:
    """Return a text without the characters that a terminal would act on."""
    kept = (char for char in text if char in "\n\t" or visible(char) == char)
    return "".join(kept)


class SafeInput(Input):
    """A field of one line; its value stays what it is, a symbol stands for each odd character.

    The cursor is counted in what is shown, since an escape has no width and its symbol has.
    """

    @property
    def _value(self) -> Text:
        return Text(visible(self.value), no_wrap=True, overflow="ignore", end="")

    def _position_to_cell(self, position: int) -> int:
        return cell_len(visible(self.value[:position]))

    def _cell_offset_to_index(self, offset: int) -> int:
        end = 0
        for index, char in enumerate(visible(self.value)):
            end += cell_len(char)
            if offset + self.scroll_offset.x < end:
                return index
        return len(self.value)

    def validate_placeholder(self, hint: str) -> str:
        """Return the hint as it can be shown."""
        return visible(hint)

    def _on_paste(self, event: events.Paste) -> None:
        event.text = showable(event.text)  # Textual's own handler comes next.


class NumberInput(SafeInput):
    """A short field for a whole number, which can be counted up and down."""

    def on_mount(self) -> None:
        """Show that it is empty with a sign that every terminal has, where that is wanted."""
        if self.app.has_class("-ascii"):
            self.placeholder = plain_signs(self.placeholder)

    def count(self, by: int) -> None:
        """Change the number by some; an empty field starts at nothing."""
        number = read_number(self.value) if self.value.strip() else 0
        if isinstance(number, int):
            self.value = str(max(0, number + by) if number >= 0 else number + by)
            self.cursor_position = len(self.value)


class SafeTextArea(TextArea):
    """A field of many lines; what is too long for it is handed on.

    What can't be shown is written as JSON writes it, since texts that hold such characters are
    edited as JSON.
    """

    @dataclass
    class TooLong(Message):
        """A text was pasted that would slow every key down."""

        text: str

    def __init__(self, text: str = "", **settings: Any) -> None:
        super().__init__(escaped(text), **settings)

    def load_text(self, text: str) -> None:
        """Show another text."""
        super().load_text(escaped(text))

    async def _on_paste(self, event: events.Paste) -> None:
        clean = showable(event.text)
        left = len(event.text) - len(clean)
        if left:
            title = f"{plural(left, 'control character was', 'control characters were')} left out"
            tell(self, warned(title, "JSON can hold them as \\u001b."))
        event.text = clean  # Textual's own handler comes next.
        if len(clean) + len(self.text) > LONGEST_CHARACTERS:
            event.prevent_default()
            event.stop()
            self.post_message(self.TooLong(clean))
