"""A call: what was sent at a revision, to which model, with which tools, and what came of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from ..errors import Refused, not_a, outside, shown
from ..operations import Operation
from ..values.frozen import FrozenDict, freeze, freeze_object
from ..values.models import (
    INTERNAL,
    Count,
    Model,
    Text,
    checked,
    nested,
    one_of,
    read_count,
)
from ..values.times import read_time

Outcome = Literal["complete", "cut", "failed"]
OUTCOMES: tuple[Outcome, ...] = ("complete", "cut", "failed")
KEY_LENGTH = 16
"""Hexadecimal digits by which a set of tool definitions is known."""

MOST_COUNTED = 2**40
"""More tokens than any request has; sums of them can still be drawn."""

ToolDefinitions = tuple[FrozenDict, ...]


def read_figure(value: object, field: str) -> int:
    """Return a number of tokens as a provider may have counted it."""
    count = read_count(value, field)
    if count > MOST_COUNTED:
        raise outside(field, count, f"0…{MOST_COUNTED}")
    return count


def read_definitions(value: object, field: str) -> ToolDefinitions:
    """Return tool definitions frozen, in the order given; none at all is a legal list."""
    if not isinstance(value, list | tuple):
        raise not_a(field, value, "a list of tool definitions")
    return tuple([freeze_object(one, f"{field}[{place}]") for place, one in enumerate(value)])


def tools_key(definitions: Sequence[FrozenDict]) -> str:
    """Return the key of tool definitions: the same for equal ones, whatever order keys have."""
    text = json.dumps(definitions, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode("ascii")).hexdigest()[:KEY_LENGTH]


Figure = Annotated[int, checked(read_figure)]


class CallUsage(Model):
    """What a provider counted for one call, where it said so.

    ``input`` is all that was sent; ``cached`` of it was served from a prompt cache and ``written``
    of it was put there.
    """

    title: ClassVar[str] = "usage"
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

    title: ClassVar[str] = "CALL"
    revision: Count
    time: Annotated[int, checked(read_time)]
    outcome: Annotated[Outcome, one_of(*OUTCOMES)] = "complete"
    request: Text | None = None
    model: Text | None = None
    tools: Text | None = None
    definitions: Annotated[ToolDefinitions, checked(read_definitions)] | None = Field(
        default=None, json_schema_extra=INTERNAL
    )
    parameters: Annotated[FrozenDict, checked(freeze_object)] | None = None
    usage: Annotated[CallUsage, nested(CallUsage)] | None = None
    answer: Annotated[Any, checked(freeze)] = None
    wire: Annotated[FrozenDict, checked(freeze_object)] | None = None

    @model_validator(mode="after")
    def _named_by_their_key(self) -> Self:
        if self.definitions is not None and self.tools != (key := tools_key(self.definitions)):
            raise Refused(
                f"tools {shown(self.tools)} is not the key of the definitions, which is {key!r}",
                field="tools",
                value=self.tools,
                legal=key,
            )
        return self

    def without_definitions(self) -> Call:
        """Return the call as readers have it; only a journal carries definitions, once a set."""
        return self if self.definitions is None else self.model_copy(update={"definitions": None})
