"""Transcripts: files of lines of which some are messages and others only have to be given back.

A message notes the number of its line, the others are a field of the conversation, each with its
number (``meta.fields.lines``). So the lines can be put together again in their order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..conversation.conversation import Conversation
from ..engine.messages import Message, read_messages
from ..engine.meta_fields import LINES
from ..engine.operations import Append, BatchStart, Checkout, Compress, Delete, Insert, Redact
from ..errors import Refused
from ..values.frozen import freeze
from .format_metadata import FormatMetadata
from .warnings import WarningCollector, without_values

Row = dict[str, Any]
Place = tuple[int, int]
"""The number of a line in its file, and how many new ones are after it."""
Placed = tuple[Place, Row]


def stored_lines(
    lines: Iterable[tuple[int, Mapping[str, Any]]], warnings: WarningCollector, field: str = LINES
) -> Row:
    """Return the field of a conversation with the lines that are no messages."""
    found: list[list[Any]] = []
    for number, data in lines:
        try:
            freeze([[[[data]]]], "line")
        except Refused as refusal:  # What is nested too deeply can't be stored.
            warnings.add("line-not-stored", number, without_values(refusal))
        else:
            found.append([number, data])
    return {field: sorted(found, key=lambda other: other[0])} if found else {}


def others_of(own: FormatMetadata, conversation: Conversation, field: str = LINES) -> list[Placed]:
    """Return the lines that are no messages."""
    found = own.fields_of(conversation.meta).get(field)
    return [
        ((other[0], 0), other[1])
        for other in (found if isinstance(found, list) else ())
        if isinstance(other, list) and len(other) == 2 and is_line(*other)  # noqa: PLR2004
    ]


def is_line(at: object, line: object) -> bool:
    """Return whether what was noted is the number of a line and the line itself."""
    return isinstance(at, int) and isinstance(line, Mapping)


def in_order(placed: Iterable[Placed]) -> list[Row]:
    """Return lines in the order of their file."""
    return [row for _, row in sorted(placed, key=lambda one: one[0])]


def visible_content(conversation: Conversation) -> list[Any]:
    """Return what is visible, to compare it with what reading a file again shows."""
    return [(message.role, message.content) for message in conversation.visible]


MOST_BRANCHES = 1_000
"""Branches above which only the active one is read."""
ROOT = -1

MessageLike = Message | Mapping[str, Any]
Raws = Callable[[Iterable[str]], list[int]]
"""Gives the raw indices of the messages of some nodes."""
Act = Callable[[Conversation, Raws, Sequence[Message]], bool]
"""What happens to the messages before a node; returns whether it has used those of the node."""


def compaction(
    description: str, keeps: Iterable[str] = (), hides: Iterable[str] | None = None
) -> Act:
    """Return the act that puts the messages of its node in the place of all but some others.

    With ``hides`` it is in the place of these only. If there is nothing to hide, the messages are
    added before all others.
    """
    names, wanted = list(keeps), None if hides is None else list(hides)

    def act(made: Conversation, raws: Raws, summary: Sequence[Message]) -> bool:
        kept = set(raws(names))
        going = None if wanted is None else set(raws(wanted))
        hidden = [raw for raw in made.view if raw not in kept and (going is None or raw in going)]
        if hidden:
            made.execute(Compress(indices=hidden, summary=summary or None, description=description))
        elif summary:
            made.execute(Insert(position=0, messages=list(summary), description=description))
        return True

    return act


def hiding(description: str, names: Iterable[str] | None = None) -> Act:
    """Return the act that hides the messages of some nodes, or all before it."""
    wanted = None if names is None else list(names)

    def act(made: Conversation, raws: Raws, messages: Sequence[Message]) -> bool:
        hidden = set(made.view) if wanted is None else set(raws(wanted)) & set(made.view)
        if hidden:
            made.execute(Delete(indices=sorted(hidden), description=description))
        return False

    return act


def dropping(description: str, count: int) -> Act:
    """Return the act that hides so many of the oldest messages, but none of the system.

    The messages of its node are put in their place.
    """

    def act(made: Conversation, raws: Raws, messages: Sequence[Message]) -> bool:
        oldest = [raw for raw in made.view if made.log[raw].role != "system"][:count]
        if oldest:
            summary = list(messages) or None
            made.execute(Compress(indices=oldest, summary=summary, description=description))
        return bool(oldest)

    return act


def clearing(description: str, text: str, names: Iterable[str]) -> Act:
    """Return the act that replaces what the messages of some nodes say by a text."""
    wanted = list(names)

    def act(made: Conversation, raws: Raws, messages: Sequence[Message]) -> bool:
        cleared = set(raws(wanted)) & set(made.view)
        if cleared:
            made.execute(Redact(indices=sorted(cleared), text=text, description=description))
        return False

    return act


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A place in a tree, with its messages (none, one or several).

    ``opens`` makes it begin a batch of that description even without a fork, as a compaction does;
    ``hides_all`` hides what is before it on its branch; ``act`` does anything else to it. ``calls``
    are what was recorded of the requests that its messages answer. ``line`` is for warnings.
    """

    id: str | None
    parent: str | None
    messages: Sequence[MessageLike] = ()
    opens: str | None = None
    hides_all: bool = False
    line: int | None = None
    act: Act | None = None
    calls: Sequence[Mapping[str, Any]] = ()


