"""The batch timeline as SVG: a row for each batch, with its ribbon; nothing from elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

from rich.cells import cell_len

from ctxtui.inspector.models.timeline import BatchNode
from ctxtui.pictures.svg import FONTS
from ctxtui.text.icons import ERROR, PASSED
from ctxtui.text.lines import fit
from ctxtui.text.numbers import change, tokens
from ctxtui.text.plurals import plural
from ctxtui.text.symbols import printable

Colours = Mapping[str, str]
"""Colours by name: those of a theme."""

LANE, DOT = 22, 7
CELL = 7.8
"""Width of a character of the small font."""
NAME_CELLS = 13
FIGURES = ("add", "hide", "visible", "tokens", "lint")
MOST_LANES = 8
"""Lanes that are drawn apart; further branches share the last one."""


class PictureLayout(NamedTuple):
    """The sizes of a drawing; one without a head is part of a page that has one."""

    margin: int = 24
    head: int = 66
    row: int = 46
    about_cells: int = 34
    ribbon_width: int = 420
    ribbon_height: int = 20
    figures: tuple[str, ...] = FIGURES
    figure_width: int = 66
    has_ids: bool = False
    """Whether ids are shown, since batches may have the same number."""


SLIDE = PictureLayout()
PART = PictureLayout(4, 0, 32, 26, 170, 18, ("add", "hide", "visible"), 48, has_ids=True)
"""The layouts: a picture of its own, and a part of a page."""


def timeline_svg(
    title: str, nodes: Sequence[BatchNode], colours: Colours, layout: PictureLayout = SLIDE
) -> str:
    """Return a drawing of all batches, the first at the top."""
    page = _Page(nodes, colours, layout)
    rows = [part for at in range(len(nodes)) for part in page.row(at)]
    return "\n".join(
        [
            '<svg xmlns="http://www.w3.org/2000/svg" font-size="13" '
            f'font-family="{FONTS}" viewBox="0 0 {page.width:g} {page.height:g}" '
            f'width="{page.width:g}" height="{page.height:g}">',
            f"<title>{escape(printable(title, 200))}</title>",
            f'<rect width="100%" height="100%" fill="{colours["surface"]}"/>',
            *(page.head(title) if layout.head else ()),
            *page.edges(),
            *rows,
            "</svg>\n",
        ]
    )


class _Page:
    """The positions of everything."""

    def __init__(self, nodes: Sequence[BatchNode], colours: Colours, layout: PictureLayout) -> None:
        self.nodes, self.colours, self.layout = nodes, colours, layout
        lanes = 1 + max(min(node.lane, MOST_LANES) for node in nodes)
        self.names = layout.margin + lanes * LANE + 14
        self.abouts = self.names + (NAME_CELLS + 3) * CELL
        self.ribbons = self.abouts + layout.about_cells * CELL
        self.figures = self.ribbons + layout.ribbon_width + 14
        self.width = self.figures + len(layout.figures) * layout.figure_width + layout.margin
        self.height = layout.head + len(nodes) * layout.row + layout.margin
        self._numbers = Counter(node.number for node in nodes)
        self._places = {node.id: at for at, node in enumerate(nodes)}

    def head(self, title: str) -> list[str]:
        called = fit(printable(title, 200), 60).rstrip()
        names = [
            self._text(self._column(at), self.layout.head - 10, name, "faint", end=True)
            for at, name in enumerate(self.layout.figures)
        ]
        return [
            self._text(
                self.layout.margin, 32, called, "bright", more='font-size="18" font-weight="bold"'
            ),
            self._text(self.ribbons, self.layout.head - 10, "the log: tall is visible", "faint"),
            *names,
        ]

    def edges(self) -> list[str]:
        """Return a line from each batch to the one it came from; dashed to what was left."""
        drawn = []
        for at, node in enumerate(self.nodes):
            if node.parent is None:
                continue
            above = self.nodes[self._places[node.parent]]
            x, y = self._dot(at)
            left, top = self._dot(self._places[above.id])
            bend = f"V{y - 16:g} Q{left:g} {y:g} {x:g} {y:g}" if x != left else f"V{y:g}"
            dash = ' stroke-dasharray="3 4"' if node.is_abandoned else ""
            colour = self.colours["faint" if node.is_abandoned else "muted"]
            drawn.append(
                f'<path d="M{left:g} {top:g} {bend}" fill="none" stroke="{colour}" '
                f'stroke-width="2"{dash}/>'
            )
        return drawn

    def row(self, at: int) -> list[str]:
        """Return one batch: its dot, its name, its ribbon and its figures."""
        node, colours = self.nodes[at], self.colours
        x, y = self._dot(at)
        base = y + 4
        ink = "faint" if node.is_abandoned else "bright"
        fill = colours["primary" if node.is_now else "surface"]
        edge = colours["primary" if node.is_now else "faint" if node.is_abandoned else "foreground"]
        bold = 'font-weight="bold"'
        about = fit(printable(node.about, 200), self.layout.about_cells - 2).rstrip()
        return [
            f'<circle cx="{x:g}" cy="{y:g}" r="{DOT}" fill="{fill}" stroke="{edge}" '
            'stroke-width="2"/>',
            self._text(self.names, base, self._name(node), ink, more=bold),
            self._text(self.abouts, base, about, "faint" if node.is_abandoned else "muted"),
            *self._ribbon(node, y),
            *self._figures(node, base),
        ]

    def _name(self, node: BatchNode) -> str:
        is_alone = self._numbers[node.number] == 1
        id = "" if is_alone or not self.layout.has_ids else f" #{node.id}"
        return f"{node.number:>2} {node.name}{id}"

    def _figures(self, node: BatchNode, y: float) -> list[str]:
        texts = {
            "add": (change(node.added, "+"), "success" if node.added else "faint"),
            "hide": (change(node.hidden, "−"), "error" if node.hidden else "faint"),
            "visible": (f"{node.visible:,}", "foreground"),
            "tokens": (tokens(node.tokens), "foreground"),
            "lint": (ERROR.text(str(node.errors)), "error")
            if node.errors
            else (PASSED.glyph, "success"),
        }
        return [
            self._text(
                self._column(at),
                y,
                texts[name][0],
                "faint" if node.is_abandoned else texts[name][1],
                end=True,
            )
            for at, name in enumerate(self.layout.figures)
        ]

    def _column(self, at: int) -> float:
        return self.figures + (at + 1) * self.layout.figure_width

    def _ribbon(self, node: BatchNode, y: float) -> list[str]:
        """Return the log as a row of cells: as tall as the share that is visible."""
        step = self.layout.ribbon_width / max(1, len(node.ribbon))
        gap = 2 if step > CELL else 0
        tall = self.layout.ribbon_height
        low = y + tall / 2
        drawn = []
        for at, cell in enumerate(node.ribbon):
            height = max(2.0, tall * cell.share)
            role = f"role-{cell.role}" if cell.role else "line"
            faded = ' opacity="0.45"' if node.is_abandoned else ""
            drawn.append(
                f'<rect x="{self.ribbons + at * step:g}" y="{low - height:g}" '
                f'width="{step - gap:g}" height="{height:g}" '
                f'fill="{self.colours[role]}"{faded}/>'
            )
        return drawn

    def _dot(self, at: int) -> tuple[float, float]:
        lane = min(self.nodes[at].lane, MOST_LANES)
        x = self.layout.margin + DOT + lane * LANE
        return x, self.layout.head + at * self.layout.row + self.layout.row / 2

    def _text(
        self, x: float, y: float, text: str, ink: str, *, end: bool = False, more: str = ""
    ) -> str:
        anchor = ' text-anchor="end"' if end else ""
        wide = f' textLength="{cell_len(text) * CELL:g}"' if not more and text.isascii() else ""
        return (
            f'<text x="{x:g}" y="{y:g}" fill="{self.colours[ink]}"{anchor}{wide} {more} '
            f'xml:space="preserve">{escape(text)}</text>'
        )


# The batch timeline as Mermaid text, which issues and wikis draw by themselves.

ABOUT_CELLS = 40
PLAIN = f" .,:()+−·…_/-{PASSED.glyph}{ERROR.glyph}"
"""Signs that mean nothing to Mermaid; letters and digits of any writing don't either."""
STYLES = (
    "classDef now stroke-width:3px,font-weight:bold",
    "classDef left stroke-dasharray:4 4,opacity:0.6",
    "classDef broken stroke:#c0392b",
)


