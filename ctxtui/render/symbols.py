"""Makes any text safe to show on one line: what a terminal would act on becomes a symbol."""

from __future__ import annotations

import re
import unicodedata

LINE_BREAK = "⏎"
_UNSAFE = re.compile(r"[^ -~\u00a1-\u00ac\u00ae-\u02ff\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff]")


def visible(text: str, limit: int | None = None) -> str:
    """Return the text with control, format and lone surrogate characters as visible symbols.

    With a limit only that many characters are looked at, so that a huge message costs nothing.
    """
    return _UNSAFE.sub(_symbol, text if limit is None else text[:limit])


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
