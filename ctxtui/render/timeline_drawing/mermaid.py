"""The batch timeline as Mermaid text, which issues and wikis draw by themselves."""

from __future__ import annotations

from collections.abc import Sequence

from ctxtui.models.batch_tree import BatchNode
from ctxtui.render.text.lines import fit
from ctxtui.render.text.numbers import change, tokens
from ctxtui.render.text.severity import ERROR, PASSED
from ctxtui.symbols import visible
from ctxtui.words import plural

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
    about = fit(visible(node.about, 200), ABOUT_CELLS).rstrip()
    moved = f"{change(node.added, '+')} {change(node.hidden, '−')}"
    lint = ERROR.text(plural(node.errors, "error")) if node.errors else PASSED.glyph
    figures = f"{node.visible:,} visible, {tokens(node.tokens)} tokens {lint}"
    rows = [f"{node.number} {node.name}", about, f"{moved} → {figures}"]
    return "<br>".join(_escaped(row) for row in rows if row)


def _escaped(text: str) -> str:
    """Return a text in which every sign that Mermaid or a page could act on is a number."""
    return "".join(sign if sign.isalnum() or sign in PLAIN else f"#{ord(sign)};" for sign in text)
