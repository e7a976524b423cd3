"""Messages of the AI SDK: those a model is sent, and those its users see.

Of the latter each stretch between two ``step-start`` is a message of the assistant with its
results, as that is how it is sent.
"""

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
from ..errors import wrong_type
from ..values.frozen import freeze, thaw
from ..values.models import Role
from .base import Confidence, JsonFormat, Loaded, Written, read_rows, rows_in
from .detection import some, starts
from .fields import core_role, is_object
from .format_metadata import (
    BLANK,
    ContentBlocks,
    FormatMetadata,
    PartField,
    Shape,
    inner,
    merged,
    plain_text,
    without,
)
from .json_text import dump_json, parsed
from .losses import Holds, conversation_losses
from .warnings import WarningCollector

NOTES = FormatMetadata("ai-sdk")
Row = dict[str, Any]
CALL = {"toolCallId": PartField("id"), "toolName": PartField("name")}
SHAPES = {
    "text": Shape(TextPart, {"type": "text", "text": PartField("text")}),
    "reasoning": Shape(ThinkingPart, {"type": "reasoning", "text": PartField("text")}),
    "image": Shape(ImagePart, {"type": "image", "image": PartField("url")}),
    "tool-call": Shape(
        ToolUsePart, {"type": "tool-call", **CALL, "input": PartField("input", "value")}
    ),
}
BLOCKS = ContentBlocks(NOTES, SHAPES)
OLD_CALL = Shape(ToolUsePart, {"type": "tool-call", **CALL, "args": PartField("input", "value")})
LOSSES = Holds(
    NOTES,
    lambda part, _role: not isinstance(part, DataPart) or NOTES.is_in(part.metadata),
    id=True,
    error=True,
)
JOINED, STEP, OUTPUT, TOOL, SEEN = "joined", "step", "output", "tool", "seen"
"""What is noted: that a message is in the row of the one before it, that it began a step, in which
form a result was, what else a part of a tool said, and that the row was one that users see."""
FINISHED = "output-available"
FAILED = "output-error"


SIGNS: tuple[dict[str, Any], ...] = (
    {
        "parts": some({"type": starts("tool-"), "toolCallId": str}),
        "role": str,
    },
    {"parts": some({"type": "step-start"}), "role": str},
    {"parts": some({"type": "dynamic-tool", "toolCallId": str}), "role": str},
    {"parts": some({"type": "text", "text": str}), "role": str, "id": str},
    {"content": some({"toolCallId": str, "type": "tool-call"}), "role": str},
    {"content": some({"toolCallId": str, "type": "tool-result"}), "role": str},
)
"""Messages that only the AI SDK writes."""


class AISDK(JsonFormat):
    """Messages of either kind; a file of one kind is written as that kind."""

    name = "ai-sdk"
    about = "AI SDK messages, as a model is sent or as users see them"
    suffixes = (".ai-sdk.json",)
    kinds = ("AI SDK messages",)
    sure_signs = (*SIGNS, *({"messages": some(sign)} for sign in SIGNS))
    takes_lists = True
    lines_of_items = True
    own_data = ("file", "source-url", "source-document", "tool-approval-request")

    def confidence_of(self, value: object) -> Confidence:
        is_row = rows_in(value, "messages") is None
        return Confidence.NO if is_row else super().confidence_of(value)

    def read_one(self, value: Any) -> Loaded:
        rows = rows_in(value, "messages")
        if rows is None:
            raise wrong_type("messages", value, "a list of messages")
        warnings = WarningCollector()
        found: list[Message] = []

        def read(row: object, place: int) -> Message:
            found.extend(_read(row, place, warnings))
            return found[-1]

        read_rows(rows, read, warnings)
        fields = without(value, "messages") if is_object(value) else {}
        meta = NOTES.meta({} if rows is value else {"messages": "within"}, fields)
        return Loaded(Conversation(found, meta=meta), self.name, warnings.found())

    def write(self, conversation: Conversation) -> Written:
        meta, warnings = conversation.meta, WarningCollector()
        rows = _Writer(warnings).rows(conversation)
        data: Any = rows
        if NOTES.of(meta).get("messages") == "within":
            data = merged({"messages": rows}, NOTES.fields_of(meta))
        losses = conversation_losses(conversation, *NOTES.held(meta))
        return Written(data, (*losses, *warnings.found()))


