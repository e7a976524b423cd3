"""The message pane: everything about the message under the cursor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ctxtui.core import Finding, Message
from ctxtui.core.engine.revisions import Revision
from ctxtui.inspector.drawing.lists import finding_lines, star
from ctxtui.inspector.keys import KEYS_OF_REPAIRS
from ctxtui.inspector.models.links import helping
from ctxtui.inspector.models.look import Look
from ctxtui.text.lines import (
    Joined,
    Line,
    Piece,
    digits,
    filled_row,
    fit_pieces,
    hanging,
    line_width,
    on_background,
    paragraph,
)
from ctxtui.text.message import GLYPHS, message_row, part_lines, tool_names, who
from ctxtui.text.numbers import to_the_second
from ctxtui.text.plurals import percent

# The strip above a message that something is wrong with: what, why, and the keys that fix it.

SHORT_WORDS = {
    "restore": "bring the call back",
    "stub": "put a stand-in there",
    "drop": "hide what is left",
}
"""What each repair does, in as many words as a strip has room for; what loses least comes first."""
WHY = ("L", "lint")
BACKGROUNDS = {"error": "finding", "warning": "warning"}
"""The background of a strip."""
MOST_FINDINGS = 4


def finding_strip(look: Look, raw: int, width: int) -> list[Line]:
    """Return what lint says of a message, across the whole width; nothing if it is fine."""
    position = look.view.position(raw)
    found = [] if position is None else look.findings_at.get(position, [])
    if not found:
        return []
    worst = min(found, key=lambda finding: finding.severity)
    lines: list[Line] = []
    for finding in found[:MOST_FINDINGS]:
        lines += finding_lines(look, finding, width)
    more = len(found) - MOST_FINDINGS
    if more > 0:
        lines.append([Piece(f"  and {more:,} more of this message", "muted")])
    lines += _keys(found if look.is_live else [], width)
    return [filled_row(_without_end(line), BACKGROUNDS[worst.severity], width) for line in lines]


def _keys(found: Sequence[Finding], width: int) -> list[Line]:
    policies = {policy for finding in found for policy in helping(finding)}
    pairs: list[tuple[str, str]] = [
        (KEYS_OF_REPAIRS[one], word) for one, word in SHORT_WORDS.items() if one in policies
    ]
    lines: list[Line] = []
    used = width
    for key, word in [*pairs, WHY]:
        size = len(f"   {key} {word}")
        if used + size > width:
            lines.append([Piece("  ")])
            used, size = 2, size - 3
        else:
            lines[-1].append(Piece("   "))
        lines[-1] += [Piece(key, "key"), Piece(f" {word}", "muted")]
        used += size
    return lines


def _without_end(line: Line) -> Line:
    """Return a line without the spaces at its end: they must not push its last word out."""
    return [*line[:-1], Piece(line[-1].text.rstrip(), line[-1].kind)] if line else line


def detail(look: Look, raw: int, width: int, *, is_markdown: bool | None = None) -> Sequence[Line]:
    """Return the lines of a message: what it is, what is wrong with it, what it holds."""
    message = look.state.log[raw]
    parts: list[Sequence[Line]] = []
    for part in message.parts:
        parts += [[[]], part_lines(part, width, is_markdown=is_markdown)]
    return Joined([about(look, raw, width), *parts])


def about(look: Look, raw: int, width: int) -> list[Line]:
    """Return who said a message, where it is, its history, its marks and what is wrong."""
    message = look.state.log[raw]
    labels = [look.marked[raw]] if raw in look.marked else []
    return [
        _who(look, raw, message),
        *_where(look, raw, message, width),
        *([Piece("★ ", "mark"), Piece(", ".join(one)[:width], "text")] for one in labels),
        *finding_strip(look, raw, width),
    ]


def _who(look: Look, raw: int, message: Message) -> Line:
    names = tool_names(look.state.log, raw)
    line = [Piece(f"{GLYPHS[message.role]} {message.role}", message.role)]
    if names:
        line += [
            Piece("  result of ", "muted"),
            Piece(", ".join(names.values()), "bright"),
        ]
    count = look.tokens(raw)
    line.append(Piece(f"  {count:,} tokens", "text"))
    if look.view.position(raw) is not None:
        line.append(Piece(f"  {percent(count, look.total)}", "muted"))
    return line


def _where(look: Look, raw: int, message: Message, width: int) -> list[Line]:
    position = look.view.position(raw)
    place = str(look.blame(raw)) if position is None else f"position {position:,}"
    told = [f"raw {raw:,}", place]
    told.append(_origin(look, look.revision_of(raw)))
    if message.metadata is not None and "copiedFrom" in message.metadata:
        told.append(f"copied from {message.metadata['copiedFrom']}")
    if message.timestamp is not None:
        told.append(to_the_second(message.timestamp))
    return paragraph("  ".join(told), width, "muted")


def _origin(look: Look, revision: Revision) -> str:
    if revision.operation is None:
        return "there from the start"
    number = look.state.batches[revision.batch].number
    return f"added by {revision.operation.title} in batch {number}"


# What is around a message in the raw log: its neighbours, sent or hidden.

TITLE = "around it in the raw log"
NEIGHBOURS = 5
LEAST_TEXT = 20


def around_lines(look: Look, raw: int, width: int, count: int = NEIGHBOURS) -> list[Line]:
    """Return a rule and some lines of the log, with the message as near to their middle as it goes.

    Only these are examined, however long the log is.
    """
    shown = min(count, look.log_size)
    first = max(0, min(raw - shown // 2, look.log_size - shown))
    rule = "─" * max(0, width - len(TITLE) - len("──  "))
    head = [Piece("── ", "track"), Piece(TITLE, "muted"), Piece(f" {rule}", "track")]
    lines = [_line(look, at, width, is_it=at == raw) for at in range(first, first + shown)]
    return [fit_pieces(head, width), *lines]


def hidden_by(look: Look, raw: int) -> str:
    """Return in a few words what hid a message."""
    blame = look.blame(raw)
    if blame is None or blame.batch is None or blame.operation is None:
        return "on another branch"
    return f"hidden by batch {blame.batch.number} {blame.operation.title}"


def _line(look: Look, raw: int, width: int, *, is_it: bool) -> Line:
    message, position = look.state.log[raw], look.view.position(raw)
    hidden = position is None
    where = f" {hidden_by(look, raw)} " if hidden else f" position {position:,} "
    mark = star(look, raw) or Piece(" ")
    lead = [
        Piece("▏" if is_it else " ", "key"),
        mark,
        Piece(f"{raw:>{digits(look.log_size)}} ", "faint" if hidden else "bright"),
        who(message.role, "faint" if hidden else ""),
    ]
    used = line_width(lead)
    tail = where if width - used - len(where) >= LEAST_TEXT else ""
    end = [Piece(tail, "faint" if hidden else "muted")]
    line = message_row(look.state.log, raw, lead, end, width, kind="faint" if hidden else "")
    if is_it:
        return [Piece(text, on_background(kind, "twin")) for text, kind in line]
    return line


# The message under the cursor in a few lines, where the message pane has no room.


def peek_lines(look: Look, raw: int, width: int, rows: int) -> list[Line]:
    """Return the heading of a message as a rule, what is wrong with it, and how it begins."""
    lines = [heading(look, raw, width)]
    for line in finding_strip(look, raw, width - 2):
        lines.append([Piece(" ", line[0].kind), *line, Piece(" ", line[-1].kind)])
    for part in look.state.log[raw].parts:
        if len(lines) >= rows:
            break
        said = part_lines(part, max(1, width - 2))[:rows]
        lines += [[Piece(" "), *line] for line in said]
    spare = rows - len(lines) - len(("rule", "before", "it"))
    if spare >= 0:
        lines += around_lines(look, raw, width, spare + 2)
    return lines[:rows]


def heading(look: Look, raw: int, width: int) -> Line:
    """Return who said it, where it is and how large it is, on a rule."""
    line: Line = []
    for left, right in _headings(look, raw):
        end = [Piece(" "), *right, Piece(" ─", "track")] if right else []
        line = [Piece("── ", "track"), *left, Piece(" ")]
        rule = width - line_width(line) - line_width(end)
        if rule >= 1:
            return [*line, Piece("─" * rule, "track"), *end]
    return fit_pieces(line, width)


def _headings(look: Look, raw: int) -> Iterator[tuple[Line, Line]]:
    message, position, count = look.state.log[raw], look.view.position(raw), look.tokens(raw)
    who = [Piece(f"{GLYPHS[message.role]} {message.role}", message.role)]
    mark = star(look, raw)
    marks = [] if mark is None else [Piece("  "), mark]
    names = ", ".join(tool_names(look.state.log, raw).values())
    tool = [Piece(f"  {names[:24]}", "bright")] if names else []
    place = f"  position {position:,}" if position is not None else f"  {hidden_by(look, raw)}"
    where = [Piece(f"  raw {raw:,}", "muted"), Piece(place, "muted")]
    size = [Piece(f"{count:,} tokens", "text")]
    share = [] if position is None else [Piece(f"  {percent(count, look.total)}", "muted")]
    yield [*who, *tool, *where, *marks], [*size, *share]
    yield [*who, *where, *marks], [*size, *share]
    yield [*who, where[0], *marks], [*size, *share]
    yield [*who, where[0]], size
    yield [*who, where[0]], []


# A note about a message, above what the message says.

LONGEST = 2_000


def remark_lines(text: str, width: int) -> list[Line]:
    """Return a note in as many rows as it takes."""
    lines = hanging([Piece("Note  ", "muted")], text[:LONGEST], width, "bright")
    return [filled_row(line, "select", width) for line in lines]
