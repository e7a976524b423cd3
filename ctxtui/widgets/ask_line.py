"""One line of input at the bottom of a screen: what to search for, where to go."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events, on
from textual.message import Message
from textual.widgets import Input

from ctxtui.widgets.entry import Entry


class AskLine(Entry):
    """Asks for one thing at a time and tells the answer."""

    @dataclass
    class Answered(Message):
        """Something was entered; or, with an empty text, the line was left."""

        what: str
        text: str
        was_left: bool = False

    def __init__(self) -> None:
        super().__init__(id="ask")
        self.what = ""

    def ask(self, what: str, hint: str) -> None:
        """Come up and ask."""
        self.what = what
        self.border_title = what
        self.placeholder = hint
        self.value = ""
        self.display = True
        self.focus()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if not self.display:
            return  # The second of two keys in a row.
        self.display = False
        self.post_message(self.Answered(self.what, self.value))

    def key_escape(self, event: events.Key) -> None:
        """Go away without an answer; nobody else hears of the key."""
        event.stop()
        self.display = False
        self.post_message(self.Answered(self.what, "", was_left=True))
