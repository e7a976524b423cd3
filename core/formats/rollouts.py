"""Runs of agents in evaluations and in reinforcement learning: messages with their rewards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from ..conversation.conversation import Conversation
from ..engine.messages import Message
from ..engine.operations import Append, Mark
from ..errors import Refused, wrong_type
from .base import LEFT_OUT, JsonFormat, Layout, Loaded, ReadOnly
from .data_rows import DataRows, PromptShape, RowParts
from .fields import is_object, read_timestamp
from .format_metadata import without
from .json_text import parsed
from .openai import ChatDialect, read_chat
from .request_codecs import number
from .source import Source
from .tools import META_KEY, ToolShape
from .transcripts import TreeNode, build_tree
from .warnings import WarningCollector, bare, without_values

NOTES = ChatDialect(
    "rollout", object_arguments=True, pairs=True, thinking=("reasoning_content", "reasoning")
)
TOOLS = ToolShape(NOTES.key, outer="function", type="function")
TRAIN = "train"
"""The label of messages that a model may learn from."""
TAU_KEYS = ("turn_idx", "timestamp", "cost", "usage", "raw_data", "error", "requestor", "id")
Row = dict[str, Any]


def with_calls(
    messages: Sequence[Message], calls: Mapping[int, Row], meta: Mapping[str, Any]
) -> Conversation:
    """Return a conversation with the call that paid for each of some messages."""
    starts = [*sorted(calls), len(messages)]
    talk = Conversation(messages[: starts[0]], meta=meta)
    for at, after in pairwise(starts):
        talk.record_call(**calls[at])
        talk.execute(Append(messages=messages[at:after]))
    return talk


def usage_of(value: object) -> dict[str, int]:
    """Return what was counted, as chat completions say it."""
    if not is_object(value):
        return {}
    paths = {
        "input": ("prompt_tokens",),
        "cached": ("prompt_tokens_details", "cached_tokens"),
        "output": ("completion_tokens",),
    }
    counts = {name: number(value, *path) for name, path in paths.items()}
    return {name: count for name, count in counts.items() if count is not None}


def usual_calls(row: Mapping[str, Any]) -> Row:
    """Return a message whose calls are flat, or JSON texts, with calls as chat has them."""
    calls = row.get("tool_calls")
    if not isinstance(calls, list):
        return dict(row)
    return {**row, "tool_calls": [_usual_call(call) for call in calls]}


def _usual_call(call: object) -> object:
    given: object = parsed(call)[1] if isinstance(call, str) else call
    if not is_object(given) or "function" in given or not isinstance(given.get("name"), str):
        return given
    body = {key: given[key] for key in ("name", "arguments") if key in given}
    rest = without(given, "id", *body)
    return {"id": given.get("id"), "type": "function", "function": body, **rest}


class _RolloutShape(PromptShape):
    """A prompt and a completion whose calls may be flat."""

    def read(self, row: Mapping[str, Any], warnings: WarningCollector) -> RowParts:
        sides = {
            key: [usual_calls(one) if is_object(one) else one for one in row[key]]
            for key in (self.prompt, *self.answers.values())
            if isinstance(row.get(key), list)
        }
        return super().read({**row, **sides}, warnings)


class Verifiers(ReadOnly, DataRows):
    """A rollout in each row; its reward, the right answer and the metrics are other fields."""

    name = "verifiers"
    about = "verifiers rollouts: prompt, completion and reward"
    shapes = (_RolloutShape("prompt", "completion", needs=("reward", "example_id")),)


class VerifiersTraces(ReadOnly):
    """Episodes of verifiers: each trace is a tree; the branch of the last call is current."""

    name = "verifiers-traces"
    about = "verifiers episodes with traces"
    kinds = ("verifiers episodes",)
    signs = ({"traces": [{"nodes": list}]},)

    def read(self, source: Source) -> Iterator[Loaded]:
        place = 0
        for line, episode in source.rows():
            traces = episode.get("traces")
            for trace in traces if isinstance(traces, list) else ():
                try:
                    loaded = _trace(without(episode, "traces"), trace)
                except Refused as refusal:
                    source.leave_out(LEFT_OUT, line, without_values(refusal))
                else:
                    place += 1
                    yield replace(loaded, place=place)


def _trace(episode: Row, trace: object) -> Loaded:
    nodes = trace.get("nodes") if is_object(trace) else None
    if not is_object(trace) or not isinstance(nodes, list) or not all(map(is_object, nodes)):
        raise wrong_type("nodes", nodes, "a list of objects with a message")
    warnings = WarningCollector()
    given = trace.get("calls")
    calls = [one for one in given if is_object(one)] if isinstance(given, list) else []
    made: list[TreeNode] = []
    for at, node in enumerate(nodes):
        message = node.get("message")
        rows = [usual_calls(message) if is_object(message) else message]
        (read, *_), adapted = read_chat(rows, NOTES)
        for warning in adapted:
            warnings.include(warning, at)
        rest = without(node, "parent", "message", "timestamp")
        notes = {**NOTES.of(read.metadata), "node": rest}
        moment = read_timestamp(node.get("timestamp"))
        told = replace(read, metadata=NOTES.frozen(notes), timestamp=moment)
        paid = next((one for one in calls if one.get("node") == at), None)
        parent = node.get("parent")
        above = str(parent) if type(parent) is int else None
        made.append(TreeNode(str(at), above, [told], calls=() if paid is None else [_call(paid)]))
    fields = {**without(trace, "nodes", "tools"), "episode": episode}
    tools = trace.get("tools")
    listed = {META_KEY: TOOLS.read(tools)} if isinstance(tools, list) and tools else {}
    active = calls[-1].get("node") if calls else None
    talk = build_tree(
        made,
        warnings,
        active=str(active) if type(active) is int else None,
        meta={**listed, **NOTES.meta({}, fields)},
    )
    return Loaded(talk, VerifiersTraces.name, warnings.found(), Layout.ITEMS)


def _call(paid: Mapping[str, Any]) -> Row:
    model = paid.get("model")
    return {
        "model": model if isinstance(model, str) else None,
        "usage": usage_of(paid.get("usage")) or None,
        "time": read_timestamp(paid.get("time")),
    }


class ART(ReadOnly, JsonFormat):
    """Trajectories of OpenPipe ART, one conversation each; what the model made is to be learned."""

    name = "art"
    about = "ART trajectories with rewards"
    kinds = ("ART trajectories",)
    signs = (
        {"trajectories": [{"messages_and_choices": list}]},
        {"messages_and_choices": list, "reward": object},
        {"group_index": int, "messages": [{"trainable": object}]},
    )

    def read(self, source: Source) -> Iterator[Loaded]:
        place = 0
        for line, group in source.rows():
            some = group.get("trajectories")
            about = without(group, "trajectories")
            for one in some if isinstance(some, list) else (group,):
                try:
                    loaded = self.read_one(one)
                except Refused as refusal:
                    source.leave_out(LEFT_OUT, line, without_values(refusal))
                    continue
                place += 1
                if one is not group and any(about.values()):
                    meta = loaded.conversation.meta
                    talk = Conversation(loaded.conversation.log, meta={**meta, "group": about})
                    talk = _marked(talk)
                    loaded = replace(loaded, conversation=talk)
                yield replace(loaded, layout=Layout.ITEMS, place=place)

    def read_one(self, value: Any) -> Loaded:
        rows = _art_rows(value)
        if rows is None:
            raise wrong_type("messages_and_choices", None, "a list of messages and choices")
        messages, adapted = read_chat([_said(row) for row in rows], NOTES, ("choice", "trainable"))
        fields = without(value, "messages_and_choices", "messages", "tools")
        tools = value.get("tools")
        listed = {META_KEY: TOOLS.read(tools)} if isinstance(tools, list) else {}
        talk = Conversation(messages, meta={**listed, **NOTES.meta({}, fields)})
        return Loaded(_marked(talk), self.name, adapted)


def _art_rows(value: object) -> list[Any] | None:
    rows = value.get("messages_and_choices", value.get("messages")) if is_object(value) else None
    return rows if isinstance(rows, list) else None


def _said(row: object) -> object:
    """Return the message of a choice, with what else the choice says."""
    match row:
        case {"message": Mapping() as message, **rest}:
            kept = {key: one for key, one in rest.items() if one is not None}
            return {"role": "assistant", **usual_calls(message), "choice": kept}
    return usual_calls(row) if is_object(row) else row


def _marked(talk: Conversation) -> Conversation:
    """Label the messages that a trainer may learn from."""
    own = [NOTES.of(message.metadata) for message in talk.log]
    made = [at for at, notes in enumerate(own) if "choice" in notes or notes.get("trainable")]
    if made:
        talk.execute(Mark(indices=made, label=TRAIN))
    return talk


class Tau2(ReadOnly):
    """Simulations of tau2-bench; the user calls tools too, and only the agent's requests count."""

    name = "tau2-bench"
    about = "tau2-bench results, each simulation a conversation"
    kinds = ("tau2-bench results",)
    signs = (
        {"info": dict, "tasks": list, "simulations": [{"messages": list}]},
        {"task_id": object, "reward_info": object, "messages": list, "termination_reason": object},
    )

    def read(self, source: Source) -> Iterator[Loaded]:
        first: Refused | None = None
        place = 0
        for line, value in source.rows():
            runs = value.get("simulations")
            tasks = value.get("tasks")
            named = {
                str(task.get("id")): task
                for task in (tasks if isinstance(tasks, list) else ())
                if is_object(task)
            }
            around = without(value, "simulations", "tasks") if isinstance(runs, list) else {}
            for run in runs if isinstance(runs, list) else (value,):
                try:
                    loaded = _simulation(run, around, named)
                except Refused as refusal:
                    first = first or refusal
                    source.collector.add(LEFT_OUT, line, without_values(refusal))
                    continue
                place += 1
                yield replace(loaded, place=place)
        if not place:
            raise first or wrong_type("simulations", None, "a list of simulations with messages")


