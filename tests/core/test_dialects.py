"""The three forms in which an operation may be written, and how they are told apart."""

from typing import Any

import pytest

from ctxtui.core import (
    Append,
    Clear,
    Conversation,
    Delete,
    Insert,
    Refused,
    Replace,
    Rollback,
    Truncate,
)
from ctxtui.core.engine.dialects import OPERATIONS, read_operation

MESSAGE = {"role": "user", "content": "new"}
SOME = [MESSAGE]


def talk() -> Conversation:
    roles = ("system", "user", "assistant", "user", "assistant")
    messages = [{"role": role, "content": f"m{i}"} for i, role in enumerate(roles)]
    return Conversation(messages, clock=lambda: 1)


def refusal(ask: Any) -> Refused:
    """Return how a conversation refuses something, having checked that nothing changed."""
    conversation = talk()
    before = conversation.copy()
    with pytest.raises(Refused) as refused:
        conversation.execute(ask)
    assert conversation == before
    return refused.value


@pytest.mark.parametrize("name", ["truncate", "TRUNCATE", "Truncate", "tRUNCATE"])
@pytest.mark.parametrize("key", [None, "truncate", "TRUNCATE", "Truncate"])
def test_names_are_read_in_any_case(name: str, key: str | None) -> None:
    fields = {"keepLast": 5}
    read = read_operation({"operation": name, **(fields if key is None else {key: fields})})
    assert read == Truncate(keep_last=5)


@pytest.mark.parametrize("name", ["batch_end", "BATCH_END", "Batch_End"])
@pytest.mark.parametrize("key", [None, "batch_end", "BATCH_END"])
def test_batch_end_is_another_name_of_rollback(name: str, key: str | None) -> None:
    fields = {"targetBatchIndex": 2}
    read = read_operation({"operation": name, **(fields if key is None else {key: fields})})
    assert read == Rollback(target_batch_index=2)


SMALLEST: dict[str, dict[str, Any]] = {
    "APPEND": {"messages": SOME},
    "INSERT": {"position": 0, "messages": SOME},
    "REPLACE": {"index": 0, "message": MESSAGE},
    "TRUNCATE": {"keepLast": 1},
    "CLEAR": {},
    "FILTER": {"roles": ["user"]},
    "SELECT": {"indices": [0]},
    "DELETE": {"indices": [0]},
    "COMPRESS": {"indices": [0]},
    "REDACT": {"indices": [0]},
    "BATCH_START": {"boundary": 0},
    "ROLLBACK": {"targetBatchIndex": 0},
    "CHECKOUT": {"batch": 0},
    "UNDO": {},
    "REDO": {},
    "MARK": {"indices": [0], "label": "x"},
    "UNMARK": {"indices": [0], "label": "x"},
    "DESCRIBE": {"batch": 0, "text": "x"},
    "CONFIGURE": {"tokenLimit": 1},
}


@pytest.mark.parametrize("title", SMALLEST)
def test_every_operation_is_read_flat_and_nested(title: str) -> None:
    flat = read_operation({"operation": title, **SMALLEST[title]})
    assert type(flat) is OPERATIONS[title]
    small = title.lower()
    assert read_operation({"operation": small, small: SMALLEST[title]}) == flat
    assert flat.to_dict() == {"operation": title, **SMALLEST[title]}


def test_an_object_under_the_operations_own_name_makes_it_the_nested_form() -> None:
    nested = {"operation": "truncate", "truncate": {"role": "user", "keepLast": 5}}
    assert read_operation(nested) == Truncate(role="user", keep_last=5)


def test_indices_data_and_batch_with_a_small_name_make_it_the_modification_form() -> None:
    assert read_operation({"operation": "insert", "data": MESSAGE}) == Append(messages=SOME)
    assert read_operation({"operation": "delete", "indices": [1]}) == Delete(
        indices=[1], skip_hidden=True
    )


def test_everything_else_is_the_flat_form() -> None:
    flat_insert = {"operation": "insert", "position": 1, "messages": SOME}
    assert read_operation(flat_insert) == Insert(position=1, messages=SOME)
    flat_replace = {"operation": "replace", "index": 1, "message": MESSAGE}
    assert read_operation(flat_replace) == Replace(index=1, message=MESSAGE)
    flat_delete = {"operation": "delete", "indices": [1], "description": "tidy"}
    assert read_operation(flat_delete) == Delete(indices=[1], description="tidy")
    chosen = {"operation": "delete", "select": {"roles": ["user"]}}
    assert read_operation(chosen) == Delete(select={"roles": ["user"]})


