"""The start of a message on one line: its text, the tools it calls, or their results."""

from __future__ import annotations

from ctxtui.core import Message
from ctxtui.core.engine.log import LogReader
from ctxtui.core.engine.messages import ToolResultPart, ToolUsePart, leaves
from ctxtui.render.text.lines import Line, Piece
from ctxtui.symbols import visible

GLYPHS = {"system": "§", "user": "❯", "assistant": "◆", "tool": "↳"}
WORDS = {"system": "sys", "user": "user", "assistant": "asst", "tool": "tool"}
LENGTH = 300


def preview(message: Message, names: dict[str, str] | None = None) -> Line:
    """Return a message in pieces; ``names`` tells which tool a result came from."""
    line: Line = []
    text = message.text
    if text:
        line.append(Piece(visible(text, LENGTH)))
    for part in message.parts:
        if isinstance(part, ToolUsePart):
            words = " ".join(str(leaf)[:LENGTH] for leaf in leaves(part.input))
            line += [
                Piece(" → " if line else "→ ", "muted"),
                Piece(visible(part.name, 60), "bright"),
            ]
            line.append(Piece(" " + visible(words, LENGTH)))
        elif isinstance(part, ToolResultPart):
            name = (names or {}).get(part.tool_use_id)
            if name:
                line.append(Piece(visible(name, 60) + "  ", "muted"))
            line.append(Piece(visible(_result(part), LENGTH)))
        elif not text and not isinstance(message.content, str) and part.type != "text":
            line.append(Piece(f"({part.type})", "muted"))
    return line or [Piece("(empty)", "muted")]


def _result(part: ToolResultPart) -> str:
    if isinstance(part.content, str):
        return part.content[:LENGTH]
    texts = (getattr(inner, "text", f"({inner.type})") for inner in part.content)
    return " ".join(texts)[:LENGTH]


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
