"""The inside of a Markdown paragraph as pieces: emphasis, code, links and images."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markdown_it.token import Token

from ctxtui.render.text.lines import Line, Piece
from ctxtui.symbols import visible

SPANS = {"em_open": "emphasis", "strong_open": "strong", "s_open": "struck", "link_open": "link"}
_BOLD = ("heading", "strong", "link")
"""Kinds that already stand out, so that emphasis within them changes nothing."""


def inline(token: Token, kind: str) -> Line:
    """Return the pieces of an inline token; a line break is a line break in a piece."""
    return list(_pieces(token.children or [], kind))


def _pieces(tokens: Sequence[Token], kind: str) -> Iterator[Piece]:
    kinds = [kind]
    links: list[tuple[Token, list[str]]] = []
    for token in tokens:
        made: Line = []
        match token.type:
            case "softbreak" | "hardbreak":
                made = [Piece("\n", kinds[-1])]
            case "code_inline":
                made = [Piece(token.content, _within(kinds[-1], "code"))]
            case "image":
                alt = [Piece(token.content, kinds[-1])] if token.content else []
                made = [Piece("image ", "muted"), *alt, _address(token, "src", bool(alt))]
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
                made = [Piece(token.content, kinds[-1])]
        if links:
            links[-1][1].extend(piece.text for piece in made)
        yield from made


def _within(outer: str, inner: str) -> str:
    """Return the kind of a span inside another one."""
    if outer == "struck" or (outer in _BOLD and inner == "emphasis"):
        return outer
    return outer if outer == "heading" and inner in ("strong", "link") else inner


def _ended(link: Token, texts: list[str]) -> Line:
    """Return what follows a link's text: its address, unless the text is the address."""
    text, address = "".join(texts), str(link.attrGet("href") or "")
    if text and text in (address, address.removeprefix("mailto:")) and not link.attrGet("title"):
        return []
    return [_address(link, "href", bool(text))]


def _address(token: Token, key: str, spaced: bool) -> Piece:
    """Return an address and its title as plain text: shown, never acted on."""
    title = token.attrGet("title")
    inside = f'{token.attrGet(key) or ""} "{title}"' if title else str(token.attrGet(key) or "")
    # Addresses and titles have their character references resolved: they can hold anything.
    return Piece(f"{' ' if spaced else ''}({visible(inside)})", "faint")
