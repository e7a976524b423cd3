"""The text view: a conversation to read from its beginning to its end."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual.binding import BindingType
from textual.message import Message

from ctxtui.background import background_of
from ctxtui.commands.command import Conditions, bindings
from ctxtui.core.engine.text_search import TextFinder
from ctxtui.inspector.drawing.text_view import ConversationText, foldable
from ctxtui.inspector.keys import TEXT_VIEW
from ctxtui.inspector.models.look import Look
from ctxtui.text.lines import Piece
from ctxtui.text.plurals import percent
from ctxtui.widgets.panes import TextPane

QUICK_MESSAGES = 200
"""How many messages are laid out at once; more are laid out in the background."""


class TextView(TextPane):
    """Shows the visible messages as one text; the one at the top is the one keys are for."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(TEXT_VIEW)

    @dataclass
    class Reached(Message):
        """Another message is at the top."""

        raw: int

    def __init__(self) -> None:
        super().__init__(id="text")
        self.look: Look | None = None
        self.raw: int | None = None
        self._text: ConversationText | None = None
        self._unfolded: set[int] = set()
        self._is_going = False
        """Whether it is scrolled to a message, and not by the user."""

    def show_look(self, look: Look, raw: int | None, finder: TextFinder | None) -> None:
        """Show a look, with a message at the top."""
        if self.look is None or look.conversation is not self.look.conversation:
            self._unfolded.clear()
        self.look, self.finder, self._text = look, finder, None
        self.raw = raw if raw is not None and raw in look.view else next(iter(look.view), None)
        self._lay_out()

    def on_resize(self) -> None:
        self._text = None
        self._lay_out()

    def on_show(self) -> None:
        self._lay_out()

    def _lay_out(self) -> None:
        look, width = self.look, self.scrollable_content_region.width
        if look is None or width < 1 or not self.is_on_screen or self._text is not None:
            return
        make = partial(ConversationText, look, width, frozenset(self._unfolded))
        if len(look.view) <= QUICK_MESSAGES:
            self._laid_out(look, make())
        else:
            self.show(lambda _: [[Piece("… laying out", "muted")]])
            background_of(self).run(
                "lay out the text", lambda _: make(), partial(self._laid_out, look)
            )

    def _laid_out(self, look: Look, text: ConversationText) -> None:
        if look is not self.look:
            return
        self._text = text
        self.show(lambda _: text.lines, top=False)
        self.go_to(self.raw)

    def go_to(self, raw: int | None) -> None:
        """Scroll to a message, which is then the one that keys are for."""
        start = None if self._text is None or raw is None else self._text.start(raw)
        if start is not None:
            self._is_going = True
            self.scroll_to(y=start, animate=False, immediate=True)
            self._is_going = False
            self._reach(raw)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if self._text is not None and not self._is_going:
            self._reach(self._text.at(round(new_value)))

    def _reach(self, raw: int | None) -> None:
        if raw is not None and raw != self.raw:
            self.raw = raw
            self.post_message(self.Reached(raw))
        look = self.look
        if look is not None and raw is not None:
            share = percent(round(self.scroll_offset.y), max(1, self.max_scroll_y))
            place = f"message {raw}  {share}"
            about = [Piece("whole messages ", "muted"), Piece(f"{len(look.view):,}", "bright")]
            self.frame("0 Text", about, lambda: [Piece(place, "muted")])

    def key_conditions(self) -> Conditions:
        look, raw = self.look, self.raw
        known = look is not None and raw is not None and raw < look.log_size
        return {"folded": known and look is not None and raw is not None and foldable(look, raw)}

    def action_next_message(self, by: int) -> None:
        """Go to the next message, or to the one before."""
        text = self._text
        if text is None or self.raw not in text.raws:
            return
        at = max(0, min(text.raws.index(self.raw) + by, len(text.raws) - 1))
        self.go_to(text.raws[at])

    def action_unfold(self) -> None:
        """Show the whole of what is folded in the message, or fold it again."""
        if self.raw is not None:
            self._unfolded ^= {self.raw}
            self._text = None
            self._lay_out()
