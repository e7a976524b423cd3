"""The interface of all formats: how conversations are detected, read and written."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, IntEnum
from itertools import islice
from typing import Any, ClassVar

from ..conversation.conversation import Conversation
from ..engine.messages import Message
from ..errors import Refused, wrong_type
from .detection import CHATS, FIRST, SHAPES, detect_kind, sure_kind, sure_signs
from .fields import is_object
from .format_metadata import without
from .json_text import dump_json
from .source import Source, SourceSample
from .warnings import FormatWarning, WarningCollector, without_values


def read_rows(
    rows: Sequence[object],
    read: Callable[[object, int], Message],
    warnings: WarningCollector,
    noun: str = "messages",
) -> list[Message]:
    """Return the messages of all rows; a bad one is reported, and the first refused if all are."""
    first: Refused | None = None
    messages = []
    for place, row in enumerate(rows):
        try:
            messages.append(read(row, place))
        except Refused as refusal:
            first = first or refusal.prefixed(f"{noun}[{place}]")
            warnings.add(f"{noun[:-1]}-unreadable", place, without_values(refusal))
    if first is not None and not messages:
        raise first
    return messages


def rows_in(value: object, key: str) -> list[Any] | None:
    """Return the list under a key of an object, or the value itself where that is a list."""
    rows = value.get(key) if is_object(value) else value
    return rows if isinstance(rows, list) else None


def split_rows(value: object, key: str, legal: str) -> tuple[list[Any], dict[str, Any]]:
    """Return the rows of a conversation and what is next to them, or refuse it."""
    rows = rows_in(value, key)
    if rows is None:
        raise wrong_type(key, value.get(key) if is_object(value) else value, legal)
    return rows, without(value, key) if is_object(value) else {}


class Confidence(IntEnum):
    """How sure a format is that some data is its own; the surest one reads it."""

    NO = 0
    POSSIBLE = 1  # It can be read, but so could other things.
    LIKELY = 2  # It has what only this format has.
    CERTAIN = 3  # It names its format itself.


class Layout(Enum):
    """How the conversations of a file are arranged."""

    DOCUMENT = "document"  # One JSON value: the one conversation.
    LIST = "list"  # One JSON list of conversations.
    LINES = "lines"  # A conversation in each line.
    ITEMS = "items"  # An item of the one conversation in each line.
    TEXT = "text"  # No JSON at all.


@dataclass(frozen=True, slots=True)
class Loaded:
    """A conversation that was read; each warning is about something adapted.

    ``layout`` and ``place`` (its line or its number in the list, from 1) say where it was.
    """

    conversation: Conversation
    format: str
    warnings: tuple[FormatWarning, ...] = ()
    layout: Layout = Layout.DOCUMENT
    place: int = 1

    @property
    def title(self) -> str | None:
        title = self.conversation.meta.get("title")
        return title if isinstance(title, str) else None


@dataclass(frozen=True, slots=True)
class Written:
    """A conversation as data; each warning is about something the format can't hold.

    ``data`` is JSON-ready; for ``Layout.ITEMS`` a list that is written line by line, for
    ``Layout.TEXT`` the text itself.
    """

    data: Any
    warnings: tuple[FormatWarning, ...] = ()
    layout: Layout = Layout.DOCUMENT

    @property
    def text(self) -> str:
        match self.layout:
            case Layout.TEXT:
                return str(self.data)
            case Layout.ITEMS:
                return "".join(f"{dump_json(item)}\n" for item in self.data)
        return dump_json(self.data) + "\n"


class Format(ABC):
    """A way to store conversations in files.

    ``about`` completes "it is …". ``suffixes`` are endings of file names that choose the format for
    an export; the longest one counts. ``kinds`` are the kinds of ``detection`` that it reads, and
    ``signs`` shapes that its files have, which are of the first of its kinds; ``sure_signs`` are
    had by no other file, so that one of them among the first lines is enough. ``text_sign`` is a
    pattern that a text begins with that is no JSON. ``many`` is whether a file can hold several
    conversations, ``lies_mixed`` whether their lines alternate, so that no line belongs to one of
    them. ``own_data`` are the types or keys of parts that it stores as data on purpose, where much
    data of other kinds means that a file is of another format.
    """

    name: ClassVar[str]
    about: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]] = ()
    kinds: ClassVar[tuple[str, ...]] = ()
    signs: ClassVar[tuple[object, ...]] = ()
    sure_signs: ClassVar[tuple[object, ...]] = ()
    text_sign: ClassVar[str] = ""
    own_data: ClassVar[tuple[str, ...] | None] = None
    reads: ClassVar[bool] = True
    writes: ClassVar[bool] = True
    many: ClassVar[bool] = True
    lies_mixed: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        SHAPES.extend((cls.kinds[0], sign) for sign in cls.__dict__.get("signs", ()))
        sure_signs((cls.kinds[0], sign) for sign in cls.__dict__.get("sure_signs", ()))

    def confidence(self, sample: SourceSample) -> Confidence:
        """Return how sure it is, by content alone, that this is its own, even if damaged."""
        if sample.text is not None:
            return self.confidence_of_text(sample.text)
        return self.confidence_by_kind(sample.data)

    def confidence_by_kind(self, data: object) -> Confidence:
        """Return how sure it is by the kind of some data."""
        if self.sure_signs and sure_kind(data) in self.kinds:
            return Confidence.CERTAIN
        return Confidence.LIKELY if detect_kind(data) in self.kinds else Confidence.NO

    def confidence_of_text(self, text: str) -> Confidence:
        """Return how sure it is of a text that is no JSON, by how that begins."""
        is_own = self.text_sign and re.match(self.text_sign, text)
        return Confidence.CERTAIN if is_own else Confidence.NO

    @abstractmethod
    def read(self, source: Source) -> Iterator[Loaded]:
        """Yield each conversation as soon as it is read; refuse only what has none at all.

        What is wrong with a part of it is noted in ``source.collector`` or ``Loaded.warnings``.
        """

    def read_on(self, rows: Sequence[object]) -> tuple[Message, ...] | None:
        """Return the messages of lines that were added to a file of items.

        None says that they can't be read without those before them, as in most formats.
        """
        return None

    @abstractmethod
    def write(self, conversation: Conversation) -> Written:
        """Return a conversation as data, with warnings about what is left out."""

    def among_several(self, data: Any) -> Any:
        """Return a conversation's data as it is written in a line or a list of several."""
        return data

    def write_all(
        self, conversations: Iterable[Conversation], layout: Layout, warnings: WarningCollector
    ) -> Iterator[str]:
        """Yield the text of a file with several conversations, piece by piece."""
        for before, piece in self.write_each(conversations, layout, warnings):
            yield before
            yield piece

    def write_each(
        self, conversations: Iterable[Conversation], layout: Layout, warnings: WarningCollector
    ) -> Iterator[tuple[str, str]]:
        """Yield each conversation of a file with the text before it, and at last the end.

        A layout that the format does not support is replaced. What is left out is added to
        warnings, by the number of the conversation.
        """
        before, between, end = "", "", ""
        for number, conversation in enumerate(conversations, 1):
            written = self.write(conversation)
            if written.layout in (Layout.TEXT, Layout.ITEMS):
                layout = written.layout
            if number == 1:
                before, between, end = AROUND.get(layout, ("", "", ""))
            elif not self.many or (layout is Layout.ITEMS and self.lies_mixed):
                raise self.holds_only_one()
            for warning in written.warnings:
                warnings.include(warning, number)
            piece = written.text
            if layout in (Layout.LIST, Layout.LINES):
                piece = dump_json(self.among_several(written.data))
                piece += "\n" if layout is Layout.LINES else ""
            yield before if number == 1 else between, piece
        yield end, ""

    def holds_only_one(self) -> Refused:
        return Refused(f"a file of the format {self.name} holds one conversation only")


