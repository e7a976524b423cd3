"""TOGGLE: switch past operations off and see the later ones done again on a branch."""

from typing import Any

import pytest

from ctxtui.core import (
    Append,
    Compress,
    Configure,
    Delete,
    Filter,
    Insert,
    Mark,
    Redact,
    Replace,
    Select,
    Toggle,
    Truncate,
)
from tests.core.samples import (
    facts,
    five,
    refused,
    replayed,
    shown,
)
from tests.core.toggling import MORE, NEW, branch, described, three, toggled


def test_the_later_operations_run_again_as_a_new_branch() -> None:
    conversation = toggled(three(), 1)
    assert shown(conversation) == [5, 1, 2, 3, 4, 6]
    assert branch(conversation) == [0, 4, 5]
    titles = [conversation.revisions[id].operation for id in (4, 5)]
    assert titles == [conversation.revisions[id].operation for id in (2, 3)]
    assert [batch.id for batch in conversation.path] == [0, 3]
    assert conversation.batch.number == 1


def test_the_messages_of_the_first_run_are_used_again() -> None:
    assert len(toggled(three(), 1).log) == 7
    assert len(toggled(three(), 2).log) == 7


def test_the_first_branch_can_still_be_reached() -> None:
    conversation = toggled(three(), 1)
    conversation.checkout(revision=3)
    assert shown(conversation) == [5, 2, 3, 4, 6]


def test_an_append_joins_the_batch_before_where_its_own_was_switched_off() -> None:
    conversation = toggled(three(), 2)
    assert shown(conversation) == [0, 2, 3, 4, 6]
    assert branch(conversation) == [0, 1, 4]
    assert conversation.batch.id == 1


def test_several_operations_are_switched_off_at_once() -> None:
    conversation = toggled(three(), 3, 1)
    assert shown(conversation) == [5, 1, 2, 3, 4]
    assert branch(conversation) == [0, 4]


def test_the_last_operation_alone_only_moves_the_pointer() -> None:
    conversation = three()
    result = conversation.preview(Toggle(skip=[3]))
    assert not result.created_batch
    toggled(conversation, 3)
    assert (conversation.current.id, len(conversation.revisions)) == (2, 4)
    assert branch(toggled(three(), 1, 2, 3)) == [0]


def test_one_step_of_a_list_can_be_switched_off() -> None:
    conversation = five()
    conversation.execute([Delete(indices=[0]), Delete(indices=[1]), Append(messages=[NEW])])
    assert shown(toggled(conversation, 2)) == [1, 2, 3, 4, 5]


def test_a_choice_is_made_anew_and_only_what_is_new_is_added() -> None:
    conversation = five()
    conversation.execute(Delete(indices=[1]))
    conversation.execute(Redact(select={"roles": ["user"]}))
    assert shown(conversation) == [0, 2, 5, 4]
    toggled(conversation, 1)
    assert shown(conversation) == [0, 6, 2, 5, 4]
    assert len(conversation.log) == 7
    assert conversation.log[6].text == "[cleared]"


def test_a_choice_that_matches_nothing_any_more_makes_no_revision() -> None:
    conversation = five()
    conversation.execute(Append(messages=[NEW]))
    conversation.execute(Delete(select={"content_contains": ["new"]}))
    conversation.execute(Delete(indices=[0]))
    toggled(conversation, 1)
    assert shown(conversation) == [1, 2, 3, 4]
    assert branch(conversation) == [0, 4]


def test_a_choice_that_would_match_more_now_is_limited_to_what_is_visible() -> None:
    conversation = five()
    conversation.execute(Truncate(keep_last=2))
    conversation.execute(Compress(select={"except_last": 1}, summary=NEW))
    assert shown(conversation) == [5, 4]
    assert shown(toggled(conversation, 1)) == [5, 4]
    assert list(conversation.diff(0, conversation.current.id).hidden) == [0, 1, 2, 3]


def test_marks_and_settings_stay_as_they_are() -> None:
    conversation = five()
    conversation.execute(Delete(indices=[1]))
    conversation.execute(Mark(indices=[3], label="x"))
    conversation.execute(Configure(profile="gemini"))
    conversation.execute(Filter(marks=["x"], keep_roles=["system"]))
    toggled(conversation, 1)
    assert shown(conversation) == [0, 3]
    assert conversation.marks == {"x": [3]}
    assert conversation.settings.profile == "gemini"


