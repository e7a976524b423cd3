"""The last gate before the terminal: nothing passes that a terminal would act on."""

from __future__ import annotations

import re

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from ctxtui.text.icons import to_ascii
from ctxtui.text.symbols import printable

_DANGER = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff"
    r"\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""What a terminal acts on: few enough to be looked for in every line that is drawn."""


def without_unsafe(text: str) -> str:
    """Return a text of the same width without the characters that a terminal would act on.

    Those that have no width of their own are left out, so that nothing else changes its place.
    """
    return _DANGER.sub(_same_width, text) if _DANGER.search(text) else text


def _same_width(match: re.Match[str]) -> str:
    return printable(match[0]) if cell_len(match[0]) else ""


class OutputFilter(LineFilter):
    """Looks at every line of every widget: ours draw symbols already, others may have forgotten."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        safe = [without_unsafe(segment.text) for segment in segments]
        if all(text is segment.text for text, segment in zip(safe, segments, strict=True)):
            return segments
        return [
            Segment(text, segment.style, segment.control)
            for text, segment in zip(safe, segments, strict=True)
        ]


OUTPUT_FILTER = OutputFilter()


class AsciiFilter(LineFilter):
    """Draws every widget's signs in ASCII: fields, tracks and toasts as well as our own lines."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [Segment(to_ascii(text), style, control) for text, style, control in segments]


ASCII_FILTER = AsciiFilter()
