"""The selection: messages picked by hand, and where a range was begun."""

from __future__ import annotations

from typing import Protocol


class Ordered(Protocol):
    """A list whose items have keys and places."""

    def key(self, at: int) -> int:
        """Return the key of an item."""
        ...

    def find(self, key: int) -> int | None:
        """Return the place of a key, or None where it is not here."""
        ...


class Selection:
    """Raw indices of messages; what acts on one message acts on all of them."""

    def __init__(self) -> None:
        self.raws: frozenset[int] = frozenset()
        self.anchor: int | None = None

    def __bool__(self) -> bool:
        """Tell whether there is anything to let go."""
        return bool(self.raws) or self.anchor is not None

    def toggle(self, raw: int) -> None:
        """Select a message, or take it out."""
        self.raws ^= {raw}

    def extend(self, source: Ordered, one: int, other: int) -> None:
        """Select everything between two messages in the order of a list."""
        ends = sorted(at for key in (one, other) if (at := source.find(key)) is not None)
        if ends:
            self.raws |= {source.key(at) for at in range(ends[0], ends[-1] + 1)}

    def mark_or_extend(self, source: Ordered, here: int | None) -> bool:
        """Select from the anchor to here; without an anchor set one, and return False."""
        anchor, self.anchor = self.anchor, None
        if anchor is None or here is None or source.find(anchor) is None:
            self.anchor = here
            return False
        self.extend(source, anchor, here)
        return True

    def with_range(self, source: Ordered, here: int | None) -> frozenset[int]:
        """Return what is selected, and what would be if the range under way ended here."""
        if self.anchor is None or here is None or source.find(self.anchor) is None:
            return self.raws
        whole = Selection()
        whole.raws = self.raws
        whole.extend(source, self.anchor, here)
        return whole.raws

    def clear(self) -> None:
        """Forget it all."""
        self.raws, self.anchor = frozenset(), None