def timeline_mermaid(nodes: Sequence[BatchNode]) -> str:
    """Return a flow chart: a box for each batch, an arrow from the batch it came from."""
    lines = ["flowchart TD"]
    lines += [f'  b{node.id}["{_label(node)}"]' for node in nodes]
    for node in nodes:
        if node.parent is not None:
            arrow = "-.->" if node.is_abandoned else "-->"
            lines.append(f"  b{node.parent} {arrow} b{node.id}")
    lines += [f"  {style}" for style in STYLES]
    for name, chosen in (
        ("now", [node for node in nodes if node.is_now]),
        ("left", [node for node in nodes if node.is_abandoned]),
        ("broken", [node for node in nodes if node.errors]),
    ):
        if chosen:
            lines.append(f"  class {','.join(f'b{node.id}' for node in chosen)} {name}")
    return "\n".join(lines) + "\n"


def _label(node: BatchNode) -> str:
    about = fit(printable(node.about, 200), ABOUT_CELLS).rstrip()
    moved = f"{change(node.added, '+')} {change(node.hidden, '−')}"
    lint = ERROR.text(plural(node.errors, "error")) if node.errors else PASSED.glyph
    figures = f"{node.visible:,} visible, {tokens(node.tokens)} tokens {lint}"
    rows = [f"{node.number} {node.name}", about, f"{moved} → {figures}"]
    return "<br>".join(_escaped(row) for row in rows if row)


def _escaped(text: str) -> str:
    """Return a text in which every sign that Mermaid or a page could act on is a number."""
    return "".join(sign if sign.isalnum() or sign in PLAIN else f"#{ord(sign)};" for sign in text)
