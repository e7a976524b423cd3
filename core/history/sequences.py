"""Read-only sequences that look things up as they are read, instead of copying them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar, overload

from ..messages.message import Message
from ..views.view import View

T = TypeVar("T")


class Listing(Sequence[T]):
    """A list nobody can change from outside; ``each`` finishes an item when it is read."""

    __slots__ = ("_each", "_items")

    def __init__(self, items: Sequence[T], each: Callable[[T], T] | None = None) -> None:
        self._items = items
        self._each = each

    def __len__(self) -> int:
        """Return how many items there are."""
        return len(self._items)

    @overload
    def __getitem__(self, key: int) -> T: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[T]: ...
    def __getitem__(self, key: int | slice) -> T | Sequence[T]:
        """Return an item, or a list of them."""
        if isinstance(key, slice):
            return [item if self._each is None else self._each(item) for item in self._items[key]]
        item = self._items[key]
        return item if self._each is None else self._each(item)

    def __iter__(self) -> Iterator[T]:
        """Yield the items in order."""
        return iter(self._items) if self._each is None else map(self._each, self._items)

    def __eq__(self, other: object) -> bool:
        """Compare by content, also with a plain list."""
        if isinstance(other, Listing | list | tuple):
            return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """Show the items."""
        return repr(list(self))


class Visible(Sequence[Message]):
    """The messages of a view, in visible order."""

    __slots__ = ("_log", "_view")

    def __init__(self, log: Sequence[Message], view: View) -> None:
        self._log = log
        self._view = view

    def __len__(self) -> int:
        """Return how many messages are visible."""
        return len(self._view)

    @overload
    def __getitem__(self, key: int) -> Message: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[Message]: ...
    def __getitem__(self, key: int | slice) -> Message | Sequence[Message]:
        """Return the message at a visible position, or a stretch of them."""
        if isinstance(key, slice):
            return Visible(self._log, self._view[key])
        return self._log[self._view[key]]

    def __iter__(self) -> Iterator[Message]:
        """Yield the messages in visible order."""
        return map(self._log.__getitem__, self._view)

    def __eq__(self, other: object) -> bool:
        """Compare by content, also with a plain list."""
        if isinstance(other, Visible | list | tuple):
            return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]
