"""Lines become the nodes of a tree: an answer in several lines is one, results follow each other.

Claude Code writes a line for each block of an answer, and each result names the line of its call
as parent. Taken as it stands, parallel calls would be forks in which every branch lacks a result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...errors import Refused
from ...messages.message import Message
from ...values.roles import Role
from ..blocks import read_turn
from ..moments import read_moment
from ..notes import Notes, without
from ..trees import Node
from ..warnings import WarningCollector, without_values
from .lines import NOTHING, UNKNOWN, Line, tell_twice

NOTES = Notes("claude-code")
COMPACTION = "compaction"


@dataclass(slots=True)
class Grown:
    """A node while it is made: its lines, and the place of its first among the nodes it follows."""

    place: int
    role: Role
    content: str | list[dict[str, Any]]
    form: str | None
    parent: int
    opens: bool
    message: Message | None
    """What it holds, as long as it is of one line."""
    entries: list[dict[str, Any]] = field(default_factory=list)
    answers: set[str] = field(default_factory=set)
    """The calls whose results it holds."""
    results: list[int] = field(default_factory=list)
    """The places of the results of its calls."""


class Growth:
    """The nodes of one conversation, and the lines of it that are none."""

    def __init__(
        self, lines: Sequence[Line], follows: Sequence[int], warnings: WarningCollector
    ) -> None:
        self._lines, self._follows, self._warnings = lines, follows, warnings
        self._nodes: dict[int, Grown] = {}
        self._owner: dict[int, int] = {}
        self._ways: dict[int, tuple[int, bool]] = {}
        self._said: dict[str, object] = {}
        self.others: list[Line] = []

    def add(self, place: int) -> None:
        """Take the next line."""
        line = self._lines[place]
        if not line.is_message or self._is_twice(line):
            self.others.append(line)
            return
        try:
            role, content, form = read_turn(line.data["message"], line.number, self._warnings)
            entry = _entry(line, content)
            message = _message(role, content, form, [entry], line)
        except Refused as refusal:
            self._warnings.add("message-unreadable", line.number, without_values(refusal))
            self.others.append(line)
            return
        parent, crossed = self._way(self._follows[place])
        opens = line.is_summary or crossed
        joined = self._same_answer(line, parent) if isinstance(content, list) else None
        if joined is not None and form is None and not opens:
            self._owner[place] = joined.place
            joined.content += content  # type: ignore[operator]
            joined.entries.append(entry)
            joined.message = None
            return
        node = Grown(place, role, content, form, parent, opens, message, [entry])
        self._owner[place] = place
        self._nodes[place] = node
        if role == "tool":
            self._follow_results(node)

    def nodes(self) -> list[Node]:
        """Return all nodes; what follows one result of an answer follows the last of them."""
        return [self._made(node) for node in self._nodes.values()]

    @property
    def is_silent(self) -> bool:
        """Tell whether nobody says anything."""
        return not self._nodes

    @property
    def first_words(self) -> str:
        """Return how the conversation begins."""
        first = next(iter(self._nodes.values()), None)
        return "" if first is None else Message(first.role, first.content).text  # type: ignore[arg-type]

    def _is_twice(self, line: Line) -> bool:
        if line.uuid is None:
            return False
        if line.uuid not in self._said:
            self._said[line.uuid] = line.data["message"]
            return False
        is_same = bool(self._said[line.uuid] == line.data["message"])
        tell_twice(line, is_same, self._warnings)
        return is_same

    def _way(self, place: int) -> tuple[int, bool]:
        """Return the node that leads to a place, and whether a compaction lies between."""
        path: list[int] = []
        seen: set[int] = set()
        while place >= 0 and place not in self._owner and place not in self._ways:
            if place in seen:
                place = NOTHING
                break
            seen.add(place)
            path.append(place)
            place = self._follows[place]
        found, crossed = self._ways.get(place, (self._owner.get(place, place), False))
        for step in reversed(path):
            crossed = crossed or self._lines[step].is_boundary
            self._ways[step] = found, crossed
        return found, crossed

    def _same_answer(self, line: Line, parent: int) -> Grown | None:
        """Return the node of the answer that a line goes on with; results may lie between."""
        if line.message_id is None:
            return None
        node = self._nodes.get(parent)
        node = node if node is None or node.role != "tool" else self._asked(node)
        if node is None or node.role != "assistant" or isinstance(node.content, str):
            return None
        same = self._lines[node.place].message_id == line.message_id
        return node if same and node.form is None else None

    def _asked(self, result: Grown) -> Grown | None:
        """Return the node that results follow, past those before them."""
        node: Grown | None = result
        while node is not None and node.role == "tool":
            node = self._nodes.get(node.parent)
        return node

    def _follow_results(self, node: Grown) -> None:
        """Put results behind those of the same answer, unless they answer the same calls again."""
        if isinstance(node.content, str):
            return  # Somebody calls a plain text a tool's.
        results = [part for part in node.content if part["type"] == "tool_result"]
        node.answers = {part["tool_result"]["tool_use_id"] for part in results}
        asked = self._asked(node)
        if asked is None or isinstance(asked.content, str):
            return
        calls = {one["tool_use"]["id"] for one in asked.content if one["type"] == "tool_use"}
        given = {one for place in asked.results for one in self._nodes[place].answers}
        if node.answers <= calls and not node.answers & given:
            if asked.results:
                node.parent = asked.results[-1]
            asked.results.append(node.place)

    def _made(self, node: Grown) -> Node:
        parent = self._nodes.get(node.parent)
        asked = None if parent is None else self._asked(parent)
        results = asked.results if asked is not None else []
        if parent is not None and parent.place in results and node.place not in results:
            parent = self._nodes[results[-1]]
        first = self._lines[node.place]
        name = None if parent is None else str(parent.place)
        if node.parent == UNKNOWN:
            name = "?"
        return Node(
            str(node.place),
            name,
            [node.message or _message(node.role, node.content, node.form, node.entries, first)],
            COMPACTION if node.opens else None,
            node.opens,
            first.number,
        )


def _entry(line: Line, content: str | list[dict[str, Any]]) -> dict[str, Any]:
    """Return what is noted of a line: everything but what the message itself holds."""
    body: Mapping[str, Any] = line.data["message"]
    kept = {**line.data, "message": without(body, "content")}
    return {"at": line.number, "line": kept, "parts": len(content)}


def _message(
    role: Role,
    content: str | list[dict[str, Any]],
    form: str | None,
    entries: list[dict[str, Any]],
    first: Line,
) -> Message:
    """Return the message of some lines, with the id and the time of the first."""
    notes: dict[str, Any] = {"lines": entries}
    if form is not None:
        notes["content"] = form
    data = {"role": role, "content": content, "id": first.uuid, **NOTES.kept(notes)}
    return Message.from_dict({**data, "timestamp": read_moment(first.data.get("timestamp"))})
