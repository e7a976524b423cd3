"""Parameters: numbers of a policy that have a name, so that one file is a whole family.

``{"parameters": {"k": 60}}`` lets ``"$k"``, ``"$k+20"``, ``"$k-5"`` and ``"-$k"`` stand wherever a
number does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..errors import Refused, key_name, not_a, outside, shown
from ..values.models import read_number, to_camel
from ..values.numbers import SPACES, count_in

TEXTS = frozenset(
    {
        "operation",
        "name",
        "description",
        "text",
        "template",
        "label",
        "marks",
        "keepMarks",
        "contentContains",
        "contentExcludes",
        "message",
        "messages",
        "data",
        "toolDescription",
    }
)
"""Fields that hold texts: a dollar in them is a dollar."""
MOST_SETTINGS = 1_000
"""Settings of one sweep; more are a slip of the hand."""

_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_REFERENCE = re.compile(r"(-?)\$([A-Za-z_]\w*)(?:\s*([+-])\s*([0-9]{1,18}))?", re.ASCII)

Parameters = Mapping[str, int]
MOST_SWEPT = 10**12


def read_parameters(value: object) -> dict[str, int]:
    """Return names and their numbers, or refuse them."""
    if not isinstance(value, Mapping):
        raise not_a("parameters", value, "an object of names and whole numbers")
    for name in value:
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise not_a("parameters", name, "a name of letters, digits and underscores")
    return {name: read_number(number, f"parameters.{name}") for name, number in value.items()}


def filled_in(data: Any, parameters: Parameters) -> Any:
    """Return JSON data with a number in place of each reference to a parameter."""
    if isinstance(data, Mapping):
        return {
            key: value if holds_text(key) else _value(key_name(key), value, parameters)
            for key, value in data.items()
        }
    if isinstance(data, list | tuple):
        return [filled_in(item, parameters) for item in data]
    return data


def _value(key: str, value: Any, parameters: Parameters) -> Any:
    found = _REFERENCE.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return filled_in(value, parameters)
    sign, name, way, more = found.groups()
    if name not in parameters:
        legal = ", ".join(parameters) or "a policy with parameters"
        raise Refused(
            f"{key} {shown(value)} names no parameter; there are {legal}"
            if parameters
            else f"{key} {shown(value)} names a parameter, and the policy has none",
            field=key,
            value=value,
            legal=legal,
        )
    number = parameters[name] + int(f"{way or '+'}{more or 0}")
    return -number if sign else number


def holds_text(key: object) -> bool:
    """Tell whether a field holds what is said, in which no number is a setting."""
    return isinstance(key, str) and to_camel(key) in TEXTS


def with_field(data: Any, name: str, value: int) -> tuple[Any, int]:
    """Return JSON data in which every field of a name holds a value, and how many there are."""
    wanted = to_camel(name)
    if isinstance(data, Mapping):
        count, made = 0, {}
        for key, inner in data.items():
            if isinstance(key, str) and to_camel(key) == wanted and not holds_text(key):
                made[key], found = value, 1
            elif holds_text(key):
                made[key], found = inner, 0
            else:
                made[key], found = with_field(inner, name, value)
            count += found
        return made, count
    if isinstance(data, list | tuple):
        pairs = [with_field(item, name, value) for item in data]
        return [item for item, _ in pairs], sum(found for _, found in pairs)
    return data, 0


class Sweep:
    """A name and the numbers it is to take, one after the other: ``keepLast=10:200:10``."""

    def __init__(self, name: str, start: int, stop: int, step: int = 1) -> None:
        if not _NAME.fullmatch(name):
            raise not_a("sweep", name, "the name of a parameter or field")
        if step < 1:
            raise outside("step", step, "1 or more")
        if stop < start:
            raise outside("last", stop, f"{start} or more")
        self.name, self.start, self.stop, self.step = name, start, stop, step
        if len(self) > MOST_SETTINGS:
            raise outside("sweep", f"{len(self)} settings", f"1…{MOST_SETTINGS} settings")

    @classmethod
    def read(cls, text: str) -> Sweep:
        """Return a sweep as it is typed: NAME=FIRST:LAST:STEP, the last one included."""
        name, equals, values = text.partition("=")
        pieces = values.split(":")
        numbers = [count_in(piece.strip(SPACES)) for piece in pieces]
        known = [number for number in numbers if number is not None and number < MOST_SWEPT]
        if not equals or len(pieces) not in (2, 3) or len(known) < len(pieces):
            raise not_a("sweep", text, "NAME=FIRST:LAST or NAME=FIRST:LAST:STEP")
        return cls(name.strip(), *known)

    def __len__(self) -> int:
        """Return how many numbers there are."""
        return (self.stop - self.start) // self.step + 1

    def __iter__(self) -> Iterator[int]:
        """Yield the numbers."""
        return iter(range(self.start, self.stop + 1, self.step))

    def __str__(self) -> str:
        """Return the sweep as it is typed."""
        return f"{self.name}={self.start}:{self.stop}:{self.step}"
