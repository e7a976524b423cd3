"""Pictures of the screen, made fit to be kept: right widths, fixed names, nothing from elsewhere.

Textual's own export gives each piece of text the width of its characters, not of the cells they
take, so that Chinese is squeezed to half; names every element after a checksum; and loads its
font from another site.
"""

from __future__ import annotations

import re
from html import escape, unescape

from rich.cells import cell_len

from ctxtui.core.values.packages import optional_module

FONTS = "Fira Code, Cascadia Code, DejaVu Sans Mono, Menlo, Consolas, monospace"
SPACES = " \xa0"
_FONT_FACE = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)
_ID = re.compile(r"\.(terminal-\d+)-matrix \{")
_TEXT = re.compile(
    r'<text (class="[^"]*") x="([^"]*)" (y="[^"]*") textLength="([^"]*)" (clip-path="[^"]*")>'
    r"([^<]*)</text>"
)


def tidied(svg: str, name: str = "ctxtui") -> str:
    """Return an exported picture with texts as wide as their cells, and elements named so.

    Pictures on one page need names of their own.
    """
    svg = _FONT_FACE.sub("", svg).replace("Fira Code, monospace", FONTS, 1)
    found = _ID.search(svg)
    if found is not None:
        old = re.escape(found[1])
        svg = re.sub(rf'(class="|id="|url\(#|\n\s*\.){old}-', rf"\g<1>{name}-", svg)
    return _TEXT.sub(_widened, svg)


def _widened(found: re.Match[str]) -> str:
    """Return a piece of text with each wide character in a place of its own.

    So it is aligned in every viewer: not every program knows ``textLength``.
    """
    css, left, y, length, clip, content = found.groups()
    text = unescape(content)
    cells = cell_len(text)
    if cells == len(text):
        return found[0]
    x, cell = float(left), float(length) / len(text)
    parts = stretches(text)
    if sum(map(cell_len, parts)) != cells:
        parts = [text]  # Characters that join into one can't be taken apart.
    spans = []
    for stretch in parts:
        end = x + cell * cell_len(stretch)
        drawn = stretch.lstrip(SPACES)  # Some programs put a space at the wrong end.
        x = end - cell * cell_len(drawn)
        if drawn:
            width = f'textLength="{end - x:g}"'
            spans.append(f'<tspan x="{x:g}" {width}>{escape(drawn)}</tspan>')
        x = end
    return f"<text {css} {y} {clip}>{''.join(spans)}</text>"


def png_of(svg: str) -> bytes:
    """Return a drawing as a PNG at twice its size, with the fonts of this machine."""
    resvg = optional_module("resvg_py", "a PNG", "resvg-py", "png", field="out", legal=".svg")
    return bytes(resvg.svg_to_bytes(svg_string=svg, zoom=2))


def stretches(text: str) -> list[str]:
    """Return a text cut around every wide character; what takes no cell joins what is before."""
    found: list[str] = []
    was_wide = True
    for sign in text:
        width = cell_len(sign)
        if found and (width == 0 or (width == 1 and not was_wide)):
            found[-1] += sign
        else:
            found.append(sign)
        was_wide = width > 1 if width else was_wide
    return found