@pytest.mark.parametrize("name", ["DELETE", "Delete"])
def test_a_name_with_a_capital_is_never_the_modification_form(name: str) -> None:
    assert read_operation({"operation": name, "indices": [1]}) == Delete(indices=[1])


@pytest.mark.parametrize("name", ["Insert", "REPLACE", "COMPRESS"])
def test_data_with_a_capital_name_is_refused(name: str) -> None:
    assert refusal({"operation": name, "data": MESSAGE}).field == "data"


def test_an_operation_object_is_read_as_itself() -> None:
    operation = Truncate(keep_last=1)
    assert read_operation(operation) is operation


def test_minus_one_appends_in_the_nested_form() -> None:
    nested = {"operation": "insert", "insert": {"position": -1, "messages": SOME}}
    assert read_operation(nested) == Append(messages=SOME)
    conversation = talk()
    assert not conversation.execute(nested).created_batch
    assert conversation.view == [0, 1, 2, 3, 4, 5]


def test_minus_one_is_refused_in_the_flat_form() -> None:
    flat = refusal({"operation": "INSERT", "position": -1, "messages": SOME})
    assert (flat.field, flat.value, flat.legal) == ("position", -1, "0…5")


@pytest.mark.parametrize("position", [-2, -1.0, True, "-1", None])
def test_only_the_number_minus_one_appends(position: object) -> None:
    ask = {"operation": "insert", "insert": {"position": position, "messages": SOME}}
    assert refusal(ask).field == "position"


@pytest.mark.parametrize(
    "ask", [{"operation": "clear"}, {"operation": "CLEAR"}, {"operation": "clear", "clear": {}}]
)
def test_a_bare_clear_keeps_system_messages(ask: dict[str, Any]) -> None:
    assert read_operation(ask) == Clear()
    conversation = talk()
    conversation.execute(ask)
    assert conversation.view == [0]


def test_a_description_stands_inside_the_nested_object() -> None:
    conversation = talk()
    conversation.execute(
        {"operation": "truncate", "truncate": {"keepLast": 1, "description": "the end only"}}
    )
    assert conversation.batch.description == "the end only"


def test_a_description_beside_the_nested_object_is_refused() -> None:
    ask = {"operation": "truncate", "truncate": {"keepLast": 1}, "description": "the end only"}
    assert refusal(ask).field == "description"


def test_a_description_stands_at_the_top_of_the_flat_form() -> None:
    conversation = talk()
    conversation.execute({"operation": "TRUNCATE", "keepLast": 1, "description": "the end only"})
    assert conversation.batch.description == "the end only"


@pytest.mark.parametrize(
    ("ask", "extra"),
    [
        ({"operation": "truncate", "truncate": {"keepLast": 2}, "keepLast": 2}, "keepLast"),
        ({"operation": "truncate", "truncate": {"keepLast": 2}, "filter": {}}, "filter"),
        (
            {"operation": "insert", "insert": {"position": 0, "messages": SOME}, "data": MESSAGE},
            "data",
        ),
        ({"operation": "delete", "delete": {"indices": [1]}, "indices": [2]}, "indices"),
        ({"operation": "insert", "position": 0, "messages": SOME, "indices": [0]}, "indices"),
        ({"operation": "replace", "index": 0, "message": MESSAGE, "data": MESSAGE}, "data"),
        ({"operation": "compress", "indices": [0], "data": MESSAGE, "summary": MESSAGE}, "data"),
        ({"operation": "batch_start", "boundary": 1, "batch": 1}, "batch"),
        ({"operation": "batch_end", "targetBatchIndex": 0, "batch": 0}, "batch"),
    ],
)
def test_keys_of_two_forms_together_are_refused_by_name(ask: dict[str, Any], extra: str) -> None:
    refused = refusal(ask)
    assert refused.field == extra
    assert extra in str(refused)


