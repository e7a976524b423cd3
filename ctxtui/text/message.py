"""A message's content as plain text of several lines."""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ctxtui.core import Message
from ctxtui.core.engine.log import LogReader
from ctxtui.core.engine.messages import (
    DataPart,
    ImagePart,
    Part,
    TextPart,
    ThinkingPart,
    ToolResultPart,
    ToolUsePart,
    leaves,
)
from ctxtui.core.values.frozen import thaw
from ctxtui.text.code import code_lines, language_of, numbered
from ctxtui.text.icons import highlighted
from ctxtui.text.lines import (
    LONG,
    Joined,
    Line,
    LongText,
    Piece,
    fit_pieces,
    line_width,
    wrap_lines,
)
from ctxtui.text.symbols import printable

if TYPE_CHECKING:
    from ctxtui.core.engine.text_search import TextFinder


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


# A message opened in its list: the first lines of what it says.

MOST_LINES = 12
TAB = 4
INDENT_CELLS = 6


def expanded(message: Message, width: int) -> list[Line]:
    """Return the first lines of a message, and how much more there is."""
    room = max(8, width - INDENT_CELLS - 1)
    text = content_text(message)
    start = text[: MOST_LINES * room]
    rows = wrap_lines(start, room)
    shown = [[Piece(" " * INDENT_CELLS), Piece(row)] for row in rows[:MOST_LINES]]
    if len(rows) > MOST_LINES or len(start) < len(text):
        more = f"… {len(text):,} characters, enter shows all"
        shown.append([Piece(" " * INDENT_CELLS), Piece(more, "faint")])
    return shown


_MARKED = re.compile(
    r"^(?:#{1,6} \S|```|~~~|\|.+\|\s*$|> \S)|^(?:[-*+]|\d{1,3}[.)]) \S.*\n+(?:[-*+]|\d{1,3}[.)]) \S"
    r"|\*\*[^\s*][^*\n]*\*\*|`[^`\n]+`",
    re.MULTILINE,
)
MOST_LOOKED_AT = 4_000


def looks_like_markdown(text: str) -> bool:
    """Return whether a text has headings, code, tables, quotes, lists or bold words."""
    return _MARKED.search(text, 0, MOST_LOOKED_AT) is not None


# What a message holds, part by part: text, tool calls laid out, results, pictures, data.


def part_lines(part: Part, width: int, *, is_markdown: bool | None = None) -> Sequence[Line]:
    """Return the lines of one part; texts laid out where they are Markdown, or as asked for."""
    match part:
        case TextPart():
            wanted = looks_like_markdown(part.text) if is_markdown is None else is_markdown
            if wanted and len(part.text) <= LONG:
                from ctxtui.text.markdown import markdown_lines

                return markdown_lines(part.text, width)
            return text_lines(part.text, width)
        case ThinkingPart():
            return Joined([[[Piece("thinking", "muted")]], text_lines(part.text, width, "muted")])
        case ToolUsePart():
            head = [Piece("→ ", "muted"), Piece(part.name, "bright")]
            head.append(Piece(f"  {part.id[:60]}", "faint"))
            return Joined([[head], json_lines(part.input, width)])
        case ToolResultPart():
            return _result_lines(part, width, is_markdown=is_markdown)
        case ImagePart():
            return image_card(part, width)
        case DataPart():
            return Joined([[[Piece("data", "muted")]], json_lines(part.data, width)])


def image_card(part: ImagePart, width: int) -> list[Line]:
    """Return what is known of an image: its type, its size, and that its tokens are not counted."""
    kind, size, place = image_facts(part.url)
    about = [Piece("▣ ", "muted"), Piece("image", "bright"), Piece(f"  {kind}", "muted")]
    lines = [[*about, Piece(f"  {size}" if size else "", "muted")]]
    if place:
        lines.append([Piece("  "), Piece(place[: max(4, width - 2)], "muted")])
    return [*lines, [Piece("  ▲ ", "warn"), Piece("tokens not counted", "muted")]]


def image_facts(url: str) -> tuple[str, str, str]:
    """Return the type and the size of an image, and where it is, as far as its address says."""
    if not url.startswith("data:"):
        ending = url.split("?", maxsplit=1)[0].rpartition(".")[2].lower()
        return (ending if ending in IMAGE_ENDINGS else "type not known"), "", url
    head, _, data = url.partition(",")
    kind = head[len("data:") :].partition(";")[0] or "type not known"
    if not head.endswith(";base64"):
        return kind, f"{len(data):,} characters", ""
    start = _decoded(data[:DECODED])
    pixels = _dimensions(start)
    size = f"{len(data) * 3 // 4 - data[-2:].count('='):,} bytes"
    return kind, f"{pixels[0]:,} × {pixels[1]:,}  {size}" if pixels else size, ""


IMAGE_ENDINGS = frozenset({"png", "jpg", "jpeg", "gif", "webp", "svg", "bmp", "avif", "heic"})
DECODED = 64
"""Characters of a picture's data that are decoded, for its dimensions."""


def _decoded(data: str) -> bytes:
    from base64 import b64decode

    try:
        return b64decode(data)
    except ValueError:
        return b""


