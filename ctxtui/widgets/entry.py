"""Fields to type in, which take from the clipboard only what can be shown."""

from __future__ import annotations

from textual import events
from textual.widgets import Input, TextArea

from ctxtui.render.symbols import visible


def showable(text: str) -> str:
    """Return a text without the characters that a terminal would act on."""
    kept = (char for char in text if char in "\n\t" or visible(char) == char)
    return "".join(kept)


class Entry(Input):
    """A field of one line."""

    def _on_paste(self, event: events.Paste) -> None:
        event.text = showable(event.text)  # Textual's own handler comes next.


class Writing(TextArea):
    """A field of many lines."""

    async def _on_paste(self, event: events.Paste) -> None:
        clean = showable(event.text)
        left = len(event.text) - len(clean)
        if left:
            said = f"{left} control characters were left out; JSON can hold them as \\u001b."
            self.notify(said, severity="warning", markup=False)
        event.text = clean  # Textual's own handler comes next.
