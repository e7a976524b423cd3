"""The blocks of a Markdown text as lines: headings, paragraphs, lists, quotes, code, tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import takewhile

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, table
from markdown_it.rules_block.table import escapedSplit
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from rich.cells import cell_len

from ctxtui.text.code import CODE_LEAD, CODE_ROOM, code_lines, numbered
from ctxtui.text.lines import (
    EMOJI_STYLE,
    Line,
    Piece,
    Span,
    fit,
    flow,
    line_width,
    wrap_lines,
)
from ctxtui.text.symbols import printable


def hinted(text: str) -> str:
    """Return a text for lines of one cell, where a character of two can only be hinted at."""
    if text.isascii():
        return text
    return "".join("…" if cell_len(char) > 1 else char for char in text).replace(EMOJI_STYLE, "")


# The inside of a Markdown paragraph as pieces: emphasis, code, links and images.

SPANS = {"em_open": "emphasis", "strong_open": "strong", "s_open": "struck", "link_open": "link"}
_BOLD = ("heading", "strong", "link")
"""Kinds that already stand out, so that emphasis within them changes nothing."""


def inline(token: Token, kind: str) -> list[Span]:
    """Return an inline token as text of several kinds, with its line breaks."""
    return list(_spans(token.children or [], kind))


def _spans(tokens: Sequence[Token], kind: str) -> Iterator[Span]:
    kinds = [kind]
    links: list[tuple[Token, list[str]]] = []
    for token in tokens:
        made: list[Span] = []
        match token.type:
            case "softbreak" | "hardbreak":
                made = [("\n", kinds[-1])]
            case "code_inline":
                made = [(token.content, _within(kinds[-1], "code"))]
            case "image":
                alt = [(token.content, kinds[-1])] if token.content else []
                made = [("image ", "muted"), *alt, _address(token, "src", bool(alt))]
            case "link_close":
                kinds.pop()
                made = _ended(*links.pop())
            case opening if opening in SPANS:
                kinds.append(_within(kinds[-1], SPANS[opening]))
                if opening == "link_open":
                    links.append((token, []))
            case _ if token.nesting < 0:
                kinds.pop()
            case _:
                made = [(token.content, kinds[-1])]
        if links:
            links[-1][1].extend(text for text, _ in made)
        yield from made


def _within(outer: str, inner: str) -> str:
    """Return the kind of a span inside another one."""
    if outer == "struck" or (outer in _BOLD and inner == "emphasis"):
        return outer
    return outer if outer == "heading" and inner in ("strong", "link") else inner


def _ended(link: Token, texts: list[str]) -> list[Span]:
    """Return what follows a link's text: its address, unless the text is the address."""
    text, address = "".join(texts), str(link.attrGet("href") or "")
    if text and text in (address, address.removeprefix("mailto:")) and not link.attrGet("title"):
        return []
    return [_address(link, "href", bool(text))]


def _address(token: Token, key: str, spaced: bool) -> Span:
    """Return an address and its title as plain text: shown, never acted on."""
    title = token.attrGet("title")
    inside = f'{token.attrGet(key) or ""} "{title}"' if title else str(token.attrGet(key) or "")
    # Addresses and titles have their character references resolved: they can hold anything.
    return f"{' ' if spaced else ''}({printable(inside)})", "faint"


# Tables in Markdown, fitted to the width or shown row by row.

GAP = 2
NARROW = 6
"""A column that needs more than this many cells gets at least so many, or there is no table."""
LABEL = 16

Cells = list[list[Span]]


