"""What a message holds, part by part: text, tool calls laid out, results, pictures, data."""

from __future__ import annotations

import json
from collections.abc import Sequence

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
from ctxtui.render.markdown.layout import markdown_lines
from ctxtui.render.text.lines import Line, Piece
from ctxtui.render.text.long_text import LONG, Joined, LongText
from ctxtui.render.text.wrap import wrap
from ctxtui.symbols import visible


def part_lines(part: Part, width: int, *, is_markdown: bool = False) -> Sequence[Line]:
    """Return the lines of one part; ``is_markdown`` lays texts out instead of showing them."""
    match part:
        case TextPart():
            if is_markdown and len(part.text) <= LONG:
                return markdown_lines(part.text, width)
            return text_lines(part.text, width)
        case ThinkingPart():
            return Joined([[[Piece("thinking", "muted")]], text_lines(part.text, width, "muted")])
        case ToolUsePart():
            head = [Piece("→ ", "muted"), Piece(visible(part.name), "bright")]
            head.append(Piece(f"  {visible(part.id, 60)}", "faint"))
            return Joined([[head], json_lines(part.input, width)])
        case ToolResultPart():
            return _result(part, width, is_markdown=is_markdown)
        case ImagePart():
            return [[Piece("image ", "muted"), Piece(visible(part.url, 200))]]
        case DataPart():
            return Joined([[[Piece("data", "muted")]], json_lines(part.data, width)])


def text_lines(text: str, width: int, kind: str = "text") -> Sequence[Line]:
    """Return a text as it is; a very long one is cut only where it is looked at."""
    if len(text) > LONG:
        return LongText(text, max(4, width), kind)
    # Made visible first: a control character takes no cell, the symbol in its place takes one.
    shown = "\n".join(map(visible, text.split("\n")))
    return [[Piece(line, kind)] for line in wrap(shown, max(4, width))]


def _result(part: ToolResultPart, width: int, *, is_markdown: bool) -> Sequence[Line]:
    head = [Piece("↳ result of ", "muted"), Piece(visible(part.tool_use_id, 60), "faint")]
    if part.is_error:
        head.append(Piece("  failed", "error"))
    if not isinstance(part.content, str):
        inner = (part_lines(one, width, is_markdown=is_markdown) for one in part.content)
        return Joined([[head], *inner])
    text = part.content
    if len(text) < LONG and text.lstrip()[:1] in ("{", "["):
        try:
            return Joined([[head], json_lines(json.loads(text), width)])
        except (ValueError, RecursionError):
            pass
    return Joined([[head], text_lines(text, width)])


def json_lines(value: object, width: int) -> Sequence[Line]:
    """Return a value as JSON, laid out and coloured where it is short enough to be read."""
    text = json.dumps(thaw(value), ensure_ascii=False, indent=2)
    if len(text) > LONG:
        return LongText(text, max(4, width))
    lines: list[Line] = []
    for line in text.split("\n"):
        key, colon, rest = line.partition('": ')
        if len(line) > width:
            lines += text_lines(line, width)
        elif colon and key.lstrip().startswith('"'):
            lines.append([Piece(visible(key) + '"', "user"), Piece(": ", "muted"), _value(rest)])
        else:
            lines.append([_value(line)])
    return lines


def _value(text: str) -> Piece:
    start = text.lstrip()[:1]
    if start == '"':
        return Piece(visible(text), "assistant")
    is_plain = start.isdigit() or (start in "-tfn" and start)
    return Piece(visible(text), "tool" if is_plain else "muted")
