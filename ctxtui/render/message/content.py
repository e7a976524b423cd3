"""A message's content as plain text of several lines."""

from __future__ import annotations

import json

from ctxtui.core import Message
from ctxtui.core.engine.messages import (
    DataPart,
    ImagePart,
    Part,
    TextPart,
    ThinkingPart,
    ToolResultPart,
    ToolUsePart,
)
from ctxtui.core.values.frozen import thaw


def content_text(message: Message) -> str:
    """Return everything a message holds, part by part."""
    return "\n".join(part_text(part) for part in message.parts)


def part_text(part: Part) -> str:
    """Return one part as text."""
    match part:
        case TextPart():
            return part.text
        case ThinkingPart():
            return f"(thinking) {part.text}"
        case ToolUsePart():
            return f"→ {part.name} {json.dumps(thaw(part.input), ensure_ascii=False)}  ({part.id})"
        case ToolResultPart():
            content = part.content
            inner = content if isinstance(content, str) else "\n".join(map(part_text, content))
            failed = " failed" if part.is_error else ""
            return f"↳ result of {part.tool_use_id}{failed}: {inner}"
        case ImagePart():
            return f"(image) {part.url[:100]}"
        case DataPart():
            return f"(data) {json.dumps(thaw(part.data), ensure_ascii=False)}"
