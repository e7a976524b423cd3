"""``ctxtui timeline``: the batches as a drawing, for slides and issues."""

from __future__ import annotations

from pathlib import Path

from ctxtui.cli.inputs import open_target, target_argument
from ctxtui.cli.output import kind_of, out_argument, write_drawing
from ctxtui.cli.parser import Namespace, Parser
from ctxtui.files.sessions import title_of
from ctxtui.inspector.models.timeline import batch_tree
from ctxtui.pictures.timeline import timeline_mermaid, timeline_svg
from ctxtui.theme import CHOICES, colours_of

ENDINGS = {".svg": "svg", ".png": "png", ".mmd": "mermaid", ".mermaid": "mermaid"}
KINDS = ("svg", "mermaid")


def arguments(parser: Parser) -> None:
    target_argument(parser)
    out_argument(parser, "the drawing, NAME.svg, NAME.png or NAME.mmd; - prints it")
    parser.option("--to", "what to draw; else what OUT ends with, or svg", choices=KINDS)
    parser.option("--theme", "the colours of an SVG", choices=CHOICES, default="ink")
    parser.option("--json", "print what was written as JSON")


def run(args: Namespace) -> int:
    """Draw the batches and write the drawing."""
    kind = kind_of(args.out, ENDINGS, args.to)
    conversation = open_target(args.file, args.library).conversation
    nodes = batch_tree(conversation)
    if kind == "mermaid":
        drawn = timeline_mermaid(nodes)
    else:
        title = title_of(conversation, Path(args.file).name)
        drawn = timeline_svg(title, nodes, colours_of(args.theme))
    write_drawing(args, drawn, {"kind": kind, "batches": len(nodes)})
    return 0
