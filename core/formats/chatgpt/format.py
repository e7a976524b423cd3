"""ChatGPT's export as a format: a list of conversations, each a tree."""

from __future__ import annotations

from itertools import takewhile
from typing import Any

from ...conversation.conversation import Conversation
from ...errors import Refused, not_a
from ...history.journal import Noted
from ...operations import Checkout, Operation
from ...queries.fields import is_bare_node
from ..base import Loaded, Sureness, Written
from ..each import OneEach
from ..notes import merged, without
from ..objects import is_object
from ..recognising import CHATGPT
from ..trees import Node, build_tree
from ..warnings import FormatWarning, WarningCollector, beside_messages, without_values
from .contents import NOTES
from .messages import read_message
from .nodes import (
    MAPPING,
    Forest,
    last_leaf,
    nearest,
    parents_of,
    write_nodes,
)
from .pairs import answered

CURRENT = "current_node"
END = "end"
"""The note of the last node with a message on the branch that was current."""


class ChatGPT(OneEach):
    """A conversation with a mapping of nodes, each with a parent, children and perhaps a message.

    What stands beside the mapping is in the other fields, with the nodes whose message can't be
    read; the title is that of the conversation. Every branch is read, and written again.
    """

    name = "chatgpt"
    about = "a ChatGPT export: conversations with all their branches"
    suffixes = (".chatgpt.json",)
    kinds = (CHATGPT,)

    def sure_of(self, value: object) -> Sureness:
        """Tell whether there is a mapping of nodes."""
        mapping = value.get(MAPPING) if is_object(value) else None
        if not is_object(mapping):
            return Sureness.NO
        nodes = [node for node in mapping.values() if is_object(node)]
        is_own = any("message" in node or "parent" in node for node in nodes)
        return Sureness.LOOKS_LIKE if is_own else Sureness.NO

    def read_one(self, value: Any) -> Loaded:
        """Return a conversation with a batch for each stretch of a branch."""
        mapping = value.get(MAPPING) if is_object(value) else None
        if not is_object(mapping) or not mapping:
            raise not_a(MAPPING, mapping, "an object of nodes")
        warnings = WarningCollector()
        parents = parents_of(mapping)
        calls = answered(mapping, parents)
        empty: dict[str, Any] = {}
        nodes = []
        for place, (key, node) in enumerate(mapping.items()):
            messages = []
            row = node.get("message") if is_object(node) else None
            if is_object(row):
                beside = {"key": key, **without(node, "message", "key")}
                try:
                    messages = [read_message(row, key, calls.get(key), beside, place, warnings)]
                except Refused as refusal:
                    told = "message-unreadable"
                    warnings.add(told, place, without_values(refusal))
            if not messages:
                empty[key] = node
            nodes.append(Node(key, parents.get(key), messages, line=place))
        said = {key: node for key, node in empty.items() if not is_bare_node(node)}
        bare = {key: node for key, node in empty.items() if key not in said}
        notes: dict[str, Any] = {MAPPING: bare} if bare else {}
        fields = {**without(value, MAPPING), **({MAPPING: said} if said else {})}
        meta: dict[str, Any] = {}
        if isinstance(value.get("title"), str) and value["title"]:
            meta["title"] = fields.pop("title")
        active = value.get(CURRENT)
        active = active if isinstance(active, str) else None
        full = {node.id for node in nodes if node.messages}
        end = nearest(active if active in mapping else last_leaf(parents), parents, full)
        if end is not None:
            notes[END] = end
        meta |= NOTES.beside(notes, fields)
        made = build_tree(nodes, warnings, active=active, meta=meta)
        return Loaded(made, self.name, warnings.found())

    def write(self, conversation: Conversation) -> Written:
        """Return the visible messages as the current branch, and the other branches as read."""
        warnings = WarningCollector()
        forest = Forest(conversation)
        mapping, current = write_nodes(forest, warnings)
        notes = NOTES.of(conversation.meta)
        data: dict[str, Any] = {MAPPING: mapping}
        if isinstance(conversation.meta.get("title"), str):
            data["title"] = conversation.meta["title"]
        if not NOTES.is_in(conversation.meta) or notes.get(END) != forest.end:
            data[CURRENT] = current
        data = merged(data, NOTES.fields_of(conversation.meta))
        again = self.read_one(data).conversation if mapping else Conversation()
        told = [*_left_out(conversation, forest, again), *warnings.found()]
        return Written(data, tuple(told))


def _left_out(
    conversation: Conversation, forest: Forest, again: Conversation
) -> list[FormatWarning]:
    """Return what is left out beside the messages; other branches are not."""
    told = beside_messages(conversation, *NOTES.held(conversation.meta), "title")
    found = {
        "off-branch-left-out": len(conversation.log) - len(conversation.view) - forest.elsewhere,
        "history-left-out": _changes(conversation, again),
    }
    return [
        *(FormatWarning(code, count=count) for code, count in found.items() if count > 0),
        *(one for one in told if one.code not in ("hidden-left-out", "history-left-out")),
    ]


def _changes(conversation: Conversation, again: Conversation) -> int:
    """Return how many changes were made beside those that reading the tree again makes.

    Going to another branch is none, since the tree tells which one is current.
    """
    made, known = _kinds(conversation), _kinds(again)
    same = sum(
        1 for _ in takewhile(lambda pair: pair[0] is pair[1], zip(made, known, strict=False))
    )
    return sum(kind is not Checkout for kind in made[same:])


def _kinds(conversation: Conversation) -> list[type[Operation]]:
    """Return the kinds of all changes; what is noted of requests is none."""
    done = [one for record in conversation.journal for one in record.operations]
    return [type(one) for one in done if not isinstance(one, Noted)]
