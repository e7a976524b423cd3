"""A call: what was sent at a revision, to which model, with which tools, and the outcome."""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right, insort
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import Field, model_validator

from ..errors import Refused, format_value, out_of_range, wrong_type
from ..values.frozen import FrozenDict, freeze, freeze_object
from ..values.models import INTERNAL, Checked, Count, Model, Text, nested, one_of, read_count
from ..values.sequences import ReadOnlySequence
from ..values.times import read_time
from .operation import Operation
from .revisions import Revision, is_on_way

Outcome = Literal["complete", "cut", "failed"]
OUTCOMES: tuple[Outcome, ...] = ("complete", "cut", "failed")
KEY_LENGTH = 16
"""Hexadecimal digits by which a set of tool definitions is known."""

MOST_COUNTED = 2**40
"""More tokens than any message or request has; sums of them still fit into the token column."""

ToolDefinitions = tuple[FrozenDict, ...]


def read_figure(value: object, field: str) -> int:
    """Return a number of tokens as a provider may have counted it."""
    count = read_count(value, field)
    if count > MOST_COUNTED:
        raise out_of_range(field, count, f"0…{MOST_COUNTED}")
    return count


def read_definitions(value: object, field: str) -> ToolDefinitions:
    """Return tool definitions frozen, in the order given; an empty list is legal."""
    if not isinstance(value, list | tuple):
        raise wrong_type(field, value, "a list of tool definitions")
    return tuple([freeze_object(one, f"{field}[{place}]") for place, one in enumerate(value)])


def tools_key(definitions: Sequence[FrozenDict]) -> str:
    """Return the key of tool definitions: the same for equal ones, whatever order keys have."""
    text = json.dumps(definitions, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode("ascii")).hexdigest()[:KEY_LENGTH]


Figure = Annotated[int, Checked(read_figure)]


class CallUsage(Model):
    """What a provider counted for one call, if it reported it.

    ``input`` is all that was sent; ``cached`` of it was served from a prompt cache and ``written``
    of it was written there.
    """

    title = "usage"
    input: Figure | None = None
    cached: Figure | None = None
    written: Figure | None = None
    output: Figure | None = None


class Call(Operation):
    """A request whose messages were the projection of a revision; it changes nothing there.

    ``tools`` is the key of the tool definitions, ``wire`` what this request wrote differently for
    messages that are the same, ``answer`` any JSON value that came back. ``time`` is when it was
    sent, which may be earlier than when it was recorded.
    """

    title = "CALL"
    revision: Count
    time: Annotated[int, Checked(read_time)]
    outcome: Annotated[Outcome, one_of(*OUTCOMES)] = "complete"
    request: Text | None = None
    model: Text | None = None
    tools: Text | None = None
    definitions: Annotated[ToolDefinitions, Checked(read_definitions)] | None = Field(
        default=None, json_schema_extra=INTERNAL
    )
    parameters: Annotated[FrozenDict, Checked(freeze_object)] | None = None
    usage: Annotated[CallUsage, nested(CallUsage)] | None = None
    answer: Annotated[Any, Checked(freeze)] = None
    wire: Annotated[FrozenDict, Checked(freeze_object)] | None = None

    @model_validator(mode="after")
    def _named_by_their_key(self) -> Self:
        if self.definitions is not None and self.tools != (key := tools_key(self.definitions)):
            raise Refused(
                f"tools {format_value(self.tools)} is not the key of the definitions, which is "
                f"{key!r}",
                field="tools",
                value=self.tools,
                legal=key,
            )
        return self

    def without_definitions(self) -> Self:
        """Return the call as readers have it; only a journal carries definitions, once a set."""
        return self if self.definitions is None else self.model_copy(update={"definitions": None})


class ToolSet(NamedTuple):
    """Tool definitions, and the number of the call that named them first."""

    first: int
    definitions: ToolDefinitions


class FoundCalls(NamedTuple):
    """The calls on the way to a revision, found when so many calls were known."""

    to: Revision | None
    known: int
    numbers: tuple[int, ...]


NOTHING_FOUND = FoundCalls(None, 0, ())


class CallLog(ReadOnlySequence[Call]):
    """All calls by number, in the order they were recorded; it only ever grows.

    The last answer is cached: a growing conversation asks about the same path again, so that
    one more call costs what is new, not what there is.
    """

    __slots__ = ("_calls", "_found", "_order", "_places", "_tools")

    def __init__(self) -> None:
        self._calls: list[Call] = []
        self._places: list[int] = []
        self._order: list[tuple[int, int]] = []
        self._tools: dict[str, ToolSet] = {}
        self._found = NOTHING_FOUND

    def __len__(self) -> int:
        return len(self._calls)

    def _item(self, index: int) -> Call:
        return self._calls[index]

    @property
    def tools(self) -> Mapping[str, ToolSet]:
        """Return the tool definitions that calls name, by key."""
        return self._tools

    def append(self, call: Call, place: int) -> None:
        """Add a call, with its index in the journal."""
        number = len(self._calls)
        if call.tools is not None and call.definitions is not None:
            self._tools.setdefault(call.tools, ToolSet(number, call.definitions))
        insort(self._order, (call.revision, number))
        self._places.append(place)
        self._calls.append(call.without_definitions())

    def size_after(self, place: int) -> int:
        """Return how many calls there were when the journal ended with the record at a place."""
        return bisect_right(self._places, place)

    def on_path(self, revisions: Sequence[Revision], to: Revision) -> tuple[int, ...]:
        """Return the numbers of the calls on the way to a revision, in the order of the path.

        Those of one revision are in the order they were recorded.
        """
        known, last = len(self._calls), self._found
        if last.to is to and last.known == known:
            return last.numbers
        first = 0 if last.to is None else last.to.id
        older = (call.revision < first for call in self._calls[last.known : known])
        # A preview's revision may have the id of one that was made afterwards.
        goes_on = is_on_way(revisions, first, to) and last.to in (None, revisions[first])
        if any(older) or not goes_on:
            last, first = NOTHING_FOUND, 0
        order = self._order
        found = [
            number
            for revision, number in order[
                bisect_left(order, (first, 0)) : bisect_left(order, (to.id + 1, 0))
            ]
            if (revision > first or number >= last.known)
            and number < known
            and is_on_way(revisions, revision, to)
        ]
        self._found = now = FoundCalls(to, known, (*last.numbers, *found))
        return now.numbers

    def copy(self) -> CallLog:
        copy = CallLog()
        copy._calls = self._calls[:]
        copy._places = self._places[:]
        copy._order = self._order[:]
        copy._tools = self._tools.copy()
        copy._found = self._found
        return copy


class CallsPrefix(ReadOnlySequence[Call]):
    """The first calls of a log that may have grown since."""

    __slots__ = ("_log", "_size")

    def __init__(self, log: CallLog | CallsPrefix, size: int) -> None:
        self._log = log
        self._size = size

    def __len__(self) -> int:
        return self._size

    def _item(self, index: int) -> Call:
        return self._log[index]

    def on_path(self, revisions: Sequence[Revision], to: Revision) -> tuple[int, ...]:
        found = self._log.on_path(revisions, to)
        if len(self._log) == self._size:
            return found
        return tuple([number for number in found if number < self._size])

    @property
    def tools(self) -> Mapping[str, ToolSet]:
        return {key: one for key, one in self._log.tools.items() if one.first < self._size}
