"""What the tests of the engine share: small conversations, and a way to expect a refusal."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any

import pytest

from ctxtui.core import Conversation, Message, Refused
from ctxtui.core.conversation.conversation import OperationLike
from ctxtui.core.engine.tokens import _COUNTERS, Counter, register

Data = dict[str, Any]
ROLES = ("system", "user", "assistant", "user", "assistant")


def said(role: str, content: Any, **fields: Any) -> Data:
    """Return a message as JSON data."""
    return {"role": role, "content": content, **fields}


def call(*ids: str, **fields: Any) -> Data:
    """Return an assistant message that calls a tool once for each id."""
    parts = [{"type": "tool_use", "tool_use": {"id": i, "name": "look", "input": {}}} for i in ids]
    return said("assistant", parts, **fields)


def answer(*ids: str, role: str = "tool") -> Data:
    """Return a message with the result of each call."""
    return said(
        role,
        [
            {"type": "tool_result", "tool_result": {"tool_use_id": i, "content": f"seen {i}"}}
            for i in ids
        ],
    )


def clock() -> Callable[[], int]:
    """Return a clock that says 1000, 1001, 1002 and so on."""
    ticks = count(1000)
    return lambda: next(ticks)


def talk(*messages: Data, **settings: Any) -> Conversation:
    """Return a conversation with a predictable clock."""
    return Conversation(messages, settings, clock=clock())


def numbered(size: int, role: str = "user") -> list[Data]:
    """Return messages that say m0, m1, m2 and so on."""
    return [said(role, f"m{i}") for i in range(size)]


def five(**settings: Any) -> Conversation:
    """Return m0…m4: system, user, assistant, user, assistant."""
    return talk(*[said(role, f"m{i}") for i, role in enumerate(ROLES)], **settings)


def shown(conversation: Conversation) -> list[int]:
    """Return the visible raw indices as a plain list."""
    return list(conversation.view)


def texts(messages: Sequence[Message]) -> list[str]:
    """Return what some messages say."""
    return [message.text for message in messages]


def told(conversation: Conversation) -> list[Data]:
    """Return the journal after a trip through JSON text."""
    written = json.dumps([record.to_dict() for record in conversation.journal])
    read: list[Data] = json.loads(written)
    return read


def replayed(conversation: Conversation) -> Conversation:
    """Return the conversation that the journal tells of, after a trip through JSON text."""
    return Conversation.replay(told(conversation))


def refusal(ask: Callable[[], object]) -> Refused:
    """Return the refusal that a call must end in."""
    with pytest.raises(Refused) as caught:
        ask()
    return caught.value


def refused(conversation: Conversation, ask: OperationLike | Any) -> Refused:
    """Return the refusal of an operation, which must leave no trace."""
    before = conversation.copy()
    caught = refusal(lambda: conversation.execute(ask))
    assert conversation == before
    assert conversation.check() == []
    assert refusal(lambda: conversation.preview(ask)).sentence == caught.sentence
    return caught


def facts(caught: Refused) -> tuple[str | None, object, str | None]:
    """Return what a refusal says for programs: field, value, legal range."""
    return caught.field, caught.value, caught.legal


class Words:
    """A counter for tests: one token a word."""

    name = "words"
    exact = True

    def count(self, message: Message) -> int:
        return len(message.search_text.split())


@contextmanager
def registered(counter: Counter) -> Iterator[None]:
    """Make a counter known for a while, and unknown again."""
    register(counter)
    try:
        yield
    finally:
        del _COUNTERS[counter.name]
