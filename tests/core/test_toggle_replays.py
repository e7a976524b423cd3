"""TOGGLE: boundaries, differences, repairs and blame on a branch that was made by replaying."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import (
    Append,
    BatchStart,
    Clear,
    Compress,
    Conversation,
    Delete,
    Filter,
    Insert,
    Redact,
    Refused,
    Repair,
    Replace,
    Toggle,
    Truncate,
)
from tests.core.exchanges import ASK, TELL
from tests.core.samples import (
    answer,
    call,
    five,
    shown,
    talk,
    texts,
)
from tests.core.toggling import MORE, NEW, branch, described, three, toggled


def test_a_boundary_is_never_above_the_log_that_the_first_run_saw() -> None:
    conversation = toggled(described(), 1)
    assert shown(conversation) == [4, 3]
    assert texts(conversation.visible) == ["Tools: none", "more"]
    assert [batch.boundary for batch in conversation.path] == [0, 3]


def test_boundaries_follow_the_smallest_visible_message() -> None:
    conversation = five()
    conversation.execute(Truncate(keep_last=2))
    conversation.execute(Append(messages=[NEW]))
    conversation.execute(Truncate(keep_last=3))
    assert [batch.boundary for batch in conversation.path] == [0, 3, 3]
    assert [batch.boundary for batch in toggled(conversation, 1).path] == [0, 3]
    assert [batch.boundary for batch in toggled(conversation, 4).path] == [0, 2]


def test_an_empty_view_has_the_boundary_of_the_first_run() -> None:
    conversation = five()
    conversation.execute(Append(messages=[NEW]))
    conversation.execute(Clear(keep_system_message=False))
    conversation.execute(Append(messages=[MORE]))
    assert [batch.boundary for batch in toggled(conversation, 1).path] == [0, 6]


def test_a_boundary_that_was_asked_for_is_judged_by_the_log_of_the_first_run() -> None:
    conversation = five()
    conversation.execute(Delete(indices=[0]))
    conversation.execute(BatchStart(boundary=5))
    conversation.execute(Append(messages=[NEW]))
    toggled(conversation, 1)
    assert shown(conversation) == [5]
    assert conversation.batch.boundary == 5


def test_added_is_what_was_not_in_the_log_that_a_revision_saw() -> None:
    conversation = toggled(described(), 1)
    first, cleared, appended = branch(conversation)
    assert str(conversation.diff(first, cleared)) == "hidden 0-1; added 4"
    assert str(conversation.diff(cleared, appended)) == "added 3"
    assert str(conversation.diff(3, appended)) == "hidden 2; added 4"
    assert str(conversation.diff(appended, 3)) == "hidden 4; shown 2"


def test_the_result_compares_both_branches() -> None:
    conversation = three()
    assert str(conversation.execute(Toggle(skip=[1])).diff) == "shown 1"
    assert str(conversation.undo().diff) == "hidden 1"


def test_a_repair_that_is_done_again_does_not_look_into_the_future() -> None:
    conversation = talk(ASK, call("a"), answer("a"), TELL)
    conversation.execute(Delete(indices=[0]))
    conversation.execute(Delete(indices=[1]))
    conversation.execute(Repair(policy="restore"))
    conversation.execute(Append(messages=[call("a", id="later"), answer("a")]))
    assert shown(conversation) == [4, 2, 3, 5, 6]
    toggled(conversation, 1)
    assert shown(conversation) == [0, 4, 2, 3, 5, 6]
    assert len(conversation.log) == 7


def test_a_repair_with_nothing_left_to_repair_makes_no_revision() -> None:
    conversation = talk(ASK, call("a"), answer("a"), TELL)
    conversation.execute(Delete(indices=[1]))
    conversation.execute(Repair())
    assert shown(toggled(conversation, 1)) == [0, 1, 2, 3]
    assert conversation.current.id == 0


def test_blame_names_the_operation_of_the_new_branch() -> None:
    conversation = three()
    assert conversation.blame(0).revision.id == 2  # type: ignore[union-attr]
    toggled(conversation, 1)
    assert conversation.blame(1) is None
    assert conversation.blame(0).revision.id == 4  # type: ignore[union-attr]
    toggled(conversation, 4)
    assert str(conversation.blame(5)) == "never visible here"


def test_blame_knows_messages_that_only_a_toggle_needed() -> None:
    conversation = toggled(described(), 1)
    assert conversation.blame(4) is None
    assert str(conversation.blame(2)) == "never visible here"
    hid = conversation.execute(Delete(indices=[4])).revision
    assert conversation.blame(4).revision == hid  # type: ignore[union-attr]
    conversation.checkout(revision=3)
    assert str(conversation.blame(4)) == "never visible here"


def test_a_copy_keeps_standing_for_the_same_message() -> None:
    conversation = five()
    conversation.execute(Delete(indices=[1]))
    conversation.execute(Redact(select={"roles": ["user"]}))
    assert shown(conversation) == [0, 2, 5, 4]
    conversation.execute(Delete(indices=[5]))
    assert shown(toggled(conversation, 1)) == [0, 6, 2, 4]


def test_a_copy_of_a_copy_is_used_again_where_the_copy_is_no_longer_made() -> None:
    conversation = five()
    conversation.execute(Redact(indices=[3]))
    conversation.execute(Redact(select={"roles": ["user"]}, text="[gone]"))
    assert shown(conversation) == [0, 6, 2, 7, 4]
    assert shown(toggled(conversation, 1)) == [0, 6, 2, 7, 4]
    assert len(conversation.log) == 8


CHOICE = st.one_of(
    st.fixed_dictionaries({"roles": st.sampled_from([["user"], ["assistant"], ["system"]])}),
    st.fixed_dictionaries({"except_last": st.integers(0, 3)}),
    st.fixed_dictionaries({"positions": st.sampled_from([{"start": -2}, {"end": 1}])}),
    st.fixed_dictionaries({"content_contains": st.just(["new"])}),
    st.fixed_dictionaries({"content_excludes": st.just(["[cleared]"])}),
)
SMALL = st.integers(0, 3)
OPERATION: st.SearchStrategy[Any] = st.one_of(
    st.just(Append(messages=[NEW])),
    st.just(Append(messages=[call("a"), answer("a"), MORE])),
    st.builds(lambda at: Insert(position=at, messages=[NEW, MORE]), SMALL),
    st.builds(lambda at: Replace(index=at, message=NEW), SMALL),
    st.builds(lambda choice: Delete(select=choice), CHOICE),
    st.builds(lambda choice: Redact(select=choice), CHOICE),
    st.builds(lambda choice: Compress(select=choice, summary=MORE), CHOICE),
    st.builds(lambda keep: Truncate(keep_last=keep), st.integers(0, 8)),
    st.builds(lambda role: Filter(roles=[role]), st.sampled_from(["user", "tool", "assistant"])),
    st.builds(lambda keep: Clear(keep_system_message=keep), st.booleans()),
    st.builds(lambda policy: Repair(policy=policy), st.sampled_from(["drop", "stub"])),
    st.just(BatchStart()),
)


def tried(conversation: Conversation, ask: Any) -> bool:
    """Tell whether an operation was accepted."""
    try:
        conversation.execute(ask)
    except Refused:
        return False
    return True


def blamed(conversation: Conversation, raw: int) -> int | str | None:
    """Return the revision that hid a message, by looking at each one of the path."""
    views = [(id, raw in conversation.revisions[id].view) for id in branch(conversation)]
    last = max((i for i, (_, visible) in enumerate(views) if visible), default=None)
    if last is None:
        return "never visible here"
    return None if last == len(views) - 1 else views[last + 1][0]


def same_blame(conversation: Conversation) -> None:
    """Check what is blamed for each message that is not visible."""
    for raw in range(len(conversation.log)):
        found = conversation.blame(raw)
        said = found and (found.revision.id if found.revision else str(found))
        assert said == blamed(conversation, raw)


@given(st.lists(OPERATION, min_size=2, max_size=7), st.data())
def test_a_toggle_shows_what_the_other_operations_alone_would_have_shown(
    operations: list[Any], data: st.DataObject
) -> None:
    conversation = five(toolDescription="Tools: none")
    for operation in operations:
        tried(conversation, operation)
    for _ in range(2):
        path = branch(conversation)[1:]
        if not path:
            return
        some = st.lists(st.sampled_from(path), min_size=1, max_size=2, unique=True)
        skip = data.draw(some, label="skip")
        by_hand = conversation.copy()
        by_hand.checkout(revision=by_hand.revisions[min(skip)].parent)
        later = [id for id in path if id > min(skip) and id not in skip]
        redone = [by_hand.revisions[id].operation for id in later]
        applies = all(tried(by_hand, operation) for operation in redone)
        assert tried(conversation.copy(), Toggle(skip=skip)) == applies
        if not applies:
            return
        toggled(conversation, *skip)
        assert list(conversation.visible) == list(by_hand.visible)
        assert len(conversation.log) <= len(by_hand.log)
        same_blame(conversation)
        assert tried(conversation, operations[0]) == tried(by_hand, operations[0])
        assert list(conversation.visible) == list(by_hand.visible)
        same_blame(conversation)
        assert conversation.check() == []