def test_an_operation_that_no_longer_applies_is_named() -> None:
    conversation = five()
    conversation.execute(Append(messages=[NEW]))
    conversation.execute(Delete(indices=[5]))
    caught = refused(conversation, Toggle(skip=[1]))
    assert str(caught) == (
        "DELETE of revision 2 no longer applies: "
        "indices 5 is not visible here; name one of the 5 visible messages"
    )
    assert facts(caught) == ("indices", 5, "one of the 5 visible messages")


@pytest.mark.parametrize(
    ("operation", "title"),
    [
        (Insert(position=6, messages=[MORE]), "INSERT"),
        (Replace(index=5, message=MORE), "REPLACE"),
        (Select(indices=[5]), "SELECT"),
        (Redact(indices=[5]), "REDACT"),
        ({"operation": "batch_start", "batch": 2}, "BATCH_START"),
    ],
)
def test_every_operation_that_no_longer_applies_is_named(operation: Any, title: str) -> None:
    conversation = five()
    conversation.execute(Insert(position=5, messages=[NEW]))
    conversation.execute(operation)
    conversation.execute(Append(messages=[MORE]))
    caught = refused(conversation, Toggle(skip=[1]))
    assert str(caught).startswith(f"{title} of revision 2 no longer applies: ")


def test_only_revisions_of_the_path_that_an_operation_made_can_be_switched_off() -> None:
    conversation = three()
    conversation.rollback(1)
    conversation.execute(Delete(indices=[2]))
    for id in (0, 2, 3, 5, 99):
        caught = refused(conversation, Toggle(skip=[1, id]))
        assert str(caught) == f"skip: revision {id} is not an operation on the current path"
        assert facts(caught) == ("skip", id, "revisions of the path after 0")
    assert shown(toggled(conversation, 1)) == [0, 1, 3, 4]


@pytest.mark.parametrize("skip", [[], [-1], [True], ["1"], [1.0], 1, None])
def test_what_is_no_list_of_ids_is_refused(skip: object) -> None:
    caught = refused(three(), {"operation": "TOGGLE", "skip": skip})
    assert str(caught.field).startswith("skip")


def test_a_toggled_branch_can_be_toggled() -> None:
    conversation = toggled(three(), 1)
    assert branch(conversation) == [0, 4, 5]
    toggled(conversation, 4)
    assert shown(conversation) == [0, 1, 2, 3, 4, 6]
    assert branch(conversation) == [0, 6]
    assert len(conversation.log) == 7
    refused(conversation, Toggle(skip=[4]))


def test_messages_that_a_toggle_added_are_used_again_by_the_next() -> None:
    conversation = five()
    conversation.execute(Delete(indices=[1]))
    conversation.execute(Delete(indices=[4]))
    conversation.execute(Redact(select={"roles": ["user"]}))
    toggled(conversation, 1)
    assert shown(conversation) == [0, 6, 2, 5]
    toggled(conversation, 4)
    assert shown(conversation) == [0, 6, 2, 5, 4]
    assert len(conversation.log) == 7


def test_the_same_toggle_from_the_same_place_gives_the_same_view() -> None:
    conversation = toggled(three(), 1)
    first = shown(conversation)
    conversation.checkout(revision=3)
    assert shown(toggled(conversation, 1)) == first


def test_after_a_toggle_work_goes_on() -> None:
    conversation = toggled(described(), 1)
    conversation.append("user", "on")
    conversation.execute(Delete(indices=[4]))
    assert shown(conversation) == [3, 5]
    assert conversation.check() == []
    conversation.rollback(1)
    assert shown(conversation) == [4, 3, 5]
    assert replayed(conversation) == conversation


def test_a_toggle_may_stand_in_a_list() -> None:
    conversation = three()
    conversation.execute([Toggle(skip=[1]), Delete(indices=[1])])
    assert shown(conversation) == [5, 2, 3, 4, 6]
    assert replayed(conversation) == conversation
    conversation.undo()
    assert conversation.current.id == 3
