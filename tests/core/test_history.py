"""History: paths, quick ways up the tree, snapshots, branches, copies and squashing."""

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

import pytest

from ctxtui.core import (
    Append,
    BatchStart,
    Clear,
    Configure,
    Conversation,
    Delete,
    Describe,
    Insert,
    Mark,
    Select,
    Truncate,
)
from ctxtui.core.engine.revisions import Overlay, Path, ancestor
from tests.core.samples import five, numbered, replayed, said, shown, talk, texts

T = TypeVar("T")
NEW = said("user", "new")
LONG_PATH = 10_000
FEW_STEPS = 60


class Counted(Sequence[T]):
    """A list that counts how often it is looked into."""

    def __init__(self, items: Sequence[T]) -> None:
        self.items = items
        self.lookups = 0

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, key: Any) -> Any:
        self.lookups += 1
        return self.items[key]


@pytest.fixture(scope="module")
def long_path() -> Iterator[Conversation]:
    """Return a conversation with a path of 10,000 batches."""
    conversation = five()
    for _ in range(10):
        conversation.execute([BatchStart()] * (LONG_PATH // 10))
    yield conversation
    assert conversation.batch.number == LONG_PATH


def test_finding_a_number_on_a_long_path_takes_few_steps(long_path: Conversation) -> None:
    batches = Counted(long_path.batches)
    path = Path(batches, long_path.batch)
    assert len(path) == LONG_PATH + 1
    for number in (0, 1, 2, 777, 4095, 4096, 5000, LONG_PATH - 1, LONG_PATH):
        batches.lookups = 0
        assert path[number].number == number
        assert batches.lookups <= FEW_STEPS
    assert path[-1].number == LONG_PATH


def test_every_ancestor_is_found_in_few_steps(long_path: Conversation) -> None:
    revisions = Counted(long_path.revisions)
    worst = 0
    for depth in range(0, LONG_PATH, 37):
        revisions.lookups = 0
        assert ancestor(revisions, long_path.current, depth).depth == depth
        worst = max(worst, revisions.lookups)
    assert 1 < worst <= FEW_STEPS


def test_blame_on_a_long_path_does_not_walk_it(
    long_path: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation = long_path.copy()
    conversation.execute(Delete(indices=[2]))
    revisions = Counted(conversation._state.revisions)
    monkeypatch.setattr(conversation._state, "revisions", revisions)
    blamed = conversation.blame(2)
    assert blamed is not None
    assert blamed.batch == conversation.batch
    assert revisions.lookups <= FEW_STEPS * FEW_STEPS


def test_a_path_is_numbered_from_zero_and_out_of_range_is_an_error() -> None:
    conversation = five()
    conversation.execute(Delete(indices=[0]))
    conversation.execute(Delete(indices=[1]))
    assert [batch.number for batch in conversation.path] == [0, 1, 2]
    assert [batch.id for batch in conversation.path[1:]] == [1, 2]
    assert conversation.path[-3].id == 0
    for number in (3, -4):
        with pytest.raises(IndexError, match=f"index {number} is outside 0…2"):
            conversation.path[number]


def test_a_tail_reads_like_the_longer_list() -> None:
    tail = Overlay([1, 2])
    tail.added += [3, 4]
    assert list(tail) == [1, 2, 3, 4]
    assert (tail[1:3], len(tail)) == ([2, 3], 4)


def test_revisions_and_batches_know_where_they_came_from() -> None:
    conversation = five()
    conversation.append("user", "m5")
    conversation.execute(Delete(indices=[0], description="tidy"))
    assert [revision.parent for revision in conversation.revisions] == [None, 0, 1]
    assert [revision.batch for revision in conversation.revisions] == [0, 0, 1]
    asked = {"operation": "DELETE", "indices": [0], "description": "tidy"}
    revision, batch = conversation.current.to_dict(), conversation.batch.to_dict()
    assert {"id": 2, "parent": 1, "batch": 1, "operation": asked}.items() <= revision.items()
    assert {"view": [[1, 5]], "time": 1002, "logSize": 6}.items() <= revision.items()
    assert {"tokens": 5, "counter": "bytes/4"}.items() <= revision.items()
    assert {"id": 1, "number": 1, "parent": 0, "boundary": 1}.items() <= batch.items()
    assert {"operation": asked, "description": "tidy", "time": 1002}.items() <= batch.items()
    assert conversation.batches[0].to_dict()["operation"] is None


def test_the_pointers_of_the_tree_are_nobody_elses_business() -> None:
    conversation = rich()
    nodes: list[Any] = [*conversation.revisions, *conversation.batches]
    for node in nodes:
        assert "jump" not in node.to_dict()
        assert node == node._replace(jump=node.jump + 1)
        assert node != node._replace(time=node.time + 1)


def test_refused_and_previewed_operations_use_no_id() -> None:
    conversation = five()
    conversation.preview([Clear(), Clear()])
    with pytest.raises(ValueError, match="outside"):
        conversation.execute([Clear(), Delete(indices=[99])])
    conversation.execute(Clear())
    assert (conversation.batch.id, conversation.current.id) == (1, 1)


def count(conversation: Conversation, number: int | None = None, **fields: Any) -> int | None:
    """Return how many messages a snapshot has, or None where there is none."""
    taken = conversation.snapshot(number, **fields)
    return None if taken is None else taken.message_count


def test_snapshots_by_number_are_those_of_the_path_and_by_id_any() -> None:
    conversation = five()
    conversation.execute(Insert(position=0, messages=[NEW]))
    conversation.rollback(0)
    conversation.append("user", "m6")
    conversation.execute(Truncate(keep_last=1))
    assert [count(conversation, number) for number in (0, 1, 2, -1)] == [6, 1, None, None]
    assert [count(conversation, id=which) for which in (0, 1, 2, 3, -1)] == [6, 6, 1, None, None]
    assert count(conversation) == 1
    taken = conversation.snapshot(id=1)
    assert taken is not None
    assert (taken.batch_index, taken.description) == (1, "INSERT position 0, 1 message")
    assert texts(taken.messages)[0] == "new"
    conversation.checkout(batch=1)
    assert [count(conversation, number) for number in (0, 1)] == [5, 6]


def test_numbers_are_used_again_after_a_rollback_and_ids_never() -> None:
    conversation = five()
    conversation.execute(Delete(indices=[0]))
    conversation.execute(Delete(indices=[1]))
    conversation.rollback(0)
    conversation.execute(Delete(indices=[4]))
    assert (conversation.batch.number, conversation.batch.id, conversation.batch.parent) == (
        1,
        3,
        0,
    )
    assert [batch.id for batch in conversation.path] == [0, 3]
    conversation.rollback(1)
    assert shown(conversation) == [0, 1, 2, 3]
    conversation.checkout(batch=2)
    assert [batch.id for batch in conversation.path] == [0, 1, 2]
    conversation.rollback(1)
    assert shown(conversation) == [1, 2, 3, 4]
    assert conversation.check() == []


def test_an_abandoned_branch_stays_exactly_as_it_was() -> None:
    conversation = five()
    conversation.execute(Delete(indices=[0]))
    conversation.append("user", "m5")
    views = [list(revision.view) for revision in conversation.revisions]
    conversation.rollback(0)
    conversation.append("user", "m6")
    conversation.execute(Clear())
    assert [list(revision.view) for revision in conversation.revisions[:3]] == views
    conversation.checkout(batch=1)
    conversation.append("user", "m7")
    assert shown(conversation) == [1, 2, 3, 4, 5, 7]


def test_rollback_after_checkout_leaves_out_what_another_branch_added() -> None:
    conversation = five()
    conversation.execute(Delete(indices=[0]))
    conversation.rollback(0)
    conversation.append("user", "other")
    conversation.checkout(batch=1)
    conversation.rollback(0)
    assert shown(conversation) == [0, 1, 2, 3, 4]


def rich() -> Conversation:
    """Return a conversation with some of everything."""
    conversation = Conversation(
        numbered(4), {"tokenLimit": 3}, meta={"title": "t"}, clock=lambda: 7
    )
    conversation.execute(Mark(indices=[1, 2], label="pin"))
    conversation.execute(Mark(indices=[0], label="gone"))
    conversation.execute(Select(indices=[3, 1]))
    conversation.append("user", "m4", metadata={"k": 1})
    conversation.execute(Describe(batch=1, text="named"))
    conversation.record_usage(5)
    conversation.undo()
    return conversation


CHANGES: list[Any] = [
    Append(messages=[NEW]),
    Clear(),
    Mark(indices=[0], label="new"),
    Configure(profile="openai"),
    {"operation": "UNDO"},
    {"operation": "REDO"},
    {"operation": "ROLLBACK", "targetBatchIndex": 0},
]


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_a_copy_and_its_original_do_not_see_each_other(change: Any) -> None:
    conversation, twin = rich(), rich().copy()
    assert twin == conversation
    twin.execute(change)
    assert twin != conversation
    assert conversation == rich()
    twin = conversation.copy()
    conversation.execute(change)
    conversation.record_usage(1)
    assert twin == rich()
    assert twin.usage == rich().usage
    assert twin.check() == conversation.check() == []


def test_a_copy_shares_messages_and_views() -> None:
    conversation = rich()
    twin = conversation.copy()
    assert twin.log[0] is conversation.log[0]
    assert twin.view is conversation.view


def test_squash_makes_a_new_conversation_of_what_is_visible() -> None:
    conversation = rich()
    before = conversation.copy()
    new = conversation.squash()
    assert conversation == before
    assert texts(new.log) == ["m3", "m1", "m4"]
    assert shown(new) == [0, 1, 2]
    assert [message.metadata for message in new.log] == [
        {"squashedFrom": 3},
        {"squashedFrom": 1},
        {"k": 1, "squashedFrom": 4},
    ]
    assert new.marks == {"pin": [1]}
    assert new.settings == conversation.settings
    assert new.meta == {
        "title": "t",
        "origin": {"title": "t", "messages": 5, "revision": 2, "batch": 1},
    }
    assert (len(new.journal), len(new.batches), new.batch.number) == (1, 1, 0)
    assert replayed(new) == new
    assert new.check() == []


def test_squashing_nothing_gives_an_empty_conversation() -> None:
    conversation = talk(*numbered(2))
    conversation.execute(Clear())
    assert len(conversation.squash().log) == 0
