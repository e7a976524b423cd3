"""Nodes of ChatGPT's export: how they hang together, as read and after changes."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from ...conversation.conversation import Conversation
from ..notes import inner, without
from ..objects import is_object
from ..warnings import WarningCollector
from .contents import NOTES
from .messages import write_message
from .pairs import put_ids

MAPPING = "mapping"
Row = dict[str, Any]
Parents = dict[str, str | None]


def parents_of(mapping: Mapping[str, Any]) -> Parents:
    """Return the parent of each node: as it says itself, else as the children of others say."""
    found: Parents = {}
    for key, node in mapping.items():
        for child in _children(node):
            # Of several the least, since nodes are not always in the order of the file.
            found[child] = min(found.get(child) or key, key)
    for key, node in mapping.items():
        if is_object(node) and "parent" in node:
            found[key] = node["parent"] if isinstance(node["parent"], str) else None
    return {key: found.get(key) for key in mapping}


def nearest(key: str | None, parents: Parents, wanted: Container[str | None]) -> str | None:
    """Return a node or its nearest ancestor that is wanted; none where the way leads round."""
    seen: set[str] = set()
    while key is not None and key not in wanted:
        if key in seen or key not in parents:
            return None
        seen.add(key)
        key = parents[key]
    return key


def last_leaf(parents: Parents) -> str | None:
    """Return the leaf that appears last, where the current branch ends if none is named."""
    above = set(parents.values())
    return next((key for key in reversed(parents) if key not in above), None)


class Forest:
    """A conversation by the nodes its messages were read from, and where those stand now."""

    def __init__(self, conversation: Conversation) -> None:
        self.conversation = conversation
        notes = NOTES.of(conversation.meta)
        unread = inner(NOTES.fields_of(conversation.meta), MAPPING)
        self.empty = {**inner(notes, MAPPING), **unread}
        """Nodes without a message, as they were."""
        visible, view = conversation.visible, conversation.view
        self.path: list[tuple[int, str]] = []
        """The visible messages, each with the key of its node."""
        self.raw: dict[str, int] = {}
        """The message of each node, the visible one where there are several."""
        for raw, message in zip(view, visible, strict=True):
            key = _node(message.metadata).get("key")
            if not isinstance(key, str) or key in self.raw or key in self.empty:
                key = str(uuid5(NAMESPACE_URL, f"ctxtui:{raw}:{message.role}:{message.text!a}"))
            self.raw[key] = raw
            self.path.append((raw, key))
        self.noted = self._noted()
        self.elsewhere = 0
        for raw in self._other_branches():
            key = _node(conversation.log[raw].metadata).get("key")
            if isinstance(key, str) and key not in self.raw and key not in self.empty:
                self.raw[key] = raw
                self.elsewhere += 1
        self.parents = self._parents()

    @property
    def end(self) -> str | None:
        """Return the node of the last visible message."""
        return self.path[-1][1] if self.path else None

    def _noted(self) -> dict[str, Any]:
        """Return all nodes as they were read, without their messages."""
        nodes = dict(self.empty)
        for message in self.conversation.log:
            node = _node(message.metadata)
            if isinstance(node.get("key"), str):
                nodes.setdefault(node["key"], without(node, "key"))
        return nodes

    def _other_branches(self) -> list[int]:
        """Return the messages that end branches other than the current one can see."""
        made = self.conversation
        above = {revision.parent for revision in made.revisions}
        found: set[int] = set()
        for revision in made.revisions:
            if revision.id not in above and revision.id != made.current.id:
                found.update(revision.view)
        return sorted(found)

    def _parents(self) -> Parents:
        """Return the parent of every node that is written."""
        before = parents_of(self.noted)
        kept = {**dict.fromkeys(self.empty), **dict.fromkeys(self.raw)}
        parents: Parents = {}
        for key in kept:
            parent = before.get(key)
            # A parent that never was there stays named, as it was.
            parents[key] = nearest(parent, before, kept) if parent in before else parent
        last: str | None = None
        for _, key in self.path:
            above = nearest(parents.get(key), parents, self.raw)
            if above != last or key not in before:
                parents[key] = last if last is not None else self.root
            last = key
        return parents

    @property
    def root(self) -> str | None:
        """Return the node without a message that everything hangs from, if there is one."""
        before = parents_of(self.noted)
        return next((key for key in self.empty if before.get(key) is None), None)


def write_nodes(forest: Forest, warnings: WarningCollector) -> tuple[Row, str | None]:
    """Return the mapping of a conversation, and the key of the node where its path ends."""
    before = parents_of(forest.noted)
    log = forest.conversation.log
    mapping: Row = {}
    heads: dict[str, str] = {}
    calls: dict[str, str] = {}
    for key in (*forest.empty, *sorted(forest.raw, key=forest.raw.__getitem__)):
        if key in forest.empty:
            mapping[key] = {**forest.empty[key]} if _is_node(forest.empty[key]) else None
            continue
        message = log[forest.raw[key]]
        rows = write_message(message, forest.raw[key], warnings)
        node = without(_node(message.metadata), "key") if key in before else {"id": key}
        for number, (row, call) in enumerate(rows):
            name = key if number == 0 else f"{key}-{number}"
            id = message.id if number == 0 and (key in before or message.id) else name
            row = {"id": id, **row} if id is not None else row
            if call is not None:
                calls[name] = call
            mapping[name] = {**(node if number == 0 else {"id": name}), "message": row}
            if number:
                mapping[name]["parent"] = heads.get(key, key)
                heads[key] = name
    for key, parent in forest.parents.items():
        at = heads.get(parent, parent) if parent is not None else None
        if mapping[key] is not None and (key not in before or before[key] != at):
            mapping[key]["parent"] = at
    _put_children(mapping, forest)
    put_ids(mapping, parents_of(mapping), calls)
    end = forest.end or forest.root
    return {**mapping, **_no_nodes(forest)}, heads.get(end, end) if end is not None else None


def _put_children(mapping: Row, forest: Forest) -> None:
    """Give every node its children, where these are not what its own list says."""
    given = parents_of(mapping)
    before = parents_of(forest.noted)
    now: dict[str, list[str]] = {}
    then: dict[str, list[str]] = {}
    for tree, parents in ((now, given), (then, before)):
        for key, parent in parents.items():
            if parent is not None:
                tree.setdefault(parent, []).append(key)
    for key, node in mapping.items():
        if node is None:
            continue
        children = now.get(key, [])
        if key in before and set(children) == set(then.get(key, [])):
            continue
        old = [child for child in _children(node) if child in children]
        node["children"] = [*old, *(child for child in children if child not in old)]


def _no_nodes(forest: Forest) -> Row:
    return {key: node for key, node in forest.empty.items() if not _is_node(node)}


def _is_node(node: object) -> bool:
    return is_object(node)


def _children(node: object) -> list[str]:
    children = node.get("children") if is_object(node) else None
    found = children if isinstance(children, list) else []
    return [child for child in found if isinstance(child, str)]


def _node(metadata: Any) -> Row:
    return inner(NOTES.of(metadata), "node")