@pytest.mark.parametrize(
    ("ask", "unknown"),
    [
        ({"operation": "TRUNCATE", "keepLats": 5}, "keepLats"),
        ({"operation": "truncate", "truncate": {"keepLats": 5}}, "keepLats"),
        ({"operation": "INSERT", "positon": 0, "messages": SOME}, "positon"),
        ({"operation": "ROLLBACK", "targetBatch": 0}, "targetBatch"),
        ({"operation": "truncate", "truncate": {"range": {"start": 0, "end": 1, "by": 1}}}, "by"),
        ({"operation": "delete", "indices": [1], "data": MESSAGE}, "data"),
        ({"operation": "delete", "indices": [1], "batch": 0}, "batch"),
        ({"operation": "insert", "data": MESSAGE, "batch": 0}, "batch"),
        ({"operation": "batch_start", "indices": [1], "data": MESSAGE}, "data"),
        ({"operation": "truncate", "filter": {"roles": ["user"]}}, "filter"),
        ({"operation": "APPEND", "messages": [{**MESSAGE, "name": "x"}]}, "name"),
        ({"operation": "UNDO", "times": 2}, "times"),
    ],
)
def test_unknown_keys_are_refused_by_name(ask: dict[str, Any], unknown: str) -> None:
    refused = refusal(ask)
    assert (refused.field or "").split(".")[-1] == unknown
    assert unknown in str(refused)


INSERTION = {"position": 0, "messages": SOME}


@pytest.mark.parametrize("key", ["createNewBatch", "create_new_batch"])
@pytest.mark.parametrize(
    "ask",
    [
        {"operation": "INSERT", **INSERTION},
        {"operation": "insert", "insert": INSERTION},
        {"operation": "insert", "indices": [], "data": MESSAGE},
    ],
)
def test_create_new_batch_is_refused_with_the_reason(ask: dict[str, Any], key: str) -> None:
    refused = refusal({**ask, key: True})
    assert "no message is ever lost" in str(refused)
    assert refused.value is True


def test_create_new_batch_inside_the_nested_object_is_refused_with_the_reason() -> None:
    refused = refusal({"operation": "insert", "insert": {**INSERTION, "createNewBatch": False}})
    assert "no message is ever lost" in str(refused)
    assert refused.value is False


@pytest.mark.parametrize("value", [5, [], "keepLast", None])
def test_the_operations_own_key_must_hold_an_object(value: object) -> None:
    assert refusal({"operation": "truncate", "truncate": value}).field == "truncate"


def test_an_unknown_operation_is_refused_with_the_known_ones() -> None:
    refused = refusal({"operation": "frobnicate", "indices": [0]})
    assert (refused.field, refused.value) == ("operation", "frobnicate")
    assert all(title in (refused.legal or "") for title in OPERATIONS)


@pytest.mark.parametrize("ask", [{}, {"operation": None}, {"operation": 5}, {"indices": [0]}])
def test_an_operation_without_a_name_is_refused(ask: dict[str, Any]) -> None:
    assert refusal(ask).field == "operation"


@pytest.mark.parametrize("ask", ["truncate", 5, None])
def test_what_is_no_object_is_no_operation(ask: Any) -> None:
    assert refusal(ask).field == "operation"


SPELLINGS = [
    ("TRUNCATE", {"keepLast": 2}, {"keep_last": 2}),
    ("TRUNCATE", {"removeFirst": 1, "keepSystem": True}, {"remove_first": 1, "keep_system": True}),
    ("TRUNCATE", {"maxTokens": 9, "keepPairs": True}, {"max_tokens": 9, "keep_pairs": True}),
    ("CLEAR", {"keepSystemMessage": False}, {"keep_system_message": False}),
    ("FILTER", {"contentContains": ["a"]}, {"content_contains": ["a"]}),
    ("FILTER", {"contentExcludes": ["a"]}, {"content_excludes": ["a"]}),
    ("ROLLBACK", {"targetBatchIndex": 0}, {"target_batch_index": 0}),
    ("DELETE", {"select": {"exceptLast": 1}}, {"select": {"except_last": 1}}),
    ("CONFIGURE", {"tokenLimit": 9}, {"token_limit": 9}),
    (
        "CONFIGURE",
        {"compressionConfig": {"targetTokens": 5}},
        {"compression_config": {"target_tokens": 5}},
    ),
]


@pytest.mark.parametrize(("name", "camel", "snake"), SPELLINGS)
def test_both_spellings_are_read_and_camel_case_is_written(
    name: str, camel: dict[str, Any], snake: dict[str, Any]
) -> None:
    flat = read_operation({"operation": name, **camel})
    assert flat == read_operation({"operation": name, **snake})
    small = name.lower()
    assert flat == read_operation({"operation": small, small: camel})
    assert flat == read_operation({"operation": small, small: snake})
    assert flat.to_dict() == {"operation": name, **camel}


def test_both_spellings_of_one_field_together_are_refused() -> None:
    refused = refusal({"operation": "TRUNCATE", "keepLast": 1, "keep_last": 1})
    assert "both keepLast and keep_last" in str(refused)
