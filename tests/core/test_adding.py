"""The operations that add messages: APPEND, INSERT, REPLACE, COMPRESS, REDACT."""

from typing import Any

import pytest

from ctxtui.core import Append, Compress, Conversation, Delete, Insert, Mark, Redact, Replace
from ctxtui.core.engine.tokens import DEFAULT
from tests.core.samples import (
    answer,
    call,
    facts,
    five,
    numbered,
    refusal,
    refused,
    said,
    shown,
    talk,
    texts,
)

NEW = said("user", "new")
TWO = [said("user", "a"), said("assistant", "b")]


def hiding(*indices: int) -> Conversation:
    """Return five messages, some of them hidden."""
    conversation = five()
    conversation.execute(Delete(indices=list(indices)))
    return conversation


def test_append_adds_at_the_end_within_the_batch() -> None:
    conversation = five()
    result = conversation.execute(Append(messages=TWO))
    assert shown(conversation) == [0, 1, 2, 3, 4, 5, 6]
    assert (conversation.batch.id, result.created_batch) == (0, False)
    assert conversation.current.id == 1


def test_append_with_fields_and_to_an_empty_conversation() -> None:
    conversation = talk()
    conversation.append("user", "hi", id="x", timestamp=5, metadata={"k": 1})
    assert conversation.visible[0].to_dict() == said(
        "user", "hi", id="x", timestamp=5, metadata={"k": 1}
    )


def test_append_after_hiding_stands_behind_what_is_visible() -> None:
    conversation = hiding(3, 4)
    conversation.append("user", "new")
    assert shown(conversation) == [0, 1, 2, 5]


@pytest.mark.parametrize("position", range(6))
def test_insert_stands_at_every_visible_position(position: int) -> None:
    conversation = five()
    result = conversation.execute(Insert(position=position, messages=TWO))
    expected = [0, 1, 2, 3, 4]
    expected[position:position] = [5, 6]
    assert shown(conversation) == expected
    assert result.created_batch
    assert conversation.batch.description == f"INSERT position {position}, 2 messages"


def test_insert_counts_visible_positions_not_raw_ones() -> None:
    conversation = hiding(0, 1)
    conversation.execute(Insert(position=1, messages=[NEW]))
    assert shown(conversation) == [2, 5, 3, 4]


@pytest.mark.parametrize("position", [6, -1, 99])
def test_insert_outside_the_projection_is_refused(position: int) -> None:
    caught = refused(five(), Insert(position=position, messages=[NEW]))
    assert str(caught) == f"position {position} is outside 0…5"
    assert facts(caught) == ("position", position, "0…5")


@pytest.mark.parametrize("index", range(5))
def test_replace_stands_where_the_old_one_stood(index: int) -> None:
    conversation = five()
    conversation.execute(Replace(index=index, message=NEW))
    expected = [0, 1, 2, 3, 4]
    expected[index] = 5
    assert shown(conversation) == expected
    assert conversation.log[index].text == f"m{index}"


@pytest.mark.parametrize("index", [5, -1])
def test_replace_outside_the_projection_is_refused(index: int) -> None:
    caught = refused(five(), Replace(index=index, message=NEW))
    assert str(caught) == f"index {index} is outside 0…4"
    assert facts(caught) == ("index", index, "0…4")


def test_nothing_can_be_replaced_where_nothing_is_visible() -> None:
    caught = refused(talk(), Replace(index=0, message=NEW))
    assert str(caught) == "index 0 is outside the projection, which is empty"


def test_replace_of_several_stands_where_the_first_standing_stood() -> None:
    conversation = five()
    conversation.execute(Replace(indices=[3, 1], messages=TWO))
    assert shown(conversation) == [0, 5, 6, 2, 4]


def test_replace_goes_by_visible_order_not_by_raw_order() -> None:
    conversation = five()
    conversation.execute({"operation": "SELECT", "indices": [4, 3, 2, 1, 0]})
    conversation.execute(Replace(indices=[0, 3], messages=[NEW]))
    assert shown(conversation) == [4, 5, 2, 1]


