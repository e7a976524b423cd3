"""What items look like: calls and their results by type, thoughts, and the parts of messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...values.roles import Role
from ..notes import Notes, without
from ..warnings import WarningCollector, bare

NOTES = Notes("responses")
FUNCTION = "function_call"
CALLS = {
    FUNCTION: "arguments",
    "custom_tool_call": "input",
    "local_shell_call": "action",
    "shell_call": "action",
    "computer_call": "action",
    "apply_patch_call": "operation",
}
"""The types of calls, and the key of what each is given."""
NAMED = (FUNCTION, "custom_tool_call")
"""Calls that say which tool they call; the others are each a tool of their own."""
OUTPUT = "_output"
RESULTS = tuple(f"{type}{OUTPUT}" for type in CALLS)
CONTENT_TYPES = ("input_file", "input_audio", "refusal", "computer_screenshot")
"""Parts of messages that core has none for."""
TEXT_TYPES = ("input_text", "output_text", "text")
KEPT_AS_DATA = "part-kept-as-data"

PartData = dict[str, Any]


def usual_text(role: Role) -> str:
    """Return the type that a text has in a message of a role."""
    return "output_text" if role == "assistant" else "input_text"


def read_content(
    parts: Sequence[object], role: Role, place: int, warnings: WarningCollector
) -> list[PartData]:
    """Return the parts of a message as the data of core parts."""
    return [_read_part(part, role, place, warnings) for part in parts]


def _read_part(part: Any, role: Role, place: int, warnings: WarningCollector) -> PartData:
    match part:
        case {"type": str(kind), "text": str(text)} if kind in TEXT_TYPES:
            notes = without(part, "text", *(("type",) if kind == usual_text(role) else ()))
            return {"type": "text", "text": text, **NOTES.kept(notes)}
        case {"type": "input_image", "image_url": str(url)}:
            notes = without(part, "type", "image_url")
            return {"type": "image", "image_url": {"url": url}, **NOTES.kept(notes)}
    name = part.get("type") if isinstance(part, Mapping) else part
    warnings.add(KEPT_AS_DATA, place, bare(name))
    return {"type": "data", "data": part, "metadata": {NOTES.key: {}}}


def thought(item: Mapping[str, Any]) -> str:
    """Return the words of a thought: its summary, or else what it is made of."""
    for key in ("summary", "content"):
        found = item.get(key)
        texts = [
            part["text"]
            for part in (found if isinstance(found, list) else ())
            if isinstance(part, Mapping) and isinstance(part.get("text"), str)
        ]
        if texts:
            return "\n\n".join(texts)
    return ""