def _read(row: object, place: int, warnings: WarningCollector) -> list[Message]:
    """Return the messages of a row: itself, or its parts and each result."""
    if not is_object(row) or not isinstance(row.get("role"), str):
        raise wrong_type("message", row, "an object with a role")
    role = core_role(row["role"])
    id = row["id"] if isinstance(row.get("id"), str) else None
    notes = without(row, "role", "content", "parts", *(("id",) if id is not None else ()))
    if role != row["role"]:
        notes["role"] = row["role"]
    if isinstance(row.get("parts"), list):
        notes[SEEN] = True
        if "content" in row:
            notes["content"] = row["content"]
        runs = _steps(row["parts"], role, place, warnings)
    else:
        content = row.get("content")
        if isinstance(content, str):
            return [NOTES.message(role, content, notes, id=id)]
        if not isinstance(content, list):
            raise wrong_type("content", content, "a text or a list of parts")
        runs = _runs(
            [_sent_part(part, place, at, warnings) for at, part in enumerate(content)], role
        )
        notes["content"] = "list"
    runs = runs or [(role, [], {})]
    return [
        NOTES.message(
            who, parts, {**(notes if at == 0 else {JOINED: True}), **more}, id=None if at else id
        )
        for at, (who, parts, more) in enumerate(runs)
    ]


Run = tuple[Role, list[Part], Row]


def _runs(parts: Sequence[Part], role: Role) -> list[Run]:
    """Return the stretches of a content of which each result is one."""
    found: list[Run] = []
    for part in parts:
        is_result = isinstance(part, ToolResultPart)
        if is_result or not found or found[-1][0] == "tool" != role:
            found.append(("tool" if is_result else role, [], {}))
        found[-1][1].append(part)
    return found


def _sent_part(part: object, place: int, at: int, warnings: WarningCollector) -> Part:
    """Return the part that a model is sent."""
    if is_object(part) and part.get("type") == "tool-result":
        id = part.get("toolCallId")
        if isinstance(id, str):
            return _sent_output(part, id)
    if is_object(part) and part.get("type") == "tool-call" and "args" in part:
        old: Part | None = OLD_CALL.read(NOTES, part, old=True)
        if old is not None:
            return old
    return BLOCKS.read_one(part, at, place, warnings)


def _sent_output(part: Mapping[str, Any], id: str) -> Part:
    key = "output" if "output" in part else "result"
    value, kind, about = part.get(key), None, {}
    if key == "output" and is_object(value) and isinstance(value.get("type"), str):
        kind, about, value = value["type"], without(value, "type", "value"), value.get("value")
    form: Row = {OUTPUT: [key, kind, isinstance(value, str), about]}
    error = True if str(kind).startswith("error") or part.get("isError") else None
    text = value if isinstance(value, str) else dump_json(value)
    more = without(part, "type", "toolCallId", key)
    return ToolResultPart(id, text, error, NOTES.frozen({**form, **more}))


def _steps(
    parts: Sequence[object], role: Role, place: int, warnings: WarningCollector
) -> list[Run]:
    """Return the messages of the parts that users see: those of each step, then its results."""
    found: list[Run] = []
    results: list[Run] = []
    is_open = False
    for at, part in enumerate(parts):
        given = part if is_object(part) else {}
        kind, id = given.get("type"), given.get("toolCallId")
        if kind == "step-start" and role == "assistant":
            found += results
            found.append((role, [], {STEP: without(given, "type") or True}))
            results, is_open = [], True
            continue
        if isinstance(kind, str) and isinstance(id, str) and _is_tool(kind):
            read: Part = _seen_call(given, kind, id)
            result = _seen_result(given, id)
            if result is not None:
                results.append(("tool", [result], {}))
        else:
            read = BLOCKS.read_one(part, at, place, warnings)
        if not is_open:
            found.append((role, [], {}))
            is_open = True
        found[-1][1].append(read)
    return found + results


def _is_tool(kind: str) -> bool:
    return kind.startswith("tool-") or kind == "dynamic-tool"


def _seen_call(part: Mapping[str, Any], kind: str, id: str) -> Part:
    name = part.get("toolName") if kind == "dynamic-tool" else kind.removeprefix("tool-")
    rest = without(part, "toolCallId", "input", "output", "errorText")
    form = {} if "input" in part else {"input": "absent"}
    given = freeze(part.get("input", {}), "input")
    return ToolUsePart(id, str(name), given, NOTES.frozen({TOOL: rest, **form}))


def _seen_result(part: Mapping[str, Any], id: str) -> Part | None:
    if part.get("state") == FAILED and isinstance(part.get("errorText"), str):
        return ToolResultPart(id, part["errorText"], True, NOTES.frozen({}))
    if "output" not in part:
        return None
    output = part["output"]
    is_text = isinstance(output, str)
    text = output if isinstance(output, str) else dump_json(output)
    return ToolResultPart(id, text, None, NOTES.frozen({OUTPUT: is_text}))


