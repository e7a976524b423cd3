"""What operations have in common: names, spellings, indices, choices, lists and descriptions."""

import json
from typing import Any

import pytest

from ctxtui import core
from ctxtui.core import (
    Append,
    BatchEnd,
    BatchStart,
    Checkout,
    Clear,
    Compress,
    Configure,
    Delete,
    Describe,
    Filter,
    Insert,
    Mark,
    Redact,
    Redo,
    Replace,
    Rollback,
    Select,
    Truncate,
    Undo,
    Unmark,
)
from ctxtui.core.engine.dialects import read_operation
from ctxtui.core.engine.operation import Operation
from ctxtui.core.engine.operations import ALL
from tests.core.samples import Data, facts, five, numbered, refusal, refused, said, talk

NEW = said("user", "new")
CASES: list[tuple[Operation, Data, str]] = [
    (Append(messages=[NEW]), {"messages": [NEW]}, "APPEND 1 message"),
    (Insert(position=0, messages=[NEW]), {"position": 0, "messages": [NEW]},
     "INSERT position 0, 1 message"),
    (Replace(index=1, message=NEW), {"index": 1, "message": NEW}, "REPLACE index 1, user message"),
    (Truncate(keep_last=2, keep_system=True), {"keepLast": 2, "keepSystem": True},
     "TRUNCATE keepLast 2, keepSystem"),
    (Truncate(range={"start": 0, "end": 2}), {"range": {"start": 0, "end": 2}},
     "TRUNCATE range start 0 end 2"),
    (Clear(), {}, "CLEAR"),
    (Clear(keep_system_message=False), {"keepSystemMessage": False},
     "CLEAR keepSystemMessage false"),
    (Filter(content_contains=["a", "b"]), {"contentContains": ["a", "b"]},
     "FILTER contentContains a, b"),
    (Select(indices=[3, 1]), {"indices": [3, 1]}, "SELECT indices 3, 1"),
    (Select(indices=range(9)), {"indices": [0, 1, 2, 3, 4, 5, 6, 7, 8]}, "SELECT 9 messages"),
    (Delete(select={"except_last": 2}), {"select": {"exceptLast": 2}},
     "DELETE select exceptLast 2"),
    (Compress(indices=[1], summary=NEW), {"indices": [1], "summary": [NEW]},
     "COMPRESS indices 1, summary"),
    (Redact(indices=[1], text="x" * 50), {"indices": [1], "text": "x" * 50},
     f"REDACT indices 1, text {'x' * 50!r}"),
    (BatchStart(), {}, "BATCH_START"),
    (BatchEnd(target_batch_index=0), {"targetBatchIndex": 0}, "ROLLBACK targetBatchIndex 0"),
    (Checkout(revision=3), {"revision": 3}, "CHECKOUT revision 3"),
    (Undo(), {}, "UNDO"),
    (Redo(), {}, "REDO"),
    (Mark(indices=[0], label="pin"), {"indices": [0], "label": "pin"},
     "MARK indices 0, label pin"),
    (Unmark(indices=[0], label="pin"), {"indices": [0], "label": "pin"},
     "UNMARK indices 0, label pin"),
    (Describe(batch=0, text="a\nb"), {"batch": 0, "text": "a\nb"},
     "DESCRIBE batch 0, text 'a\\nb'"),
    (Configure(profile="openai"), {"profile": "openai"}, "CONFIGURE profile openai"),
]  # fmt: skip
each_case = pytest.mark.parametrize(
    ("operation", "fields", "sentence"), CASES, ids=[sentence[:40] for _, _, sentence in CASES]
)


def test_every_operation_is_covered_here_and_public() -> None:
    elsewhere = {"REPAIR", "TOGGLE"}
    covered = {operation.title for operation, _, _ in CASES}
    assert covered == {cls.title for cls in ALL} - elsewhere
    assert {cls.__name__ for cls in ALL} <= set(core.__all__)
    assert BatchEnd is Rollback
    assert sorted(core.__all__) == list(core.__all__)


@each_case
def test_an_operation_reads_as_a_sentence(
    operation: Operation, fields: Data, sentence: str
) -> None:
    assert operation.sentence() == sentence


@each_case
def test_an_operation_is_the_same_after_a_trip_through_json(
    operation: Operation, fields: Data, sentence: str
) -> None:
    assert operation.to_dict() == {"operation": operation.title, **fields}
    written = json.loads(json.dumps(operation.to_dict()))
    assert read_operation(written) == operation
    assert type(operation).from_dict(fields) == operation


def test_from_dict_of_an_operation_reads_what_to_dict_wrote() -> None:
    for operation, _, _ in CASES:
        assert type(operation).from_dict(operation.to_dict()) == operation


