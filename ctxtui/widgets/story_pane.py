"""The pane that tells the story of a lesson; a click on an answer chooses it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual import events
from textual.message import Message

from ctxtui.render.lesson.story import Story
from ctxtui.render.text.lines import Line
from ctxtui.widgets.text_pane import TextPane


class StoryPane(TextPane):
    """Shows a story for whatever room there is."""

    @dataclass
    class Chosen(Message):
        """An answer was clicked."""

        answer: int

    _answers: dict[int, int]

    def tell(self, story: Callable[[int, int], Story], *, top: bool) -> None:
        """Show a story, from the top unless it is the same step as before."""

        def make(width: int) -> Sequence[Line]:
            told = story(width, self.scrollable_content_region.height)
            self._answers = told.answers
            return told.lines

        self._answers = {}
        self.show(make, top=top)

    def on_click(self, event: events.Click) -> None:
        """Choose the answer that was clicked."""
        answer = self._answers.get(event.y - self.gutter.top + self.scroll_offset.y)
        if answer is not None:
            self.post_message(self.Chosen(answer))
