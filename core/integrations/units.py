"""Units: objects of a framework beside the raw indices of the messages that they are."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from ..messages.message import Message
from ..messages.parts import Part, ThinkingPart, ToolResultPart

T = TypeVar("T")
Essence = tuple[Hashable, ...]
"""What messages say, whatever ids, times and notes they carry."""


@dataclass(eq=False, slots=True)
class Unit(Generic[T]):
    """Some objects that belong together, and their messages in the log."""

    objects: tuple[T, ...]
    raws: tuple[int, ...]
    essence: Essence

    def is_of(self, piece: Sequence[T]) -> bool:
        """Tell whether these very objects are its own."""
        return len(piece) == len(self.objects) and all(
            one is other for one, other in zip(piece, self.objects, strict=True)
        )

    def goes_on(self, raw: int, other: int) -> bool:
        """Tell whether both messages are its own, one behind the other."""
        raws = self.raws
        return raw in raws and other in raws and raws.index(raw) < raws.index(other)


def essence_of(messages: Sequence[Message]) -> Essence:
    """Return what some messages say, to tell whether two are the same one."""
    return tuple((one.role, *map(_bare, one.parts)) for one in messages)


def _bare(part: Part) -> Part:
    """Return a part without what a program may note on it from one call to the next."""
    if isinstance(part, ThinkingPart):
        return ThinkingPart(part.text)
    if isinstance(part, ToolResultPart) and isinstance(part.content, tuple):
        part = replace(part, content=tuple(map(_bare, part.content)))
    return part if part.metadata is None else replace(part, metadata=None)
