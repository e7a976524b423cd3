"""The tools of a call beside those of the call before: what stayed, went, came or changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from ctxtui.core.engine.tokens import count_definitions
from ctxtui.core.requests.bodies import tools_in, without_markers

ToolChange = Literal["same", "vanished", "new", "changed"]
Definitions = Sequence[Mapping[str, Any]]


class ToolRow(NamedTuple):
    """A tool: its tokens, what became of it, and whether a prompt cache could serve it."""

    name: str
    tokens: int
    change: ToolChange
    is_served: bool


class ToolTable(NamedTuple):
    """All tools of a call and of the one before, in the order they are sent.

    ``breaks`` is the place of the first one that is not as it was before; None where all are.
    """

    rows: tuple[ToolRow, ...]
    before: int
    now: int
    breaks: int | None

    @property
    def served(self) -> int:
        """Return the tokens of the tools before the first change."""
        return sum(row.tokens for row in self.rows if row.is_served)

    def names(self, change: ToolChange) -> list[str]:
        """Return the tools of which something became."""
        return [row.name for row in self.rows if row.change == change]


def tool_table(before: Definitions | None, now: Definitions, counter: str) -> ToolTable:
    """Return the tools of a call beside those of the call before, which is None for the first."""
    breaks = None if before is None else first_change(before, now)
    rows = tuple(_rows(now if before is None else before, now, breaks, counter))
    if before is None:
        rows = tuple(row._replace(is_served=False) for row in rows)
    return ToolTable(rows, len(now if before is None else before), len(now), breaks)


def first_change(before: Definitions, now: Definitions) -> int | None:
    """Return from which tool on two lists differ; markers of the cache don't count."""
    for place, (one, other) in enumerate(zip(before, now, strict=False)):
        if without_markers(one) != without_markers(other):
            return place
    return min(len(before), len(now)) if len(before) != len(now) else None


def _rows(
    before: Definitions, now: Definitions, breaks: int | None, counter: str
) -> Iterator[ToolRow]:
    """Yield the tools of now, those that vanished where they stood."""
    old = dict(zip(_keys(before), before, strict=True))
    new = dict(zip(_keys(now), now, strict=True))
    places = {key: place for place, key in enumerate(old)}
    gone = [key for key in old if key not in new]
    told = 0

    def vanished(stop: int) -> Iterator[ToolRow]:
        nonlocal told
        while told < len(gone) and places[gone[told]] < stop:
            key = gone[told]
            yield ToolRow(key[0], _tokens(old[key], counter), "vanished", is_served=False)
            told += 1

    for place, (key, tool) in enumerate(new.items()):
        yield from vanished(places.get(key, 0))
        change: ToolChange = "new"
        if key in old:
            same = without_markers(old[key]) == without_markers(tool)
            change = "same" if same else "changed"
        is_served = change == "same" and (breaks is None or place < breaks)
        yield ToolRow(key[0], _tokens(tool, counter), change, is_served)
    yield from vanished(len(old))


def _keys(tools: Definitions) -> list[tuple[str, int]]:
    """Return a key for each tool: its name, and which of that name it is."""
    seen: Counter[str] = Counter()
    keys = []
    for tool in tools:
        name = ", ".join(tools_in([tool])) or "unnamed"
        keys.append((name, seen[name]))
        seen[name] += 1
    return keys


def _tokens(tool: Mapping[str, Any], counter: str) -> int:
    return count_definitions((tool,), counter)
