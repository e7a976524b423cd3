"""Messages as OpenTelemetry has them: a role and parts with a type and a content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..engine.messages import (
    ImagePart,
    Message,
    Part,
    TextPart,
    ThinkingPart,
    ToolResultPart,
    ToolUsePart,
)
from ..errors import Refused, wrong_type
from ..values.frozen import freeze
from .fields import ROLES, core_role, is_object
from .format_metadata import ContentBlocks, FormatMetadata, PartField, Shape, without
from .json_text import dump_json, read_json
from .openai import read_chat
from .warnings import WarningCollector, as_role, without_values

NOTES = FormatMetadata("otel")
THOUGHT = {"content": PartField("text"), "signature": PartField("signature", "optional")}
SHAPES = {
    "text": Shape(TextPart, {"type": "text", "content": PartField("text")}),
    "reasoning": Shape(ThinkingPart, {"type": "reasoning", **THOUGHT}),
    "thinking": Shape(ThinkingPart, {"type": "thinking", **THOUGHT}),
    "uri": Shape(ImagePart, {"type": "uri", "uri": PartField("url"), "modality": "image"}),
}
BLOCKS = ContentBlocks(NOTES, SHAPES)
ROLE_WORDS = {"model": "assistant", "human": "user", "ai": "assistant"}


class MessageReader:
    """Reads message after message, since a result may not name its call."""

    def __init__(self) -> None:
        self.warnings = WarningCollector()
        self._unanswered: list[str] = []

    def read(self, rows: Sequence[object]) -> list[Message]:
        messages = []
        for place, row in enumerate(rows):
            try:
                messages.append(self._message(row, place))
            except Refused as refusal:
                self.warnings.add("message-unreadable", place, without_values(refusal))
        return messages

    def _message(self, row: object, place: int) -> Message:
        if not isinstance(row, Mapping):
            raise wrong_type("message", row, "an object with a role")
        word = row.get("role")
        known = ROLE_WORDS.get(word, word) if isinstance(word, str) else word
        if not isinstance(row.get("parts"), list):
            (message,), adapted = read_chat(
                [{**row, **({"role": known} if known else {})}], NOTES.key
            )
            for warning in adapted:
                self.warnings.include(warning, place)
            return message
        if not isinstance(known, str):
            raise wrong_type("role", word, f"one of {', '.join(ROLES)}")
        role = core_role(known)
        notes = without(row, "role", "parts")
        if known != role:
            notes["role"] = word
            self.warnings.add("role-read-as", place, as_role(word, role))
        parts = [self._part(part, i, place) for i, part in enumerate(row["parts"])]
        return NOTES.message(role, parts, notes)

    def _part(self, part: Any, index: int, place: int) -> Part:
        if not is_object(part):
            raise wrong_type(f"parts[{index}]", part, "an object with a type")
        found: Part | None = None
        match part.get("type"):
            case "tool_call" if isinstance(part.get("name"), str):
                return self._call(part, place, index)
            case "tool_call_response":
                return self._result(part, place, index)
            case "blob":
                found = _picture(part)
        return found or BLOCKS.read_one(part, index, place, self.warnings)

    def _call(self, part: Mapping[str, Any], place: int, index: int) -> Part:
        id = part.get("id")
        if not isinstance(id, str):
            self.warnings.add("call-id-made", place)
            id = f"call_{place}_{index}"
            self._unanswered.append(id)
        # Some write arguments as an object, some as the text of one.
        given = freeze(as_json(part.get("arguments", {})), "input")
        notes = without(part, "type", "id", "name", "arguments")
        return ToolUsePart(id, part["name"], given, NOTES.frozen(notes or None))

    def _result(self, part: Mapping[str, Any], place: int, index: int) -> Part:
        key = next((key for key in ("response", "result") if key in part), "response")
        value, id = part.get(key), part.get("id")
        if not isinstance(id, str):
            self.warnings.add("result-id-guessed", place)
            id = self._unanswered.pop(0) if self._unanswered else f"call_{place}_{index}"
        content = value if isinstance(value, str) else dump_json(value)
        notes = without(part, "type", "id", key)
        return ToolResultPart(
            id, "" if value is None else content, None, NOTES.frozen(notes or None)
        )


def _picture(part: Mapping[str, Any]) -> Part | None:
    match part:
        case {"content": str(data), "mime_type": str(mime), **rest} if mime.startswith("image/"):
            notes = without(rest, "type")
            return ImagePart(f"data:{mime};base64,{data}", NOTES.frozen(notes or None))
    return None


def as_json(value: Any) -> Any:
    """Return what a text of JSON says, or the value itself if it is none."""
    if not isinstance(value, str):
        return value
    try:
        return read_json(value)
    except Refused:
        return value
