"""A conversation as one text: whole messages one below the other, tool results folded."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Sequence
from itertools import accumulate

from ctxtui.core.engine.messages import Part, ThinkingPart, ToolResultPart, ToolUsePart
from ctxtui.inspector.drawing.message import finding_strip
from ctxtui.inspector.models.look import Look
from ctxtui.text.lines import Joined, Line, Lines, Piece, fit, spread
from ctxtui.text.message import GLYPHS, part_lines, part_text, tool_names
from ctxtui.text.numbers import to_the_minute
from ctxtui.text.plurals import plural

MEASURE = 100
"""Cells of the longest line: longer ones are hard to read."""
INDENT = Piece("    ")
FOLDED_LINES = 3
"""Lines of a tool result, or of thinking, from which on it is folded."""


class ConversationText:
    """The visible messages as lines of a width, and where each of them begins."""

    def __init__(self, look: Look, width: int, unfolded: Container[int]) -> None:
        self.raws = list(look.view)
        parts = [message_text(look, raw, width, is_open=raw in unfolded) for raw in self.raws]
        self.lines = Joined(parts)
        self.starts = list(accumulate(map(len, parts), initial=0))[:-1]

    def at(self, row: int) -> int | None:
        """Return the message of a row."""
        place = bisect_right(self.starts, row) - 1
        return self.raws[place] if 0 <= place < len(self.raws) else None

    def start(self, raw: int) -> int | None:
        """Return the first row of a message, if it is visible."""
        return self.starts[self.raws.index(raw)] if raw in self.raws else None


class _Indented(Lines):
    """Lines behind an indent."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._inner = lines

    def __len__(self) -> int:
        return len(self._inner)

    def line(self, at: int) -> Line:
        return [INDENT, *self._inner[at]]


def message_text(look: Look, raw: int, width: int, *, is_open: bool) -> Sequence[Line]:
    """Return a whole message: who, what is wrong, what it says, and an empty line."""
    message = look.state.log[raw]
    room = min(MEASURE, width - len(INDENT.text) - 1)
    names = ", ".join(tool_names(look.state.log, raw).values())
    head = [
        Piece(f" {GLYPHS[message.role]} {message.role}", message.role),
        Piece(f"  {raw}", "muted"),
        Piece(f"   {names}" if names else "", "muted"),
    ]
    if message.timestamp is not None:
        head.append(Piece(f"   {to_the_minute(message.timestamp)}", "faint"))
    labels = [Piece(f"★ {label}  ", "mark") for label in look.marked.get(raw, [])]
    end = [*labels, Piece(f"{look.tokens(raw):,} ", "muted")]
    body: list[Sequence[Line]] = [[spread(head, end, width)]]
    if look.is_linted:
        body.append(finding_strip(look, raw, width))
    for part in message.parts:
        body.append(_Indented(_part(part, room, is_open=is_open)))
    return Joined([*body, [[]]])


def _part(part: Part, room: int, *, is_open: bool) -> Sequence[Line]:
    lines = part_lines(part, room)
    if isinstance(part, ToolUsePart) and len(lines) > 1 + FOLDED_LINES and not is_open:
        text = part_text(part).removesuffix(f"  ({part.id})")
        return [[Piece(fit(text, room).rstrip())], _folded(len(lines) - 1, "", room)]
    if not isinstance(part, ToolResultPart | ThinkingPart) or len(lines) <= 1 + FOLDED_LINES:
        return lines
    if is_open:
        return lines
    start = "".join(piece.text for piece in lines[1])
    return [list(lines[0]), _folded(len(lines) - 1, start, room)]


def _folded(count: int, start: str, room: int) -> Line:
    said = f"▸ {plural(count, 'line')} folded"
    return [
        Piece(said, "muted"),
        Piece(f"   {fit(start.strip(), max(0, room - len(said) - 3)).rstrip()}", "faint"),
    ]


def foldable(look: Look, raw: int) -> bool:
    """Return whether a message has something that is folded at first."""
    kinds = (ToolUsePart, ToolResultPart, ThinkingPart)
    return any(
        isinstance(part, kinds) and len(part_lines(part, MEASURE)) > 1 + FOLDED_LINES
        for part in look.state.log[raw].parts
    )
