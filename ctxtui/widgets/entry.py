"""Fields to type in, which take from the clipboard only what can be shown."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.message import Message
from textual.widgets import Input, TextArea

from ctxtui.render.symbols import visible

LONGEST = 50_000
"""Characters that a field of a screen takes without slowing down every key."""


def showable(text: str) -> str:
    """Return a text without the characters that a terminal would act on."""
    kept = (char for char in text if char in "\n\t" or visible(char) == char)
    return "".join(kept)


class Entry(Input):
    """A field of one line."""

    def _on_paste(self, event: events.Paste) -> None:
        event.text = showable(event.text)  # Textual's own handler comes next.


class Writing(TextArea):
    """A field of many lines; what is too long for it is handed on."""

    @dataclass
    class TooLong(Message):
        """A text was pasted that would slow every key down."""

        text: str

    async def _on_paste(self, event: events.Paste) -> None:
        clean = showable(event.text)
        left = len(event.text) - len(clean)
        if left:
            said = f"{left} control characters were left out; JSON can hold them as \\u001b."
            self.notify(said, severity="warning", markup=False)
        event.text = clean  # Textual's own handler comes next.
        if len(clean) + len(self.text) > LONGEST:
            event.prevent_default()
            event.stop()
            self.post_message(self.TooLong(clean))
