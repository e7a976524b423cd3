"""Code and JSON in colour: two hues, neither of them a role's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from ctxtui.text.lines import Line, Piece, chopped, cut_line, joined

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


NUMBERED = 4
"""Lines of code from which on they have numbers."""
CODE_ROOM = 4
CODE_LEAD = Piece("  ")
CONTINUED = Piece("… ", "faint")
MOST_LOOKED_AT = 4_000
_HAS_NUMBERS = re.compile(r"\s*\d+[\t→|:]")
_LANGUAGES = tuple(
    (name, re.compile(pattern, re.MULTILINE), least)
    for name, pattern, least in (
        ("diff", r"^(?:diff --git |@@ -\d+(?:,\d+)? \+\d+)", 1),
        ("sh", r"\A#!.*\b(?:ba|z)?sh\b", 1),
        (
            "python",
            r"^(?:from [\w.]+ import |import [\w.]+$|\s*(?:def|class) \w+[(:])",
            2,
        ),
        ("typescript", r"^(?:import .+ from ['\"]|export |(?:const|let) \w+ = |function \w+\()", 2),
        ("c", r"^#include [<\"]", 1),
        ("go", r"^(?:package \w+$|func (?:\(\w+ \*?\w+\) )?\w+\()", 2),
        ("rust", r"^(?:use [\w:]+|(?:pub )?(?:fn|struct|enum) \w+|impl )", 2),
        ("html", r"\A\s*<(?:\?xml|!DOCTYPE|html)\b", 1),
    )
)
"""How lines of each language begin, and in how many there must be such a beginning."""


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


def numbered(code: Iterable[Sequence[Piece]], width: int) -> list[Line]:
    """Return lines of code with numbers; one that is too long goes on below, behind a sign."""
    drawn = list(code)
    led = width - len(CODE_LEAD.text) >= CODE_ROOM
    numbers = len(str(len(drawn))) + 1 if led and len(drawn) >= NUMBERED else 0
    room = width - numbers - len(CODE_LEAD.text) * led
    lines: list[Line] = []
    for nth, line in enumerate(drawn, 1):
        at = 0
        for part in chopped("".join(piece.text for piece in line), room):
            lead = CONTINUED if at else CODE_LEAD
            number = Piece((f"{nth} " if not at else "").rjust(numbers), "faint")
            start, at = at, at + len(part)
            pieces = cut_line(list(line), start, at)
            whole = [*[lead] * led, *[number] * bool(numbers), *pieces]
            lines.append(whole if part or numbers else [])
    return lines


def language_of(text: str) -> str:
    """Return the language of a text that is code, by how its lines begin; else nothing.

    One that has numbers of its own stays as it is.
    """
    start = text[:MOST_LOOKED_AT]
    if _HAS_NUMBERS.match(start):
        return ""
    found = ((name, len(pattern.findall(start)), least) for name, pattern, least in _LANGUAGES)
    return next((name for name, count, least in found if count >= least), "")
