"""The message pane: everything about the message under the cursor."""

from __future__ import annotations

from collections.abc import Sequence

from ctxtui.core import Message
from ctxtui.core.engine.revisions import Revision
from ctxtui.models.look import Look
from ctxtui.render.message.parts import part_lines
from ctxtui.render.message.preview import GLYPHS, tool_names
from ctxtui.render.message.strip import finding_strip
from ctxtui.render.text.lines import Line, Piece
from ctxtui.render.text.long_text import Joined
from ctxtui.render.text.times import to_the_second
from ctxtui.render.text.wrap import wrap
from ctxtui.symbols import visible
from ctxtui.words import percent


def detail(look: Look, raw: int, width: int, *, is_markdown: bool = False) -> Sequence[Line]:
    """Return the lines of a message: what it is, what is wrong with it, what it holds."""
    message = look.state.log[raw]
    parts: list[Sequence[Line]] = []
    for part in message.parts:
        parts += [[[]], part_lines(part, width, is_markdown=is_markdown)]
    return Joined([about(look, raw, width), *parts])


def about(look: Look, raw: int, width: int) -> list[Line]:
    """Return who said a message, where it is, its history, its marks and what is wrong."""
    message = look.state.log[raw]
    return [
        _who(look, raw, message),
        *_where(look, raw, message, width),
        *_marks(look, raw, width),
        *finding_strip(look, raw, width),
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
    """Return the message's history: where it is, what added it, what hid it, what it copies."""
    position = look.view.position(raw)
    place = str(look.blame(raw)) if position is None else f"position {position:,}"
    told = [f"raw {raw:,}", place]
    told.append(_origin(look, look.revision_of(raw)))
    if message.metadata is not None and "copiedFrom" in message.metadata:
        told.append(f"copied from {message.metadata['copiedFrom']}")
    if message.timestamp is not None:
        told.append(to_the_second(message.timestamp))
    return [[Piece(line, "muted")] for line in wrap(visible("  ".join(told)), max(10, width))]


def _origin(look: Look, revision: Revision) -> str:
    """Return which operation added a message."""
    if revision.operation is None:
        return "there from the start"
    number = look.state.batches[revision.batch].number
    return f"added by {revision.operation.title} in batch {number}"


def _marks(look: Look, raw: int, width: int) -> list[Line]:
    labels = look.marked.get(raw)
    if not labels:
        return []
    return [[Piece("★ ", "mark"), Piece(visible(", ".join(labels), width), "text")]]
