"""Plain signs for terminals and fonts that draw ours badly; each takes one cell, as before."""

from __future__ import annotations

from ctxtui.render.text.severity import ERROR, PASSED, WARNING

SIGNS = {
    **{"§": "#", "❯": ">", "◆": "*", "↳": "<", "→": ">", "←": "<", "↑": "^", "↓": "v"},
    **{"★": "!", "⋮": ":", "⏎": "/", "‹": "<", "›": ">", "•": "*", "·": ".", "…": "~"},
    **{ERROR.glyph: "E", WARNING.glyph: "W", PASSED.glyph: "v", "✗": "x", "−": "-", "–": "-"},
    **{"○": "o", "●": "@", "◉": "0", "◌": ".", "◐": "%"},
    **{"━": "=", "╸": "-", "╴": ".", "─": "-", "┄": "-", "╌": "-", "┈": ".", "═": "="},
    **{"┼": "+", "├": "+", "┤": "+", "┬": "+", "┴": "+", "└": "+", "┌": "+", "┐": "+", "┘": "+"},
    **{
        "│": "|",
        "║": "|",
        "┃": "|",
        "▌": "|",
        "▏": "|",
        "┆": ":",
        "╭": "/",
        "╯": "/",
        "╮": "\\",
        "╰": "\\",
    },
    **{"▁": "_", "▂": "x", "▃": ".", "▄": "o", "▅": "o", "▆": "#", "▇": "#", "█": "#", "▀": '"'},
    **{"½": "h", "≤": "<", "▶": ">", "×": "x"},
    **{"■": "#", "╵": "'", "╷": ",", "±": "%", "░": ":", "▒": ":", "▓": "#"},
}
"""What each sign becomes; texts of messages lose nothing but the shape of these few."""

TABLE = str.maketrans(SIGNS)


def plain_signs(text: str) -> str:
    """Return a text of the same width in which our own signs are ASCII."""
    return text if text.isascii() else text.translate(TABLE)
