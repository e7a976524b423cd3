"""Choosing messages by `select`, so that one operation fits many conversations."""

from typing import Any

import pytest

from ctxtui.core import Delete, Mark, Redact, Select
from tests.core.samples import Data, answer, call, facts, five, refused, replayed, said, shown, talk

FIELDS = ", ".join(
    (
        *("aside", "among", "before", "within", "roles", "marks", "contentContains"),
        *("contentExcludes", "positions", "tools", "exceptTools", "in", "has", "failed", "made"),
        *("touched", "longerThan", "superseded", "except", "first", "exceptFirst", "last"),
        "exceptLast",
    )
)
OBJECT = "an object, a list of them, or in a policy the name of one"


@pytest.mark.parametrize(
    ("choice", "hidden"),
    [
        ({"roles": ["user"]}, [1, 3]),
        ({"roles": ["user", "system"]}, [0, 1, 3]),
        ({"marks": ["pin"]}, [2, 3]),
        ({"marks": ["pin", "none"]}, [2, 3]),
        ({"contentContains": ["m1", "m4"]}, [1, 4]),
        ({"contentContains": ["M1"]}, []),
        ({"contentExcludes": ["m1", "m4"]}, [0, 2, 3]),
        ({"contentExcludes": ["M1"]}, [0, 1, 2, 3, 4]),
        ({"contentExcludes": ["m"]}, []),
        ({"contentContains": ["m1", "m2"], "contentExcludes": ["2", "3"]}, [1]),
        ({"contentExcludes": ["m4"], "exceptLast": 1}, [0, 1, 2]),
        ({"marks": ["pin"], "contentExcludes": ["m2"], "positions": {"start": 1}}, [3]),
        ({"positions": {"start": 1, "end": 3}}, [1, 2]),
        ({"positions": {"start": -2}}, [3, 4]),
        ({"positions": {"end": -3}}, [0, 1]),
        ({"positions": {"start": 3, "end": 99}}, [3, 4]),
        ({"positions": {"start": 4, "end": 2}}, []),
        ({"exceptLast": 2}, [0, 1, 2]),
        ({"exceptLast": 0}, [0, 1, 2, 3, 4]),
        ({"exceptLast": 9}, []),
        ({"roles": ["user"], "exceptLast": 1}, [1]),
        ({"roles": ["user"], "marks": ["pin"], "contentContains": ["m"]}, [3]),
        ({"roles": ["user"], "positions": {"start": 2}}, [3]),
        ({}, [0, 1, 2, 3, 4]),
        ([{"roles": ["system"]}, {"last": 1}], [0, 4]),
        ({"aside": {"roles": ["system"]}, "first": 2}, [1, 2]),
        ({"before": {"turns": 1}}, [0, 1, 2]),
        ({"within": {"messages": "50% * messages", "reach": True}}, [2, 3, 4]),
        ({"except": {"marks": ["pin"]}, "exceptLast": 1}, [0, 1]),
        ({"last": {"turns": 1, "edge": "user"}}, [3, 4]),
    ],
    ids=str,
)
def test_a_choice_picks_among_the_visible(choice: Data, hidden: list[int]) -> None:
    conversation = five()
    conversation.execute(Mark(indices=[2, 3], label="pin"))
    result = conversation.execute({"operation": "DELETE", "select": choice})
    assert shown(conversation) == [raw for raw in range(5) if raw not in hidden]
    assert result.created_batch == bool(hidden)


def test_a_choice_goes_by_visible_order() -> None:
    conversation = five()
    conversation.execute(Select(indices=[4, 3, 1, 0]))
    conversation.execute(Delete(select={"except_last": 2}))
    assert shown(conversation) == [1, 0]
    conversation.execute(Delete(select={"positions": {"start": 0, "end": 1}}))
    assert shown(conversation) == [0]


def test_a_choice_looks_into_tool_inputs_and_results() -> None:
    conversation = talk(call("a"), answer("a"), said("user", "x"))
    conversation.execute(Delete(select={"content_contains": ["seen a"]}))
    assert shown(conversation) == [0, 2]


def test_what_an_operation_has_done_can_be_left_out_the_next_time() -> None:
    conversation = talk(*(one for name in "abcd" for one in (call(name), answer(name))))
    clearing = Redact(
        select={"roles": ["tool"], "content_excludes": ["[cleared]"], "except_last": 2}
    )
    assert conversation.execute(clearing).created_batch
    assert shown(conversation) == [0, 8, 2, 9, 4, 5, 6, 7]
    assert not conversation.execute(clearing).created_batch


@pytest.mark.parametrize(
    "fields",
    [
        {"operation": "DELETE"},
        {"operation": "COMPRESS", "summary": said("user", "sum")},
        {"operation": "REDACT"},
        {"operation": "MARK", "label": "x"},
        {"operation": "UNMARK", "label": "x"},
    ],
    ids=lambda fields: fields["operation"],
)
def test_a_choice_that_matches_nothing_is_accepted_and_changes_nothing(fields: Data) -> None:
    conversation = five()
    before = conversation.copy()
    result = conversation.execute({**fields, "select": {"roles": ["tool"]}})
    assert not result.created_batch
    assert not result.diff
    assert conversation == before


def test_the_journal_keeps_the_choice_as_given_and_what_it_resolved() -> None:
    conversation = five()
    conversation.execute(Delete(select={"roles": ["user"]}))
    conversation.execute([Delete(select={"roles": ["tool"]}), Delete(indices=[2])])
    first, second = conversation.journal[1:]
    assert first.operation == Delete(select={"roles": ["user"]})
    assert first.resolved == ((1, 3),)
    assert second.resolved == ((), (2,))
    assert replayed(conversation) == conversation


@pytest.mark.parametrize(
    ("choice", "sentence", "expected"),
    [
        ({"roles": []}, "select: roles [] is empty", ("select.roles", [], "one of roles")),
        ({"marks": []}, "select: marks [] is empty", ("select.marks", [], "one of labels")),
        (
            {"contentContains": [""]},
            "select: contentContains '' is empty",
            ("select.contentContains", "", "1 character or more"),
        ),
        (
            {"contentExcludes": []},
            "select: contentExcludes [] is empty",
            ("select.contentExcludes", [], "one of words"),
        ),
        (
            {"contentExcludes": "word"},
            "select: contentExcludes 'word' is not a list of words",
            ("select.contentExcludes", "word", "a list of words"),
        ),
        (
            {"positions": {}},
            "select: positions: positions names neither start nor end",
            ("select.positions.positions", {}, None),
        ),
        (
            {"positions": {"start": 1.0}},
            "select: positions: start 1.0 is not a whole number",
            ("select.positions.start", 1.0, "a whole number"),
        ),
        (
            {"exceptLast": -1},
            "select: exceptLast -1 is below 0; it must be 0 or more",
            ("select.exceptLast", -1, "0 or more"),
        ),
        (
            {"role": "user"},
            f"select: 'role' is not a field of select; it takes {FIELDS}",
            ("select.role", "user", FIELDS),
        ),
        (
            "all",
            f"select: select 'all' is not {OBJECT}",
            ("select.select", "all", OBJECT),
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_bad_choice_is_refused(
    choice: Any, sentence: str, expected: tuple[str, object, str | None]
) -> None:
    caught = refused(five(), {"operation": "DELETE", "select": choice})
    assert str(caught) == sentence
    assert facts(caught) == expected
