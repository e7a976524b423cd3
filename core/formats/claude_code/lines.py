"""Lines of a transcript: what each is, and which line it follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..warnings import WarningCollector

TALKING = ("user", "assistant")
TITLES = (("custom-title", "customTitle"), ("ai-title", "aiTitle"), ("summary", "summary"))
"""Lines that name the conversation, the best one first, and the key of the name."""
UNKNOWN = -2
"""The line that a line names as its parent, but that is not there."""
NOTHING = -1
"""What the first line follows."""

Key = tuple[object, ...]


class Line:
    """A line of a transcript, its number in the file, and what is asked of it again and again.

    ``uuid`` is what other lines call it by, ``parent`` the line it says it follows.
    """

    __slots__ = ("data", "is_boundary", "is_message", "is_side", "number", "parent", "uuid")

    def __init__(self, number: int, data: Mapping[str, Any]) -> None:
        self.number = number
        self.data = data
        self.uuid = _text(data.get("uuid"))
        self.parent = _text(data.get("parentUuid"))
        said = data.get("message")
        is_said = type(said) is dict or isinstance(said, Mapping)
        self.is_message = is_said and data.get("type") in TALKING
        """Whether somebody says something in it."""
        self.is_boundary = data.get("subtype") == "compact_boundary"
        """Whether what came before it was compacted."""
        self.is_side = data.get("isSidechain") is True
        """Whether a sub-agent wrote it."""

    @property
    def is_summary(self) -> bool:
        """Tell whether it stands for what came before it."""
        return self.data.get("isCompactSummary") is True

    @property
    def message_id(self) -> str | None:
        """Return the id of the answer of which it may be one of several blocks."""
        return _text(self.data["message"].get("id")) if self.is_message else None


def links(lines: Sequence[Line]) -> list[int]:
    """Return for each line the place of the one it follows.

    In a file in which no line names another, each follows the one before.
    """
    places: dict[str, int] = {}
    for place, line in enumerate(lines):
        if line.uuid is not None:
            places.setdefault(line.uuid, place)
    is_flat = all(line.parent is None for line in lines)
    before = {True: NOTHING, False: NOTHING}
    found = []
    for place, line in enumerate(lines):
        link = NOTHING if line.parent is None else places.get(line.parent, UNKNOWN)
        if line.is_boundary:
            logical = _text(line.data.get("logicalParentUuid"))
            link = places.get(logical, NOTHING) if logical is not None else NOTHING
        if link == NOTHING and (is_flat or line.is_boundary or line.uuid is None):
            link = before[line.is_side]
        found.append(NOTHING if link == place else link)
        if line.is_message:
            before[line.is_side] = place
    return found


def sorted_out(lines: Sequence[Line], follows: Sequence[int]) -> dict[Key, list[int]]:
    """Return the places of each conversation's lines: the main ones and those of sub-agents.

    Lines that nobody says anything in and nobody follows belong to the first.
    """
    keys: dict[int, Key] = {}
    found: dict[Key, list[int]] = {}
    loose: list[int] = []
    for place, line in enumerate(lines):
        link = follows[place]
        if line.uuid is None and not line.is_message:
            loose.append(place)
            continue
        key = keys.get(link)
        if key is None or key[0] is not line.is_side:
            name = _text(line.data.get("agentId")) if line.is_side else None
            whose = name or (place if line.is_side else _text(line.data.get("sessionId")))
            key = (line.is_side, whose)
        keys[place] = key
        found.setdefault(key, []).append(place)
    if loose:
        first = next(iter(found), (False, None))
        found[first] = sorted([*found.get(first, ()), *loose])
    return found


def title_of(lines: Sequence[Line]) -> str | None:
    """Return what lines call the conversation; the last name of the best kind counts."""
    for kind, key in TITLES:
        for line in reversed(lines):
            if line.data.get("type") == kind and _text(line.data.get(key)):
                return str(line.data[key])
    return None


def tell_twice(line: Line, is_same: bool, warnings: WarningCollector) -> None:
    """Note that the uuid of a line is that of an earlier one."""
    if is_same:
        warnings.add("message-repeated", line.number)
    else:
        warnings.add("id-repeated", line.number)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
