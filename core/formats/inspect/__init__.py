"""Inspect logs: an evaluation of many samples, each a conversation of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ...conversation.conversation import Conversation
from ...errors import Refused, not_a
from ..base import Layout, Loaded, ReadOnly, Sureness
from ..each import LEFT_OUT
from ..notes import Notes, without
from ..recognising import INSPECT, recognise
from ..source import Sample, Source
from ..tools import META_KEY, ToolShape
from ..warnings import WarningCollector, bare, without_values
from .messages import read_sample_messages

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

    def sureness(self, sample: Sample) -> Sureness:
        """Tell whether there are samples with messages."""
        found = any(recognise(item) == INSPECT for item in sample.items)
        return Sureness.LOOKS_LIKE if found else Sureness.NO

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
                    first = first or refusal.inside(f"sample {place}")
                    source.collector.add(LEFT_OUT, line, without_values(refusal))
                else:
                    found = True
                    yield loaded
        if not found:
            raise first or not_a("samples", None, "a list of samples with messages")


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
        raise not_a("sample", sample, "an object with messages")
    warnings = WarningCollector()
    attached = sample.get("attachments")
    whole = _Attachments(attached if isinstance(attached, Mapping) else {}, warnings)
    messages = read_sample_messages(whole.put_back(sample["messages"]), warnings)
    facts = without(sample, "messages", "attachments", "events")
    meta = {**Notes("inspect").beside({}, whole.put_back(facts)), "title": _title(log, sample)}
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
