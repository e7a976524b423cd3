"""Messages of an Inspect sample as core messages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..engine.messages import (
    ImagePart,
    Message,
    Part,
    TextPart,
    ThinkingPart,
    ToolResultPart,
    ToolUsePart,
)
from ..errors import Refused, wrong_type
from .base import LEFT_OUT, Layout, Loaded, ReadOnly, read_rows
from .fields import ROLES, core_role, is_object, read_timestamp
from .format_metadata import ContentBlocks, FormatMetadata, PartField, Shape, without
from .request_codecs import number
from .rollouts import with_calls
from .source import Source
from .tools import META_KEY, ToolShape
from .warnings import WarningCollector, as_role, bare, kept_keys, without_values

NOTES = FormatMetadata("inspect")
THOUGHT = {
    "type": "reasoning",
    "reasoning": PartField("text"),
    "signature": PartField("signature", "optional"),
}
SHAPES = {
    "text": Shape(TextPart, {"type": "text", "text": PartField("text")}),
    "image": Shape(ImagePart, {"type": "image", "image": PartField("url")}),
    "reasoning": Shape(ThinkingPart, THOUGHT),
}
BLOCKS = ContentBlocks(NOTES, SHAPES)
CALL = Shape(
    ToolUsePart,
    {
        "id": PartField("id"),
        "function": PartField("name"),
        "arguments": PartField("input", "value"),
    },
)


def read_sample_messages(rows: Sequence[object], warnings: WarningCollector) -> list[Message]:
    """Return core messages; a bad one is reported, and if all are bad the first is refused."""
    return read_rows(rows, lambda row, place: _read(row, place, warnings), warnings)


def _read(row: object, place: int, warnings: WarningCollector) -> Message:
    if not is_object(row) or not isinstance(row.get("role"), str):
        raise wrong_type("message", row, "an object with a role")
    role, content = core_role(row["role"]), row.get("content")
    if row["role"] not in ROLES:
        warnings.add("role-read-as", place, as_role(row["role"], role))
    notes = without(row, "role", "content")
    id = notes.pop("id") if isinstance(notes.get("id"), str) else None
    if not isinstance(content, str | list | None):
        raise wrong_type("content", content, "text or a list of parts")
    parts = BLOCKS.read(content, place, warnings)
    if role == "tool" and isinstance(notes.get("tool_call_id"), str):
        parts = [_result(notes, content, parts)]
    elif role == "assistant":
        parts += _calls(notes, place, warnings)
    notes = {key: value for key, value in notes.items() if value not in (None, [], {})}
    if notes:
        warnings.add("keys-kept", place, *kept_keys(NOTES.key, notes))
    return NOTES.message(role, parts, notes, id=id)


def _calls(notes: dict[str, Any], place: int, warnings: WarningCollector) -> list[Part]:
    """Return the calls of a message, if each has an id and a function, and drop them from notes."""
    rows = notes.get("tool_calls")
    if not isinstance(rows, list):
        return []
    read = [CALL.read(NOTES, without(row, "type")) if is_object(row) else None for row in rows]
    calls = [call for call in read if call is not None]
    if len(calls) < len(rows):
        warnings.add("call-unreadable", place)
        return []
    del notes["tool_calls"]
    return calls


def _result(notes: dict[str, Any], content: object, parts: list[Part]) -> Part:
    """Return the result of a call; where the tool failed, it says why if it says nothing else."""
    said: Any = content or ""
    if isinstance(content, list):
        said = tuple(
            NOTES.data(given) if isinstance(part, ThinkingPart) else part
            for part, given in zip(parts, content, strict=True)
        )
    error = notes.get("error")
    if not is_object(error):
        return ToolResultPart(notes.pop("tool_call_id"), said)
    if not said and isinstance(error.get("message"), str):
        said = error["message"]
    return ToolResultPart(notes.pop("tool_call_id"), said, is_error=True)


TOOLS = ToolShape("inspect")
ATTACHMENT = re.compile(r"attachment://([0-9a-f]{32})")
DEEPEST = 100
"""Levels of a value in which attachments are looked for; what is deeper is refused anyway."""


class Inspect(ReadOnly):
    """What ``inspect log dump`` gives; a sample's facts are other fields.

    Its tools are those of the last request that is among its events.
    """

    name = "inspect"
    about = "an Inspect log (JSON or .eval), each sample a conversation"
    kinds = ("an Inspect log",)
    signs = (
        {"samples": [{"messages": list}]},
        {"epoch": int, "messages": list, "target": object},
    )

    def read(self, source: Source) -> Iterator[Loaded]:
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
        warnings.add("events-left-out")
        tools = _tools(events)
        if tools:
            meta[META_KEY] = TOOLS.read(whole.put_back(tools))
    if whole.replaced:
        facts["attachments"] = list(whole.replaced)
    talk = with_calls(messages, _calls_of(events, messages), meta)
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


COUNTS = {
    "input": "input_tokens",
    "cached": "input_tokens_cache_read",
    "written": "input_tokens_cache_write",
    "output": "output_tokens",
}
"""What Inspect calls the tokens of a request; those of the cache are not part of its input."""


def _calls_of(events: object, messages: Sequence[Message]) -> dict[int, dict[str, Any]]:
    """Return the requests among the events of a run, by the place of their answer.

    Where answers have no ids, they are those of the requests if there are as many.
    """
    asked = [
        event
        for event in (events if isinstance(events, list) else ())
        if is_object(event) and event.get("event") == "model" and is_object(event.get("output"))
    ]
    places = {message.id: at for at, message in enumerate(messages) if message.id is not None}
    answers = [at for at, message in enumerate(messages) if message.role == "assistant"]
    in_order = answers if len(answers) == len(asked) else []
    found: dict[int, dict[str, Any]] = {}
    for turn, event in enumerate(asked):
        output, model = event["output"], event.get("model")
        match output:
            case {"choices": [{"message": {"id": str(id)}}, *_]} if id in places:
                at = places[id]
            case _ if in_order:
                at = in_order[turn]
            case _:
                continue
        usage = output.get("usage")
        counts = {name: number(usage, key) for name, key in COUNTS.items()}
        paid = {name: count for name, count in counts.items() if count is not None}
        if "input" in paid:
            paid["input"] += paid.get("cached", 0) + paid.get("written", 0)
        found[at] = {
            "usage": paid or None,
            "model": model if isinstance(model, str) else None,
            "time": read_timestamp(event.get("timestamp")),
        }
    return found


class _Attachments:
    """The long texts that a log stores once and refers to by name."""

    def __init__(self, texts: Mapping[str, Any], warnings: WarningCollector) -> None:
        self._texts, self._warnings = texts, warnings
        self.replaced: dict[str, None] = {}
        """The names of those that were put back."""

    def put_back(self, value: Any, depth: int = 0) -> Any:
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
        self._warnings.add("attachment-missing", None, found[1])
        return found[0]
