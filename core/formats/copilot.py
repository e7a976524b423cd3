"""Copilot CLI: events of a session; sub-agents are conversations of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..engine.messages import Message, Part, TextPart, ThinkingPart
from .agents import TranscriptBuilder, call, message, result, texts_in
from .base import Format, Layout, Loaded, ReadOnly
from .detection import among
from .fields import is_object, read_timestamp
from .format_metadata import FormatMetadata, without
from .json_text import parsed
from .source import Source
from .transcripts import Act, Row, dropping
from .usage import UsageKeys, call_of, figure

NOTES = FormatMetadata("copilot")
USAGE = UsageKeys((), ("outputTokens",))
REMOVED = ("messagesRemovedDuringTruncation", "messagesRemoved", "preCompactionMessagesLength")
"""The keys under which an event says how many messages went, but not which."""


class Copilot(ReadOnly, Format):
    """The messages of the events; what else happened is kept as lines."""

    name = NOTES.key
    about = "a session of Copilot CLI"
    kinds = ("a Copilot CLI session",)
    sure_signs = (
        {
            "data": dict,
            "timestamp": str,
            "type": among(
                *("session.start", "user.message", "assistant.message", "tool.execution_complete"),
                *("assistant.turn_start", "tool.execution_start", "system.message"),
            ),
        },
    )
    many = False

    def read(self, source: Source) -> Iterator[Loaded]:
        reader = _CopilotReader(source)
        for builder in reader.threads():
            if builder.has_messages:
                yield Loaded(builder.conversation(), self.name, layout=Layout.ITEMS)


class _CopilotReader:
    def __init__(self, source: Source) -> None:
        self._collector = source.collector
        self._builders: dict[object, TranscriptBuilder] = {}
        self._thoughts: dict[str, list[Part]] = {}
        self._rows = [(number, row, _body(row)) for number, row in source.rows()]
        self._asked = {
            id
            for _, _, body in self._rows
            for one in _listed(body.get("toolRequests"))
            if isinstance(id := one.get("toolCallId"), str)
        }

    def threads(self) -> list[TranscriptBuilder]:
        self._thread(None)
        for number, row, body in self._rows:
            builder = self._thread(body.get("parentToolCallId"))
            found, act = self._read(number, row, body, builder)
            if not found:
                self._thread(None).other(number, row)
                if act is None:
                    continue
            time = read_timestamp(row.get("timestamp"))
            calls = call_of(body, USAGE, time, model=body.get("model"))
            is_answer = row.get("type") == "assistant.message"
            builder.add(found, line=number, act=act, calls=calls if is_answer else ())
        return list(self._builders.values())

    def _thread(self, id: object) -> TranscriptBuilder:
        key = id if isinstance(id, str) else None
        if key not in self._builders:
            self._builders[key] = TranscriptBuilder(NOTES, self._collector)
        return self._builders[key]

    def _read(
        self, number: int, row: Mapping[str, Any], body: Mapping[str, Any], to: TranscriptBuilder
    ) -> tuple[list[Message], Act | None]:
        time, id = row.get("timestamp"), row.get("id")
        key = body.get("parentToolCallId")
        match row.get("type"):
            case "system.message":
                return [_said("system", row, body, "content")], None
            case "user.message":
                is_other = isinstance(body.get("transformedContent"), str)
                key_of = "transformedContent" if is_other else "content"
                return [_said("user", row, body, key_of)], None
            case "assistant.reasoning":
                text = texts_in(body.get("content"))
                notes = NOTES.frozen({"line": {**row, "data": without(body, "content")}})
                self._thoughts.setdefault(str(key), []).append(ThinkingPart(text, None, notes))
                return [], None
            case "assistant.message":
                return [self._answer(number, row, body)], None
            case "tool.execution_start" if str(body.get("toolCallId")) not in self._asked:
                made = _call(number, body, body.get("toolName"), {"line": row})
                return [message(NOTES, "assistant", [made], {}, time, id)], None
            case "tool.execution_complete":
                return [_result(number, row, body)], None
            case "subagent.started":
                name = body.get("agentName")
                started = self._thread(body.get("toolCallId"))
                started.title = f"sub-agent: {name}" if isinstance(name, str) else "sub-agent"
            case "session.truncation" | "session.compaction_complete":
                return self._shortened(row, body)
        return [], None

    def _shortened(
        self, row: Mapping[str, Any], body: Mapping[str, Any]
    ) -> tuple[list[Message], Act | None]:
        """Return what happened to the oldest messages; without a number that is not known."""
        kind = str(row["type"]).removeprefix("session.").removesuffix("_complete")
        count = next((n for key in REMOVED if (n := figure(body, key))), 0)
        if not count:
            return [], None
        description = f"{kind} of {count} messages, by their number"
        summary = body.get("summary", body.get("summaryContent"))
        if not isinstance(summary, str) or not summary:
            return [], dropping(description, count)
        said = message(NOTES, "user", summary, {"line": row}, row.get("timestamp"))
        return [said], dropping(description, count)

    def _answer(self, number: int, row: Mapping[str, Any], body: Mapping[str, Any]) -> Message:
        parts = self._thoughts.pop(str(body.get("parentToolCallId")), [])
        thought = body.get("reasoningText")
        if isinstance(thought, str) and thought and not parts:
            parts.append(ThinkingPart(thought))
        text = body.get("content")
        parts += [TextPart(text)] if isinstance(text, str) and text else []
        for place, one in enumerate(_listed(body.get("toolRequests"))):
            rest = without(one, "toolCallId", "name", "arguments")
            parts.append(_call(f"{number}_{place}", one, one.get("name"), {"request": rest}))
        kept = {**row, "data": without(body, "content", "toolRequests")}
        time, id = row.get("timestamp"), row.get("id")
        return message(NOTES, "assistant", parts, {"line": kept}, time, id)


def _body(row: Mapping[str, Any]) -> Mapping[str, Any]:
    body = row.get("data")
    return body if is_object(body) else {}


def _listed(value: object) -> list[Mapping[str, Any]]:
    return [one for one in value if is_object(one)] if isinstance(value, list) else []


def _said(role: Any, row: Mapping[str, Any], body: Mapping[str, Any], key: str) -> Message:
    notes = {"line": {**row, "data": without(body, key)}}
    text = texts_in(body.get(key))
    return message(NOTES, role, text, notes, row.get("timestamp"), row.get("id"))


def _call(place: object, one: Mapping[str, Any], name: object, notes: Row) -> Any:
    given = one.get("arguments")
    is_json, value = parsed(given) if isinstance(given, str) else (False, given)
    id = one.get("toolCallId")
    made = id if isinstance(id, str) and id else f"call_{place}"
    return call(NOTES, made, name, value if is_json else given, **notes)


def _result(number: int, row: Mapping[str, Any], body: Mapping[str, Any]) -> Message:
    given, error = body.get("result"), body.get("error")
    said = given.get("content") if is_object(given) else given
    if said is None and error is not None:
        said = error.get("message", error) if is_object(error) else error
    rest = without(given, "content") if is_object(given) else {}
    kept = {**row, "data": {**without(body, "result"), **({"result": rest} if rest else {})}}
    id = body.get("toolCallId")
    return result(
        NOTES,
        id if isinstance(id, str) else f"call_{number}",
        said,
        {"line": kept},
        is_error=body.get("success") is False,
        time=row.get("timestamp"),
        id=row.get("id"),
    )
