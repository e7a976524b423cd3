"""Options as lines: a value to step through is between arrows, one that is on or off has a box."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from ctxtui.text.icons import BOXES
from ctxtui.text.line_source import NumberedSource, RowBlock
from ctxtui.text.lines import Line, Piece, hanging, line_width
from ctxtui.text.symbols import printable

# Options: what can be chosen before something is done, one row each.

OptionKind = Literal["turn", "flag", "typed"]
"""Whether it is turned among a few values, on or off, or typed."""


class Option(NamedTuple):
    """One thing to choose: what it is called, and what is chosen, in words."""

    name: str
    label: str
    value: str
    kind: OptionKind = "turn"
    group: str = ""
    is_on: bool = False
    """Whether it counts: a flag that is set, or a value that is not the usual one."""
    about: str = ""
    """A few words behind the value, such as how much there is of it."""


LABEL = 17
LONGEST = 60


def option_row(option: Option, width: int) -> Line:
    """Return an option: its name, what is chosen, and a few words behind that at the right."""
    kind = "bright" if option.is_on else "text"
    value = printable(option.value, LONGEST)
    row: Line
    if option.kind == "flag":
        box = Piece(f"{BOXES[option.is_on]} ", "key" if option.is_on else "faint")
        row = [Piece("   "), box, Piece(option.label, "text" if option.is_on else "muted")]
        row += [Piece(f" {value}", "faint")] if value else []
    else:
        arrows = option.kind == "turn"
        row = [
            Piece(f"   {option.label:<{LABEL}}"),
            Piece("‹ " if arrows else "  ", "faint"),
            Piece(value, kind),
            Piece(" ›" if arrows else "", "faint"),
        ]
    if option.about:
        room = width - line_width(row) - 1
        row.append(Piece(option.about.rjust(max(0, room)), "bright" if option.is_on else "faint"))
    return row


# Options as rows, in groups with a name above each.


class OptionSource(NumberedSource):
    """A row for each option; the last of a group has the name of the next one below it."""

    def __init__(self, options: Sequence[Option]) -> None:
        self.options = options

    def __len__(self) -> int:
        return len(self.options)

    def header(self, width: int) -> Line | None:
        group = self.options[0].group if self.options else ""
        return [Piece(f" {group}", "muted")] if group else None

    def line(self, at: int, width: int) -> Line:
        return option_row(self.options[at], width)

    def blocks(self, width: int) -> Sequence[RowBlock]:
        """Return how many rows each takes: three where another group follows."""
        return [RowBlock(1, 3 if self._next_group(at) else 1) for at in range(len(self))]

    def below(self, at: int, width: int) -> list[Line]:
        group = self._next_group(at)
        return [[], [Piece(f" {group}", "muted")]] if group else []

    def stands_between(self, at: int) -> bool:
        return True

    def _next_group(self, at: int) -> str:
        later = self.options[at + 1].group if at + 1 < len(self.options) else ""
        return later if later != self.options[at].group else ""


# Choices to pick one from: what each is called, and in as many rows as it takes what it is.


class ChoiceSource(NumberedSource):
    """A list of names, each with a sentence behind it that wraps below itself."""

    def __init__(self, rows: Sequence[tuple[Line, str]], header: str = "") -> None:
        self._rows, self._header = rows, header

    def __len__(self) -> int:
        return len(self._rows)

    def header(self, width: int) -> Line | None:
        return [Piece(self._header, "faint")] if self._header else None

    def line(self, at: int, width: int) -> Line:
        return self._lines(at, width)[0]

    def blocks(self, width: int) -> Sequence[RowBlock]:
        return [RowBlock(1, len(self._lines(at, width))) for at in range(len(self))]

    def below(self, at: int, width: int) -> list[Line]:
        return self._lines(at, width)[1:]

    def _lines(self, at: int, width: int) -> list[Line]:
        name, sentence = self._rows[at]
        return hanging(name, sentence, width - 1)
