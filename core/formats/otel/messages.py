"""Messages of the GenAI conventions, a role with parts, as core messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...errors import Refused, not_a
from ...messages.message import Message
from ..chat import read_chat
from ..json_text import dump_json
from ..notes import Notes, without
from ..roles import ROLES, core_role
from ..warnings import WarningCollector, as_role, bare, without_values
from .spans import as_json

NOTES = Notes("otel")
LEFT_OUT = "message-unreadable"
ROLE_WORDS = {"model": "assistant", "human": "user", "ai": "assistant"}
Data = dict[str, Any]


class MessageReader:
    """Reads message after message, since a result may not name its call."""

    def __init__(self) -> None:
        self.warnings = WarningCollector()
        self._unanswered: list[str] = []

    def read(self, rows: Sequence[object]) -> list[Message]:
        """Return core messages; what can't be read is left out and told."""
        messages = []
        for place, row in enumerate(rows):
            try:
                messages.append(self._message(row, place))
            except Refused as refusal:
                self.warnings.add(LEFT_OUT, place, without_values(refusal))
        return messages

    def _message(self, row: object, place: int) -> Message:
        if not isinstance(row, Mapping):
            raise not_a("message", row, "an object with a role")
        if not isinstance(row.get("parts"), list):
            return self._chat(row, place)
        word = row.get("role")
        if not isinstance(word, str):
            raise not_a("role", word, f"one of {', '.join(ROLES)}")
        known = ROLE_WORDS.get(word, word)
        role = core_role(known)
        notes = without(row, "role", "parts")
        if known != role:
            notes["role"] = word
            self.warnings.add("role-read-as", place, as_role(word, role))
        parts = [self._part(part, i, place) for i, part in enumerate(row["parts"])]
        content = parts or [{"type": "text", "text": ""}]
        return Message.from_dict({"role": role, "content": content, **NOTES.kept(notes)})

    def _chat(self, row: Mapping[str, Any], place: int) -> Message:
        """Return a message that has its content as chat has it."""
        word = row.get("role")
        known = {"role": ROLE_WORDS[word]} if isinstance(word, str) and word in ROLE_WORDS else {}
        (message,), adapted = read_chat([{**row, **known}], NOTES.key)
        for warning in adapted:
            self.warnings.include(warning, place)
        return message

    def _part(self, part: Any, index: int, place: int) -> Data:
        if not isinstance(part, Mapping):
            raise not_a(f"parts[{index}]", part, "an object with a type")
        kept = NOTES.kept
        match part:
            case {"type": "text", "content": str(text)}:
                return {"type": "text", "text": text, **kept(without(part, "type", "content"))}
            case {"type": "reasoning" | "thinking", "content": str(text)}:
                signature = part.get("signature")
                signed = {"signature": signature} if isinstance(signature, str) else {}
                notes = kept(without(part, "type", "content", *signed))
                return {"type": "thinking", "thinking": {"text": text, **signed}, **notes}
            case {"type": "tool_call", "name": str(name)}:
                id = self._id_of_call(part.get("id"), place, index)
                # Some write arguments as an object, some as the text of one.
                use = {"id": id, "name": name, "input": as_json(part.get("arguments", {}))}
                notes = kept(without(part, "type", "id", "name", "arguments"))
                return {"type": "tool_use", "tool_use": use, **notes}
            case {"type": "tool_call_response"}:
                return self._result(part, place, index)
            case {"type": "uri", "uri": str(uri), "modality": "image"}:
                notes = kept(without(part, "type", "uri"))
                return {"type": "image", "image_url": {"url": uri}, **notes}
            case {"type": "blob", "content": str(data), "mime_type": str(mime)} if mime.startswith(
                "image/"
            ):
                url = f"data:{mime};base64,{data}"
                notes = kept(without(part, "type", "content", "mime_type"))
                return {"type": "image", "image_url": {"url": url}, **notes}
        told = bare(part.get("type"))
        self.warnings.add("part-kept-as-data", place, told)
        return {"type": "data", "data": part, "metadata": {NOTES.key: {}}}

    def _id_of_call(self, id: object, place: int, index: int) -> str:
        if isinstance(id, str):
            return id
        self.warnings.add("call-id-made", place)
        made = f"call_{place}_{index}"
        self._unanswered.append(made)
        return made

    def _result(self, part: Mapping[str, Any], place: int, index: int) -> Data:
        key = next((key for key in ("response", "result") if key in part), "response")
        value, id = part.get(key), part.get("id")
        if not isinstance(id, str):
            self.warnings.add("result-id-guessed", place)
            id = self._unanswered.pop(0) if self._unanswered else f"call_{place}_{index}"
        content = value if isinstance(value, str) else dump_json(value)
        result = {"tool_use_id": id, "content": "" if value is None else content}
        notes = NOTES.kept(without(part, "type", "id", key))
        return {"type": "tool_result", "tool_result": result, **notes}
