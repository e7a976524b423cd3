"""Trees: each branch shows the messages of its path, in any tree and any order of its nodes."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import Conversation, Message
from ctxtui.core.formats.transcripts import MOST_BRANCHES, TreeNode, build_tree
from ctxtui.core.formats.warnings import WarningCollector, sentences
from tests.core.samples import said


def node(name: str, parent: str | None = None, **more: Any) -> TreeNode:
    return TreeNode(name, parent, [said("user", name)], **more)


def contents(node: TreeNode) -> list[str]:
    return [Message.from_dict(message).text for message in node.messages]


def texts(conversation: Conversation) -> list[str]:
    return [message.text for message in conversation.visible]


def ends(conversation: Conversation) -> set[tuple[str, ...]]:
    """Return what each batch shows at its end."""
    return {
        tuple(m.text for m in conversation.at(conversation.newest(batch)).visible)
        for batch in conversation.batches
    }


def test_a_chain_is_one_batch_that_the_conversation_starts_with() -> None:
    remarks = WarningCollector()
    made = build_tree([node("a"), node("b", "a"), node("c", "b")], remarks, meta={"title": "t"})
    assert (texts(made), len(made.batches), len(made.journal)) == (["a", "b", "c"], 1, 1)
    assert made.meta == {"title": "t"}
    assert sentences(remarks.found()) == ()


def test_a_fork_goes_back_to_the_batch_that_ends_there_and_opens_one_for_each_child() -> None:
    nodes = [node("a"), node("b", "a"), node("c", "b"), node("d", "b"), node("e", "c")]
    made = build_tree(nodes, WarningCollector(), active="d")
    assert [message.text for message in made.log] == ["a", "b", "c", "d", "e"]
    assert texts(made) == ["a", "b", "d"]
    assert [batch.parent for batch in made.batches] == [None, 0, 0]
    assert [batch.description for batch in made.batches][1:] == ["branch 1 of 2", "branch 2 of 2"]
    assert ends(made) == {("a", "b"), ("a", "b", "c", "e"), ("a", "b", "d")}
    assert made.check() == []


def test_without_an_active_node_the_leaf_that_came_last_is_current() -> None:
    remarks = WarningCollector()
    made = build_tree([node("a"), node("b", "a"), node("c", "a")], remarks, active="nope")
    assert texts(made) == ["a", "c"]
    assert sentences(remarks.found()) == ("the last message of the active branch is missing",)


def test_the_active_branch_may_end_before_its_leaf() -> None:
    made = build_tree([node("a"), node("b", "a"), node("c", "b")], WarningCollector(), active="b")
    assert texts(made) == ["a", "b"]
    assert len(made.log) == 3


def test_a_compaction_opens_a_batch_that_hides_what_was_before() -> None:
    summary = node("s", "a", opens="compaction", hides_all=True)
    made = build_tree([node("a"), summary, node("b", "s")], WarningCollector())
    assert texts(made) == ["s", "b"]
    assert [batch.description for batch in made.batches][1:] == ["compaction"]


def test_nodes_without_messages_only_lead_on() -> None:
    made = build_tree([TreeNode("r", None), node("a", "r"), node("b", "r")], WarningCollector())
    assert ends(made) == {(), ("a",), ("b",)}
    assert texts(build_tree([], WarningCollector())) == []


def test_odd_trees_are_told_and_read() -> None:
    remarks = WarningCollector("line")
    nodes = [
        node("a", line=1),
        node("a", line=2),
        TreeNode("a", None, [said("user", "other")], line=3),
        node("b", "nobody", line=4),
        node("c", "d", line=5),
        node("d", "c", line=6),
        node("e", "e", line=7),
        TreeNode(None, "a", [said("user", "f")], line=8),
    ]
    made = build_tree(nodes, remarks)
    assert sorted(m.text for m in made.log) == ["a", "b", "c", "d", "e", "f", "other"]
    assert sentences(remarks.found()) == (
        "messages that occur twice were read once (line 2)",
        "ids that occur twice refer to the first message (line 3)",
        "messages with a missing parent start a new branch (lines 4, 7)",
        "messages that are their own ancestors start a new branch (line 5)",
    )
    assert made.check() == []


def test_of_too_many_branches_only_the_active_one_is_read() -> None:
    remarks = WarningCollector()
    leaves = [node(f"n{i}", "a") for i in range(MOST_BRANCHES + 1)]
    made = build_tree([node("a"), *leaves], remarks, active="n7")
    assert (texts(made), len(made.log)) == (["a", "n7"], 2)
    assert sentences(remarks.found()) == (
        "only the active branch was read, since there are too many (1,001)",
    )


def test_a_deep_tree_needs_no_deep_stack() -> None:
    nodes = [node(str(i), str(i - 1) if i else None) for i in range(20_000)]
    assert len(build_tree(reversed(nodes), WarningCollector(), active="19999").visible) == 20_000


@st.composite
def trees(draw: st.DrawFn) -> list[TreeNode]:
    """Return a tree, its nodes in any order."""
    size = draw(st.integers(0, 12))
    nodes = []
    for i in range(size):
        parent = draw(st.none() | st.integers(0, i - 1)) if i else None
        count = draw(st.integers(0, 2))
        messages = [said("user", f"{i}.{j}") for j in range(count)]
        hides = draw(st.booleans()) and draw(st.booleans())
        name = None if parent is None else str(parent)
        nodes.append(TreeNode(str(i), name, messages, hides_all=hides))
    return draw(st.permutations(nodes))


@given(trees(), st.data())
def test_every_branch_shows_its_path(nodes: list[TreeNode], data: st.DataObject) -> None:
    active = data.draw(st.sampled_from(nodes)).id if nodes else None
    made = build_tree(nodes, WarningCollector(), active=active)
    by_id = {node.id: node for node in nodes}

    def path(id: str | None) -> list[str]:
        """Return what the naive walk from the root shows."""
        found: list[str] = []
        while id is not None:
            found = contents(by_id[id]) + found
            if by_id[id].hides_all:
                break
            id = by_id[id].parent
        return found

    assert texts(made) == path(active)
    assert made.check() == []
    parents = {node.parent for node in nodes}
    for one in nodes:
        if one.id not in parents:
            assert tuple(path(one.id)) in ends(made)
    assert sorted(m.text for m in made.log) == sorted(
        text for one in nodes for text in contents(one)
    )


@given(trees())
def test_raw_order_is_that_of_the_file_where_parents_come_first(nodes: list[TreeNode]) -> None:
    nodes.sort(key=lambda node: int(node.id or 0))
    made = build_tree(nodes, WarningCollector())
    assert [m.text for m in made.log] == [text for one in nodes for text in contents(one)]
