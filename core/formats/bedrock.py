"""Messages of Bedrock's Converse, of which each part is an object with one key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from ..errors import Refused, wrong_type
from ..values.frozen import thaw
from ..values.models import Role
from .base import JsonFormat, Loaded, Written, split_rows
from .detection import some
from .fields import core_role, is_object
from .format_metadata import BLANK, FormatMetadata, PartField, Shape, inner, merged, without
from .losses import Holds, conversation_losses
from .request_codecs import number
from .rollouts import with_calls
from .tools import META_KEY, ToolShape, left_out
from .warnings import WarningCollector, without_values

NOTES = FormatMetadata("bedrock")
TOOLS = ToolShape("bedrock", outer="toolSpec", parameters="inputSchema")
KEYS = (
    *("text", "image", "document", "video", "toolUse", "toolResult", "reasoningContent"),
    *("cachePoint", "guardContent", "citationsContent"),
)
"""The keys of parts."""
SHAPES = {
    "text": Shape(TextPart, {"text": PartField("text")}),
    "toolUse": Shape(
        ToolUsePart,
        {
            "toolUse": {
                "toolUseId": PartField("id"),
                "name": PartField("name"),
                "input": PartField("input", "value"),
            }
        },
    ),
    "reasoningContent": Shape(
        ThinkingPart,
        {
            "reasoningContent": {
                "reasoningText": {
                    "text": PartField("text"),
                    "signature": PartField("signature", "optional"),
                }
            }
        },
    ),
}
LOSSES = Holds(
    NOTES,
    lambda part, _role: not isinstance(part, DataPart) or NOTES.is_in(part.metadata),
    error=True,
    signature=True,
    foreign_call="",
)
JOINED = "joined"
"""The key of a message that was in one row with the message before it."""
BESIDE = "beside"
"""The key of the system prompt, which is next to the rows."""
Row = dict[str, Any]


def is_part(value: object) -> bool:
    """Return whether a value is a part as only Converse has them."""
    return is_object(value) and "type" not in value and any(key in value for key in KEYS)


def are_parts(value: object) -> bool:
    """Return whether a value is a list of such parts."""
    return isinstance(value, list) and bool(value) and all(map(is_part, value))


def read_converse(body: Mapping[str, Any]) -> list[Message]:
    """Return the messages of a request, the system prompt first."""
    return _ConverseReader().read(body)


class _ConverseReader:
    """Reads row after row; each result is a message of its own."""

    def __init__(self) -> None:
        self.warnings = WarningCollector()
        self.usage: dict[int, Row] = {}

    def read(self, body: Mapping[str, Any]) -> list[Message]:
        found: list[Message] = []
        system: Any = body.get("system")
        if are_parts(system):
            found.append(NOTES.message("system", self._parts(system), {BESIDE: True}))
        rows = body.get("messages")
        for place, row in enumerate(rows if isinstance(rows, list) else ()):
            try:
                found += self._row(row, len(found))
            except Refused as refusal:
                self.warnings.add("message-unreadable", place, without_values(refusal))
        return found

    def _row(self, row: object, at: int) -> list[Message]:
        if not is_object(row) or not isinstance(row.get("role"), str):
            raise wrong_type("message", row, "an object with a role")
        content = row.get("content")
        if not isinstance(content, list):
            raise wrong_type("content", content, "a list of parts")
        role, notes = core_role(row["role"]), without(row, "role", "content")
        if role != row["role"]:
            notes["role"] = row["role"]
        runs: list[tuple[Role, list[Part]]] = []
        for part in self._parts(content):
            is_result = isinstance(part, ToolResultPart)
            if is_result or not runs or runs[-1][0] == "tool":
                runs.append(("tool" if is_result else role, []))
            runs[-1][1].append(part)
        if usage := _usage(row):
            self.usage[at] = usage
        marks = [notes, *({JOINED: True} for _ in runs[1:])]
        return [
            NOTES.message(who, parts, mark)
            for (who, parts), mark in zip(runs or [(role, [])], marks, strict=True)
        ]

    def _parts(self, parts: Sequence[object]) -> list[Part]:
        return [self._part(part) for part in parts]

    def _part(self, part: object) -> Part:
        if not is_object(part):
            raise wrong_type("part", part, "an object")
        match part:
            case {"toolResult": Mapping() as result} if isinstance(result.get("toolUseId"), str):
                return self._result(part, result)
            case {"image": {"format": str(kind), "source": {"bytes": str(data)}}}:
                notes = _rest(part, "image", "format", "source")
                return ImagePart(f"data:image/{kind};base64,{data}", NOTES.frozen(notes))
        key = next((key for key in SHAPES if key in part), "")
        found: Part | None = SHAPES[key].read(NOTES, part) if key else None
        return NOTES.data(part) if found is None else found

    def _result(self, part: Mapping[str, Any], result: Mapping[str, Any]) -> Part:
        given = result.get("content")
        content: Any = ()
        notes = _rest(part, "toolResult", "toolUseId", "content")
        match given:
            case [{"text": str(text)} as only] if len(only) == 1:
                content = text
            case list():
                content = tuple(
                    NOTES.data(one) if isinstance(read, ToolUsePart | ThinkingPart) else read
                    for one, read in zip(given, self._parts(given), strict=True)
                )
            case _:
                notes["content"] = given
        error = True if result.get("status") == "error" else None
        return ToolResultPart(result["toolUseId"], content, error, NOTES.frozen(notes))


def _rest(part: Mapping[str, Any], key: str, *known: str) -> Row:
    """Return what a part says beside what is read: within its key, and next to it."""
    inside = without(part[key], *known)
    return {**({"inside": inside} if inside else {}), **without(part, key)}


def _usage(row: Mapping[str, Any]) -> Row:
    metadata = row.get("metadata")
    usage = metadata.get("usage") if is_object(metadata) else None
    if row.get("role") != "assistant" or not is_object(usage):
        return {}
    names = {
        "input": "inputTokens",
        "cached": "cacheReadInputTokens",
        "written": "cacheWriteInputTokens",
        "output": "outputTokens",
    }
    counts = {name: number(usage, key) for name, key in names.items()}
    paid = {name: count for name, count in counts.items() if count is not None}
    if "input" in paid:
        paid["input"] += paid.get("cached", 0) + paid.get("written", 0)
    return paid


def _write_part(part: Part) -> Row:
    notes = NOTES.of(part.metadata)
    inside, beside = inner(notes, "inside"), without(notes, "inside")
    match part:
        case DataPart():
            return dict(thaw(part.data))
        case ImagePart():
            head, _, data = part.url.partition(";base64,")
            source: Row = {"bytes": data} if data else {"url": part.url}
            kind = head.partition("image/")[2]
            return {"image": {"format": kind, "source": source, **inside}, **beside}
        case ToolResultPart():
            status = {"status": "error"} if part.is_error else {}
            given = beside.pop("content", None)
            content: Any = given
            if isinstance(part.content, str):
                content = [{"text": part.content}]
            elif part.content or "content" not in notes:
                content = [_write_part(one) for one in part.content]
            body = {"toolUseId": part.tool_use_id, "content": content, **status}
            said = (
                inside
                if part.is_error
                else without(inside, *(("status",) if inside.get("status") == "error" else ()))
            )
            return {"toolResult": {**body, **without(said, *body)}, **beside}
    key = next(key for key, shape in SHAPES.items() if shape.part is type(part))
    return SHAPES[key].write(NOTES, part)


def read_tools(config: object) -> list[Any]:
    """Return the definitions of a configuration of tools, their schemas unwrapped."""
    given = config.get("tools") if is_object(config) else None
    found = []
    for tool in given if isinstance(given, list) else ():
        match tool:
            case {"toolSpec": {"inputSchema": {"json": schema}} as spec, **rest}:
                found.append({**rest, "toolSpec": {**spec, "inputSchema": schema}})
            case _:
                found.append(tool)
    return TOOLS.read(found)


def write_tools(tools: object) -> tuple[list[Any], list[str]]:
    """Return definitions as Converse has them, and the names of those it has no words for."""
    rows, lost = TOOLS.write_all(tools)
    for row in rows:
        spec = row.get("toolSpec") if is_object(row) else None
        if isinstance(spec, dict) and "inputSchema" in spec:
            spec["inputSchema"] = {"json": spec["inputSchema"]}
    return rows, lost


ROWS = "messages"
CONFIG = "toolConfig"


class Bedrock(JsonFormat):
    """A request of Converse, or its messages alone, as Strands has them too.

    The system prompt is the first message; usage that a message holds is a call.
    """

    name = "bedrock"
    about = "Bedrock Converse or Strands: a request, or its messages"
    suffixes = (".bedrock.json",)
    kinds = ("Bedrock Converse messages",)
    sure_signs = (
        {"content": are_parts, "role": str},
        {"messages": some({"content": are_parts, "role": str})},
        {"toolConfig": dict, "messages": list},
        {"inferenceConfig": dict, "messages": list},
    )
    takes_lists = True
    own_data = KEYS

    def read_one(self, value: Any) -> Loaded:
        rows, fields = split_rows(value, ROWS, "a list of messages with parts")
        reader = _ConverseReader()
        messages = reader.read({**fields, ROWS: rows})
        if not messages and rows:
            raise wrong_type(ROWS, None, "messages with a role and a list of parts")
        layout: Row = {} if is_object(value) else {ROWS: "alone"}
        meta: Row = {}
        if are_parts(fields.get("system")):
            del fields["system"]
        config = fields.get(CONFIG)
        if is_object(config) and isinstance(config.get("tools"), list):
            meta[META_KEY] = read_tools(config)
            layout[CONFIG] = without(config, "tools")
            del fields[CONFIG]
        calls = {at: {"usage": paid} for at, paid in reader.usage.items()}
        talk = with_calls(messages, calls, {**meta, **NOTES.meta(layout, fields)})
        return Loaded(talk, self.name, reader.warnings.found())

    def write(self, conversation: Conversation) -> Written:
        meta, notes = conversation.meta, NOTES.of(conversation.meta)
        warnings = WarningCollector()
        rows: list[Row] = []
        system: list[Row] | None = None
        for raw, message in zip(conversation.view, conversation.visible, strict=True):
            LOSSES.report(message, raw, warnings)
            own = NOTES.of(message.metadata)
            parts = [] if message.parts == BLANK else [_write_part(part) for part in message.parts]
            if message.role == "system" and (own.get(BESIDE) or not rows):
                if system is not None:
                    warnings.add("texts-joined", raw)
                system = [*(system or []), *parts]
                continue
            if own.get(JOINED) and rows:
                rows[-1]["content"] += parts
                continue
            role = "user" if message.role in ("tool", "system") else message.role
            if message.role == "system":
                warnings.add("system-becomes-user", raw)
            noted = own.get("role")
            rows.append(
                merged(
                    {"role": noted if isinstance(noted, str) else role, "content": parts},
                    without(own, "role", JOINED, BESIDE),
                )
            )
        data: Row = {ROWS: rows}
        if system is not None:
            data["system"] = system
        tools, lost = write_tools(meta.get(META_KEY))
        if META_KEY in meta:
            data[CONFIG] = {"tools": tools, **inner(notes, CONFIG)}
        data = merged(data, NOTES.fields_of(meta))
        held = conversation_losses(conversation, *NOTES.held(meta), META_KEY)
        if notes.get(ROWS) == "alone" and len(data) == 1:
            return Written(rows, (*held, *left_out(lost), *warnings.found()))
        return Written(data, (*held, *left_out(lost), *warnings.found()))
