"""Requests: what a span tells of one request to a model, by the names of several conventions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .spans import Span, as_json, counted

OPERATIONS = (None, "chat", "generate_content", "text_completion")
"""What a span of a request does; agents and tools have spans of their own."""
INPUT, OUTPUT = "gen_ai.input.messages", "gen_ai.output.messages"
SYSTEM, TOOLS = "gen_ai.system_instructions", "gen_ai.tool.definitions"
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
    """The messages that were sent and those that came back, in any shape of message."""

    lane: tuple[str, str]
    start: int
    sent: list[Any]
    answers: list[Any]
    tools: list[Any] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)


def is_request(span: Span) -> bool:
    """Tell whether a span is of a request to a model."""
    said = span.attributes
    if said.get("openinference.span.kind", "LLM") != "LLM":
        return False
    operation = said.get("gen_ai.operation.name")
    known = isinstance(operation, str | None) and operation in OPERATIONS
    return known and (any(mark in said for mark in MARKS) or _has_content(said))


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
    return Request(_lane(span, sent), span.start, sent, answers, tools, facts)


def _lane(span: Span, sent: list[Any]) -> tuple[str, str]:
    """Return what requests of one conversation share; agents beside each other have their own."""
    said = span.attributes
    ids = (said[key] for key in CONVERSATIONS if isinstance(said.get(key), str))
    agents = (said[key] for key in AGENTS if isinstance(said.get(key), str))
    first = sent[0] if sent and isinstance(sent[0], Mapping) else {}
    prompt = repr(first)[:1_000] if first.get("role") in ("system", "developer") else ""
    return next(ids, span.trace), next(agents, prompt)


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
    found = as_json(said.get(TOOLS))
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
    """Tell whether an attribute is read as messages or tools, and need not be kept."""
    starts = (*COUNTED_INPUT, *COUNTED_OUTPUT, *COUNTED_TOOLS)
    return key in (INPUT, OUTPUT, SYSTEM, TOOLS, WHOLE) or key.startswith(
        tuple(f"{one}." for one in starts)
    )


def _has_content(said: Attributes) -> bool:
    return any(map(_is_content, said))