def whole_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a table, unless the parser would drop cells for which its head has no column."""
    lines = (state.src[state.bMarks[at] : state.eMarks[at]].strip() for at in range(start, end))
    sizes = [_cell_count(line) for line in takewhile(bool, lines)]
    return max(sizes, default=0) <= sum(sizes[:1]) and table(state, start, end, silent)


def _cell_count(row: str) -> int:
    return len(escapedSplit(row.removeprefix("|").removesuffix("|")))


def table_lines(rows: Sequence[Cells], aligns: Sequence[str], width: int) -> list[Line]:
    """Return a table whose first row is its head; cells wrap where the width asks for it."""
    sizes = [max(map(_size, column)) for column in zip(*rows, strict=True)]
    shares = _shares(sizes, width - GAP * (len(sizes) - 1))
    if any(share < min(size, NARROW) for share, size in zip(shares, sizes, strict=True)):
        return list(_row_by_row(rows, width))
    head, *body = [list(_row(row, shares, aligns)) for row in rows]
    rule = (" " * GAP).join("─" * share for share in shares)
    return [*head, [Piece(rule, "track")], *(line for row in body for line in row)]


def _size(spans: list[Span]) -> int:
    return sum(cell_len(text) for text, _ in spans)


def _shares(sizes: Sequence[int], room: int) -> list[int]:
    """Return how wide each column may be: the small ones as they are, the others alike."""
    shares = [0] * len(sizes)
    for done, i in enumerate(sorted(range(len(sizes)), key=lambda i: sizes[i])):
        shares[i] = max(0, min(sizes[i], room // (len(sizes) - done)))
        room -= shares[i]
    return shares


def _row(row: Cells, shares: Sequence[int], aligns: Sequence[str]) -> Iterator[Line]:
    """Yield the lines of a row as high as its highest cell."""
    wrapped = [flow(cell, max(1, share)) for cell, share in zip(row, shares, strict=False)]
    for y in range(max(map(len, wrapped), default=0)):
        line: Line = []
        start = used = 0
        for i, lines in enumerate(wrapped):
            if y < len(lines) and lines[y]:
                free = shares[i] - line_width(lines[y])
                at = start + {"center": free // 2, "right": free}.get(aligns[i], 0)
                line += [Piece(" " * (at - used)), *lines[y]] if at > used else lines[y]
                used = at + shares[i] - free
            start += shares[i] + GAP
        yield line


def _row_by_row(rows: Sequence[Cells], width: int) -> Iterator[Line]:
    """Yield a table that is too wide: its head, then each row with its labels, line by line."""
    head, *body = rows
    yield from flow([span for cell in head for span in (*cell, ("  ", "text"))][:-1], width)
    labels = ["".join(text for text, _ in cell) for cell in head]
    for row in body:
        yield []
        for label, cell in zip(labels, row, strict=True):
            label = label if cell_len(label) <= LABEL else fit(label, LABEL)
            if cell:
                yield from flow([(f"{label}: " if label else "", "muted"), *cell], width)


ROOM = 12
"""Cells a list or a quote leaves for its text; where there are fewer it isn't indented."""
BAR = Piece("│ ", "faint")
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
        """Return whether the line above a block is blank, quote signs aside."""
        above = token.map[0] - 1 if token.map else -1
        return above >= 0 and not self._source[above].strip(" >")

    def block(
        self, token: Token, inner: Sequence[Token], width: int, kind: str = "text"
    ) -> list[Line]:
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
            case "table_open":
                return _table(inner, width, kind)
            case "hr":
                return [[Piece("─" * width, "track")]]
            case _:
                return flow([(token.content, kind)], width)

    def _quote(self, inner: Sequence[Token], width: int) -> list[Line]:
        room = width - len(BAR.text)
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
                lines += flow([(marker, ink)], width)
                lines += self.lines(tokens, width, kind)
            else:
                first, *rest = self.lines(tokens, width - lead, kind) or [[]]
                # Numbers end in one column, bullets and boxes begin in one.
                sign = f"{marker:{'>' if token.info else '<'}{lead - 1}} "
                lines.append([Piece(sign, ink), *first])
                lines += [[Piece(" " * lead), *line] if line else line for line in rest]
        return lines


def _marked(item: Token, inner: Sequence[Token]) -> tuple[str, Sequence[Token]]:
    """Return what is before a list item, with the box of a task, and the rest of it."""
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
    longest = max(map(line_width, lines))
    if token.tag != "h1" or not longest:
        return lines
    return [*lines, [Piece("─" * longest, "track")]]


def _code(token: Token, width: int) -> list[Line]:
    """Return code as it is, below the name of its language."""
    led = width - len(CODE_LEAD.text) >= CODE_ROOM
    room = width - len(CODE_LEAD.text) if led else width
    lines: list[Line] = []
    language = printable(token.info.strip())
    if language:
        lines += [[*[CODE_LEAD] * led, *line] for line in flow([(language, "faint")], room)]
    code = token.content.removesuffix("\n") if token.content else None
    return lines if code is None else [*lines, *numbered(code_lines(code, language), width)]


def _table(inner: Sequence[Token], width: int, kind: str) -> list[Line]:
    rows = [siblings(row) for _, part in siblings(inner) for _, row in siblings(part)]
    head, *body = [[(cell, content[0]) for cell, content in row] for row in rows]
    aligns = [str(cell.attrGet("style") or "").removeprefix("text-align:") for cell, _ in head]
    cells = [[inline(text, "strong") for _, text in head]]
    cells += [[inline(text, kind) for _, text in row] for row in body]
    return table_lines(cells, aligns, width)


