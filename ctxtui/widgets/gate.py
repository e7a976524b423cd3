"""The last gate before the terminal: nothing passes that a terminal would act on."""

from __future__ import annotations

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from ctxtui.render.symbols import without_unsafe


class Gate(LineFilter):
    """Looks at every line of every widget: ours draw symbols already, others may have forgotten."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments of a line, as wide as before."""
        safe = [without_unsafe(segment.text) for segment in segments]
        if all(text is segment.text for text, segment in zip(safe, segments, strict=True)):
            return segments
        return [
            Segment(text, segment.style, segment.control)
            for text, segment in zip(safe, segments, strict=True)
        ]


GATE = Gate()
