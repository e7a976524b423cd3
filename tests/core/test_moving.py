"""The operations that move the pointer: ROLLBACK, CHECKOUT, UNDO, REDO."""

from typing import Any

import pytest

from ctxtui.core import Append, Checkout, Clear, Conversation, Delete, Mark, Redo, Rollback, Undo
from tests.core.samples import answer, call, facts, five, numbered, refused, said, shown, talk


def three() -> Conversation:
    """Return five messages and two deletions: batches 0, 1 and 2."""
    conversation = five()
    conversation.execute(Delete(indices=[4]))
    conversation.execute(Delete(indices=[3]))
    return conversation


@pytest.mark.parametrize(
    ("number", "expected"), [(0, [0, 1, 2, 3, 4]), (1, [0, 1, 2, 3]), (2, [0, 1, 2])]
)
def test_rollback_gives_the_view_of_that_batch(number: int, expected: list[int]) -> None:
    conversation = three()
    result = conversation.rollback(number)
    assert shown(conversation) == expected
    assert (conversation.batch.number, result.created_batch) == (number, False)
    assert len(conversation.log) == 5


@pytest.mark.parametrize("number", [3, -1])
def test_rollback_outside_the_path_is_refused(number: int) -> None:
    caught = refused(three(), Rollback(target_batch_index=number))
    assert str(caught) == f"targetBatchIndex {number} is outside 0…2 (the batches of this path)"
    assert facts(caught) == ("targetBatchIndex", number, "0…2")


def test_rollback_goes_to_the_revision_the_path_left() -> None:
    conversation = five()
    conversation.append("user", "m5")
    conversation.execute(Clear())
    conversation.rollback(0)
    assert conversation.current.id == 1
    conversation.append("user", "m6")
    conversation.checkout(batch=1)
    conversation.rollback(0)
    assert conversation.current.id == 1


def test_rollback_to_the_current_batch_changes_nothing() -> None:
    conversation = three()
    conversation.append("user", "m5")
    before = conversation.copy()
    conversation.rollback(2)
    assert conversation == before


def test_checkout_reaches_any_revision_and_the_newest_of_any_batch() -> None:
    conversation = three()
    conversation.rollback(1)
    conversation.append("user", "m5")
    conversation.checkout(revision=2)
    assert shown(conversation) == [0, 1, 2]
    conversation.checkout(batch=1)
    assert shown(conversation) == [0, 1, 2, 3, 5]
    conversation.checkout(revision=1)
    assert shown(conversation) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "start", [Checkout(batch=0), Checkout(revision=0)], ids=["batch", "revision"]
)
def test_checkout_reaches_the_very_first_batch_and_revision(start: Checkout) -> None:
    conversation = three()
    conversation.execute(start)
    assert shown(conversation) == [0, 1, 2, 3, 4]
    assert conversation.current.id == 0


def test_checkout_to_here_changes_nothing() -> None:
    conversation = three()
    before = conversation.copy()
    conversation.checkout(batch=2)
    conversation.checkout(revision=2)
    assert conversation == before


def test_a_list_can_check_out_what_it_has_just_made() -> None:
    conversation = five()
    conversation.execute(
        [
            Delete(indices=[0]),
            Append(messages=numbered(1)),
            Rollback(target_batch_index=0),
            Checkout(batch=1),
        ]
    )
    assert shown(conversation) == [1, 2, 3, 4, 5]
    assert conversation.current.id == 2


@pytest.mark.parametrize(
    ("fields", "sentence", "expected"),
    [
        ({"batch": 3}, "batch 3 is outside 0…2", ("batch", 3, "0…2")),
        ({"batch": -1}, "batch -1 is outside 0…2", ("batch", -1, "0…2")),
        ({"revision": 3}, "revision 3 is outside 0…2", ("revision", 3, "0…2")),
        ({"revision": -1}, "revision -1 is outside 0…2", ("revision", -1, "0…2")),
        (
            {},
            "CHECKOUT takes either a batch or a revision",
            ("batch", None, "batch or revision"),
        ),
        (
            {"batch": 0, "revision": 0},
            "CHECKOUT takes either a batch or a revision",
            ("batch", 0, "batch or revision"),
        ),
        (
            {"batch": True},
            "batch true is not a whole number",
            ("batch", True, "a whole number"),
        ),
    ],
    ids=str,
)
def test_bad_checkouts_are_refused(
    fields: Any, sentence: str, expected: tuple[str, object, str]
) -> None:
    caught = refused(three(), {"operation": "CHECKOUT", **fields})
    assert str(caught) == sentence
    assert facts(caught) == expected


