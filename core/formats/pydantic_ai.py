"""Messages of pydantic-ai: requests with one message in each part, and responses of the model.

Instructions are no part of the history: the model is sent those of the last request, as a system
message here. Where they change, the message is replaced.
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
from ..engine.operations import Append, Insert, Replace
from ..errors import Refused, wrong_type
from ..values.frozen import thaw
from ..values.models import Role
from .base import Confidence, JsonFormat, Loaded, Written, rows_in
from .detection import some
from .fields import is_object, read_timestamp
from .format_metadata import BLANK, ContentBlocks, FormatMetadata, PartField, Shape, merged, without
from .json_text import dump_json, parsed
from .losses import Holds, conversation_losses
from .request_codecs import number
from .warnings import WarningCollector, kept_keys, without_values

NOTES = FormatMetadata("pydantic-ai")
Row = dict[str, Any]
RESPONSE = {
    "text": Shape(TextPart, {"part_kind": "text", "content": PartField("text")}),
    "thinking": Shape(
        ThinkingPart,
        {
            "part_kind": "thinking",
            "content": PartField("text"),
            "signature": PartField("signature", "optional"),
        },
    ),
    "tool-call": Shape(
        ToolUsePart,
        {
            "part_kind": "tool-call",
            "tool_name": PartField("name"),
            "args": PartField("input", "object"),
            "tool_call_id": PartField("id"),
        },
    ),
}
ANSWERS = ContentBlocks(NOTES, RESPONSE)
IMAGE = Shape(ImagePart, {"kind": "image-url", "url": PartField("url")})
ASKED: dict[str, Role] = {
    "system-prompt": "system",
    "user-prompt": "user",
    "tool-return": "tool",
    "retry-prompt": "tool",
}
LOSSES = Holds(
    NOTES,
    lambda part, _role: not isinstance(part, DataPart) or NOTES.is_in(part.metadata),
    timestamp=True,
    error=True,
    signature=True,
)
ROW, PART, JOINED, INSTRUCTIONS = "row", "part", "joined", "instructions"
"""What is noted of a message: the rest of its row and of its part, whether it is in the row of the
message before it, and which instructions the row had."""
VALUE = "value"
"""The form of a result that was no text."""
COUNTS = {
    "input": "input_tokens",
    "cached": "cache_read_tokens",
    "written": "cache_write_tokens",
    "output": "output_tokens",
}


class PydanticAI(JsonFormat):
    """What ``all_messages_json()`` gives; the usage of a response is a call."""

    name = "pydantic-ai"
    about = "pydantic-ai messages"
    suffixes = (".pydantic-ai.json",)
    kinds = ("pydantic-ai messages",)
    sure_signs = (
        {"parts": some({"part_kind": str}), "kind": str},
        {"messages": some({"parts": some({"part_kind": str})})},
    )
    takes_lists = True
    lines_of_items = True

    def confidence_of(self, value: object) -> Confidence:
        is_row = rows_in(value, "messages") is None
        return Confidence.NO if is_row else super().confidence_of(value)

    def read_one(self, value: Any) -> Loaded:
        rows = rows_in(value, "messages")
        if rows is None:
            raise wrong_type("messages", value, "a list of requests and responses")
        fields = without(value, "messages") if is_object(value) else {}
        meta = NOTES.meta({} if rows is value else {"messages": "within"}, fields)
        builder = _Builder(meta)
        first: Refused | None = None
        for place, row in enumerate(rows):
            try:
                builder.take(row, place)
            except Refused as refusal:
                first = first or refusal.prefixed(f"messages[{place}]")
                builder.warnings.add("message-unreadable", place, without_values(refusal))
        talk = builder.conversation()
        if not talk.log and first is not None:
            raise first
        return Loaded(talk, self.name, builder.warnings.found())

    def write(self, conversation: Conversation) -> Written:
        warnings = WarningCollector()
        notes = NOTES.of(conversation.meta)
        rows = _rows(conversation, warnings)
        data: Any = rows
        if notes.get("messages") == "within":
            data = merged({"messages": rows}, NOTES.fields_of(conversation.meta))
        # Messages that instructions replaced are written with the requests that had them.
        losses = conversation_losses(conversation, *NOTES.held(conversation.meta))
        return Written(data, (*losses, *warnings.found()))


class _Builder:
    """Takes row after row; instructions are a message behind the first system prompts."""

    def __init__(self, meta: Mapping[str, Any]) -> None:
        self.warnings = WarningCollector()
        self._meta = meta
        self._talk: Conversation | None = None
        self._pending: list[Message] = []
        self._said: list[str] = []
        self._place: int | None = None
        self._instructions = NOTES.message("system", "", {})

    def take(self, row: object, place: int) -> None:
        if not is_object(row) or not isinstance(row.get("parts"), list):
            raise wrong_type("message", row, "an object with parts")
        notes: Row = {ROW: without(row, "parts", "instructions")}
        if row.get("kind") == "response":
            parts = [
                ANSWERS.read_one(_typed(part), at, place, self.warnings)
                for at, part in enumerate(row["parts"])
            ]
            self._call(row)
            moment = read_timestamp(row.get("timestamp"))
            self._pending.append(NOTES.message("assistant", parts, notes, timestamp=moment))
            return
        if "instructions" in row:
            notes[INSTRUCTIONS] = self._instruct(row["instructions"])
        asked = [self._asked(part) for part in row["parts"]]
        if not asked:
            self.warnings.add("keys-kept", place, *kept_keys(NOTES.key, (ROW,)))
            asked = [("user", [], {"empty": True})]
        for at, (role, content, part) in enumerate(asked):
            about = notes if at == 0 else {JOINED: True}
            moment = read_timestamp((part.get(PART) or {}).get("timestamp"))
            self._pending.append(NOTES.message(role, content, {**about, **part}, timestamp=moment))
        self._settle()

    def conversation(self) -> Conversation:
        return self._appended()

    def _asked(self, part: object) -> tuple[Role, str | Sequence[Part], Row]:
        if not is_object(part):
            raise wrong_type("part", part, "an object with a part_kind")
        kind, content = part.get("part_kind"), part.get("content")
        role: Role = ASKED.get(kind, "user") if isinstance(kind, str) else "user"
        if role != "tool" or not isinstance(part.get("tool_call_id"), str):
            role = "user" if role == "tool" else role
        elif kind == "tool-return" or isinstance(part.get("tool_name"), str):
            error = kind == "retry-prompt" or part.get("outcome") == "failed"
            text = content if isinstance(content, str) else dump_json(content)
            form = {} if isinstance(content, str) else {VALUE: True}
            result = ToolResultPart(part["tool_call_id"], text, error or None)
            return role, [result], {PART: without(part, "content", "tool_call_id"), **form}
        else:
            role = "user"
        if isinstance(content, str) and isinstance(kind, str) and kind in ASKED:
            return role, content, {PART: without(part, "content")}
        if isinstance(content, list) and kind == "user-prompt":
            return role, [_item(one) for one in content], {PART: without(part, "content")}
        return role, [NOTES.data(part)], {PART: None}

    def _instruct(self, text: object) -> Any:
        """Return which instructions these are; others than before take the place of those."""
        if not isinstance(text, str) or not text:
            return {"given": text}
        if not self._said or self._said[-1] != text:
            self._said.append(text)
            message = NOTES.message("system", text, {INSTRUCTIONS: len(self._said) - 1})
            if self._place is not None:
                self._appended().execute(Replace(index=self._place, message=message))
            else:
                self._instructions = message
        return len(self._said) - 1

    def _settle(self) -> None:
        """Put the first instructions behind the system prompts before them."""
        if self._place is not None or not self._said:
            return
        talk = self._appended()
        place = 0
        while place < len(talk.visible) and talk.visible[place].role == "system":
            place += 1
        if len(talk.journal) == 1:  # Nothing has happened: it begins like this.
            messages = [*talk.log]
            messages.insert(place, self._instructions)
            self._talk = Conversation(messages, meta=self._meta)
        else:
            talk.execute(Insert(position=place, messages=[self._instructions]))
        self._place = place

    def _call(self, row: Mapping[str, Any]) -> None:
        usage = row.get("usage")
        counts = {
            name: number(usage, key) if is_object(usage) else None for name, key in COUNTS.items()
        }
        paid = {name: count for name, count in counts.items() if count is not None}
        model = row.get("model_name")
        if paid:
            self._appended().record_call(
                usage=paid,
                model=model if isinstance(model, str) else None,
                time=read_timestamp(row.get("timestamp")),
            )

    def _appended(self) -> Conversation:
        if self._talk is None:
            self._talk = Conversation(self._pending, meta=self._meta)
        elif self._pending:
            self._talk.execute(Append(messages=self._pending))
        self._pending = []
        return self._talk


def _typed(part: object) -> object:
    """Return a part under the key by which parts are known elsewhere."""
    return {"type": part.get("part_kind"), **part} if is_object(part) else part


def _item(item: object) -> Part:
    if isinstance(item, str):
        return TextPart(item)
    if not is_object(item):
        raise wrong_type("content", item, "a text or an object")
    return IMAGE.read(NOTES, item) or NOTES.data(item)


def _rows(conversation: Conversation, warnings: WarningCollector) -> list[Row]:
    """Return the requests and responses of what is visible."""
    visible = list(zip(conversation.view, conversation.visible, strict=True))
    instructions = {
        said: message.text
        for message in conversation.log
        if type(said := NOTES.of(message.metadata).get(INSTRUCTIONS)) is int
        and message.role == "system"
    }
    shown = [
        message.text
        for _, message in visible
        if message.role == "system" and type(NOTES.of(message.metadata).get(INSTRUCTIONS)) is int
    ]
    last = max(instructions, default=-1)
    if last >= 0:
        instructions[last] = shown[-1] if shown else ""
    rows, names = list[Row](), dict[str, str]()
    for raw, message in visible:
        LOSSES.report(message, raw, warnings)
        notes = NOTES.of(message.metadata)
        if message.role == "system" and type(notes.get(INSTRUCTIONS)) is int and ROW not in notes:
            continue
        is_answer = message.role == "assistant"
        kind = "response" if is_answer else "request"
        names |= {part.id: part.name for part in message.parts if isinstance(part, ToolUsePart)}
        parts = _answer_parts(message) if is_answer else _asked_parts(message, notes, names)
        is_joined = notes.get(JOINED) and rows and rows[-1].get("kind", "request") == kind
        if is_joined or (ROW not in notes and rows and rows[-1].get("kind") == kind == "request"):
            rows[-1]["parts"] += parts
            continue
        row: Row = {"kind": kind, "parts": parts}
        noted = notes.get(ROW)
        row = merged(row, noted) if isinstance(noted, dict) else row
        if isinstance(noted, dict) and "kind" not in noted:
            del row["kind"]
        which = notes.get(INSTRUCTIONS)
        if isinstance(which, dict):
            row["instructions"] = which.get("given")
        elif type(which) is int and instructions.get(which):
            row["instructions"] = instructions[which]
        elif type(which) is int:
            row["instructions"] = None
        rows.append(row)
    return rows


def _answer_parts(message: Message) -> list[Row]:
    if message.parts == BLANK:
        return []
    written = [ANSWERS.write(part) for part in message.parts if _is_answer(part)]
    return [without(part, "type") for part in written]


def _is_answer(part: Part) -> bool:
    if isinstance(part, DataPart):
        return NOTES.is_in(part.metadata)
    return isinstance(part, TextPart | ThinkingPart | ToolUsePart)


def _asked_parts(message: Message, notes: Row, names: Mapping[str, str]) -> list[Row]:
    """Return the parts of a request for one message."""
    if notes.get("empty") and message.parts == BLANK:
        return []
    results = [part for part in message.parts if isinstance(part, ToolResultPart)]
    rest = [part for part in message.parts if part not in results and _is_asked(part)]
    noted = notes.get(PART)
    kept = noted if isinstance(noted, dict) else {}
    found = []
    for result in results:
        text = result.content if isinstance(result.content, str) else _texts(result.content)
        content = parsed(text)[1] if notes.get(VALUE) else text
        part = {"part_kind": "tool-return", "content": content, "tool_call_id": result.tool_use_id}
        if not kept:
            part["tool_name"] = names.get(result.tool_use_id, "unknown")
            part |= {"outcome": "failed"} if result.is_error else {}
        found.append({**part, **without(kept, "content", "tool_call_id")})
    if len(rest) == 1 and isinstance(rest[0], DataPart):
        return [*found, dict(thaw(rest[0].data))]
    if rest and (rest != list(BLANK) or not results):
        kind = "system-prompt" if message.role == "system" else "user-prompt"
        content = message.text
        if kind == "user-prompt" and not isinstance(message.content, str) and rest != list(BLANK):
            content = [_written_item(part) for part in rest]
        found.append({"part_kind": kind, "content": content, **without(kept, "content")})
    return found


def _is_asked(part: Part) -> bool:
    if isinstance(part, DataPart):
        return NOTES.is_in(part.metadata)
    return isinstance(part, TextPart | ImagePart)


def _texts(parts: Sequence[Part]) -> str:
    return "\n".join(part.text for part in parts if isinstance(part, TextPart))


def _written_item(part: Part) -> Any:
    match part:
        case TextPart():
            return part.text
        case ImagePart():
            return IMAGE.write(NOTES, part)
        case DataPart():
            return thaw(part.data)
    return _texts([part])
