"""Makes any text safe to show on one line: what a terminal or a page acts on becomes a symbol."""

from __future__ import annotations

import json
import re
import unicodedata

LINE_BREAK = "⏎"
TURNS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that turn the direction in which others are written."""
_UNSAFE = re.compile(r"[^ -~\u00a1-\u00ac\u00ae-\u02ff\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff]")


def printable(text: str, limit: int | None = None) -> str:
    """Return the text with control, format and lone surrogate characters as visible symbols.

    With a limit only that many characters are examined, so that a huge message costs nothing.
    """
    return _UNSAFE.sub(_symbol, text if limit is None else text[:limit])


def unsafe(text: str) -> str | None:
    """Return the first character that is no part of any writing, or None.

    Those are controls, line ends, halves of pairs, and what turns the direction of writing; what
    joins emoji and letters is text.
    """
    return next((match[0] for match in _UNSAFE.finditer(text) if _acts(match[0])), None)


def _acts(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") or char in TURNS


def escaped(text: str) -> str:
    """Return JSON with what can't be shown as JSON writes it: the same data, safe to edit."""
    return _UNSAFE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    return char if char in "\n\r\t" or printable(char) == char else json.dumps(char)[1:-1]


def _symbol(match: re.Match[str]) -> str:
    char = match[0]
    code = ord(char)
    if char in "\n\r\v\f\x85\u2028\u2029":
        return LINE_BREAK
    if char == "\t":
        return " "
    if code < 0x20:  # noqa: PLR2004 - C0 controls have pictures of their own
        return chr(0x2400 + code)
    if code == 0x7F:  # noqa: PLR2004
        return "␡"
    match unicodedata.category(char):
        case "Cc" | "Cs" | "Co" | "Cn":
            return "�"
        case "Cf":
            return "·"
        case _:
            return char
