"""The fields of models that hold messages: one of them, several, or either."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from ..errors import Refused
from ..values.models import checked
from .message import Message, read_messages


def read_some_messages(value: object, field: str) -> tuple[Message, ...]:
    """Return one message or more from a list."""
    messages = read_messages(value, field)
    if not messages:
        raise Refused(f"{field} [] is empty", field=field, value=[], legal="one message or more")
    return messages


def read_one_message(value: object, field: str) -> Message:
    """Return a message."""
    try:
        return Message.from_dict(value)  # type: ignore[arg-type]
    except Refused as refusal:
        raise refusal.inside(field) from None


def read_message_or_messages(value: object, field: str) -> tuple[Message, ...]:
    """Return one message or more, given alone or in a list."""
    if isinstance(value, Message | Mapping):
        return (read_one_message(value, field),)
    return read_some_messages(value, field)


OneMessage = Annotated[Message, checked(read_one_message)]
SomeMessages = Annotated[tuple[Message, ...], checked(read_some_messages)]
MessageOrMessages = Annotated[tuple[Message, ...], checked(read_message_or_messages)]
