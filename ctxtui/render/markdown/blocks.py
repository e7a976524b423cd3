"""The blocks of a Markdown text as lines: headings, paragraphs, lists, quotes, code, tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from markdown_it.token import Token

from ctxtui.render.markdown.flow import cells, chopped, flow, line_cells
from ctxtui.render.markdown.inline import inline
from ctxtui.render.markdown.tables import table_lines
from ctxtui.render.text.lines import Line, Piece
from ctxtui.symbols import visible

ROOM = 12
"""Cells a list or a quote leaves for its text; where there are fewer it isn't indented."""
CODE_ROOM = 4
BAR = Piece("│ ", "faint")
CODE_LEAD = Piece("  ")
CONTINUED = Piece("… ", "faint")
_BOX = re.compile(r"\[[ xX]\] ")


def siblings(tokens: Sequence[Token]) -> Iterator[tuple[Token, Sequence[Token]]]:
    """Yield the outermost blocks of a run of tokens, each with the tokens inside it."""
    depth = start = 0
    for i, token in enumerate(tokens):
        if depth == 0:
            start = i
        depth += token.nesting
        if depth == 0:
            yield tokens[start], tokens[start + 1 : i]


class Blocks:
    """Lays out blocks; it knows their source lines because blank lines are taken from there."""

    def __init__(self, source: Sequence[str]) -> None:
        self._source = source

    def lines(self, tokens: Sequence[Token], width: int, kind: str = "text") -> list[Line]:
        """Return blocks one below the other, with a blank line where the source has one."""
        lines: list[Line] = []
        for token, inner in siblings(tokens):
            if lines and self.blank_before(token):
                lines.append([])
            lines += self.block(token, inner, width, kind)
        return lines

    def blank_before(self, token: Token) -> bool:
        """Tell whether the line above a block is blank, quote signs aside."""
        above = token.map[0] - 1 if token.map else -1
        return above >= 0 and not self._source[above].strip(" >")

    def block(
        self, token: Token, inner: Sequence[Token], width: int, kind: str = "text"
    ) -> list[Line]:
        """Return the lines of one block."""
        match token.type:
            case "paragraph_open":
                return flow(inline(inner[0], kind), width)
            case "heading_open":
                return _heading(token, inner[0], width)
            case "fence" | "code_block":
                return _code(token, width)
            case "blockquote_open":
                return self._quote(inner, width)
            case "bullet_list_open" | "ordered_list_open":
                return self._list(inner, width, kind)
            case "grid_open":
                return _table(token, inner, width, kind)
            case "hr":
                return [[Piece("─" * width, "track")]]
            case _:
                return flow([Piece(token.content, kind)], width)

    def _quote(self, inner: Sequence[Token], width: int) -> list[Line]:
        room = width - cells(BAR.text)
        if room < ROOM:
            return self.lines(inner, width, "quote")
        return [[BAR, *line] for line in self.lines(inner, room, "quote") or [[]]]

    def _list(self, inner: Sequence[Token], width: int, kind: str) -> list[Line]:
        items = [(token, *_marked(token, tokens)) for token, tokens in siblings(inner)]
        lead = max(len(marker) for _, marker, _ in items) + 1
        narrow = width - lead < ROOM
        lines: list[Line] = []
        for token, marker, tokens in items:
            if lines and self.blank_before(token):
                lines.append([])
            ink = "ok" if "[x]" in marker.lower() else "muted"
            if narrow:
                lines += flow([Piece(marker, ink)], width)
                lines += self.lines(tokens, width, kind)
            else:
                first, *rest = self.lines(tokens, width - lead, kind) or [[]]
                # Numbers end in one column, bullets and boxes begin in one.
                sign = f"{marker:{'>' if token.info else '<'}{lead - 1}} "
                lines.append([Piece(sign, ink), *first])
                lines += [[Piece(" " * lead), *line] if line else line for line in rest]
        return lines


def _marked(item: Token, inner: Sequence[Token]) -> tuple[str, Sequence[Token]]:
    """Return what stands before a list item, with the box of a task, and the rest of it."""
    number = f"{item.info}{item.markup}" if item.info else ""
    children = inner[1].children if len(inner) > 1 and inner[0].type == "paragraph_open" else None
    box = _BOX.match(children[0].content) if children and children[0].type == "text" else None
    if not children or box is None:
        return number or "•", inner
    text = children[0].copy(content=children[0].content[box.end() :])
    paragraph = inner[1].copy(children=[text, *children[1:]])
    return f"{number} {box[0]}".strip(), [inner[0], paragraph, *inner[2:]]


def _heading(token: Token, content: Token, width: int) -> list[Line]:
    lines = flow(inline(content, "heading"), width)
    longest = max(map(line_cells, lines))
    if token.tag != "h1" or not longest:
        return lines
    return [*lines, [Piece("─" * longest, "track")]]


def _code(token: Token, width: int) -> list[Line]:
    """Return code as it is; a line that is too long goes on below, behind a sign."""
    led = width - cells(CODE_LEAD.text) >= CODE_ROOM
    room = width - cells(CODE_LEAD.text) if led else width
    lines: list[Line] = []
    language = visible(token.info.strip())
    if language:
        lines += [[*[CODE_LEAD] * led, *line] for line in flow([Piece(language, "faint")], room)]
    code = token.content.removesuffix("\n")
    for text in code.split("\n") if token.content else ():
        for i, part in enumerate(chopped(text, room, room)):
            lead = [CONTINUED if i else CODE_LEAD] * led
            lines.append([*lead, Piece(part, "code")] if part else [])
    return lines


def _table(token: Token, inner: Sequence[Token], width: int, kind: str) -> list[Line]:
    rows = [
        [inline(cell, kind if y else "strong") for cell in cells]
        for y, (_, cells) in enumerate(siblings(inner))
    ]
    return table_lines(rows, token.meta["aligns"], width)
