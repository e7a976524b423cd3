"""Code and JSON in colour: two hues, neither of them a role's."""

from __future__ import annotations

from functools import lru_cache

from ctxtui.text.lines import Line, Piece, cut_line, joined

MOST_CHARACTERS = 20_000
"""Characters of the longest code that is coloured."""
KINDS = {
    "Keyword": "syntax",
    "Operator.Word": "syntax",
    "Name.Tag": "syntax",
    "Name.Function": "syntax-name",
    "Name.Class": "syntax-name",
    "Literal": "syntax-name",
    "Comment": "faint",
}
"""What each kind of token is drawn as, by the start of its name; all else is plain code."""


@lru_cache(maxsize=32)
def code_lines(code: str, language: str) -> tuple[tuple[Piece, ...], ...]:
    """Return code in pieces, line by line; in plain lines where the language is not known."""
    if len(code) <= MOST_CHARACTERS and language:
        tokens = _tokens(code, language)
        if "".join(text for text, _ in tokens) == code:
            return _lines(tokens)
    return tuple((Piece(line, "code"),) for line in code.split("\n"))


def _tokens(code: str, language: str) -> list[tuple[str, str]]:
    from pygments.lexers import get_lexer_by_name  # Only where there is code.
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_by_name(language.split(maxsplit=1)[0], stripnl=False, ensurenl=False)
        found = [
            (text, str(token).removeprefix("Token.")) for token, text in lexer.get_tokens(code)
        ]
    except (ClassNotFound, IndexError, RecursionError):
        return []
    return [(text, _kind(name)) for text, name in found]


def _kind(name: str) -> str:
    return next((kind for start, kind in KINDS.items() if name.startswith(start)), "code")


def _lines(tokens: list[tuple[str, str]]) -> tuple[tuple[Piece, ...], ...]:
    lines: list[Line] = [[]]
    for text, kind in tokens:
        first, *others = text.split("\n")
        lines[-1].append(Piece(first, kind))
        lines += [[Piece(other, kind)] for other in others]
    return tuple(tuple(joined(line)) for line in lines)


def code_part(line: tuple[Piece, ...], start: int, end: int) -> Line:
    """Return a part of a line of code, from one character up to another."""
    return cut_line(list(line), start, end)
