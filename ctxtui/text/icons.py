"""Plain signs for terminals and fonts that draw ours badly; each takes one cell, as before."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple

from ctxtui.text.lines import Line, Piece
from ctxtui.text.numbers import tokens
from ctxtui.text.plots import BITS, EMPTY, HIGH

if TYPE_CHECKING:
    from ctxtui.core import Finding
    from ctxtui.core.engine.text_search import TextFinder

# How bad something is, as a sign with an ink of its own: for lint and for whatever is refused.


class Icon(NamedTuple):
    """One character that says how bad it is, and the kind of piece it is drawn as."""

    glyph: str
    kind: str

    def text(self, words: str) -> str:
        return f"{self.glyph} {words}"

    def piece(self, words: str = "") -> Piece:
        return Piece(self.text(words), self.kind)


ERROR = Icon("✖", "error")
WARNING = Icon("▲", "warn")
PASSED = Icon("✓", "ok")
NOTED = Icon("✎", "key")
NOTED_PIECE = Piece(NOTED.glyph, NOTED.kind)
"""A note exists about it: as a symbol, and as the one cell that a list has for it."""

PASSED_PIECE = Piece(PASSED.glyph, PASSED.kind)
BOXES = {True: f"[{PASSED.glyph}]", False: "[ ]"}
"""A box that is ticked, or not."""

_OF_SEVERITY = {"error": ERROR, "warning": WARNING}


def icon_of(finding: Finding) -> Icon:
    """Return the sign of a finding."""
    return _OF_SEVERITY[finding.severity]


def errors_piece(count: int | None) -> Piece:
    """Return how many errors there are; None where they are still being counted."""
    if count is None:
        return Piece("…", "faint")
    return Piece(f"{ERROR.glyph}{tokens(count)}", ERROR.kind) if count else PASSED_PIECE


def worst_of(findings: Collection[Finding]) -> Line:
    """Return sign and rule of the worst of some findings, for the end of a row."""
    if not findings:
        return []
    worst = min(findings, key=lambda finding: finding.severity)
    return [Piece(f" {icon_of(worst).text(worst.rule)}", icon_of(worst).kind)]


CACHED_BLOCK = "║"
"""A block of a prompt that a provider served from its cache."""


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
    **{
        "½": "h",
        "≤": "<",
        "▶": ">",
        "▸": ">",
        "▣": "#",
        "≈": "~",
        "▾": "v",
        "▴": "^",
        "×": "x",
        "“": "'",
        "”": "'",
    },
    **{chr(EMPTY + bits): _dots(bits) for bits in range(1, 256)},
    **{"■": "#", "╵": "'", "╷": ",", "±": "%", "░": ":", "▒": ":", "▓": "#"},
}
"""What each sign becomes; texts of messages lose nothing but the shape of these few."""

TABLE = str.maketrans(SIGNS)


def to_ascii(text: str) -> str:
    """Return a text of the same width in which our own signs are ASCII."""
    return text if text.isascii() else text.translate(TABLE)


# Lights up what was searched for.

LONGEST_CHARACTERS = 2_000
"""Characters of a piece that are looked through; more are never in sight."""


def highlighted(line: Line, finder: TextFinder | None) -> Line:
    """Return a line with every match as a piece of its own kind."""
    if finder is None:
        return line
    made: Line = []
    for piece in line:
        made += _parts(piece, finder.spans(piece.text[:LONGEST_CHARACTERS]))
    return made


def _parts(piece: Piece, spans: list[tuple[int, int]]) -> Line:
    if not spans:
        return [piece]
    parts, end = [], 0
    for start, stop in spans:
        parts += [Piece(piece.text[end:start], piece.kind), Piece(piece.text[start:stop], "hit")]
        end = stop
    return [part for part in (*parts, Piece(piece.text[end:], piece.kind)) if part.text]
