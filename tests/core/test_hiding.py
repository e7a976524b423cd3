"""The operations that only hide: CLEAR, FILTER, SELECT, DELETE, BATCH_START."""

from typing import Any

import pytest

from ctxtui.core import (
    BatchStart,
    Clear,
    Configure,
    Conversation,
    Delete,
    Filter,
    Insert,
    Mark,
    Select,
)
from tests.core.samples import (
    Data,
    answer,
    call,
    facts,
    five,
    numbered,
    refused,
    replayed,
    said,
    shown,
    talk,
)

TOOLS = "Available tools: open, shut"


def pinned() -> Conversation:
    """Return five messages, two of them marked."""
    conversation = five()
    conversation.execute(Mark(indices=[2, 3], label="pin"))
    return conversation


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, [0]),
        ({"keepSystemMessage": True}, [0]),
        ({"keepSystemMessage": False}, []),
        ({"keepRoles": ["user"]}, [0, 1, 3]),
        ({"keepSystemMessage": False, "keepRoles": ["user"]}, [1, 3]),
        ({"keepSystemMessage": False, "keepMarks": ["pin"]}, [2, 3]),
        ({"keepMarks": ["none"]}, [0]),
    ],
    ids=str,
)
def test_clear_leaves_what_it_is_told_to_keep(fields: Data, expected: list[int]) -> None:
    conversation = pinned()
    result = conversation.execute({"operation": "CLEAR", **fields})
    assert shown(conversation) == expected
    assert result.created_batch
    assert conversation.batch.boundary == (expected[0] if expected else 5)


def test_clear_does_not_bring_a_hidden_system_message_back() -> None:
    conversation = five()
    conversation.execute(Delete(indices=[0]))
    conversation.execute(Clear())
    assert shown(conversation) == []


@pytest.mark.parametrize(
    "heading",
    [TOOLS, "  \n Available tools:", "可用工具: x", "可用工具\uff1ax"],
    ids=["plain", "white space", "colon", "wide colon"],
)
def test_clear_adds_no_tool_description_beside_a_visible_one(heading: str) -> None:
    conversation = talk(said("system", heading), *numbered(2), toolDescription="other")
    conversation.execute(Clear())
    assert shown(conversation) == [0]


def test_clear_adds_the_tool_description_as_the_last_visible_message() -> None:
    conversation = five(toolDescription="Use hammers")
    conversation.execute(Clear())
    assert shown(conversation) == [0, 5]
    assert conversation.log[5].to_dict() == said("system", "Use hammers")
    conversation.execute(Clear())
    assert shown(conversation) == [0, 5]
    conversation.execute(Clear(keep_system_message=False))
    assert shown(conversation) == [6]
    assert replayed(conversation) == conversation


def test_only_a_system_message_can_describe_the_tools_and_only_clear_looks() -> None:
    conversation = talk(said("user", TOOLS), toolDescription=TOOLS)
    conversation.execute(Filter(roles=["tool"]))
    assert shown(conversation) == []
    conversation.rollback(0)
    conversation.execute(Clear(keep_roles=["user"]))
    assert shown(conversation) == [0, 1]
    conversation.execute(Configure(tool_description=None))
    conversation.execute(Clear(keep_system_message=False))
    assert shown(conversation) == []


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"roles": ["user"]}, [1, 3]),
        ({"roles": ["tool"]}, []),
        ({"contentContains": ["m1", "m2"]}, [1, 2]),
        ({"contentContains": ["M1"]}, []),
        ({"contentContains": ["M1"], "ignoreCase": True}, [1]),
        ({"contentExcludes": ["m1", "m2"]}, [0, 3, 4]),
        ({"contentExcludes": ["M1"]}, [0, 1, 2, 3, 4]),
        ({"contentExcludes": ["M1"], "ignoreCase": True}, [0, 2, 3, 4]),
        ({"contentContains": ["m"], "contentExcludes": ["2"], "roles": ["assistant"]}, [4]),
        ({"marks": ["pin"]}, [2, 3]),
        ({"marks": ["none", "pin"]}, [2, 3]),
        ({"marks": ["none"]}, []),
        ({"marks": ["pin"], "roles": ["user"]}, [3]),
        ({"roles": ["assistant"], "keepRoles": ["system"]}, [0, 2, 4]),
        ({"contentContains": ["m1"], "keepMarks": ["pin"]}, [1, 2, 3]),
    ],
    ids=str,
)
def test_filter_keeps_what_passes_every_condition(fields: Data, expected: list[int]) -> None:
    conversation = pinned()
    result = conversation.execute({"operation": "FILTER", **fields})
    assert shown(conversation) == expected
    assert result.created_batch
    assert conversation.check() == []


def test_filter_searches_tool_inputs_and_results_and_folds_cases() -> None:
    conversation = talk(call("a"), answer("a"), said("user", "STRASSE"))
    conversation.execute(Filter(content_contains=["look", "straße"], ignore_case=True))
    assert shown(conversation) == [0, 2]


def test_filter_keeps_the_visible_order() -> None:
    conversation = pinned()
    conversation.execute(Select(indices=[4, 3, 2, 1]))
    conversation.execute(Filter(content_excludes=["m2"], keep_marks=["pin"]))
    assert shown(conversation) == [4, 3, 2, 1]


CONDITIONS = "roles, contentContains, contentExcludes, marks"


