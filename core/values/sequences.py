"""Sequences that can be read like a list, but not changed."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar, overload

from ..errors import format_value

T = TypeVar("T")


class ReadOnlySequence(Sequence[T]):
    """The base of sequences; a subclass has ``__len__`` and ``_item``.

    A slice is a list. Two sequences with equal items are equal, also a sequence and a list.
    """

    __slots__ = ()

    @abstractmethod
    def _item(self, index: int) -> T:
        """Return the item at an index from 0 to the length less one."""

    @overload
    def __getitem__(self, key: int) -> T: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[T]: ...
    def __getitem__(self, key: int | slice) -> T | Sequence[T]:
        size = len(self)
        if isinstance(key, slice):
            return list(map(self._item, range(*key.indices(size))))
        index = key + size if key < 0 else key
        if not 0 <= index < size:
            raise IndexError(f"index {format_value(key)} is outside 0…{size - 1}")
        return self._item(index)

    def __iter__(self) -> Iterator[T]:
        return map(self._item, range(len(self)))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ReadOnlySequence | list | tuple):
            return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(list(self))


class ReadOnlyList(ReadOnlySequence[T]):
    """The first items of a list that may grow, each as ``read`` gives it."""

    __slots__ = ("_items", "_read", "_size")

    def __init__(
        self,
        items: Sequence[T],
        read: Callable[[T], T] | None = None,
        *,
        size: int | None = None,
    ) -> None:
        self._items = items
        self._read = read
        self._size = size

    def __len__(self) -> int:
        return len(self._items) if self._size is None else self._size

    def _item(self, index: int) -> T:
        item = self._items[index]
        return item if self._read is None else self._read(item)
