"""A conversation as a dict: the native file, to be kept anywhere and read again."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ctxtui.core import Conversation, Refused
from ctxtui.core.formats import format_named
from ctxtui.core.formats.native import Native
from tests.core.samples import clock, five


def lived() -> Conversation:
    """Return a conversation with a branch, marks, settings, usage and something to redo."""
    conversation = five(tokenLimit=50)
    conversation.execute({"operation": "TRUNCATE", "keepLast": 3})
    conversation.append("user", "m5")
    conversation.rollback(0)
    conversation.execute({"operation": "MARK", "indices": [1], "label": "a"})
    conversation.execute({"operation": "DESCRIBE", "batch": 1, "text": "a cut"})
    conversation.record_usage(10, 5)
    conversation.undo()
    return conversation


def test_a_conversation_comes_back_equal_from_json_text() -> None:
    conversation = lived()
    again = Conversation.from_dict(json.loads(json.dumps(conversation.to_dict())))
    assert again == conversation
    assert again.usage == conversation.usage
    again.redo()
    assert again.batches[1].description == "a cut"


def test_it_is_what_the_native_format_writes_and_reads() -> None:
    conversation, native = lived(), format_named("native")
    assert conversation.to_dict() == native.write(conversation).data
    assert Native().read_one(conversation.to_dict()).conversation == conversation
    assert list(conversation.to_dict()) == ["format", "version", "messages", "journal"]


def test_it_goes_on_with_the_clock_it_is_given() -> None:
    again = Conversation.from_dict(lived().to_dict(), clock=clock())
    again.append("user", "later")
    assert again.current.time == 1000


@pytest.mark.parametrize("data", [None, [], "x", {}, {"format": "ctxtui"}, {"format": "other"}])
def test_anything_else_is_refused(data: Any) -> None:
    with pytest.raises(Refused):
        Conversation.from_dict(data)


def test_a_log_the_journal_does_not_make_is_refused() -> None:
    data = lived().to_dict()
    data["messages"].append({"role": "user", "content": "smuggled in"})
    with pytest.raises(Refused, match="the file has 7 messages, but its journal makes 6"):
        Conversation.from_dict(data)