@pytest.mark.parametrize(
    ("fields", "sentence", "expected"),
    [
        (
            fields,
            f"FILTER has no condition; give at least one of {CONDITIONS}",
            ("roles", None, CONDITIONS),
        )
        for fields in ({}, {"ignoreCase": True}, {"keepRoles": ["user"]}, {"keepMarks": ["x"]})
    ]
    + [
        ({"roles": []}, "roles [] is empty", ("roles", [], "one of roles")),
        ({"contentContains": []}, "contentContains [] is empty",
         ("contentContains", [], "one of words")),
        ({"contentExcludes": [""]}, "contentExcludes '' is empty",
         ("contentExcludes", "", "1 character or more")),
        ({"contentContains": "word"}, "contentContains 'word' is not a list of words",
         ("contentContains", "word", "a list of words")),
        ({"roles": ["user"], "ignoreCase": "yes"}, "ignoreCase 'yes' is not true or false",
         ("ignoreCase", "yes", "true or false")),
        ({"roles": ["users"]}, "roles 'users' is not one of system, user, assistant, tool",
         ("roles", "users", "one of system, user, assistant, tool")),
        ({"marks": ["x" * 65]},
         f"marks {'x' * 60!r}… (65 characters) has 65 characters; 1 to 64 are legal",
         ("marks", "x" * 65, "1 to 64 characters")),
    ],
    ids=lambda value: str(value)[:40],
)  # fmt: skip
def test_bad_filters_are_refused(
    fields: Any, sentence: str, expected: tuple[str, object, str]
) -> None:
    caught = refused(five(), {"operation": "FILTER", **fields})
    assert str(caught) == sentence
    assert facts(caught) == expected


def test_select_keeps_and_orders() -> None:
    conversation = five()
    conversation.execute(Select(indices=[4, 0, 2]))
    assert shown(conversation) == [4, 0, 2]
    caught = refused(conversation, Select(indices=[0, 1]))
    assert facts(caught) == ("indices", 1, "one of the 3 visible messages")


def test_select_of_many_keeps_the_order_given() -> None:
    conversation = talk(*numbered(40))
    conversation.execute(Select(indices=range(39, -1, -2)))
    assert shown(conversation) == list(range(39, -1, -2))
    assert conversation.tokens.total == 20


def test_delete_hides_few_or_many() -> None:
    conversation = talk(*numbered(40))
    conversation.execute(Delete(indices=[39, 0]))
    conversation.execute(Delete(indices=range(1, 30)))
    assert shown(conversation) == list(range(30, 39))
    assert conversation.tokens.total == 9
    assert conversation.check() == []


@pytest.mark.parametrize("size", [5, 30], ids=["few", "many"])
def test_a_modification_skips_what_is_hidden_already(size: int) -> None:
    conversation = talk(*numbered(size))
    conversation.execute(Delete(indices=[1]))
    conversation.execute({"operation": "delete", "indices": [*range(size - 1), 1, 0]})
    assert shown(conversation) == [size - 1]
    before = conversation.copy()
    conversation.execute({"operation": "delete", "indices": [*range(size - 1)]})
    assert conversation == before
    new = said("user", "new")
    caught = refused(conversation, {"operation": "replace", "indices": [0], "data": new})
    assert str(caught) == "REPLACE names hidden messages only; at least one must be visible"
    assert facts(caught) == ("indices", (0,), "one visible message or more")


def test_a_modification_may_name_few_messages_many_times() -> None:
    conversation = talk(*numbered(5))
    conversation.execute({"operation": "delete", "indices": [1, 3] * 10})
    assert shown(conversation) == [0, 2, 4]


@pytest.mark.parametrize(
    ("boundary", "expected", "kept"),
    [(None, [0, 1, 2, 3, 4], 0), (0, [0, 1, 2, 3, 4], 0), (2, [2, 3, 4], 2), (5, [], 5)],
    ids=["none", "0", "2", "n"],
)
def test_batch_start_hides_below_its_boundary(
    boundary: int | None, expected: list[int], kept: int
) -> None:
    conversation = five()
    conversation.execute(BatchStart(boundary=boundary))
    assert shown(conversation) == expected
    assert conversation.batch.boundary == kept
    assert conversation.tokens.total == len(expected)


def test_batch_start_keeps_the_boundary_it_was_given() -> None:
    conversation = five()
    conversation.execute(Delete(indices=[0, 1, 2]))
    assert conversation.batch.boundary == 3
    conversation.execute(BatchStart(boundary=4))
    conversation.execute(BatchStart(boundary=5))
    conversation.execute(Insert(position=0, messages=numbered(1)))
    assert [batch.boundary for batch in conversation.path] == [0, 3, 4, 5, 5]


@pytest.mark.parametrize("boundary", [1, 6, -1])
def test_a_boundary_outside_its_range_is_refused(boundary: int) -> None:
    conversation = five()
    conversation.execute(BatchStart(boundary=2))
    caught = refused(conversation, BatchStart(boundary=boundary))
    assert str(caught) == f"boundary {boundary} is outside 2…5"
    assert facts(caught) == ("boundary", boundary, "2…5")


def test_a_batch_number_other_than_the_next_is_refused() -> None:
    caught = refused(five(), {"operation": "batch_start", "batch": 2})
    assert str(caught) == "batch 2 is not 1, the number it will get"
    conversation = five()
    conversation.execute({"operation": "batch_start", "batch": 1})
    assert conversation.batch.number == 1