@pytest.mark.parametrize(
    ("fields", "given", "first"),
    [
        ({}, "nothing", "index"),
        ({"index": 0}, "index", "index"),
        ({"message": NEW}, "message", "message"),
        ({"index": 0, "messages": [NEW]}, "index, messages", "index"),
        (
            {"index": 0, "message": NEW, "indices": [0], "messages": [NEW]},
            "index, message, indices, messages",
            "index",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_replace_takes_one_way_of_naming(fields: Any, given: str, first: str) -> None:
    caught = refused(five(), {"operation": "REPLACE", **fields})
    legal = "index and message, or indices and messages"
    assert str(caught) == f"REPLACE has {given}; it takes {legal}"
    assert (caught.field, caught.legal) == (first, legal)


def test_compress_hides_and_puts_the_summary_in_place() -> None:
    conversation = five()
    conversation.execute(Compress(indices=[3, 1, 2], summary=said("system", "sum")))
    assert shown(conversation) == [0, 5, 4]
    assert conversation.log[5].text == "sum"


def test_compress_takes_several_summaries_or_none() -> None:
    conversation = five()
    conversation.execute(Compress(indices=[1], summary=TWO))
    assert shown(conversation) == [0, 5, 6, 2, 3, 4]
    conversation.execute(Compress(indices=[5, 6]))
    assert shown(conversation) == [0, 2, 3, 4]


def test_compress_spares_kept_roles_and_marks() -> None:
    conversation = five()
    conversation.execute(Mark(indices=[3], label="pin"))
    conversation.execute(
        Compress(indices=[0, 1, 2, 3], summary=NEW, keep_roles=["system"], keep_marks=["pin"])
    )
    assert shown(conversation) == [0, 5, 3, 4]


def test_compress_that_spares_everything_changes_nothing() -> None:
    conversation = five()
    before = conversation.copy()
    result = conversation.execute(
        Compress(select={"roles": ["system"]}, summary=NEW, keep_roles=["system"])
    )
    assert not result.created_batch
    assert conversation == before


def test_redact_clears_the_text_and_keeps_place_role_and_id() -> None:
    conversation = talk(said("user", "secret", id="x"), *numbered(2))
    conversation.execute(Redact(indices=[0]))
    assert shown(conversation) == [3, 1, 2]
    assert conversation.visible[0].to_dict() == said("user", "[cleared]", id="x")
    assert conversation.log[0].text == "secret"


def test_redact_keeps_tool_pairs_whole() -> None:
    conversation = talk(call("a"), answer("a"))
    conversation.execute(Redact(select={"roles": ["tool"]}, text="gone"))
    assert conversation.visible[0].calls == conversation.visible[1].results == ("a",)
    assert conversation.visible[1].search_text == "gone"


def test_redact_of_scattered_messages_keeps_each_in_its_place() -> None:
    conversation = talk(*numbered(30))
    conversation.execute(Redact(indices=list(range(29, 0, -3))))
    assert len(conversation.view) == 30
    cleared = [i for i, text in enumerate(texts(conversation.visible)) if text == "[cleared]"]
    assert cleared == list(range(2, 30, 3))


@pytest.mark.parametrize("count", [1, 8, 9, 40])
def test_redact_counts_right_whether_it_clears_few_or_many(count: int) -> None:
    conversation = talk(*numbered(60))
    conversation.execute(Delete(indices=[5, 6, 31]))
    chosen = list(conversation.view)[-2 : -2 - count : -1]
    conversation.execute(Redact(indices=chosen, text="out of sight, " * 9))
    assert conversation.tokens.total == sum(map(DEFAULT.count, conversation.visible))


def test_redact_of_few_shares_all_chunks_they_do_not_stand_in() -> None:
    conversation = talk(*numbered(2000))
    conversation.execute(Delete(indices=list(range(0, 2000, 2))))
    before = set(map(id, conversation.view.chunks))
    conversation.execute(Redact(indices=[1, 3]))
    assert len(before) > 2
    assert len(before - set(map(id, conversation.view.chunks))) == 1


@pytest.mark.parametrize(
    ("ask", "sentence", "field"),
    [
        ({"operation": "APPEND", "messages": []}, "messages [] is empty", "messages"),
        (
            {"operation": "APPEND"},
            "APPEND has no messages; it takes messages",
            "messages",
        ),
        (
            {"operation": "APPEND", "messages": [NEW, {"role": "user", "content": ""}]},
            "messages[1]: content '' is empty; an empty message is [{type: 'text', text: ''}]",
            "messages[1].content",
        ),
        (
            {"operation": "INSERT", "messages": [NEW]},
            "INSERT has no position; it takes description, position, messages",
            "position",
        ),
        (
            {"operation": "INSERT", "position": "0", "messages": [NEW]},
            "position '0' is not a whole number",
            "position",
        ),
        (
            {"operation": "REPLACE", "index": 0, "message": {"role": "user"}},
            "message: the message has no content",
            "message.content",
        ),
        (
            {"operation": "COMPRESS", "indices": [0], "summary": "text"},
            "summary 'text' is not a list of messages",
            "summary",
        ),
        (
            {"operation": "COMPRESS", "indices": [0], "summary": []},
            "summary [] is empty",
            "summary",
        ),
        ({"operation": "REDACT", "indices": [0], "text": ""}, "text '' is empty", "text"),
        ({"operation": "REDACT", "indices": [0], "text": 5}, "text 5 is not text", "text"),
        (
            {"operation": "APPEND", "messages": [NEW], "description": "x"},
            "'description' is not a field of APPEND; it takes messages",
            "description",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_fields_are_refused(ask: Any, sentence: str, field: str) -> None:
    caught = refused(five(), ask)
    assert str(caught) == sentence
    assert caught.field == field


def test_a_bad_message_object_is_refused_before_any_operation_exists() -> None:
    assert refusal(lambda: Append(messages=[{"role": "user"}])).field == "messages[0].content"
