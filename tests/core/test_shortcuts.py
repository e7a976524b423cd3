"""Appending a message: as it is, as JSON data, or by its fields."""

from __future__ import annotations

from typing import Any

import pytest

from ctxtui.core import Message, Refused
from tests.core.samples import five


@pytest.mark.parametrize(
    "message",
    [Message("user", "hi", id="a"), {"role": "user", "content": "hi", "id": "a"}],
    ids=["message", "data"],
)
def test_a_message_can_be_appended_as_it_is(message: Any) -> None:
    conversation = five()
    result = conversation.append(message)
    assert conversation.visible[-1] == Message("user", "hi", id="a")
    assert list(result.diff.added) == [5]


def test_a_ready_message_is_not_copied() -> None:
    conversation, message = five(), Message("user", "hi")
    conversation.append(message)
    assert conversation.log[5] is message


def test_a_message_can_be_appended_by_its_fields() -> None:
    conversation = five()
    conversation.append("user", "hi", id="a", timestamp=5, metadata={"n": 1})
    conversation.append(role="user", content=[{"type": "text", "text": "hi"}])
    assert conversation.log[5].to_dict() == {
        "role": "user",
        "content": "hi",
        "id": "a",
        "timestamp": 5,
        "metadata": {"n": 1},
    }
    assert conversation.log[6].text == "hi"


@pytest.mark.parametrize(
    ("given", "fields", "sentence"),
    [
        (("user",), {}, "messages[0]: the message has no content"),
        (({"role": "user"},), {}, "messages[0]: the message has no content"),
        (
            (Message("user", "hi"), "ho"),
            {},
            "content is given next to a message, which has its own",
        ),
        ((Message("user", "hi"),), {"id": "b"}, "id is given next to a message, which has its own"),
        (("user", "hi"), {"name": "Bob"}, "messages[0]: 'name' is not a field of a message"),
        ((5, "hi"), {}, "messages[0]: role 5 is not one of system, user, assistant, tool"),
    ],
)
def test_what_is_no_message_is_refused_and_changes_nothing(
    given: tuple[Any, ...], fields: dict[str, Any], sentence: str
) -> None:
    conversation = five()
    before = conversation.copy()
    append: Any = conversation.append
    with pytest.raises(Refused) as caught:
        append(*given, **fields)
    assert str(caught.value).startswith(sentence)
    assert conversation == before