def build_tree(
    nodes: Iterable[TreeNode],
    warnings: WarningCollector,
    *,
    active: str | None = None,
    meta: Mapping[str, Any] | None = None,
) -> Conversation:
    """Return the conversation of a tree, whose nodes come in order of first appearance.

    ``active`` is the id of the node where the current branch ends; without it, or where there is
    no such node, it is the leaf that appeared last. What is odd about the tree becomes a warning.
    """
    tree = _Tree(warnings, {} if meta is None else meta)
    for node in nodes:
        tree.add(node)
    return tree.conversation(active)


class _Tree:
    """Nodes by number, each with the number of its parent, and the operations that make a tree."""

    def __init__(self, warnings: WarningCollector, meta: Mapping[str, Any]) -> None:
        self._warnings, self._meta = warnings, meta
        self._nodes: list[TreeNode] = []
        self._numbers: dict[str, int] = {}
        self._children: dict[int, list[int]] = {}
        self._made: Conversation | None = None
        self._revisions = {ROOT: 0}
        self._pending: list[Message] = []
        self._raws: dict[str, range] = {}
        self._at = ROOT

    def add(self, node: TreeNode) -> None:
        """Take the next node; the same one a second time is left out."""
        if not all(type(message) is Message for message in node.messages):
            node = replace(node, messages=read_messages(node.messages))
        number = self._numbers.get(node.id) if node.id is not None else None
        if number is not None:
            first = self._nodes[number]
            if first.parent == node.parent and list(first.messages) == list(node.messages):
                self._warnings.add("message-repeated", node.line)
                return
            self._warnings.add("id-repeated", node.line)
        elif node.id is not None:
            self._numbers[node.id] = len(self._nodes)
        self._nodes.append(node)

    def conversation(self, active: str | None) -> Conversation:
        """Return the conversation of all nodes, or of the active branch if there are too many.

        Consecutive messages of a branch are one APPEND.
        """
        parents = self._parents()
        children = self._children
        for number, parent in enumerate(parents):
            children.setdefault(parent, []).append(number)
        end = self._end(active)
        leaves = sum(number not in children for number in range(len(parents)))
        if leaves > MOST_BRANCHES:
            self._warnings.count("branches-left-out", leaves)
            path: list[int] = []
            number = end
            while number != ROOT:
                path.append(number)
                number = parents[number]
            path.reverse()
            children = dict(zip((ROOT, *path), ([number] for number in path), strict=False))
        for number in _ordered(children):
            parent, node = parents[number], self._nodes[number]
            siblings = children[parent]
            if parent != self._at:
                self._go_to(parent)
            if len(siblings) > 1 or node.opens is not None or node.hides_all:
                self._open_batch(node, siblings.index(number) + 1, len(siblings))
            self._take(node)
            self._at = number
            if len(children.get(number, ())) != 1 or number == end:
                self._revisions[number] = self._appended().current.id
        self._go_to(end)
        return self._appended()

    def _take(self, node: TreeNode) -> None:
        """Record the calls of a node, and add its messages in the way it wants."""
        messages: list[Message] = list(node.messages)  # type: ignore[arg-type]
        if node.calls:
            made = self._appended()
            for call in node.calls:
                made.record_call(**call)
        if node.act is not None and (self._made is not None or self._pending):
            made = self._appended()
            first = len(made.log)
            if node.act(made, self._raws_of, messages):
                messages, count = [], len(made.log) - first
                self._note(node, first, count)
                return
        known = 0 if self._made is None else len(self._made.log)
        self._note(node, known + len(self._pending), len(messages))
        self._pending += messages

    def _note(self, node: TreeNode, first: int, count: int) -> None:
        if node.id is not None and count:
            self._raws[node.id] = range(first, first + count)

    def _raws_of(self, names: Iterable[str]) -> list[int]:
        return [raw for name in names for raw in self._raws.get(name, ())]

    def _parents(self) -> list[int]:
        """Return the parent of each node; an unknown one is the root, and no way leads round."""
        parents = []
        for number, node in enumerate(self._nodes):
            parent = ROOT if node.parent is None else self._numbers.get(node.parent)
            if parent is None or parent == number:
                self._warnings.add("parent-missing", node.line)
                parent = ROOT
            parents.append(parent)
        seen = [0] * len(parents)
        for start in range(len(parents)):
            number = start
            while number != ROOT and not seen[number]:
                seen[number] = start + 1
                number = parents[number]
            if number != ROOT and seen[number] == start + 1:
                self._warnings.add("parent-cycle", self._nodes[number].line)
                parents[number] = ROOT
        return parents

    def _end(self, active: str | None) -> int:
        number = None if active is None else self._numbers.get(active)
        if number is not None:
            return number
        if active is not None:
            self._warnings.add("active-message-missing")
        numbers = range(len(self._nodes) - 1, -1, -1)
        return next((number for number in numbers if number not in self._children), ROOT)

    def _appended(self) -> Conversation:
        """Return the conversation with what is pending; it starts with the first of that."""
        if self._made is None:
            self._made = Conversation(self._pending, meta=self._meta)
        elif self._pending:
            self._made.execute(Append(messages=self._pending))
        self._pending = []
        return self._made

    def _go_to(self, number: int) -> None:
        """Go to where a node was added last; what is pending belongs to the node left behind."""
        if self._at == number:
            return
        made = self._appended()
        self._revisions[self._at] = made.current.id
        made.execute(Checkout(revision=self._revisions[number]))
        self._at = number

    def _open_batch(self, node: TreeNode, place: int, siblings: int) -> None:
        made = self._appended()
        self._revisions[self._at] = made.current.id
        boundary = len(made.log) if node.hides_all else None
        description = node.opens or f"branch {place} of {siblings}"
        made.execute(BatchStart(boundary=boundary, description=description))


def _ordered(children: Mapping[int, Sequence[int]]) -> list[int]:
    """Return all nodes by appearance, but each after its parent, and then as soon as can be."""
    wanted = sorted(number for group in children.values() for number in group)
    parent_of = {number: parent for parent, group in children.items() for number in group}
    placed: set[int] = {ROOT}
    waiting: set[int] = set()
    order: list[int] = []
    for number in wanted:
        if parent_of[number] not in placed:
            waiting.add(number)
            continue
        ready = [number]
        while ready:
            found = ready.pop()
            order.append(found)
            placed.add(found)
            late = [child for child in children.get(found, ()) if child in waiting]
            ready += reversed(late)
    return order
