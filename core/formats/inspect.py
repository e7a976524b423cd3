"""Messages of an Inspect sample as core messages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..conversation.conversation import Conversation
from ..engine.messages import Message
from ..errors import Refused, wrong_type
from .base import LEFT_OUT, Confidence, Layout, Loaded, ReadOnly, read_rows
from .detection import INSPECT, recognise
from .fields import ROLES, core_role
from .format_metadata import FormatMetadata, without
from .source import Sample, Source
from .tools import META_KEY, ToolShape
from .warnings import WarningCollector, as_role, bare, kept_keys, without_values

NOTES = FormatMetadata("inspect")
IN_RESULTS = ("text", "image", "data")
Data = dict[str, Any]


def read_sample_messages(rows: Sequence[object], warnings: WarningCollector) -> list[Message]:
    """Return core messages; a bad one is left out and told, and refused if there is no other."""
    return read_rows(rows, lambda row, place: _read(row, place, warnings), warnings)


def _read(row: object, place: int, warnings: WarningCollector) -> Message:
    if not isinstance(row, Mapping) or not isinstance(row.get("role"), str):
        raise wrong_type("message", row, "an object with a role")
    role = core_role(row["role"])
    if row["role"] not in ROLES:
        warnings.add("role-read-as", place, as_role(row["role"], role))
    notes = without(row, "role", "content")
    fields: Data = {"role": role}
    if isinstance(notes.get("id"), str):
        fields["id"] = notes.pop("id")
    parts = _read_parts(row.get("content"), place, warnings)
    if role == "tool" and isinstance(notes.get("tool_call_id"), str):
        parts = [_result(notes, row.get("content"), parts)]
    elif role == "assistant":
        parts += _calls(notes, place, warnings)
    notes = {key: value for key, value in notes.items() if value not in (None, [], {})}
    if notes:
        warnings.add("keys-kept", place, *kept_keys(NOTES.key, notes))
    fields["content"] = parts or [{"type": "text", "text": ""}]
    return Message.from_dict({**fields, **NOTES.entry(notes)})


def _read_parts(content: object, place: int, warnings: WarningCollector) -> list[Data]:
    match content:
        case None | "":
            return []
        case str():
            return [{"type": "text", "text": content}]
        case list():
            return [_read_part(part, i, place, warnings) for i, part in enumerate(content)]
    raise wrong_type("content", content, "text or a list of parts")


def _read_part(part: Any, index: int, place: int, warnings: WarningCollector) -> Data:
    match part:
        case {"type": "text", "text": str(text)}:
            return {"type": "text", "text": text, **NOTES.entry(without(part, "type", "text"))}
        case {"type": "image", "image": str(url)}:
            rest = NOTES.entry(without(part, "type", "image"))
            return {"type": "image", "image_url": {"url": url}, **rest}
        case {"type": "reasoning", "reasoning": str(text)}:
            signature = part.get("signature")
            signed = {"signature": signature} if isinstance(signature, str) else {}
            rest = NOTES.entry(without(part, "type", "reasoning", "signature"))
            return {"type": "thinking", "thinking": {"text": text, **signed}, **rest}
        case Mapping():
            told = bare(part.get("type"))
            warnings.add("part-kept-as-data", place, told)
            return {"type": "data", "data": part, "metadata": {NOTES.key: {}}}
    raise wrong_type(f"content[{index}]", part, "an object with a type")


def _calls(notes: Data, place: int, warnings: WarningCollector) -> list[Data]:
    """Return the calls of a message, if each has an id and a function; they leave its notes."""
    calls = notes.get("tool_calls")
    if not isinstance(calls, list):
        return []
    found = [call for call in calls if _is_call(call)]
    if len(found) < len(calls):
        warnings.add("call-unreadable", place)
        return []
    del notes["tool_calls"]
    return [
        {
            "type": "tool_use",
            "tool_use": {
                "id": call["id"],
                "name": call["function"],
                "input": call.get("arguments", {}),
            },
            **NOTES.entry(without(call, "id", "function", "arguments", "type")),
        }
        for call in found
    ]


def _is_call(call: object) -> bool:
    match call:
        case {"id": str(), "function": str()}:
            return True
    return False


def _result(notes: Data, content: object, parts: list[Data]) -> Data:
    """Return the result of a call; where the tool failed, it says why if it says nothing else."""
    result: Data = {"tool_use_id": notes.pop("tool_call_id"), "content": content or ""}
    if isinstance(content, list):
        result["content"] = [
            part if part["type"] in IN_RESULTS else _as_data(given)
            for part, given in zip(parts, content, strict=True)
        ]
    error = notes.get("error")
    if isinstance(error, Mapping):
        result["is_error"] = True
        if not result["content"] and isinstance(error.get("message"), str):
            result["content"] = error["message"]
    return {"type": "tool_result", "tool_result": result}


def _as_data(part: Data) -> Data:
    return {"type": "data", "data": part, "metadata": {NOTES.key: {}}}


TOOLS = ToolShape("inspect")
ATTACHMENT = re.compile(r"attachment://([0-9a-f]{32})")
MISSING = "attachment-missing"
EVENTS = "events-left-out"
DEEPEST = 100
"""Levels of a value in which attachments are looked for; what is deeper is refused anyway."""


class Inspect(ReadOnly):
    """What ``inspect log dump`` gives; a sample's facts are other fields.

    Its tools are those of the last request that is among its events.
    """

    name = "inspect"
    about = "an Inspect log, each sample a conversation"
    kinds = (INSPECT,)

    def confidence(self, sample: Sample) -> Confidence:
        """Tell whether there are samples with messages."""
        found = any(recognise(item) == INSPECT for item in sample.items)
        return Confidence.LIKELY if found else Confidence.NO

    def read(self, source: Source) -> Iterator[Loaded]:
        """Yield the conversation of every sample of every log."""
        first: Refused | None = None
        place = 0
        found = False
        for line, log in source.rows():
            for sample in _samples(log):
                place += 1
                try:
                    loaded = _read_sample(log, sample, place)
                except Refused as refusal:
                    first = first or refusal.prefixed(f"sample {place}")
                    source.collector.add(LEFT_OUT, line, without_values(refusal))
                else:
                    found = True
                    yield loaded
        if not found:
            raise first or wrong_type("samples", None, "a list of samples with messages")


def _samples(log: object) -> list[object]:
    """Return the samples of a log, or the one that a file is."""
    match log:
        case {"samples": list(samples)}:
            return samples
        case {"messages": list()}:
            return [log]
    return []


def _read_sample(log: Mapping[str, Any], sample: object, place: int) -> Loaded:
    if not isinstance(sample, Mapping) or not isinstance(sample.get("messages"), list):
        raise wrong_type("sample", sample, "an object with messages")
    warnings = WarningCollector()
    attached = sample.get("attachments")
    whole = _Attachments(attached if isinstance(attached, Mapping) else {}, warnings)
    messages = read_sample_messages(whole.put_back(sample["messages"]), warnings)
    facts = without(sample, "messages", "attachments", "events")
    meta = {**NOTES.meta({}, whole.put_back(facts)), "title": _title(log, sample)}
    events = sample.get("events")
    if events and isinstance(events, list):
        warnings.add(EVENTS)
        tools = _tools(events)
        if tools:
            meta[META_KEY] = TOOLS.read(whole.put_back(tools))
    if whole.replaced:
        facts["attachments"] = list(whole.replaced)
    talk = Conversation(messages, meta=meta)
    return Loaded(talk, Inspect.name, warnings.found(), Layout.LIST, place)


def _title(log: Mapping[str, Any], sample: Mapping[str, Any]) -> str:
    """Return the task and the sample, and the epoch if it is not the first."""
    evaluation = log.get("eval")
    task = evaluation.get("task") if isinstance(evaluation, Mapping) else None
    epoch = sample.get("epoch", 1)
    said = [*([bare(task)] if task else []), f"sample {bare(sample.get('id'))}"]
    return ", ".join([*said, *([f"epoch {bare(epoch)}"] if epoch != 1 else [])])


def _tools(events: list[object]) -> list[object]:
    """Return the tools of the last request among the events of a run."""
    for event in reversed(events):
        match event:
            case {"event": "model", "tools": [*tools]} if tools:
                return tools
    return []


class _Attachments:
    """The long texts that a log has once, and names wherever they stood."""

    def __init__(self, texts: Mapping[str, Any], warnings: WarningCollector) -> None:
        self._texts, self._warnings = texts, warnings
        self.replaced: dict[str, None] = {}
        """The names of those that were put back."""

    def put_back(self, value: Any, depth: int = 0) -> Any:
        """Return a value with every text where it stood."""
        match value:
            case str():
                return ATTACHMENT.sub(self._text, value) if "attachment://" in value else value
            case list() if depth < DEEPEST:
                return [self.put_back(item, depth + 1) for item in value]
            case dict() if depth < DEEPEST:
                return {key: self.put_back(item, depth + 1) for key, item in value.items()}
        return value

    def _text(self, found: re.Match[str]) -> str:
        text = self._texts.get(found[1])
        if isinstance(text, str):
            self.replaced[found[0]] = None
            return text
        self._warnings.add(MISSING, None, found[1])
        return found[0]