# Markdown for a terminal: a message's text laid out, with nothing in it lost or acted on.

LONGEST_CHARACTERS = 100_000
"""Characters of the longest text that is laid out; a longer one is shown as it is."""
DEEPEST = 20
"""Blocks within blocks; lines that are deeper are shown as they are."""
BRACKETS = 5_000
"""Most brackets among which links are looked for: each of them costs the parser a search."""
TAB = 4

_NEW_LINE = re.compile(r"\r\n?")


def markdown_lines(text: str, width: int) -> list[Line]:
    """Return a Markdown text as lines that fit a width; where that fails, as plain lines."""
    source = readable(text)
    if not source.strip():
        return []
    if width > 1 and len(source) <= LONGEST_CHARACTERS:
        try:
            return laid_out(source, width)
        except Exception:  # A message must be shown, whatever the parser thinks of it.
            pass
    return plain_lines(source, max(1, width))


def readable(text: str) -> str:
    """Return a text whose only control characters are line feeds; tabs become spaces."""
    lines = _NEW_LINE.sub("\n", text).split("\n")
    return "\n".join(printable(line.expandtabs(TAB)) for line in lines)


def plain_lines(source: str, width: int) -> list[Line]:
    """Return a readable text line by line, without any meaning."""
    text = hinted(source) if width == 1 else source
    lines = (line.rstrip(" ") for line in wrap_lines(text, width))
    return [[Piece(line)] if line else [] for line in lines]


def laid_out(source: str, width: int) -> list[Line]:
    """Return a readable text laid out; each block that would lose something is shown as it is."""
    text = source.split("\n")
    blocks = Blocks(text)
    parsed = [(token, inner) for token, inner in siblings(_parsed(source)) if token.map]
    starts = [token.map[0] for token, _ in parsed if token.map]
    lines: list[Line] = []
    for (token, inner), start, end in zip(
        parsed, [0, *starts[1:]], [*starts[1:], len(text)], strict=False
    ):
        if lines and blocks.blank_before(token):
            lines.append([])
        own = "\n".join(text[start:end]).strip("\n")
        made = blocks.block(token, inner, width)
        lines += made if _holds(made, own) else plain_lines(own, width)
    return lines


class _Reader(MarkdownIt):
    """A parser that leaves addresses alone: they are only shown, so none is encoded or refused."""

    def normalizeLink(self, url: str) -> str:  # noqa: N802 - the parser's own name
        return url

    def normalizeLinkText(self, link: str) -> str:  # noqa: N802 - the parser's own name
        return link

    def validateLink(self, url: str) -> bool:  # noqa: N802 - the parser's own name
        return True


def _line_break(state: StateInline, silent: bool) -> bool:
    """Read a line break and leave the spaces after it: pasted logs live by their indentation."""
    if state.src[state.pos] != "\n":
        return False
    if not silent:
        state.push("softbreak", "br", 0)
    state.pos += 1
    return True


def _deep_line(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a line as it is where blocks are nested too deep: the parser would drop it."""
    if state.level < DEEPEST:
        return False
    if not silent:
        token = state.push("plain", "", 0)
        token.content = state.getLines(start, start + 1, state.blkIndent, False)
        token.map = [start, start + 1]
        state.line = start + 1
    return True


@cache
def _parser(*, links: bool) -> MarkdownIt:
    parser = _Reader("commonmark", {"html": False, "maxNesting": DEEPEST + 2})
    parser.enable("strikethrough").disable(["reference", "entity"])
    if not links:
        parser.disable(["link", "image"])
    parser.inline.ruler.at("newline", _line_break)
    parser.block.ruler.before("table", "deep", _deep_line)
    parser.block.ruler.at("table", whole_table, {"alt": ["paragraph", "reference"]})
    parser.block.ruler.enable("table")
    return parser


@lru_cache(maxsize=2)
def _parsed(source: str) -> Sequence[Token]:
    """Return the tokens of a text; kept, because a pane asks again for every other width."""
    return _parser(links=source.count("[") <= BRACKETS).parse(source)


def _holds(lines: Iterable[Line], source: str) -> bool:
    """Return whether lines show something, and every letter and digit of their source."""
    shown = Counter("".join(piece.text for line in lines for piece in line))
    lost = Counter(source) - shown
    return any(char != " " for char in shown) and not any(map(str.isalnum, lost))
