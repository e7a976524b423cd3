"""Plain signs for terminals and fonts that draw ours badly; each takes one cell, as before."""

from __future__ import annotations

from ctxtui.render.text.dots import BITS, EMPTY, HIGH
from ctxtui.render.text.severity import ERROR, NOTED, PASSED, WARNING

_UPPER = sum(bits for column in BITS for bits in column[: HIGH // 2])


def _dots(bits: int) -> str:
    """Return a sign with dots in the same half of a cell, or in both."""
    upper, lower = bool(bits & _UPPER), bool(bits & ~_UPPER)
    return ":" if upper and lower else "'" if upper else "."


SIGNS = {
    **{"§": "#", "❯": ">", "◆": "*", "↳": "<", "→": ">", "←": "<", "↑": "^", "↓": "v"},
    **{"★": "!", "⋮": ":", "⏎": "/", "‹": "<", "›": ">", "•": "*", "·": ".", "…": "~"},
    **{ERROR.glyph: "E", WARNING.glyph: "W", PASSED.glyph: "v", NOTED.glyph: "n"},
    **{"✗": "x", "−": "-", "–": "-"},
    **{"○": "o", "●": "@", "◉": "0", "◌": ".", "◐": "%"},
    **{"━": "=", "╸": "-", "╴": ".", "─": "-", "┄": "-", "╌": "-", "┈": ".", "═": "="},
    **{"┼": "+", "├": "+", "┤": "+", "┬": "+", "┴": "+", "└": "+", "┌": "+", "┐": "+", "┘": "+"},
    **{
        "│": "|",
        "║": "|",
        "┃": "|",
        "▌": "|",
        "▐": "|",
        "▏": "|",
        "┆": ":",
        "╭": "/",
        "╯": "/",
        "╮": "\\",
        "╰": "\\",
    },
    **{"▁": "_", "▂": "x", "▃": ".", "▄": "o", "▅": "o", "▆": "#", "▇": "#", "█": "#", "▀": '"'},
    **{"½": "h", "≤": "<", "▶": ">", "≈": "~", "▾": "v", "▴": "^", "×": "x", "“": "'", "”": "'"},
    **{chr(EMPTY + bits): _dots(bits) for bits in range(1, 256)},
    **{"■": "#", "╵": "'", "╷": ",", "±": "%", "░": ":", "▒": ":", "▓": "#"},
}
"""What each sign becomes; texts of messages lose nothing but the shape of these few."""

TABLE = str.maketrans(SIGNS)


def plain_signs(text: str) -> str:
    """Return a text of the same width in which our own signs are ASCII."""
    return text if text.isascii() else text.translate(TABLE)
