"""ChatGPT's export as a format: a list of conversations, each a tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.conversation.conversation import Conversation
from core.errors import Refused, not_a
from core.formats.base import Loaded, Sureness, Written
from core.formats.chatgpt.contents import NOTES
from core.formats.chatgpt.messages import is_call, read_message
from core.formats.chatgpt.nodes import (
    MAPPING,
    Forest,
    last_leaf,
    nearest,
    parents_of,
    write_nodes,
)
from core.formats.each import OneEach
from core.formats.notes import merged, without
from core.formats.objects import is_object
from core.formats.recognising import CHATGPT
from core.formats.remarks import Remarks, beside_messages
from core.formats.trees import Node, build_tree

CURRENT = "current_node"
END = "end"
"""The note of the last node with a message on the branch that was current."""


class ChatGPT(OneEach):
    """A conversation with a mapping of nodes, each with a parent, children and perhaps a message.

    What stands beside the mapping, and nodes without a message, are kept in ``meta.chatgpt``; the
    title is that of the conversation. Every branch is read, and written again.
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
        remarks = Remarks()
        parents = parents_of(mapping)
        calls = _calls(mapping, parents)
        empty: dict[str, Any] = {}
        nodes = []
        for place, (key, node) in enumerate(mapping.items()):
            messages = []
            row = node.get("message") if is_object(node) else None
            if is_object(row):
                beside = {"key": key, **without(node, "message", "key")}
                try:
                    messages = [read_message(row, key, calls.get(key), beside, place, remarks)]
                except Refused as refusal:
                    told = "messages that can't be read are left out"
                    remarks.add(told, place, refusal.sentence)
            if not messages:
                empty[key] = node
            nodes.append(Node(key, parents.get(key), messages, line=place))
        notes = {**without(value, MAPPING, END), **({MAPPING: empty} if empty else {})}
        meta: dict[str, Any] = {self.name: notes}
        if isinstance(value.get("title"), str) and value["title"]:
            meta["title"] = notes.pop("title")
        active = value.get(CURRENT)
        active = active if isinstance(active, str) else None
        said = {node.id for node in nodes if node.messages}
        end = nearest(active if active in mapping else last_leaf(parents), parents, said)
        if end is not None:
            notes[END] = end
        made = build_tree(nodes, remarks, active=active, meta=meta)
        return Loaded(made, self.name, remarks.sentences())

    def write(self, conversation: Conversation) -> Written:
        """Return the visible messages as the current branch, and the other branches as read."""
        remarks = Remarks()
        forest = Forest(conversation)
        mapping, current = write_nodes(forest, remarks)
        notes = NOTES.of(conversation.meta)
        data: dict[str, Any] = {MAPPING: mapping}
        if isinstance(conversation.meta.get("title"), str):
            data["title"] = conversation.meta["title"]
        if not NOTES.is_in(conversation.meta) or notes.get(END) != forest.end:
            data[CURRENT] = current
        data = merged(data, without(notes, MAPPING, END))
        told = [*_left_out(conversation, forest), *remarks.sentences()]
        return Written(data, tuple(told))


def _left_out(conversation: Conversation, forest: Forest) -> list[str]:
    """Return what is left out beside the messages; other branches are not."""
    told = beside_messages(conversation, "chatgpt", "title")
    told = tuple(one for one in told if not one.startswith(("the messages that", "the history")))
    hidden = len(conversation.log) - len(conversation.view) - forest.elsewhere
    found = [f"the messages that are on no branch are left out ({hidden})"] if hidden > 0 else []
    return [*found, *told]


def _calls(mapping: Mapping[str, Any], parents: Mapping[str, str | None]) -> dict[str, str]:
    """Return which call each node follows, with nothing but results and empty nodes between."""
    found: dict[str, str | None] = {}
    for start in mapping:
        chain: list[str] = []
        key: str | None = start
        call: str | None = None
        while key is not None and key not in found and key in mapping:
            found[key] = None
            chain.append(key)
            key = parents.get(key)
        for key in reversed(chain):
            parent = parents.get(key)
            call = found.get(parent) if parent is not None else None
            node = mapping[key]
            row = node.get("message") if is_object(node) else None
            if is_object(row):
                author = row.get("author")
                role = author.get("role") if is_object(author) else None
                call = key if is_call(row) else call if role == "tool" else None
            found[key] = call
    return {key: call for key, call in found.items() if call is not None and call != key}
