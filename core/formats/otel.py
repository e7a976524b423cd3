"""Spans: what an OpenTelemetry file says of things that took time, in whatever way it is written.

Files of the protocol nest them in resources and scopes and write attributes as lists of keys and
values; others have plain objects. Names that count up (``messages.0.role``) are lists again here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import Refused
from ..requests.exchange import Exchange
from ..values.numbers import count_in, integer_in
from .base import Loaded
from .fields import read_timestamp
from .format_metadata import without
from .openai import TOOLS as CHAT_TOOLS
from .request_logs import LoggedRequest, RequestLog, chat_usage
from .source import NO_OBJECTS, Source
from .tools import ToolShape
from .traced_messages import MessageReader, as_json

NESTING = (
    ("resourceSpans", "scopeSpans", "spans"),
    ("resourceSpans", "instrumentationLibrarySpans", "spans"),
    ("resourceLogs", "scopeLogs", "logRecords"),
)
"""Where files of the protocol have spans, and the events about them in logs."""
VALUES = ("stringValue", "boolValue", "doubleValue", "bytesValue")
STARTS = ("startTimeUnixNano", "start_time", "timeUnixNano", "observedTimeUnixNano")
DEEPEST = 50
MOST_STEPS = 12
"""Levels of a value, and of a name, beyond which there is nothing to be found."""


@dataclass(frozen=True, slots=True)
class Span:
    """One thing that took time: its trace, when it began, and what is said of it."""

    trace: str
    start: int
    attributes: dict[str, Any]
    rest: dict[str, Any]
    """What else it says: its ids, its name and when it began and ended."""


def spans_of(value: object) -> Iterator[Span]:
    """Yield every span of a file or of a line."""
    match value:
        case list():
            for item in value:
                yield from spans_of(item) if not isinstance(item, list) else ()
        case {"resourceSpans": list()} | {"resourceLogs": list()}:
            for path in NESTING:
                for row in _nested(value, path):
                    yield _span(row)
        case Mapping():
            yield _span(value)


def _nested(value: Any, path: tuple[str, ...]) -> Iterator[Mapping[str, Any]]:
    """Yield the objects at the end of a path of lists."""
    if not isinstance(value, Mapping):
        return
    if not path:
        yield value
        return
    inside = value.get(path[0])
    for item in inside if isinstance(inside, list) else ():
        yield from _nested(item, path[1:])


def _span(row: Mapping[str, Any]) -> Span:
    context = row.get("context")
    around = context if isinstance(context, Mapping) else {}
    trace = row.get("traceId", around.get("trace_id", row.get("trace_id")))
    attributes = _attributes(row.get("attributes"))
    events = row.get("events")
    for event in events if isinstance(events, list) else ():
        if isinstance(event, Mapping):
            attributes = {**_attributes(event.get("attributes")), **attributes}
    start = next((moment for key in STARTS if (moment := _start(row.get(key)))), 0)
    rest = without(row, "attributes", "events")
    return Span(trace if isinstance(trace, str) else "", start, attributes, rest)


def _start(value: object) -> int:
    """Return a time by which spans can be ordered, in nanoseconds where these are known."""
    nanoseconds = count_in(value)
    if nanoseconds is not None:
        return nanoseconds
    moment = read_timestamp(value)
    return 0 if moment is None else moment * 1_000_000


def _attributes(given: object) -> dict[str, Any]:
    if isinstance(given, Mapping):
        return dict(given)
    found = {}
    for item in given if isinstance(given, list) else ():
        if isinstance(item, Mapping) and isinstance(item.get("key"), str):
            found[item["key"]] = _value(item.get("value"), 0)
    return found


def _value(given: Any, depth: int) -> Any:
    """Return the value that the protocol wraps in an object which names its type."""
    if depth > DEEPEST:
        return None
    match given:
        case {"intValue": str(digits)} if (number := integer_in(digits)) is not None:
            return number
        case {"intValue": number}:
            return number
        case {"arrayValue": {"values": list(items)}}:
            return [_value(item, depth + 1) for item in items]
        case {"arrayValue": _}:
            return []
        case {"kvlistValue": {"values": list(items)}}:
            return {
                item["key"]: _value(item.get("value"), depth + 1)
                for item in items
                if isinstance(item, Mapping) and isinstance(item.get("key"), str)
            }
        case {"kvlistValue": _}:
            return {}
        case Mapping():
            return next((given[key] for key in VALUES if key in given), None)
    return given


def counted(attributes: Mapping[str, Any], prefix: str) -> list[Any]:
    """Return the list that is spread over names with a number after a prefix."""
    root: dict[str, Any] = {}
    for name, value in attributes.items():
        if not name.startswith(f"{prefix}."):
            continue
        steps = name.removeprefix(f"{prefix}.").split(".")
        if len(steps) <= MOST_STEPS:
            _put(root, steps, value)
    found = _listed(root)
    return found if isinstance(found, list) else []


def _put(root: dict[str, Any], steps: list[str], value: Any) -> None:
    """Put a value where the steps of its name lead, unless another value is in the way."""
    at = root
    for step in steps[:-1]:
        inside = at.setdefault(step, {})
        if not isinstance(inside, dict):
            return
        at = inside
    at.setdefault(steps[-1], value)


def _listed(value: Any, depth: int = 0) -> Any:
    if not isinstance(value, dict) or depth > DEEPEST:
        return value
    inside = {key: _listed(item, depth + 1) for key, item in value.items()}
    places = {key: place for key in inside if (place := count_in(key)) is not None}
    if inside and len(places) == len(inside):
        return [inside[key] for key in sorted(inside, key=places.__getitem__)]
    return inside


OPERATIONS = (None, "chat", "generate_content", "text_completion")
"""What a span of a request does; agents and tools have spans of their own."""
INPUT, OUTPUT = "gen_ai.input.messages", "gen_ai.output.messages"
SYSTEM, REQUEST_TOOLS = "gen_ai.system_instructions", "gen_ai.tool.definitions"
COUNTED_INPUT = ("llm.input_messages", "gen_ai.prompt")
COUNTED_OUTPUT = ("llm.output_messages", "gen_ai.completion")
COUNTED_TOOLS = ("llm.tools", "llm.request.functions")
"""The names of OpenInference and of older OpenLLMetry, which count."""
WHOLE = "input.value"
"""The whole request as JSON, where its messages have no attribute of their own."""
CONVERSATIONS = (
    "gen_ai.conversation.id",
    "session.id",
    "traceloop.association.properties.session_id",
)
AGENTS = ("gen_ai.agent.id", "gen_ai.agent.name")
MARKS = ("gen_ai.request.model", "llm.model_name", "gen_ai.operation.name")
"""Attributes that any request has, with content or without."""

SPAN, READ = "span", "read"
"""The keys of what a span says in addition to its attributes, and of those read as messages."""

Attributes = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Request:
    """The messages that were sent and those of the response, in any shape of message."""

    thread: tuple[str, str]
    start: int
    sent: list[Any]
    answers: list[Any]
    tools: list[Any] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)


def is_request(span: Span) -> bool:
    """Return whether a span is of a request to a model."""
    said = span.attributes
    if said.get("openinference.span.kind", "LLM") != "LLM":
        return False
    operation = said.get("gen_ai.operation.name")
    known = isinstance(operation, str | None) and operation in OPERATIONS
    return known and (any(mark in said for mark in MARKS) or any(map(_is_content, said)))


def read_request(span: Span) -> Request | None:
    """Return the request of a span, or None where its content was not recorded."""
    said = span.attributes
    sent, answers = _messages(said, INPUT, COUNTED_INPUT), _messages(said, OUTPUT, COUNTED_OUTPUT)
    tools = _tools(said)
    whole = as_json(said.get(WHOLE)) if not sent else None
    if isinstance(whole, Mapping) and isinstance(whole.get("messages"), list):
        sent = whole["messages"]
        tools = tools or (whole["tools"] if isinstance(whole.get("tools"), list) else [])
    if not sent and not answers:
        return None
    system = as_json(said.get(SYSTEM))
    if isinstance(system, str):
        system = [{"type": "text", "content": system}]
    if isinstance(system, list) and system:
        sent = [{"role": "system", "parts": system}, *sent]
    facts = {key: value for key, value in said.items() if not _is_content(key)}
    facts[SPAN] = {**span.rest, READ: [key for key in said if _is_content(key)]}
    return Request(_thread(span), span.start, sent, answers, tools, facts)


def _thread(span: Span) -> tuple[str, str]:
    """Return what requests of one conversation share; parallel agents have their own."""
    said = span.attributes
    ids = (said[key] for key in CONVERSATIONS if isinstance(said.get(key), str))
    agents = (said[key] for key in AGENTS if isinstance(said.get(key), str))
    return next(ids, span.trace), next(agents, "")


def _messages(said: Attributes, name: str, numbered: tuple[str, ...]) -> list[Any]:
    found = as_json(said.get(name))
    if isinstance(found, list):
        return [as_json(row) for row in found]
    rows = (counted(said, prefix) for prefix in numbered)
    return [_chat_row(row) for row in next((some for some in rows if some), [])]


def _chat_row(row: object) -> object:
    """Return a message whose names were counted as a chat message."""
    if not isinstance(row, Mapping):
        return row
    body = row["message"] if isinstance(row.get("message"), Mapping) else row
    made = {key: value for key, value in body.items() if key not in ("contents", "tool_calls")}
    if isinstance(body.get("contents"), list):
        made["content"] = [_chat_part(part) for part in body["contents"]]
    elif isinstance(made.get("content"), str) and made["content"].startswith("[{"):
        parts = as_json(made["content"])
        made["content"] = parts if _are_parts(parts) else made["content"]
    if isinstance(body.get("tool_calls"), list):
        made["tool_calls"] = [_chat_call(call) for call in body["tool_calls"]]
    return made


def _are_parts(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(part, Mapping) and isinstance(part.get("type"), str) for part in value
    )


def _chat_part(part: object) -> object:
    match part:
        case {"message_content": {"image": {"image": {"url": str(url)}}}}:
            return {"type": "image_url", "image_url": {"url": url}}
        case {"message_content": Mapping() as inside}:
            return inside
    return part


def _chat_call(call: object) -> object:
    match call:
        case {"tool_call": Mapping() as inside}:
            return {"type": "function", **inside}
        case {"name": str(name), **rest}:
            body = {"name": name, "arguments": rest.get("arguments", "{}")}
            return {"id": rest.get("id"), "type": "function", "function": body}
    return call


def _tools(said: Attributes) -> list[Any]:
    """Return the definitions of tools, each as one object that has a name."""
    found = as_json(said.get(REQUEST_TOOLS))
    if not isinstance(found, list):
        rows = (counted(said, prefix) for prefix in COUNTED_TOOLS)
        found = next((some for some in rows if some), [])
    return [_tool(as_json(tool)) for tool in found]


def _tool(tool: Any) -> Any:
    match tool:
        case {"tool": {"json_schema": schema}}:
            return _tool(as_json(schema) if not isinstance(schema, Mapping) else dict(schema))
        case {"function": {"name": str()} as function}:
            return {"type": "function", **function}
        case {"parameters": str(text)}:
            return {**tool, "parameters": as_json(text)}
    return tool


def _is_content(key: str) -> bool:
    """Return whether an attribute is read as messages or tools, and need not be kept."""
    starts = (*COUNTED_INPUT, *COUNTED_OUTPUT, *COUNTED_TOOLS)
    return key in (INPUT, OUTPUT, SYSTEM, REQUEST_TOOLS, WHOLE) or key.startswith(
        tuple(f"{one}." for one in starts)
    )


TOOLS = ToolShape("otel", type="function")


class Telemetry(RequestLog):
    """Spans in any order, with attributes of GenAI, OpenLLMetry, pydantic-ai or OpenInference.

    Every span of a request to a model is a call. What shares an id, or else a trace, and an agent
    belongs together; the other attributes are other fields.
    """

    name = "otel"
    about = "OpenTelemetry traces with the content of requests"
    kinds = ("OpenTelemetry traces",)
    signs = (
        {"resourceSpans": list},
        {"resourceLogs": list},
        {"traceId": object, "spanId": object},
        {"context": {"trace_id": object, "span_id": object}, "attributes": dict},
    )

    def read(self, source: Source) -> Iterator[Loaded]:
        found = False
        for loaded in super().read(source):
            found = True
            yield loaded
        if not found:
            silent = next(
                (one for one in source.warnings if one.code == "request-without-content"), None
            )
            if silent is None:
                raise Refused("the traces have no requests to a model", field="format")
            said = f"the traces have {silent.count:,} requests, but not what was said in them"
            raise Refused(f"{said}; recording content is a setting of the program that was traced")

    def entries(self, source: Source) -> Iterator[tuple[int, Any]]:
        silent, asked = 0, list[tuple[int, Request]]()
        for line, value in source.records():
            if not isinstance(value, Mapping | list):
                source.leave_out(NO_OBJECTS, line)
            for span in spans_of(value):
                if is_request(span):
                    request = read_request(span)
                    if request is not None:
                        asked.append((line, request))
                    else:
                        silent += 1
                        source.collector.add("request-without-content", line)
        if silent and not any(one.count for one in source.warnings):
            source.collector.count("request-without-content", silent)
        yield from sorted(asked, key=lambda one: one[1].start)

    def take(self, value: Any) -> Iterator[Exchange]:
        request: Request = value
        model = next(
            (name for key in MODELS if isinstance(name := request.facts.get(key), str)), None
        )
        reader = MessageReader()
        sent, answer = reader.read(request.sent), reader.read(request.answers[:1])
        if not sent and not answer:
            raise Refused("no message of the request can be read", field="messages")
        usage = {
            name: count
            for key, name in COUNTED.items()
            if (count := request.facts.get(key)) is not None
        }
        yield LoggedRequest(
            sent,
            answer,
            model,
            CHAT_TOOLS.write_all(TOOLS.read(request.tools))[0],
            chat_usage(usage),
            request.start // 1_000_000 or None,
            " ".join(filter(None, request.thread)) or None,
            rest={
                **request.facts,
                **({"other answers": request.answers[1:]} if request.answers[1:] else {}),
            },
            given=[*request.sent, *request.answers[:1], *request.tools],
        ).exchange()


MODELS = ("gen_ai.response.model", "gen_ai.request.model", "llm.model_name")
COUNTED = {
    "gen_ai.usage.prompt_tokens": "input_tokens",
    "gen_ai.usage.input_tokens": "input_tokens",
    "llm.token_count.prompt": "input_tokens",
    "gen_ai.usage.completion_tokens": "output_tokens",
    "gen_ai.usage.output_tokens": "output_tokens",
    "llm.token_count.completion": "output_tokens",
    "gen_ai.usage.cache_read.input_tokens": "cache_read_input_tokens",
    "gen_ai.usage.cache_read_input_tokens": "cache_read_input_tokens",
}
"""The attributes that count tokens."""