def test_both_spellings_are_read_but_not_side_by_side() -> None:
    assert Truncate.from_dict({"keep_last": 2}) == Truncate.from_dict({"keepLast": 2})
    caught = refused(five(), {"operation": "TRUNCATE", "keepLast": 2, "keep_last": 2})
    assert str(caught) == "TRUNCATE has both keepLast and keep_last; give one of them"


def test_unknown_fields_are_refused_by_name() -> None:
    caught = refused(five(), {"operation": "ROLLBACK", "targetBatchIndex": 0, "hard": True})
    assert str(caught) == "'hard' is not a field of ROLLBACK; it takes targetBatchIndex"
    assert facts(caught) == ("hard", True, "targetBatchIndex")
    caught = refused(five(), {"operation": "UNDO", "times": 2})
    assert str(caught) == "'times' is not a field of UNDO; it takes no field"


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (None, "operation null is not an object with an operation"),
        ("CLEAR", "operation 'CLEAR' is not an object with an operation"),
        ({}, "the operation has no name"),
        ({"operation": 5}, "operation 5 is not the name of an operation (APPEND"),
        ({"operation": "EXPLODE"}, "'EXPLODE' is not an operation; there are APPEND, INSERT"),
    ],
    ids=["null", "text", "no name", "number", "unknown"],
)
def test_what_is_no_operation_is_refused(ask: Any, sentence: str) -> None:
    caught = refused(five(), ask)
    assert str(caught).startswith(sentence)
    assert caught.field == "operation"


def test_an_operation_can_not_be_edited() -> None:
    operation: Any = Truncate(keep_last=2)
    with pytest.raises(ValueError, match="frozen"):
        operation.keep_last = 3
    assert refusal(lambda: Truncate.from_dict([1])).legal == "an object"  # type: ignore[arg-type]


PICKING = ["COMPRESS", "REDACT", "DELETE"]


@pytest.mark.parametrize("name", PICKING)
@pytest.mark.parametrize("size", [5, 30], ids=["few", "many"])
def test_a_hidden_message_can_not_be_named(name: str, size: int) -> None:
    conversation = talk(*numbered(size))
    conversation.execute(Delete(indices=[2]))
    caught = refused(conversation, {"operation": name, "indices": list(range(1, size))})
    legal = f"one of the {size - 1} visible messages"
    assert str(caught) == f"indices 2 is not visible here; name {legal}"
    assert facts(caught) == ("indices", 2, legal)


@pytest.mark.parametrize("name", [*PICKING, "REPLACE", "SELECT", "MARK", "UNMARK"])
@pytest.mark.parametrize(
    ("indices", "sentence", "value", "legal"),
    [
        ([], "indices [] names no message", [], "one raw index or more"),
        ([1, 5], "indices 5 is outside 0…4", 5, "0…4"),
        ([-1], "indices -1 is below 0; it must be 0 or more", -1, "0 or more"),
        ([1, 2, 1], "indices names 1 twice", 1, "each index once"),
        ([0, 3, 2, 3, 1], "indices names 3 twice", 3, "each index once"),
        ([True], "indices true is not a whole number", True, "a whole number"),
        ([2.0], "indices 2.0 is not a whole number", 2.0, "a whole number"),
        ("12", "indices '12' is not a list of raw indices", "12", "a list of raw indices"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_indices_are_refused(
    name: str, indices: Any, sentence: str, value: object, legal: str
) -> None:
    extra: Data = {"REPLACE": {"messages": [NEW]}, "MARK": {"label": "x"}, "UNMARK": {"label": "x"}}
    caught = refused(five(), {"operation": name, "indices": indices, **extra.get(name, {})})
    assert str(caught) == sentence
    assert facts(caught) == ("indices", value, legal)


@pytest.mark.parametrize("name", [*PICKING, "MARK", "UNMARK"])
@pytest.mark.parametrize(
    ("fields", "has"),
    [
        ({}, "neither indices nor"),
        ({"indices": [0], "select": {"roles": ["user"]}}, "both indices and"),
    ],
    ids=["neither", "both"],
)
def test_messages_are_named_in_one_way(name: str, fields: Any, has: str) -> None:
    label = {"label": "x"} if name in ("MARK", "UNMARK") else {}
    caught = refused(five(), {"operation": name, **fields, **label})
    assert str(caught) == f"{name} has {has} select; give one of them"
    assert (caught.field, caught.legal) == ("indices", "indices or select")


def test_an_empty_log_has_no_index_to_name() -> None:
    caught = refused(talk(), Delete(indices=[0]))
    assert str(caught) == "indices 0 is outside the log, which is empty"
