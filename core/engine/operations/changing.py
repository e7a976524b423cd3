"""The operations that add messages: APPEND, INSERT, REPLACE, COMPRESS, REDACT."""

from __future__ import annotations

from typing import ClassVar, Self

from pydantic import Field, model_validator

from ...errors import Refused
from ...values.models import INTERNAL, Flag, Indices, KeepPairs, Number, Text
from ..messages import MessageOrMessages, OneMessage, SomeMessages
from ..operation import BatchOperation, Keeping, Operation, Picking


class Append(Operation):
    """Add messages at the end, within the current batch."""

    title: ClassVar[str] = "APPEND"
    messages: SomeMessages = Field(description="Messages to add")


class Insert(BatchOperation):
    """Add messages at a visible position."""

    title: ClassVar[str] = "INSERT"
    position: Number = Field(description="Where the first new message will stand")
    messages: SomeMessages = Field(description="Messages to add")


class Replace(BatchOperation):
    """Put new messages where old ones stand; the old ones are hidden, not lost."""

    title: ClassVar[str] = "REPLACE"
    index: Number | None = Field(default=None, description="Visible position of the old message")
    message: OneMessage | None = Field(default=None, description="The new message")
    indices: Indices | None = Field(default=None, description="Raw indices of the old messages")
    messages: SomeMessages | None = Field(default=None, description="The new messages")
    skip_hidden: Flag = Field(default=False, json_schema_extra=INTERNAL)

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        one = (self.index is not None, self.message is not None)
        many = (self.indices is not None, self.messages is not None)
        if not (all(one) and not any(many)) and not (all(many) and not any(one)):
            given = [
                name
                for name in ("index", "message", "indices", "messages")
                if getattr(self, name) is not None
            ]
            raise Refused(
                f"REPLACE has {', '.join(given) or 'nothing'}; "
                "it takes index and message, or indices and messages",
                field=given[0] if given else "index",
                value=given,
                legal="index and message, or indices and messages",
            )
        return self


class Compress(Picking, Keeping, BatchOperation):
    """Hide messages and put a summary where the first of them stood.

    ``keep_pairs`` looks at each tool exchange of which only a part was named: ``"drop"`` (or True)
    hides the rest of it too, ``"extend"`` leaves it as a whole. One with a message that
    ``keep_roles`` or ``keep_marks`` sets aside is left as a whole in either case.
    """

    title: ClassVar[str] = "COMPRESS"
    summary: MessageOrMessages | None = Field(default=None, description="What stands for them")
    keep_pairs: KeepPairs = Field(
        default=False, description="Never split a tool call from its results"
    )
    skip_hidden: Flag = Field(default=False, json_schema_extra=INTERNAL)


class Redact(Picking, BatchOperation):
    """Replace texts and tool results by a short text; tool calls and ids are kept."""

    title: ClassVar[str] = "REDACT"
    text: Text = Field(default="[cleared]", description="The text that replaces them")
