"""ATIF: the trajectories of Harbor, with sub-agents, observations and compactions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..conversation.conversation import Conversation
from ..engine.messages import (
    DataPart,
    ImagePart,
    Message,
    Part,
    TextPart,
    ThinkingPart,
    ToolResultPart,
    ToolUsePart,
)
from ..engine.operations import Mark
from ..errors import wrong_type
from ..values.frozen import thaw
from .agents import TranscriptBuilder, call, message, result
from .base import JsonFormat, Layout, Loaded, Written, split_rows
from .detection import starts
from .fields import is_object, read_timestamp, write_timestamp
from .format_metadata import FormatMetadata, without
from .losses import Holds, conversation_losses
from .source import Source
from .transcripts import Row, hiding, visible_content
from .usage import UsageKeys, call_of
from .warnings import WarningCollector

NOTES = FormatMetadata("atif")
USAGE = UsageKeys(("prompt_tokens",), ("completion_tokens",), "cached_tokens")
VERSION = "ATIF-v1.7"
HANDOFF = "Performed context summarization and handoff to continue task."
"""The whole text of the steps that older files have at a compaction."""
SOURCES = {"system": "system", "user": "user", "agent": "assistant"}
ROLES = {role: source for source, role in SOURCES.items()}
SUB, STEP = "sub", "step"
"""The notes that a conversation is one of a sub-agent, and in which step a result was."""
COPIED = "mask"
"""The label of messages that a file repeats from an earlier one."""


def holds(part: Part, role: str) -> bool:
    """Return whether a step can hold a part."""
    if isinstance(part, DataPart):
        return NOTES.is_in(part.metadata)
    return isinstance(part, TextPart | ImagePart) or (
        role == "assistant" and isinstance(part, ThinkingPart | ToolUsePart)
    )


LOSSES = Holds(NOTES, holds, timestamp=True)


class Atif(JsonFormat):
    """The steps of a trajectory; each result in an observation is a message of its own."""

    name = NOTES.key
    about = "an ATIF trajectory"
    suffixes = (".atif.json", ".trajectory.json")
    kinds = ("an ATIF trajectory",)
    sure_signs = ({"schema_version": starts("ATIF-v"), "steps": list},)

    def read(self, source: Source) -> Iterator[Loaded]:
        """Yield each trajectory, and those of its sub-agents that are within it."""
        for loaded in super().read(source):
            yield loaded
            inside = NOTES.fields_of(loaded.conversation.meta).get("subagent_trajectories")
            for one in inside if isinstance(inside, list) else ():
                if is_object(one) and isinstance(one.get("steps"), list):
                    made, warnings = _read(one, {SUB: True})
                    yield Loaded(made, self.name, warnings.found(), loaded.layout, loaded.place)

    def read_one(self, value: Any) -> Loaded:
        if not is_object(value):
            raise wrong_type("trajectory", value, "an object with steps")
        split_rows(value, "steps", "a list of steps")
        made, warnings = _read(value, {})
        return Loaded(made, self.name, warnings.found())

    def write(self, conversation: Conversation) -> Written:
        """Return all steps if reading them again shows the same, else the visible ones."""
        fields = NOTES.fields_of(conversation.meta)
        root = fields if "schema_version" in fields else {**_root(conversation), **fields}
        warnings = WarningCollector()
        value: Row = {**root, "steps": _steps(list(enumerate(conversation.log)), warnings)}
        again: Conversation | None = _read(value, {})[0]
        if again is None or visible_content(again) != visible_content(conversation):
            again, warnings = None, WarningCollector()
            visible = list(zip(conversation.view, conversation.visible, strict=True))
            value = {**root, "steps": _steps(visible, warnings)}
        held = (*NOTES.held(conversation.meta), "title")
        others = conversation_losses(conversation, *held, again=again)
        return Written(value, (*others, *warnings.found()))

    def write_all(
        self, conversations: Iterable[Conversation], layout: Layout, warnings: WarningCollector
    ) -> Iterator[str]:
        """Yield all trajectories; those of sub-agents are within that of their agent."""
        whole = list(conversations)
        mains = [one for one in whole if SUB not in NOTES.of(one.meta)]
        yield from super().write_all(mains or whole, layout, warnings)


def _root(conversation: Conversation) -> Row:
    title = conversation.meta.get("title")
    name = title if isinstance(title, str) and title else "conversation"
    return {
        "schema_version": VERSION,
        "session_id": name,
        "agent": {"name": "unknown", "version": "unknown"},
    }


def _read(value: Mapping[str, Any], layout: Row) -> tuple[Conversation, WarningCollector]:
    warnings = WarningCollector()
    builder = TranscriptBuilder(NOTES, warnings)
    builder.fields = without(value, "steps")
    agent = value.get("agent")
    agent = agent if is_object(agent) else {}
    is_terminus = str(agent.get("name")).startswith("terminus")
    copied: list[int] = []
    spoken: list[tuple[str, str]] = []
    """The nodes so far, each with the source of its step."""
    count = 0
    for place, step in enumerate(value["steps"]):
        if not is_object(step):
            builder.other(place, {"step": step})
            continue
        found = builder.read(place, step, lambda: _messages(place, step, warnings))  # noqa: B023
        source = str(step.get("source"))
        time = read_timestamp(step.get("timestamp"))
        model = step.get("model_name", agent.get("model_name"))
        calls = call_of(step.get("metrics"), USAGE, time, model=model) if found else []
        act = None
        if _replaces(step):
            kept = [name for name, who in spoken if who == "user"][:1] if is_terminus else []
            names = [name for name, who in spoken if who != "system" and name not in kept]
            act = hiding("compaction", names)
        name = builder.add(found, line=place, calls=calls, act=act)
        spoken.append((name, source))
        if step.get("is_copied_context") is True:
            copied += range(count, count + len(found))
        count += len(found)
    made = builder.conversation()
    if layout:
        made = _with_notes(made, layout, agent)
    if copied:
        made.execute(Mark(indices=copied, label=COPIED))
    return made, warnings


def _with_notes(made: Conversation, layout: Row, agent: Mapping[str, Any]) -> Conversation:
    """Return the conversation of a sub-agent, which says that it is one."""
    name = agent.get("name")
    title = f"sub-agent: {name}" if isinstance(name, str) else "sub-agent"
    talk = made.to_dict()
    talk["journal"][0]["operation"]["meta"] = {**thaw(made.meta), NOTES.key: layout, "title": title}
    return Conversation.from_dict(talk)


def _replaces(step: Mapping[str, Any]) -> bool:
    """Return whether the next request began anew with what follows a step."""
    match step.get("extra"):
        case {"context_management": {"type": "compaction", "boundary": "replace"}}:
            return True
    said = step.get("message")
    return step.get("source") == "system" and isinstance(said, str) and said.strip() == HANDOFF


def _messages(place: int, step: Mapping[str, Any], warnings: WarningCollector) -> list[Message]:
    """Return the message of a step, and one for each result that it observed."""
    role: Any = SOURCES.get(str(step.get("source")), "user")
    time = step.get("timestamp")
    parts: list[Part] = []
    thought = step.get("reasoning_content")
    if isinstance(thought, str) and thought:
        parts.append(ThinkingPart(thought))
    parts += _content(step.get("message"))
    ids: list[str] = []
    uses = step.get("tool_calls")
    for number, use in enumerate(uses if isinstance(uses, list) else ()):
        if is_object(use):
            id = use.get("tool_call_id")
            ids.append(id if isinstance(id, str) and id else f"call_{place}_{number}")
            parts.append(call(NOTES, ids[-1], use.get("function_name"), use.get("arguments")))
    made = message(NOTES, role, parts, {}, time)
    observed = step.get("observation")
    given = observed.get("results") if is_object(observed) else None
    rows = [one for one in given if is_object(one)] if isinstance(given, list) else []
    said = [one for one in rows if one.get("content") is not None]
    unnamed = [one for one in said if not isinstance(one.get("source_call_id"), str)]
    results = []
    for number, row in enumerate(said):
        id = row.get("source_call_id")
        if not isinstance(id, str):
            in_order = len(unnamed) == len(ids)
            id = ids[unnamed.index(row)] if in_order else f"call_{place}_none_{number}"
        note = {STEP: place + 1}
        one = result(NOTES, id, row["content"], note, time=time, read=_content)
        results.append(NOTES.with_patch(one, _result(one), dict(row)))
    usual = _step(place + 1, made, results)
    return [NOTES.with_patch(made, usual, dict(step)), *results]


def _content(content: object) -> list[Part]:
    if isinstance(content, str):
        return [TextPart(content)] if content else []
    found: list[Part] = []
    for one in content if isinstance(content, list) else ():
        match one:
            case {"type": "text", "text": str(text)}:
                found.append(TextPart(text))
            case {"type": "image", "source": {"path": str(path)}}:
                found.append(ImagePart(path))
            case Mapping():
                found.append(NOTES.data(one))
    return found


def _steps(numbered: Sequence[tuple[int, Message]], warnings: WarningCollector) -> list[Row]:
    """Return the steps of messages; results are observed in the step before them."""
    groups: list[tuple[Message, list[Message]]] = []
    for raw, one in numbered:
        LOSSES.report(one, raw, warnings)
        if one.role == "tool" and groups:
            groups[-1][1].append(one)
        elif one.role == "tool":
            groups.append((Message("system", [TextPart("")]), [one]))  # type: ignore[arg-type]
        else:
            groups.append((one, []))
    return [
        NOTES.as_given(made, _step(number, made, results))
        for number, (made, results) in enumerate(groups, 1)
    ]


def _step(number: int, made: Message, results: Sequence[Message]) -> Row:
    row: Row = {"step_id": number, "source": ROLES.get(made.role, "user")}
    if made.timestamp is not None:
        row["timestamp"] = write_timestamp(made.timestamp)
    thoughts = [part.text for part in made.parts if isinstance(part, ThinkingPart)]
    if thoughts and made.role == "assistant":
        row["reasoning_content"] = "\n\n".join(thoughts)
    row["message"] = _written(made.parts)
    uses = [part for part in made.parts if isinstance(part, ToolUsePart)]
    if uses and made.role == "assistant":
        row["tool_calls"] = [
            {"tool_call_id": one.id, "function_name": one.name, "arguments": thaw(one.input)}
            for one in uses
        ]
    if results:
        row["observation"] = {"results": [NOTES.as_given(one, _result(one)) for one in results]}
    return row


def _result(made: Message) -> Row:
    """Return a result as it is observed; a message of several is one."""
    found = [part for part in made.parts if isinstance(part, ToolResultPart)]
    first = found[0] if found else None
    id = {} if first is None else {"source_call_id": first.tool_use_id}
    texts = [one.content for one in found if isinstance(one.content, str)]
    if found and len(texts) == len(found):
        return {**id, "content": "\n".join(texts)}
    inside = [part for one in found if not isinstance(one.content, str) for part in one.content]
    return {**id, "content": _written((*inside, *(TextPart(text) for text in texts)))}


def _written(parts: Sequence[Any]) -> Any:
    """Return the content of some parts: a text, or a list where there is more."""
    said = [part for part in parts if isinstance(part, TextPart | ImagePart | DataPart)]
    if all(isinstance(part, TextPart) for part in said):
        return "\n".join(part.text for part in said if isinstance(part, TextPart))
    found: list[Row] = []
    for part in said:
        match part:
            case TextPart():
                found.append({"type": "text", "text": part.text})
            case ImagePart():
                found.append({"type": "image", "source": {"path": part.url}})
            case DataPart() if NOTES.is_in(part.metadata):
                found.append(thaw(part.data))
    return found
