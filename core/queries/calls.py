"""The calls of a conversation: those on the way to a state, and all there are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import overload

from ..history.call import Call, ToolDefinitions
from ..history.call_log import CallsUntil
from ..history.sequences import Listing
from ..history.state import State


class Calls(Sequence[Call]):
    """The calls recorded on the path of a state, from its first revision on; ``all`` has the rest.

    Two calls of one revision stand in the order they were recorded.
    """

    def __init__(self, state: State) -> None:
        self._known = CallsUntil(state.calls, len(state.calls))
        self._revisions = state.revisions
        self._to = state.current

    @cached_property
    def _numbers(self) -> tuple[int, ...]:
        """Find the calls of the path when somebody asks for them."""
        return self._known.on_path(self._revisions, self._to)

    @property
    def all(self) -> Sequence[Call]:
        """Return every call in the order they were recorded, those of other branches too."""
        return Listing(self._known)

    @property
    def tools(self) -> Mapping[str, ToolDefinitions]:
        """Return the tool definitions of all calls by the key that ``Call.tools`` holds."""
        return {key: one.definitions for key, one in self._known.tools.items()}

    def __len__(self) -> int:
        """Return how many calls there are on this path."""
        return len(self._numbers)

    @overload
    def __getitem__(self, key: int) -> Call: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[Call]: ...
    def __getitem__(self, key: int | slice) -> Call | Sequence[Call]:
        """Return a call of this path, or a list of them."""
        if isinstance(key, slice):
            return [self._known[number] for number in self._numbers[key]]
        return self._known[self._numbers[key]]

    def __iter__(self) -> Iterator[Call]:
        """Yield the calls of this path in order."""
        return map(self._known.__getitem__, self._numbers)

    def __eq__(self, other: object) -> bool:
        """Compare by content, also with a plain list."""
        if isinstance(other, Calls | list | tuple):
            return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """Show how many there are."""
        return f"Calls({len(self)} on this path, {len(self._known)} in all)"
