"""What agents remember: Letta's agent files and the memory of smolagents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ..conversation.conversation import Conversation
from ..engine.messages import Message, Part, TextPart, ToolResultPart
from ..engine.operations import Delete
from ..errors import Refused, wrong_type
from ..values.models import Role
from .base import LEFT_OUT, JsonFormat, Layout, Loaded, ReadOnly
from .detection import some
from .fields import is_object, read_timestamp
from .format_metadata import FormatMetadata, without
from .openai import ChatDialect, read_chat
from .request_codecs import number
from .rollouts import usual_calls, with_calls
from .source import Source
from .tools import META_KEY, ToolShape
from .warnings import WarningCollector, without_values

LETTA = ChatDialect("letta", thinking=("reasoning_content",))
LETTA_TOOLS = ToolShape(LETTA.key)
SMOL = FormatMetadata("smolagents")
SMOL_CALLS = ChatDialect(SMOL.key, object_arguments=True)
Row = dict[str, Any]


class Letta(ReadOnly):
    """An agent file: each agent is a conversation, what is not in its context is hidden.

    Blocks of memory and whatever else the file has are other fields.
    """

    name = "letta"
    about = "Letta agent files (.af)"
    kinds = ("a Letta agent file",)
    sure_signs = (
        {"agents": some({"in_context_message_ids": list}), "tools": list},
        {"in_context_message_indices": list, "messages": list},
    )

    def read(self, source: Source) -> Iterator[Loaded]:
        first: Refused | None = None
        place = 0
        for line, value in source.rows():
            agents = value.get("agents")
            around = without(value, "agents") if isinstance(agents, list) else {}
            for agent in agents if isinstance(agents, list) else [value]:
                try:
                    loaded = _agent(agent, around)
                except Refused as refusal:
                    first = first or refusal
                    source.collector.add(LEFT_OUT, line, without_values(refusal))
                    continue
                place += 1
                yield replace(loaded, place=place)
        if not place:
            raise first or wrong_type("agents", None, "a list of agents with messages")


def _agent(agent: object, around: Row) -> Loaded:
    rows = agent.get("messages") if is_object(agent) else None
    if not is_object(agent) or not isinstance(rows, list):
        raise wrong_type("messages", rows, "a list of messages")
    messages = list[Message]()
    warnings = WarningCollector()
    for place, row in enumerate(rows):
        try:
            (read, *_), adapted = read_chat([_chat(row)], LETTA, LETTA_KEYS)
        except Refused as refusal:
            warnings.add("message-unreadable", place, without_values(refusal))
            continue
        for warning in adapted:
            warnings.include(warning, place)
        given = row.get("id") if is_object(row) else None
        moment = read_timestamp(row.get("created_at")) if is_object(row) else None
        id = given if isinstance(given, str) else None
        messages.append(replace(read, id=id, timestamp=moment))
    tools = around.get("tools", agent.get("tools"))
    defined = [
        tool.get("json_schema")
        for tool in (tools if isinstance(tools, list) else ())
        if is_object(tool) and is_object(tool.get("json_schema"))
    ]
    fields = {**without(agent, "messages"), **({"file": around} if around else {})}
    meta: Row = LETTA.meta({}, fields)
    if isinstance(agent.get("name"), str):
        meta["title"] = agent["name"]
    if defined:
        meta[META_KEY] = LETTA_TOOLS.read(defined)
    talk = Conversation(messages, meta=meta)
    hidden = _hidden(agent, messages)
    if hidden:
        talk.execute(Delete(indices=hidden, description="out of the context of the agent"))
    return Loaded(talk, Letta.name, warnings.found(), Layout.LIST)


LETTA_KEYS = ("created_at", "updated_at", "id", "model", "name", "type", "otid", "agent_id")


def _hidden(agent: Mapping[str, Any], messages: list[Message]) -> list[int]:
    """Return the messages that are not in the context."""
    named, placed = agent.get("in_context_message_ids"), agent.get("in_context_message_indices")
    if isinstance(named, list) and named:
        return [at for at, message in enumerate(messages) if message.id not in named]
    if isinstance(placed, list) and placed:
        return [at for at in range(len(messages)) if at not in placed]
    return []


def _chat(row: object) -> object:
    """Return a message as chat has it: its reasoning beside its text."""
    if not is_object(row):
        return row
    content = row.get("content")
    parts = [part for part in content if is_object(part)] if isinstance(content, list) else []
    thoughts = [part["reasoning"] for part in parts if isinstance(part.get("reasoning"), str)]
    found: Row = {key: one for key, one in usual_calls(row).items() if one is not None}
    if thoughts:
        found["content"] = [part for part in parts if "reasoning" not in part]
        found["reasoning_content"] = "\n\n".join(thoughts)
    returned = row.get("tool_returns")
    if row.get("role") == "tool" and "tool_call_id" not in found and isinstance(returned, list):
        first = next(filter(is_object, returned), {})
        found["tool_call_id"] = first.get("tool_call_id")
    return found


class Smolagents(ReadOnly, JsonFormat):
    """The steps of an agent, as ``memory.get_full_steps()`` gives them; their usage is a call."""

    name = "smolagents"
    about = "the steps of a smolagents memory"
    kinds = ("smolagents steps",)
    sure_signs = (
        {"model_output_message": object, "step_number": int},
        {"model_output": object, "step_number": int, "observations": object},
        {"task_images": object, "task": str},
    )
    takes_lists = True
    lines_of_items = True

    def read_one(self, value: Any) -> Loaded:
        rows = value.get("steps") if is_object(value) else value
        if not isinstance(rows, list):
            raise wrong_type("steps", rows, "a list of steps")
        warnings = WarningCollector()
        messages, calls = list[Message](), dict[int, Row]()
        system = value.get("system_prompt") if is_object(value) else None
        for place, row in enumerate([*([{"system_prompt": system}] if system else []), *rows]):
            if not is_object(row):
                warnings.add("message-unreadable", place)
                continue
            try:
                found = list(_step(row))
            except Refused as refusal:
                warnings.add("message-unreadable", place, without_values(refusal))
                continue
            usage = row.get("token_usage")
            counts = {
                name: number(usage, f"{name}_tokens") if is_object(usage) else None
                for name in ("input", "output")
            }
            paid = {name: count for name, count in counts.items() if count is not None}
            if paid and found and found[0].role == "assistant":
                timing = row.get("timing")
                start = timing.get("start_time") if is_object(timing) else None
                calls[len(messages)] = {"usage": paid, "time": read_timestamp(start)}
            messages += found
        if not messages:
            raise Refused("none of the steps has a message", field="steps")
        fields = without(value, "steps", "system_prompt") if is_object(value) else {}
        talk = with_calls(messages, calls, SMOL.meta({}, fields))
        return Loaded(talk, self.name, warnings.found())


def _step(row: Mapping[str, Any]) -> Iterator[Message]:
    """Yield the messages of a step: what the model said and what it then observed."""
    for key, role in ASKED.items():
        if isinstance(row.get(key), str):
            yield SMOL.message(role, row[key], without(row, key))
            return
    said = row.get("model_output") if isinstance(row.get("model_output"), str) else row.get("plan")
    given = row.get("tool_calls")
    given = given if isinstance(given, list) else []
    rows = [usual_calls({"tool_calls": [call]})["tool_calls"][0] for call in given]
    calls = SMOL_CALLS.read_calls(rows, 0, WarningCollector()) if rows else []
    parts: list[Part] = [*([TextPart(said)] if isinstance(said, str) and said else []), *calls]
    observed, error = row.get("observations"), row.get("error")
    notes = without(
        row,
        *("model_output", "tool_calls", "observations", "error", "model_input_messages"),
        *("model_output_message", "token_usage", "timing", "plan", "action_output"),
    )
    yield SMOL.message("assistant", parts, {key: one for key, one in notes.items() if one})
    failed = error.get("message") if is_object(error) else error
    text = observed if isinstance(observed, str) else failed if isinstance(failed, str) else None
    if text is None:
        return
    if not calls:
        yield SMOL.message("tool", text, {})
        return
    is_error = None if isinstance(observed, str) else True
    for call in calls[:1]:
        yield SMOL.message("tool", [ToolResultPart(call.id, text, is_error)], {})


ASKED: dict[str, Role] = {"system_prompt": "system", "task": "user"}
"""The keys of steps that were not taken."""