AROUND = {
    Layout.LIST: ("[", ",\n", "]\n"),
    Layout.TEXT: ("", "\n---\n\n", ""),
}
"""The text before, between and after the conversations of a file."""


class WriteOnly(Format):
    """A format that nothing can be read back from."""

    reads = False

    def confidence(self, sample: SourceSample) -> Confidence:
        return Confidence.NO

    def read(self, source: Source) -> Iterator[Loaded]:
        raise Refused(f"{self.name} can be written, not read", field="format", value=self.name)


class ReadOnly(Format):
    """A format that can only be read."""

    writes = False

    def write(self, conversation: Conversation) -> Written:
        raise Refused(f"{self.name} can be read, not written", field="format", value=self.name)


LEFT_OUT = "conversation-unreadable"


class JsonFormat(Format):
    """A conversation is one JSON value: alone, in a list of them, or one in each line.

    Which of these a file is needs no code of the format. ``takes_lists`` is whether a bare list, as
    of messages, is one conversation and not a list of them; ``lines_of_items`` whether a file may
    have an item of one conversation in each line, as logs do.
    """

    takes_lists: ClassVar[bool] = False
    lines_of_items: ClassVar[bool] = False

    def confidence_of(self, value: object) -> Confidence:
        """Return how sure it is that a value is one conversation; usually its kind says it."""
        if isinstance(value, list) and not self.takes_lists:
            return Confidence.NO
        return self.confidence_by_kind(value)

    @abstractmethod
    def read_one(self, value: Any) -> Loaded:
        """Return the conversation of a value, or refuse it in one sentence."""

    def confidence(self, sample: SourceSample) -> Confidence:
        return self.layout(sample)[1]

    def read(self, source: Source) -> Iterator[Loaded]:
        """Yield the conversation of every value that has one; the others are reported."""
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

    def layout(self, sample: SourceSample) -> tuple[Layout, Confidence]:
        """Return how conversations are arranged in a sample, and how sure that is."""
        if sample.text is not None:
            return Layout.DOCUMENT, Confidence.NO
        if sample.is_lines:
            ways = {Layout.LINES: self._confidence_of_all(sample.items)}
            if self.lines_of_items:
                ways[Layout.ITEMS] = self.confidence_of(list(sample.items))
        else:
            (value,) = sample.items
            ways = {Layout.DOCUMENT: self.confidence_of(value)}
            if isinstance(value, list):
                ways[Layout.LIST] = self._confidence_of_all(value)
        layout = max(ways, key=lambda way: ways[way])
        return layout, ways[layout]

    def _confidence_of_all(self, values: Sequence[object]) -> Confidence:
        """Return how sure it is that each value is a conversation, and none of another kind."""
        full = (value for value in values if value and isinstance(value, Mapping | list))
        some = list(islice(full, FIRST))
        if detect_kind(some) not in (None, CHATS, *self.kinds):
            return Confidence.NO
        return max(map(self.confidence_of, some), default=Confidence.NO)
