"""Markdown for a terminal: a message's text laid out, with nothing in it lost or acted on.

What a reader of the source would miss is kept: line breaks inside paragraphs, the numbers of a
list as they were written, link definitions, HTML and character references as plain text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from ctxtui.render.markdown.blocks import Blocks, siblings
from ctxtui.render.markdown.flow import hinted
from ctxtui.render.markdown.tables import read_table
from ctxtui.render.text.lines import Line, Piece
from ctxtui.render.text.wrap import wrap
from ctxtui.symbols import visible

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
    if len(source) <= LONGEST_CHARACTERS:
        try:
            return laid_out(source, max(1, width))
        except Exception:  # A message must be shown, whatever the parser thinks of it.
            pass
    return plain_lines(source, max(1, width))


def readable(text: str) -> str:
    """Return a text whose only control characters are line feeds; tabs become spaces."""
    lines = _NEW_LINE.sub("\n", text).split("\n")
    return "\n".join(visible(line.expandtabs(TAB)) for line in lines)


def plain_lines(source: str, width: int) -> list[Line]:
    """Return a readable text line by line, without any meaning."""
    text = hinted(source) if width == 1 else source
    lines = (line.rstrip(" ") for line in wrap(text, width))
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
    parser.block.ruler.at("table", read_table, {"alt": ["paragraph", "reference"]})
    parser.block.ruler.enable("table")
    return parser


@lru_cache(maxsize=2)
def _parsed(source: str) -> Sequence[Token]:
    """Return the tokens of a text; kept, because a pane asks again for every other width."""
    return _parser(links=source.count("[") <= BRACKETS).parse(source)


def _holds(lines: Iterable[Line], source: str) -> bool:
    """Tell whether lines show something, and every letter and digit of their source."""
    shown = Counter("".join(piece.text for line in lines for piece in line))
    lost = Counter(source) - shown
    return any(char != " " for char in shown) and not any(map(str.isalnum, lost))
