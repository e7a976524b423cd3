"""Translating between a framework's objects and messages: what each integration has to say."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from pydantic_core import to_jsonable_python

from ..errors import Refused
from ..messages.message import Message

T = TypeVar("T")


class Translator(ABC, Generic[T]):
    """How a framework's objects are read and written; it never changes one that it is given."""

    def split(self, objects: Sequence[T]) -> list[tuple[T, ...]]:
        """Return the objects in pieces that can be read alone: one each, unless they belong."""
        return [(one,) for one in objects]

    @abstractmethod
    def read(self, piece: Sequence[T]) -> Sequence[Message]:
        """Return the messages that a piece is, one at least."""

    @abstractmethod
    def write(self, message: Message, raw: int) -> Sequence[T]:
        """Return new objects for a message that the framework never had."""

    def cut(self, piece: Sequence[T], kept: Sequence[int]) -> Sequence[T] | None:
        """Return a piece of which only some messages are sent, or None to write those anew."""
        return None


def plain(value: Any) -> Any:
    """Return any value as JSON-ready data; what JSON can't hold is told in words."""
    return to_jsonable_python(value, fallback=repr, inf_nan_mode="strings", bytes_mode="base64")


def unreadable(piece: Sequence[Any], refusal: Refused) -> Message:
    """Return the message for objects that can't be read, which are sent as they are all the same.

    An agent's call never fails because of who looks on.
    """
    data = {"unreadable": str(refusal), "objects": [plain(one) for one in piece]}
    return Message.from_dict({"role": "user", "content": [{"type": "data", "data": data}]})