def _dimensions(start: bytes) -> tuple[int, int] | None:
    """Return width and height of a PNG or a GIF, which say it first."""
    if start.startswith(b"\x89PNG\r\n\x1a\n") and len(start) >= struct.calcsize(">16x2I"):
        return struct.unpack_from(">16x2I", start)
    if start[:6] in (b"GIF87a", b"GIF89a") and len(start) >= struct.calcsize("<6x2H"):
        return struct.unpack_from("<6x2H", start)
    return None


def text_lines(text: str, width: int, kind: str = "text") -> Sequence[Line]:
    """Return a text as it is; a very long one is cut only where it is shown."""
    if len(text) > LONG:
        return LongText(text, max(4, width), kind)
    # Made visible first: a control character takes no cell, the symbol in its place takes one.
    shown = "\n".join(printable(line.expandtabs(TAB)) for line in text.split("\n"))
    return [[Piece(line, kind)] for line in wrap_lines(shown, max(4, width))]


def _result_lines(part: ToolResultPart, width: int, *, is_markdown: bool | None) -> Sequence[Line]:
    head = [Piece("↳ result of ", "muted"), Piece(part.tool_use_id[:60], "faint")]
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
    language = language_of(text) if len(text) < LONG else ""
    if language:
        shown = "\n".join(printable(line.expandtabs(TAB)) for line in text.split("\n"))
        return Joined([[head], numbered(code_lines(shown.removesuffix("\n"), language), width)])
    return Joined([[head], text_lines(text, width)])


def json_lines(value: object, width: int) -> Sequence[Line]:
    """Return a value as JSON, laid out and coloured where it is short enough to be read."""
    text = json.dumps(thaw(value), ensure_ascii=False, indent=2)
    if len(text) > LONG:
        return LongText(text, max(4, width))
    return numbered(map(_json_line, map(printable, text.split("\n"))), width)


def _json_line(line: str) -> Line:
    key, colon, rest = line.partition('": ')
    if colon and key.lstrip().startswith('"'):
        return [Piece(key + '"', "syntax"), Piece(": ", "muted"), _value(rest)]
    return [_value(line)]


def _value(text: str) -> Piece:
    start = text.lstrip()[:1]
    if start == '"':
        return Piece(text, "syntax-name")
    is_plain = start.isdigit() or (start in "-tfn" and start)
    return Piece(text, "syntax-name" if is_plain else "muted")


# The start of a message on one line: its text, the tools it calls, or their results.

GLYPHS = {"system": "§", "user": "❯", "assistant": "◆", "tool": "↳"}
WORDS = {"system": "sys", "user": "user", "assistant": "asst", "tool": "tool"}
LENGTH = 300


def who(role: str, kind: str = "") -> Piece:
    """Return the symbol and the word of a role, as wide for each role."""
    return Piece(f"{GLYPHS[role]} {WORDS[role]:<5}", kind or role)


def preview(message: Message, names: dict[str, str] | None = None) -> Line:
    """Return a message in pieces; ``names`` says which tool a result came from."""
    line: Line = []
    text = message.text
    if text:
        line.append(Piece(text[:LENGTH]))
    for part in message.parts:
        if isinstance(part, ToolUsePart):
            words = " ".join(str(leaf)[:LENGTH] for leaf in leaves(part.input))
            line += [
                Piece(" → " if line else "→ ", "muted"),
                Piece(part.name[:60], "bright"),
            ]
            line.append(Piece(" " + words[:LENGTH]))
        elif isinstance(part, ToolResultPart):
            name = (names or {}).get(part.tool_use_id)
            if name:
                line.append(Piece(name[:60] + "  ", "muted"))
            line.append(Piece(_result_preview(part)[:LENGTH]))
        elif not text and not isinstance(message.content, str) and part.type != "text":
            line.append(Piece(f"({part.type})", "muted"))
    return line or [Piece("(empty)", "muted")]


def _result_preview(part: ToolResultPart) -> str:
    if isinstance(part.content, str):
        return part.content[:LENGTH]
    texts = (getattr(inner, "text", f"({inner.type})") for inner in part.content)
    return " ".join(texts)[:LENGTH]


def message_row(  # noqa: PLR0913 - each is a separate choice
    log: LogReader,
    raw: int,
    lead: Line,
    tail: Line,
    width: int,
    *,
    finder: TextFinder | None = None,
    kind: str = "",
) -> Line:
    """Return a message in one row, as much of it as fits between its lead and its tail.

    With a kind all of it is of that kind, except what was searched for.
    """
    said = highlighted(preview(log[raw], tool_names(log, raw)), finder)
    body = fit_pieces(said, max(0, width - line_width(lead) - line_width(tail)))
    if kind:
        body = [Piece(text, own if own == "hit" else kind) for text, own in body]
    return [*lead, *body, *tail]


def plain_preview(message: Message) -> str:
    """Return the same without colours."""
    return "".join(piece.text for piece in preview(message))


def tool_names(log: LogReader, raw: int) -> dict[str, str]:
    """Return the names of the tools whose results a message holds, by looking at what precedes it.

    Calls stand close before their results; a short walk finds nearly all and never costs much.
    """
    wanted = set(log.links(raw).results)
    names: dict[str, str] = {}
    for before in range(raw - 1, max(-1, raw - 40), -1):
        if not wanted:
            break
        for call in wanted.intersection(log.links(before).calls):
            parts = [p for p in log[before].parts if isinstance(p, ToolUsePart) and p.id == call]
            names[call] = parts[0].name
        wanted -= names.keys()
    return names
