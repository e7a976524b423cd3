"""The message pane: everything about the message under the cursor."""

from __future__ import annotations

import json
from datetime import datetime

from core import Message
from core.frozen import thaw
from core.parts import (
    DataPart,
    ImagePart,
    Part,
    TextPart,
    ThinkingPart,
    ToolResultPart,
    ToolUsePart,
)
from ctxtui.look import Look
from ctxtui.render.lines import Line, Piece
from ctxtui.render.numbers import percent
from ctxtui.render.preview import GLYPHS, tool_names
from ctxtui.render.symbols import visible
from ctxtui.render.wrap import wrap

PRETTY = 200_000


def detail(look: Look, raw: int, width: int) -> list[Line]:
    """Return the lines of a message: what it is, what is wrong with it, what it holds."""
    message = look.state.log[raw]
    return [
        _who(look, raw, message),
        *_where(look, raw, message, width),
        *_marks(look, raw, width),
        *_findings(look, raw, width),
        [],
        *_content(look, raw, message, width),
    ]


def _who(look: Look, raw: int, message: Message) -> Line:
    names = tool_names(look.state.log, raw)
    line = [Piece(f"{GLYPHS[message.role]} {message.role}", message.role)]
    if names:
        line += [
            Piece("  result of ", "muted"),
            Piece(visible(", ".join(names.values())), "bright"),
        ]
    count = look.tokens(raw)
    line.append(Piece(f"  {count:,} tokens", "text"))
    if look.view.position(raw) is not None:
        line.append(Piece(f"  {percent(count, look.total)}", "muted"))
    return line


def _where(look: Look, raw: int, message: Message, width: int) -> list[Line]:
    position = look.view.position(raw)
    if position is None:
        place = f"raw {raw}  {look.blame(raw)}"
    else:
        place = f"raw {raw}  position {position}"
    if message.metadata is not None and "copiedFrom" in message.metadata:
        place += f"  copied from {message.metadata['copiedFrom']}"
    if message.timestamp is not None:
        place += f"  {_time(message.timestamp)}"
    return [[Piece(line, "muted")] for line in wrap(visible(place), max(10, width))]


def _time(stamp: int) -> str:
    try:
        return datetime.fromtimestamp(stamp / 1000).strftime("%Y-%m-%d %H:%M:%S")
    except (OverflowError, OSError, ValueError):
        return f"{stamp} ms"


def _marks(look: Look, raw: int, width: int) -> list[Line]:
    labels = look.marked.get(raw)
    if not labels:
        return []
    return [[Piece("★ ", "mark"), Piece(visible(", ".join(labels), width), "text")]]


def _findings(look: Look, raw: int, width: int) -> list[Line]:
    position = look.view.position(raw)
    lines: list[Line] = []
    for finding in look.findings_at.get(position, []) if position is not None else []:
        glyph, kind = ("✖", "error") if finding.severity == "error" else ("▲", "warn")
        lead = f"{glyph} {finding.rule} "
        for i, text in enumerate(wrap(finding.message, max(10, width - len(lead)))):
            start = Piece(lead, kind) if i == 0 else Piece(" " * len(lead))
            lines.append([start, Piece(visible(text))])
    return lines


def _content(look: Look, raw: int, message: Message, width: int) -> list[Line]:
    lines: list[Line] = []
    for part in message.parts:
        if lines:
            lines.append([])
        lines += _part(part, width)
    return lines


def _part(part: Part, width: int) -> list[Line]:
    match part:
        case TextPart():
            return _text(part.text, width)
        case ThinkingPart():
            return [[Piece("thinking", "muted")], *_text(part.text, width, "muted")]
        case ToolUsePart():
            head = [Piece("→ ", "muted"), Piece(visible(part.name), "bright")]
            return [[*head, Piece(f"  {visible(part.id, 60)}", "faint")], *_json(part.input, width)]
        case ToolResultPart():
            failed = [Piece("  failed", "error")] if part.is_error else []
            head = [Piece("↳ result of ", "muted"), Piece(visible(part.tool_use_id, 60), "faint")]
            if isinstance(part.content, str):
                return [[*head, *failed], *_result(part.content, width)]
            return [[*head, *failed], *(line for one in part.content for line in _part(one, width))]
        case ImagePart():
            return [[Piece("image ", "muted"), Piece(visible(part.url, 200))]]
        case DataPart():
            return [[Piece("data", "muted")], *_json(part.data, width)]


def _text(text: str, width: int, kind: str = "text") -> list[Line]:
    return [[Piece(visible(line), kind)] for line in wrap(text, max(4, width))]


def _result(text: str, width: int) -> list[Line]:
    """Return a result; JSON is laid out where it is short enough to be read."""
    if len(text) < PRETTY and text.lstrip()[:1] in ("{", "["):
        try:
            return _json(json.loads(text), width)
        except (ValueError, RecursionError):
            pass
    return _text(text, width)


def _json(value: object, width: int) -> list[Line]:
    lines: list[Line] = []
    for line in json.dumps(thaw(value), ensure_ascii=False, indent=2).split("\n"):
        key, colon, rest = line.partition('": ')
        if colon and key.lstrip().startswith('"'):
            pieces = [Piece(visible(key) + '"', "user"), Piece(": ", "muted"), _value(rest)]
        else:
            pieces = [_value(line)]
        if len(line) <= width:
            lines.append(pieces)
        else:
            lines += _text(line, width)
    return lines


def _value(text: str) -> Piece:
    start = text.lstrip()[:1]
    if start == '"':
        return Piece(visible(text), "assistant")
    return Piece(
        visible(text), "tool" if start.isdigit() or (start in "-tfn" and start) else "muted"
    )
