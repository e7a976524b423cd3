"""What can be chosen before something is done, and lists of choices with a sentence behind each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from ctxtui.text.line_source import NumberedSource, RowBlock
from ctxtui.text.lines import Line, Piece, hanging

OptionKind = Literal["choice", "flag", "number", "text"]


class Option(NamedTuple):
    """One field of a form: what it is called, its value, and what is legal in a few words."""

    name: str
    label: str
    value: Any
    choices: Mapping[Any, str] = {}
    """The values there are, each in words; without them it is typed, or a flag."""
    group: str = ""
    hint: str = ""
    is_shown: bool = True
    is_number: bool = False
    is_stepped: bool = False
    """Whether only the chosen value is shown, since there are too many."""

    @property
    def kind(self) -> OptionKind:
        if self.choices:
            return "choice"
        if isinstance(self.value, bool):
            return "flag"
        return "number" if self.is_number else "text"


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
