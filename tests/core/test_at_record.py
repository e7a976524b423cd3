"""Every record of a journal can be gone back to: all that is read there is as it was then."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import Conversation, Refused
from tests.core import strategies
from tests.core.comparing import Pair
from tests.core.message_strategies import beginnings
from tests.core.naive_messages import Fields
from tests.core.samples import five, said
from tests.core.test_at import facts
from tests.core.test_journal import STORY


def check_all(conversation: Conversation) -> None:
    """Compare what each record left with a replay of the journal up to it."""
    for place in range(len(conversation.journal)):
        then = Conversation.replay(conversation.journal[: place + 1])
        assert facts(conversation.at_record(place)) == facts(then)


@given(messages=beginnings, data=st.data())
def test_a_record_left_what_replaying_up_to_it_gives(
    messages: list[Fields], data: st.DataObject
) -> None:
    pair = Pair(messages)
    for _ in range(data.draw(st.integers(0, 6))):
        one = strategies.operation(pair.model, *strategies.EVERY, may_spoil=False)
        pair.ask(data.draw(one | strategies.transaction(pair.model)))
    check_all(pair.engine)


def test_a_long_story_can_be_gone_back_to_anywhere_also_after_it_was_read_again() -> None:
    conversation = Conversation(five().log, meta={"title": "story"})
    for ask in STORY:
        conversation.execute(ask)
        conversation.record_usage(10, 2)
        conversation.record_call(tools=[{"name": ask["operation"]}] if "operation" in ask else [])
    check_all(conversation)
    check_all(Conversation.from_dict(conversation.to_dict()))


def test_a_list_that_makes_batches_and_leaves_them_has_left_them() -> None:
    conversation = Conversation(five().log)
    steps: list[Fields] = [{"operation": "CLEAR"}, {"operation": "ROLLBACK", "targetBatchIndex": 0}]
    conversation.execute(steps)
    conversation.execute({"operation": "APPEND", "messages": [said("user", "more")]})
    after = conversation.at_record(1)
    assert (len(after.revisions), len(after.batches), len(after.log)) == (2, 2, 5)
    assert after.current.id == 0
    check_all(conversation)


def test_appends_that_are_read_together_are_gone_back_to_one_by_one() -> None:
    conversation = Conversation(five().log)
    for _ in range(3):
        conversation.execute({"operation": "APPEND", "messages": [said("user", "more")]})
    again = Conversation.from_dict(conversation.to_dict())
    assert [len(again.at_record(place).log) for place in range(4)] == [5, 6, 7, 8]
    check_all(again)


def test_marks_names_and_settings_are_those_of_then() -> None:
    conversation = Conversation(five().log)
    conversation.execute({"operation": "MARK", "indices": [1], "label": "keep"})
    conversation.execute({"operation": "CONFIGURE", "tokenLimit": 9})
    conversation.execute({"operation": "DESCRIBE", "batch": 0, "text": "first"})
    conversation.execute({"operation": "UNMARK", "indices": [1], "label": "keep"})
    assert [conversation.at_record(place).marks for place in (0, 1, 4)] == [{}, {"keep": [1]}, {}]
    assert conversation.at_record(1).settings.token_limit is None
    assert conversation.at_record(2).settings.token_limit == 9
    assert conversation.at_record(2).batch.description == "START"
    assert conversation.at_record(3).batch.description == "first"


def test_a_record_there_is_not_is_refused() -> None:
    with pytest.raises(Refused, match=r"record 1 is outside 0…0"):
        Conversation().at_record(1)