def _simulation(run: object, around: Row, tasks: Mapping[str, Any]) -> Loaded:
    rows = run.get("messages") if is_object(run) else None
    if not is_object(run) or not isinstance(rows, list):
        raise Refused(
            "the simulation has no list of messages; runs of voice have ticks of sound instead",
            field="messages",
        )
    flat = [one for row in rows for one in _tool_rows(row)]
    warnings = WarningCollector()
    messages, calls = list[Message](), dict[int, Row]()
    model = text_at(around, "info", "agent_info", "llm")
    for place, row in enumerate(flat):
        if not is_object(row):
            warnings.add("message-unreadable", place)
            continue
        role = row.get("role")
        usual = usual_calls(row)
        if role == "tool" and isinstance(usual.get("id"), str):
            usual["tool_call_id"] = usual["id"]
        if role == "user" and row.get("tool_calls"):
            usual["role"] = "assistant"
        try:
            (read, *_), adapted = read_chat([usual], NOTES, TAU_KEYS)
        except Refused as refusal:
            warnings.add("message-unreadable", place, without_values(refusal))
            continue
        for warning in adapted:
            warnings.include(warning, place)
        paid = usage_of(row.get("usage")) if role == "assistant" else {}
        moment = read_timestamp(row.get("timestamp"))
        if paid:
            calls[len(messages)] = {"usage": paid, "model": model, "time": moment}
        is_user = role == "user"
        messages.append(replace(read, role="user" if is_user else read.role, timestamp=moment))
    task = tasks.get(str(run.get("task_id")))
    fields = {**without(run, "messages"), **({"task": task} if task else {})}
    if around:
        fields["results"] = around
    trial = f", trial {bare(run['trial'])}" if "trial" in run else ""
    meta = {**NOTES.meta({}, fields), "title": f"task {bare(run.get('task_id'))}{trial}"}
    return Loaded(with_calls(messages, calls, meta), Tau2.name, warnings.found(), Layout.LIST)


def _tool_rows(row: object) -> list[object]:
    """Return the results of a message that has several, or the message."""
    several = row.get("tool_messages") if is_object(row) else None
    if not is_object(row) or not isinstance(several, list) or not several:
        return [row]
    first, *others = several
    rest = without(row, "tool_messages", "role")
    return [{**rest, **first} if is_object(first) else first, *others]


def text_at(value: object, *steps: str) -> str | None:
    """Return a text within an object, or None."""
    found = value
    for step in steps:
        found = found.get(step) if is_object(found) else None
    return found if isinstance(found, str) else None
