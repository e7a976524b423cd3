"""Codex: rollouts as JSONL, whose response items are read; all other lines are kept.

A compaction is a batch with what replaced the messages before it; turns that were taken back are a
branch that was left. The instructions of the first line are the system message. In rollouts of
2025 the items lie in the lines themselves, without a payload.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..conversation.conversation import Conversation
from ..engine.messages import DataPart, Message, Part, TextPart, ToolUsePart
from ..values.frozen import freeze, freeze_object, thaw
from . import responses
from .base import Format, Layout, Loaded, Written
from .detection import MISSING, among
from .fields import is_object, read_timestamp, write_timestamp
from .format_metadata import FormatMetadata, without
from .losses import conversation_losses
from .responses import GivenItem, WrittenItem, read_items, report_losses, write_items
from .source import Source, SourceObject
from .transcripts import (
    Placed,
    Row,
    TreeNode,
    build_tree,
    compaction,
    in_order,
    is_line,
    others_of,
    stored_lines,
)
from .usage import UsageKeys, call_of
from .warnings import WarningCollector

NOTES = FormatMetadata("codex")
LOSSES = replace(responses.LOSSES, metadata=True)
ITEM = "response_item"
OUTPUT = "_output"
START = "start"
BARE, BASE = "bare", "base"
"""The notes that an item was a line itself, and that a message was in the first line."""
GIVEN = ("action", "arguments", "input", "revised_prompt")
"""What calls are given, where Responses has no shape for them."""
USAGE = UsageKeys(
    ("input_tokens",), ("output_tokens",), "cached_input_tokens", "cache_write_input_tokens"
)
COMPACTION = "compaction"


class Codex(Format):
    """The record of one session; where messages were hidden or changed, the visible ones."""

    name = NOTES.key
    about = "a Codex transcript (rollout)"
    suffixes = (".codex.jsonl",)
    kinds = ("a Codex transcript",)
    signs = ({"payload": dict, "type": among("event_msg", "compacted")},)
    sure_signs = (
        {"payload": dict, "type": among("session_meta", "response_item", "turn_context")},
        {"record_type": "state"},
        {"instructions": object, "id": str, "timestamp": str, "type": MISSING, "model": MISSING},
        {"session": {"id": str, "timestamp": str}, "items": list},
    )
    many = False

    def read(self, source: Source) -> Iterator[Loaded]:
        warnings = WarningCollector("line")
        layout, rows = Layout.ITEMS, source.rows()
        if not source.is_lines and is_object(document := source.document()):
            layout, rows = Layout.DOCUMENT, iter(_old_rows(document))
        made = read_lines(rows, warnings)
        if made is not None:
            yield Loaded(made, self.name, warnings.found(), layout)

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


def _old_rows(document: Mapping[str, Any]) -> Iterator[SourceObject]:
    """Yield the lines of the oldest rollouts, which are one document; or that as one line."""
    if not isinstance(document.get("items"), list):
        yield SourceObject(1, document)
        return
    session = document.get("session")
    yield SourceObject(1, session if is_object(session) else {})
    for number, item in enumerate(document["items"], 2):
        if is_object(item):
            yield SourceObject(number, item)


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
        self._usage: list[tuple[str, str, Row]] = []
        """What requests cost: the node of the answer, the kind of line that says it, the call."""
        self._answer = START
        self._base: str | None = None
        """The node of the instructions."""
        self._is_old = False
        self._counted: object = None
        self._model: object = None

    def add(self, number: int, row: Mapping[str, Any]) -> None:
        match row:
            case {"type": "response_item", "payload": {"type": "ghost_snapshot"}}:
                pass  # It is never sent.
            case {"type": "response_item", "payload": Mapping() as payload}:
                kept = {NOTES.key: {"at": number, "line": without(row, "payload")}}
                self._wait(number, row, payload, kept)
                return
            case {"type": str(), "payload": object()}:
                self._read_other(number, row)
            case {"role": str()} | {"type": str()} if self._is_old and _is_item(row):
                self._wait(number, row, row, {NOTES.key: {"at": number, "line": {BARE: True}}})
                return
            case {"id": str(), "timestamp": str(), **more} if "type" not in more:
                self._is_old = True
                text = more.get("instructions")
                if isinstance(text, str) and text:
                    self._instruct(number, text)
        self._others.append((number, row))

    def _wait(
        self, number: int, row: Mapping[str, Any], item: Mapping[str, Any], kept: Row
    ) -> None:
        type = item.get("type")
        if isinstance(type, str) and type.endswith(OUTPUT) and type not in responses.RESULTS:
            given = without(item, "type", "id", "call_id")
            kept = {NOTES.key: {**kept[NOTES.key], ITEM: dict(item)}}
            id = item.get("call_id", "")
            item = {"type": f"function_call{OUTPUT}", "call_id": id, "output": given}
        self._waiting.append(GivenItem(item, number, kept))
        self._rows[number] = row

    def _instruct(self, number: int, text: str) -> None:
        """Begin with the instructions of the first line that has some, as every request does."""
        if len(self._nodes) == 1 and not self._waiting:
            notes = NOTES.frozen({"in": number, BASE: True})
            self._grow([Message("system", text, metadata=notes)])
            self._base = self._at

    def _read_other(self, number: int, row: Mapping[str, Any]) -> None:
        match row:
            case {"type": "session_meta", "payload": {"base_instructions": {"text": str(text)}}}:
                if text:
                    self._instruct(number, text)
            case {"type": "session_meta", "payload": {"instructions": str(text)}} if text:
                self._instruct(number, text)
            case {"type": "turn_context", "payload": Mapping() as payload}:
                self._read_waiting()
                self._model = payload.get("model", self._model)
            case {"type": "token_usage_record", "payload": Mapping() as payload}:
                self._read_waiting()
                self._count("record", row, payload.get("usage"), payload.get("response_id"))
            case {
                "type": "event_msg",
                "payload": {"type": "token_count", "info": Mapping() as info},
            } if info.get("total_token_usage") != self._counted:
                self._counted = info.get("total_token_usage")
                self._read_waiting()
                self._count("event", row, info.get("last_token_usage"), None)
            case {"type": "compacted", "payload": Mapping() as payload}:
                self._read_waiting()
                self._compact(number, payload)
            case {"type": "event_msg", "payload": {"type": "thread_rolled_back"} as payload}:
                self._read_waiting()
                self._roll_back(payload.get("num_turns"))

    def _count(self, kind: str, row: Mapping[str, Any], usage: object, request: object) -> None:
        """Note what a request cost, at the last answer that was read."""
        time = read_timestamp(row.get("timestamp"))
        found = call_of(usage, USAGE, time, request=request, model=self._model)
        self._usage += [(self._answer, kind, call) for call in found]

    def conversation(self) -> Conversation | None:
        self._read_waiting()
        if not any(node.messages for node in self._nodes):
            return None
        meta = NOTES.meta({}, stored_lines(self._others, self._warnings))
        best = "record" if any(kind == "record" for _, kind, _ in self._usage) else "event"
        calls: dict[str, list[Row]] = {}
        for name, kind, call in self._usage:
            if kind == best:
                calls.setdefault(name, []).append(call)
        self._nodes = [replace(node, calls=calls.get(node.id or "", ())) for node in self._nodes]
        return build_tree(self._nodes, self._warnings, active=self._at, meta=meta)

    def _read_waiting(self) -> None:
        messages, bad = read_items(self._waiting, self._warnings)
        messages = [_with_calls(message) for message in messages]
        self._others += [(one.place, self._rows[one.place]) for one in bad]
        self._waiting = []
        self._grow(messages)

    def _grow(self, messages: Sequence[Message], opens: str | None = None) -> None:
        for message in messages:
            name = str(len(self._nodes))
            timed = _timed(message)
            # The instructions go first in every request, also after a compaction.
            act = compaction(opens, [self._base]) if opens and self._base else None
            opens = None if act else opens
            node = TreeNode(name, self._at, [timed], opens, opens is not None, act=act)
            self._nodes.append(node)
            self._at, opens = name, None
            if message.role == "assistant":
                self._answer = name

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


def _is_item(row: Mapping[str, Any]) -> bool:
    return row.get("type", "message") not in ("ghost_snapshot", "event_msg")


def _with_calls(message: Message) -> Message:
    """Return a message in which every kind of call is one, and what an agent says is a text."""
    parts = tuple([_known_part(part) for part in message.parts])
    return message if parts == message.parts else replace(message, content=parts)


def _known_part(part: Part) -> Part:
    item = thaw(part.data) if isinstance(part, DataPart) else {}
    metadata = {**(part.metadata or {}), NOTES.key: {**NOTES.of(part.metadata), ITEM: item}}
    match item:
        case {"type": "agent_message", "content": list(content)}:
            texts = [one["text"] for one in content if isinstance(one, dict) and "text" in one]
            return TextPart("\n".join(map(str, texts)), freeze_object(metadata, "metadata"))
        case {"type": str(type)} if type.endswith("_call"):
            id = item.get("call_id") or item.get("id")
            given: Any = next((item[key] for key in GIVEN if key in item), {})
            name = type.removesuffix("_call")
            made = id if isinstance(id, str) else f"call_{name}"
            return ToolUsePart(made, name, freeze(given, "input"), freeze_object(metadata, "item"))
    return part


def _with_items(message: Message) -> Message:
    """Return a message in which calls are the items again that they were read from."""
    parts = [
        DataPart(freeze_object(item, "data"), freeze_object(metadata, "metadata"))
        if isinstance(item := NOTES.of(part.metadata).get(ITEM), dict)
        and (metadata := {**(part.metadata or {}), responses.NOTES.key: {"item": True}})
        else part
        for part in message.parts
    ]
    return message if parts == [*message.parts] else replace(message, content=tuple(parts))


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
    return write_items(_with_items(message), raw, plain_text=NOTES.is_in(message.metadata))


def _visible_items(conversation: Conversation) -> list[Row]:
    """Return all visible items, to compare them with what reading lines again shows."""
    visible = zip(conversation.view, conversation.visible, strict=True)
    return [item for raw, message in visible for item, _ in _items(message, raw)]


def _visible_lines(conversation: Conversation) -> list[Row]:
    others = [row for _, row in others_of(NOTES, conversation)]
    rows = [row for row in others if row.get("type") == "session_meta"]
    time = next((row["timestamp"] for row in rows if "timestamp" in row), write_timestamp(0))
    for raw, message in zip(conversation.view, conversation.visible, strict=True):
        if rows and NOTES.of(message.metadata).get(BASE):
            continue  # It is in the first line.
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
    if isinstance(noted, Mapping) and noted.get(BARE):
        return item
    if isinstance(noted, Mapping):
        return {**noted, "payload": item}
    time = before if message.timestamp is None else write_timestamp(message.timestamp)
    return {"timestamp": time, "type": ITEM, "payload": item}
