"""Codex: rollouts as JSONL, whose response items are read; all other lines are kept.

A compaction is a batch with what replaced the messages before it; turns that were taken back are a
branch that was left.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..conversation.conversation import Conversation
from ..engine.messages import Message
from . import responses
from .base import Format, Layout, Loaded, Written
from .fields import read_timestamp, write_timestamp
from .format_metadata import FormatMetadata, without
from .losses import conversation_losses
from .responses import GivenItem, WrittenItem, read_items, report_losses, write_items
from .source import Source, SourceObject
from .transcripts import (
    Placed,
    Row,
    TreeNode,
    build_tree,
    in_order,
    is_line,
    others_of,
    stored_lines,
)
from .warnings import WarningCollector

NOTES = FormatMetadata("codex")
LOSSES = replace(responses.LOSSES, metadata=True)
ITEM = "response_item"
START = "start"
COMPACTION = "compaction"


class Codex(Format):
    """The record of one session; where messages were hidden or changed, the visible ones."""

    name = NOTES.key
    about = "a Codex transcript (rollout)"
    suffixes = (".codex.jsonl",)
    kinds = ("a Codex transcript",)
    signs = ({"type": str, "payload": dict},)
    many = False

    def read(self, source: Source) -> Iterator[Loaded]:
        warnings = WarningCollector("line")
        made = read_lines(source.rows(), warnings)
        if made is not None:
            yield Loaded(made, self.name, warnings.found(), Layout.ITEMS)

    def write(self, conversation: Conversation) -> Written:
        visible = list(zip(conversation.view, conversation.visible, strict=True))
        warnings = WarningCollector()
        for raw, message in visible:
            report_losses(message, raw, _items(message, raw), warnings, LOSSES)
        rows = in_order(_all_lines(conversation))
        again = read_lines([SourceObject(i, row) for i, row in enumerate(rows)], WarningCollector())
        if again is None or _visible_items(again) != _visible_items(conversation):
            again, rows = None, _visible_lines(conversation)
        others = conversation_losses(conversation, *NOTES.held(conversation.meta), again=again)
        return Written(rows, (*others, *warnings.found()), Layout.ITEMS)


def read_lines(lines: Iterable[SourceObject], warnings: WarningCollector) -> Conversation | None:
    """Return the conversation of some lines, or None if there is no message."""
    reader = _RolloutReader(warnings)
    for number, row in lines:
        reader.add(number, row)
    return reader.conversation()


class _RolloutReader:
    """Takes line after line; the items between two compactions are read together."""

    def __init__(self, warnings: WarningCollector) -> None:
        self._warnings = warnings
        self._nodes = [TreeNode(START, None)]
        self._at = START
        self._others: list[tuple[int, Mapping[str, Any]]] = []
        self._waiting: list[GivenItem] = []
        self._rows: dict[int, Mapping[str, Any]] = {}

    def add(self, number: int, row: Mapping[str, Any]) -> None:
        match row:
            case {"type": "response_item", "payload": Mapping() as payload}:
                kept = {NOTES.key: {"at": number, "line": without(row, "payload")}}
                self._waiting.append(GivenItem(payload, number, kept))
                self._rows[number] = row
                return
            case {"type": "compacted", "payload": Mapping() as payload}:
                self._read_waiting()
                self._compact(number, payload)
            case {"type": "event_msg", "payload": {"type": "thread_rolled_back"} as payload}:
                self._read_waiting()
                self._roll_back(payload.get("num_turns"))
        self._others.append((number, row))

    def conversation(self) -> Conversation | None:
        self._read_waiting()
        if not any(node.messages for node in self._nodes):
            return None
        meta = NOTES.meta({}, stored_lines(self._others, self._warnings))
        return build_tree(self._nodes, self._warnings, active=self._at, meta=meta)

    def _read_waiting(self) -> None:
        messages, bad = read_items(self._waiting, self._warnings)
        self._others += [(one.place, self._rows[one.place]) for one in bad]
        self._waiting = []
        self._grow(messages)

    def _grow(self, messages: Sequence[Message], opens: str | None = None) -> None:
        for message in messages:
            name = str(len(self._nodes))
            timed = _timed(message)
            node = TreeNode(name, self._at, [timed], opens, opens is not None)
            self._nodes.append(node)
            self._at, opens = name, None

    def _compact(self, number: int, payload: Mapping[str, Any]) -> None:
        items = payload.get("replacement_history")
        if not isinstance(items, list) or not items:
            text = payload.get("message")
            said: Any = [{"type": "output_text", "text": text}] if isinstance(text, str) else ""
            items = [{"type": "message", "role": "assistant", "content": said}]
        place = {NOTES.key: {"in": number}}
        messages, _ = read_items([GivenItem(item, number, place) for item in items], self._warnings)
        self._grow(messages, COMPACTION)

    def _roll_back(self, turns: object) -> None:
        left = turns if isinstance(turns, int) else 0
        by_name = {node.id: node for node in self._nodes}
        at: str | None = self._at
        while left > 0 and at is not None and at != START:
            node = by_name[at]
            at = node.parent
            left -= any(_is_turn(Message.from_dict(one)) for one in node.messages)
        self._at = at or START


def _is_turn(message: Message) -> bool:
    """Return whether a user said something, and not Codex itself in the user's name."""
    return message.role == "user" and not message.text.startswith(("<", "# AGENTS.md"))