class _Writer:
    """Writes message after message; those of one row come together again."""

    def __init__(self, warnings: WarningCollector) -> None:
        self._warnings = warnings
        self._rows: list[Row] = []
        self._names: dict[str, str] = {}

    def rows(self, conversation: Conversation) -> list[Row]:
        for raw, message in zip(conversation.view, conversation.visible, strict=True):
            LOSSES.report(message, raw, self._warnings)
            notes = NOTES.of(message.metadata)
            calls = [part for part in message.parts if isinstance(part, ToolUsePart)]
            self._names |= {part.id: part.name for part in calls}
            row = self._rows[-1] if notes.get(JOINED) and self._rows else None
            if row is None:
                row = self._begun(message, notes)
            if "parts" in row:
                self._see(row["parts"], message, notes)
            elif isinstance(row["content"], list):
                row["content"] += _sent(message, self._names)
            else:
                row["content"] = [
                    {"type": "text", "text": row["content"]},
                    *_sent(message, self._names),
                ]
        return self._rows

    def _begun(self, message: Message, notes: Row) -> Row:
        """Begin the row of a message, without its content."""
        noted = notes.get("role")
        role = (
            noted if isinstance(noted, str) and core_role(noted) == message.role else message.role
        )
        row: Row = {"role": role}
        if message.id is not None:
            row["id"] = message.id
        rest = without(notes, "role", JOINED, STEP, SEEN, "content")
        if notes.get(SEEN):
            kept = {"content": notes["content"]} if "content" in notes else {}
            row = {**row, "parts": [], **kept, **without(rest, *row)}
        else:
            row = {**row, "content": [], **without(rest, *row)}
            if notes.get("content") != "list" and plain_text(NOTES, message.parts) is not None:
                row["content"] = message.text
                self._rows.append(row)
                return {"content": []}
        self._rows.append(row)
        return row

    def _see(self, parts: list[Row], message: Message, notes: Row) -> None:
        """Add a message to the parts that users see."""
        if step := notes.get(STEP):
            parts.append({"type": "step-start", **(step if isinstance(step, dict) else {})})
        for part in message.parts if message.parts != BLANK else ():
            match part:
                case ToolResultPart():
                    _answer(parts, part)
                case ToolUsePart():
                    about = NOTES.of(part.metadata)
                    usual = {"type": f"tool-{part.name}", "state": "input-available"}
                    row = {**(inner(about, TOOL) or usual), "toolCallId": part.id}
                    if about.get("input") != "absent" or part.input:
                        row["input"] = thaw(part.input)
                    parts.append(row)
                case _:
                    parts.append(BLOCKS.write(part))


def _answer(parts: list[Row], result: ToolResultPart) -> None:
    """Put a result with the call that it answers."""
    text = result.content if isinstance(result.content, str) else _texts(result.content)
    call = next(
        (one for one in reversed(parts) if one.get("toolCallId") == result.tool_use_id), None
    )
    if call is None:
        return
    if result.is_error:
        call |= {"state": FAILED, "errorText": text}
        return
    is_text = NOTES.of(result.metadata).get(OUTPUT, True)
    call["output"] = text if is_text else parsed(text)[1]
    if call.get("state") == "input-available":
        call["state"] = FINISHED


def _texts(parts: Sequence[Part]) -> str:
    return "\n".join(part.text for part in parts if isinstance(part, TextPart))


def _sent(message: Message, names: Mapping[str, str]) -> list[Row]:
    """Return the parts of a message as a model is sent them."""
    found: list[Row] = []
    for part in message.parts if message.parts != BLANK else ():
        notes = NOTES.of(part.metadata)
        if isinstance(part, ToolUsePart) and notes.get("old"):
            found.append(OLD_CALL.write_with(without(notes, "old"), part))
        elif isinstance(part, ToolResultPart):
            found.append(_sent_result(part, notes, names))
        else:
            found.append(BLOCKS.write(part))
    return found


def _sent_result(result: ToolResultPart, notes: Row, names: Mapping[str, str]) -> Row:
    text = result.content if isinstance(result.content, str) else _texts(result.content)
    row: Row = {"type": "tool-result", "toolCallId": result.tool_use_id}
    match notes.get(OUTPUT):
        case [str(key), kind, bool(is_text), dict(about)]:
            value = text if is_text else parsed(text)[1]
            row[key] = value if kind is None else {"type": kind, "value": value, **about}
        case _:
            kind = "error-text" if result.is_error else "text"
            row["toolName"] = names.get(result.tool_use_id, "unknown")
            row["output"] = {"type": kind, "value": text}
    return {**row, **without(notes, OUTPUT)}