def test_undo_takes_back_any_kind_of_change_newest_first() -> None:
    conversation = five()
    conversation.execute(Delete(indices=[0]))
    conversation.rollback(0)
    conversation.execute(Mark(indices=[0], label="pin"))
    conversation.undo()
    assert conversation.marks == {}
    conversation.undo()
    assert shown(conversation) == [1, 2, 3, 4]
    conversation.undo()
    assert shown(conversation) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("operation", "word"), [(Undo(), "undo"), (Redo(), "redo")], ids=["undo", "redo"]
)
def test_with_nothing_left_undo_and_redo_are_refused(operation: Undo | Redo, word: str) -> None:
    caught = refused(five(), operation)
    assert str(caught) == f"there is nothing to {word}"
    assert (caught.field, caught.value) == ("operation", word.upper())


@pytest.mark.parametrize("operation", [Undo(), Redo()], ids=["undo", "redo"])
def test_inside_a_list_undo_and_redo_are_refused(operation: Undo | Redo) -> None:
    conversation = three()
    conversation.undo()
    caught = refused(conversation, [Clear(), operation])
    assert str(caught) == f"step 1: {operation.title} can't be part of a list of operations"
    assert (caught.step, caught.field, caught.value) == (1, "operation", operation.title)
    assert caught.legal is not None
    assert operation.title not in caught.legal
    assert caught.legal.startswith("APPEND, INSERT, REPLACE, TRUNCATE, ")


def test_redo_makes_the_change_again() -> None:
    conversation = three()
    before = conversation.copy()
    conversation.undo()
    conversation.undo()
    conversation.redo()
    conversation.redo()
    assert conversation.view == before.view
    assert conversation.current == before.current
    refused(conversation, Redo())


def test_both_continuations_of_an_undone_append_stay_in_reach() -> None:
    conversation = talk(*numbered(1))
    conversation.append("user", "left")
    conversation.undo()
    conversation.append("user", "right")
    assert shown(conversation) == [0, 2]
    refused(conversation, Redo())
    conversation.checkout(revision=1)
    assert shown(conversation) == [0, 1]


def test_undo_and_redo_can_be_previewed() -> None:
    conversation = three()
    before = conversation.copy()
    assert list(conversation.preview(Undo()).revision.view) == [0, 1, 2, 3]
    assert conversation == before


def test_a_list_is_all_or_nothing_and_names_the_step() -> None:
    conversation = five()
    caught = refused(
        conversation,
        [Delete(indices=[0]), Append(messages=[said("user", "x")]), Delete(indices=[0])],
    )
    assert (
        str(caught) == "step 2: indices 0 is not visible here; name one of the 5 visible messages"
    )
    assert (caught.step, caught.value) == (2, 0)
    caught = refused(conversation, [Clear(), {"operation": "EXPLODE"}])
    assert caught.step == 1


def test_a_list_works_on_messages_it_has_just_added() -> None:
    conversation = five()
    cut = {"operation": "TRUNCATE", "keepLast": 1, "keepPairs": "extend"}
    conversation.execute([Append(messages=[call("a"), answer("a")]), cut])
    assert shown(conversation) == [5, 6]
    conversation.execute([Append(messages=[call("b"), answer("b")]), cut, cut])
    assert shown(conversation) == [7, 8]


@pytest.mark.parametrize("empty", [[], ()], ids=["list", "tuple"])
def test_an_empty_list_is_refused(empty: Any) -> None:
    caught = refused(five(), empty)
    assert str(caught) == "the list holds no operation"
    assert caught.legal == "one operation or more"


def test_a_list_within_a_list_is_refused() -> None:
    assert refused(five(), [Clear(), [Clear()]]).step == 1
