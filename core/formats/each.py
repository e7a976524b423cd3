"""Formats in which a conversation is one JSON value: alone, in a list of them, or one in a line."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, ClassVar

from ..errors import Refused
from .base import Format, Layout, Loaded, Sureness
from .detection import CHATS, recognise
from .source import Sample, Source
from .warnings import without_values

FIRST = 20
"""Conversations of a list that are looked at: they are all of one kind."""
LEFT_OUT = "conversation-unreadable"


class OneEach(Format):
    """Reads and writes one conversation as one value; how these lie in a file comes by itself."""

    takes_lists: ClassVar[bool] = False
    """Whether a bare list, as of messages, is one conversation; else it is a list of them."""
    lines_of_items: ClassVar[bool] = False
    """Whether a file with an item of one conversation in each line is read, as logs have them."""

    def sure_of(self, value: object) -> Sureness:
        """Tell how sure it is that a value is one conversation: by its kind, unless overridden."""
        if isinstance(value, list) and not self.takes_lists:
            return Sureness.NO
        return Sureness.LOOKS_LIKE if recognise(value) in self.kinds else Sureness.NO

    @abstractmethod
    def read_one(self, value: Any) -> Loaded:
        """Return the conversation of a value, or refuse it in one sentence."""

    def sureness(self, sample: Sample) -> Sureness:
        """Tell how sure it is of the surest way to see the sample."""
        return self.layout(sample)[1]

    def read(self, source: Source) -> Iterator[Loaded]:
        """Yield the conversation of every value that has one; the others are told."""
        layout, _ = self.layout(source.sample)
        if layout is Layout.DOCUMENT:
            yield self.read_one(source.document())
        elif layout is Layout.ITEMS:
            items = [value for _, value in source.records()]
            yield replace(self.read_one(items), layout=layout)
        else:
            yield from self._read_each(source, layout)

    def _read_each(self, source: Source, layout: Layout) -> Iterator[Loaded]:
        first: Refused | None = None
        found = False
        for place, value in source.records():
            try:
                loaded = self.read_one(value)
            except Refused as refusal:
                first = first or refusal.prefixed(f"{source.collector.noun} {place}")
                source.leave_out(LEFT_OUT, place, without_values(refusal))
            else:
                found = True
                yield replace(loaded, layout=layout, place=place)
        if not found and first is not None:
            raise first

    def layout(self, sample: Sample) -> tuple[Layout, Sureness]:
        """Return how conversations lie in a sample, and how sure that is."""
        if sample.is_lines:
            ways = {Layout.LINES: self._sure_of_all(sample.items)}
            if self.lines_of_items:
                ways[Layout.ITEMS] = self.sure_of(list(sample.items))
        else:
            (value,) = sample.items
            ways = {Layout.DOCUMENT: self.sure_of(value)}
            if isinstance(value, list):
                ways[Layout.LIST] = self._sure_of_all(value)
        layout = max(ways, key=lambda way: ways[way])
        return layout, ways[layout]

    def _sure_of_all(self, values: Sequence[object]) -> Sureness:
        """Return how sure it is that each value is a conversation; one of another kind tells."""
        full = (value for value in values if value and isinstance(value, Mapping | list))
        some = list(islice(full, FIRST))
        if recognise(some) not in (None, CHATS, *self.kinds):
            return Sureness.NO
        return max(map(self.sure_of, some), default=Sureness.NO)