def _timed(message: Message) -> Message:
    for one in (message, *message.parts):
        line = NOTES.of(one.metadata).get("line")
        time = read_timestamp(line.get("timestamp")) if isinstance(line, Mapping) else None
        if time is not None:
            return replace(message, timestamp=time)
    return message


def _items(message: Message, raw: int) -> list[WrittenItem]:
    """Return the items of a message; a text is a list of parts where Codex did not say it so."""
    return write_items(message, raw, plain_text=NOTES.is_in(message.metadata))


def _visible_items(conversation: Conversation) -> list[Row]:
    """Return all visible items, to compare them with what reading lines again shows."""
    visible = zip(conversation.view, conversation.visible, strict=True)
    return [item for raw, message in visible for item, _ in _items(message, raw)]


def _visible_lines(conversation: Conversation) -> list[Row]:
    others = [row for _, row in others_of(NOTES, conversation)]
    rows = [row for row in others if row.get("type") == "session_meta"]
    time = next((row["timestamp"] for row in rows if "timestamp" in row), write_timestamp(0))
    for raw, message in zip(conversation.view, conversation.visible, strict=True):
        for item, metadata in _items(message, raw):
            rows.append(_line(item, NOTES.of(metadata), message, time))
            time = rows[-1].get("timestamp", time)
    return rows


def _all_lines(conversation: Conversation) -> list[Placed]:
    """Return every line that was read, and those of visible messages that were added since."""
    placed = others_of(NOTES, conversation)
    visible = set(conversation.view)
    at, time = (0, 0), write_timestamp(0)
    for raw, message in enumerate(conversation.log):
        for item, metadata in _items(message, raw):
            notes = NOTES.of(metadata)
            if is_line(notes.get("at"), notes.get("line")):
                at = (notes["at"], 0)
            elif "in" in notes:
                at = max(at, (notes["in"], 0)) if isinstance(notes["in"], int) else at
                continue
            elif raw in visible:
                at = (at[0], at[1] + 1)
            else:
                continue
            row = _line(item, notes, message, time)
            time = row.get("timestamp", time)
            placed.append((at, row))
    return placed


def _line(item: Row, notes: Row, message: Message, before: object) -> Row:
    """Return the line of an item: as it was, or a new one, no earlier than the one before."""
    noted = notes.get("line")
    if isinstance(noted, Mapping):
        return {**noted, "payload": item}
    time = before if message.timestamp is None else write_timestamp(message.timestamp)
    return {"timestamp": time, "type": ITEM, "payload": item}
